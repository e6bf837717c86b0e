//! A line → what it asks for: a step, in the words of a testcase or in the plain ones of a recording, or a command with a colon.

use std::path::PathBuf;

use serde_json::{Map, Value};
use uixt_schema::nearest;

use super::super::record::line as words;
use crate::cli::testcases::vocabulary;
use crate::recorder;
use crate::testcase::{self, Error, Overrides, TestCase};
use crate::tools;

/// What errors call the place where lines stand.
pub(super) const FILE: &str = "step";
/// What stands above a line where it is read as a testcase, and before it.
const ABOVE: &str = "teststeps:\n";
const BEFORE: &str = "- ";

/// The commands.
pub(super) const COMMANDS: [&str; 7] = [":help", ":list", ":quit", ":save", ":save!", ":screen", ":undo"];

/// What a line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Nothing,
    Help,
    List,
    Quit,
    Save {
        file: PathBuf,
        force: bool,
    },
    Screen,
    Undo,
    /// A step in YAML.
    Step(String),
    /// What is wrong, and what to type.
    Unknown(String),
}

pub(super) fn read(line: &str) -> Line {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Line::Nothing;
    }
    if line.starts_with(':') {
        return command(line);
    }
    let step = line.strip_prefix(BEFORE).unwrap_or(line).trim();
    if is_yaml(step) {
        return Line::Step(step.to_owned());
    }
    match words::call(step) {
        Ok(request) => {
            let value = recorder::short_value(tools::table(), &request.name, &request.arguments.unwrap_or_default());
            // JSON is YAML, on one line.
            Line::Step(format!("{{{}: {value}}}", request.name))
        }
        Err(message) => Line::Unknown(format!("error: {}", message.replace("`help` says", ":help says"))),
    }
}

fn command(line: &str) -> Line {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let alone = |line: Line| match rest.is_empty() {
        true => line,
        false => Line::Unknown(format!("error: {name} stands alone: type it with nothing behind it")),
    };
    match name {
        ":help" | ":h" | ":?" => alone(Line::Help),
        ":list" => alone(Line::List),
        ":quit" | ":q" => alone(Line::Quit),
        ":screen" => alone(Line::Screen),
        ":undo" => alone(Line::Undo),
        ":save" | ":save!" if rest.is_empty() => {
            Line::Unknown(format!("error: {name} needs a file: {name} log_in.yaml"))
        }
        ":save" | ":save!" => Line::Save { file: rest.into(), force: name.ends_with('!') },
        _ => {
            let near = nearest(name, COMMANDS).map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
            Line::Unknown(format!("error: `{name}` is not a command{near}; valid: {}", COMMANDS.join(", ")))
        }
    }
}

/// Tells whether a step stands there as a testcase writes it: a map, or a key with its colon.
fn is_yaml(step: &str) -> bool {
    let end = step.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(step.len());
    let rest = &step[end..];
    step.starts_with('{') || (end > 0 && rest.starts_with(':') && (rest.len() == 1 || rest.starts_with(": ")))
}

/// Reads a testcase with nothing of its own.
pub(super) fn blank() -> Result<TestCase, Vec<Error>> {
    testcase::parse(FILE, "teststeps:\n- log: x\n", &vocabulary(), &Overrides::default())
}

/// Reads a step as if it stood in a case of the project, where variables are known as `known` says; returns it also as it is written.
pub(super) fn in_place_of(
    case: &TestCase,
    step: &str,
    known: &Overrides,
) -> Result<(TestCase, Map<String, Value>), Vec<Error>> {
    let text = format!("{ABOVE}{BEFORE}{step}\n");
    let told = |errors: Vec<Error>| errors.into_iter().map(|error| as_typed(error, step)).collect::<Vec<_>>();
    let read = testcase::parse_in_place_of(case, &text, &vocabulary(), known).map_err(told)?;
    let value = testcase::read_text(FILE, &text).map_err(told)?;
    let written = value["teststeps"][0].as_object().cloned().unwrap_or_default();
    Ok((read, written))
}

/// Tells an error in its place of the line.
fn as_typed(mut error: Error, step: &str) -> Error {
    if error.file != FILE {
        return error;
    }
    if let Some(span) = &mut error.span {
        span.line = span.line.saturating_sub(1).max(1);
        span.column = span.column.saturating_sub(u32::try_from(BEFORE.len()).unwrap_or(0)).max(1);
        error.line = step.lines().nth(span.line as usize - 1).map(str::to_owned);
    }
    error
}

/// Returns the variables that a step sets.
pub(super) fn set_by(step: &Map<String, Value>) -> Vec<String> {
    let mut names = Vec::new();
    for key in ["save", "extract"] {
        match step.get(key) {
            Some(Value::String(name)) => names.push(name.clone()),
            Some(Value::Object(map)) => names.extend(map.keys().cloned()),
            Some(Value::Array(items)) => items.iter().for_each(|item| match item {
                Value::String(name) => names.push(name.clone()),
                other => names.extend(other.as_object().into_iter().flat_map(Map::keys).cloned()),
            }),
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_step_in_either_form_or_a_command() {
        let step = |text: &str| Line::Step(text.to_owned());
        for (line, expected) in [
            ("tap_element: Log in", step("tap_element: Log in")),
            ("- tap_element: {id: ok, timeout: 3}", step("tap_element: {id: ok, timeout: 3}")),
            ("{get_text: {id: a}, save: b}", step("{get_text: {id: a}, save: b}")),
            ("home:", step("home:")),
            ("tap_element Log in", step("{tap_element: \"Log in\"}")),
            ("tap e5", step("{tap: {\"ref\":\"e5\"}}")),
            ("input alice into User name", step("{input: {\"text\":\"alice\",\"into\":\"User name\"}}")),
            ("back", step("{back: null}")),
            (":save a b.yaml", Line::Save { file: "a b.yaml".into(), force: false }),
            (":save! a.yaml", Line::Save { file: "a.yaml".into(), force: true }),
            (" # a comment", Line::Nothing),
            (":q", Line::Quit),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
        for (line, part) in [
            (":sav x", "did you mean `:save`?"),
            (":save", "needs a file"),
            (":list all", "stands alone"),
            ("tapp Log in", "did you mean"),
        ] {
            let Line::Unknown(message) = read(line) else { panic!("{line}") };
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn errors_stand_at_their_place_of_the_line() {
        let case = blank().expect("a case");
        let errors =
            in_place_of(&case, "tap_element: {text: Sign in, timout: 5}", &Overrides::default()).expect_err("an error");
        let told = errors[0].render(false);
        assert!(told.contains("--> step:1:30") && told.contains("did you mean `timeout`?"), "{told}");
        assert!(in_place_of(&case, "log: $nobody", &Overrides::default()).is_err(), "unknown variables are told");
    }
}
