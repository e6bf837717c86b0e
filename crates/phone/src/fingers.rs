//! Several fingers on the screen at once → what the pad under them writes down. Nothing else here does anything with them.

use serde_json::json;

use super::node_action::Grip;
use super::system::System;

/// A place, in pixels.
type Point = (f64, f64);

/// How far a finger may stray in a tap, in dp.
const SLOP: f32 = 8.0;
/// By how much the way between two fingers changes in a pinch, and how far they turn, in degrees.
const PINCH: f64 = 1.15;
const TURN: f64 = 15.0;

/// Returns what two fingers' ways are called, from their beginnings, their ends, and how far one may stray in a tap.
fn name(begin: (Point, Point), end: (Point, Point), slop: f64) -> &'static str {
    let between = |(one, other): (Point, Point)| (other.0 - one.0, other.1 - one.1);
    let length = |pair| {
        let (x, y): (f64, f64) = between(pair);
        x.hypot(y).max(1.0)
    };
    let angle = |pair| {
        let (x, y) = between(pair);
        y.atan2(x).to_degrees()
    };
    let is_still = length((begin.0, end.0)) < slop && length((begin.1, end.1)) < slop;
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
    /// Takes in two fingers at once: where each began and ended, and for how many milliseconds they were on the screen.
    pub(super) fn touch_with_two(&mut self, ways: [(Point, Point); 2], lasted: u64) {
        (self.stroke, self.last_tap) = (None, None);
        if self.locked || !self.screen_on || self.is_hung() {
            return;
        }
        let [one, other] = ways;
        let Some(Grip::Pad { place, .. }) = self.scene().grip_at(one.0) else { return };
        #[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
        let whole = |at: Point| json!([at.0.round() as i64, at.1.round() as i64]);
        let slop = f64::from(self.scale().px(SLOP));
        let value = json!({
            "gesture": name((one.0, other.0), (one.1, other.1), slop),
            "from": whole(one.0), "to": whole(one.1), "length": 0, "curved": false,
            "lasted": lasted, "rested": 0, "trail": [],
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
            assert_eq!(name(begin, end, 8.0), called, "{end:?}");
        }
    }
}
