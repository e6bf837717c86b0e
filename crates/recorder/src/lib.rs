//! Calls that succeeded → a testcase file: the steps that a person would have written to do the same.
//!
//! A [`Recorder`] is a [`Caller`] around another one. It asks for what each call did ([`CallRecord`]), makes a
//! candidate for a step of it, lays the candidates out as a script and writes that after every step. It knows no device and no screen; the targets that it writes were held against the screen where the call was made.

use uixt_core::action;
use uixt_core::secrets;
use uixt_core::yaml;

mod candidate;
mod file;
mod gesture;
mod script;
mod short;
mod take;
mod target;
mod typed;
mod variables;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Value;
use uixt_call::{
    Boxed, Call, CallOptions, CallRecord, CallToolRequest, CallToolResult, Caller, Content, Table, ToolDefinition,
};
use uixt_locate::Object;

use self::file::Written;
pub use self::file::{Error, Named, Recording, write};
use self::script::Layout;
pub use self::take::{Secret, Steps, Take};
pub use self::typed::{Typed, secrets, short_value, testcase};

/// Longest reason of a failed call that is told.
const LONGEST_REASON: usize = 200;
/// How often the screen is looked at when a session ends, how long between, and for how long at most.
const LOOKS: usize = 6;
const APART: Duration = Duration::from_millis(150);
const LAST_LOOK: Duration = Duration::from_millis(1500);

/// Where a call went: platform and serial.
type Device = (String, String);

/// What happened, as it is laid out anew whenever something more did.
#[derive(Clone, Debug, Default)]
struct Entry {
    table: &'static Table,
    record: CallRecord,
    device: Option<Device>,
    elapsed: Duration,
    /// What it was asked beside its arguments.
    options: Object,
    /// Why it failed; none where it succeeded.
    failure: Option<String>,
}

impl Entry {
    /// A call of which nothing is known but its record.
    fn of(table: &'static Table, record: &CallRecord) -> Self {
        Self { table, record: record.clone(), ..Self::default() }
    }
}

/// A caller whose calls are written down.
pub struct Recorder {
    table: &'static Table,
    inner: Arc<dyn Caller>,
    tape: Mutex<Tape>,
}

struct Tape {
    entries: Vec<Entry>,
    /// Whether letters come one by one, as a person types them.
    is_by_hand: bool,
    layout: Layout,
    recording: Arc<Recording>,
    /// The file of this session, from its first step on.
    file: Option<Written>,
    /// What the file holds.
    written: String,
}

impl Recorder {
    /// Writes down what goes to `inner`, who has the tools of a table, in the next file of the recording.
    pub fn new(table: &'static Table, inner: Arc<dyn Caller>, recording: Arc<Recording>) -> Self {
        let layout = Layout::of(table);
        let entries = Vec::new();
        let tape = Tape { entries, is_by_hand: false, layout, recording, file: None, written: String::new() };
        Self { table, inner, tape: Mutex::new(tape) }
    }

    /// Has what is typed on into a field become one step with what was typed there before, from here on.
    pub fn join_typing(&self) {
        self.tape.lock().is_by_hand = true;
    }

    /// Takes in what somebody did by themselves, as if a tool had done it on a device of a platform and a serial.
    pub fn note(&self, record: CallRecord, (platform, serial): (&str, &str)) {
        let record = CallRecord { succeeded: true, ..record };
        let device = Some((platform.to_owned(), serial.to_owned()));
        self.tape.lock().add(vec![Entry { table: self.table, record, device, ..Entry::default() }]);
    }

    /// Tells whether what was done last was to type.
    pub fn is_typing(&self) -> bool {
        self.tape.lock().entries.last().is_some_and(|last| last.record.tool == "input")
    }

    /// Returns the testcase as it is now; none while there is no step.
    pub fn text(&self) -> Option<String> {
        self.tape.lock().text()
    }

    /// Returns the file; none while there is no step, even where there was one.
    pub fn path(&self) -> Option<PathBuf> {
        self.tape.lock().file.as_ref().map(|file| file.path().to_owned()).filter(|path| path.is_file())
    }

    /// Returns why the last step could not be written, if so.
    pub fn trouble(&self) -> Option<String> {
        self.tape.lock().recording.trouble()
    }

    /// Looks at what the last step brought about, so that it can be asserted; what cannot be seen in time is not.
    pub async fn conclude(&self) {
        let _ = tokio::time::timeout(LAST_LOOK, async {
            for _ in 0..LOOKS {
                if !self.is_open() {
                    return;
                }
                self.record(CallToolRequest::new("snapshot"), Call::default()).await;
                tokio::time::sleep(APART).await;
            }
        })
        .await;
    }

    /// Tells whether nothing asserts what the last step brought about.
    fn is_open(&self) -> bool {
        self.tape.lock().layout.script().is_open
    }

