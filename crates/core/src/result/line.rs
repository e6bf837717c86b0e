//! A line of the journal → an [`Entry`]: the fields of all events stand side by side, so that a line is read in one go.
//!
//! What serde derives for a tagged enum that is flattened reads every line twice, by way of a copy of all its values.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::stamp;
use super::{Device, Entry, Event, Failure, Lookup, Mark, Mended, ModelUsage, Outcome, Place, Seen, Shard};
use crate::tool_times::ToolTimes;

/// Any line: what its event does not have is absent.
#[derive(Deserialize)]
pub(super) struct Line {
    v: u32,
    seq: u64,
    #[serde(with = "stamp")]
    at: DateTime<Utc>,
    event: Kind,
    uixt: Option<String>,
    paths: Option<Vec<String>>,
    cases: Option<u64>,
    shard: Option<Shard>,
    seed: Option<u64>,
    case: Option<String>,
    name: Option<String>,
    file: Option<String>,
    device: Option<Device>,
    #[serde(default)]
    tags: Vec<String>,
    steps: Option<u32>,
    step: Option<u32>,
    place: Option<Place>,
    attempt: Option<u32>,
    tool: Option<String>,
    arguments: Option<Map<String, Value>>,
    outcome: Option<Outcome>,
    began: Option<Began>,
    elapsed_ms: Option<u64>,
    #[serde(default)]
    waiting_ms: u64,
    message: Option<String>,
    error: Option<Failure>,
    screenshot: Option<String>,
    mark: Option<Mark>,
    lookup: Option<Lookup>,
    #[serde(default)]
    seen: Vec<Seen>,
    #[serde(default)]
    usage: ModelUsage,
    #[serde(default)]
    mended: Vec<Mended>,
    #[serde(default)]
    parts: ToolTimes,
    #[serde(default)]
    exports: Map<String, Value>,
    level: Option<String>,
    #[serde(default)]
    interrupted: bool,
}

/// A point in time that not every line has.
#[derive(Deserialize)]
struct Began(#[serde(with = "stamp")] DateTime<Utc>);

/// The names of the events.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    RunStarted,
    CaseStarted,
    DeviceChanged,
    StepStarted,
    ActionFinished,
    StepFinished,
    OwnToolFinished,
    Log,
    CaseFinished,
    RunFinished,
}

/// A field that the event must have is not there.
#[derive(Debug, thiserror::Error)]
#[error("missing field `{0}`")]
pub(super) struct Missing(&'static str);

impl TryFrom<Line> for Entry {
    type Error = Missing;

    fn try_from(line: Line) -> Result<Self, Missing> {
        Ok(Self { v: line.v, seq: line.seq, at: line.at, event: line.event()? })
    }
}

/// Takes a field that must be there.
macro_rules! need {
    ($line:ident.$field:ident) => {
        $line.$field.ok_or(Missing(stringify!($field)))?
    };
}

impl Line {
    fn event(self) -> Result<Event, Missing> {
        Ok(match self.event {
            Kind::RunStarted => {
                let (shard, seed) = (self.shard, self.seed);
                let (uixt, paths, cases) = (need!(self.uixt), need!(self.paths), need!(self.cases));
                Event::RunStarted { uixt, paths, cases, shard, seed }
            }
            Kind::CaseStarted => self.case_started()?,
            Kind::DeviceChanged => Event::DeviceChanged { case: need!(self.case), device: self.device },
            Kind::StepStarted => Event::StepStarted {
                case: need!(self.case),
                step: need!(self.step),
                name: need!(self.name),
                place: need!(self.place),
            },
            Kind::ActionFinished => self.action_finished()?,
            Kind::StepFinished => self.step_finished()?,
            Kind::OwnToolFinished => Event::OwnToolFinished {
                case: need!(self.case),
                tool: need!(self.tool),
                outcome: need!(self.outcome),
                elapsed_ms: need!(self.elapsed_ms),
                waiting_ms: self.waiting_ms,
            },
            Kind::Log => Event::Log { case: self.case, level: need!(self.level), message: need!(self.message) },
            Kind::CaseFinished => Event::CaseFinished {
                case: need!(self.case),
                outcome: need!(self.outcome),
                elapsed_ms: need!(self.elapsed_ms),
                error: self.error,
                exports: self.exports,
                usage: self.usage,
            },
            Kind::RunFinished => Event::RunFinished {
                outcome: need!(self.outcome),
                elapsed_ms: need!(self.elapsed_ms),
                interrupted: self.interrupted,
            },
        })
    }

    fn case_started(self) -> Result<Event, Missing> {
        Ok(Event::CaseStarted {
            case: need!(self.case),
            name: need!(self.name),
            file: need!(self.file),
            device: self.device,
            tags: self.tags,
            steps: need!(self.steps),
        })
    }

    fn action_finished(self) -> Result<Event, Missing> {
        Ok(Event::ActionFinished {
            case: need!(self.case),
            step: need!(self.step),
            attempt: need!(self.attempt),
            tool: need!(self.tool),
            arguments: need!(self.arguments),
            outcome: need!(self.outcome),
            began: need!(self.began).0,
            elapsed_ms: need!(self.elapsed_ms),
            waiting_ms: self.waiting_ms,
            message: self.message.unwrap_or_default(),
            error: self.error,
            place: need!(self.place),
            screenshot: self.screenshot,
            mark: self.mark,
            lookup: self.lookup,
            seen: self.seen,
            usage: self.usage,
            mended: self.mended,
            parts: self.parts,
        })
    }

    fn step_finished(self) -> Result<Event, Missing> {
        Ok(Event::StepFinished {
            case: need!(self.case),
            step: need!(self.step),
            name: need!(self.name),
            place: need!(self.place),
            outcome: need!(self.outcome),
            elapsed_ms: need!(self.elapsed_ms),
            error: self.error,
        })
    }
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
        serde_json::from_value(line).map_err(|error| error.to_string())
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
        let seen = json!([{"what": "OK", "left": 0.1, "top": 0.2, "right": 0.3, "bottom": 0.4, "confidence": 0.9}]);
        let also = [("message", json!("m")), ("error", error.clone()), ("screenshot", json!("s.png")), ("mark", tap)];
        let parts = json!({"tap": {"calls": 1, "succeeded": 1, "total_ms": 2, "waiting_ms": 1, "slowest_ms": 2, "buckets": {"2": 1}}});
        let more = [("seen", seen), ("waiting_ms", json!(2)), ("parts", parts)];
        for (key, value) in also.into_iter().chain(more) {
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
            json!({"event": "own_tool_finished", "case": "a#0", "tool": "log_in", "outcome": "passed", "elapsed_ms": 3, "waiting_ms": 2}),
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
            assert_eq!(serde_json::from_str::<Entry>(&text).unwrap(), entry, "{text}");
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
        let optional = [
            "device",
            "tags",
            "message",
            "error",
            "screenshot",
            "mark",
            "seen",
            "interrupted",
            "exports",
            "waiting_ms",
            "parts",
        ];
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
