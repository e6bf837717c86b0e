//! Touching an element that may move, or be covered, between the look at it and the touch: where the platform tells that the touch
//! met something else, and kept it from that, the element is waited for and touched again.

use std::time::{Duration, Instant};

use super::context::Touched;
use super::finder::{Purpose, clip, describe};
use super::target::Target;
use super::wait::{self, Ready};
use super::{Context, Error, Kind, drawn_motion, occlusion};
use crate::driver::{Gesture, Rect};

/// An element and the touch that it took.
pub(super) struct Tapped {
    pub ready: Ready,
    pub touched: Touched,
}

/// Waits for a target and performs a gesture on the part of it that takes touches.
pub(super) async fn tap_when_actionable(
    cx: &Context,
    target: &Target,
    purpose: Purpose,
    timeout: Duration,
    gesture: impl Fn(Rect) -> Gesture,
) -> Result<Tapped, Error> {
    tap_part_when_actionable(cx, None, target, purpose, timeout, gesture).await
}

/// The same on an element that is ready to be touched already, where it is.
pub(super) async fn tap_part_when_actionable(
    cx: &Context,
    mut first: Option<Ready>,
    target: &Target,
    purpose: Purpose,
    timeout: Duration,
    gesture: impl Fn(Rect) -> Gesture,
) -> Result<Tapped, Error> {
    let end = Instant::now() + timeout;
    let mut strayed = None;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        // Of a wait that is over because of touches that went astray, these tell more than its last look.
        let ready = match first.take() {
            Some(ready) => ready,
            None => wait::ready(cx, target, purpose, left).await.map_err(|error| strayed.take().unwrap_or(error))?,
        };
        let (what, span) = (describe(&ready.element), wait::span(cx, timeout));
        let Some(ready) = drawn_motion::follow(cx, ready).await? else {
            let error = lost(target, &what, &span);
            if Instant::now() >= end {
                return Err(error);
            }
            strayed = Some(error);
            continue;
        };
        let gesture = gesture(occlusion::reachable(&ready.element, &ready.screen));
        let touched = cx.perform_on(&ready.element, gesture, ready.screen.display()).await?;
        let Some(by) = &touched.astray else { return Ok(Tapped { ready, touched }) };
        let error = astray(target, &what, &clip(by), &span);
        if Instant::now() >= end {
            return Err(error);
        }
        strayed = Some(error);
    }
}

fn lost(target: &Target, what: &str, span: &str) -> Error {
    Error::new(
        Kind::WaitTimeout,
        format!("{target}: seen, but it moved, and was gone when it was to be touched ({what}); not met {span}"),
    )
}

fn astray(target: &Target, what: &str, by: &str, span: &str) -> Error {
    let message = format!(
        "{target}: there, but as it was touched, {by} had come in its place and was kept from the touch ({what}); not met {span}"
    );
    Error::new(Kind::WaitTimeout, message).with("covered_by", by)
}
