//! Where a finger really goes: `HttpRunner`'s offsets and random points, laid upon the place that a tool chose.

use uixt_driver::{Gesture, Point, Rect, Size};
use uixt_locate::{Error, Kind};

use crate::ActiveOptions;

impl ActiveOptions {
    /// Returns the point of an element to touch: its middle, or a random one where that was asked for.
    pub fn point_in(&self, rect: Rect) -> Point {
        if !self.tap_random_rect || rect.is_empty() {
            return rect.center();
        }
        self.used.note("tap_random_rect");
        let pixel = |from: i32, to: i32| f64::from(fastrand::i32(from..to));
        Point { x: pixel(rect.left, rect.right), y: pixel(rect.top, rect.bottom) }
    }

    /// Moves a gesture by the offsets that were asked for.
    ///
    /// Fails with `BadArgument` where they lead out of the screen: a phone takes such a touch and does nothing.
    pub(crate) fn shift(&self, gesture: Gesture, size: Size) -> Result<Gesture, Error> {
        Ok(match gesture {
            Gesture::Tap { at, hold } => Gesture::Tap { at: self.shift_tap(at, size)?, hold },
            Gesture::DoubleTap { at } => Gesture::DoubleTap { at: self.shift_tap(at, size)? },
            Gesture::Swipe { from, to, duration } => {
                let (from, to) = self.shift_swipe(from, to, size)?;
                Gesture::Swipe { from, to, duration }
            }
            Gesture::Drag { from, to, duration } => {
                let (from, to) = self.shift_swipe(from, to, size)?;
                Gesture::Drag { from, to, duration }
            }
            Gesture::Pinch { at, from, to, duration } => {
                Gesture::Pinch { at: self.shift_tap(at, size)?, from, to, duration }
            }
            // A path is drawn by chance already.
            path @ Gesture::Path(_) => path,
        })
    }

    fn shift_swipe(&self, from: Point, to: Point, size: Size) -> Result<(Point, Point), Error> {
        let Some([from_x, from_y, to_x, to_y]) = self.swipe_offset else { return Ok((from, to)) };
        self.used.note("swipe_offset");
        Ok((moved(from, [from_x, from_y], size)?, moved(to, [to_x, to_y], size)?))
    }

    fn shift_tap(&self, at: Point, size: Size) -> Result<Point, Error> {
        let mut by = [0, 0];
        if let Some(offset) = self.offset {
            self.used.note("offset");
            by = offset;
        }
        if let Some([least, most]) = self.offset_random_range.filter(|[least, most]| least <= most) {
            self.used.note("offset_random_range");
            by = by.map(|by: i32| by.saturating_add(fastrand::i32(least..=most)));
        }
        if by == [0, 0] { Ok(at) } else { moved(at, by, size) }
    }
}

fn moved(point: Point, [dx, dy]: [i32; 2], size: Size) -> Result<Point, Error> {
    let moved = Point { x: point.x + f64::from(dx), y: point.y + f64::from(dy) };
    let whole = Rect {
        left: 0,
        top: 0,
        right: i32::try_from(size.width).unwrap_or(i32::MAX),
        bottom: i32::try_from(size.height).unwrap_or(i32::MAX),
    };
    if whole.contains(moved) {
        return Ok(moved);
    }
    let message = format!(
        "the offset leads from {}, {} to {}, {}, outside of the screen of {}×{}",
        point.x, point.y, moved.x, moved.y, size.width, size.height
    );
    Err(Error::new(Kind::BadArgument, message))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use uixt_call::CallOptions;

    use super::*;

    const SCREEN: Size = Size { width: 100, height: 200 };

    fn active(options: CallOptions) -> ActiveOptions {
        options.into()
    }

    fn tapped(options: &ActiveOptions, x: f64, y: f64) -> Result<(i64, i64), Kind> {
        let gesture = Gesture::Tap { at: Point { x, y }, hold: Duration::ZERO };
        match options.shift(gesture, SCREEN).map_err(|error| error.kind)? {
            #[expect(clippy::cast_possible_truncation, reason = "whole pixels")]
            Gesture::Tap { at, .. } => Ok((at.x as i64, at.y as i64)),
            other => unreachable!("a tap became {other:?}"),
        }
    }

    #[test]
    fn an_offset_moves_a_tap_and_never_out_of_the_screen() {
        let by = |x, y| active(CallOptions { offset: Some([x, y]), ..CallOptions::default() });
        assert_eq!(tapped(&by(5, -10), 50.0, 50.0), Ok((55, 40)));
        assert_eq!(tapped(&by(0, 0), 50.0, 50.0), Ok((50, 50)));
        assert_eq!(tapped(&by(0, -51), 50.0, 50.0), Err(Kind::BadArgument));
        assert_eq!(tapped(&by(i32::MAX, 0), 50.0, 50.0), Err(Kind::BadArgument));
    }

    #[test]
    fn random_offsets_stay_in_their_range_and_differ() {
        let options = active(CallOptions { offset_random_range: Some([-3, 3]), ..CallOptions::default() });
        let points: BTreeSet<(i64, i64)> = (0..200).map(|_| tapped(&options, 50.0, 50.0).expect("inside")).collect();
        assert!(points.iter().all(|(x, y)| (47..=53).contains(x) && (47..=53).contains(y)), "{points:?}");
        assert!(points.len() > 20, "{points:?}");
    }

    #[test]
    fn random_points_fill_the_rectangle() {
        let options = active(CallOptions { tap_random_rect: true, ..CallOptions::default() });
        let rect = Rect { left: 10, top: 20, right: 14, bottom: 22 };
        let points: BTreeSet<String> = (0..500)
            .map(|_| options.point_in(rect))
            .inspect(|point| assert!(rect.contains(*point), "{point:?}"))
            .map(|point| format!("{point:?}"))
            .collect();
        assert_eq!(points.len(), 8);
        assert_eq!(ActiveOptions::default().point_in(rect), Point { x: 12.0, y: 21.0 });
    }

    #[test]
    fn both_ends_of_a_swipe_are_moved() {
        let options = active(CallOptions { swipe_offset: Some([1, 2, 3, 4]), ..CallOptions::default() });
        let (from, to) = (Point { x: 10.0, y: 10.0 }, Point { x: 20.0, y: 20.0 });
        let shifted = options.shift(Gesture::Swipe { from, to, duration: Duration::ZERO }, SCREEN).expect("inside");
        let (from, to) = (Point { x: 11.0, y: 12.0 }, Point { x: 23.0, y: 24.0 });
        assert_eq!(shifted, Gesture::Swipe { from, to, duration: Duration::ZERO });
    }
}
