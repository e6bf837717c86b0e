//! A step's `validate`: `HttpRunner`'s checks and short assertions → calls of assertion tools.
//!
//! `ui_ocr`, `ui_name` and `ui_label` mean text on the screen: `exists` and `not_exists` search a regular expression, `equal`
//! and `not_equal` want the whole text. A check that `HttpRunner` would skip or never fail is an error or can fail.

use super::case::Check;
use super::error::Error;
use super::nearest;
use super::node::{Data, Entry, Node};
use super::places::{self, Written};
use super::reader::{Reader, written_text};
use crate::action::{MobileAction, Span};
use serde_json::{Map, Value, json};

const CHECKS: [&str; 5] = ["ui_ocr", "ui_name", "ui_label", "ui_foreground_app", "ui_selector"];
const CHECKS_LATER: [&str; 2] = ["ui_ai", "ui_image"];
const ASSERTS: [&str; 4] = ["exists", "not_exists", "equal", "not_equal"];
const ASSERTS_LATER: [&str; 1] = ["ai_assert"];
const ITEM: [&str; 4] = ["check", "assert", "expect", "msg"];

/// Reads a step's `validate`.
pub(super) fn read(reader: &mut Reader<'_>, node: &Node) -> Vec<Check> {
    if node.is_null() {
        // Whoever wrote the key meant to check something; `[]` says that there is nothing to check.
        reader.refuse(node.place.span, "`validate` is empty");
    }
    let items = reader.list(node, "`validate`");
    items.iter().filter_map(|item| read_item(reader, item)).collect()
}

fn read_item(reader: &mut Reader<'_>, item: &Node) -> Option<Check> {
    let Data::Map(entries) = &item.data else {
        let help = "write `{check: …, assert: …, expect: …}` or `assert_visible: …`";
        reader.refuse_with_help(item.place.span, "an item of `validate` is a map", help);
        return None;
    };
    if item.entry("check").is_some() || item.entry("assert").is_some() {
        return full(reader, item, entries);
    }
    let known = |name: &str| ASSERTS.contains(&name) || ASSERTS_LATER.contains(&name);
    if let [entry] = &entries[..]
        && (known(&entry.key) || (matches!(entry.value.data, Data::Seq(_)) && !reader.vocabulary.knows(&entry.key)))
    {
        return listed(reader, item, entry);
    }
    short(reader, item, entries)
}

/// What one of `HttpRunner`'s checks says, wherever its parts stand.
struct Parts<'n> {
    item: Span,
    check: (Span, String),
    assert: (Span, String),
    expect: &'n Node,
    message: Option<Value>,
}

/// Reads `{check, assert, expect, msg}`.
fn full(reader: &mut Reader<'_>, item: &Node, entries: &[Entry]) -> Option<Check> {
    for entry in entries.iter().filter(|entry| !ITEM.contains(&entry.key.as_str())) {
        reader.unknown_key(entry, "a check", &ITEM);
    }
    let mut part = |key: &str| {
        let found = item.entry(key);
        if found.is_none() {
            reader.refuse(item.place.span, format!("a check has `{key}`"));
        }
        found
    };
    let (check, assert, expect) = (part("check"), part("assert"), part("expect"));
    let (check, assert, expect) = (check?, assert?, expect?);
    let parts = Parts {
        item: item.place.span,
        check: (check.shown_place(), reader.text(&check.value, "`check`")?),
        assert: (assert.shown_place(), reader.text(&assert.value, "`assert`")?),
        expect: &expect.value,
        message: message(reader, item.entry("msg").map(|entry| &entry.value)),
    };
    convert(reader, parts)
}

/// Reads `assert: [check, expect, msg]`, the key being the assert's name.
fn listed(reader: &mut Reader<'_>, item: &Node, entry: &Entry) -> Option<Check> {
    let items = reader.list(&entry.value, &format!("`{}`", entry.key));
    let (check, expect, last) = match items {
        [check, expect] => (check, expect, None),
        [check, expect, last] => (check, expect, Some(last)),
        _ => {
            let help = format!("write `{}: [check, expect, msg]`", entry.key);
            reader.refuse_with_help(entry.place.span, "a check lists two or three things", help);
            return None;
        }
    };
    let parts = Parts {
        item: item.place.span,
        check: (check.place.span, reader.text(check, "the check")?),
        assert: (entry.place.span, entry.key.clone()),
        expect,
        message: message(reader, last),
    };
    convert(reader, parts)
}

