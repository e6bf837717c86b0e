//! A line of the journal → an [`Entry`]: first what every line has, then the fields of its event.
//!
//! What serde derives for a tagged enum that is flattened makes a copy of all values of a line before it reads them.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Error, Map, Value, from_str};

use super::stamp;
use super::{Device, Entry, Event, Failure, Mark, Outcome, Place};

/// What every line has.
#[derive(Deserialize)]
struct Head {
    v: u32,
    seq: u64,
    #[serde(with = "stamp")]
    at: DateTime<Utc>,
    event: Kind,
}

/// The names of the events.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    RunStarted,
    CaseStarted,
    StepStarted,
    ActionFinished,
    StepFinished,
    Log,
    CaseFinished,
    RunFinished,
}

impl Entry {
    /// Reads a line of the journal.
    pub fn read(line: &str) -> Result<Self, Error> {
        let Head { v, seq, at, event } = from_str(line)?;
        Ok(Self { v, seq, at, event: read(event, line)? })
    }
}

/// Reads an event's own fields.
fn read(kind: Kind, line: &str) -> Result<Event, Error> {
    /// Reads the fields of one event, which are those of its variant.
    macro_rules! fields {
        ($variant:ident { $($(#[$meta:meta])? $field:ident: $type:ty),* }) => {{
            #[derive(Deserialize)]
            struct Fields {
                $($(#[$meta])? $field: $type),*
            }
            let Fields { $($field),* } = from_str(line)?;
            Event::$variant { $($field),* }
        }};
    }
    type Object = Map<String, Value>;
    Ok(match kind {
        Kind::RunStarted => fields!(RunStarted { uixt: String, paths: Vec<String>, cases: u64 }),
        Kind::CaseStarted => fields!(CaseStarted {
            case: String, name: String, file: String, device: Option<Device>, #[serde(default)] tags: Vec<String>, steps: u32
        }),
        Kind::StepStarted => fields!(StepStarted { case: String, step: u32, name: String, place: Place }),
        Kind::ActionFinished => fields!(ActionFinished {
            case: String, step: u32, attempt: u32, tool: String, arguments: Object, outcome: Outcome,
            #[serde(with = "stamp")] began: DateTime<Utc>, elapsed_ms: u64, #[serde(default)] message: String,
            error: Option<Failure>, place: Place, screenshot: Option<String>, mark: Option<Mark>
        }),
        Kind::StepFinished => fields!(StepFinished {
            case: String, step: u32, name: String, place: Place, outcome: Outcome, elapsed_ms: u64, error: Option<Failure>
        }),
        Kind::Log => fields!(Log { case: Option<String>, level: String, message: String }),
        Kind::CaseFinished => fields!(CaseFinished {
            case: String, outcome: Outcome, elapsed_ms: u64, error: Option<Failure>, #[serde(default)] exports: Object
        }),
        Kind::RunFinished => {
            fields!(RunFinished {
                outcome: Outcome,
                elapsed_ms: u64,
                #[serde(default)]
                interrupted: bool
            })
        }
    })
}

impl Entry {
    /// Returns when a line was written and the name of its event, where it begins as every line that is written here.
    pub fn glance(line: &[u8]) -> Option<(DateTime<Utc>, &[u8])> {
        let rest = after_digits(line.strip_prefix(b"{\"v\":")?);
        let rest = after_digits(rest.strip_prefix(b",\"seq\":")?);
        let (at, rest) = rest.strip_prefix(b",\"at\":\"")?.split_at_checked(stamp::LENGTH)?;
        let rest = rest.strip_prefix(b"\",\"event\":\"")?;
        let end = rest.iter().position(|byte| *byte == b'"')?;
        Some((stamp::read(at)?, &rest[..end]))
    }
}

fn after_digits(bytes: &[u8]) -> &[u8] {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    &bytes[digits..]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(event: &Value) -> Result<Entry, String> {
        let mut line = json!({"v": 1, "seq": 7, "at": "2026-11-22T10:00:01.204Z"});
        for (key, value) in event.as_object().unwrap() {
            line[key] = value.clone();
        }
        Entry::read(&line.to_string()).map_err(|error| error.to_string())
    }

    /// Every event, once with all that it may hold and once with what it must.
    fn events() -> Vec<Value> {
        let place = json!({"file": "a.yaml", "line": 7, "column": 3});
        let error = json!({"kind": "NotFound", "message": "no", "details": {"near": ["x"]}});
        let device = json!({"platform": "android", "serial": "s", "name": "virtual phone"});
        let tap = json!({"gesture": "tap", "x": 0.5, "y": 0.25});
        let action = json!({"event": "action_finished", "case": "a#0", "step": 1, "attempt": 1, "tool": "tap_xy",
            "arguments": {"x": 0.5}, "outcome": "passed", "began": "2026-11-22T10:00:01.204Z", "elapsed_ms": 3, "place": place});
        let mut full = action.clone();
        for (key, value) in
            [("message", json!("m")), ("error", error.clone()), ("screenshot", json!("s.png")), ("mark", tap)]
        {
            full[key] = value;
        }
        vec![
            json!({"event": "run_started", "uixt": "1", "paths": ["a"], "cases": 1}),
            json!({"event": "case_started", "case": "a#0", "name": "A", "file": "a.yaml", "steps": 1}),
            json!({"event": "case_started", "case": "a#0", "name": "A", "file": "a.yaml", "device": device, "tags": ["t"], "steps": 1}),
            json!({"event": "step_started", "case": "a#0", "step": 1, "name": "n", "place": place}),
            action,
            full,
            json!({"event": "step_finished", "case": "a#0", "step": 1, "name": "n", "place": place, "outcome": "failed", "elapsed_ms": 3}),
            json!({"event": "log", "level": "warn", "message": "slow"}),
            json!({"event": "log", "case": "a#0", "level": "warn", "message": "slow"}),
            json!({"event": "case_finished", "case": "a#0", "outcome": "passed", "elapsed_ms": 3}),
            json!({"event": "case_finished", "case": "a#0", "outcome": "errored", "elapsed_ms": 3, "error": error, "exports": {"token": 1}}),
            json!({"event": "run_finished", "outcome": "passed", "elapsed_ms": 3}),
            json!({"event": "run_finished", "outcome": "errored", "elapsed_ms": 3, "interrupted": true}),
        ]
    }

    #[test]
    fn what_is_written_is_read_back() {
        for event in events() {
            let entry = read(&event).unwrap();
            let text = serde_json::to_string(&entry).unwrap();
            assert_eq!(Entry::read(&text).unwrap(), entry, "{text}");
            let name = event["event"].as_str().unwrap().as_bytes();
            assert_eq!(Entry::glance(text.as_bytes()), Some((entry.at, name)), "{text}");
            let written: Value = serde_json::from_str(&text).unwrap();
            for (key, value) in event.as_object().unwrap() {
                assert_eq!(&written[key], value, "{key} of {text}");
            }
        }
    }

    #[test]
    fn a_field_that_is_needed_is_missed() {
        let optional = ["device", "tags", "message", "error", "screenshot", "mark", "interrupted", "exports"];
        for event in events() {
            for key in event.as_object().unwrap().keys() {
                let of_log = event["event"] == "log";
                let may_lack = if of_log { key == "case" } else { optional.contains(&key.as_str()) };
                let mut less = event.clone();
                less.as_object_mut().unwrap().shift_remove(key);
                let read = read(&less);
                assert_eq!(read.is_ok(), may_lack, "{event} without {key}");
                assert!(read.is_ok() || read.unwrap_err().contains(&format!("missing field `{key}`")));
            }
        }
        assert!(read(&json!({"event": "coffee"})).unwrap_err().contains("unknown variant `coffee`"));
    }
}
