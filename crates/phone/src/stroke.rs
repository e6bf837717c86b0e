//! One finger's way over the screen, from down to up → what Android takes it for. Knows no apps and no nodes.
//!
//! The limits of time and space are those of AOSP's `android.view.ViewConfiguration`.

use uixt_canvas::geometry::Scale;

/// A finger that rests this long presses long (`DEFAULT_LONG_PRESS_TIMEOUT`), in milliseconds.
pub(super) const LONG_PRESS: u64 = 400;
/// From the end of the first tap of a double tap to the beginning of the second, in milliseconds (`DOUBLE_TAP_MIN_TIME`,
/// `DOUBLE_TAP_TIMEOUT`).
const DOUBLE_TAP: std::ops::RangeInclusive<u64> = 40..=300;
/// How far a finger may stray in a tap, in dp (`TOUCH_SLOP`).
const SLOP: f32 = 8.0;
/// How far the taps of a double tap may lie apart, in dp (`DOUBLE_TAP_SLOP`).
const DOUBLE_TAP_SLOP: f32 = 100.0;
/// Points that are kept of a way, for drawing it.
const MOST_POINTS: usize = 256;

/// What a way is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gesture {
    Tap,
    DoubleTap,
    LongPress,
    Swipe,
    /// Begins with a long press.
    Drag,
}

/// A finger's way; times are milliseconds of the phone's clock.
#[derive(Clone, Debug)]
pub(super) struct Stroke {
    points: Vec<(f64, f64)>,
    last: (f64, f64),
    began: u64,
    now: u64,
    /// How far from its beginning a finger strays before it is on its way, in pixels.
    slop: f64,
    /// When it was on its way.
    left: Option<u64>,
    /// How long the way is, in pixels.
    length: f64,
}

/// A tap that may become the first of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastTap {
    at: (f64, f64),
    ended: u64,
}

fn distance(one: (f64, f64), other: (f64, f64)) -> f64 {
    (one.0 - other.0).hypot(one.1 - other.1)
}

impl Stroke {
    /// Puts a finger down.
    pub(super) fn down(at: (f64, f64), now: u64, scale: Scale) -> Self {
        let slop = f64::from(scale.px(SLOP));
        Self { points: vec![at], last: at, began: now, now, slop, left: None, length: 0.0 }
    }

    /// Lets the finger rest until a time.
    pub(super) fn rest(&mut self, until: u64) {
        self.now = self.now.max(until);
    }

    /// Moves the finger to a point at a time, as one event does: until then, it was where it was.
    pub(super) fn jump(&mut self, to: (f64, f64), now: u64) {
        self.rest(now);
        self.go(to, self.now);
    }

    /// Draws the finger to a point, evenly until a time.
    pub(super) fn glide(&mut self, to: (f64, f64), until: u64) {
        let way = distance(self.last, to);
        let part = if way > self.slop { self.slop / way } else { 1.0 };
        #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let until_slop = (until.saturating_sub(self.now) as f64 * part) as u64;
        self.go(to, self.now + until_slop);
        self.rest(until);
    }

    fn go(&mut self, to: (f64, f64), left: u64) {
        self.length += distance(self.last, to);
        self.last = to;
        if self.left.is_none() && distance(self.start(), to) >= self.slop {
            self.left = Some(left);
        }
        if self.points.len() < MOST_POINTS && self.points.last() != Some(&to) {
            self.points.push(to);
        }
    }

    pub(super) fn start(&self) -> (f64, f64) {
        self.points.first().copied().unwrap_or(self.last)
    }

    pub(super) fn end(&self) -> (f64, f64) {
        self.last
    }

    pub(super) fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// Length of the way in pixels.
    pub(super) fn length(&self) -> f64 {
        self.length
    }

    /// How long the finger was down, in milliseconds.
    pub(super) fn lasted(&self) -> u64 {
        self.now - self.began
    }

    /// How long the finger rested before it was on its way, in milliseconds.
    pub(super) fn rested(&self) -> u64 {
        self.left.unwrap_or(self.now) - self.began
    }

