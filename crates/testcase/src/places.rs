//! Where the parts of an action stand: a complaint's JSON pointer → its place in the file.

use super::case::TestCase;
use super::error::Error;
use super::keys;
use super::nearest;
use super::node::{Data, Node};
use super::reader::Reader;
use super::source::Source;
use super::yaml;
use crate::action::{Diagnostic, MobileAction, Span};
use serde_json::Value;

/// How an action was written.
#[derive(Clone, Copy)]
pub(super) enum Written<'n> {
    /// `tool: arguments`: the key's place and the arguments.
    Short { key: Span, value: &'n Node },
    /// `{method, params, options, …}`.
    Long { map: &'n Node },
    /// `{check, assert, expect}`: the item, the place of its check, and what is expected.
    Check { item: Span, check: Span, expect: &'n Node },
}

impl Written<'_> {
    /// Returns the place of `/method`, `/params/…` or `/options/…`.
    pub(super) fn locate(&self, pointer: &str, at_key: bool) -> Span {
        let rest = |prefix: &str| pointer.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        match self {
            Written::Short { key, value } => match rest("/params") {
                Some("") if value.is_null() => *key,
                Some(inner) => value.locate(inner, at_key),
                None => *key,
            },
            Written::Check { item, check, expect } => match (rest("/method"), rest("/params")) {
                (Some(_), _) => *check,
                (_, Some(inner)) if !inner.is_empty() => expect.place.span,
                _ => *item,
            },
            Written::Long { map } => {
                let inline = rest("/options").filter(|inner| is_inline(map, inner));
                map.locate(inline.unwrap_or(pointer), at_key)
            }
        }
    }
}

/// Says whether the option that a pointer begins with stands beside `method` rather than under `options`.
fn is_inline(map: &Node, inner: &str) -> bool {
    let name = inner.split('/').nth(1).unwrap_or_default();
    !keys::ACTION.contains(&name) && map.entry(name).is_some()
}

/// Returns a complaint about an action of a testcase that was loaded as an error at its place; at the action's own place where the
/// file is not as it was, or another names the action.
pub fn complained(case: &TestCase, action: &MobileAction, complaint: Diagnostic) -> Error {
    let Diagnostic { path, at_key, message, hint, help } = complaint;
    let read = Source::read(&case.path, &case.file).and_then(|source| yaml::read(&source).map(|root| (source, root)));
    let found = read.ok().and_then(|(source, root)| {
        let span = find(&root, action)?.locate(&path, at_key);
        Some(Error::at(&source, span, message.clone()))
    });
    let error = found.unwrap_or_else(|| Error::in_case(case, action.span, message));
    error.with_hint(hint).with_help(help)
}

/// Finds how the action of a place was written.
fn find<'n>(node: &'n Node, action: &MobileAction) -> Option<Written<'n>> {
    match &node.data {
        Data::Map(_) if node.place.span == action.span && node.entry("method").is_some() => {
            Some(Written::Long { map: node })
        }
        Data::Map(entries) => entries.iter().find_map(|entry| match entry.place.span == action.span {
            true => Some(Written::Short { key: action.span, value: &entry.value }),
            false => find(&entry.value, action),
        }),
        Data::Seq(items) => items.iter().find_map(|item| find(item, action)),
        _ => None,
    }
}

/// Reports what the vocabulary finds wrong with an action.
pub(super) fn check(reader: &mut Reader<'_>, action: &MobileAction, written: Written<'_>) {
    let complaints = (reader.vocabulary.check)(action, &super::expression::holds_variables);
    for complaint in complaints {
        let Diagnostic { path, at_key, message, hint, help } = complaint;
        let span = written.locate(&path, at_key);
        let help = reader.source.cut_text(span).filter(|_| at_key).or(help).or_else(|| commented(reader, written));
        reader.report(Error::at(reader.source, span, message).with_hint(hint).with_help(help));
    }
    check_function(reader, action, written);
    check_images(reader, action, written);
}

/// Says what became of a value that begins with `#`: nothing.
fn commented(reader: &Reader<'_>, written: Written<'_>) -> Option<String> {
    let Written::Short { key, value } = written else { return None };
    let line = reader.source.line(key.line).filter(|_| value.is_null())?;
    let (_, comment) = line.split_once(": #")?;
    Some(format!("`#` after a space begins a comment: write it in quotes, \"#{}\"", comment.trim()))
}

/// Reports pictures of targets that are not there.
fn check_images(reader: &mut Reader<'_>, action: &MobileAction, written: Written<'_>) {
    let takes_path = (reader.vocabulary.facts)(&action.method).is_some_and(|tool| tool.takes_picture);
    let mut named = Vec::new();
    match &action.params {
        Value::String(path) if takes_path => named.push(("/params".to_owned(), path.as_str())),
        Value::Array(items) if takes_path => {
            named.extend(items.first().and_then(Value::as_str).map(|path| ("/params/0".to_owned(), path)));
        }
        params => images(params, "/params", &mut named),
    }
    for (pointer, path) in named.into_iter().filter(|(_, path)| !path.contains('$') && is_png(path)) {
        if let Err(refused) = reader.about.files.beside(path) {
            let message = format!("{refused} beside the testcase or in the project");
            reader.report(Error::at(reader.source, written.locate(&pointer, false), message));
        }
    }
}

/// Tells whether a path may be a picture's; another one is complained of anyway, and `tap_cv` also takes words.
fn is_png(path: &str) -> bool {
    path.to_lowercase().ends_with(".png")
}

/// Collects the pictures that a map names, each with its pointer.
fn images<'v>(value: &'v Value, pointer: &str, named: &mut Vec<(String, &'v str)>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let pointer = format!("{pointer}/{key}");
                match value.as_str().filter(|_| key == "image") {
                    Some(path) => named.push((pointer, path)),
                    None => images(value, &pointer, named),
                }
            }
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(place, item)| images(item, &format!("{pointer}/{place}"), named));
        }
        _ => {}
    }
}

/// Reports a call of a function that the case's Python file does not have, as far as its names are known.
fn check_function(reader: &mut Reader<'_>, action: &MobileAction, written: Written<'_>) {
    if (reader.vocabulary.find)(&action.method) != Some("call_function") {
        return;
    }
    let (pointer, name) = match &action.params {
        Value::Array(items) => ("/params/0", items.first()),
        Value::Object(map) => ("/params/name", map.get("name")),
        name => ("/params", Some(name)),
    };
    let Some(name) = name.and_then(Value::as_str).filter(|name| !name.contains('$')) else { return };
    // Without a file there may be one by the time of the run.
    let Some(functions) = reader.about.functions.clone() else { return };
    if !functions.may_have(name) {
        let hint = nearest::hint(name, functions.names.iter().map(String::as_str));
        let message = format!("there is no function `{name}` in the Python file");
        reader.report(Error::at(reader.source, written.locate(pointer, false), message).with_hint(hint));
    }
}
