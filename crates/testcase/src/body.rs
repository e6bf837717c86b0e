//! What a step does: a tool's call, `HttpRunner`'s actions, a group, a choice, another file, or something beside the devices.

use super::case::{Body, Step};
use super::control;
use super::known::Known;
use super::node::{Data, Entry, Node};
use super::places::{self, Written};
use super::reader::Reader;
use super::{host_steps, httprunner, keys, references, step, tool_steps};
use crate::action::MobileAction;
use serde_json::Map;

/// Reads what the entries of a step say that it does; a step does one thing.
pub(super) fn read(reader: &mut Reader<'_>, entries: &[Entry], known: &Known, into: &mut Step) {
    let mut doer: Option<&Entry> = None;
    let doers: Vec<&Entry> = entries.iter().filter(|entry| does(reader, entry, entries)).collect();
    for entry in doers {
        if let Some(first) = doer {
            let is_short = !keys::PLATFORMS.contains(&entry.key.as_str()) && !keys::DOERS.contains(&entry.key.as_str());
            if is_short && reader.own_tool(&entry.key).is_none() {
                short(reader, entry);
            }
            let message = format!("a step does one thing; this one has `{}`", first.key);
            reader.refuse_with_help(entry.place.span, message, apart(first, entry));
        } else {
            doer = Some(entry);
        }
    }
    let has_if = entries.iter().any(|entry| entry.key == "if");
    for entry in entries.iter().filter(|entry| matches!(entry.key.as_str(), "then" | "else") && !has_if) {
        reader.refuse(entry.place.span, format!("`{}` stands without `if`", entry.key));
    }
    if let Some(entry) = doer {
        of(reader, entry, entries, known, into);
    }
}

fn of(reader: &mut Reader<'_>, entry: &Entry, entries: &[Entry], known: &Known, into: &mut Step) {
    match entry.key.as_str() {
        key if keys::PLATFORMS.contains(&key) => httprunner::read(reader, entry, into),
        "steps" => into.body = Body::Group(inner(reader, entry, known)),
        "if" => choice(reader, entry, entries, known, into),
        "testcase" => references::testcase(reader, entry, known, into),
        "api" => references::api(reader, entry, known, into),
        key if keys::DOERS.contains(&key) => into.body = host_steps::read(reader, entry),
        _ => match reader.own_tool(&entry.key) {
            Some(tool) => tool_steps::call(reader, entry, tool, into),
            None => into.body = Body::Actions(vec![short(reader, entry)]),
        },
    }
}

/// Reads steps within a step.
fn inner(reader: &mut Reader<'_>, entry: &Entry, known: &Known) -> Vec<Step> {
    let nodes: &[Node] = match &entry.value.data {
        // One step needs no list.
        Data::Map(_) => std::slice::from_ref(&entry.value),
        _ => reader.list(&entry.value, &format!("`{}`", entry.key)),
    };
    if nodes.is_empty() && matches!(entry.value.data, Data::Seq(_) | Data::Null) {
        reader.refuse(entry.place.span, format!("`{}` is empty", entry.key));
    }
    step::read_all(reader, nodes, known)
}

fn choice(reader: &mut Reader<'_>, entry: &Entry, entries: &[Entry], known: &Known, into: &mut Step) {
    let condition = control::condition(reader, entry);
    let mut branch = |key: &str| {
        let found = entries.iter().find(|entry| entry.key == key);
        found.map(|entry| inner(reader, entry, known))
    };
    let (then, otherwise) = (branch("then"), branch("else"));
    if then.is_none() {
        let help = "write what to do under `then`, and what otherwise under `else`";
        reader.refuse_with_help(entry.place.span, "`if` stands without `then`", help);
    }
    if let Some(condition) = condition {
        into.body =
            Body::Choice { condition, then: then.unwrap_or_default(), otherwise: otherwise.unwrap_or_default() };
    }
}

/// Says whether an entry of a step says what it does.
pub(super) fn does(reader: &Reader<'_>, entry: &Entry, entries: &[Entry]) -> bool {
    let key = entry.key.as_str();
    keys::PLATFORMS.contains(&key) || keys::DOERS.contains(&key) || is_tool(reader, entry, entries)
}

/// Says whether a key names the step's tool; a name that is also a step key means the tool only where no other tool stands.
pub(super) fn is_tool(reader: &Reader<'_>, entry: &Entry, entries: &[Entry]) -> bool {
    let is_step_key = |key: &str| keys::STEP.contains(&key);
    let another = |other: &Entry| {
        let key = other.key.as_str();
        keys::PLATFORMS.contains(&key) || keys::DOERS.contains(&key) || (reader.knows(key) && !is_step_key(key))
    };
    let key = entry.key.as_str();
    reader.knows(key)
        && (!is_step_key(key) || keys::DOERS.contains(&key) || !entries.iter().any(another))
        && !(is_step_key(key) && matches!(entry.value.data, Data::Bool(_)))
}

/// Says how to tell two keys of a step apart: arguments that stand too far left are the most common mistake.
pub(super) fn apart(first: &Entry, entry: &Entry) -> String {
    if first.value.is_null() && first.place.span.column == entry.place.span.column {
        return format!("an argument of `{}` stands further right than it: indent `{}` by 4", first.key, entry.key);
    }
    format!("write `- {}:` as a step of its own", entry.key)
}

/// Reads `tool: arguments`.
pub(super) fn short(reader: &mut Reader<'_>, entry: &Entry) -> MobileAction {
    let action = MobileAction {
        method: entry.key.clone(),
        params: entry.value.to_written(),
        options: Map::new(),
        span: entry.place.span,
    };
    places::check(reader, &action, Written::Short { key: entry.place.span, value: &entry.value });
    action
}
