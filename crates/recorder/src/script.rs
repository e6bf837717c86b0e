//! Everything that happened → the steps of a testcase, in order: what belongs together becomes one, what another phone needs is
//! added, and what nobody waits for is waited for.
//!
//! Each call is laid out when it comes, and may change what came before; a step's text is made once, and again only where a
//! variable was found that may stand in it.

mod assertions;
mod closing;
mod scrolling;
mod waiting;
mod writing;

use serde_json::{Value, json};
use uixt_call::{Table, ToolKind, mask};
use uixt_locate::Object;
use uixt_locate::screen_texts::ScreenText;

use self::assertions::{Before, Effect, Memory};
use self::waiting::{is_waited_for, must_stay, timeout};
use self::writing::Manner;
pub(super) use self::writing::Script;
use super::Entry;
use super::candidate::{self, Action, Candidate};
use super::variables::Variables;

/// Stands for a secret of which only keys are known; no text of an app holds it.
const BY_KEYS: &str = "\u{1}keys\u{1}";
/// A pause that targets would hardly bridge.
const LONG_PAUSE: f64 = 5.0;

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

/// The steps so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    table: &'static Table,
    lines: Vec<Line>,
    variables: Variables,
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
    looked: Vec<ScreenText>,
    /// What was there before the last step, where what is new came of that step.
    before: Option<Before>,
    /// What came of that step.
    effect: Effect,
    memory: Memory,
    /// What failed since the last step.
    failed: Option<String>,
    /// Whether nothing can be asserted after the last step.
    is_open: bool,
}

impl Layout {
    /// Begins with nothing, for tools of a table.
    pub(super) fn of(table: &'static Table) -> Self {
        Self { table, ..Self::default() }
    }

    /// Has the secrets of other recordings read from the same environment.
    pub(super) fn beside(self, others: Vec<super::Secret>) -> Self {
        Self { variables: Variables::beside(others), ..self }
    }

    /// Lays out all that happened anew.
    pub(super) fn anew(&self, entries: &[Entry]) -> Self {
        let mut layout = Self { variables: self.variables.anew(), ..Self::of(self.table) };
        entries.iter().for_each(|entry| layout.add(entry));
        layout
    }

    /// Returns what was typed secretly.
    pub(super) fn secrets(&self) -> Vec<super::Secret> {
        self.variables.kept()
    }

    /// Adds a call.
    pub(super) fn add(&mut self, entry: &Entry) {
        if entry.failure.is_some() {
            // What failed is told in a comment only.
            mask::secrets(&entry.record.arguments).iter().for_each(|secret| self.variables.hide(secret));
            let own = candidate::secrets(self.table, &entry.record.tool, &entry.record.arguments);
            own.iter().for_each(|(secret, _)| self.variables.hide(secret));
        }
        self.take(candidate::of(entry));
    }

    fn take(&mut self, candidate: Candidate) {
        match candidate {
            Candidate::Nothing => {}
            Candidate::LeftOut(reason) => self.comments.push(format!("left out: {reason}")),
            Candidate::Failed { reason, proves } => self.fail(reason, proves),
            Candidate::Pause(seconds) => self.slept += seconds,
            Candidate::Looked(look) => self.look(look),
            Candidate::Wait(action) => self.hold(action),
            Candidate::Read(action, value) => {
                let page = action.observation.page.clone();
                self.lines.push(Line { action, is_idle: true, value: Some(value), ..Line::default() });
                self.seen = if page.is_empty() { std::mem::take(&mut self.seen) } else { page };
            }
            Candidate::Step(action) => self.step(action),
        }
    }

    /// Tells of what failed, after all that went well before it.
    fn fail(&mut self, reason: String, proves: bool) {
        if let Some(wait) = self.wait.take() {
            self.push_wait(wait);
        }
        self.comments.push(format!("left out: {reason}"));
        // What was to be proven and was not is worth more than what went wrong after it.
        if self.failed.is_none() || proves {
            self.failed = Some(reason);
        }
    }

