//! One call → what it is to a testcase: a step, something that says how long to wait, or nothing.
//!
//! What only looks is left out, since targets wait; assertions stay. Coordinates are replaced by the element that they met; where
//! none was met, or it matters where it was touched, they stay as fractions of the screen, with the reason.

use serde_json::{Value, json};
use uixt_call::{Aim, CallRecord, Observation, Table, ToolKind, ToolRow, mask};
use uixt_locate::screen_texts::ScreenText;
use uixt_locate::{Object, stable_text};

use super::{Entry, gesture, target};

/// Seconds that targets wait by themselves.
pub(super) const USUAL: f64 = 10.0;

/// The tool by which a testcase calls tools of other servers.
pub(super) const OTHER: &str = "mcp";

/// Options in pixels.
const PIXELS: [&str; 4] = ["abs_scope", "offset", "offset_random_range", "swipe_offset"];

/// Keys that type nothing, by number and by name.
const LEADING_CODES: [&str; 12] = ["3", "4", "19", "20", "21", "22", "23", "24", "61", "66", "111", "160"];
const LEADING_NAMES: [&str; 6] = ["enter", "tab", "back", "home", "numpad_enter", "escape"];

/// The arguments that are points.
const POINTS: [&str; 6] = ["x", "y", "from_x", "from_y", "to_x", "to_y"];

/// A step to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Action {
    pub table: &'static Table,
    pub tool: String,
    pub arguments: Object,
    /// Which element it is for; empty where it is for none.
    pub target: Object,
    pub observation: Observation,
    /// What is to be said of it.
    pub note: Option<String>,
    /// Whether what was typed is a secret.
    pub hides: bool,
    pub device: Option<super::Device>,
    /// Seconds that the call took.
    pub took: f64,
}

impl Action {
    pub(super) fn is(&self, kind: ToolKind) -> bool {
        self.kind() == Some(kind)
    }

    pub(super) fn kind(&self) -> Option<ToolKind> {
        self.facts().map(|tool| tool.kind)
    }

    /// Returns what is known of its tool.
    pub(super) fn facts(&self) -> Option<&'static ToolRow> {
        self.table.find(&self.tool)
    }
}

/// What was seen of a screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Look {
    /// Its title.
    pub page: String,
    pub texts: Vec<ScreenText>,
    pub device: Option<super::Device>,
}

/// What a call is to a testcase.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Candidate {
    Step(Action),
    /// It waited for something: a step only where nothing after it waits.
    Wait(Action),
    /// It read something: a step only where that is used.
    Read(Action, Value),
    /// It waited for so many seconds.
    Pause(f64),
    /// It looked at the screen.
    Looked(Look),
    /// It failed, which has to be said; with whether it was to prove something.
    Failed {
        reason: String,
        proves: bool,
    },
    /// It is no step, which has to be said.
    LeftOut(String),
    Nothing,
}

/// Says what a call is to a testcase.
pub(super) fn of(entry: &Entry) -> Candidate {
    let record = &entry.record;
    let tool = entry.table.find(&record.tool);
    let (kind, is_read_only) = (tool.map(|tool| tool.kind), tool.is_some_and(|tool| tool.read_only));
    let of_page = ["url", "title", "request", "idle"].iter().any(|key| record.arguments.contains_key(*key));
    if let Some(failure) = &entry.failure {
        let proves = matches!(kind, Some(ToolKind::Assert | ToolKind::Wait));
        return if !is_read_only || proves {
            Candidate::Failed { reason: format!("{} failed: {failure}", called(record)), proves }
        } else {
            Candidate::Nothing
        };
    }
    match (kind, &record.value) {
        (Some(ToolKind::Pause), _) => Candidate::Pause(pause(record)),
        (Some(ToolKind::Look), _) => match record.observation.clone() {
            Some(Observation { page, texts, .. }) => {
                Candidate::Looked(Look { page, texts, device: entry.device.clone() })
            }
            None => Candidate::Nothing,
        },
        (Some(ToolKind::Select), _) => Candidate::Nothing,
        // What a page is waited for is no element that a later step would wait for.
        (Some(ToolKind::Wait), _) if !of_page => action(entry).map_or_else(Candidate::LeftOut, Candidate::Wait),
        (Some(ToolKind::Popups), Some(count)) if *count == json!(0) => Candidate::Nothing,
        // A ref means nothing to another run.
        (Some(ToolKind::Read), Some(value @ Value::String(_))) if tool.is_some_and(|tool| tool.main != Some("ref")) => {
            action(entry).map_or(Candidate::Nothing, |action| Candidate::Read(action, value.clone()))
        }
        (Some(ToolKind::Assert | ToolKind::Wait | ToolKind::Note), _) => {
            action(entry).map_or_else(Candidate::LeftOut, Candidate::Step)
        }
        _ if is_read_only => Candidate::Nothing,
        _ => action(entry).map_or_else(Candidate::LeftOut, Candidate::Step),
    }
}

