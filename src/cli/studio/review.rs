//! What a run left to be decided: pictures that differ, and steps whose targets are gone.

use std::path::Path;

use serde_json::{Map, Value, json};
use uixt_call::unsupported;
use uixt_studio::Decision;

use crate::cli::exit::Failure;
use crate::cli::testcases::{fix, snapshots};
use crate::testcase::{self, ActionPath, TargetAt};
use crate::tools;

const TOOL: &str = "assert_screenshot";
/// Where an action has its arguments, and what a bare one is.
const ARGUMENTS: &str = "/params";
const NAME: &str = "name";
const MASK: &str = "mask";

/// Does what somebody decided about the run of a folder; the error says why it cannot be done.
pub(super) fn decided(folder: &Path, decision: Decision) -> Result<Value, String> {
    let told = |failure: Failure| failure.to_string();
    match decision {
        Decision::Accept(baseline) => {
            let replaced = snapshots::accept(folder, |file| file == baseline).map_err(told)?;
            match replaced.is_empty() {
                true => Err(format!("{baseline}: no picture of it differs in this run")),
                false => Ok(json!({"message": format!("replaced {}", replaced.join(", "))})),
            }
        }
        Decision::Offer => Ok(json!({"repairs": fix::repairs(folder).map_err(told)?})),
        Decision::Mend { place, choice } => {
            let (file, lines) = fix::repair(folder, &place, choice)?;
            Ok(json!({"file": file, "message": lines}))
        }
    }
}

/// Writes a part of the screen, in fractions of it, into the mask of the comparison that a step makes.
pub(super) fn masked(text: &str, line: u32, rect: [f64; 4]) -> Result<String, String> {
    let (path, value) = comparison(text, line).ok_or("no step compares pictures there any more")?;
    let mut arguments = match value {
        Value::Object(map) => map,
        name => Map::from_iter([(NAME.to_owned(), name)]),
    };
    if arguments.contains_key("of") {
        return Err("it compares a part of the screen: mask an element by hand, as in `mask: [#clock]`".to_owned());
    }
    let part = json!({"rect": rect.map(fraction)});
    if arguments.get(MASK).is_some_and(Value::is_array) {
        let changed = testcase::append(text, &path, &format!("{ARGUMENTS}/{MASK}"), &part);
        return changed.map_err(|error| error.to_string());
    }
    let masks: Vec<Value> = arguments.shift_remove(MASK).into_iter().chain([part]).collect();
    let mut target = Map::from_iter(arguments.shift_remove(NAME).map(|name| (NAME.to_owned(), name)));
    target.insert(MASK.to_owned(), masks.into());
    let is_key = |key: &str| key == NAME || key == MASK;
    let at = TargetAt { pointer: ARGUMENTS, bare: NAME, is_key: &is_key };
    testcase::retarget(text, &path, at, &target).map_err(|error| error.to_string())
}

/// Writes a fraction as a person does: the edges of the screen as whole numbers.
fn fraction(value: f64) -> Value {
    let value = (value.clamp(0.0, 1.0) * 1000.0).round() / 1000.0;
    match value {
        0.0 => 0.into(),
        1.0 => 1.into(),
        value => value.into(),
    }
}

/// Finds the comparison of a step that begins at a line.
fn comparison(text: &str, line: u32) -> Option<(ActionPath, Value)> {
    let first = usize::try_from(line).ok()?.checked_sub(1)?;
    let lines = text.lines().enumerate().skip(first);
    for (number, written) in lines {
        // The next step is another.
        if number > first && written.trim_start().starts_with("- ") {
            break;
        }
        let begins = written.char_indices().filter(|(at, letter)| {
            letter.is_alphanumeric() && !written[..*at].ends_with(|before: char| before.is_alphanumeric())
        });
        for (at, _) in begins {
            let column = u32::try_from(written[..at].chars().count()).ok()? + 1;
            let found = testcase::action_at(text, u32::try_from(number).ok()? + 1, column);
            let (path, _) =
                found.filter(|(_, action)| unsupported::known(tools::table(), &action.method) == Some(TOOL)).unzip();
            if let Some(path) = path {
                let value = testcase::value_at(text, &path, ARGUMENTS)?;
                return Some((path, value));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_is_written_where_the_step_is() {
        let rect = [0.0, 0.1, 1.0, 0.25];
        for (before, after) in [
            ("- assert_screenshot: home\n", "- assert_screenshot: {name: home, mask: [{rect: [0, 0.1, 1, 0.25]}]}\n"),
            (
                "- assert_screenshot: {name: home, threshold: 0.1} # ours\n",
                "- assert_screenshot: {name: home, mask: [{rect: [0, 0.1, 1, 0.25]}], threshold: 0.1} # ours\n",
            ),
            (
                "- name: Home\n  assert_screenshot:\n    name: home\n- back:\n",
                "- name: Home\n  assert_screenshot:\n    name: home\n    mask: [{rect: [0, 0.1, 1, 0.25]}]\n- back:\n",
            ),
            (
                "- assert_screenshot: {name: home, mask: [\"#clock\"], threshold: 0.1}\n",
                "- assert_screenshot: {name: home, mask: [\"#clock\", {rect: [0, 0.1, 1, 0.25]}], threshold: 0.1}\n",
            ),
            (
                "- assert_screenshot: {name: home, mask: [{rect: [0, 0, 1, 0.05]}]}\n",
                "- assert_screenshot: {name: home, mask: [{rect: [0, 0, 1, 0.05]}, {rect: [0, 0.1, 1, 0.25]}]}\n",
            ),
            (
                "- assert_screenshot:\n    mask:\n      - \"#clock\" # moves\n    name: home\n",
                "- assert_screenshot:\n    mask:\n      - \"#clock\" # moves\n      - {rect: [0, 0.1, 1, 0.25]}\n    name: home\n",
            ),
        ] {
            let text = format!("teststeps:\n{before}");
            assert_eq!(masked(&text, 2, rect).as_deref(), Ok(format!("teststeps:\n{after}").as_str()), "{before}");
        }
        assert!(masked("teststeps:\n- back:\n- assert_screenshot: home\n", 2, rect).is_err());
    }
}
