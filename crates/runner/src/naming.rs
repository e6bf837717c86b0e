//! What steps and rows are called in the results.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::context::StepContext;
use super::evaluation;
use super::written_secret::holds_secret;
use crate::testcase::{Body, Scope, Step};
use uixt_call::{ToolKind, ToolRow, mask};
use uixt_core::action::MobileAction;
use uixt_core::written;

/// How many characters of a row's value are shown.
const VALUE: usize = 40;
/// How many characters of a row are shown.
const ROW: usize = 120;

/// Which of a step's times this is.
#[derive(Clone, Copy, Default)]
pub(super) struct Time<'a> {
    /// Counted from 1; none where the step is not repeated.
    pub(super) number: Option<u64>,
    pub(super) row: Option<&'a Map<String, Value>>,
}

/// Returns a step's name: as it is written, or made of what it does first, with the time and the row that it runs with.
pub(super) async fn step_name(cx: &StepContext<'_>, scope: &Scope, step: &Step, time: Time<'_>) -> String {
    let mut name = match &step.name {
        Some(written) => text(cx, scope, written).await,
        None => made_name(cx, scope, step).await,
    };
    if let Some(number) = time.number {
        // A name that is made of an action ends in its argument, to which nothing may be glued.
        let _ = match step.name {
            Some(_) => write!(name, "_loop_{number}"),
            None => write!(name, " (loop {number})"),
        };
    }
    if let Some(row) = time.row {
        name.push_str(&row_name(row));
    }
    scope.secrets().text(name)
}

/// Returns ` [user=小明, n=1]`. Where something is cut off, a number made of the whole stands behind: rows that differ only there have
/// names that differ, in every run the same.
pub(super) fn row_name(row: &Map<String, Value>) -> String {
    let (mut name, mut whole) = (String::from(" ["), String::new());
    for (number, (key, value)) in row.iter().enumerate() {
        let value = written::as_texts(value);
        let text = match is_private(key) {
            true => mask::MASK.to_owned(),
            false => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
        };
        let comma = if number > 0 { ", " } else { "" };
        let _ = write!(whole, "{comma}{key}={text}");
        let _ = write!(name, "{comma}{key}={}", cut(text.replace(['\n', '\r'], " "), VALUE));
    }
    let name = cut(name, ROW);
    if name.contains('…') { format!("{name} #{:08x}]", digest(&whole)) } else { name + "]" }
}

/// Returns the FNV-1a hash of a text.
fn digest(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Tells whether a variable's name says that its value is nobody's business: a name is shown before any step can call it a secret.
fn is_private(name: &str) -> bool {
    let name = name.to_lowercase();
    ["password", "passwd", "pwd", "secret", "token", "密码"].iter().any(|word| name.contains(word))
}

fn cut(mut text: String, limit: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(limit) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Evaluates a name; one whose expression fails is shown as it was written: the step will tell what is wrong.
pub(super) async fn text(cx: &StepContext<'_>, scope: &Scope, written: &str) -> String {
    if !written.contains('$') {
        return written.to_owned();
    }
    match evaluation::value(cx, scope, &Value::String(written.to_owned())).await {
        Ok(Value::String(text)) => text,
        Ok(other) => other.to_string(),
        Err(_) => written.to_owned(),
    }
}

async fn made_name(cx: &StepContext<'_>, scope: &Scope, step: &Step) -> String {
    match &step.body {
        Body::Actions(actions) => {
            let action = actions.first().or_else(|| step.validate.first().map(|check| &check.action));
            action.map_or_else(String::new, |action| describe(cx, action))
        }
        Body::Case(case) if case.config.name.trim().is_empty() => case.file.clone(),
        Body::Case(case) => text(cx, &scope.for_case(case), &case.config.name).await,
        Body::Choice { condition, .. } => format!("if {}", condition.expression),
        Body::Group(_) => "steps".to_owned(),
        Body::Nothing { reason, .. } => reason.clone(),
    }
}

/// Tells whether a tool types a text, which may be a secret.
fn types_text(tool: &'static ToolRow) -> bool {
    tool.kind == ToolKind::Typing && tool.schema().property("text").is_some()
}

/// Describes an action as it was written, variables and all: `tap_element "Sign in"`.
fn describe(cx: &StepContext<'_>, action: &MobileAction) -> String {
    let params = written::as_texts(&action.params);
    let main = match &*params {
        Value::Null => None,
        _ if holds_secret(action) => Some(format!("\"{}\"", mask::MASK)),
        // Whether the field is one for passwords is not known before it is found.
        params if cx.run.tool(&action.method).is_some_and(types_text) => {
            params.get("into").or_else(|| params.get("ref")).map(|into| format!("into {into}"))
        }
        Value::Object(map) => map.iter().find(|(_, value)| value.is_string()).map(|(key, value)| match key.as_str() {
            "text" => value.to_string(),
            _ => format!("{key} {value}"),
        }),
        other => Some(other.to_string()),
    };
    match main {
        Some(main) => format!("{} {}", action.method, mask::without_user(&main)),
        None => action.method.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_are_named_by_their_values() {
        let named = |row: Value| row_name(row.as_object().unwrap());
        assert_eq!(named(json!({"user": "小明", "n": 1, "list": [1]})), " [user=小明, n=1, list=[1]]");
        let long = |end: &str| named(json!({"a": "x".repeat(50) + end}));
        assert!(long("").starts_with(&format!(" [a={}… #", "x".repeat(40))), "{}", long(""));
        assert!(long("y") != long("z") && long("y") == long("y"));
        assert_eq!((digest(""), digest("a")), (0x811c_9dc5, 0xe40c_292c));
        assert!(named(json!({"a": "长".repeat(50), "b": "长".repeat(50), "c": "长".repeat(50)})).chars().count() < 135);
        assert_eq!(named(json!({"a": "1\n2"})), " [a=1 2]");
        assert_eq!(named(json!({"user": "a", "user_Password": "hunter2"})), " [user=a, user_Password=••••••]");
    }
}
