//! How every report spells the same things: outcomes, durations, calls of tools, places, and text that is not trusted.

use std::borrow::Cow;
use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

use serde_json::{Map, Value};

use uixt_core::yaml;

use crate::result::{ActionResult, Failure, ModelUsage, Outcome, Place, StepResult};

/// What the log of a case says that was run from its start again.
pub(super) const RUNS_AGAIN: &str = "the case runs again from its start";

/// Returns the outcome as one word.
pub(super) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Skipped => "skipped",
        Outcome::Passed => "passed",
        Outcome::Healed => "healed",
        Outcome::Flaky => "flaky",
        Outcome::Failed => "failed",
        Outcome::Errored => "errored",
    }
}

/// Appends a duration as a person would say it: `4 ms`, `0.31 s`, `12.3 s`, `2 min 5 s`, `1 h 2 min`.
pub(super) fn push_duration(out: &mut String, ms: u64) {
    // Writing to a string cannot fail.
    let _ = match ms {
        0..10 => write!(out, "{ms} ms"),
        10..1_000 => write!(out, "0.{:02} s", (ms / 10).min(99)),
        1_000..60_000 => write!(out, "{}.{} s", ms / 1_000, ms % 1_000 / 100),
        60_000..3_600_000 => write!(out, "{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
        _ => write!(out, "{} h {} min", ms / 3_600_000, ms % 3_600_000 / 60_000),
    };
}

/// Returns a duration as a person would say it.
pub(super) fn duration(ms: u64) -> String {
    let mut out = String::new();
    push_duration(&mut out, ms);
    out
}

/// Returns what was asked of models: `models: 3 calls, 4,210 tokens, 0 bytes of pictures, 5.1 s, cost 0.0123`.
pub(super) fn usage(usage: &ModelUsage) -> String {
    let calls = if usage.calls == 1 { "call" } else { "calls" };
    let mut text =
        format!("models: {} {calls}, {} tokens", usage.calls, grouped(usage.input_tokens + usage.output_tokens));
    if usage.picture_bytes > 0 {
        text.push_str(&format!(", {} KB of pictures", usage.picture_bytes.div_ceil(1_000)));
    }
    text.push_str(", ");
    push_duration(&mut text, usage.took_ms);
    if let Some(cost) = usage.cost {
        text.push_str(&format!(", cost {cost:.4}"));
    }
    text
}

/// Returns `12,345`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns `file:line:column`.
pub(super) fn place(place: &Place) -> String {
    format!("{}:{}:{}", place.file, place.line, place.column)
}

/// Appends a call's arguments on one line: the value alone where there is one argument that speaks for itself, `key=value`
/// otherwise.
///
/// Stops after `limit` characters with an ellipsis and returns whether it did.
pub(super) fn push_arguments(out: &mut String, arguments: &Map<String, Value>, limit: usize) -> bool {
    let begin = out.len();
    // A lone `true` or `100` could mean anything; seconds are told by the tools that wait.
    let speaks = |(key, value): (&String, &Value)| key == "seconds" || !(value.is_boolean() || value.is_number());
    let alone = arguments.len() == 1 && arguments.iter().all(speaks);
    for (key, value) in arguments {
        if out.len() > begin {
            out.push(' ');
        }
        if !alone {
            out.push_str(key);
            out.push('=');
        }
        push_value(out, value, limit);
        if out.len() - begin > limit * 4 {
            break;
        }
    }
    cut(out, begin, limit)
}

fn push_value(out: &mut String, value: &Value, limit: usize) {
    match value {
        Value::String(text) if is_plain(text) => out.push_str(text),
        Value::String(text) => push_quoted(out, text, limit),
        Value::Null | Value::Bool(_) | Value::Number(_) => _ = write!(out, "{value}"),
        Value::Array(_) | Value::Object(_) => out.push_str(&value.to_string()),
    }
}

/// Returns whether the text is understood without quotes.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-/:#@%+".contains(&b))
}