/// Returns the seconds that a pause took: those that were asked for, or else those that its answer tells.
fn pause(record: &CallRecord) -> f64 {
    let asked = |key: &str| record.arguments.get(key).and_then(Value::as_f64);
    let told = || record.value.as_ref().and_then(Value::as_f64);
    asked("seconds").or_else(|| Some(asked("milliseconds")? / 1000.0)).or_else(told).unwrap_or_default()
}

/// Returns what a person calls the tool.
fn called(record: &CallRecord) -> String {
    let word = |key: &str| record.arguments.get(key).and_then(Value::as_str).unwrap_or_default();
    if record.tool == OTHER { format!("{} of {}", word("tool"), word("server")) } else { record.tool.clone() }
}

/// Makes a step of a call; the error says why it can be none.
fn action(entry: &Entry) -> Result<Action, String> {
    let record = &entry.record;
    let arguments = target::without_refs(&record.arguments, &record.refs);
    let mut arguments = arguments.map_err(|reference| {
        format!("{}: the ref {reference} was of an element that was not seen by this call", record.tool)
    })?;
    let says_nothing = |key: &str, value: &Value| value.is_null() || key == "secret" && *value == Value::Bool(false);
    arguments.retain(|key, value| !(says_nothing(key, value) || matches!(key.as_str(), "serial" | "platform")));
    let called = entry.table.find(&record.tool);
    let tool = called.and_then(|tool| tool.alias_of.filter(|_| tool.is_same)).unwrap_or(&record.tool);
    let mut action = Action {
        table: entry.table,
        tool: tool.to_owned(),
        arguments,
        observation: record.observation.clone().unwrap_or_default(),
        hides: record.hides || record.arguments.get("secret") == Some(&Value::Bool(true)),
        device: entry.device.clone(),
        took: entry.elapsed.as_secs_f64(),
        ..Action::default()
    };
    let goes_to_point = ["x", "from_x"].iter().any(|key| record.arguments.contains_key(*key));
    match called.map(|tool| (tool.kind, tool.aim)) {
        Some((_, Aim::Point(element))) if goes_to_point => at_place(&mut action, element),
        Some((ToolKind::Swipe, _)) => swipe(&mut action),
        Some((ToolKind::Typing, Aim::Argument(key))) => into_field(&mut action, key),
        Some((_, Aim::Argument(key))) => {
            action.target = action.arguments.get(key).map(target::long).unwrap_or_default();
        }
        Some((ToolKind::Dialog, _)) => expect(&mut action, record),
        _ => action.target = named_by(&action),
    }
    take_options(&mut action, &entry.options);
    if action.arguments.get("timeout").and_then(Value::as_f64).is_some_and(|seconds| seconds <= USUAL) {
        action.arguments.shift_remove("timeout");
    }
    Ok(action)
}

/// Writes options beside the arguments; a part of the screen in pixels gives way to the element that was found there.
fn take_options(action: &mut Action, options: &Object) {
    for (key, value) in options {
        if key == "abs_scope"
            && let Some(target) = action.observation.target.clone().filter(|_| !action.target.is_empty())
        {
            action.arguments = target::replace(&action.arguments, &target);
            action.target = target;
            continue;
        }
        if PIXELS.contains(&key.as_str()) {
            action.note = Some(format!("`{key}` is in pixels of the phone that this was recorded on"));
        }
        action.arguments.insert(key.clone(), value.clone());
    }
}

/// Returns the target in the arguments of a tool that has one.
fn named_by(action: &Action) -> Object {
    let has_target = action.facts().is_some_and(|tool| tool.schema().properties().any(|(name, _)| name == "regex"));
    if has_target { target::of(&action.arguments) } else { Object::new() }
}

/// Makes what went to a point one that goes to the element there, by the tool that does that; where it has to stay at its place, the
/// arguments name that in fractions.
fn at_place(action: &mut Action, element: Result<&str, &str>) {
    let why = match (element, action.observation.target.clone()) {
        (Ok(tool), Some(target)) => {
            let takes = |key: &str| action.table.find(tool).is_some_and(|tool| tool.schema().property(key).is_some());
            action.arguments.retain(|key, _| takes(key) && !POINTS.contains(&key.as_str()));
            action.arguments = target::replace(&action.arguments, &target);
            (action.tool, action.target) = (tool.to_owned(), target);
            None
        }
        (Ok(_), None) => Some(action.observation.why.clone()),
        (Err(why), _) => Some(why.to_owned()),
    };
    if let Some(why) = why {
        action.note = Some(format!("by its place{}: {why}", named(&action.observation)));
        say_plainly(action);
        points(action);
    }
    // A shorter touch is none that was held.
    let is_held = |value: &Value| value.as_f64() > Some(0.2);
    if element.is_ok() && !action.arguments.get("duration").is_some_and(is_held) {
        action.arguments.shift_remove("duration");
    }
}

