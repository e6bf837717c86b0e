//! Everything that happened → the steps of a testcase, in order: what belongs together becomes one, what another phone needs is
//! added, and what nobody waits for is waited for.
//!
//! Each call is laid out when it comes, and may change what came before; a step's text is made once, and again only where a
//! variable was found that may stand in it.

mod closing;

use serde_json::{Value, json};

use self::closing::Before;
use super::draft::{self, Action, Draft, USUAL};
use super::sheet::Step;
use super::vault::Vault;
use super::{Device, Entry, sheet, short};
use crate::tools::{self, Object, Sight};

/// How far down on the screen an element stands that a smaller screen may not show, in fractions of the height: a phone of 570 dp
/// shows of one of 910 dp the upper half, and a quarter above its keyboard.
const DEEP: f64 = 0.45;
const DEEP_BY_KEYBOARD: f64 = 0.28;
/// A field further down may be beneath the keyboard of the field before it, where the phone lies on its side.
const DEEP_FIELD: f64 = 0.18;
/// The same distance counts as none.
const NEAR: f64 = 0.02;
/// How far up an element is that may be out of view once another was scrolled to.
const UP: f64 = 0.15;
/// A wait that took longer is kept: what is waited for may take as long again.
const LONG_WAIT: f64 = 5.0;
/// Stands for a secret of which only keys are known; no text of an app holds it.
const BY_KEYS: &str = "\u{1}keys\u{1}";
/// A pause that targets would hardly bridge.
const LONG_PAUSE: f64 = 5.0;

/// A testcase to be written.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    /// The steps' texts, in order.
    pub steps: Vec<String>,
    /// Names of variables and of the environment's.
    pub secrets: Vec<(String, String)>,
    /// Devices, where there are several.
    pub devices: Vec<Device>,
    /// Whether other servers' tools are called.
    pub calls_servers: bool,
    /// What is to be said after the last step.
    pub trailing: Vec<String>,
    /// How the session ended, where that was a failure.
    pub failure: Option<String>,
    /// Whether nothing asserts what the last step brought about.
    pub is_open: bool,
}

/// A step before its texts are written.
#[derive(Clone, Debug, Default)]
struct Line {
    action: Action,
    comments: Vec<String>,
    /// Title of the page that begins here.
    page: Option<String>,
    /// Whether it is read only to be used later.
    is_idle: bool,
    value: Option<Value>,
    save: Option<String>,
    /// Its text, and what that was written with.
    text: Option<(Manner, String)>,
}

/// What a step's text depends on beside the step: how many variables there are, and whether it has to name its device.
type Manner = (usize, bool);

/// Lays out all that happened.
pub(super) fn lay_out(entries: &[Entry]) -> Layout {
    let mut layout = Layout::default();
    entries.iter().for_each(|entry| layout.add(entry));
    layout
}

/// The steps so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    lines: Vec<Line>,
    vault: Vault,
    /// Comments for the next line.
    comments: Vec<String>,
    /// A wait that may be the last word.
    wait: Option<Action>,
    /// Seconds of pauses since the last step.
    slept: f64,
    /// The page of the last step on an element.
    page: String,
    /// The page that was seen last.
    seen: String,
    /// How far down the last element stood, and whether its page was scrolled.
    reach: Option<(f64, bool)>,
    /// Whether the keyboard may be shown.
    typing: bool,
    /// The texts that were seen last.
    looked: Vec<String>,
    /// What was there before the last step that changes anything.
    before: Before,
    /// What came of that step, as an assertion.
    effect: Option<Action>,
    /// What failed since the last step.
    failed: Option<String>,
    /// Whether nothing can be asserted after the last step.
    is_open: bool,
}

impl Layout {
    /// Adds a call.
    pub(super) fn add(&mut self, entry: &Entry) {
        self.take(draft::of(entry));
    }

