//! What was found → as much of it as an answer has room for, and what is said of the rest.

use serde_json::{Value, json};
use uixt_call::TRUNCATED;
use uixt_code::{Found, Skipped};
use uixt_toolkit::Reply;

/// Most characters of a list in an answer for a model that did not ask for so many entries.
const MODEL: usize = 6_000;

/// Keeps the first entries that have room; all where there is no bound.
pub(crate) fn fitting<T>(items: Vec<T>, is_bounded: bool, length: impl Fn(&T) -> usize) -> (Vec<T>, bool) {
    if !is_bounded {
        return (items, false);
    }
    let mut used = 0;
    let count = items.len();
    let fits = |item: &T| {
        let is_first = used == 0;
        used += length(item);
        is_first || used <= MODEL
    };
    let kept: Vec<T> = items.into_iter().take_while(fits).collect();
    let is_cut = kept.len() < count;
    (kept, is_cut)
}

/// Adds what holds of all lists: the files that were looked at, those that were not, and whether there is more.
pub(crate) fn tell<T>(mut reply: Reply, found: &Found<T>, (name, more): (&str, Option<String>)) -> Reply {
    reply = reply.with("searched", found.files);
    if found.skipped_count > 0 {
        let skipped: Vec<Value> = found.skipped.iter().map(told).collect();
        let rest = found.skipped_count - skipped.len();
        reply = reply.with("skipped", skipped);
        if rest > 0 {
            reply = reply.with("skipped_more", rest);
        }
    }
    match more {
        Some(why) => reply.with(TRUNCATED, json!({name: {"why": why}, "count": {"why": why}})),
        None => reply,
    }
}

fn told(skipped: &Skipped) -> Value {
    json!({"file": skipped.file.to_string_lossy(), "why": skipped.why})
}
