//! Steps that somebody typed as a testcase writes them, and that passed → a testcase.
//!
//! They stay as they were typed, but for what no other run knows: the ref of a snapshot becomes a target, and what was typed secretly a
//! variable, read from the environment.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use uixt_call::{CallRecord, Table, mask};
use uixt_locate::Object;

use super::candidate::{self, Action, Candidate};
use super::variables::Variables;
use super::{Entry, short};
use crate::yaml;

/// A step that passed.
#[derive(Clone, Debug)]
pub struct Typed {
    pub step: Object,
    /// The calls that it made.
    pub records: Vec<CallRecord>,
}

impl Typed {
    /// Tells whether it holds what nobody may read.
    pub fn is_secret(&self, table: &'static Table) -> bool {
        self.records.iter().any(|record| !secrets(table, record).is_empty())
    }
}

/// Writes a testcase of this name; `given` are variables that it needs and nothing else defines.
pub fn testcase(table: &'static Table, name: &str, given: &Map<String, Value>, steps: &[Typed]) -> String {
    let mut variables = Variables::default();
    given.keys().for_each(|name| _ = variables.free_name(name));
    for (secret, words) in steps.iter().flat_map(|step| &step.records).flat_map(|record| secrets(table, record)) {
        variables.keep(&secret, &words);
    }
    let steps: Vec<Value> = steps.iter().map(|step| variables.replace(&Value::Object(written(table, step)))).collect();
    let used: BTreeSet<String> = variables.secrets().into_iter().map(|(name, _)| name).collect();
    let names = |name: &str| steps.iter().any(|step| has_variable(&step.to_string(), name));
    let secrets: Vec<(String, String)> =
        variables.secrets().into_iter().filter(|(name, _)| used.contains(name) && names(name)).collect();
    let mut defined: Map<String, Value> =
        given.iter().filter(|(name, _)| names(name)).map(|(name, value)| (name.clone(), value.clone())).collect();
    defined.extend(secrets.iter().map(|(name, from)| (name.clone(), format!("${{ENV({from})}}").into())));
    let mut config = json!({"name": name.replace('$', "$$")});
    if !defined.is_empty() {
        config["variables"] = Value::Object(defined);
    }
    let from: Vec<&str> = secrets.iter().map(|(_, from)| from.as_str()).collect();
    let mut text = match from.is_empty() {
        true => String::new(),
        false => format!("# What was typed secretly is read from {} in the environment or in .env.\n", from.join(", ")),
    };
    text.push_str(&yaml::document(&json!({"config": config})));
    text.push_str("teststeps:\n");
    steps.iter().for_each(|step| text.push_str(&yaml::list_item(step)));
    text
}

/// Returns what stands under a tool's name in a testcase, as short as it means the same.
pub fn short_value(table: &Table, tool: &str, arguments: &Object) -> Value {
    short::value(table, tool, arguments)
}

fn has_variable(text: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    let plain = format!("${name}");
    let is_named = text.match_indices(&plain).any(|(at, found)| ends(&text[at + found.len()..]));
    // Within an expression, names stand without a sign.
    is_named
        || text.match_indices("${").any(|(at, _)| {
            let inner = text[at..].split('}').next().unwrap_or_default();
            inner.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
        })
}

/// Returns what of a call is secret, each with the words of its field.
pub fn secrets(table: &'static Table, record: &CallRecord) -> Vec<(String, String)> {
    let mut secrets: Vec<(String, String)> =
        mask::secrets(&record.arguments).into_iter().map(|secret| (secret, "token".to_owned())).collect();
    let own = candidate::secrets(table, &record.tool, &record.arguments);
    secrets.extend(own.into_iter().map(|(secret, words)| (secret, words.to_owned())));
    if let Some(action) = action(table, record).filter(|action| action.hides) {
        let text = record.arguments.get("text").and_then(|text| mask::texts(text).pop());
        let id = action.target.get("id").and_then(Value::as_str);
        let words = id.map_or(action.observation.name.as_str(), |id| id.rsplit('/').next().unwrap_or(id)).to_owned();
        secrets.retain(|(secret, _)| Some(secret) != text.as_ref());
        secrets.extend(text.map(|text| (text, words)));
    }
    secrets
}

fn action(table: &'static Table, record: &CallRecord) -> Option<Action> {
    match candidate::of(&Entry::of(table, record)) {
        Candidate::Step(action) | Candidate::Wait(action) | Candidate::Read(action, _) => Some(action),
        _ => None,
    }
}

/// Returns a step as another run understands it.
fn written(table: &'static Table, typed: &Typed) -> Object {
    let mut step = typed.step.clone();
    let [record] = &typed.records[..] else { return step };
    let Some(action) = action(table, record) else { return step };
    let is_tool = |key: &&String| table.find(key).is_some_and(|tool| tool.name == record.tool) || *key == "tap";
    let Some(key) = step.keys().find(is_tool).cloned() else { return step };
    if !record.refs.is_empty() {
        let mut arguments = action.arguments.clone();
        // What stands beside the target is kept as it was typed.
        for (name, value) in step[&key].as_object().into_iter().flatten() {
            if arguments.contains_key(name) && !value.is_object() {
                arguments.insert(name.clone(), value.clone());
            }
        }
        step = step
            .into_iter()
            .map(|(name, value)| match name == key {
                true => (action.tool.clone(), short::value(table, &action.tool, &arguments)),
                false => (name, value),
            })
            .collect();
    }
    if let Some(arguments) = step.get_mut("input").and_then(Value::as_object_mut).filter(|_| action.hides) {
        arguments.insert("secret".to_owned(), true.into());
    }
    step
}
