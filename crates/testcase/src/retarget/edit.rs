//! A node and what it is to hold → the fewest bytes of its text that have to be replaced.

use serde_json::{Map, Value};

use super::super::node::{Data, Entry, Node, Place};
use super::style::Style;
use super::{TargetAt, Unchanged};

/// A stretch of a text and what stands there from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    start: usize,
    end: usize,
    text: String,
}

impl Edit {
    /// Makes all edits, which do not overlap.
    pub(super) fn apply(text: &str, mut edits: Vec<Self>) -> String {
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.start));
        let mut text = text.to_owned();
        for edit in edits {
            text.replace_range(edit.start..edit.end, &edit.text);
        }
        text
    }
}

/// Puts a value in the place of one that is no list or map.
pub(super) fn scalar(text: &str, node: &Node, value: &Value, style: Style) -> Result<Edit, Unchanged> {
    if matches!(node.data, Data::Map(_) | Data::Seq(_)) {
        return Err(Unchanged::Nested);
    }
    let (start, end) = on_one_line(text, node.place)?;
    let written = text.get(start..end).ok_or(Unchanged::Gone)?;
    // Behind `|` and `>` stands the text itself, which begins on the next line.
    if written.is_empty() {
        return Err(Unchanged::SeveralLines);
    }
    Ok(Edit { start, end, text: style.like(written, value) })
}

/// Changes a map so that of the target's keys it holds those of another target.
pub(super) fn map(
    text: &str,
    node: &Node,
    (at, target): (TargetAt<'_>, &Map<String, Value>),
    style: Style,
) -> Result<Vec<Edit>, Unchanged> {
    let Data::Map(entries) = &node.data else { return Err(Unchanged::Elsewhere) };
    let is_key = at.is_key;
    let mut edits = Vec::new();
    let mut removed: Vec<&Entry> = Vec::new();
    for entry in entries.iter().filter(|entry| is_key(&entry.key)) {
        match target.get(&entry.key) {
            Some(value) if *value == entry.value.to_value() => {}
            Some(value) => edits.push(scalar(text, &entry.value, value, style)?),
            None => removed.push(entry),
        }
    }
    let added = target.iter().filter(|(key, _)| entries.iter().all(|entry| entry.key != **key));
    let added: Vec<String> = added.map(|(key, value)| style.entry(key, value)).collect();
    let is_flow = text.get(node.place.bytes().start..).is_some_and(|rest| rest.starts_with('{'));
    let mut removed = removed.into_iter();
    if !added.is_empty() {
        let (start, end, joined) = if let Some(first) = removed.next() {
            let (start, end) = whole(text, first)?;
            (start, end, added.join(&joint(text, first, is_flow)))
        } else {
            let kept = entries.iter().rfind(|entry| is_key(&entry.key)).ok_or(Unchanged::Elsewhere)?;
            let (_, end) = whole(text, kept)?;
            let joint = joint(text, kept, is_flow);
            (end, end, format!("{joint}{}", added.join(&joint)))
        };
        edits.push(Edit { start, end, text: joined });
    }
    for entry in removed {
        edits.push(removal(text, entry, is_flow)?);
    }
    Ok(edits)
}

/// Adds an item behind the last one of a list that is not empty.
pub(super) fn item(text: &str, list: &Node, item: &Value, style: Style) -> Result<Edit, Unchanged> {
    let Data::Seq(items) = &list.data else { return Err(Unchanged::Elsewhere) };
    let last = items.last().ok_or(Unchanged::Elsewhere)?;
    let from = list.place.bytes().start;
    if text.get(from..).is_some_and(|rest| rest.starts_with('[')) {
        let end = closing(text.get(from..).unwrap_or_default()).ok_or(Unchanged::SeveralLines)? + from;
        let end = text.get(..end).unwrap_or_default().trim_end().len();
        return Ok(Edit { start: end, end, text: format!(", {}", style.value(item)) });
    }
    let start = last.place.bytes().start;
    let before = text.get(..start).unwrap_or_default();
    let dash = before.get(before.rfind('\n').map_or(0, |at| at + 1)..).unwrap_or_default();
    if dash.trim() != "-" {
        return Err(Unchanged::SeveralLines);
    }
    // What is said behind the last one stays its own.
    let end = text.get(start..).and_then(|rest| rest.find(['\r', '\n'])).map_or(text.len(), |at| start + at);
    let joint = if text.contains("\r\n") { "\r\n" } else { "\n" };
    Ok(Edit { start: end, end, text: format!("{joint}{dash}{}", style.value(item)) })
}

/// Returns where the bracket closes that a text begins with; none where it does not within its line.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0, None);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (_, '\n') => return None,
            (Some(open), letter) => quote = Some(open).filter(|open| *open != letter),
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') if depth == 1 => return Some(at),
            (None, ']' | '}') => depth -= 1,
            (None, _) => {}
        }
    }
    None
}

/// Returns what stands between two entries beside this one.
fn joint(text: &str, entry: &Entry, is_flow: bool) -> String {
    if is_flow {
        return ", ".to_owned();
    }
    let before = text.get(..entry.place.bytes().start).unwrap_or_default();
    let column = before.chars().rev().take_while(|c| !matches!(c, '\n' | '\r')).count();
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    format!("{end}{}", " ".repeat(column))
}

/// Takes an entry away, with what parts it from the others.
fn removal(text: &str, entry: &Entry, is_flow: bool) -> Result<Edit, Unchanged> {
    let (mut start, mut end) = whole(text, entry)?;
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    if is_flow {
        match after.trim_start_matches(' ').strip_prefix(',') {
            Some(rest) => end = text.len() - rest.trim_start_matches(' ').len(),
            None => start = before.trim_end_matches([' ', ',']).len(),
        }
        return Ok(Edit { start, end, text: String::new() });
    }
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let rest = after.split('\n').next().unwrap_or_default();
    let is_alone = before.get(line..).is_some_and(|indent| indent.trim().is_empty()) && rest.trim().is_empty();
    if !is_alone || rest.len() == after.len() {
        return Err(Unchanged::SeveralLines);
    }
    Ok(Edit { start: line, end: end + rest.len() + 1, text: String::new() })
}

/// Returns where a key begins and its value ends.
fn whole(text: &str, entry: &Entry) -> Result<(usize, usize), Unchanged> {
    if matches!(entry.value.data, Data::Map(_) | Data::Seq(_)) {
        return Err(Unchanged::Nested);
    }
    let (start, _) = on_one_line(text, entry.place)?;
    let (from, end) = on_one_line(text, entry.value.place)?;
    let is_behind = from >= start && text.get(start..end).is_some_and(|written| !written.contains(['\n', '\r']));
    if is_behind { Ok((start, end)) } else { Err(Unchanged::Shared) }
}

/// Returns a stretch without the space behind it; it must not go over the end of a line.
fn on_one_line(text: &str, place: Place) -> Result<(usize, usize), Unchanged> {
    let written = text.get(place.bytes()).ok_or(Unchanged::Gone)?.trim_end();
    if written.contains(['\n', '\r']) || written.starts_with(['|', '>']) {
        return Err(Unchanged::SeveralLines);
    }
    Ok((place.bytes().start, place.bytes().start + written.len()))
}
