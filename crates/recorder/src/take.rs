//! What somebody does on a device, kept in memory: the steps that a testcase would have, laid out anew whenever something more was done.

use serde_json::Value;
use uixt_call::{CallRecord, Table};

use super::Entry;
use super::script::Layout;

/// A recording without a file of its own.
pub struct Take {
    table: &'static Table,
    entries: Vec<Entry>,
}

/// The steps of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// As they stand below `teststeps`, each on lines of its own.
    pub text: String,
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
        Self { table, entries: Vec::new() }
    }

    /// Adds what calls did that succeeded, on a device of a platform and a serial. What is typed on into a field becomes one with what was
    /// typed before.
    pub fn add(&mut self, records: Vec<CallRecord>, (platform, serial): (&str, &str)) {
        let device = Some((platform.to_owned(), serial.to_owned()));
        for record in records.into_iter().filter(|record| record.succeeded && !record.is_compound && !record.is_part) {
            let joined = self.entries.last_mut().is_some_and(|last| join(&mut last.record, &record));
            if !joined {
                self.entries.push(Entry { table: self.table, record, device: device.clone(), ..Entry::default() });
            }
        }
    }

    /// Tells whether what was done last was to type.
    pub fn is_typing(&self) -> bool {
        self.entries.last().is_some_and(|last| last.record.tool == "input")
    }

    /// Takes back the last character that was typed.
    pub fn backspace(&mut self) {
        let Some(text) = self.entries.last_mut().and_then(|last| typed(&mut last.record)) else { return };
        text.pop();
        if text.is_empty() {
            self.entries.pop();
        }
    }

    /// Forgets what was done last.
    pub fn undo(&mut self) {
        self.entries.pop();
    }

    /// Returns the steps as they are now.
    pub fn steps(&self) -> Steps {
        let mut layout = Layout::of(self.table).anew(&self.entries);
        let text = layout.made().concat().trim_start_matches('\n').to_owned();
        Steps { text, secrets: layout.secrets() }
    }
}

/// Adds what was typed to what was typed before, where that is the same field.
fn join(last: &mut CallRecord, next: &CallRecord) -> bool {
    let is_bare = |record: &CallRecord| record.tool == "input" && !record.arguments.contains_key("clear");
    let target = |record: &CallRecord| record.observation.as_ref().and_then(|seen| seen.target.clone());
    let is_same = is_bare(next) && last.tool == "input" && target(last) == target(next) && target(next).is_some();
    let more = next.arguments.get("text").and_then(Value::as_str).filter(|_| is_same);
    match (typed(last), more) {
        (Some(text), Some(more)) => {
            text.push_str(more);
            true
        }
        _ => false,
    }
}

fn typed(record: &mut CallRecord) -> Option<&mut String> {
    match record.arguments.get_mut("text") {
        Some(Value::String(text)) if record.tool == "input" => Some(text),
        _ => None,
    }
}
