//! A testcase's text, an action in it and another target → the same text with that target; every other byte stays as it is.
//!
//! What comes of it is read again: it must hold the new target, and beside it the very values that it held before, or nothing
//! comes of it.

mod edit;
mod style;

use serde_json::{Map, Value};

use super::keys;
use super::node::{Data, Entry, Node, to_map};
use super::source::Source;
use super::yaml;
use crate::action::MobileAction;
use crate::compare;
use edit::Edit;
use style::Style;

/// Where an action stands in a file's tree; it stays true while other parts of the file change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionPath(Vec<usize>);

/// Where an action says what its target is.
#[derive(Clone, Copy)]
pub struct TargetAt<'a> {
    /// JSON pointer into the action: `/params/into`.
    pub pointer: &'a str,
    /// The key that a bare value there stands for.
    pub bare: &'a str,
    /// Tells which keys of a map there are the target's.
    pub is_key: &'a dyn Fn(&str) -> bool,
}

/// Why a text cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unchanged {
    #[error("the file cannot be read as YAML any more")]
    Unreadable,
    #[error("there is no action at this place any more")]
    Gone,
    #[error("the target is not written where the action is")]
    Elsewhere,
    #[error("the target is written over several lines: change it by hand")]
    SeveralLines,
    #[error("the target names others beside it (`within`, `near`) that would have to go: change it by hand")]
    Nested,
    #[error("the target is an anchor's, which other steps use, too: change it by hand")]
    Shared,
}

/// Finds the action that begins at a line and a column, counted from 1 in characters.
pub fn action_at(text: &str, line: u32, column: u32) -> Option<(ActionPath, MobileAction)> {
    let root = yaml::read(&Source::of("", text)).ok()?;
    let mut path = Vec::new();
    find(&root, (line, column), &mut path).then_some(())?;
    let action = written(&root, &path)?;
    Some((ActionPath(path), action))
}

/// Tells whether a check of `validate` begins there that names its parts: `{check, assert, expect}` or `exists: [check, expect]`.
pub fn is_check_at(text: &str, line: u32, column: u32) -> bool {
    fn is_assert(name: &str) -> bool {
        ["exists", "not_exists", "equal", "not_equal"].contains(&name) || compare::find(name).is_some()
    }
    fn visit(node: &Node, place: (u32, u32)) -> bool {
        let begins = (node.place.span.line, node.place.span.column) == place;
        let is_check = |entries: &[Entry]| match entries {
            [only] => matches!(only.value.data, Data::Seq(_)) && is_assert(&only.key),
            _ => entries.iter().any(|entry| matches!(entry.key.as_str(), "check" | "assert" | "comparator")),
        };
        match &node.data {
            Data::Map(entries) => {
                (begins && is_check(entries)) || entries.iter().any(|entry| visit(&entry.value, place))
            }
            Data::Seq(items) => items.iter().any(|item| visit(item, place)),
            _ => false,
        }
    }
    yaml::read(&Source::of("", text)).is_ok_and(|root| visit(&root, (line, column)))
}

/// Returns the action at a place of the tree.
pub fn action_of(text: &str, path: &ActionPath) -> Option<MobileAction> {
    written(&yaml::read(&Source::of("", text)).ok()?, &path.0)
}

/// Returns the value at a JSON pointer into an action.
pub fn value_at(text: &str, path: &ActionPath, pointer: &str) -> Option<Value> {
    let root = yaml::read(&Source::of("", text)).ok()?;
    pointed(&root, &path.0, pointer).map(Node::to_value)
}

/// Writes another target into an action.
pub fn retarget(
    text: &str,
    path: &ActionPath,
    at: TargetAt<'_>,
    target: &Map<String, Value>,
) -> Result<String, Unchanged> {
    changed(text, path, at.pointer, |text, node, style| match &node.data {
        Data::Map(entries) => {
            let mut wanted = to_map(entries);
            wanted.retain(|key, _| !(at.is_key)(key));
            wanted.extend(target.clone());
            Ok((edit::map(text, node, (at, target), style)?, Value::Object(wanted)))
        }
        Data::Seq(_) | Data::Null => Err(Unchanged::Elsewhere),
        _ => {
            let value = match target.get(at.bare).filter(|_| target.len() == 1) {
                Some(value) => value.clone(),
                None => Value::Object(target.clone()),
            };
            Ok((vec![edit::scalar(text, node, &value, style)?], value))
        }
    })
}

/// Writes one more item into a list of an action.
pub fn append(text: &str, path: &ActionPath, pointer: &str, item: &Value) -> Result<String, Unchanged> {
    changed(text, path, pointer, |text, node, style| {
        let edit = edit::item(text, node, item, style)?;
        let Value::Array(mut wanted) = node.to_value() else { return Err(Unchanged::Elsewhere) };
        wanted.push(item.clone());
        Ok((vec![edit], Value::Array(wanted)))
    })
}

