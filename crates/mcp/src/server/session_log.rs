//! What was called in a session, and what came of it: the report of an agent's session, for the agent itself and for people.
//!
//! Secrets stand in it masked; it is bounded however long a session lasts.

use std::collections::VecDeque;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use parking_lot::Mutex;
use serde_json::{Value, json};
use uixt_call::{CallToolRequest, CallToolResult, Redaction, Table, mask};
use uixt_locate::Object;

use crate::secrets::Secrets;

/// Most calls that are told of; older ones are only counted.
const MAX: usize = 300;
/// Most characters of a message.
const MAX_LEN: usize = 400;
/// Most bytes of a call's arguments.
const LONGEST_ARGUMENTS: usize = 2_000;

/// All the calls of a session.
pub(super) struct SessionLog {
    table: &'static Table,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    calls: VecDeque<Entry>,
    count: u64,
    failed: u64,
    redaction: Redaction,
    /// The refs and lines of the last snapshot.
    refs: Vec<(String, String)>,
    /// The device that calls without a serial go to, as far as answers told.
    device: Option<Device>,
}

/// Platform and serial.
pub(super) type Device = (String, String);

/// One call.
#[derive(Clone)]
pub(super) struct Entry {
    pub number: u64,
    at: DateTime<Utc>,
    pub tool: String,
    arguments: Object,
    pub device: Option<Device>,
    /// The kind of the error, where it failed.
    pub kind: Option<String>,
    message: String,
    took: Duration,
}

impl Entry {
    fn of(
        tool: String,
        request: &CallToolRequest,
        result: &CallToolResult,
        took: Duration,
        redaction: &Redaction,
    ) -> Self {
        let answer = result.structured_content.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
        let text = |key: &str| answer.get(key).and_then(Value::as_str).unwrap_or_default();
        let mut arguments = request.arguments.clone().unwrap_or_default();
        let mut own = Secrets::default();
        let hidden = mask::secrets(&arguments).into_iter().chain(mask::hide_typed(&mut arguments, &answer));
        hidden.for_each(|secret| _ = own.add_anywhere(&secret));
        let failed = result.is_failure();
        let kind = failed.then(|| Some(text("kind")).filter(|kind| !kind.is_empty()).unwrap_or("Service").to_owned());
        let mut shown = mask::masked(&arguments);
        shown.values_mut().for_each(|value| redaction.value(value));
        Self {
            number: 0,
            at: Utc::now(),
            tool,
            arguments: bounded(shown),
            device: result.device(),
            kind,
            message: clipped(&redaction.text(&own.masked(text("message")))),
            took,
        }
    }

    fn hide(&mut self, redaction: &Redaction) {
        self.message = redaction.text(&self.message);
        self.arguments.values_mut().for_each(|value| redaction.value(value));
    }

    pub(super) fn arguments(&self) -> &Object {
        &self.arguments
    }

