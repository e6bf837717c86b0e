//! Gestures → `input` commands. Source: AOSP `services/core/java/com/android/server/input/InputShellCommand.java`.

use std::time::Duration;

use crate::PLATFORM;
use crate::driver::{Error, Gesture, Point, Stop};

/// How long after the first tap the second one of a double tap begins. Android wants 40 to 300 ms from lifting the finger to
/// putting it down again (`ViewConfiguration.getDoubleTapMinTime`, `getDoubleTapTimeout`).
const BETWEEN_TAPS: Duration = Duration::from_millis(100);
/// Longest press that `draganddrop` begins with (`ViewConfiguration.getLongPressTimeout`): the user may have made it longer.
const LONG_PRESS: Duration = Duration::from_millis(1500);
/// What one `input motionevent` takes at most on a phone that is busy.
const EVENT: Duration = Duration::from_millis(500);

/// Returns the command that performs a gesture; points lie in pixels of the screen as it is turned.
pub(super) fn command(gesture: &Gesture) -> Result<String, Error> {
    match gesture {
        Gesture::Tap { at, hold } if hold.is_zero() => Ok(format!("input tap {}", pixel(*at)?)),
        Gesture::Tap { at, hold } => drawn("swipe", *at, *at, *hold),
        Gesture::DoubleTap { at } => double_tap(*at),
        Gesture::Swipe { from, to, duration } => drawn("swipe", *from, *to, *duration),
        Gesture::Drag { from, to, duration } => drawn("draganddrop", *from, *to, *duration),
        Gesture::Path(stops) => path(stops),
        Gesture::Pinch { .. } => Err(one_finger()),
    }
}

/// Refuses what takes two fingers.
pub(super) fn one_finger() -> Error {
    let operation = "perform gestures of two fingers: uixt touches Android phones with one; tap a button that zooms, or `double_tap`";
    Error::Unsupported { driver: PLATFORM, operation: operation.to_owned() }
}

/// Returns how long a gesture takes at least.
pub(super) fn duration(gesture: &Gesture) -> Duration {
    match gesture {
        Gesture::Tap { hold, .. } => *hold,
        Gesture::DoubleTap { .. } => BETWEEN_TAPS,
        Gesture::Swipe { duration, .. } | Gesture::Pinch { duration, .. } => *duration,
        Gesture::Drag { duration, .. } => *duration + LONG_PRESS,
        Gesture::Path(stops) => stops.iter().map(|stop| stop.rest + EVENT).sum(),
    }
}

/// Returns what this phone cannot do, where its `input` does not know the gesture's command: it then prints its usage.
pub(super) fn refused(gesture: &Gesture, stdout: &str, stderr: &str) -> Option<&'static str> {
    let said = |word: &str| {
        let unknown = |text: &str| text.contains(&format!("Unknown command: {word}"));
        // Before Android 11, an unknown command is only answered with the usage.
        let usage = |text: &str| text.trim_start().starts_with("Usage: input") && !text.contains(word);
        unknown(stdout) || unknown(stderr) || usage(stdout) || usage(stderr)
    };
    match gesture {
        Gesture::Path(_) if said("motionevent") => Some(
            "move a finger along a path: its `input` knows no `motionevent` (Android 11 and later do); swipe instead",
        ),
        Gesture::Drag { .. } if said("draganddrop") => {
            Some("drag: its `input` knows no `draganddrop` (Android 7 and later do)")
        }
        _ => None,
    }
}

fn drawn(command: &str, from: Point, to: Point, duration: Duration) -> Result<String, Error> {
    Ok(format!("input {command} {} {} {}", pixel(from)?, pixel(to)?, duration.as_millis()))
}

/// Two taps of which the second begins by the clock: before Android 11, `input` takes up to a second to start, so that one
/// after the other they would come too late. A pipeline runs both sides at once in every shell.
fn double_tap(at: Point) -> Result<String, Error> {
    let tap = format!("input tap {}", pixel(at)?);
    Ok(format!("{tap} | (sleep {:.1}; {tap})", BETWEEN_TAPS.as_secs_f64()))
}

/// One command per event; the finger is lifted whatever happens on the way.
fn path(stops: &[Stop]) -> Result<String, Error> {
    let [first, ..] = stops else {
        return Err(Error::Device { message: "a path without a point".to_owned() });
    };
    let last = stops.last().unwrap_or(first);
    let mut events = Vec::with_capacity(stops.len() * 2);
    for (stop, action) in stops.iter().zip(std::iter::once("DOWN").chain(std::iter::repeat("MOVE"))) {
        events.push(format!("input motionevent {action} {}", pixel(stop.at)?));
        if !stop.rest.is_zero() {
            events.push(format!("sleep {:.3}", stop.rest.as_secs_f64()));
        }
    }
    Ok(format!("{}; R=$?; input motionevent UP {} && exit $R", events.join(" && "), pixel(last.at)?))
}

fn pixel(point: Point) -> Result<String, Error> {
    if point.x.is_finite() && point.y.is_finite() {
        return Ok(format!("{:.0} {:.0}", point.x.floor(), point.y.floor()));
    }
    Err(Error::Device { message: format!("({}, {}) is not a point on a screen", point.x, point.y) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gestures_become_input_commands() {
        let (a, b) = (Point { x: 540.5, y: 0.0 }, Point { x: 540.0, y: 1200.9 });
        let ms = Duration::from_millis;
        let stop = |at, rest| Stop { at, rest: ms(rest) };
        for (gesture, line) in [
            (Gesture::Tap { at: a, hold: ms(0) }, "input tap 540 0"),
            (Gesture::Tap { at: a, hold: ms(1500) }, "input swipe 540 0 540 0 1500"),
            (Gesture::DoubleTap { at: a }, "input tap 540 0 | (sleep 0.1; input tap 540 0)"),
            (Gesture::Swipe { from: a, to: b, duration: ms(300) }, "input swipe 540 0 540 1200 300"),
            (Gesture::Drag { from: a, to: b, duration: ms(300) }, "input draganddrop 540 0 540 1200 300"),
            (
                Gesture::Path(vec![stop(a, 600), stop(b, 0)]),
                "input motionevent DOWN 540 0 && sleep 0.600 && input motionevent MOVE 540 1200; R=$?; \
                 input motionevent UP 540 1200 && exit $R",
            ),
        ] {
            assert_eq!(command(&gesture).unwrap(), line);
        }
        assert!(command(&Gesture::Tap { at: Point { x: f64::NAN, y: 0.0 }, hold: ms(0) }).is_err());
        assert!(command(&Gesture::Path(Vec::new())).is_err());
    }

    #[test]
    fn an_old_phone_says_what_it_cannot_do() {
        let path = Gesture::Path(Vec::new());
        assert!(refused(&path, "", "Error: Unknown command: motionevent\nUsage: input …").is_some());
        assert!(refused(&path, "", "Usage: input [<source>] <command>\n  tap <x> <y>\n").is_some());
        assert!(refused(&path, "", "java.lang.SecurityException: Injecting input events requires…").is_none());
        let at = Point::default();
        let tap = Gesture::Tap { at, hold: Duration::ZERO };
        assert!(refused(&tap, "", "Error: Unknown command: tap").is_none());
    }
}
