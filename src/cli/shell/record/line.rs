//! A line that a person types → what is meant: a call, in the words of a testcase or in plain ones, or a word to the recorder.

use serde_json::{Map, Value, json};
use uixt_call::{CallToolRequest, ToolRow};
use uixt_schema::nearest;

use crate::action::MobileAction;
use crate::tools;

/// What a line means.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    Nothing,
    Look,
    Show,
    Undo,
    Save,
    Help,
    Quit,
    Call(Box<CallToolRequest>),
}

/// Words to the recorder, which stand alone; a colon may stand before them, as at the other prompt.
const ALONE: [&str; 10] = ["look", "screen", "show", "list", "undo", "save", "help", "quit", "exit", "q"];

/// Reads a line; the error says what is wrong and what to type.
pub(super) fn read(line: &str) -> Result<Line, String> {
    let line = line.trim();
    let line = line.strip_prefix("- ").or(line.strip_prefix(':')).unwrap_or(line).trim();
    Ok(match line {
        "" => Line::Nothing,
        "look" | "screen" => Line::Look,
        "show" | "list" => Line::Show,
        "undo" => Line::Undo,
        "save" => Line::Save,
        "help" | "?" => Line::Help,
        "quit" | "exit" | "q" => Line::Quit,
        line if line.starts_with('#') => Line::Nothing,
        line => Line::Call(Box::new(call(line)?)),
    })
}

/// Reads a call in the words of a testcase or in plain ones.
pub(in crate::cli) fn call(line: &str) -> Result<CallToolRequest, String> {
    let end = line.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    let verb = tools::all().find(|tool| tool.verb == Some(word)).map_or(word, |tool| tool.name);
    let Some(tool) = tools::find(verb) else { return Err(unknown(word)) };
    let params = match rest.strip_prefix(':') {
        Some(written) => yaml(written)?,
        None => plain(tool, rest.trim())?,
    };
    let action = MobileAction { method: verb.to_owned(), params, ..MobileAction::default() };
    let request = tools::table().request(&action).map_err(|error| error.message)?;
    let known = tools::find(&request.name).unwrap_or(tool);
    tools::table().prepare(known, request.arguments.clone().unwrap_or_default()).map_err(|error| error.message)?;
    Ok(request)
}

fn unknown(word: &str) -> String {
    if ALONE.contains(&word) {
        return format!("`{word}` stands alone: type it with nothing behind it");
    }
    let names = tools::table().names().into_iter().chain(tools::all().filter_map(|tool| tool.verb));
    let near = nearest(word, names.chain(ALONE)).map(|near| format!(", did you mean `{near}`?"));
    format!("`{word}` is not a tool{}; `help` says what there is", near.unwrap_or_default())
}

fn yaml(written: &str) -> Result<Value, String> {
    if written.trim().is_empty() {
        return Ok(Value::Null);
    }
    serde_saphyr::from_str(written.trim()).map_err(|error| {
        let reason = error.to_string();
        format!("this is not YAML: {}", reason.lines().next().unwrap_or_default())
    })
}

/// Reads what stands behind a tool's name in plain words: `tap Sign in`, `tap e5`, `input alice into User name`.
fn plain(tool: &'static ToolRow, rest: &str) -> Result<Value, String> {
    if rest.is_empty() {
        return Ok(Value::Null);
    }
    if rest.starts_with(['{', '[']) || quoted(rest).is_some() {
        return yaml(rest);
    }
    if let Some(numbers) = numbers(rest) {
        return Ok(numbers);
    }
    let takes = |name: &str| tool.schema().properties().any(|(known, _)| known == name);
    if let Some((text, field)) = text_and_field(rest).filter(|_| takes("into")) {
        let text = quoted(text).unwrap_or_else(|| text.to_owned());
        return Ok(json!({"text": text, "into": place(field)}));
    }
    if rest.starts_with(['"', '\'']) {
        return yaml(rest);
    }
    match place(rest) {
        Value::Object(reference) if takes("ref") => Ok(Value::Object(reference)),
        _ => Ok(rest.into()),
    }
}

