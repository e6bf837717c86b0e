//! Touching an element that may move, or be covered, between the look at it and the touch: where the platform tells that the touch
//! met something else, and kept it from that, the element is waited for and touched again.

use std::time::{Duration, Instant};

use uixt_driver::{Gesture, Rect};
use uixt_locate::finder::Purpose;
use uixt_locate::target::Target;
use uixt_locate::wording::{clip, describe};
use uixt_locate::{Error, Kind, occlusion};

use super::touched::Touched;
use crate::Context;
use crate::pixels::drawn_motion;
use crate::wait::{self, Ready, TimeLimit};

/// An element and the touch that it took.
pub struct Tapped {
    /// The element, as it was found.
    pub ready: Ready,
    /// What the touch left.
    pub touched: Touched,
}

/// Waits for a target and performs a gesture on the part of it that takes touches.
pub async fn tap_when_actionable(
    cx: &Context,
    target: &Target,
    purpose: Purpose,
    timeout: Duration,
    gesture: impl Fn(Rect) -> Gesture,
) -> Result<Tapped, Error> {
    tap_part_when_actionable(cx, None, target, purpose, timeout, gesture).await
}

/// The same on an element that is ready to be touched already, where it is.
pub async fn tap_part_when_actionable(
    cx: &Context,
    mut first: Option<Ready>,
    target: &Target,
    purpose: Purpose,
    timeout: Duration,
    gesture: impl Fn(Rect) -> Gesture,
) -> Result<Tapped, Error> {
    let mut attempts = Attempts::new(timeout);
    loop {
        let ready = match first.take() {
            Some(ready) => ready,
            None => attempts.ready(cx, target, purpose).await?,
        };
        let what = describe(&ready.element);
        let Some(ready) = drawn_motion::follow(cx, ready).await? else {
            attempts.failed(lost(target, &what, &wait::span(cx, timeout)))?;
            continue;
        };
        let gesture = gesture(occlusion::reachable(&ready.element, &ready.screen));
        let touched = cx.perform_on(&ready.element, gesture, ready.screen.display()).await?;
        let Some(by) = &touched.astray else { return Ok(Tapped { ready, touched }) };
        attempts.went_astray(cx, target, &what, by)?;
    }
}

/// Touches of one call, which are repeated until its time is over.
pub struct Attempts {
    limit: TimeLimit,
    /// Why the last touch was none.
    before: Option<Error>,
}

impl Attempts {
    /// Begins the time in which it is touched.
    pub fn new(timeout: Duration) -> Self {
        Self { limit: timeout.into(), before: None }
    }

    /// Waits for a target as long as there is time; of a wait that is over, why the touch before was none tells more than its last look.
    pub async fn ready(&mut self, cx: &Context, target: &Target, purpose: Purpose) -> Result<Ready, Error> {
        wait::ready(cx, target, purpose, self.limit).await.map_err(|error| self.before.take().unwrap_or(error))
    }

    /// Notes that something else was met in the place of a target; an error where no time is left.
    pub fn went_astray(&mut self, cx: &Context, target: &Target, what: &str, by: &str) -> Result<(), Error> {
        self.failed(astray(target, what, &clip(by), &wait::span(cx, self.limit.asked)))
    }

    fn failed(&mut self, error: Error) -> Result<(), Error> {
        if Instant::now() >= self.limit.end {
            return Err(error);
        }
        self.before = Some(error);
        Ok(())
    }
}

fn lost(target: &Target, what: &str, span: &str) -> Error {
    Error::new(Kind::WaitTimeout, format!("{target}: it moved away before the touch ({what}); not touched {span}"))
}

fn astray(target: &Target, what: &str, by: &str, span: &str) -> Error {
    let message = format!("{target}: touch blocked: {by} came over it ({what}); not touched {span}");
    Error::new(Kind::WaitTimeout, message).with("covered_by", by)
}