    fn take(&mut self, draft: Draft) {
        match draft {
            Draft::Nothing => {}
            Draft::LeftOut(reason) => self.comments.push(format!("left out: {reason}")),
            Draft::Failed(reason) => self.fail(reason),
            Draft::Pause(seconds) => self.slept += seconds,
            Draft::Looked(look) => self.look(look),
            Draft::Wait(action) => self.hold(action),
            Draft::Read(action, value) => {
                let page = action.sight.page.clone();
                self.lines.push(Line { action, is_idle: true, value: Some(value), ..Line::default() });
                self.seen = if page.is_empty() { std::mem::take(&mut self.seen) } else { page };
            }
            Draft::Step(action) => self.step(action),
        }
    }

    /// Tells of what failed, after all that went well before it.
    fn fail(&mut self, reason: String) {
        if let Some(wait) = self.wait.take() {
            self.push_wait(wait);
        }
        self.comments.push(format!("left out: {reason}"));
        // What was to be proven and was not is worth more than what went wrong after it.
        if self.failed.is_none() || reason.starts_with("assert_") || reason.starts_with("wait_for") {
            self.failed = Some(reason);
        }
    }

    /// Holds a wait back until it is known what comes after it.
    fn hold(&mut self, action: Action) {
        if let Some(before) = self.wait.take().filter(must_stay) {
            self.push_wait(before);
        }
        self.failed = None;
        self.seen.clone_from(&action.sight.page);
        self.wait = Some(action);
    }

    fn step(&mut self, mut action: Action) {
        let waits = !action.target.is_empty();
        self.failed = None;
        if let Some(wait) = self.wait.take().filter(|wait| !waits || must_stay(wait) || wait.device != action.device) {
            self.push_wait(wait);
        }
        if self.is_double(&action) {
            return;
        }
        if waits && self.slept > LONG_PAUSE && !action.arguments.contains_key("timeout") {
            action.arguments.insert("timeout".to_owned(), json!(patience(self.slept)));
        }
        let slept = std::mem::take(&mut self.slept);
        if matches!(action.tool.as_str(), "input" | "clear_text") {
            self.join_field(&mut action);
        } else if action.tool == "keycode" && action.sight.types_secret && self.join_keys(&mut action) {
            return;
        }
        if is_typing(&action) {
            self.keep_secret(&mut action);
            self.use_value(&mut action);
        }
        let inner =
            action.arguments.get("arguments").and_then(Value::as_object).filter(|_| action.tool == draft::OTHER);
        for secret in inner.map(tools::secrets).unwrap_or_default() {
            self.vault.keep(&secret, "secret");
        }
        for secret in tools::secrets(&action.arguments) {
            self.vault.keep(&secret, "token");
        }
        if waits {
            self.scroll(&action);
        } else {
            self.wait_for_page(&action, slept);
        }
        self.remember(&action);
        self.push(action);
    }

    /// Tells whether the same was just done, and doing it again changes nothing.
    fn is_double(&self, action: &Action) -> bool {
        let is_idempotent = tools::find(&action.tool).is_some_and(|tool| tool.idempotent || tool.read_only);
        let same = |last: &Line| {
            last.action.tool == action.tool
                && last.action.arguments == action.arguments
                && last.action.device == action.device
        };
        is_idempotent && action.tool != "log" && self.last().is_some_and(same)
    }

    fn last(&self) -> Option<&Line> {
        self.lines.iter().rev().find(|line| !line.is_idle)
    }

    /// Takes the last line back; what was said of it goes with what takes its place.
    fn pop(&mut self) -> Option<Line> {
        let place = self.lines.iter().rposition(|line| !line.is_idle)?;
        let line = self.lines.remove(place);
        self.comments.splice(0..0, line.comments.clone());
        if line.page.is_some() {
            self.page.clear();
        }
        Some(line)
    }

    /// Makes one step of touching a field, emptying it and typing into it.
    fn join_field(&mut self, action: &mut Action) {
        let is_same_field = |line: &Line| line.action.target == action.target && line.action.device == action.device;
        if !action.target.is_empty()
            && self.last().is_some_and(|line| line.action.tool == "tap_element" && is_same_field(line))
        {
            self.pop();
        }
        let empties = |line: &Line| line.action.tool == "clear_text" && is_same_field(line);
        if action.tool == "input" && self.last().is_some_and(empties) {
            self.pop();
            action.arguments.insert("clear".to_owned(), true.into());
        }
    }

