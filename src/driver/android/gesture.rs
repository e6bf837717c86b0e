//! Gestures → `input` commands.

use std::time::Duration;

use crate::driver::{Error, Gesture, Point};

/// Returns the command that performs a gesture; points lie in pixels of the screen as it is turned.
pub(super) fn command(gesture: Gesture) -> Result<String, Error> {
    match gesture {
        Gesture::Tap { at, hold } if hold.is_zero() => Ok(format!("input tap {}", pixel(at)?)),
        Gesture::Tap { at, hold } => swipe(at, at, hold),
        Gesture::Swipe { from, to, duration } => swipe(from, to, duration),
    }
}

/// Returns how long a gesture takes at least.
pub(super) fn duration(gesture: Gesture) -> Duration {
    match gesture {
        Gesture::Tap { hold, .. } => hold,
        Gesture::Swipe { duration, .. } => duration,
    }
}

fn swipe(from: Point, to: Point, duration: Duration) -> Result<String, Error> {
    Ok(format!("input swipe {} {} {}", pixel(from)?, pixel(to)?, duration.as_millis()))
}

fn pixel(point: Point) -> Result<String, Error> {
    if point.x.is_finite() && point.y.is_finite() {
        return Ok(format!("{:.0} {:.0}", point.x.floor(), point.y.floor()));
    }
    Err(Error::Device { message: format!("({}, {}) is no point of a screen", point.x, point.y) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gestures_become_input_commands() {
        let (a, b) = (Point { x: 540.5, y: 0.0 }, Point { x: 540.0, y: 1200.9 });
        let ms = Duration::from_millis;
        for (gesture, line) in [
            (Gesture::Tap { at: a, hold: ms(0) }, "input tap 540 0"),
            (Gesture::Tap { at: a, hold: ms(1500) }, "input swipe 540 0 540 0 1500"),
            (Gesture::Swipe { from: a, to: b, duration: ms(300) }, "input swipe 540 0 540 1200 300"),
        ] {
            assert_eq!(command(gesture).unwrap(), line);
        }
        assert!(command(Gesture::Tap { at: Point { x: f64::NAN, y: 0.0 }, hold: ms(0) }).is_err());
    }
}
