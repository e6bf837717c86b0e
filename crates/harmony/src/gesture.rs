//! Gestures → inputs of `uitest`. It moves a finger by a speed, in pixels a second, and holds it for a time of its own.

use std::time::Duration;

use crate::driver::{Error, Gesture, Point, Size, Stop};
use crate::unsupported;

/// How fast `uitest` moves a finger.
const SPEEDS: std::ops::RangeInclusive<f64> = 200.0..=40_000.0;
/// How long it holds a finger for a long click, and the shortest and the longest that is taken for one.
const LONG_CLICK: Duration = Duration::from_millis(1500);
const SHORTEST: Duration = Duration::from_millis(400);
pub(crate) const LONGEST: Duration = Duration::from_secs(2);
/// How far a path may bend from its straight line, in parts of its length, to be drawn as one.
const BENT: f64 = 0.15;
/// How long a finger takes from one stop to the next, at the least.
const EVENT: Duration = Duration::from_millis(20);
/// What every call of it may take beside the gesture itself.
const CALL: Duration = Duration::from_secs(15);

/// Returns the arguments of `uitest uiInput`, and how long they may take.
pub(crate) fn arguments(gesture: &Gesture, size: Option<Size>) -> Result<(String, Duration), Error> {
    let at = |point: Point| within(point, size).map(pixels);
    let moved = |word: &str, from: Point, to: Point, duration: Duration| {
        let (from, to) = (within(from, size)?, within(to, size)?);
        let line = format!("{word} {} {} {:.0}", pixels(from), pixels(to), speed(from, to, duration));
        Ok((line, CALL + LONG_CLICK + travel(from, to, duration)))
    };
    match gesture {
        Gesture::Tap { at: point, hold } if *hold < SHORTEST => Ok((format!("click {}", at(*point)?), CALL)),
        Gesture::Tap { at: point, hold } if *hold <= LONGEST => {
            Ok((format!("longClick {}", at(*point)?), CALL + LONG_CLICK))
        }
        Gesture::Tap { .. } => Err(unsupported::error(unsupported::HOLD)),
        Gesture::DoubleTap { at: point } => Ok((format!("doubleClick {}", at(*point)?), CALL)),
        Gesture::Swipe { from, to, duration } => moved("swipe", *from, *to, *duration),
        Gesture::Drag { from, to, duration } => moved("drag", *from, *to, *duration),
        Gesture::Pinch { .. } => Err(unsupported::error(unsupported::PINCH)),
        Gesture::Path(stops) => {
            let (word, from, to, duration) = straight(stops).ok_or_else(|| unsupported::error(unsupported::PATH))?;
            moved(word, from, to, duration)
        }
    }
}

/// Returns what draws a finger as a path does that is nearly straight: the word, its ends, and how long it takes.
fn straight(stops: &[Stop]) -> Option<(&'static str, Point, Point, Duration)> {
    let [first, .., last] = stops else { return None };
    let (length, mut done) = (distance(first.at, last.at), 0.0);
    for stop in stops {
        let (x, y) = (stop.at.x - first.at.x, stop.at.y - first.at.y);
        let (dx, dy) = ((last.at.x - first.at.x) / length, (last.at.y - first.at.y) / length);
        let (along, beside) = (x * dx + y * dy, (x * dy - y * dx).abs());
        // A hand bends its way a little, and turns back nowhere.
        if !(beside <= length * BENT && along >= done - 1.0) {
            return None;
        }
        done = along;
    }
    let events = EVENT * u32::try_from(stops.len()).unwrap_or(u32::MAX);
    let travel: Duration = stops[1..].iter().map(|stop| stop.rest).sum::<Duration>().max(events);
    match first.rest {
        rest if rest > LONGEST => None,
        rest if rest >= SHORTEST => Some(("drag", first.at, last.at, travel)),
        rest => Some(("swipe", first.at, last.at, travel + rest)),
    }
}

fn distance(from: Point, to: Point) -> f64 {
    (from.x - to.x).hypot(from.y - to.y)
}

/// Returns the speed that takes a finger from one point to another in a time, as far as `uitest` takes it.
fn speed(from: Point, to: Point, duration: Duration) -> f64 {
    let seconds = duration.as_secs_f64();
    let speed = if seconds > 0.0 { distance(from, to) / seconds } else { f64::MAX };
    speed.clamp(*SPEEDS.start(), *SPEEDS.end())
}

