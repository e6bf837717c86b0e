//! A gesture that was made → how a report draws it.

use std::time::Duration;

use serde_json::{Value, json};
use uixt_driver::{Gesture, Point, Size};

/// What a gesture leaves for the report.
pub struct Touched {
    /// How the report draws it.
    pub mark: Value,
    /// The PNG that was taken just before, where one was asked for.
    pub picture: Option<Vec<u8>>,
    /// Where the finger was put down, offsets and all.
    pub point: Point,
    /// What the gesture met in the place of the element that it was meant for, and was kept from.
    pub astray: Option<String>,
}

/// Describes a gesture in fractions of the screen, rounded to what can be seen.
pub(crate) fn mark(gesture: &Gesture, size: Size) -> Value {
    let fraction = |point: Point| {
        let round = |value: f64| (value * 10_000.0).round() / 10_000.0;
        (round(point.x / f64::from(size.width.max(1))), round(point.y / f64::from(size.height.max(1))))
    };
    let tap = |at: Point| {
        let (x, y) = fraction(at);
        json!({"gesture": "tap", "x": x, "y": y})
    };
    let swipe = |from: Point, to: Point| {
        let ((from_x, from_y), (to_x, to_y)) = (fraction(from), fraction(to));
        json!({"gesture": "swipe", "from_x": from_x, "from_y": from_y, "to_x": to_x, "to_y": to_y})
    };
    match gesture {
        Gesture::Tap { at, .. } | Gesture::DoubleTap { at } | Gesture::Pinch { at, .. } => tap(*at),
        Gesture::Swipe { from, to, .. } | Gesture::Drag { from, to, .. } => swipe(*from, *to),
        Gesture::Path(stops) => match stops.as_slice() {
            [only] => tap(only.at),
            [first, .., last] => swipe(first.at, last.at),
            [] => Value::Null,
        },
    }
}

/// Describes a point that a mouse meets, as a touch is described.
pub fn mark_at(at: Point, size: Size) -> Value {
    mark(&Gesture::Tap { at, hold: Duration::ZERO }, size)
}
