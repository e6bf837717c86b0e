//! A run's failed steps whose targets were not there → proposals of other targets, by the suggestions in their failures.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use uixt_call::mask::MASK;
use uixt_locate::suggest::SUGGESTIONS;

use super::proposal::{Change, Choice, Proposal};
use crate::action::MobileAction;
use crate::cli::exit::Failure;
use crate::result::{ActionResult, CaseResult, Outcome};
use crate::runner::journal::Reader;
use crate::testcase::{self, ActionPath, TargetAt, holds_variables};
use crate::tools::{self, TargetPlace};

/// What is said where a file is not as the run saw it.
const CHANGED: &str = "the file was changed since the run: run it again, then fix";
/// How much a suggestion must be alike to be offered: a failure names more, for a person to think about.
const ALIKE: f64 = 0.7;
const ASSERTION: &str = "an assertion failed: the app may be wrong, and not the testcase";

/// Returns what a run's failed steps propose, once for each place of a file.
pub(super) fn of(folder: &Path) -> Result<Vec<Proposal>, Failure> {
    let mut found: Vec<Proposal> = Vec::new();
    for case in Reader::open(folder).map_err(Failure::usage)? {
        let case = case.map_err(Failure::usage)?;
        for action in failed(&case) {
            if let Some(proposal) = proposal(&case, action).filter(|one| !found.iter().any(|other| one.is_same(other)))
            {
                found.push(proposal);
            }
        }
    }
    Ok(found)
}

/// Returns the action that each failed step failed by.
fn failed(case: &CaseResult) -> impl Iterator<Item = &ActionResult> {
    let steps = case.steps.iter().filter(|step| step.outcome == Outcome::Failed && case.outcome >= Outcome::Failed);
    steps.filter_map(|step| step.attempts.last()?.actions.iter().find(|action| action.outcome == Outcome::Failed))
}

/// One suggestion of a failure.
struct Suggestion {
    target: Map<String, Value>,
    argument: Option<String>,
    why: String,
}

fn suggestions(action: &ActionResult) -> Option<Vec<Suggestion>> {
    let listed = action.error.as_ref()?.details.as_ref()?.get(SUGGESTIONS)?.as_array()?;
    let read = |suggestion: &Value| {
        let target = match suggestion.get("target")? {
            Value::Object(target) => target.clone(),
            text => Map::from_iter([("text".to_owned(), text.clone())]),
        };
        let text = |key: &str| suggestion.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Suggestion { target, argument: text("argument"), why: text("why").unwrap_or_default() })
    };
    let is_alike =
        |suggestion: &&Value| suggestion.get("score").and_then(Value::as_f64).is_none_or(|score| score >= ALIKE);
    let listed: Vec<Suggestion> = listed.iter().filter(is_alike).filter_map(read).collect();
    (!listed.is_empty()).then_some(listed)
}

fn proposal(case: &CaseResult, action: &ActionResult) -> Option<Proposal> {
    let suggestions = suggestions(action)?;
    let place = &action.place;
    let file = PathBuf::from(&place.file);
    let text = fs::read_to_string(&file)
        .map_err(|error| format!("cannot read it ({error}): fix runs in the folder in which the run was started"));
    let line = usize::try_from(place.line).unwrap_or_default().saturating_sub(1);
    let now = text.as_ref().ok().and_then(|text| text.lines().nth(line)).unwrap_or_default().trim().to_owned();
    let choices = text.and_then(|text| choices(&text, action, suggestions));
    Some(Proposal {
        place: format!("{}:{}:{}", place.file, place.line, place.column),
        file,
        now,
        doubt: action.tool.starts_with("assert_").then(|| ASSERTION.to_owned()),
        choices,
        again: case.file.clone(),
    })
}

