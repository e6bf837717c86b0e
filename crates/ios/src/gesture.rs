//! Gestures → W3C actions of a finger, or of two. Source: W3C WebDriver, 17 "Actions", as `FBW3CActionsSynthesizer.m` takes them: a finger is put
//! down only where it was moved to, and times add up exactly.

use std::time::Duration;

use serde_json::{Value, json};

use crate::driver::{Error, Gesture, Point, Stop};
use crate::scale::Scale;

/// How long a tap's finger is down.
const TAP: Duration = Duration::from_millis(60);
/// Between the taps of a double tap: a phone takes two within 0.35 s for one.
const BETWEEN_TAPS: Duration = Duration::from_millis(90);
/// How long a finger rests until what lies under it can be dragged: half a second, and a row that is moved takes a little more.
const LONG_PRESS: Duration = Duration::from_millis(800);
/// Shortest movement.
const SHORTEST: Duration = Duration::from_millis(10);

/// What is asked, and how long it takes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Actions {
    pub(crate) body: Value,
    pub(crate) duration: Duration,
}

/// Returns the actions of a gesture; points lie in pixels of the screen as it is turned.
pub(crate) fn actions(gesture: &Gesture, scale: &Scale) -> Result<Actions, Error> {
    let mut finger = Finger { scale, steps: Vec::new(), duration: Duration::ZERO };
    match gesture {
        Gesture::Tap { at, hold } => finger.tap(*at, (*hold).max(TAP))?,
        Gesture::DoubleTap { at } => {
            finger.tap(*at, TAP)?;
            finger.rest(BETWEEN_TAPS);
            finger.tap(*at, TAP)?;
        }
        Gesture::Swipe { from, to, duration } => finger.draw(*from, *to, *duration, Duration::ZERO)?,
        Gesture::Drag { from, to, duration } => finger.draw(*from, *to, *duration, LONG_PRESS)?,
        Gesture::Path(stops) => finger.follow(stops)?,
        Gesture::Pinch { at, from, to, duration } => {
            let beside = |distance: f64| Point { x: at.x + distance, y: at.y };
            finger.draw(beside(-from), beside(-to), *duration, Duration::ZERO)?;
            let mut other = Finger { scale, steps: Vec::new(), duration: Duration::ZERO };
            other.draw(beside(*from), beside(*to), *duration, Duration::ZERO)?;
            let body = json!({"actions": [finger.source("finger1"), other.source("finger2")]});
            return Ok(Actions { body, duration: finger.duration });
        }
    }
    Ok(Actions { body: json!({"actions": [finger.source("finger1")]}), duration: finger.duration })
}

/// The steps of a finger so far.
struct Finger<'a> {
    scale: &'a Scale,
    steps: Vec<Value>,
    duration: Duration,
}

impl Finger<'_> {
    fn source(&self, id: &str) -> Value {
        json!({"type": "pointer", "id": id, "parameters": {"pointerType": "touch"}, "actions": self.steps})
    }

    fn tap(&mut self, at: Point, hold: Duration) -> Result<(), Error> {
        self.go(at, Duration::ZERO)?;
        self.down();
        self.rest(hold);
        self.up();
        Ok(())
    }

    fn draw(&mut self, from: Point, to: Point, duration: Duration, hold: Duration) -> Result<(), Error> {
        self.go(from, Duration::ZERO)?;
        self.down();
        self.rest(hold);
        self.go(to, duration.max(SHORTEST))?;
        self.up();
        Ok(())
    }

    fn follow(&mut self, stops: &[Stop]) -> Result<(), Error> {
        let [first, others @ ..] = stops else {
            return Err(Error::Device { message: "a path without a point".to_owned() });
        };
        self.go(first.at, Duration::ZERO)?;
        self.down();
        // Where a finger rests is left in time for it to be at the next stop when it is due.
        let mut rest = first.rest;
        for stop in others {
            self.rest(rest.saturating_sub(SHORTEST));
            self.go(stop.at, SHORTEST.min(rest.max(Duration::from_millis(1))))?;
            rest = stop.rest;
        }
        self.rest(rest);
        self.up();
        Ok(())
    }

    fn go(&mut self, to: Point, duration: Duration) -> Result<(), Error> {
        let ((x, y), time) = (self.scale.points(to)?, milliseconds(duration));
        self.steps.push(json!({"type": "pointerMove", "origin": "viewport", "x": x, "y": y, "duration": time}));
        self.duration += duration;
        Ok(())
    }

    fn down(&mut self) {
        self.steps.push(json!({"type": "pointerDown", "button": 0}));
    }

    fn up(&mut self) {
        self.steps.push(json!({"type": "pointerUp", "button": 0}));
    }

    fn rest(&mut self, time: Duration) {
        if !time.is_zero() {
            self.steps.push(json!({"type": "pause", "duration": milliseconds(time)}));
            self.duration += time;
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Size;

    /// Writes steps in short: `move 1 2 in 0`, `pointerDown`, `pause 20`.
    fn steps(gesture: &Gesture) -> Vec<String> {
        let scale = Scale { window: (390.0, 844.0), size: Size { width: 1170, height: 2532 }, ratio: 3.0 };
        let actions = actions(gesture, &scale).unwrap();
        let steps = actions.body["actions"][0]["actions"].as_array().unwrap();
        let short = |step: &Value| match step["type"].as_str().unwrap() {
            "pointerMove" => format!("move {} {} in {}", step["x"], step["y"], step["duration"]),
            "pause" => format!("pause {}", step["duration"]),
            other => other.to_owned(),
        };
        steps.iter().map(short).collect()
    }

    #[test]
    fn gestures_become_steps_of_one_finger() {
        let (a, b) = (Point { x: 585.0, y: 0.0 }, Point { x: 540.5, y: 1200.0 });
        let ms = Duration::from_millis;
        let tap = |hold| steps(&Gesture::Tap { at: a, hold: ms(hold) });
        assert_eq!(tap(0), ["move 195.0 0.0 in 0", "pointerDown", "pause 60", "pointerUp"]);
        assert_eq!(tap(1500)[2], "pause 1500");
        assert_eq!(steps(&Gesture::DoubleTap { at: a }).len(), 9);
        let swipe = steps(&Gesture::Swipe { from: a, to: b, duration: ms(300) });
        assert_eq!(swipe[2..], ["move 180.17 400.0 in 300", "pointerUp"]);
        let drag = steps(&Gesture::Drag { from: a, to: b, duration: ms(0) });
        assert_eq!(drag[2..4], ["pause 800", "move 180.17 400.0 in 10"]);
        let stop = |at, rest| Stop { at, rest: ms(rest) };
        let path = steps(&Gesture::Path(vec![stop(a, 600), stop(b, 10), stop(a, 0)]));
        assert_eq!(path[2..], ["pause 590", "move 180.17 400.0 in 10", "move 195.0 0.0 in 10", "pointerUp"]);
    }
}
