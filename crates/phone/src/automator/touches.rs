//! W3C actions → what the phone's finger and keyboard do. One finger at a time; nobody waits for the finger's own time.

use std::time::Duration;

use serde_json::Value;

use super::super::handset::Handset;
use super::super::touch::Motion;
use super::refusal::{Outcome, Refusal};

/// How long an event waits for the app.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Nothing takes longer.
const MAX_MS: u64 = 60_000;
/// W3C's private characters of keys, and Android's numbers of them.
const KEYS: [(char, u32); 12] = [
    ('\u{e003}', 67),
    ('\u{e004}', 61),
    ('\u{e006}', 66),
    ('\u{e007}', 66),
    ('\u{e00c}', 111),
    ('\u{e00d}', 62),
    ('\u{e011}', 122),
    ('\u{e012}', 21),
    ('\u{e013}', 19),
    ('\u{e014}', 22),
    ('\u{e015}', 20),
    ('\u{e017}', 112),
];

/// The server's step of time, in milliseconds.
const STEP: u64 = 5;

type Point = (f64, f64);

/// Something that happens at a time, in milliseconds from the beginning on.
#[derive(Clone, Debug, PartialEq)]
enum Event {
    Finger(Motion, Point, u64),
    Key(u32),
    Text(char),
}

/// Performs the actions of a request.
pub(super) async fn perform(handset: &Handset, actions: &Value) -> Outcome {
    let sources = actions.as_array().ok_or_else(|| Refusal::argument("'actions' must be a list"))?;
    let (mut events, mut fingers) = (Vec::new(), 0);
    for source in sources {
        let steps = source["actions"].as_array().map_or(&[][..], Vec::as_slice);
        match source["type"].as_str() {
            Some("pointer") => {
                fingers += 1;
                finger(steps, &mut events)?;
            }
            Some("key") => keyboard(steps, &mut events)?,
            Some("none") => {}
            _ => return Err(Refusal::argument("'type' must be pointer, key or none")),
        }
    }
    if fingers > 1 {
        return Err(Refusal::unknown("the virtual phone has one finger"));
    }
    happen(handset, events).await
}

/// Taps a point.
pub(super) async fn tap(handset: &Handset, at: Point) -> Outcome {
    happen(handset, vec![Event::Finger(Motion::Down, at, 0), Event::Finger(Motion::Up, at, 0)]).await
}

/// Types a text into the field in use.
pub(super) async fn type_text(handset: &Handset, text: &str) -> Outcome {
    happen(handset, text.chars().map(Event::Text).collect()).await
}

fn finger(steps: &[Value], events: &mut Vec<Event>) -> Result<(), Refusal> {
    // The server moves no finger at the very time that it puts it down or lifts it.
    let (mut now, mut at, mut is_down, mut busy) = (0, None, false, None);
    for step in steps {
        let duration = step["duration"].as_u64().unwrap_or(0).min(MAX_MS);
        let nowhere = || Refusal::argument("an action item should be preceded with at least one item with coordinates");
        match step["type"].as_str() {
            Some("pause") => now += duration,
            Some("pointerMove") => {
                let to = target(step, at)?;
                if is_down {
                    let first = if busy == Some(now) { now + STEP } else { now };
                    glide(at.unwrap_or(to), to, (first, now + duration), events);
                }
                (at, now) = (Some(to), now + duration);
            }
            Some("pointerDown") if !is_down => {
                events.push(Event::Finger(Motion::Down, at.ok_or_else(nowhere)?, now));
                (is_down, busy) = (true, Some(now));
            }
            Some("pointerUp") if is_down => {
                events.push(Event::Finger(Motion::Up, at.ok_or_else(nowhere)?, now));
                (is_down, busy) = (false, Some(now));
            }
            Some("pointerDown" | "pointerUp") => {}
            _ => return Err(Refusal::argument(format!("Unexpected action item {step}"))),
        }
    }
    Ok(())
}