fn message(reader: &mut Reader<'_>, node: Option<&Node>) -> Option<Value> {
    let node = node.filter(|node| !node.is_null())?;
    reader.text(node, "`msg`").map(Value::String)
}

/// Turns a check into the call that means it.
fn convert(reader: &mut Reader<'_>, parts: Parts<'_>) -> Option<Check> {
    let check_known = named(reader, &parts.check, "check", &CHECKS, &CHECKS_LATER);
    let assert_known = named(reader, &parts.assert, "assert", &ASSERTS, &ASSERTS_LATER);
    if !check_known || !assert_known {
        return None;
    }
    let Some(expected) = written_text(reader.source, parts.expect) else {
        let message = format!("`expect` is a string, not {}", parts.expect.kind());
        reader.refuse(parts.expect.place.span, message);
        return None;
    };
    if expected.is_empty() {
        reader.refuse(parts.expect.place.span, "`expect` is empty, which any screen satisfies");
        return None;
    }
    let Some((method, params)) = call(&parts.check.1, &parts.assert.1, &expected) else {
        let message = format!("`{}` cannot be asserted with `{}`", parts.check.1, parts.assert.1);
        let valid = if parts.check.1 == "ui_selector" { "exists, not_exists" } else { "equal, not_equal" };
        reader.refuse_with_help(parts.assert.0, message, format!("valid: {valid}"));
        return None;
    };
    let action = MobileAction { method: method.to_owned(), params, options: Map::new(), span: parts.item };
    let written = Written::Check { item: parts.item, check: parts.check.0, expect: parts.expect };
    places::check(reader, &action, written);
    Some(Check { action, message: parts.message, actual: None })
}

/// Reports a name that is not among the valid ones.
fn named(reader: &mut Reader<'_>, (span, name): &(Span, String), what: &str, valid: &[&str], later: &[&str]) -> bool {
    if later.contains(&name.as_str()) {
        reader.refuse(*span, format!("`{name}` is not supported yet"));
        return false;
    }
    if !valid.contains(&name.as_str()) {
        let error = Error::at(reader.source, *span, format!("unknown {what} `{name}`"));
        let hint = nearest::hint(name, valid.iter().copied());
        reader.report(error.with_hint(hint).with_help(Some(format!("valid: {}", valid.join(", ")))));
    }
    valid.contains(&name.as_str())
}

/// Returns the assertion tool and its arguments.
fn call(check: &str, assert: &str, expect: &str) -> Option<(&'static str, Value)> {
    Some(match (check, assert) {
        ("ui_ocr" | "ui_name" | "ui_label", "exists") => ("assert_visible", json!({"text": expect, "regex": true})),
        ("ui_ocr" | "ui_name" | "ui_label", "equal") => ("assert_visible", json!({"text": expect, "exact": true})),
        ("ui_ocr" | "ui_name" | "ui_label", "not_exists") => {
            ("assert_not_visible", json!({"text": expect, "regex": true}))
        }
        ("ui_ocr" | "ui_name" | "ui_label", "not_equal") => {
            ("assert_not_visible", json!({"text": expect, "exact": true}))
        }
        ("ui_foreground_app", "equal") => ("assert_foreground_app", json!({"package_name": expect})),
        ("ui_foreground_app", "not_equal") => ("assert_foreground_app", json!({"package_name": expect, "not": true})),
        ("ui_selector", "exists") => ("assert_visible", json!({"selector": expect})),
        ("ui_selector", "not_exists") => ("assert_not_visible", json!({"selector": expect})),
        _ => return None,
    })
}

/// Reads `assert_visible: …`, with `msg` beside it.
fn short(reader: &mut Reader<'_>, item: &Node, entries: &[Entry]) -> Option<Check> {
    let text = message(reader, item.entry("msg").map(|entry| &entry.value));
    let mut rest = entries.iter().filter(|entry| entry.key != "msg");
    let Some(entry) = rest.next() else {
        reader.refuse(item.place.span, "an item of `validate` says nothing");
        return None;
    };
    for other in rest {
        reader.unknown_key(other, "an assertion", &["msg"]);
    }
    if (reader.vocabulary.find)(&entry.key).is_some_and(|name| !name.starts_with("assert_")) {
        reader.refuse(entry.place.span, format!("`{}` asserts nothing", entry.key));
        return None;
    }
    let action = MobileAction {
        method: entry.key.clone(),
        params: entry.value.to_value(),
        options: Map::new(),
        span: entry.place.span,
    };
    places::check(reader, &action, Written::Short { key: entry.place.span, value: &entry.value });
    Some(Check { action, message: text, actual: None })
}
