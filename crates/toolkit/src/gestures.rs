//! Gestures: made, aimed at an element that is waited for, performed.

mod perform;
pub mod place;
pub mod tapping;
mod touch_info;
pub mod touched;
mod touchpoint;

use std::time::Duration;

use uixt_driver::{Gesture, Point};

/// Makes the gesture of a tap that lasts `duration` seconds, or as short as a finger can.
pub fn tap(at: Point, duration: Option<f64>) -> Gesture {
    Gesture::Tap { at, hold: seconds(duration) }
}

/// Reads a gesture's duration, at most 60 s; none is as short as can be.
pub fn seconds(duration: Option<f64>) -> Duration {
    Duration::from_secs_f64(duration.unwrap_or(0.0).clamp(0.0, 60.0))
}