    /// Makes one step of the keys that type a secret, of which no letter is written; tells whether that step is there already.
    fn join_keys(&mut self, action: &mut Action) -> bool {
        let Some(target) = draft::typed_secretly(action) else { return false };
        let into = (!target.is_empty()).then(|| super::target::short(&target));
        "input".clone_into(&mut action.tool);
        action.arguments = Object::from_iter([("text".to_owned(), BY_KEYS.into())]);
        action.arguments.extend(into.map(|into| ("into".to_owned(), into)));
        action.target = target;
        action.hides = true;
        let is_typed = |line: &Line| {
            // The field may be named by another thing once something stands in it.
            line.action.device == action.device
                && line.action.arguments.get("text").and_then(Value::as_str) == Some(BY_KEYS)
        };
        if self.last().is_some_and(is_typed) {
            return true;
        }
        action.note = Some("a secret was typed by keys, one by one: the variable must hold the whole of it".to_owned());
        self.join_field(action);
        false
    }

    /// Gives what is typed and nobody should read a variable.
    fn keep_secret(&mut self, action: &mut Action) {
        let Some(text) =
            action.arguments.get("text").filter(|_| action.hides).and_then(|text| tools::texts(text).pop())
        else {
            return;
        };
        let id = action.target.get("id").and_then(Value::as_str);
        let words = id.map_or(action.sight.name.as_str(), |id| id.rsplit('/').next().unwrap_or(id));
        self.vault.keep(&text, words);
        action.arguments.insert("secret".to_owned(), true.into());
    }

    /// Makes a variable of what was read before and is typed now.
    fn use_value(&mut self, action: &mut Action) {
        let Some(text) = action.arguments.get("text").and_then(Value::as_str).filter(|text| text.chars().count() > 1)
        else {
            return;
        };
        let typed = |line: &Line| line.action.arguments.get("text").and_then(Value::as_str) == Some(text);
        if action.hides || self.lines.iter().any(|line| is_typing(&line.action) && typed(line)) {
            return;
        }
        let reading = self.lines.iter_mut().rev().find(|line| line.value.as_ref().is_some_and(|value| value == text));
        if let Some(line) = reading {
            let words = line.action.target.get("id").and_then(Value::as_str).unwrap_or(&line.action.tool).to_owned();
            let name = line.save.take().unwrap_or_else(|| self.vault.free_name(&words));
            (line.is_idle, line.save) = (false, Some(name.clone()));
            self.vault.share(text, &name);
        }
    }

    /// Brings into view what stands where another screen may not show it.
    fn scroll(&mut self, action: &Action) {
        let sight = &action.sight;
        if action.tool == "scroll_to" {
            self.reach = Some((sight.bottom, true));
            return;
        }
        if !sight.scrolls || action.tool == "assert_not_visible" {
            return;
        }
        let before = self.reach.filter(|_| self.page == sight.page);
        let types = matches!(action.tool.as_str(), "input" | "clear_text");
        let deep = match self.typing && self.page == sight.page {
            true if types => DEEP_FIELD,
            true => DEEP_BY_KEYBOARD,
            false => DEEP,
        };
        let swiped = if sight.arrived || sight.moved { self.take_swipes() } else { None };
        let side = match swiped {
            Some(side) => Some(side),
            None if sight.arrived => Some("down"),
            None => side(sight.bottom, before, deep),
        };
        self.reach =
            Some((sight.bottom, swiped.is_some() || sight.arrived || before.is_some_and(|(_, scrolled)| scrolled)));
        let Some(side) = side else { return };
        let mut arguments = action.target.clone();
        let is_in_view = |line: &Line| line.action.target == action.target && line.action.device == action.device;
        if self.last().is_some_and(is_in_view) {
            return;
        }
        if side != "down" {
            arguments.insert("direction".to_owned(), side.into());
        }
        self.push(Action {
            tool: "scroll_to".to_owned(),
            arguments,
            target: action.target.clone(),
            sight: Sight { page: sight.page.clone(), ..Sight::default() },
            device: action.device.clone(),
            ..Action::default()
        });
    }