fn travel(from: Point, to: Point, duration: Duration) -> Duration {
    let seconds = distance(from, to) / speed(from, to, duration);
    Duration::try_from_secs_f64(seconds).unwrap_or(duration)
}

fn pixels(point: Point) -> String {
    format!("{:.0} {:.0}", point.x, point.y)
}

/// Returns the pixel of a point; `uitest` takes none on the first column or row, and ignores what ends on the last.
pub(crate) fn within(point: Point, size: Option<Size>) -> Result<Point, Error> {
    if !point.x.is_finite() || !point.y.is_finite() {
        return Err(Error::Device { message: format!("({}, {}) is not a point on a screen", point.x, point.y) });
    }
    let side = |at: f64, side: Option<u32>| {
        let last = side.filter(|side| *side > 3).map_or(f64::MAX, |side| f64::from(side - 2));
        at.floor().clamp(1.0, last)
    };
    Ok(Point { x: side(point.x, size.map(|size| size.width)), y: side(point.y, size.map(|size| size.height)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::geometry;

    #[test]
    fn gestures_become_inputs_with_speeds() {
        let size = Some(geometry::Size { width: 1260, height: 2720 });
        let (a, b) = (Point { x: 540.5, y: 0.0 }, Point { x: 540.5, y: 1200.0 });
        let ms = Duration::from_millis;
        for (gesture, wanted) in [
            (Gesture::Tap { at: a, hold: ms(0) }, "click 540 1"),
            (Gesture::Tap { at: a, hold: ms(80) }, "click 540 1"),
            (Gesture::Tap { at: a, hold: ms(1000) }, "longClick 540 1"),
            (Gesture::DoubleTap { at: a }, "doubleClick 540 1"),
            (Gesture::Swipe { from: a, to: b, duration: ms(600) }, "swipe 540 1 540 1200 1998"),
            (Gesture::Swipe { from: a, to: b, duration: ms(60_000) }, "swipe 540 1 540 1200 200"),
            (Gesture::Swipe { from: a, to: b, duration: ms(0) }, "swipe 540 1 540 1200 40000"),
            (
                Gesture::Drag { from: b, to: Point { x: 9999.0, y: 9999.0 }, duration: ms(1000) },
                "drag 540 1200 1258 2718 1679",
            ),
        ] {
            assert_eq!(arguments(&gesture, size).unwrap().0, wanted);
        }
        let stop = |at, rest| Stop { at, rest: ms(rest) };
        let path = |stops: &[(f64, f64, u64)]| {
            let stops = stops.iter().map(|(x, y, rest)| stop(Point { x: *x, y: *y }, *rest)).collect();
            arguments(&Gesture::Path(stops), size).map(|(line, _)| line)
        };
        assert_eq!(path(&[(100.0, 100.0, 0), (100.0, 500.0, 200)]).unwrap(), "swipe 100 100 100 500 2000");
        assert_eq!(
            path(&[(100.0, 100.0, 0), (130.0, 300.0, 200), (100.0, 500.0, 200)]).unwrap(),
            "swipe 100 100 100 500 1000"
        );
        assert_eq!(path(&[(100.0, 100.0, 1000), (100.0, 500.0, 400)]).unwrap(), "drag 100 100 100 500 1000");
        for bent in [
            &[(100.0, 100.0, 0), (300.0, 300.0, 0), (100.0, 500.0, 0)][..],
            &[(100.0, 100.0, 0), (100.0, 500.0, 0), (100.0, 400.0, 0), (100.0, 600.0, 0)],
            &[(100.0, 100.0, 5000), (100.0, 500.0, 0)],
            &[(100.0, 100.0, 0), (100.0, 100.0, 0)],
            &[(100.0, 100.0, 0)],
        ] {
            assert!(path(bent).is_err(), "{bent:?}");
        }
        for wrong in [
            Gesture::Tap { at: a, hold: ms(5000) },
            Gesture::Tap { at: Point { x: f64::NAN, y: 0.0 }, hold: ms(0) },
            Gesture::Path(vec![stop(a, 0), stop(b, 0), stop(a, 0)]),
            Gesture::Pinch { at: a, from: 1.0, to: 2.0, duration: ms(5) },
        ] {
            assert!(arguments(&wrong, size).is_err(), "{wrong:?}");
        }
    }
}
