//! Plans in JSON: `{"thought": …, "actions": [{"action_type": …, "action_inputs": {…}}]}`, and what comes near it.

use serde_json::{Map, Value};

use super::act::{self, Act};
use super::call_text::narrow;
use super::point::Scale;
use super::{Plan, Unreadable, shown};

/// Keys of the same thing, in order.
const ACTIONS: &[&str] = &["actions", "action", "steps", "tool_calls"];
const NAMES: &[&str] = &["action_type", "action", "type", "name", "tool", "function"];
const INPUTS: &[&str] = &["action_inputs", "inputs", "arguments", "params", "parameters", "args", "input"];
const THOUGHTS: &[&str] = &["thought", "thoughts", "reasoning", "思考"];

/// Reads JSON as models write it: with commas at the end, comments, single quotes, Chinese punctuation, `True` and `None`.
pub(super) fn lenient(text: &str) -> Option<Value> {
    let text = text.trim();
    serde_json::from_str(text).ok().or_else(|| json5::from_str(&narrowed(text)).ok())
}

/// Writes the signs between strings as JSON does, and Python's words.
fn narrowed(text: &str) -> String {
    let (mut out, mut quote, mut word) = (String::with_capacity(text.len()), None, String::new());
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        if let Some(end) = quote {
            out.push(sign);
            if sign == '\\' {
                out.extend(signs.next());
            } else if sign == end {
                quote = None;
            }
            continue;
        }
        if sign.is_ascii_alphabetic() {
            word.push(sign);
            continue;
        }
        flush(&mut word, &mut out);
        match (sign, narrow(sign)) {
            ('"' | '\'', _) => {
                quote = Some(sign);
                out.push(sign);
            }
            // What curly quotes enclose is a string of its own.
            ('“' | '‘', _) => {
                let end = if sign == '“' { '”' } else { '’' };
                let inner: String = signs.by_ref().take_while(|sign| *sign != end).collect();
                out.push_str(&Value::String(inner).to_string());
            }
            (_, narrow) => out.push(narrow),
        }
    }
    flush(&mut word, &mut out);
    out
}

fn flush(word: &mut String, out: &mut String) {
    out.push_str(match word.as_str() {
        "True" => "true",
        "False" => "false",
        "None" => "null",
        word => word,
    });
    word.clear();
}

/// Returns the JSON object or list of a text, which may stand between words or in a code fence; none where there is none.
pub(super) fn of_text(text: &str) -> Option<Value> {
    all_of_text(text).into_iter().next()
}

/// Returns all of them: those in code fences, else those between words.
pub(super) fn all_of_text(text: &str) -> Vec<Value> {
    let fenced = text.split("```").skip(1).step_by(2).map(|block| block.trim_start_matches("json").trim());
    let is_plan = |value: &Value| value.is_object() || value.is_array();
    let of = |text: &str| {
        let (mut rest, mut found) = (text, Vec::new());
        // What stands within a document that does not end is none itself: the reply was cut off.
        while let Some(at) = rest.find(|sign| matches!(narrow(sign), '{' | '[')) {
            let Some(document) = balanced(&rest[at..]) else { break };
            found.extend(lenient(document).filter(is_plan));
            rest = &rest[at + document.len()..];
        }
        found
    };
    let found: Vec<Value> = fenced.flat_map(of).collect();
    if found.is_empty() { of(text) } else { found }
}

/// Returns a text up to the bracket that closes its first one.
fn balanced(text: &str) -> Option<&str> {
    let (mut depth, mut quote, mut escaped) = (0_i32, None, false);
    for (at, sign) in text.char_indices() {
        if let Some(end) = quote {
            match sign {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if sign == end => quote = None,
                _ => {}
            }
            continue;
        }
        match (sign, narrow(sign)) {
            ('"' | '\'', _) => quote = Some(sign),
            (_, '{' | '[') => depth += 1,
            (_, '}' | ']') => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[..at + sign.len_utf8()]);
                }
            }
            _ => {}
        }
    }
    None
}

fn first<'a>(map: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a Value> {
    keys.iter().find_map(|key| map.get(*key)).filter(|value| !value.is_null())
}

/// Returns a value as an error shows it.
pub(super) fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Reads a plan.
pub(super) fn plan(value: &Value, scale: Scale, tool: &impl Fn(&str) -> Option<String>) -> Result<Plan, Unreadable> {
    let no_action = || Unreadable::NoAction(shown(&value.to_string()));
    let (thought, listed) = match value {
        Value::Object(map) => {
            let error = first(map, &["error"]).and_then(Value::as_str).filter(|error| !error.trim().is_empty());
            let thought = first(map, THOUGHTS).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
            let listed = match first(map, ACTIONS) {
                Some(Value::Array(list)) => list.clone(),
                Some(object @ Value::Object(_)) => vec![object.clone()],
                // The object is an action itself.
                _ => vec![value.clone()],
            };
            if let (Some(error), true) = (error, listed.is_empty() || listed == [value.clone()]) {
                return Err(Unreadable::GaveUp(error.to_owned()));
            }
            (thought, listed)
        }
        Value::Array(list) => (String::new(), list.clone()),
        _ => return Err(no_action()),
    };
    if listed.is_empty() {
        return Err(no_action());
    }
    let acts = listed.iter().map(|action| one(action, scale, tool));
    Ok(Plan { thought, acts: acts.collect::<Result<_, _>>()? })
}

fn one(action: &Value, scale: Scale, tool: &impl Fn(&str) -> Option<String>) -> Result<Act, Unreadable> {
    let nothing = || Unreadable::NotAnAction(shown(&action.to_string()));
    if let Value::String(text) = action {
        let calls = super::call_text::calls(text).map_err(|_| nothing())?;
        let [call] = &calls[..] else { return Err(nothing()) };
        return act::of_call(&call.name, call.arguments.clone(), scale, tool);
    }
    let map = action.as_object().ok_or_else(nothing)?;
    // `{"type": "function", "function": {"name": …, "arguments": …}}`
    let map = map.get("function").and_then(Value::as_object).unwrap_or(map);
    let name_key = NAMES.iter().find(|key| map.get(**key).is_some_and(Value::is_string)).ok_or_else(nothing)?;
    let name = map[*name_key].as_str().unwrap_or_default();
    let arguments = match first(map, INPUTS) {
        Some(Value::Object(inputs)) => inputs.clone(),
        Some(Value::String(text)) => match lenient(text) {
            Some(Value::Object(inputs)) => inputs,
            _ => [("content".to_owned(), Value::String(text.clone()))].into_iter().collect(),
        },
        Some(list @ Value::Array(_)) => [("start_box".to_owned(), list.clone())].into_iter().collect(),
        Some(_) => return Err(nothing()),
        // They stand beside the name.
        None => {
            let is_argument = |key: &String| key != name_key && !THOUGHTS.contains(&key.as_str());
            map.iter().filter(|(key, _)| is_argument(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
        }
    };
    act::of_call(name, arguments, scale, tool)
}