/// Makes ways to change a file of suggestions, where it still holds what the run saw and says the target itself.
fn choices(text: &str, action: &ActionResult, suggestions: Vec<Suggestion>) -> Result<Vec<Choice>, String> {
    let place = &action.place;
    let argument = suggestions.first().and_then(|first| first.argument.clone());
    let (path, written) =
        testcase::action_at(text, place.line, place.column).ok_or_else(|| {
            match testcase::is_check_at(text, place.line, place.column) {
                true => "it is a check of `validate` in the form {check, assert, expect}: change it by hand".to_owned(),
                false => CHANGED.to_owned(),
            }
        })?;
    let at = tools::target_place(tools::table(), &written, argument.as_deref()).ok_or(CHANGED)?;
    let value = testcase::value_at(text, &path, &at.pointer).ok_or(CHANGED)?;
    let target = of_target(&value);
    if holds_variables(&target) {
        return Err(format!("its target comes from {}: change it where it is set", shown(&target)));
    }
    let seen = of_call(&action.arguments, argument.as_deref());
    if Value::Object(seen.clone()).to_string().contains(MASK) {
        return Err("its target is a secret".to_owned());
    }
    if !is_same(&written, &action.tool, &seen, argument.as_deref()) {
        return Err(CHANGED.to_owned());
    }
    let mut choices = Vec::new();
    for Suggestion { target, why, .. } in suggestions {
        if Value::Object(target.clone()).to_string().contains(MASK) {
            continue;
        }
        let target = beside_options(literal(target), &written)?;
        choices.push(Choice { why, change: change(path.clone(), written.clone(), at.clone(), target) });
    }
    if choices.is_empty() { Err("the suggestion holds a secret".to_owned()) } else { Ok(choices) }
}

/// Leaves out of a target what stays written under `options`; what would have to go from there is no such target.
fn beside_options(mut target: Map<String, Value>, written: &MobileAction) -> Result<Map<String, Value>, String> {
    for (key, value) in written.options.iter().filter(|(key, _)| tools::is_target_key(key)) {
        if target.shift_remove(key).as_ref() != Some(value) {
            return Err(format!("its option `{key}` is a part of its target, too: change it by hand"));
        }
    }
    Ok(target)
}

fn change(path: ActionPath, was: MobileAction, at: TargetPlace, target: Map<String, Value>) -> Change {
    Box::new(move |text| {
        let is = testcase::action_of(text, &path);
        if is.is_none_or(|is| {
            (is.method, is.params, is.options) != (was.method.clone(), was.params.clone(), was.options.clone())
        }) {
            return Err(CHANGED.to_owned());
        }
        let at = TargetAt { pointer: &at.pointer, bare: at.bare, is_key: &tools::is_target_key };
        testcase::retarget(text, &path, at, &target).map_err(|error| error.to_string())
    })
}

/// Returns of a value what says the target.
fn of_target(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let keys = map.iter().filter(|(key, _)| tools::is_target_key(key));
            Value::Object(keys.map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        other => other.clone(),
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| format!("`{value}`"), |text| format!("`{text}`"))
}

/// Returns of a call's arguments what says the target.
fn of_call(arguments: &Map<String, Value>, argument: Option<&str>) -> Map<String, Value> {
    let is_meant = |key: &str| argument.map_or_else(|| tools::is_target_key(key), |argument| key == argument);
    arguments.iter().filter(|(key, _)| is_meant(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Tells whether an action as it is written means the target that the run looked for.
fn is_same(written: &MobileAction, tool: &str, seen: &Map<String, Value>, argument: Option<&str>) -> bool {
    let bare = MobileAction { options: Map::new(), ..written.clone() };
    let request = tools::table().request(written).or_else(|_| tools::table().request(&bare));
    request
        .is_ok_and(|request| request.name == tool && of_call(&request.arguments.unwrap_or_default(), argument) == *seen)
}

/// Writes texts so that a testcase takes them to the letter, where they would be taken for variables.
fn literal(target: Map<String, Value>) -> Map<String, Value> {
    fn visit(value: &mut Value) {
        match value {
            Value::String(text) if holds_variables(&Value::from(text.as_str())) => *text = text.replace('$', "$$"),
            Value::Object(map) => map.values_mut().for_each(visit),
            _ => {}
        }
    }
    let mut target = Value::Object(target);
    visit(&mut target);
    match target {
        Value::Object(target) => target,
        _ => Map::new(),
    }
}
