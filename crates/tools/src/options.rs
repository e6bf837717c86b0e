//! Options that `HttpRunner` knows on every action. They are no tool's arguments: they travel in a request's `_meta`.
//!
//! An option that a tool has an argument for is that argument. Any other either does something, which whoever does it notes
//! in [`Used`], or is answered with a warning, or is refused ([`without`]); none is dropped without a word.

mod values;
mod without;
mod written_goal;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{MetaObject, RequestMetaObject};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uixt_core::dialogs::Dialogs;
use uixt_core::fail_on::FailOn;
use uixt_pictures::Picture;

use super::arguments::snake_case;
use super::native_selectors::NativeSelectors;
use super::{ActionTool, CallTrace, Object};
use crate::driver::{Rect, Size};

pub use written_goal::WrittenGoal;

/// The server among the other MCP servers that is told of touches.
pub const TOUCH_SERVER: &str = "evalpkgs";

/// How much of what is seen on one picture is told.
const MOST_SEEN: usize = 150;

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
    #[serde(skip)]
    pub(super) used: Used,
    /// The selectors in the arguments.
    #[serde(skip)]
    pub(super) asked: NativeSelectors,
    /// Who looks on.
    #[serde(skip)]
    pub trace: CallTrace,
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

impl CallOptions {
    /// Tells whether something is asked of how the screen is touched.
    pub(super) fn concern_touches(&self) -> bool {
        let is_moved = self.offset.is_some() || self.offset_random_range.is_some() || self.tap_random_rect;
        self.pre_mark_operation || self.anti_risk || is_moved
    }
}

/// The options that did something in a call; it is told by whoever did it.
#[derive(Clone, Debug, Default)]
pub(super) struct Used {
    keys: Arc<Mutex<BTreeSet<&'static str>>>,
    /// What was not done after all, as warnings.
    warnings: Arc<Mutex<Vec<String>>>,
    /// What was seen on the last picture of the screen, as `result::Seen` reads it.
    seen: Arc<Mutex<Vec<Value>>>,
    /// The last picture of the screen that the call looked at.
    picture: Arc<Mutex<Option<Picture>>>,
}

impl PartialEq for Used {
    /// What was done says nothing of what was asked.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Used {
    /// Warns of what was asked for and cannot be done.
    pub(super) fn warn(&self, warning: String) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// Takes in what was seen at a place of the screen, where the call looked at its pixels.
    pub(super) fn see(&self, what: &str, place: Rect, screen: Size, confidence: f32) {
        let share = |value: i32, of: u32| (f64::from(value) / f64::from(of.max(1)) * 10_000.0).round() / 10_000.0;
        let confidence = (f64::from(confidence) * 100.0).round() / 100.0;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() < MOST_SEEN {
            seen.push(json!({
                "what": what, "confidence": confidence,
                "left": share(place.left, screen.width), "top": share(place.top, screen.height),
                "right": share(place.right, screen.width), "bottom": share(place.bottom, screen.height),
            }));
        }
    }

    /// Takes in a picture that is looked at; what was seen on the one before is forgotten.
    pub(super) fn look_at(&self, picture: &Picture) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clear();
        *self.picture.lock().unwrap_or_else(PoisonError::into_inner) = Some(picture.clone());
    }

    /// Returns the last picture that was looked at.
    pub(super) fn picture(&self) -> Option<Picture> {
        self.picture.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns what was seen on the last picture.
    pub(super) fn seen(&self) -> Vec<Value> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn warnings(&self) -> Vec<String> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn note(&self, key: &'static str) {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
    }

    fn holds(&self, key: &str) -> bool {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).contains(key)
    }
}

/// The key of a request's or result's `_meta` under which ours stands.
const META: &str = "uixt";

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

/// Returns the names of the options that can do something with any tool.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    KEYS.iter().copied()
}

/// Seconds between two looks where `max_retry_times` says how many, and nothing says how far apart.
const INTERVAL: Duration = Duration::from_secs(1);
/// What a look at the screen of a slow device may take.
const LOOK: Duration = Duration::from_secs(5);
/// The most that looking again may add to a call.
const MAX_DURATION: Duration = Duration::from_hours(1);

/// Something that is wrong with an option.
pub(super) struct Wrong {
    /// The option as it was written.
    pub key: String,
    pub message: String,
}

impl CallOptions {
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
        tool: &'static ActionTool,
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

