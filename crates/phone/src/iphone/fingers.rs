//! Several fingers on the screen at once → what the pad under them writes down. Nothing else here does anything with them.

use serde_json::json;

use super::super::node_action::Grip;
use super::super::system::System;
use super::gestures::{Point, Stroke};
use super::sight::points;

/// How far a finger may stray in a tap, in points.
const SLOP: f64 = 8.0;
/// By how much the way between two fingers changes in a pinch, and how far they turn, in degrees.
const PINCH: f64 = 1.15;
const TURN: f64 = 15.0;

/// Returns what two fingers' ways are called, from their beginnings and their ends.
fn name(begin: (Point, Point), end: (Point, Point)) -> &'static str {
    let between = |(one, other): (Point, Point)| (other.0 - one.0, other.1 - one.1);
    let length = |pair| {
        let (x, y): (f64, f64) = between(pair);
        x.hypot(y).max(1.0)
    };
    let angle = |pair| {
        let (x, y) = between(pair);
        y.atan2(x).to_degrees()
    };
    let is_still = length((begin.0, end.0)) < SLOP && length((begin.1, end.1)) < SLOP;
    let turn = (angle(end) - angle(begin)).abs();
    let turn = turn.min(360.0 - turn);
    match length(end) / length(begin) {
        _ if is_still => "two_finger_tap",
        ratio if ratio >= PINCH => "pinch_out",
        ratio if ratio * PINCH <= 1.0 => "pinch_in",
        _ if turn >= TURN => "rotate",
        _ => "two_finger_swipe",
    }
}

impl System {
    /// Takes in several fingers at once, each with its number.
    pub(super) fn touch_with_several(&mut self, strokes: &[(usize, Stroke)]) {
        (self.stroke, self.last_tap) = (None, None);
        let Some((first, one)) = strokes.first() else { return };
        let Some((_, other)) = strokes.iter().find(|(finger, _)| finger != first) else { return };
        let ends = |stroke: &Stroke| stroke.points.first().zip(stroke.points.last()).map(|(from, to)| (from.0, to.0));
        let (Some(one_way), Some(other_way)) = (ends(one), ends(other)) else { return };
        if self.locked || !self.screen_on || self.is_hung() {
            return;
        }
        let scale = points(self);
        let pixels = |at: Point| (at.0 * scale, at.1 * scale);
        let Some(Grip::Pad { place, .. }) = self.scene().grip_at(pixels(one_way.0)) else { return };
        #[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
        let whole = |at: Point| json!([(at.0 * scale).round() as i64, (at.1 * scale).round() as i64]);
        let value = json!({
            "gesture": name((one_way.0, other_way.0), (one_way.1, other_way.1)),
            "from": whole(one_way.0), "to": whole(one_way.1), "length": 0, "curved": false,
            "lasted": one.end.max(other.end), "rested": 0, "trail": [],
        });
        if let Some(process) = self.front_process() {
            process.put(&place, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn two_fingers_are_told_by_their_ends() {
        let begin = ((100.0, 100.0), (200.0, 100.0));
        for (end, called) in [
            (begin, "two_finger_tap"),
            (((50.0, 100.0), (250.0, 100.0)), "pinch_out"),
            (((140.0, 100.0), (160.0, 100.0)), "pinch_in"),
            (((150.0, 50.0), (150.0, 150.0)), "rotate"),
            (((100.0, 300.0), (200.0, 300.0)), "two_finger_swipe"),
        ] {
            assert_eq!(name(begin, end), called, "{end:?}");
        }
    }
}
