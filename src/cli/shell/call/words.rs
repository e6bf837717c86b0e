//! The words of a shell → the request that they mean: one JSON object, a JSON string that holds one, or values and `name=value` as a testcase has them.

use serde_json::{Map, Value};
use uixt_call::{CallToolRequest, Shape};

use crate::action::MobileAction;
use crate::cli::exit::Failure;
use crate::cli::project_tools;
use crate::tools;
use crate::uniform;

/// Returns the request.
pub(super) fn request(tool: &str, words: &[String]) -> Result<CallToolRequest, Failure> {
    let request = CallToolRequest::new(tool.to_owned());
    match words {
        [] => return Ok(request.with_arguments(Map::new())),
        [text] if is_json(text) => {
            let arguments = uniform::read_object(text).map_err(|message| refused(tool, &message))?;
            return Ok(request.with_arguments(arguments));
        }
        _ => {}
    }
    let own = project_tools::find(tool)?;
    if own.is_none() && tools::find(tool).is_none() {
        return Ok(request.with_arguments(Map::new()));
    }
    let mut named = Map::new();
    let mut values = Vec::new();
    for word in words {
        match word.split_once('=').filter(|(name, _)| is_name(name)) {
            Some((name, text)) => {
                if named.insert(name.to_owned(), value(text)).is_some() {
                    return Err(refused(tool, &format!("`{name}` is given twice")));
                }
            }
            None => values.push(value(word)),
        }
    }
    if let Some(own) = own {
        let arguments = project_tools::named(&own, values, named)
            .map_err(|why| Failure::usage(format!("{why}\n  = {}", own.valid())))?;
        return Ok(request.with_arguments(arguments));
    }
    let (params, options) = match (values.len(), values.pop()) {
        (1, Some(only)) => (only, named),
        (_, Some(last)) => (values.into_iter().chain([last]).collect(), named),
        (_, None) => (Value::Object(named), Map::new()),
    };
    let action = MobileAction { method: tool.to_owned(), params, options, ..MobileAction::default() };
    tools::table().request(&action).map_err(|error| refused(tool, &error.message))
}

/// Tells whether a word is JSON as a whole: an object, a list, or a string with an object in it.
fn is_json(word: &str) -> bool {
    let word = word.trim_start();
    let holds_object =
        || serde_json::from_str::<String>(word).is_ok_and(|text| text.trim_start().starts_with(['{', '"']));
    word.starts_with(['{', '[']) || (word.starts_with('"') && holds_object())
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|next| next.is_ascii_alphanumeric() || next == '_')
}

/// Reads numbers, booleans, lists and maps; anything else, and a number written in another way, is a text.
fn value(word: &str) -> Value {
    match serde_json::from_str::<Value>(word) {
        Ok(value @ (Value::Array(_) | Value::Object(_))) => value,
        Ok(value @ (Value::Number(_) | Value::Bool(_))) if format!("{value}") == word => value,
        _ => Value::String(word.to_owned()),
    }
}

/// Says what is wrong, and how the tool is called.
fn refused(tool: &str, message: &str) -> Failure {
    let Some(tool) = tools::find(tool) else { return Failure::usage(message.to_owned()) };
    let valid: Vec<&str> = tool.schema().properties().map(|(name, _)| name).collect();
    let first = match tool.params {
        Shape::Fields(names) => names.first().copied(),
        Shape::Whole(name) | Shape::Text(name) | Shape::TextOrNumbers(name, _) => Some(name),
        Shape::Nothing => None,
    };
    let Some(first) = first.or(valid.first().copied()) else {
        return Failure::usage(format!("{message}\n  = `{}` takes no arguments", tool.name));
    };
    let name = tool.name;
    Failure::usage(format!(
        "{message}\n  = write `uixt call {name} '{{\"{first}\": …}}'` or `uixt call {name} {first}=…`\n  = valid: {}",
        valid.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_mean_what_a_testcase_means() {
        let table: [(&str, &[&str], Value); 9] = [
            ("swipe", &["up"], json!({"direction": "up"})),
            ("tap_xy", &["0.5", "0.25"], json!({"x": 0.5, "y": 0.25})),
            ("tap_element", &["Sign in", "timeout=5"], json!({"text": "Sign in", "timeout": 5})),
            ("tap_element", &["role=button", "index=0"], json!({"role": "button", "index": 0})),
            ("tap_element", &["{\"text\": \"a\"}"], json!({"text": "a"})),
            ("tap_element", &["\"{\\\"text\\\": \\\"a\\\"}\""], json!({"text": "a"})),
            ("log", &["\"quoted\""], json!({"message": "\"quoted\""})),
            ("log", &["007"], json!({"message": "007"})),
            ("home", &[], json!({})),
        ];
        for (tool, words, expected) in table {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let found = request(tool, &words).map(|request| Value::Object(request.arguments.unwrap_or_default()));
            assert_eq!(found.ok(), Some(expected), "{tool} {words:?}");
        }
    }
}