    /// Returns the call as the report has it.
    pub(super) fn json(&self) -> Value {
        let mut entry = json!({
            "call": self.number,
            "at": self.at.to_rfc3339_opts(SecondsFormat::Millis, true),
            "tool": self.tool,
            "arguments": self.arguments,
            "outcome": if self.kind.is_some() { "failed" } else { "passed" },
        });
        if let Some(kind) = &self.kind {
            entry["kind"] = kind.as_str().into();
        }
        entry["message"] = self.message.as_str().into();
        entry["elapsed_ms"] = u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX).into();
        if let Some((platform, serial)) = &self.device {
            entry["device"] = json!({"platform": platform, "serial": serial});
        }
        entry
    }
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(MAX_LEN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Leaves out arguments that take more room than a report has for them.
fn bounded(arguments: Object) -> Object {
    let size = Value::Object(arguments.clone()).to_string().len();
    if size <= LONGEST_ARGUMENTS {
        return arguments;
    }
    let short = |value: Value| match value {
        Value::String(text) => clipped(&text).into(),
        Value::Array(_) | Value::Object(_) if value.to_string().len() > MAX_LEN => "…".into(),
        value => value,
    };
    arguments.into_iter().take(20).map(|(key, value)| (clipped(&key), short(value))).collect()
}

impl SessionLog {
    /// Begins a log, in which tools have the names that they have in a table.
    pub(super) fn new(table: &'static Table) -> Self {
        Self { table, told: Mutex::default() }
    }

    /// Adds a call that was answered; returns it with its number.
    pub(super) fn note(&self, request: &CallToolRequest, result: &CallToolResult, took: Duration) -> Entry {
        let mut told = self.told.lock();
        let told = &mut *told;
        // What is known as a secret only now was none before.
        if told.redaction.learn(request, result) {
            told.calls.iter_mut().for_each(|call| call.hide(&told.redaction));
        }
        let known = self.table.find(&request.name);
        let tool = known.map_or_else(|| clipped(&request.name), |tool| tool.name.to_owned());
        let mut entry = Entry::of(tool, request, result, took, &told.redaction);
        told.count += 1;
        entry.number = told.count;
        told.failed += u64::from(entry.kind.is_some());
        let names_device = request.arguments.as_ref().is_some_and(|arguments| arguments.contains_key("serial"));
        match entry.tool.as_str() {
            "select_device" if entry.kind.is_none() => told.device = selected(&entry.arguments),
            _ if entry.device.is_some() && !names_device => told.device.clone_from(&entry.device),
            _ => {}
        }
        if entry.tool == "snapshot" && entry.kind.is_none() {
            let answer = result.structured_content.as_ref().and_then(|answer| answer.get("snapshot")?.as_str());
            told.look(answer.unwrap_or_default());
        }
        told.calls.push_back(entry.clone());
        if told.calls.len() > MAX {
            told.calls.pop_front();
        }
        entry
    }

    /// Returns the whole report.
    pub(super) fn json(&self) -> Value {
        let told = self.told.lock();
        let left_out = told.count - told.calls.len() as u64;
        json!({
            "calls": told.count,
            "failed": told.failed,
            "left_out": left_out,
            "entries": told.calls.iter().map(Entry::json).collect::<Vec<_>>(),
        })
    }

    /// Returns the calls that are told of, the oldest first.
    pub(super) fn calls(&self) -> Vec<Entry> {
        self.told.lock().calls.iter().cloned().collect()
    }

    /// Returns the refs of the last snapshot, with their lines.
    pub(super) fn refs(&self) -> Vec<(String, String)> {
        let told = self.told.lock();
        told.refs.iter().map(|(name, line)| (name.clone(), told.redaction.text(line))).collect()
    }

    /// Masks the session's secrets in what a call read off the screen.
    pub(super) fn mask_what_is_seen(&self, request: &CallToolRequest, result: &mut CallToolResult) {
        self.told.lock().redaction.mask_what_is_seen(self.table, request, result);
    }

    /// Masks the session's secrets in a text.
    pub(super) fn masked(&self, text: &str) -> String {
        self.told.lock().redaction.text(text)
    }

    /// Tells whether calls that name no device go to this one, as far as is known.
    pub(super) fn is_usual(&self, device: &Device) -> bool {
        self.told.lock().device.as_ref().is_none_or(|usual| usual == device)
    }
}

fn selected(arguments: &Object) -> Option<Device> {
    let text = |key: &str| Some(arguments.get(key)?.as_str()?.to_owned());
    Some((text("platform")?, text("serial")?))
}

impl Told {
    /// Reads a snapshot's refs; one that tells only what changed adds to those before and takes from them.
    fn look(&mut self, text: &str) {
        let changes = text.lines().any(|line| line.starts_with(['+', '~', '-'])) || text == "no change";
        if !changes {
            self.refs.clear();
        }
        for line in text.lines() {
            let (sign, line) = match line.split_at_checked(2) {
                Some((sign @ ("+ " | "~ " | "- "), rest)) => (sign, rest),
                _ => ("+ ", line),
            };
            let Some((name, rest)) = line.split_once(' ').filter(|(name, _)| is_ref(name)) else { continue };
            self.refs.retain(|(known, _)| known != name);
            if sign != "- " {
                self.refs.push((name.to_owned(), rest.to_owned()));
            }
        }
    }
}

fn is_ref(word: &str) -> bool {
    word.strip_prefix('e').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    fn log() -> SessionLog {
        static NONE: LazyLock<Table> = LazyLock::new(|| Table::new(std::iter::empty()));
        SessionLog::new(&NONE)
    }

    fn call(tool: &str, arguments: Value) -> CallToolRequest {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        CallToolRequest::new(tool.to_owned()).with_arguments(arguments)
    }

    fn snapshot(log: &SessionLog, text: &str) -> Vec<String> {
        let answer = json!({"action": "snapshot", "success": true, "message": "", "snapshot": text});
        log.note(&call("snapshot", json!({})), &CallToolResult::structured(answer), Duration::ZERO);
        log.refs().into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn refs_are_those_of_the_last_snapshot_and_what_changed_since() {
        let log = log();
        assert_eq!(snapshot(&log, "a · b\ne1 heading \"A\"\ne12 button \"e3 x\"\n… 3 more elements"), ["e1", "e12"]);
        assert_eq!(snapshot(&log, "no change"), ["e1", "e12"]);
        assert_eq!(snapshot(&log, "changed:\n~ e1 heading \"B\"\n+ e13 text\n- e12 button"), ["e1", "e13"]);
        assert_eq!(snapshot(&log, "c\ne20 text"), ["e20"]);
    }

    #[test]
    fn a_secret_is_told_nowhere() {
        let log = log();
        let typed = call("input", json!({"text": "hunter22", "secret": true}));
        let failed =
            json!({"action": "input", "success": false, "message": "no field for hunter22", "kind": "NotFound"});
        log.note(&typed, &CallToolResult::structured_error(failed), Duration::ZERO);
        let shown = log.json();
        assert!(!shown.to_string().contains("hunter22"), "{shown}");
        assert_eq!((&shown["failed"], &shown["entries"][0]["outcome"]), (&json!(1), &json!("failed")));
    }

    #[test]
    fn what_was_a_secret_once_is_one_in_every_call() {
        let log = log();
        let passed = || CallToolResult::structured(json!({"success": true, "message": "typed hunter22"}));
        log.note(&call("log", json!({"message": "hunter22 it is"})), &passed(), Duration::ZERO);
        snapshot(&log, "a\ne1 text \"hunter22\"");
        log.note(&call("input", json!({"text": "hunter22", "secret": true})), &passed(), Duration::ZERO);
        let after = log.note(&call("tap_element", json!({"text": "no hunter22"})), &passed(), Duration::ZERO);
        let shown = format!("{}{:?}{}", log.json(), log.refs(), after.json());
        assert!(!shown.contains("hunter22") && shown.contains("it is"), "{shown}");
    }

    #[test]
    fn a_report_has_a_bound() {
        let log = log();
        for _ in 0..1_000 {
            let long = "x".repeat(100_000);
            let answer = json!({"action": "log", "success": true, "message": long});
            log.note(&call("log", json!({"message": long})), &CallToolResult::structured(answer), Duration::ZERO);
        }
        let shown = log.json();
        assert_eq!((&shown["calls"], &shown["left_out"]), (&json!(1_000), &json!(700)));
        assert!(shown.to_string().len() < 400_000, "{}", shown.to_string().len());
    }
}