    fn put(&mut self, tool: &'static ActionTool, name: &str, value: &Value) -> Result<(), String> {
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

    /// Returns what a request carries of them; none where all are as usual.
    pub fn to_meta(&self) -> Option<RequestMetaObject> {
        if *self == Self::default() {
            return None;
        }
        let mut meta = Object::new();
        meta.insert(META.to_owned(), serde_json::to_value(self).ok()?);
        Some(RequestMetaObject(MetaObject(meta)))
    }

    /// Reads them from a request; what is unreadable counts as absent, since `_meta` is open to everybody.
    pub fn from_meta(meta: Option<&RequestMetaObject>) -> Self {
        let read: Option<Self> =
            meta.and_then(|meta| meta.0.0.get(META).cloned()).and_then(|value| serde_json::from_value(value).ok());
        Self { trace: CallTrace::of(meta), ..read.unwrap_or_default() }
    }

    /// Adds what narrows a target down to the arguments of a tool that has one. It is no part of any published schema.
    pub(super) fn narrow(&self, tool: &'static ActionTool, arguments: &mut Object) {
        // Every tool that finds a target takes `regex` or `image`, or has only patterns; a test holds them to reading these, too.
        let finds = ["regex", "image"].into_iter().any(|name| tool.schema().property(name).is_some());
        if !finds && !tool.name.starts_with("swipe_to_tap_") {
            return;
        }
        let filters = [
            ("scope", self.scope.map(|scope| json!(scope))),
            ("abs_scope", self.abs_scope.map(|scope| json!(scope))),
            ("match_one", self.match_one.then(|| json!(true))),
        ];
        for (key, value) in filters {
            if let Some(value) = value {
                self.used.note(key);
                arguments.insert(key.to_owned(), value);
            }
        }
    }

    /// Returns how long to pause between two looks or after a swipe; none where nobody says.
    pub(super) fn pause(&self) -> Option<Duration> {
        let seconds = self.interval?;
        self.used.note("interval");
        Some(values::duration(seconds))
    }

    /// Returns how many looks there are after the first, and how far apart they are.
    pub(super) fn looks(&self) -> Option<(u32, Duration)> {
        let most = self.max_retry_times?;
        self.used.note("max_retry_times");
        Some((most, self.pause().unwrap_or(INTERVAL)))
    }

    /// Returns what the options may add to the time that a call takes.
    pub(super) fn added_time(&self) -> Duration {
        let pause = self.interval.map_or(Duration::ZERO, values::duration);
        let apart = self.interval.map_or(INTERVAL, values::duration);
        let looking = (apart + LOOK).saturating_mul(self.max_retry_times.unwrap_or(0));
        (pause + looking).min(MAX_DURATION)
    }

    /// Returns what a call that passed was asked in vain.
    pub fn in_vain(&self, tool: &str) -> Vec<String> {
        let asked = [
            ("pre_mark_operation", self.pre_mark_operation && !self.mark_is_implied),
            ("post_mark_operation", self.post_mark_operation),
            ("scope", self.scope.is_some()),
            ("abs_scope", self.abs_scope.is_some()),
            ("match_one", self.match_one),
            ("offset", self.offset.is_some()),
            ("offset_random_range", self.offset_random_range.is_some()),
            ("tap_random_rect", self.tap_random_rect),
            ("swipe_offset", self.swipe_offset.is_some()),
            ("max_retry_times", self.max_retry_times.is_some()),
            ("interval", self.interval.is_some()),
        ];
        let idle = asked.into_iter().filter(|(key, asked)| *asked && !self.used.holds(key));
        let new = idle.map(|(key, _)| without::meaningless(tool, key));
        let untold = self.anti_risk && !self.risk_is_implied && !self.used.holds("anti_risk");
        let untold = untold.then(|| {
            format!("`anti_risk` has no effect on {tool}: it reports touches, to a server `{TOUCH_SERVER}` in the file of MCP servers")
        });
        self.warnings.iter().cloned().chain(new).chain(untold).chain(self.used.warnings()).collect()
    }

    /// Returns the warnings of what was asked for and not done, which hold even where the call fails.
    pub fn undone(&self) -> Vec<String> {
        self.used.warnings()
    }

    /// Notes that `post_mark_operation` was followed; tells whether it was asked for.
    pub fn wants_picture_after(&self) -> bool {
        self.used.note("post_mark_operation");
        self.post_mark_operation
    }
}

/// Reads `ignore_NotFoundError`, which is not for what could then never fail.
fn ignore(tool: &'static ActionTool, value: &Value) -> Result<bool, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_survive_the_journey_in_meta() {
        let options = CallOptions {
            identifier: Some("a".to_owned()),
            pre_mark_operation: true,
            ignore_not_found: true,
            scope: Some([0.0, 0.5, 1.0, 1.0]),
            offset: Some([0, -5]),
            max_retry_times: Some(0),
            interval: Some(0.5),
            warnings: vec!["a".to_owned()],
            ..CallOptions::default()
        };
        assert_eq!(CallOptions::from_meta(options.to_meta().as_ref()), options);
        assert_eq!(CallOptions::default().to_meta(), None);
    }

    #[test]
    fn what_nobody_should_send_does_no_harm() {
        let options = CallOptions { interval: Some(-1e300), max_retry_times: Some(u32::MAX), ..CallOptions::default() };
        assert!(options.added_time() <= MAX_DURATION);
        assert_eq!(options.pause(), Some(Duration::ZERO));
    }

    #[test]
    fn what_was_followed_is_not_in_vain() {
        let options = CallOptions { interval: Some(1.0), offset: Some([1, 1]), ..CallOptions::default() };
        options.pause();
        assert_eq!(options.in_vain("home"), ["`offset` has no effect on home"]);
    }
}