/// Parts what is typed from the field: at the last `into` that stands in no quotes.
fn text_and_field(rest: &str) -> Option<(&str, &str)> {
    let parted = |at: usize| (rest[..at].trim(), rest[at + " into ".len()..].trim());
    let mut places = rest.match_indices(" into ").map(|(at, _)| parted(at));
    let last = places.clone().last();
    places.find(|(_, field)| quoted(field).is_some()).or(last)
}

/// Reads a text that stands in quotes as a whole.
fn quoted(text: &str) -> Option<String> {
    let is_begun = text.starts_with(['"', '\'']);
    let read = is_begun.then(|| yaml(text).ok()).flatten()?;
    read.as_str().map(str::to_owned)
}

/// Reads an element as a snapshot or a person names it.
fn place(text: &str) -> Value {
    if let Some(text) = quoted(text) {
        return text.into();
    }
    let is_ref =
        text.strip_prefix('e').is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()));
    if is_ref { Value::Object(Map::from_iter([("ref".to_owned(), text.into())])) } else { text.into() }
}

/// Reads two numbers or more, with or without commas.
fn numbers(text: &str) -> Option<Value> {
    let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let read: Option<Vec<Value>> =
        words.iter().map(|word| serde_json::from_str(word).ok().filter(Value::is_number)).collect();
    read.filter(|numbers| numbers.len() > 1).map(Value::Array)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_may_write_as_in_a_testcase_or_plainly() {
        for (line, tool, arguments) in [
            ("tap_element: Sign in", "tap_element", json!({"text": "Sign in"})),
            ("- tap_element: {id: ok, timeout: 3}", "tap_element", json!({"id": "ok", "timeout": 3})),
            ("tap Sign in", "tap", json!({"text": "Sign in"})),
            ("tap e12", "tap", json!({"ref": "e12"})),
            ("tap 0.5 0.25", "tap", json!({"x": 0.5, "y": 0.25})),
            ("input alice into User name", "input", json!({"text": "alice", "into": "User name"})),
            ("type alice into e3", "input", json!({"text": "alice", "into": {"ref": "e3"}})),
            ("input alice into \"User name\"", "input", json!({"text": "alice", "into": "User name"})),
            ("input \"e 1\" into 'a into b'", "input", json!({"text": "e 1", "into": "a into b"})),
            ("input \"a into b\"", "input", json!({"text": "a into b"})),
            ("input one into two into three", "input", json!({"text": "one into two", "into": "three"})),
            ("input it's into e3", "input", json!({"text": "it's", "into": {"ref": "e3"}})),
            ("input 小明", "input", json!({"text": "小明"})),
            ("swipe up", "swipe", json!({"direction": "up"})),
            ("press enter", "press_button", json!({"button": "enter"})),
            ("home:", "home", json!({})),
            ("back", "back", json!({})),
            ("see Welcome, alice: $5", "assert_visible", json!({"text": "Welcome, alice: $5"})),
        ] {
            let Ok(Line::Call(request)) = read(line) else { panic!("{line}: {:?}", read(line)) };
            assert_eq!((&*request.name, request.arguments.map(Value::Object)), (tool, Some(arguments)), "{line}");
        }
        assert_eq!((read(" "), read("quit"), read("# a")), (Ok(Line::Nothing), Ok(Line::Quit), Ok(Line::Nothing)));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(read("tapp Sign in").is_err_and(|error| error.contains("did you mean")));
        assert!(read("tap_element: {id: [").is_err_and(|error| error.contains("not YAML")));
        assert!(read("tap_element: {idd: x}").is_err_and(|error| error.contains("did you mean id?")));
        assert!(read("tap").is_err());
        assert_eq!(read("quit now"), Err("`quit` stands alone: type it with nothing behind it".to_owned()));
        for far in ["nope", "hello"] {
            assert!(read(far).is_err_and(|error| !error.contains("did you mean")), "{far}");
        }
        assert!(read("lauch com.uixt.shop").is_err_and(|error| error.contains("did you mean `launch`?")));
    }
}