    /// Takes back the swipes that led to what is acted on now; returns where one looked last.
    fn take_swipes(&mut self) -> Option<&'static str> {
        let mut side = None;
        while let Some(looked) = self.last().and_then(|line| upright(&line.action)) {
            side = side.or(Some(looked));
            self.pop();
        }
        side
    }

    /// Waits for the page on which something is done that waits for nothing.
    fn wait_for_page(&mut self, action: &Action, slept: f64) {
        let is_blind = matches!(
            action.tool.as_str(),
            "press_button"
                | "back"
                | "keycode"
                | "tap_xy"
                | "long_press"
                | "double_tap_xy"
                | "drag"
                | "swipe"
                | "swipe_direction"
                | "swipe_coordinate"
                | "scroll"
                | "input"
                | "backspace"
                | "close_popups"
        );
        let page = if action.sight.page.is_empty() { &self.seen } else { &action.sight.page };
        if !is_blind {
            return;
        }
        if page.is_empty() || *page == self.page {
            self.keep_pause(action, slept);
            return;
        }
        let heading = [("role", "heading"), ("text", page.as_str())];
        let target: Object = heading.iter().map(|(key, value)| ((*key).to_owned(), Value::from(*value))).collect();
        let sight = Sight { page: page.clone(), ..Sight::default() };
        let device = action.device.clone();
        let tool = "assert_visible".to_owned();
        self.push(Action { tool, arguments: target.clone(), target, sight, device, ..Action::default() });
    }

    /// Waits as a pause did, where nothing else would wait for what appeared during it.
    fn keep_pause(&mut self, action: &Action, slept: f64) {
        let by_itself = matches!(action.tool.as_str(), "back" | "press_button" | "keycode" | "close_popups");
        let is_typed = action.sight.types_secret;
        if !by_itself || is_typed || slept <= 0.0 || self.wait_for_news(&action.sight) {
            return;
        }
        let arguments = Object::from_iter([("seconds".to_owned(), json!(slept))]);
        let (tool, device) = ("sleep".to_owned(), action.device.clone());
        self.push(Action { tool, arguments, device, ..Action::default() });
    }

    /// Adds a wait as what it is to a testcase: an assertion.
    fn push_wait(&mut self, mut wait: Action) {
        let is_gone = wait.arguments.shift_remove("gone").is_some_and(|gone| gone == Value::Bool(true));
        wait.tool = if is_gone { "assert_not_visible" } else { "assert_visible" }.into();
        wait.arguments.shift_remove("timeout");
        if wait.took > LONG_WAIT {
            wait.arguments.insert("timeout".to_owned(), json!(patience(wait.took)));
        }
        if !is_gone {
            self.scroll(&wait);
        }
        if !self.is_double(&wait) {
            self.push(wait);
        }
    }

    fn push(&mut self, action: Action) {
        self.failed = None;
        let page = &action.sight.page;
        let begins = !page.is_empty() && *page != self.page;
        let title = begins.then(|| page.clone());
        self.typing = match action.tool.as_str() {
            "input" | "clear_text" => true,
            "back" => false,
            _ => self.typing && !begins,
        };
        if begins {
            self.reach = self.reach.filter(|_| action.sight.scrolls);
            self.page.clone_from(page);
            self.seen.clone_from(page);
        }
        if matches!(action.tool.as_str(), "app_launch" | "cold_launch" | "open_url" | "home") {
            self.page.clear();
            self.seen.clear();
            self.reach = None;
        }
        let mut comments = std::mem::take(&mut self.comments);
        comments.extend(action.note.clone());
        self.lines.push(Line { action, comments, page: title, ..Line::default() });
    }

    /// Writes the steps as if nothing came after them.
    pub(super) fn script(&mut self) -> Script {
        // Texts that were made are kept, for they are not made again.
        if self.wait.is_none() && self.open_end().is_none() {
            return self.write();
        }
        self.write();
        let mut ended = self.clone();
        if let Some(wait) = ended.wait.take() {
            ended.push_wait(wait);
        }
        ended.conclude();
        ended.write()
    }

    /// Returns the steps that were made so far, without what only the end adds.
    pub(super) fn made(&mut self) -> Vec<String> {
        let mut ended = self.clone();
        if let Some(wait) = ended.wait.take() {
            ended.push_wait(wait);
        }
        ended.write().steps
    }

    fn write(&mut self) -> Script {
        let mut devices: Vec<Device> = Vec::new();
        for device in self.lines.iter().filter(|line| !line.is_idle).filter_map(|line| line.action.device.as_ref()) {
            if !devices.contains(device) {
                devices.push(device.clone());
            }
        }
        let manner = (self.vault.size(), devices.len() > 1);
        let lines = self.lines.iter_mut().filter(|line| !line.is_idle);
        let steps = lines.map(|line| line.text(&self.vault, manner)).collect();
        if devices.len() < 2 {
            devices.clear();
        }
        let masked = |text: &String| self.vault.masked(text);
        Script {
            steps,
            secrets: self.vault.secrets(),
            devices,
            calls_servers: self.lines.iter().any(|line| line.action.tool == draft::OTHER),
            trailing: self.comments.iter().map(masked).collect(),
            failure: self.failed.as_ref().map(masked),
            is_open: self.is_open,
        }
    }
}