    /// Tells whether the way leaves the line from its beginning to its end by more than a finger's width of error.
    pub(super) fn is_curved(&self) -> bool {
        let (start, chord) = (self.start(), distance(self.start(), self.last));
        let (dx, dy) = (self.last.0 - start.0, self.last.1 - start.1);
        let aside = |point: &(f64, f64)| ((point.0 - start.0) * dy - (point.1 - start.1) * dx).abs() / chord;
        chord > 0.0 && self.points.iter().any(|point| aside(point) > 3.0)
    }

    /// Lifts the finger: what the way was, and the tap that another one may follow.
    pub(super) fn up(&self, before: Option<LastTap>, scale: Scale) -> (Gesture, Option<LastTap>) {
        let pressed = self.rested() >= LONG_PRESS;
        match (self.left.is_some(), pressed) {
            (true, true) => (Gesture::Drag, None),
            (true, false) => (Gesture::Swipe, None),
            (false, true) => (Gesture::LongPress, None),
            (false, false) if before.is_some_and(|before| self.follows(before, scale)) => (Gesture::DoubleTap, None),
            (false, false) => (Gesture::Tap, Some(LastTap { at: self.start(), ended: self.now })),
        }
    }

    fn follows(&self, before: LastTap, scale: Scale) -> bool {
        let near = distance(before.at, self.start()) <= f64::from(scale.px(DOUBLE_TAP_SLOP));
        // Commands that run side by side may be carried out in the other order; their own times are what counts.
        near && DOUBLE_TAP.contains(&self.began.abs_diff(before.ended))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale() -> Scale {
        Scale::of_density(160)
    }

    fn kind(stroke: &Stroke) -> Gesture {
        stroke.up(None, scale()).0
    }

    #[test]
    fn presses_are_told_by_their_time() {
        let mut stroke = Stroke::down((10.0, 10.0), 0, scale());
        stroke.glide((14.0, 10.0), 399);
        assert_eq!(kind(&stroke), Gesture::Tap);
        stroke.rest(400);
        assert_eq!((kind(&stroke), stroke.lasted()), (Gesture::LongPress, 400));
    }

    #[test]
    fn a_drag_rests_first_and_a_swipe_does_not() {
        let mut swipe = Stroke::down((0.0, 0.0), 0, scale());
        swipe.glide((300.0, 400.0), 1000);
        assert_eq!((kind(&swipe), swipe.length(), swipe.rested(), swipe.lasted()), (Gesture::Swipe, 500.0, 16, 1000));
        let mut drag = Stroke::down((0.0, 0.0), 0, scale());
        drag.jump((50.0, 0.0), 400);
        assert_eq!(kind(&drag), Gesture::Drag);
        // A finger that hardly moves presses long although it is on its way.
        let mut slow = Stroke::down((0.0, 0.0), 0, scale());
        slow.glide((20.0, 0.0), 2000);
        assert_eq!(kind(&slow), Gesture::Drag);
    }

    #[test]
    fn two_taps_are_one_gesture_only_where_they_are_near_in_time_and_space() {
        let tap = |at: (f64, f64), now| Stroke::down(at, now, scale());
        let (first, last) = tap((100.0, 100.0), 1000).up(None, scale());
        assert_eq!(first, Gesture::Tap);
        let second = |at, now| tap(at, now).up(last, scale()).0;
        assert_eq!(second((120.0, 100.0), 1040), Gesture::DoubleTap);
        assert_eq!(second((100.0, 100.0), 1300), Gesture::DoubleTap);
        assert_eq!(second((100.0, 100.0), 1039), Gesture::Tap);
        assert_eq!(second((100.0, 100.0), 1301), Gesture::Tap);
        assert_eq!(second((100.0, 100.0), 900), Gesture::DoubleTap);
        assert_eq!(second((201.0, 100.0), 1100), Gesture::Tap);
        assert!(tap((100.0, 100.0), 1100).up(last, scale()).1.is_none(), "a third tap begins anew");
    }

    #[test]
    fn a_curve_is_no_line() {
        let mut line = Stroke::down((0.0, 0.0), 0, scale());
        line.jump((50.0, 51.0), 10);
        line.jump((100.0, 100.0), 20);
        assert!(!line.is_curved());
        line.jump((100.0, 20.0), 30);
        assert!(line.is_curved());
        assert!(!Stroke::down((0.0, 0.0), 0, scale()).is_curved());
    }
}
