//! An action as a model names it → a call of a tool of the table, with places in fractions of the screen.

use serde_json::{Map, Value, json};

use super::point::{self, Scale};
use super::{Unreadable, shown};

/// A call of a tool; `finished` says that the goal is reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    pub tool: String,
    pub arguments: Map<String, Value>,
}

/// What a model's action means.
#[derive(Clone, Copy)]
enum Meaning {
    Tap(&'static str),
    LongPress,
    Drag,
    Scroll,
    Type,
    Key,
    Wait,
    Open,
    /// A tool that takes nothing.
    Plain(&'static str),
    Finished,
    GiveUp,
}

const MEANINGS: &[(&str, Meaning)] = &[
    ("click", Meaning::Tap("tap_xy")),
    ("tap", Meaning::Tap("tap_xy")),
    ("left_click", Meaning::Tap("tap_xy")),
    ("left_single", Meaning::Tap("tap_xy")),
    ("left_double", Meaning::Tap("double_tap_xy")),
    ("double_click", Meaning::Tap("double_tap_xy")),
    ("double_tap", Meaning::Tap("double_tap_xy")),
    ("right_single", Meaning::Tap("secondary_click")),
    ("right_click", Meaning::Tap("secondary_click")),
    ("long_press", Meaning::LongPress),
    ("drag", Meaning::Drag),
    ("swipe", Meaning::Drag),
    ("scroll", Meaning::Scroll),
    ("type", Meaning::Type),
    ("input", Meaning::Type),
    ("input_text", Meaning::Type),
    ("hotkey", Meaning::Key),
    ("press", Meaning::Key),
    ("key", Meaning::Key),
    ("wait", Meaning::Wait),
    ("open_app", Meaning::Open),
    ("press_home", Meaning::Plain("home")),
    ("press_back", Meaning::Plain("back")),
    ("finished", Meaning::Finished),
    ("finish", Meaning::Finished),
    ("done", Meaning::Finished),
    ("complete", Meaning::Finished),
    ("call_user", Meaning::GiveUp),
    ("error_env", Meaning::GiveUp),
];

/// Names by which models call a place.
const PLACES: &[&str] =
    &["start_box", "start_point", "point", "box", "coordinate", "position", "bbox", "coordinates", "0"];
const ENDS: &[&str] = &["end_box", "end_point", "to", "1"];
const TEXTS: &[&str] = &["content", "text", "value", "0"];

/// Seconds that a model waits which does not say how long.
const PAUSE: f64 = 1.0;
/// The longest that a model may wait.
const LONGEST: f64 = 60.0;

/// Reads a call: of a tool by the table's own schema, where the table has one of this name that models may call and the arguments are
/// not those of a picture; else of a model's own actions.
pub(super) fn of_call(
    name: &str,
    arguments: Map<String, Value>,
    scale: Scale,
    tool: &impl Fn(&str) -> Option<String>,
) -> Result<Act, Unreadable> {
    let bare = name.trim().to_ascii_lowercase().replace(['-', ' '], "_");
    let is_of_picture = PLACES.iter().chain(ENDS).chain(&["content"]).any(|key| arguments.contains_key(*key));
    if let Some(tool) = tool(name.trim()).filter(|_| !is_of_picture) {
        return Ok(Act { tool, arguments });
    }
    let known = MEANINGS.iter().find(|(known, _)| *known == bare);
    let (_, meaning) = known.ok_or_else(|| Unreadable::Unknown(shown(name)))?;
    Reader { name: &bare, arguments: &arguments, scale }.act(*meaning)
}

struct Reader<'a> {
    name: &'a str,
    arguments: &'a Map<String, Value>,
    scale: Scale,
}

impl Reader<'_> {
    fn act(&self, meaning: Meaning) -> Result<Act, Unreadable> {
        let act = |tool: &str, arguments: Value| {
            let arguments = if let Value::Object(map) = arguments { map } else { Map::new() };
            Ok(Act { tool: tool.to_owned(), arguments })
        };
        match meaning {
            Meaning::Tap(tool) => {
                let (x, y) = self.place(PLACES, "start_box")?;
                act(tool, json!({"x": x, "y": y}))
            }
            Meaning::LongPress => {
                let (x, y) = self.place(PLACES, "start_box")?;
                act("tap_xy", json!({"x": x, "y": y, "duration": 1}))
            }
            Meaning::Drag => {
                let (from, to) = (self.place(PLACES, "start_box")?, self.place(ENDS, "end_box")?);
                act("drag", json!({"from_x": from.0, "from_y": from.1, "to_x": to.0, "to_y": to.1}))
            }
            Meaning::Scroll => match self.text(&["direction", "1", "0"]).map(|text| text.to_ascii_lowercase()) {
                Some(direction) if ["up", "down", "left", "right"].contains(&direction.as_str()) => {
                    act("scroll", json!({"direction": direction}))
                }
                Some(direction) => Err(Unreadable::NotAnAction(format!("scroll {direction}"))),
                None => Err(self.missing("direction")),
            },
            Meaning::Type => match self.text(TEXTS) {
                Some(text) => act("input", json!({"text": text})),
                None => Err(self.missing("content")),
            },
            Meaning::Key => {
                let key = self.text(&["key", "keys", "0"]).ok_or_else(|| self.missing("key"))?;
                // `ctrl c` is how UI-TARS writes it.
                act(
                    "press_key",
                    json!({"key": key.split([' ', '+']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("+")}),
                )
            }
            Meaning::Wait => {
                let seconds = ["seconds", "time", "duration", "0"].iter().find_map(|key| self.arguments.get(*key));
                let seconds = seconds.and_then(|value| value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()));
                act("sleep", json!({"seconds": seconds.unwrap_or(PAUSE).clamp(0.0, LONGEST)}))
            }
            Meaning::Open => match self.text(&["app_name", "name", "app", "package_name", "0"]) {
                Some(app) => act("swipe_to_tap_app", json!({"app_name": app})),
                None => Err(self.missing("app_name")),
            },
            Meaning::Plain(tool) => act(tool, json!({})),
            Meaning::Finished => {
                let said = self.text(&["content", "message", "answer", "text", "0"]).unwrap_or_default();
                act("finished", json!({"content": said}))
            }
            Meaning::GiveUp => Err(Unreadable::GaveUp(self.text(TEXTS).unwrap_or_else(|| self.name.to_owned()))),
        }
    }

    fn place(&self, keys: &[&str], wanted: &'static str) -> Result<(f64, f64), Unreadable> {
        let found = keys.iter().find_map(|key| self.arguments.get(*key));
        let apart = || {
            let (x, y) = (self.arguments.get("x")?, self.arguments.get("y")?);
            Some(json!([x, y])).filter(|_| keys == PLACES)
        };
        let value = found.cloned().or_else(apart).ok_or_else(|| self.missing(wanted))?;
        let nowhere = || Unreadable::NoPlace { action: self.name.to_owned(), text: shown(&super::json::words(&value)) };
        point::read(&value, self.scale).ok_or_else(nowhere)
    }

    fn text(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| match self.arguments.get(*key)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
    }

    fn missing(&self, argument: &'static str) -> Unreadable {
        Unreadable::Missing { action: self.name.to_owned(), argument }
    }
}
