//! A step's `validate`: `HttpRunner`'s checks and short assertions → calls of assertion tools.
//!
//! `ui_ocr`, `ui_name` and `ui_label` mean text on the screen: `exists` and `not_exists` search a regular expression, `equal`
//! and `not_equal` want the whole text. `ui_image` means a picture of a part of the screen, a PNG file. Any other check is a value: an expression, or a query into what the step's last action
//! returned. A check that `HttpRunner` would skip or never fail is an error or can fail.

use super::case::{Actual, Check};
use super::error::Error;
use super::expression::holds_variables;
use super::extract::check_query;
use super::nearest;
use super::node::{Data, Entry, Node};
use super::places::{self, Written};
use super::reader::{Reader, written_text};
use crate::action::{MobileAction, Span};
use crate::compare;
use serde_json::{Map, Value, json};
use uixt_core::written;

const CHECKS: [&str; 7] = ["ui_ocr", "ui_image", "ui_name", "ui_label", "ui_foreground_app", "ui_selector", "ui_ai"];
const ASSERTS: [&str; 4] = ["exists", "not_exists", "equal", "not_equal"];
const AI: &str = "ai_assert";
const ITEM: [&str; 4] = ["check", "assert", "expect", "msg"];
/// Spellings of the keys of a check in older versions of `HttpRunner`.
const OLD: [(&str, &str); 4] =
    [("comparator", "assert"), ("expected", "expect"), ("expect_value", "expect"), ("message", "msg")];

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
    if ["check", "assert", "comparator"].into_iter().any(|key| item.entry(key).is_some()) {
        return full(reader, item, entries);
    }
    let known = |name: &str| ASSERTS.contains(&name) || name == AI || compare::find(name).is_some();
    if let [entry] = &entries[..]
        && ((known(&entry.key) && !reader.vocabulary.knows(&entry.key))
            || (matches!(entry.value.data, Data::Seq(_)) && !reader.vocabulary.knows(&entry.key)))
    {
        return listed(reader, item, entry);
    }
    short(reader, item, entries)
}

/// What one of `HttpRunner`'s checks says, wherever its parts stand.
struct Parts<'n> {
    item: Span,
    check: (Span, &'n Node),
    assert: (Span, String),
    expect: &'n Node,
    message: Option<Value>,
}