    /// Holds a wait back until it is known what comes after it.
    fn hold(&mut self, action: Action) {
        if let Some(before) = self.wait.take().filter(|before| before.target != action.target || must_stay(before)) {
            self.push_wait(before);
        }
        self.failed = None;
        self.seen.clone_from(&action.observation.page);
        self.wait = Some(action);
    }

    fn step(&mut self, mut action: Action) {
        let waits = !action.target.is_empty();
        self.failed = None;
        if let Some(wait) = self.wait.take().filter(|wait| must_stay(wait) || !is_waited_for(wait, &action)) {
            self.push_wait(wait);
        }
        if self.is_double(&action) {
            return;
        }
        self.tell_effect(&action);
        if waits && self.slept > LONG_PAUSE && !action.arguments.contains_key("timeout") {
            action.arguments.insert("timeout".to_owned(), json!(timeout(self.slept)));
        }
        let slept = std::mem::take(&mut self.slept);
        if action.is(ToolKind::Typing) {
            self.join_field(&mut action);
        } else if action.is(ToolKind::Key) && action.observation.types_secret && self.join_keys(&mut action) {
            return;
        }
        if is_typing(&action) {
            self.keep_secret(&mut action);
            self.use_value(&mut action);
        }
        let inner =
            action.arguments.get("arguments").and_then(Value::as_object).filter(|_| action.tool == candidate::OTHER);
        for secret in inner.map(mask::secrets).unwrap_or_default() {
            self.variables.keep(&secret, "secret");
        }
        for secret in mask::secrets(&action.arguments) {
            self.variables.keep(&secret, "token");
        }
        for (secret, words) in candidate::secrets(self.table, &action.tool, &action.arguments) {
            self.variables.keep(&secret, words);
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
        let is_idempotent = action.facts().is_some_and(|tool| tool.idempotent || tool.read_only);
        let same = |last: &Line| {
            last.action.tool == action.tool
                && last.action.arguments == action.arguments
                && last.action.device == action.device
        };
        is_idempotent && !action.is(ToolKind::Note) && self.last().is_some_and(same)
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
        if !action.target.is_empty() && self.last().is_some_and(|line| line.action.tool == "tap" && is_same_field(line))
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
        let Some(target) = candidate::typed_secretly(action) else { return false };
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
        let Some(text) = action.arguments.get("text").filter(|_| action.hides).and_then(|text| mask::texts(text).pop())
        else {
            return;
        };
        let id = action.target.get("id").and_then(Value::as_str);
        let words = id.map_or(action.observation.name.as_str(), |id| id.rsplit('/').next().unwrap_or(id));
        self.variables.keep(&text, words);
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
            let name = line.save.take().unwrap_or_else(|| self.variables.free_name(&words));
            (line.is_idle, line.save) = (false, Some(name.clone()));
            self.variables.share(text, &name);
        }
    }

    fn push(&mut self, mut action: Action) {
        self.failed = None;
        let page = &action.observation.page;
        let begins = !page.is_empty() && *page != self.page;
        let title = begins.then(|| page.clone());
        let kind = action.kind();
        self.typing = match kind {
            Some(ToolKind::Typing) => true,
            Some(ToolKind::Back) => false,
            _ => self.typing && !begins,
        };
        if begins {
            self.reach = self.reach.filter(|_| action.observation.scrolls);
            self.page.clone_from(page);
            self.seen.clone_from(page);
        }
        if matches!(kind, Some(ToolKind::Launch | ToolKind::Home | ToolKind::Tab)) {
            self.page.clear();
            self.seen.clear();
            self.reach = None;
        }
        let mut comments = std::mem::take(&mut self.comments);
        comments.extend(action.note.clone());
        // Nobody asks again, and every step is copied often.
        action.observation.texts = Vec::new();
        self.lines.push(Line { action, comments, page: title, ..Line::default() });
    }
}

fn is_typing(action: &Action) -> bool {
    action.tool == "input"
}
