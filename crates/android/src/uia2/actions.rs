//! Gestures and text → the W3C actions that perform them. Source: W3C WebDriver, 17 "Actions", as the server takes them
//! (`ActionsTokenizer.java`, `ActionsExecutor.java` of appium-uiautomator2-server): in steps of 5 ms.

use std::time::Duration;

use serde_json::{Value, json};

use crate::driver::{Error, Gesture, Keystrokes, Point, Stop};
use crate::gesture::one_finger;

/// How long a tap's finger is down: two events at one time are taken for two fingers.
const TAP: Duration = Duration::from_millis(20);
/// Between lifting a finger and putting it down again; Android wants 40 to 300 ms for a double tap.
const BETWEEN_TAPS: Duration = Duration::from_millis(100);
/// Longest press that begins a drag (`ViewConfiguration.getLongPressTimeout`; 1.5 s where the user made it long).
const LONG_PRESS: Duration = Duration::from_millis(1600);
/// Shortest movement: shorter ones are left out.
const SHORTEST: Duration = Duration::from_millis(10);
/// The server's step: a movement that takes one is a jump, and times are whole steps.
const STEP: Duration = Duration::from_millis(5);
/// What a keyboard's Enter and Tab are called.
const ENTER: char = '\u{e007}';
const TAB: char = '\u{e004}';
/// Keystrokes in one request.
const CHUNK: usize = 100;

/// What the server is asked to do, and how long it takes at least.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Actions {
    pub(super) body: Value,
    pub(super) duration: Duration,
}

/// Returns the actions of a gesture; points lie in pixels of the screen as it is turned.
pub(super) fn gesture(gesture: &Gesture) -> Result<Actions, Error> {
    let mut finger = Finger::default();
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
        Gesture::Pinch { .. } => return Err(one_finger()),
    }
    let source =
        json!({"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": finger.steps});
    Ok(Actions { body: json!({"actions": [source]}), duration: finger.duration })
}

/// Returns the actions that type pieces of ASCII, each followed by its pause, in requests of a bearable length.
pub(super) fn typing(pieces: &[Keystrokes]) -> Vec<Actions> {
    let mut strokes = Vec::new();
    for Keystrokes { text, pause } in pieces {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        strokes.extend(text.chars().map(|c| (c, Duration::ZERO)));
        match strokes.last_mut() {
            Some((_, rest)) => *rest += *pause,
            None => strokes.extend((!pause.is_zero()).then_some(('\0', *pause))),
        }
    }
    strokes.chunks(CHUNK).map(typed).collect()
}

fn typed(strokes: &[(char, Duration)]) -> Actions {
    let (mut steps, mut duration) = (Vec::new(), Duration::ZERO);
    for (c, pause) in strokes {
        let key = match c {
            '\n' => ENTER,
            '\t' => TAB,
            other => *other,
        };
        if key != '\0' {
            let value = key.to_string();
            steps.extend(["keyDown", "keyUp"].map(|step| json!({"type": step, "value": value})));
        }
        if !pause.is_zero() {
            steps.push(json!({"type": "pause", "duration": milliseconds(*pause)}));
            duration += *pause;
        }
    }
    Actions { body: json!({"actions": [{"type": "key", "id": "keyboard", "actions": steps}]}), duration }
}

/// The steps of a finger so far.
#[derive(Default)]
struct Finger {
    steps: Vec<Value>,
    duration: Duration,
}

impl Finger {
    fn tap(&mut self, at: Point, hold: Duration) -> Result<(), Error> {
        self.go(at, Duration::ZERO)?;
        self.steps.push(json!({"type": "pointerDown", "button": 0}));
        self.rest(hold);
        self.steps.push(json!({"type": "pointerUp", "button": 0}));
        Ok(())
    }

    fn draw(&mut self, from: Point, to: Point, duration: Duration, hold: Duration) -> Result<(), Error> {
        self.go(from, Duration::ZERO)?;
        self.steps.push(json!({"type": "pointerDown", "button": 0}));
        self.rest(hold);
        self.go(to, duration.max(SHORTEST))?;
        self.steps.push(json!({"type": "pointerUp", "button": 0}));
        Ok(())
    }

