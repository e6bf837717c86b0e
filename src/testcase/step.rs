//! A step, in the short form or in `HttpRunner`'s.

use super::case::{Body, Step};
use super::config::check_cycles;
use super::error::Error;
use super::names::Known;
use super::nearest;
use super::node::{Data, Entry, Node};
use super::places::{self, Written};
use super::reader::Reader;
use super::{httprunner, keys, save, validate};
use crate::action::MobileAction;
use serde_json::Map;

/// Reads a step; `known` are the variables of the case.
pub(super) fn read(reader: &mut Reader<'_>, node: &Node, known: &Known<'_>) -> Option<Step> {
    let Data::Map(entries) = &node.data else {
        not_a_map(reader, node);
        return None;
    };
    let mut step = Step { place: node.place.span, ..Step::default() };
    let before = reader.errors.len();
    let mut doer = None;
    for entry in entries {
        read_entry(reader, entry, entries, &mut doer, &mut step);
    }
    if reader.errors.len() == before && step.actions().is_empty() && step.validate.is_empty() {
        let help = "name a tool, or give `validate` a check";
        reader.refuse_with_help(node.place.span, "the step does nothing", help);
    }
    if !step.saves.is_empty() && step.actions().is_empty() {
        reader.refuse(node.place.span, "`save` keeps an action's result; this step has no action");
    }
    check_expressions(reader, node, entries, &step, known);
    Some(step)
}

fn read_entry<'n>(
    reader: &mut Reader<'_>,
    entry: &'n Entry,
    entries: &[Entry],
    doer: &mut Option<&'n Entry>,
    step: &mut Step,
) {
    match entry.key.as_str() {
        "name" if entry.value.is_null() => {}
        "name" => step.name = reader.text(&entry.value, "`name`"),
        "variables" => step.variables = reader.variables(&entry.value, "`variables`"),
        "save" => step.saves = save::read(reader, &entry.value),
        "validate" => step.validate = validate::read(reader, &entry.value),
        key if keys::PLATFORMS.contains(&key) => {
            if only_doer(reader, entry, doer) {
                httprunner::read(reader, entry, step);
            }
        }
        key if is_tool(reader, key, entries) => {
            let action = short(reader, entry);
            if only_doer(reader, entry, doer) {
                step.body = Body::Actions(vec![action]);
            }
        }
        key if keys::comes_later_in_step(key) => {
            if !keys::asks_for_nothing(key, &entry.value) {
                reader.not_yet(entry);
            }
        }
        _ => unknown(reader, entry, entries),
    }
}

/// Reports a key that is neither a tool nor a step key: beside a tool it was meant for the latter.
fn unknown(reader: &mut Reader<'_>, entry: &Entry, entries: &[Entry]) {
    let does = |other: &Entry| reader.vocabulary.knows(&other.key) || keys::PLATFORMS.contains(&other.key.as_str());
    let keys = [&keys::STEP[..], &keys::PLATFORMS].concat();
    let bare = |other: &&Entry| reader.vocabulary.knows(&other.key) && other.value.is_null();
    if let Some(tool) =
        entries.iter().find(bare).filter(|_| nearest::nearest(&entry.key, keys.iter().copied()).is_none())
    {
        reader.refuse_with_help(entry.place.span, format!("unknown key `{}` of a step", entry.key), apart(tool, entry));
    } else if entries.iter().any(does) {
        reader.unknown_key(entry, "a step", &keys::STEP);
    } else if nearest::nearest(&entry.key, keys.iter().copied()).is_some() {
        reader.unknown_key(entry, "a step", &keys);
    } else {
        short(reader, entry);
    }
}

/// Says whether a key names the step's tool; a name that is also a step key means the tool only where no other tool stands.
fn is_tool(reader: &Reader<'_>, key: &str, entries: &[Entry]) -> bool {
    let another = |entry: &Entry| {
        entry.key != key
            && !keys::comes_later_in_step(&entry.key)
            && (reader.vocabulary.knows(&entry.key) || keys::PLATFORMS.contains(&entry.key.as_str()))
    };
    reader.vocabulary.knows(key) && !(keys::comes_later_in_step(key) && entries.iter().any(another))
}

/// Notes what the step does; a step does one thing.
fn only_doer<'n>(reader: &mut Reader<'_>, entry: &'n Entry, doer: &mut Option<&'n Entry>) -> bool {
    if let Some(first) = doer {
        let message = format!("a step does one thing; this one has `{}`", first.key);
        reader.refuse_with_help(entry.place.span, message, apart(first, entry));
        return false;
    }
    *doer = Some(entry);
    true
}

/// Says how to tell two keys of a step apart: arguments that stand too far left are the most common mistake.
fn apart(first: &Entry, entry: &Entry) -> String {
    if first.value.is_null() && first.place.span.column == entry.place.span.column {
        return format!("an argument of `{}` stands further right than it: indent `{}` by 4", first.key, entry.key);
    }
    format!("write `{}` as a step of its own", entry.key)
}

fn short(reader: &mut Reader<'_>, entry: &Entry) -> MobileAction {
    let action = MobileAction {
        method: entry.key.clone(),
        params: entry.value.to_value(),
        options: Map::new(),
        span: entry.place.span,
    };
    places::check(reader, &action, Written::Short { key: entry.place.span, value: &entry.value });
    action
}

fn not_a_map(reader: &mut Reader<'_>, node: &Node) {
    let mut error = Error::at(reader.source, node.place.span, format!("a step is a map, not {}", node.kind()));
    if let Data::Str(text) = &node.data
        && reader.vocabulary.knows(text)
    {
        error.hint = Some(format!("did you mean `{text}:`?"));
    }
    if let Data::Str(text) = &node.data
        && text.contains('：')
    {
        error.help = Some("`：` is a full-width sign: write `: `".to_owned());
    }
    reader.report(error);
}

fn check_expressions(reader: &mut Reader<'_>, node: &Node, entries: &[Entry], step: &Step, known: &Known<'_>) {
    let inner = known.with(step.variables.keys());
    // What `save` names is no expression.
    for entry in entries.iter().filter(|entry| entry.key != "save") {
        reader.expressions(&entry.value, &inner);
    }
    if let Some(variables) = node.entry("variables") {
        check_cycles(reader, &[&variables.value], &step.variables, known);
    }
}