/// Moves a finger evenly from a time to another, in steps as the server has them: it stands where it was in the first of them
/// and arrives in the last, one before the end.
fn glide(from: Point, to: Point, (first, end): (u64, u64), events: &mut Vec<Event>) {
    let count = (end.saturating_sub(first) / STEP).max(1);
    for number in 1..=count {
        #[expect(clippy::cast_precision_loss, reason = "few steps")]
        let part = if number == 1 && count > 1 { 0.0 } else { number as f64 / count as f64 };
        let at = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
        events.push(Event::Finger(Motion::Move, at, first + STEP * (number - 1)));
    }
}

fn target(step: &Value, at: Option<Point>) -> Result<Point, Refusal> {
    let number = |name: &str| step[name].as_f64().filter(|number| number.is_finite());
    let (x, y) = number("x").zip(number("y")).ok_or_else(|| Refusal::argument("Both coordinates must be set"))?;
    match &step["origin"] {
        Value::Null => Ok((x, y)),
        Value::String(origin) if origin == "viewport" => Ok((x, y)),
        Value::String(origin) if origin == "pointer" => {
            let at = at.ok_or_else(|| Refusal::argument("there is no pointer to start from"))?;
            Ok((at.0 + x, at.1 + y))
        }
        _ => Err(Refusal::unknown("the virtual phone takes the origins viewport and pointer")),
    }
}

fn keyboard(steps: &[Value], events: &mut Vec<Event>) -> Result<(), Refusal> {
    for step in steps {
        match (step["type"].as_str(), step["value"].as_str().and_then(|value| value.chars().next())) {
            (Some("pause"), _) | (Some("keyUp"), Some(_)) => {}
            (Some("keyDown"), Some(value)) => events.push(match KEYS.iter().find(|(key, _)| *key == value) {
                Some((_, code)) => Event::Key(*code),
                None => Event::Text(value),
            }),
            _ => return Err(Refusal::argument(format!("Unexpected action item {step}"))),
        }
    }
    Ok(())
}

async fn happen(handset: &Handset, events: Vec<Event>) -> Outcome {
    handset.note("UiAutomator2", format!("{} events", events.len())).await;
    let began = handset.now_ms().await;
    if !handset.until_it_answers(TIMEOUT).await {
        // As on Android, where the injection times out, or the touch is taken back once another window lies over the app's.
        return Ok(Value::Null);
    }
    let done = handset.act(async move |mut system| {
        for event in events {
            match event {
                Event::Finger(motion, at, after) => system.motion(motion, at, began + after).await,
                Event::Key(code) => system.key(code).await,
                Event::Text(text) => system.type_text(text.encode_utf8(&mut [0; 4])).await,
            }
        }
    });
    done.await.map(|()| Value::Null).map_err(|error| Refusal::unknown(error.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_become_events_with_their_times() {
        let mut events = Vec::new();
        let steps = json!([
            {"type": "pointerMove", "x": 1, "y": 2, "duration": 0}, {"type": "pointerDown"},
            {"type": "pause", "duration": 600}, {"type": "pointerMove", "x": 10, "y": 0, "origin": "pointer", "duration": 10},
            {"type": "pointerUp"}
        ]);
        finger(steps.as_array().unwrap(), &mut events).unwrap();
        let of = Event::Finger;
        let expected = [
            of(Motion::Down, (1.0, 2.0), 0),
            of(Motion::Move, (1.0, 2.0), 600),
            of(Motion::Move, (11.0, 2.0), 605),
            of(Motion::Up, (11.0, 2.0), 610),
        ];
        assert_eq!(events, expected);
        assert!(finger(json!([{"type": "pointerDown"}]).as_array().unwrap(), &mut events).is_err());
        let mut events = Vec::new();
        let keys = json!([{"type": "keyDown", "value": "a"}, {"type": "keyUp", "value": "a"}, {"type": "keyDown", "value": "\u{e007}"}]);
        keyboard(keys.as_array().unwrap(), &mut events).unwrap();
        assert_eq!(events, [Event::Text('a'), Event::Key(66)]);
    }
}