/// Reads `{check, assert, expect, msg}`.
fn full(reader: &mut Reader<'_>, item: &Node, entries: &[Entry]) -> Option<Check> {
    let modern =
        |key: &str| OLD.iter().find(|(old, _)| *old == key).map_or(key.to_owned(), |(_, new)| (*new).to_owned());
    for entry in entries.iter().filter(|entry| !ITEM.contains(&modern(&entry.key).as_str())) {
        reader.unknown_key(entry, "a check", &ITEM);
    }
    let mut part = |key: &str| {
        let found = entries.iter().find(|entry| modern(&entry.key) == key);
        if found.is_none() {
            reader.refuse(item.place.span, format!("a check has `{key}`"));
        }
        found
    };
    let (check, assert, expect) = (part("check"), part("assert"), part("expect"));
    let (check, assert, expect) = (check?, assert?, expect?);
    let message_node = entries.iter().find(|entry| modern(&entry.key) == "msg").map(|entry| &entry.value);
    let parts = Parts {
        item: item.place.span,
        check: (check.shown_place(), &check.value),
        assert: (assert.shown_place(), reader.text(&assert.value, "`assert`")?),
        expect: &expect.value,
        message: message(reader, message_node),
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
        check: (check.place.span, check),
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
    let name = written_text(reader.source, parts.check.1).unwrap_or_default();
    if CHECKS.contains(&name.as_str()) {
        return on_screen(reader, parts, &name);
    }
    if let Some(wrong) = name.strip_prefix("ui_") {
        let error = Error::at(reader.source, parts.check.0, format!("unknown check `ui_{wrong}`"));
        let hint = nearest::hint(&name, CHECKS);
        reader.report(error.with_hint(hint).with_help(Some(format!("valid: {}, or a value", CHECKS.join(", ")))));
        return None;
    }
    of_value(reader, parts)
}

/// Turns a check of the screen into the call that means it.
fn on_screen(reader: &mut Reader<'_>, parts: Parts<'_>, check: &str) -> Option<Check> {
    let (place, assert) = &parts.assert;
    if !ASSERTS.contains(&assert.as_str()) && assert != AI && compare::find(assert).is_none() {
        unknown_assert(reader, *place, assert, &ASSERTS);
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
    let assert = match compare::find(assert).map(compare::Assertion::name) {
        Some("equals") => "equal",
        Some("not_equals") => "not_equal",
        _ => assert.as_str(),
    };
    let Some((method, params)) = call(check, assert, &expected) else {
        let message = format!("`{check}` cannot be asserted with `{assert}`");
        let valid = match check {
            "ui_selector" | "ui_image" => "exists, not_exists",
            "ui_ai" => AI,
            "ui_foreground_app" => "equal, not_equal",
            _ => "exists, not_exists, equal, not_equal",
        };
        reader.refuse_with_help(*place, message, format!("valid: {valid}"));
        return None;
    };
    let action = MobileAction { method: method.to_owned(), params, options: Map::new(), span: parts.item };
    let written = Written::Check { item: parts.item, check: parts.check.0, expect: parts.expect };
    places::check(reader, &action, written);
    Some(Check { action, message: parts.message, actual: None })
}

fn unknown_assert(reader: &mut Reader<'_>, place: Span, name: &str, valid: &[&str]) {
    let error = Error::at(reader.source, place, format!("unknown assert `{name}`"));
    let hint = nearest::hint(name, valid.iter().copied());
    reader.report(error.with_hint(hint).with_help(Some(format!("valid: {}", valid.join(", ")))));
}

/// Turns a check of a value into a call of `assert_value`, whose value is known when the step runs.
fn of_value(reader: &mut Reader<'_>, parts: Parts<'_>) -> Option<Check> {
    let (place, assert) = &parts.assert;
    let Some(assertion) = compare::find(assert) else {
        let valid: Vec<&str> = compare::names().collect();
        if ASSERTS.contains(&assert.as_str()) {
            let message = format!("`{assert}` is for what is on the screen");
            reader.refuse_with_help(*place, message, format!("valid: {}", valid.join(", ")));
        } else {
            unknown_assert(reader, *place, assert, &valid);
        }
        return None;
    };
    let (name, actual) = actual(reader, parts.check.1)?;
    let mut expect = parts.expect.to_written();
    if assertion == compare::Assertion::TypeMatch && expect.is_null() {
        expect = json!("null");
    }
    if !holds_variables(&expect)
        && let Err(message) = assertion.check(&written::meanings(expect.clone()))
    {
        reader.refuse(parts.expect.place.span, message);
        return None;
    }
    let params = json!({"name": name, "assert": assertion.name(), "expect": expect});
    let action = MobileAction { method: "assert_value".to_owned(), params, options: Map::new(), span: parts.item };
    Some(Check { action, message: parts.message, actual: Some(actual) })
}

/// Reads where a value comes from, and what it is called.
fn actual(reader: &mut Reader<'_>, node: &Node) -> Option<(String, Actual)> {
    let value = node.to_value();
    let place = node.place.span;
    match &value {
        Value::String(text) if text.trim().is_empty() => {
            reader.refuse(place, "`check` is empty");
            None
        }
        Value::String(text) if holds_variables(&value) => Some((text.clone(), Actual::Expression(value))),
        Value::String(text) => {
            check_query(reader, text, place);
            Some((text.clone(), Actual::Query(text.clone())))
        }
        other if holds_variables(other) => Some((other.to_string(), Actual::Expression(value))),
        _ => {
            let message = format!("`check` is an expression or a query, not {}", node.kind());
            reader.refuse_with_help(place, message, "write `$name`, `${…}`, `status_code` or `body.items[0].id`");
            None
        }
    }
}

/// Returns the assertion tool and its arguments.
fn call(check: &str, assert: &str, expect: &str) -> Option<(&'static str, Value)> {
    Some(match (check, assert) {
        // What is drawn counts where no element says it, and must lack it, too.
        ("ui_ocr", "exists") => ("assert_visible", json!({"text": expect, "regex": true, "source": "auto"})),
        ("ui_ocr", "equal") => ("assert_visible", json!({"text": expect, "exact": true, "source": "auto"})),
        ("ui_ocr", "not_exists") => ("assert_not_visible", json!({"text": expect, "regex": true, "source": "auto"})),
        ("ui_ocr", "not_equal") => ("assert_not_visible", json!({"text": expect, "exact": true, "source": "auto"})),
        ("ui_name" | "ui_label", "exists") => ("assert_visible", json!({"text": expect, "regex": true})),
        ("ui_name" | "ui_label", "equal") => ("assert_visible", json!({"text": expect, "exact": true})),
        ("ui_name" | "ui_label", "not_exists") => ("assert_not_visible", json!({"text": expect, "regex": true})),
        ("ui_name" | "ui_label", "not_equal") => ("assert_not_visible", json!({"text": expect, "exact": true})),
        ("ui_foreground_app", "equal") => ("assert_foreground_app", json!({"package_name": expect})),
        ("ui_foreground_app", "not_equal") => ("assert_foreground_app", json!({"package_name": expect, "not": true})),
        ("ui_image", "exists") => ("assert_image", json!({"image": expect})),
        ("ui_image", "not_exists") => ("assert_image", json!({"image": expect, "not": true})),
        ("ui_ai", AI) => ("ai_assert", json!({"assertion": expect})),
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
    if (reader.vocabulary.facts)(&entry.key).is_some_and(|tool| !tool.asserts) {
        reader.refuse(entry.place.span, format!("`{}` asserts nothing", entry.key));
        return None;
    }
    let action = MobileAction {
        method: entry.key.clone(),
        params: entry.value.to_written(),
        options: Map::new(),
        span: entry.place.span,
    };
    places::check(reader, &action, Written::Short { key: entry.place.span, value: &entry.value });
    Some(Check { action, message: text, actual: None })
}