/// Makes edits at a place of an action, which is to hold a value then; nothing else of the text may mean anything else.
fn changed(
    text: &str,
    path: &ActionPath,
    pointer: &str,
    edits: impl FnOnce(&str, &Node, Style) -> Result<(Vec<Edit>, Value), Unchanged>,
) -> Result<String, Unchanged> {
    let mark = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    let source = Source::of("", text);
    let root = yaml::read(&source).map_err(|_| Unchanged::Unreadable)?;
    let node = pointed(&root, &path.0, pointer).ok_or(Unchanged::Gone)?;
    let (edits, wanted) = edits(&source.text, node, Style::of(&source.text))?;
    let changed = Edit::apply(&source.text, edits);
    check(&root, &changed, path, (pointer, &wanted))?;
    Ok(format!("{mark}{changed}"))
}

/// Checks that a text differs from a tree in what stands at one place and in nothing else.
fn check(before: &Node, text: &str, path: &ActionPath, (pointer, wanted): (&str, &Value)) -> Result<(), Unchanged> {
    let mut after = yaml::read(&Source::of("", text)).map_err(|_| Unchanged::SeveralLines)?;
    let node = pointed(&after, &path.0, pointer).ok_or(Unchanged::SeveralLines)?;
    if node.to_value() != *wanted {
        return Err(Unchanged::SeveralLines);
    }
    let mut before = before.clone();
    blank(&mut before, &path.0, pointer);
    blank(&mut after, &path.0, pointer);
    if before.to_value() == after.to_value() { Ok(()) } else { Err(Unchanged::Shared) }
}

/// Takes away what stands at a place.
fn blank(root: &mut Node, path: &[usize], pointer: &str) {
    let Some(way) = way(root, path, pointer) else { return };
    let mut node = root;
    for at in way {
        let Some(next) = child_mut(node, at) else { return };
        node = next;
    }
    (node.data, node.written) = (Data::Null, None);
}

/// Goes to the action that begins at a place: a map with a `method`, or the key that is a tool's name.
fn find(node: &Node, place: (u32, u32), path: &mut Vec<usize>) -> bool {
    let begins = |span: crate::action::Span| (span.line, span.column) == place;
    if node.entry("method").is_some() && begins(node.place.span) {
        return true;
    }
    let children: Vec<(&Node, bool)> = match &node.data {
        Data::Map(entries) => entries.iter().map(|entry| (&entry.value, begins(entry.place.span))).collect(),
        Data::Seq(items) => items.iter().map(|item| (item, false)).collect(),
        _ => Vec::new(),
    };
    for (at, (child, is_meant)) in children.into_iter().enumerate() {
        path.push(at);
        if is_meant || find(child, place, path) {
            return true;
        }
        path.pop();
    }
    false
}

/// Reads the action at a place of the tree.
fn written(root: &Node, path: &[usize]) -> Option<MobileAction> {
    let node = path.iter().try_fold(root, |node, at| child(node, *at))?;
    if let Some(method) = node.entry("method") {
        let Data::Map(entries) = &node.data else { return None };
        let is_option = |key: &str| !keys::ACTION.contains(&key) && !keys::PLATFORM_STEP.contains(&key);
        let mut options = match node.entry("options").map(|options| &options.value.data) {
            Some(Data::Map(options)) => to_map(options),
            _ => Map::new(),
        };
        options.extend(to_map(entries).into_iter().filter(|(key, _)| is_option(key)));
        return Some(MobileAction {
            method: method.value.to_value().as_str()?.to_owned(),
            params: node.entry("params").map_or(Value::Null, |params| params.value.to_value()),
            options,
            span: node.place.span,
        });
    }
    let (last, above) = path.split_last()?;
    let Data::Map(entries) = &above.iter().try_fold(root, |node, at| child(node, *at))?.data else { return None };
    let entry = entries.get(*last)?;
    let method = entry.key.clone();
    Some(MobileAction { method, params: entry.value.to_value(), options: Map::new(), span: entry.place.span })
}

/// Returns what a JSON pointer into an action leads to.
fn pointed<'n>(root: &'n Node, path: &[usize], pointer: &str) -> Option<&'n Node> {
    way(root, path, pointer)?.into_iter().try_fold(root, child)
}

/// Returns the way through the tree that a JSON pointer into an action means; an option may stand beside the method.
fn way(root: &Node, path: &[usize], pointer: &str) -> Option<Vec<usize>> {
    let mut way = path.to_vec();
    let mut node = path.iter().try_fold(root, |node, at| child(node, *at))?;
    let is_long = node.entry("method").is_some();
    let mut segments = pointer.split('/').skip(1).peekable();
    match segments.peek() {
        Some(&"params") if !is_long => _ = segments.next(),
        Some(&"options") if is_long && node.entry("options").is_none() => _ = segments.next(),
        _ => {}
    }
    for segment in segments {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        let at = match &node.data {
            Data::Map(entries) => entries.iter().position(|entry| entry.key == segment)?,
            Data::Seq(_) => segment.parse().ok()?,
            _ => return None,
        };
        node = child(node, at)?;
        way.push(at);
    }
    Some(way)
}

fn child(node: &Node, at: usize) -> Option<&Node> {
    match &node.data {
        Data::Map(entries) => entries.get(at).map(|entry| &entry.value),
        Data::Seq(items) => items.get(at),
        _ => None,
    }
}

fn child_mut(node: &mut Node, at: usize) -> Option<&mut Node> {
    match &mut node.data {
        Data::Map(entries) => entries.get_mut(at).map(|entry| &mut entry.value),
        Data::Seq(items) => items.get_mut(at),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
