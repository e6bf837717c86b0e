//! Where elements stood → the steps that bring them into view on a phone whose screen shows less.

use serde_json::Value;
use uixt_call::{Observation, ToolKind};

use super::{Layout, Line};
use crate::candidate::Action;

/// How far down on the screen an element stands that a smaller screen may not show, in fractions of the height: a phone of 570 dp
/// shows of one of 910 dp the upper half, and a quarter above its keyboard.
const DEEP: f64 = 0.45;
const DEEP_BY_KEYBOARD: f64 = 0.28;
/// A field further down may be beneath the keyboard of the field before it, where the phone lies on its side.
const DEEP_FIELD: f64 = 0.18;
/// The same distance counts as none.
const NEAR: f64 = 0.02;
/// How far up an element is that may be out of view once another was scrolled to.
const UP: f64 = 0.15;

impl Layout {
    /// Brings into view what stands where another screen may not show it.
    pub(super) fn scroll(&mut self, action: &Action) {
        let observation = &action.observation;
        if action.is(ToolKind::Search) {
            self.reach = Some((observation.bottom, true));
            return;
        }
        // A browser brings what is on a page into view by itself.
        let is_page = action.device.as_ref().is_some_and(|(platform, _)| platform == "browser");
        if !observation.scrolls || is_page || action.tool == "assert_not_visible" {
            return;
        }
        let before = self.reach.filter(|_| self.page == observation.page);
        let types = action.is(ToolKind::Typing);
        let deep = match self.typing && self.page == observation.page {
            true if types => DEEP_FIELD,
            true => DEEP_BY_KEYBOARD,
            false => DEEP,
        };
        let swiped = if observation.arrived || observation.moved { self.take_swipes() } else { None };
        let side = match swiped {
            Some(side) => Some(side),
            None if observation.arrived => Some("down"),
            None => side(observation.bottom, before, deep),
        };
        self.reach = Some((
            observation.bottom,
            swiped.is_some() || observation.arrived || before.is_some_and(|(_, scrolled)| scrolled),
        ));
        let Some(side) = side else { return };
        let mut arguments = action.target.clone();
        let is_in_view = |line: &Line| line.action.target == action.target && line.action.device == action.device;
        if self.last().is_some_and(is_in_view) {
            return;
        }
        if side != "down" {
            arguments.insert("direction".to_owned(), side.into());
        }
        self.push(Action {
            table: self.table,
            tool: "scroll_to".to_owned(),
            arguments,
            target: action.target.clone(),
            // Where a page begins with this, how far down it is stays known.
            observation: Observation { page: observation.page.clone(), scrolls: true, ..Observation::default() },
            device: action.device.clone(),
            ..Action::default()
        });
    }

    /// Takes back the swipes that led to what is acted on now; returns where one looked last.
    fn take_swipes(&mut self) -> Option<&'static str> {
        let mut side = None;
        while let Some(looked) = self.last().and_then(|line| upright(&line.action)) {
            side = side.or(Some(looked));
            self.pop();
        }
        side
    }
}

/// Returns where to scroll for an element of this depth, after one of another on the same page.
fn side(bottom: f64, before: Option<(f64, bool)>, deep: f64) -> Option<&'static str> {
    match before {
        Some((last, true)) if bottom > last + NEAR => Some("down"),
        Some((last, true)) if bottom < last - NEAR => Some("up"),
        Some((_, true)) => None,
        Some((last, false)) if last > deep && bottom < last - UP => Some("up"),
        _ if bottom > deep => Some("down"),
        _ => None,
    }
}

/// Returns where a swipe or a scroll over the screen looks: up or down.
fn upright(action: &Action) -> Option<&'static str> {
    let direction = action.arguments.get("direction").and_then(Value::as_str);
    match (action.tool.as_str(), direction?) {
        ("scroll", "down") | ("swipe", "up") => Some("down"),
        ("scroll", "up") | ("swipe", "down") => Some("up"),
        _ => None,
    }
}