impl Line {
    fn text(&mut self, vault: &Vault, manner: Manner) -> String {
        if let Some((_, text)) = self.text.as_ref().filter(|(known, _)| *known == manner) {
            return text.clone();
        }
        let text = sheet::step(&self.written(vault, manner.1));
        self.text = Some((manner, text.clone()));
        text
    }

    /// Writes the step: secrets as variables, dollar signs as the language wants them.
    fn written(&self, vault: &Vault, names_device: bool) -> Step {
        let action = &self.action;
        let mut value = short::value(&action.tool, &action.arguments);
        if let Some((_, serial)) = action.device.as_ref().filter(|_| names_device) {
            let mut arguments = action.arguments.clone();
            arguments.insert("serial".to_owned(), serial.as_str().into());
            value = Value::Object(arguments);
        }
        Step {
            comments: self.comments.iter().map(|comment| vault.masked(comment)).collect(),
            name: self.page.as_ref().map(|page| vault.written(page)),
            tool: action.tool.clone(),
            value: vault.write(&value, is_typing(action)),
            save: self.save.clone(),
        }
    }
}

/// Returns where to scroll for an element of this depth, after one of another on the same page.
fn side(bottom: f64, before: Option<(f64, bool)>, deep: f64) -> Option<&'static str> {
    match before {
        Some((last, true)) if bottom > last + NEAR => Some("down"),
        Some((last, true)) if bottom < last - NEAR => Some("up"),
        Some((_, true)) => None,
        Some((last, false)) if last > deep && bottom < last - UP => Some("up"),
        _ if bottom > deep => Some("down"),
        _ => None,
    }
}

/// Returns where a swipe or a scroll over the screen looks: up or down.
fn upright(action: &Action) -> Option<&'static str> {
    let direction = action.arguments.get("direction").and_then(Value::as_str);
    match (action.tool.as_str(), direction?) {
        ("scroll", "down") | ("swipe", "up") => Some("down"),
        ("scroll", "up") | ("swipe", "down") => Some("up"),
        _ => None,
    }
}

fn is_typing(action: &Action) -> bool {
    action.tool == "input"
}

/// Tells whether a wait is a step whatever comes after it: that something is gone is said by nothing else, and what took long is
/// waited for no longer than usual.
fn must_stay(wait: &Action) -> bool {
    wait.took > LONG_WAIT || wait.arguments.get("gone") == Some(&Value::Bool(true))
}

/// Returns how long to wait for what took so many seconds once.
fn patience(seconds: f64) -> f64 {
    ((USUAL + 2.0 * seconds) / 10.0).ceil() * 10.0
}
