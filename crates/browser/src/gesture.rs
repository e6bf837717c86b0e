//! What a finger does → what a pointer does: a mouse on ordinary pages, a finger on pages for phones.

use std::time::Duration;

use super::backend::Act;
use crate::driver::{Gesture, Point, Stop};

/// What a gesture becomes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Motion {
    Acts(Vec<Act>),
    /// The content under the point moves with the finger, so that the page scrolls the other way.
    Scroll {
        at: Point,
        x: f64,
        y: f64,
    },
    /// More than one finger, which no page has here.
    Fingers,
}

/// Time between two samples of a motion.
const SAMPLE: Duration = Duration::from_millis(16);

/// Fewest and most samples of a motion: a page may ask for more than one before it takes it for a drag.
const SAMPLES: (u32, u32) = (5, 120);

/// How long a page for phones must be held before it takes a touch for a long press.
const LONG_PRESS: Duration = Duration::from_millis(600);

/// How long a mouse holds what it drags before it moves, and rests before it lets go: many libraries begin a drag after a hold of up to a
/// quarter of a second, and move their lists while something is dragged over them.
const HOLD: Duration = Duration::from_millis(300);
const SETTLE: Duration = Duration::from_millis(150);

/// Time between the two taps of a double tap.
const BETWEEN: Duration = Duration::from_millis(60);

/// Reduces a gesture. A mouse does not scroll by drawing: where one is used, a swipe becomes a scroll.
pub(super) fn motion(gesture: Gesture, is_finger: bool) -> Motion {
    Motion::Acts(match gesture {
        Gesture::Tap { at, hold } if hold.is_zero() => vec![Act::Move(at), Act::Press(1), Act::Release],
        Gesture::Tap { at, hold } => vec![Act::Move(at), Act::Press(1), Act::Rest(hold), Act::Release],
        Gesture::DoubleTap { at } => {
            let second = [Act::Move(at), Act::Press(2), Act::Release];
            let rest = is_finger.then_some(Act::Rest(BETWEEN));
            [Act::Move(at), Act::Press(1), Act::Release].into_iter().chain(rest).chain(second).collect()
        }
        Gesture::Swipe { from, to, .. } if !is_finger => {
            return Motion::Scroll { at: from, x: from.x - to.x, y: from.y - to.y };
        }
        Gesture::Swipe { from, to, duration } => drawn(from, to, Duration::ZERO, duration),
        Gesture::Drag { from, to, duration } => {
            let mut acts = drawn(from, to, if is_finger { LONG_PRESS } else { HOLD }, duration);
            // What it is over may have moved away from it meanwhile, and hears of it only as it moves.
            // A hand is never quite still: a page is told of a place that differs.
            let beside = Point { x: to.x + 1.0, y: to.y };
            let at_rest = [Act::Rest(SETTLE), Act::Move(beside), Act::Rest(SAMPLE), Act::Move(to), Act::Rest(SETTLE)];
            acts.splice(acts.len() - 1..acts.len() - 1, at_rest);
            acts
        }
        Gesture::Path(stops) => path(&stops),
        Gesture::Pinch { .. } => return Motion::Fingers,
    })
}

/// Divides what a drag becomes where what it is dropped on may have moved: up to the last rest over it, and what lets go.
pub(super) fn drag(gesture: Gesture, is_finger: bool) -> Option<(Vec<Act>, Point)> {
    let Gesture::Drag { to, .. } = gesture else { return None };
    match motion(gesture, is_finger) {
        Motion::Acts(mut acts) => {
            acts.truncate(acts.len() - 1);
            Some((acts, to))
        }
        Motion::Scroll { .. } | Motion::Fingers => None,
    }
}

/// Goes after what a drag is dropped on, which has moved.
pub(super) fn follow(from: Point, to: Point) -> Vec<Act> {
    let half = Point { x: f64::midpoint(from.x, to.x), y: f64::midpoint(from.y, to.y) };
    vec![
        Act::Held(from),
        Act::Move(half),
        Act::Rest(SAMPLE),
        Act::Move(to),
        Act::Rest(SETTLE),
        Act::Move(to),
        Act::Rest(SETTLE),
    ]
}

fn drawn(from: Point, to: Point, hold: Duration, duration: Duration) -> Vec<Act> {
    let mut acts = vec![Act::Move(from), Act::Press(1)];
    if !hold.is_zero() {
        acts.push(Act::Rest(hold));
    }
    let wanted = u32::try_from(duration.as_millis() / SAMPLE.as_millis()).unwrap_or(u32::MAX);
    let count = wanted.clamp(SAMPLES.0, SAMPLES.1);
    for sample in 1..=count {
        let part = f64::from(sample) / f64::from(count);
        let at = Point { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
        acts.extend([Act::Rest(duration / count), Act::Move(at)]);
    }
    acts.push(Act::Release);
    acts
}

fn path(stops: &[Stop]) -> Vec<Act> {
    let mut acts = Vec::new();
    for (number, stop) in stops.iter().enumerate() {
        acts.push(Act::Move(stop.at));
        if number == 0 {
            acts.push(Act::Press(1));
        }
        if !stop.rest.is_zero() {
            acts.push(Act::Rest(stop.rest));
        }
    }
    if !acts.is_empty() {
        acts.push(Act::Release);
    }
    acts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mouse_scrolls_where_a_finger_draws() {
        let (from, to) = (Point { x: 50.0, y: 400.0 }, Point { x: 50.0, y: 100.0 });
        let swipe = Gesture::Swipe { from, to, duration: Duration::from_millis(160) };
        assert_eq!(motion(swipe.clone(), false), Motion::Scroll { at: from, x: 0.0, y: 300.0 });
        let Motion::Acts(acts) = motion(swipe, true) else { panic!("no acts") };
        assert_eq!((acts[0], acts[1], *acts.last().expect("an act")), (Act::Move(from), Act::Press(1), Act::Release));
        assert_eq!(acts[acts.len() - 2], Act::Move(to));
        assert_eq!(acts.len(), 2 + 2 * 10 + 1);
    }

    #[test]
    fn a_drag_holds_before_it_moves_and_rests_before_it_lets_go() {
        let (from, to) = (Point { x: 50.0, y: 400.0 }, Point { x: 50.0, y: 100.0 });
        let drag = Gesture::Drag { from, to, duration: Duration::from_millis(160) };
        let Motion::Acts(acts) = motion(drag, false) else { panic!("no acts") };
        assert_eq!(acts[..3], [Act::Move(from), Act::Press(1), Act::Rest(HOLD)]);
        let beside = Point { x: to.x + 1.0, ..to };
        let end =
            [Act::Rest(SETTLE), Act::Move(beside), Act::Rest(SAMPLE), Act::Move(to), Act::Rest(SETTLE), Act::Release];
        assert_eq!(acts[acts.len() - 6..], end);
    }

    #[test]
    fn a_path_of_nothing_is_nothing() {
        assert_eq!(motion(Gesture::Path(Vec::new()), false), Motion::Acts(Vec::new()));
    }
}