/// Writes where a finger touched or went as fractions.
fn points(action: &mut Action) {
    let ends = action.observation.points.len() > 1;
    let names = if ends { &POINTS[2..] } else { &POINTS[..2] };
    let values = action.observation.points.iter().flatten();
    action.arguments.extend(names.iter().zip(values).map(|(name, value)| ((*name).to_owned(), json!(value))));
}

/// Says a call by the tool that a testcase says it by, where that is another.
fn say_plainly(action: &mut Action) {
    let Some(plain) = action.facts().and_then(|tool| action.table.find(tool.alias_of?)) else { return };
    plain.name.clone_into(&mut action.tool);
    action.arguments.retain(|key, _| plain.schema().property(key).is_some());
}

fn swipe(action: &mut Action) {
    let given = action.arguments.get("direction").and_then(Value::as_str).map(str::to_owned);
    let is_plain = matches!(action.tool.as_str(), "swipe" | "swipe_direction");
    let direction =
        given.filter(|_| is_plain).or_else(|| gesture::direction(&action.observation.points).map(str::to_owned));
    let pressed = action.arguments.get("press_duration").filter(|value| value.as_f64() > Some(0.0)).cloned();
    let duration = action.arguments.get("duration").filter(|value| value.as_f64() != Some(0.5)).cloned();
    action.arguments = Object::new();
    if let Some(direction) = direction {
        action.tool = if pressed.is_some() { "swipe_direction" } else { "swipe" }.into();
        action.arguments.insert("direction".to_owned(), direction.into());
    } else {
        action.tool = if pressed.is_some() { "swipe_coordinate" } else { "swipe" }.into();
        action.note = Some("by its place: it goes in no direction over the middle of the screen".to_owned());
        points(action);
    }
    let times = [("duration", duration.filter(|_| is_plain)), ("press_duration", pressed)];
    action.arguments.extend(times.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
}

/// Names the field that is typed into.
fn into_field(action: &mut Action, key: &str) {
    say_plainly(action);
    let seen = action.observation.target.as_ref().map(target::short);
    if let Some(into) = action.arguments.get(key).cloned().or(seen) {
        action.target = target::long(&into);
        action.arguments.insert(key.to_owned(), into);
    }
}

/// Has a dialog say what it said, where that may be said another time.
fn expect(action: &mut Action, record: &CallRecord) {
    let said = record.value.as_ref().and_then(Value::as_str).filter(|said| stable_text::is_steady(said, None));
    if let Some(said) = said.filter(|_| !action.arguments.contains_key("contains")) {
        action.arguments.insert("contains".to_owned(), said.into());
    }
}

/// Returns the secrets that stand in a tool's own arguments, each with the words that it is named by.
pub(super) fn secrets(table: &Table, tool: &str, arguments: &Object) -> Vec<(String, &'static str)> {
    let named = table.find(tool).map_or(&[][..], |tool| tool.secrets);
    let found = named.iter().filter_map(|key| Some((mask::texts(arguments.get(*key)?).pop()?, *key)));
    found.filter(|(secret, _)| !secret.is_empty()).collect()
}

/// Returns the field where a key typed a part of a secret; none where it did something else.
pub(super) fn typed_secretly(action: &Action) -> Option<Object> {
    let key = action.arguments.get("keycode").or_else(|| action.arguments.get("key"))?;
    let name = key.as_str().map_or_else(|| key.to_string(), str::to_ascii_lowercase);
    // What leads away from the field, or hides the keyboard. `KEYCODE_3` is the digit, 3 the home key.
    let leads_on = match name.strip_prefix("keycode_") {
        None if name.parse::<u32>().is_ok() => LEADING_CODES.contains(&name.as_str()),
        named => {
            let name = named.unwrap_or(&name);
            let is_chord = name.len() > 1 && name.contains('+') && !name.starts_with("shift+");
            is_chord
                || name.starts_with("arrow")
                || name == "shift+tab"
                || LEADING_NAMES.contains(&name)
                || name.starts_with("dpad")
                || name.starts_with("volume")
        }
    };
    (!leads_on).then(|| action.observation.target.clone().unwrap_or_default())
}

/// Says in words what was touched.
fn named(observation: &Observation) -> String {
    if observation.name.is_empty() { String::new() } else { format!(" (\"{}\")", observation.name) }
}