    /// Forgets the last call that became a step, or failed; returns what it was.
    pub fn undo(&self) -> Option<String> {
        let mut tape = self.tape.lock();
        let before = tape.layout.made();
        while let Some(entry) = tape.entries.pop() {
            tape.layout = tape.layout.anew(&tape.entries);
            let told = match entry.failure {
                Some(_) if tape.layout.made() == before => Some(format!("that {} failed", entry.record.tool)),
                _ => (tape.layout.made() != before).then_some(entry.record.tool),
            };
            if told.is_some() {
                tape.write();
                return told;
            }
        }
        None
    }

    async fn record(&self, mut request: CallToolRequest, call: Call) -> CallToolResult {
        let options = options(&request.options);
        request.options.records = true;
        let began = Instant::now();
        let mut result = self.inner.call(request, call).await;
        let elapsed = began.elapsed();
        let records = CallRecord::take(&mut result);
        let device = result.device();
        let failure = failure(&result);
        let entries = records.into_iter().filter(|record| !record.is_compound && !record.is_part).map(|record| Entry {
            table: self.table,
            failure: (!record.succeeded).then(|| failure.clone().unwrap_or_default()),
            // What another server says of devices and takes as options is no step's.
            device: device.clone().filter(|_| record.tool != candidate::OTHER),
            options: if record.tool == candidate::OTHER { Object::new() } else { options.clone() },
            record,
            elapsed,
        });
        self.tape.lock().add(entries.collect());
        result
    }
}

/// Returns the step that a testcase would have for a call; none where it is no step, such as a look.
pub fn step(table: &'static Table, record: &CallRecord) -> Option<(String, Object)> {
    match candidate::of(&Entry::of(table, record)) {
        candidate::Candidate::Step(action) => Some((action.tool, action.arguments)),
        _ => None,
    }
}

impl Tape {
    /// Adds what happened; what was told late, of another device, goes where it belongs.
    fn add(&mut self, entries: Vec<Entry>) {
        if entries.is_empty() {
            return;
        }
        let is_in_order = self.entries.last().is_none_or(|last| last.record.order < entries[0].record.order);
        if is_in_order && self.is_by_hand {
            entries.into_iter().for_each(|entry| take::push(&mut self.entries, entry));
            self.layout = self.layout.anew(&self.entries);
            return self.write();
        }
        if is_in_order {
            entries.iter().for_each(|entry| self.layout.add(entry));
        }
        self.entries.extend(entries);
        if !is_in_order {
            self.entries.sort_by_key(|entry| entry.record.order);
            self.layout = self.layout.anew(&self.entries);
        }
        self.write();
    }

    fn text(&mut self) -> Option<String> {
        let script = self.layout.script();
        let name = self.file.as_ref().map_or_else(|| self.recording.name(), Written::name);
        (!script.steps.is_empty()).then(|| writer::write(&name, &script, self.recording.servers()))
    }

    fn write(&mut self) {
        let text = self.text().unwrap_or_default();
        if text == self.written {
            return;
        }
        let done = if text.is_empty() { self.clear() } else { self.put(&text) };
        if self.recording.written(done) {
            self.written = text;
        }
    }

    /// Takes the file away where all steps were taken back.
    fn clear(&mut self) -> Result<(), Error> {
        self.file.as_mut().map_or(Ok(()), Written::clear)
    }

    fn put(&mut self, text: &str) -> Result<(), Error> {
        if self.file.is_none() {
            self.file = Some(self.recording.claim()?);
        }
        self.file.as_mut().map_or(Ok(()), |file| file.put(text))
    }
}

impl Caller for Recorder {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        self.inner.list()
    }

    fn call(&self, request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        Box::pin(self.record(request, call))
    }

    fn inner(&self) -> Option<&dyn Caller> {
        Some(&*self.inner)
    }
}

/// Returns the options of a call as a testcase writes them beside the arguments.
fn options(options: &CallOptions) -> Object {
    match serde_json::to_value(options) {
        Ok(Value::Object(options)) => options.into_iter().filter(|(key, _)| CallOptions::knows(key)).collect(),
        _ => Object::new(),
    }
}

/// Returns why a call failed, in a few words; none where it succeeded.
fn failure(result: &CallToolResult) -> Option<String> {
    if !result.is_failure() {
        return None;
    }
    let object: Option<&Object> = result.structured_content.as_ref().and_then(Value::as_object);
    let text = result.content.iter().find_map(Content::as_text);
    let message = object.and_then(|object| object.get("message")?.as_str()).or(text).unwrap_or_default();
    let line = message.split(['\n', ';']).next().unwrap_or_default();
    let short: String = line.chars().take(LONGEST_REASON).collect();
    Some(if short.len() < line.len() { format!("{short}…") } else { short })
}