    fn follow(&mut self, stops: &[Stop]) -> Result<(), Error> {
        let [first, others @ ..] = stops else {
            return Err(Error::Device { message: "a path without a point".to_owned() });
        };
        self.go(first.at, Duration::ZERO)?;
        self.steps.push(json!({"type": "pointerDown", "button": 0}));
        let (mut due, mut spent) = (first.rest, Duration::ZERO);
        for (number, stop) in others.iter().enumerate() {
            // The last movement takes a step as well, and the finger is lifted in time.
            let is_last = number + 1 == others.len() && stop.rest < STEP;
            spent = self.rest_until(if is_last { due.saturating_sub(STEP) } else { due }, spent);
            self.go(stop.at, STEP)?;
            (due, spent) = (due + stop.rest, spent + STEP);
        }
        self.rest_until(due, spent);
        self.steps.push(json!({"type": "pointerUp", "button": 0}));
        Ok(())
    }

    fn go(&mut self, to: Point, duration: Duration) -> Result<(), Error> {
        if !(to.x.is_finite() && to.y.is_finite()) {
            return Err(Error::Device { message: format!("({}, {}) is not a point on a screen", to.x, to.y) });
        }
        let (x, y, time) = (to.x.floor(), to.y.floor(), milliseconds(duration));
        self.steps.push(json!({"type": "pointerMove", "origin": "viewport", "x": x, "y": y, "duration": time}));
        self.duration += duration;
        Ok(())
    }

    /// Rests until `due` where `spent` is over, in whole steps, so that nothing adds up over many stops.
    fn rest_until(&mut self, due: Duration, spent: Duration) -> Duration {
        let step = milliseconds(STEP);
        let pause = Duration::from_millis(milliseconds(due) / step * step).saturating_sub(spent);
        self.rest(pause);
        spent + pause
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

    /// Writes steps in short: `move 1 2 in 0`, `pointerDown`, `pause 20`.
    fn steps(actions: &Actions) -> Vec<String> {
        let steps = actions.body["actions"][0]["actions"].as_array().unwrap();
        let short = |step: &Value| match step["type"].as_str().unwrap() {
            "pointerMove" => format!("move {} {} in {}", step["x"], step["y"], step["duration"]),
            "pause" => format!("pause {}", step["duration"]),
            "keyDown" => format!("down {}", step["value"]),
            other => other.to_owned(),
        };
        steps.iter().map(short).collect()
    }

    #[test]
    fn gestures_become_steps_of_one_finger() {
        let (a, b) = (Point { x: 540.5, y: 0.0 }, Point { x: 540.0, y: 1200.9 });
        let ms = Duration::from_millis;
        let of = |it: Gesture| gesture(&it).unwrap();
        let tap = of(Gesture::Tap { at: a, hold: ms(0) });
        assert_eq!(steps(&tap), ["move 540.0 0.0 in 0", "pointerDown", "pause 20", "pointerUp"]);
        assert_eq!(steps(&of(Gesture::Tap { at: a, hold: ms(1500) }))[2], "pause 1500");
        assert_eq!(steps(&of(Gesture::DoubleTap { at: a })).len(), 9);
        let swipe = of(Gesture::Swipe { from: a, to: b, duration: ms(300) });
        assert_eq!(steps(&swipe), ["move 540.0 0.0 in 0", "pointerDown", "move 540.0 1200.0 in 300", "pointerUp"]);
        let drag = of(Gesture::Drag { from: a, to: b, duration: ms(0) });
        assert_eq!(steps(&drag)[2..4], ["pause 1600", "move 540.0 1200.0 in 10"]);
        assert_eq!(drag.duration, ms(1610));
        let stop = |at, rest| Stop { at, rest: ms(rest) };
        let path = of(Gesture::Path(vec![stop(a, 601), stop(b, 18), stop(a, 0)]));
        let expected = ["pause 600", "move 540.0 1200.0 in 5", "pause 5", "move 540.0 0.0 in 5", "pointerUp"];
        assert_eq!(steps(&path)[2..], expected);
        assert!(gesture(&Gesture::Tap { at: Point { x: f64::NAN, y: 0.0 }, hold: ms(0) }).is_err());
        assert!(gesture(&Gesture::Path(Vec::new())).is_err());
    }

    #[test]
    fn text_becomes_keystrokes() {
        let piece = |text: &str, ms| Keystrokes { text: text.to_owned(), pause: Duration::from_millis(ms) };
        let typed = typing(&[piece("", 5), piece("a\r\n", 80), piece("\t", 0)]);
        let keys =
            ["pause 5", "down \"a\"", "keyUp", "down \"\u{e007}\"", "keyUp", "pause 80", "down \"\u{e004}\"", "keyUp"];
        assert_eq!(steps(&typed[0]), keys);
        assert_eq!(typed[0].duration, Duration::from_millis(85));
        assert_eq!(typing(&[piece(&"x".repeat(250), 0)]).len(), 3);
        assert!(typing(&[piece("", 0)]).is_empty());
    }
}
