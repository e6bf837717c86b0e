//! When and how often a step runs: `when`, `repeat`, `loops`, `retry`, and what conditions look like.

use super::case::{Condition, Repeat, Retry};
use super::node::{Data, Entry, Node};
use super::reader::Reader;
use serde_json::Value;

/// Most times that a step is repeated or tried again.
const MOST_TIMES: u32 = 1_000_000;
/// How often `while` and `until` are looked at where no `max` is given.
const USUAL_MOST: u32 = 100;
/// Most tries after the first one.
const MOST_RETRIES: u32 = 100;
/// Most seconds between two times.
const LONGEST_INTERVAL: f64 = 3600.0;

const REPEAT: [&str; 5] = ["times", "while", "until", "max", "interval"];
const RETRY: [&str; 2] = ["times", "interval"];

/// Reads a condition: an expression, `${…}` around it taken off.
pub(super) fn condition(reader: &mut Reader<'_>, entry: &Entry) -> Option<Condition> {
    let node = &entry.value;
    let place = node.place.span;
    match &node.data {
        Data::Bool(flag) => Some(Condition { expression: flag.to_string(), place }),
        Data::Str(text) if !text.trim().is_empty() => {
            Some(Condition { expression: super::formula::bare(text).trim().to_owned(), place })
        }
        _ => {
            let message = format!("`{}` is a condition, not {}", entry.key, kind(node));
            reader.refuse_with_help(entry.shown_place(), message, "write an expression: `n > 3 and user == 'a'`");
            None
        }
    }
}

fn kind(node: &Node) -> &'static str {
    match &node.data {
        Data::Str(_) => "an empty text",
        _ => node.kind(),
    }
}

/// Reads `repeat`: a number or `{times, while, until, max, interval}`.
pub(super) fn repeat(reader: &mut Reader<'_>, entry: &Entry) -> Option<Repeat> {
    let Data::Map(entries) = &entry.value.data else {
        let times = times(reader, entry)?;
        return Some(Repeat { times: Some(times), while_holds: None, until: None, max: MOST_TIMES, interval: 0.0 });
    };
    let mut repeat = Repeat { times: None, while_holds: None, until: None, max: 0, interval: 0.0 };
    let before = reader.errors.len();
    for inner in entries {
        match inner.key.as_str() {
            "times" => repeat.times = times(reader, inner),
            "while" => repeat.while_holds = condition(reader, inner),
            "until" => repeat.until = condition(reader, inner),
            "max" => repeat.max = count(reader, inner, 1, MOST_TIMES).unwrap_or(1),
            "interval" => repeat.interval = interval(reader, inner),
            _ => reader.unknown_key(inner, "`repeat`", &REPEAT),
        }
    }
    let is_bounded = repeat.times.is_some() || repeat.while_holds.is_some() || repeat.until.is_some();
    if !is_bounded && reader.errors.len() == before {
        let help = "give `times`, `while` or `until`; `max` bounds the last two";
        reader.refuse_with_help(entry.shown_place(), "`repeat` does not say how often", help);
    }
    if repeat.max == 0 {
        repeat.max = if repeat.times.is_some() { MOST_TIMES } else { USUAL_MOST };
    }
    is_bounded.then_some(repeat)
}

/// Reads a number of times, or an expression that is one.
fn times(reader: &mut Reader<'_>, entry: &Entry) -> Option<Value> {
    match &entry.value.data {
        Data::Str(text) if super::expression::holds_variables(&Value::String(text.clone())) => {
            Some(Value::String(text.clone()))
        }
        _ => count(reader, entry, 1, MOST_TIMES).map(Value::from),
    }
}

/// Reads `HttpRunner`'s `loops`: 0 and 1 mean once, which needs no repetition.
pub(super) fn loops(reader: &mut Reader<'_>, entry: &Entry) -> Option<Repeat> {
    if super::keys::asks_for_nothing("loops", &entry.value) {
        return None;
    }
    let times = times(reader, entry)?;
    Some(Repeat { times: Some(times), while_holds: None, until: None, max: MOST_TIMES, interval: 0.0 })
}

/// Reads `retry`: a number of tries after the first one, or `{times, interval}`.
pub(super) fn retry(reader: &mut Reader<'_>, entry: &Entry) -> Option<Retry> {
    let Data::Map(entries) = &entry.value.data else {
        let times = count(reader, entry, 0, MOST_RETRIES)?;
        return (times > 0).then_some(Retry { times, interval: 0.0 });
    };
    let mut retry = Retry { times: 0, interval: 0.0 };
    for inner in entries {
        match inner.key.as_str() {
            "times" => retry.times = count(reader, inner, 0, MOST_RETRIES).unwrap_or(0),
            "interval" => retry.interval = interval(reader, inner),
            _ => reader.unknown_key(inner, "`retry`", &RETRY),
        }
    }
    if entry.value.entry("times").is_none() {
        reader.refuse(entry.shown_place(), "`retry` has `times`");
    }
    (retry.times > 0).then_some(retry)
}

fn count(reader: &mut Reader<'_>, entry: &Entry, least: u32, most: u32) -> Option<u32> {
    let number = match &entry.value.data {
        Data::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
        Data::Str(text) => text.trim().parse().ok(),
        _ => None,
    };
    let number = number.filter(|number| (least..=most).contains(number));
    if number.is_none() {
        let message = format!("`{}` is a whole number from {least} to {most}", entry.key);
        reader.refuse(entry.shown_place(), message);
    }
    number
}

pub(super) fn interval(reader: &mut Reader<'_>, entry: &Entry) -> f64 {
    let seconds = match &entry.value.data {
        Data::Number(number) => number.as_f64().filter(|seconds| (0.0..=LONGEST_INTERVAL).contains(seconds)),
        _ => None,
    };
    seconds.unwrap_or_else(|| {
        let message = format!("`{}` is a number of seconds from 0 to {LONGEST_INTERVAL}", entry.key);
        reader.refuse(entry.shown_place(), message);
        0.0
    })
}

/// Reads `true` or `false`.
pub(super) fn flag(reader: &mut Reader<'_>, entry: &Entry) -> bool {
    match &entry.value.data {
        Data::Bool(flag) => *flag,
        Data::Null => false,
        _ => {
            let message = format!("`{}` must be true or false, not {}", entry.key, entry.value.kind());
            reader.refuse(entry.value.place.span, message);
            false
        }
    }
}
