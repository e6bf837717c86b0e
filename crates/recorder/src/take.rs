//! What somebody does on a device, kept in memory: the steps that a testcase would have, laid out anew whenever something more was done.

use serde_json::Value;
use uixt_call::{CallRecord, Table};

use super::Entry;
use super::script::Layout;

/// A recording without a file of its own.
pub struct Take {
    table: &'static Table,
    entries: Vec<Entry>,
    /// Secrets of other recordings that are read from the same environment.
    others: Vec<Secret>,
}

/// The steps of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// As they stand below `teststeps`: each with what is said of it, on lines of its own, a new screen behind an empty one.
    pub each: Vec<String>,
    /// What was typed secretly: the variable that stands for it, the one of the environment that holds it, and what it is.
    pub secrets: Vec<Secret>,
}

/// A secret that was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    pub variable: String,
    pub environment: String,
    pub value: String,
}

impl Take {
    pub fn new(table: &'static Table) -> Self {
        Self { table, entries: Vec::new(), others: Vec::new() }
    }

    /// Has the secrets of other recordings stay what they are in the environment: another secret gets another name there.
    #[must_use]
    pub fn beside(self, others: Vec<Secret>) -> Self {
        Self { others, ..self }
    }

    /// Adds what calls did that succeeded, on a device of a platform and a serial. What is typed on into a field becomes one with what was
    /// typed before, and a key that takes back a letter of it is one letter less.
    pub fn add(&mut self, records: Vec<CallRecord>, (platform, serial): (&str, &str)) {
        let device = Some((platform.to_owned(), serial.to_owned()));
        for record in records.into_iter().filter(|record| record.succeeded && !record.is_compound && !record.is_part) {
            push(&mut self.entries, Entry { table: self.table, record, device: device.clone(), ..Entry::default() });
        }
    }

    /// Forgets what was done last.
    pub fn undo(&mut self) {
        self.entries.pop();
    }

    /// Returns the steps as they are now.
    pub fn steps(&self) -> Steps {
        let mut layout = Layout::of(self.table).beside(self.others.clone()).anew(&self.entries);
        Steps { each: layout.made(), secrets: layout.secrets() }
    }
}

impl Steps {
    /// Returns them below each other.
    pub fn text(&self) -> String {
        self.each.concat().trim_start_matches('\n').to_owned()
    }
}

/// Adds a call; what is typed on into a field becomes one with what was typed before, and a key that takes back a letter of it is one letter
/// less.
pub(super) fn push(entries: &mut Vec<Entry>, entry: Entry) {
    let last = entries.last_mut().filter(|last| last.failure.is_none() && entry.failure.is_none());
    let Some(text) = last.and_then(|last| continued(&mut last.record, &entry.record)) else {
        entries.push(entry);
        return;
    };
    match entry.record.arguments.get("text").and_then(Value::as_str) {
        Some(more) => text.push_str(more),
        None => _ = text.pop(),
    }
    if text.is_empty() {
        entries.pop();
    }
}

/// Returns what was typed before where a call goes on with it, or takes back a letter of it.
fn continued<'a>(last: &'a mut CallRecord, next: &CallRecord) -> Option<&'a mut String> {
    let target = |record: &CallRecord| record.observation.as_ref().and_then(|seen| seen.target.clone());
    let is = |key: &str, value: &str| next.arguments.get(key).is_some_and(|given| given == value);
    let goes_on = match next.tool.as_str() {
        "input" => {
            next.arguments.keys().all(|key| key == "text") && target(next).is_some() && target(last) == target(next)
        }
        "press_key" => is("key", "Backspace"),
        "press_button" => is("button", "delete"),
        _ => false,
    };
    typed(last).filter(|_| goes_on)
}

fn typed(record: &mut CallRecord) -> Option<&mut String> {
    match record.arguments.get_mut("text") {
        Some(Value::String(text)) if record.tool == "input" => Some(text),
        _ => None,
    }
}
