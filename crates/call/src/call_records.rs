//! What a call did, told beside its answer to whoever asked for that ([`CallOptions::records`](super::CallOptions::records)).

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uixt_locate::Object;
use uixt_locate::screen_texts::ScreenText;

use super::message::{CallToolRequest, CallToolResult};

/// Holds what was done, beside an answer.
pub const RECORDS: &str = "call_records";

/// A call that was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallRecord {
    /// Grows from call to call; calls for one device never overlap.
    pub order: u64,
    pub tool: String,
    /// Checked, by their own names.
    pub arguments: Object,
    pub succeeded: bool,
    /// What was acted on.
    pub observation: Option<Observation>,
    /// Targets of the refs that stand in the arguments.
    pub refs: HashMap<String, Object>,
    /// What its answer gives first, where that is a short text or a number.
    pub value: Option<Value>,
    /// Whether its answer hides what was typed.
    pub hides: bool,
    /// Whether it is made of other calls, which are told by themselves.
    pub is_compound: bool,
    /// Whether it is a part of another call, which says all of it.
    pub is_part: bool,
}

/// What a call acted on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observation {
    /// The target that means it; none where it has to be touched by its place.
    pub target: Option<Object>,
    /// Why there is no target.
    pub why: String,
    /// What a person calls it.
    pub name: String,
    /// Title of the screen that it was on.
    pub page: String,
    /// Where it was touched and, for a swipe, where the finger went, in fractions of the screen.
    pub points: Vec<[f64; 2]>,
    /// The lower edge of what has to be seen of the element, in fractions of the screen's height.
    pub bottom: f64,
    /// Whether it stands in something that can scroll.
    pub scrolls: bool,
    /// Whether it came into view by the swipes before: it stands in what scrolls, and was not there.
    pub arrived: bool,
    /// Whether the swipes before did no more than move it.
    pub moved: bool,
    /// The short texts on the screen, in reading order.
    pub texts: Vec<ScreenText>,
    /// Whether what has the focus is for a secret.
    pub types_secret: bool,
}

impl CallRecord {
    /// Begins the record of a call, which comes after all others.
    pub fn new(tool: impl Into<String>, arguments: Object) -> Self {
        static ORDER: AtomicU64 = AtomicU64::new(0);
        Self { order: ORDER.fetch_add(1, Ordering::Relaxed), tool: tool.into(), arguments, ..Self::default() }
    }

    /// Returns what a call of another server's tool is: one of `mcp`.
    pub fn of_other(server: &str, request: &CallToolRequest) -> Self {
        let arguments =
            json!({"server": server, "tool": request.name, "arguments": request.arguments.clone().unwrap_or_default()});
        Self::new("mcp", arguments.as_object().cloned().unwrap_or_default())
    }

    /// Tells of the call beside its answer, in the place of what somebody else wrote there.
    pub fn tell(mut self, result: &mut CallToolResult) {
        self.succeeded = !result.is_failure();
        result.meta.get_or_insert_default().shift_remove(super::META);
        result.put_beside(RECORDS, json!([self]));
    }

    /// Puts records back that were taken out of an answer.
    pub fn put(records: &[Self], result: &mut CallToolResult) {
        if !records.is_empty() {
            result.put_beside(RECORDS, json!(records));
        }
    }

    /// Takes the records out of an answer; none where nobody told any.
    pub fn take(result: &mut CallToolResult) -> Vec<Self> {
        let told = result.take_beside(RECORDS);
        told.and_then(|told| serde_json::from_value(told).ok()).unwrap_or_default()
    }
}
