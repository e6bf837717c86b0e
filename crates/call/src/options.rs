//! Options that `HttpRunner` knows on every action. They are no tool's arguments: they travel beside these in a request.
//!
//! An option that a tool has an argument for is that argument. Any other either does something, or is answered with a warning, or is
//! refused ([`without`]); none is dropped without a word.

mod values;
mod without;
mod written_goal;

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uixt_core::dialogs::Dialogs;
use uixt_core::fail_on::FailOn;
use uixt_locate::Object;

use super::ToolRow;
use super::arguments::snake_case;

pub use without::meaningless;
pub use written_goal::WrittenGoal;

/// The server among the other MCP servers that is told of touches.
pub const TOUCH_SERVER: &str = "evalpkgs";

/// What a call is asked beside its arguments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallOptions {
    /// A name for this action in logs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// Takes a picture just before the screen is touched, with the touch marked on it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pre_mark_operation: bool,
    /// Nobody wrote `pre_mark_operation`: the run wants a picture of every touch.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mark_is_implied: bool,
    /// Takes a picture once all is done.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub post_mark_operation: bool,
    /// What the action's picture is called in the report's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot_file_name: Option<String>,
    /// Passes when the target is not there (and waits for it 2 s rather than 10 s).
    #[serde(rename = "ignore_NotFoundError", skip_serializing_if = "std::ops::Not::not")]
    pub ignore_not_found: bool,
    /// Where the target lies: left, top, right, bottom in fractions of the screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<[f64; 4]>,
    /// The same in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abs_scope: Option<[i32; 4]>,
    /// The first of several targets will do.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub match_one: bool,
    /// Pixels by which a tap lies right of and below its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<[i32; 2]>,
    /// Pixels, from and to, of which a random number is added to either side of a tap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset_random_range: Option<[i32; 2]>,
    /// Taps a random point of the element rather than its middle.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tap_random_rect: bool,
    /// Pixels by which a swipe's start (x, y) and end (x, y) lie off their places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swipe_offset: Option<[i32; 4]>,
    /// How many more looks there are for a target after the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_retry_times: Option<u32>,
    /// Seconds between two looks for a target, and after a swipe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<f64>,
    /// Tells the server `evalpkgs` of each touch.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub anti_risk: bool,
    /// Nobody wrote `anti_risk` at the action: the step or the config did, for all actions.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub risk_is_implied: bool,
    /// The Python file that `call_function` reaches, where it is not that of the session; empty where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub functions: Option<PathBuf>,
    /// The file of the testcase that the call stands in, where it names files beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub testcase: Option<PathBuf>,
    /// The goal as its testcase writes it, where what is stored of it is found by that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<WrittenGoal>,
    /// What paths of addresses continue: the config's `base_url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// For how long its step had been running when the call was made, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_ms: Option<u64>,
    /// What becomes of the dialogs that pages open and that no step answers.
    #[serde(skip_serializing_if = "Dialogs::is_fail")]
    pub dialogs: Dialogs,
    /// What that goes wrong beside the call fails it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fail_on: Vec<FailOn>,
    /// Of which calls it is told what the device says beside the answer.
    #[serde(skip_serializing_if = "Wanted::is_never")]
    pub evidence: Wanted,
    /// What was asked in vain, known before the call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Whether it is told beside the answer what the call did, as a [`CallRecord`](super::CallRecord).
    #[serde(rename = "witness", skip_serializing_if = "std::ops::Not::not")]
    pub records: bool,
}

/// Of which calls evidence is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    #[default]
    Never,
    Failed,
    All,
}

impl Wanted {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    fn is_never(&self) -> bool {
        *self == Self::Never
    }
}

/// The option that lets a call pass without its target.
const IGNORE: &str = "ignore_NotFoundError";

/// The options that can do something, in `snake_case`.
const KEYS: &[&str] = &[
    "identifier",
    "pre_mark_operation",
    "post_mark_operation",
    "screenshot_file_name",
    "ignore_not_found_error",
    "scope",
    "abs_scope",
    "match_one",
    "offset",
    "tap_offset",
    "offset_random_range",
    "tap_random_rect",
    "swipe_offset",
    "max_retry_times",
    "interval",
    "anti_risk",
];