fn push_quoted(out: &mut String, text: &str, limit: usize) {
    out.push('"');
    for c in text.chars().take(limit) {
        match c {
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Cuts what follows `begin` to `limit` characters and returns whether something was lost.
fn cut(out: &mut String, begin: usize, limit: usize) -> bool {
    if out.len() - begin <= limit {
        return false;
    }
    let Some((end, _)) = out[begin..].char_indices().nth(limit) else { return false };
    out.truncate(begin + end);
    out.push('…');
    true
}

/// Returns `tool arguments` on one line.
pub(super) fn call(tool: &str, arguments: &Map<String, Value>) -> String {
    let mut out = tool.to_owned();
    if !arguments.is_empty() {
        out.push(' ');
        push_arguments(&mut out, arguments, 120);
    }
    out
}

/// The details of a failure that hold what may be meant instead of a target that was not there.
pub(super) const SUGGESTIONS: &str = "suggestions";

/// Returns what may be meant instead of a target that was not there, each as a step writes it: `try: tap_element: Sign in`.
pub fn suggestions(tool: &str, error: Option<&Failure>) -> Vec<String> {
    let listed = error.and_then(|error| error.details.as_ref()?.get(SUGGESTIONS)?.as_array());
    let line = |suggestion: &Value| {
        let target = yaml::inline(suggestion.get("target")?);
        let written = match suggestion.get("argument").and_then(Value::as_str) {
            Some(argument) => format!("{{{argument}: {target}}}"),
            None => target,
        };
        let doubt = match suggestion.get("may_be_bug") == Some(&Value::Bool(true)) {
            true => " (unless the app is wrong)",
            false => "",
        };
        Some(one_line(&format!("try: {tool}: {written}{doubt}")).into_owned())
    };
    listed.into_iter().flatten().filter_map(line).collect()
}

/// Returns the step's name where it says more than the name of its tool.
pub(super) fn own_name(step: &StepResult) -> Option<&str> {
    let name = step.name.as_str();
    let tool = only_action(step).map_or("", |action| action.tool.as_str());
    let told = name.is_empty() || (!tool.is_empty() && name.split(' ').next() == Some(tool));
    (!told).then_some(name)
}

/// Returns what a step is called where it has one line: its own name, its call, or both.
pub(super) fn title(step: &StepResult) -> String {
    let call = only_action(step).map(|action| call(&action.tool, &action.arguments));
    match (own_name(step), call) {
        (Some(name), Some(call)) => format!("{name}: {call}"),
        (Some(name), None) => name.to_owned(),
        (None, Some(call)) => call,
        (None, None) => step.name.clone(),
    }
}

/// Returns the step's action where it has one attempt with one action.
pub(super) fn only_action(step: &StepResult) -> Option<&ActionResult> {
    match step.attempts.as_slice() {
        [attempt] if attempt.actions.len() == 1 => attempt.actions.first(),
        _ => None,
    }
}

/// Returns the text without colours and control characters, which terminals obey and XML forbids; line ends stay.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\t' => shown.push(' '),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\u{1b}' if chars.peek() == Some(&'[') => skip_control_sequence(&mut chars),
            c if is_unprintable(c) => shown.push(char::REPLACEMENT_CHARACTER),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Skips `[31m` and the like: a bracket, parameters, and one final letter (ECMA-48 §5.4).
fn skip_control_sequence(chars: &mut Peekable<Chars>) {
    chars.next();
    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

fn is_unprintable(c: char) -> bool {
    (c.is_control() && c != '\n') || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Returns the text's beginning, at most `limit` characters, with an ellipsis where something is left out.
pub(super) fn shortened(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Returns the text on one line, without control characters.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    let text = printable(text);
    if text.contains('\n') { Cow::Owned(text.trim_end().replace('\n', " ⏎ ")) } else { text }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn durations_read_as_a_person_says_them() {
        let said: Vec<String> = [0, 9, 10, 310, 999, 5403, 12_345, 125_000, 3_720_000].map(duration).into();
        let expected = ["0 ms", "9 ms", "0.01 s", "0.31 s", "0.99 s", "5.4 s", "12.3 s", "2 min 5 s", "1 h 2 min"];
        assert_eq!(said, expected);
    }

    #[test]
    fn calls_read_like_commands() {
        let of = |arguments: Value| call("t", arguments.as_object().unwrap());
        assert_eq!(of(json!({})), "t");
        assert_eq!(of(json!({"package": "com.uixt.shop"})), "t com.uixt.shop");
        assert_eq!(of(json!({"text": "Welcome, 小明"})), "t \"Welcome, 小明\"");
        assert_eq!(of(json!({"text": "a \"b\"\n", "timeout": 5})), "t text=\"a \\\"b\\\"\\n\" timeout=5");
        assert_eq!(of(json!({"into": {"id": "user"}})), "t {\"id\":\"user\"}");
        assert_eq!(of(json!({"diff": true})), "t diff=true");
        assert_eq!(of(json!({"seconds": 0.5})), "t 0.5");
    }

    #[test]
    fn long_arguments_are_cut_between_characters() {
        let mut out = String::from("x ");
        let arguments = json!({"text": "长".repeat(500)});
        assert!(push_arguments(&mut out, arguments.as_object().unwrap(), 10));
        assert_eq!(out, format!("x \"{}…", "长".repeat(9)));
    }

    #[test]
    fn what_may_be_meant_reads_like_a_step() {
        let suggestions = json!([
            {"target": "Sign in", "score": 0.9, "why": "same meaning"},
            {"target": {"id": "go", "text": "a: b"}, "argument": "into"},
            {"target": "x\u{1b}[31m", "may_be_bug": true},
            {"score": 1},
        ]);
        let details = Some(json!({"suggestions": suggestions}));
        let error = Failure { kind: "NotFound".to_owned(), message: "no".to_owned(), details };
        assert_eq!(
            super::suggestions("input", Some(&error)),
            [
                "try: input: Sign in",
                "try: input: {into: {id: go, text: \"a: b\"}}",
                "try: input: \"x\\u001b[31m\" (unless the app is wrong)",
            ]
        );
        assert!(super::suggestions("input", None).is_empty());
    }

    #[test]
    fn control_characters_are_not_obeyed() {
        assert_eq!(printable("a\u{1b}[1;31mb\u{1b}[0m\u{9b}c\td\r\ne\u{ffff}"), "ab\u{fffd}c d\ne\u{fffd}");
        assert_eq!(printable("\u{1b}[12\u{1b}]x\u{1b}"), "\u{fffd}]x\u{fffd}");
        assert_eq!(one_line("a\nb\n"), "a ⏎ b");
        assert_eq!((shortened("长长长", 2), shortened("长长", 2)), ("长长…".into(), "长长".into()));
    }
}
