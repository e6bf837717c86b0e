//! The options of a call that runs, with what came of them: whoever follows one notes it, and what was asked for in vain is told.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use uixt_call::{CallOptions, CallTimes, TOUCH_SERVER, ToolRow, meaningless};
use uixt_driver::{Rect, Size};
use uixt_locate::Object;
use uixt_pictures::Picture;

use crate::native_selectors::NativeSelectors;
use crate::traces::call_trace::CallTrace;

/// How much of what is seen on one picture is told.
const MOST_SEEN: usize = 150;

/// Seconds between two looks where `max_retry_times` says how many, and nothing says how far apart.
const INTERVAL: Duration = Duration::from_secs(1);
/// What a look at the screen of a slow device may take.
const LOOK: Duration = Duration::from_secs(5);
/// The most that looking again may add to a call.
const MAX_DURATION: Duration = Duration::from_hours(1);

/// What a call is asked beside its arguments, and what came of that. Copies share what came of it.
#[derive(Clone, Debug, Default)]
pub struct ActiveOptions {
    options: CallOptions,
    /// What came of them.
    pub used: Used,
    /// The selectors in the arguments.
    pub asked: NativeSelectors,
    /// Who looks on.
    pub trace: CallTrace,
    /// What the call tells of its time.
    pub times: CallTimes,
}

impl From<CallOptions> for ActiveOptions {
    fn from(options: CallOptions) -> Self {
        let trace = if options.records { CallTrace::default().looking_on() } else { CallTrace::default() };
        Self { options, trace, ..Self::default() }
    }
}

impl Deref for ActiveOptions {
    type Target = CallOptions;

    fn deref(&self) -> &CallOptions {
        &self.options
    }
}

/// What came of a call's options; it is told by whoever did it.
#[derive(Clone, Debug, Default)]
pub struct Used(Arc<Mutex<Outcome>>);

#[derive(Debug, Default)]
struct Outcome {
    /// The options that did something.
    keys: BTreeSet<&'static str>,
    /// What was not done after all, as warnings.
    warnings: Vec<String>,
    /// What was seen on the last picture of the screen, as `result::Seen` reads it.
    seen: Vec<Value>,
    /// The last picture of the screen that the call looked at.
    picture: Option<Picture>,
}

impl Used {
    /// Warns of what was asked for and cannot be done.
    pub fn warn(&self, warning: String) {
        let warnings = &mut self.0.lock().warnings;
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// Takes in what was seen at a place of the screen, where the call looked at its pixels.
    pub(super) fn see(&self, what: &str, place: Rect, screen: Size, confidence: f32) {
        let share = |value: i32, of: u32| (f64::from(value) / f64::from(of.max(1)) * 10_000.0).round() / 10_000.0;
        let confidence = (f64::from(confidence) * 100.0).round() / 100.0;
        let seen = &mut self.0.lock().seen;
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
        let mut outcome = self.0.lock();
        outcome.seen.clear();
        outcome.picture = Some(picture.clone());
    }

    /// Returns the last picture that was looked at.
    pub(super) fn picture(&self) -> Option<Picture> {
        self.0.lock().picture.clone()
    }

    /// Returns what was seen on the last picture.
    pub fn seen(&self) -> Vec<Value> {
        self.0.lock().seen.clone()
    }

    /// Returns the warnings of what was asked for and not done, which hold even where the call fails.
    pub fn warnings(&self) -> Vec<String> {
        self.0.lock().warnings.clone()
    }

    pub(super) fn note(&self, key: &'static str) {
        self.0.lock().keys.insert(key);
    }

    fn holds(&self, key: &str) -> bool {
        self.0.lock().keys.contains(key)
    }
}

impl ActiveOptions {
    /// Looks on where nobody does yet.
    pub fn looking_on(&self) -> Self {
        Self { trace: self.trace.looking_on(), ..self.clone() }
    }

    /// Tells whether something is asked of how the screen is touched.
    pub fn concern_touches(&self) -> bool {
        let is_moved = self.offset.is_some() || self.offset_random_range.is_some() || self.tap_random_rect;
        self.pre_mark_operation || self.anti_risk || is_moved
    }

    /// Lets only a tool pass without its target that could fail otherwise: a testcase is told at load, and a call may come from anybody.
    pub fn keep_absence(&mut self, tool: &ToolRow) {
        self.options.ignore_not_found &= tool.target_may_be_absent;
    }

    /// Adds what narrows a target down to the arguments of a tool that has one. It is no part of any published schema.
    pub(super) fn narrow(&self, tool: &'static ToolRow, arguments: &mut Object) {
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
        let apart = self.apart()?;
        self.used.note("interval");
        Some(apart)
    }

    /// Returns how many looks there are after the first, and how far apart they are.
    pub(super) fn looks(&self) -> Option<(u32, Duration)> {
        let most = self.max_retry_times?;
        self.used.note("max_retry_times");
        Some((most, self.pause().unwrap_or(INTERVAL)))
    }

    /// Returns what the options may add to the time that a call takes.
    pub(super) fn added_time(&self) -> Duration {
        let apart = self.apart();
        let looking = (apart.unwrap_or(INTERVAL) + LOOK).saturating_mul(self.max_retry_times.unwrap_or(0));
        (apart.unwrap_or_default() + looking).min(MAX_DURATION)
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
        let new = idle.map(|(key, _)| meaningless(tool, key));
        let untold = self.anti_risk && !self.risk_is_implied && !self.used.holds("anti_risk");
        let untold = untold.then(|| {
            format!("`anti_risk` has no effect on {tool}: it reports touches, to a server `{TOUCH_SERVER}` in the file of MCP servers")
        });
        self.warnings.iter().cloned().chain(new).chain(untold).chain(self.used.warnings()).collect()
    }

    /// Notes that `post_mark_operation` was followed; tells whether it was asked for.
    pub fn wants_picture_after(&self) -> bool {
        if self.post_mark_operation {
            self.used.note("post_mark_operation");
        }
        self.post_mark_operation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn active(options: CallOptions) -> ActiveOptions {
        ActiveOptions::from(options)
    }

    #[test]
    fn what_nobody_should_send_does_no_harm() {
        let options = CallOptions { interval: Some(-1e300), max_retry_times: Some(u32::MAX), ..CallOptions::default() };
        let options = active(options);
        assert!(options.added_time() <= MAX_DURATION);
        assert_eq!(options.pause(), Some(Duration::ZERO));
    }

    #[test]
    fn what_was_followed_is_not_in_vain() {
        let options = active(CallOptions { interval: Some(1.0), offset: Some([1, 1]), ..CallOptions::default() });
        options.pause();
        assert_eq!(options.in_vain("home"), ["`offset` has no effect on home"]);
    }
}