/// Something that is wrong with an option.
pub(super) struct Wrong {
    /// The option as it was written.
    pub key: String,
    pub message: String,
}

impl CallOptions {
    /// Returns the options that can do something with any tool.
    pub(super) fn effective() -> impl Iterator<Item = &'static str> {
        KEYS.iter().copied()
    }

    /// Returns the options that can do something or are harmless.
    pub fn names() -> impl Iterator<Item = &'static str> {
        KEYS.iter().copied().chain([IGNORE]).chain(without::idle())
    }

    /// Tells whether `key` is one of `HttpRunner`'s options, in any spelling and whatever becomes of it.
    pub fn knows(key: &str) -> bool {
        let key = snake_case(key);
        KEYS.contains(&key.as_str()) || without::knows(&key)
    }

    /// Takes the options out of `object`, and says what is wrong with any.
    ///
    /// What `tool` has an argument for stays; what `holds` variables is left for the call. `is_apart` tells whether a key
    /// stood under `options` or beside `method`, where `HttpRunner` takes every option for every action.
    pub(super) fn take(
        tool: &'static ToolRow,
        object: &mut Object,
        is_apart: &dyn Fn(&str) -> bool,
        holds: &dyn Fn(&Value) -> bool,
    ) -> (Self, Vec<Wrong>) {
        let (mut options, mut wrong) = (Self::default(), Vec::new());
        if object.keys().all(|key| tool.takes(key)) {
            return (options, wrong);
        }
        let mut rest = Object::new();
        for (key, value) in std::mem::take(object) {
            let name = snake_case(&key);
            let is_option = !tool.takes(&key) && (Self::knows(&key) || (is_apart(&key) && without::is_common(&name)));
            if !is_option {
                rest.insert(key, value);
            } else if (!holds(&value) || without::refuses(&name))
                && let Err(message) = options.put(tool, &name, &value)
            {
                wrong.push(Wrong { key, message });
            }
        }
        *object = rest;
        (options, wrong)
    }

    /// Returns how long to pause between two looks, whoever wrote it.
    pub fn apart(&self) -> Option<Duration> {
        self.interval.map(values::duration)
    }

    fn put(&mut self, tool: &'static ToolRow, name: &str, value: &Value) -> Result<(), String> {
        if without::is_empty(value) {
            return Ok(());
        }
        match name {
            "identifier" => self.identifier = Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned)),
            "pre_mark_operation" => self.pre_mark_operation = values::flag(name, value)?,
            "post_mark_operation" => self.post_mark_operation = values::flag(name, value)?,
            "screenshot_file_name" => self.screenshot_file_name = Some(values::text(name, value)?),
            "ignore_not_found_error" => self.ignore_not_found = ignore(tool, value)?,
            "scope" => self.scope = Some(values::fractions(name, value)?),
            "abs_scope" => self.abs_scope = Some(values::area(name, value)?),
            "match_one" => self.match_one = values::flag(name, value)?,
            "offset" | "tap_offset" if self.offset.is_some() => {
                return Err("`offset` and `tap_offset` are the same: write one of them".to_owned());
            }
            "offset" | "tap_offset" => self.offset = Some(values::pixels(name, value)?),
            "offset_random_range" => self.offset_random_range = Some(values::range(name, value)?),
            "tap_random_rect" => self.tap_random_rect = values::flag(name, value)?,
            "swipe_offset" => self.swipe_offset = Some(values::pixels(name, value)?),
            "max_retry_times" => self.max_retry_times = Some(values::count(name, value)?),
            "anti_risk" => self.anti_risk = values::flag(name, value)?,
            "interval" => self.interval = Some(values::seconds(name, value)?),
            _ => self.warnings.extend(without::judge(tool.name, name, value)?),
        }
        Ok(())
    }
}

/// Reads `ignore_NotFoundError`, which is not for what could then never fail.
fn ignore(tool: &'static ToolRow, value: &Value) -> Result<bool, String> {
    let asked = values::flag(IGNORE, value)?;
    if asked && !tool.target_may_be_absent {
        let why = match tool.schema().property("text") {
            Some(_) => "it could never fail",
            None => "it has no target that may be absent",
        };
        return Err(format!("`{IGNORE}` does not go with {}: {why}", tool.name));
    }
    Ok(asked)
}
