//! What a run leaves: results as a tree, and the events that it grows from. Plain data with serde, nothing else.
//!
//! The runner emits [`Event`]s; the journal keeps them, one JSON object a line; a [`CaseResult`] is what the events of a
//! case add up to; every report is a view of these types.

mod line;
mod stamp;
mod totals;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::tool_times::ToolTimes;

pub use totals::Totals;

/// Version of the journal's and the summary's format.
pub const FORMAT: u32 = 1;

/// How something ended. The order is that of gravity: the greater one wins when outcomes are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Not run, with a reason.
    Skipped,
    /// Everything held.
    Passed,
    /// Everything held, after a model mended a stored goal that no longer fitted.
    Healed,
    /// Failed at first, then passed on a retry.
    Flaky,
    /// An assertion did not hold or a target was not there.
    Failed,
    /// The device, the driver or a service did not work, or the run was interrupted.
    Errored,
}

/// Returns an outcome as the journal and summaries write it.
pub fn word(outcome: Outcome) -> String {
    serde_json::to_value(outcome).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Returns a case's id as the name of a file or folder of what is kept of it: `login-yaml-0`.
pub fn file_name(case: &str) -> String {
    const LONGEST: usize = 100;
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    // Of a long path the end tells which file it is.
    let skipped = case.chars().count().saturating_sub(LONGEST);
    let name: String = case.chars().skip(skipped).map(plain).collect();
    name.trim_matches('-').to_owned()
}

/// Where something stands in a testcase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Path as it was given on the command line, with `/`.
    pub file: String,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
}

/// Why something failed or errored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// `Assertion`, `NotFound`, `WaitTimeout`, `Device`, `Transport`, `Service`, `BadArgument`, `Unsupported`, `Interrupted`.
    pub kind: String,
    /// What happened, for a person.
    pub message: String,
    /// Facts for a program: nearest texts, candidates, codes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

/// A gesture, in fractions of the screen, to be drawn over a screenshot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "gesture", rename_all = "snake_case")]
pub enum Mark {
    /// A finger put down and lifted at one point.
    Tap { x: f64, y: f64 },
    /// A finger drawn over the screen.
    Swipe { from_x: f64, from_y: f64, to_x: f64, to_y: f64 },
}

/// Something that was seen on a picture of the screen, to be framed on it; its place is in fractions of the screen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// The text that was read, or the file of the picture that the place looks like.
    pub what: String,
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
}

/// How the element of a call was found, where the call names elements by refs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookup {
    /// The ways that were tried, in order, at the last look; none where a ref was given, or no element was wanted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tries: Vec<Try>,
    /// What it took to make the call's arguments of what was given, in microseconds, looks at the screen included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversion_us: Option<u64>,
}

/// One way to find an element, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Try {
    /// `ref`, `selector`, `text`, `label`, `test_id` or `description`.
    pub strategy: String,
    pub target: String,
    pub found: bool,
    /// Why it found nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// What was asked of models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelUsage {
    pub calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Bytes of the pictures that were sent.
    pub picture_bytes: u64,
    /// Time until the answers were there.
    pub took_ms: u64,
    /// In the currency of the price that was named; none where no price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl ModelUsage {
    /// Tells whether nothing was asked.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl std::ops::AddAssign for ModelUsage {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.picture_bytes += other.picture_bytes;
        self.took_ms += other.took_ms;
        if let Some(cost) = other.cost {
            self.cost = Some(self.cost.unwrap_or_default() + cost);
        }
    }
}

/// What a model mended of a stored goal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mended {
    /// The stored step that did not fit any more, from 1.
    pub step: u64,
    /// Why it did not.
    pub why: String,
    /// The stored steps that were not taken, as a testcase writes them.
    pub was: Vec<String>,
    /// Those that were taken in their place.
    pub now: Vec<String>,
}

/// The device that a case ran on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// `android`, `ios`, `harmony` or `browser`.
    pub platform: String,
    pub serial: String,
    /// What a person calls it: "virtual phone", "Pixel 7".
    pub name: String,
}

/// One call of a tool.
///
/// A case holds tens of thousands of them, so that what few have and is large stands in a box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionResult {
    pub tool: String,
    /// The arguments as they were sent, secrets masked.
    pub arguments: Map<String, Value>,
    pub outcome: Outcome,
    #[serde(with = "stamp")]
    pub at: DateTime<Utc>,
    pub elapsed_ms: u64,
    /// For how much of it the tool waited.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waiting_ms: u64,
    /// The tool's own sentence: "Tapped at 0.50, 0.50".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<Failure>>,
    pub place: Place,
    /// Path of a picture, relative to the report's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<String>,
    /// What the action did on the screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookup: Option<Box<Lookup>>,
    /// What was seen on the screen, where a call looked at its pixels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Seen>,
    /// What it asked of a model.
    #[serde(default, skip_serializing_if = "ModelUsage::is_nothing")]
    pub usage: ModelUsage,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mended: Vec<Mended>,
    /// What the calls add up to of which it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Box<ToolTimes>>,
}

/// One try of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// Counted from 1.
    pub number: u32,
    pub outcome: Outcome,
    pub actions: Vec<ActionResult>,
}

/// One step of a case, as it ran: every time, row and inner step is one of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepResult {
    /// Counted from 1 in the order in which the case's steps began.
    pub number: u32,
    pub name: String,
    pub place: Place,
    pub outcome: Outcome,
    #[serde(with = "stamp")]
    pub at: DateTime<Utc>,
    pub elapsed_ms: u64,
    /// Why it was skipped, or what went wrong outside of any action: a condition, a hook, a repetition without end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<Failure>>,
    pub attempts: Vec<Attempt>,
}

/// A line of the log that belongs to a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    #[serde(with = "stamp")]
    pub at: DateTime<Utc>,
    /// `info`, `warn` or `error`.
    pub level: String,
    pub message: String,
}

/// One case: a testcase file, or one row of its parameters, on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// Unique in the run: `login.yaml#0`.
    pub id: String,
    pub name: String,
    /// The testcase file as it was given.
    pub file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<Device>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(with = "stamp")]
    pub at: DateTime<Utc>,
    pub elapsed_ms: u64,
    pub outcome: Outcome,
    /// Why it was skipped, or what went wrong outside of any step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    pub steps: Vec<StepResult>,
    /// The variables that its config exports, secrets masked.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub exports: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<LogLine>,
    /// What its steps asked of models.
    #[serde(default, skip_serializing_if = "ModelUsage::is_nothing")]
    pub usage: ModelUsage,
    /// What the calls of the project's own tools add up to, whose steps stand among the case's.
    #[serde(default, skip_serializing_if = "ToolTimes::is_empty")]
    pub own_tools: ToolTimes,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What `summary.json` holds of a run, with its cases.
#[derive(Debug, Deserialize)]
pub struct Summary {
    #[serde(with = "stamp")]
    pub at: DateTime<Utc>,
    pub outcome: Outcome,
    pub elapsed_ms: u64,
    pub cases: Vec<CaseResult>,
}

impl Summary {
    /// Reads a summary.
    pub fn read(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }
}

/// A whole run without its cases, which are read one by one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// [`FORMAT`].
    pub v: u32,
    /// Version of uixt.
    pub uixt: String,
    /// The paths that were asked for.
    pub paths: Vec<String>,
    #[serde(with = "stamp")]
    pub at: DateTime<Utc>,
    pub elapsed_ms: u64,
    pub outcome: Outcome,
    pub totals: Totals,
    /// Whether the run did not come to its end (Ctrl-C, kill).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// What keeps cases from passing that lies with no single one of them, such as a device that shows something else than all of them
    /// expect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    /// How many cases it was to run of which nothing is told, since it was killed or its queue was left.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_run: u64,
    /// What its cases asked of models.
    #[serde(default, skip_serializing_if = "ModelUsage::is_nothing")]
    pub usage: ModelUsage,
    /// Which part of the cases it ran, where others ran the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// What chance began with where rows of parameters were picked at random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// A part of the cases that several machines share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Counted from 1.
    pub index: u32,
    pub of: u32,
    /// How many cases all shards have together.
    pub cases: u64,
    /// Tells the testcases from others: shards of one run have the same.
    pub digest: String,
}

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "line::Line")]
pub struct Entry {
    /// [`FORMAT`].
    pub v: u32,
    /// Counted from 1 in the run.
    pub seq: u64,
    #[serde(with = "stamp")]
    pub at: DateTime<Utc>,
    #[serde(flatten)]
    pub event: Event,
}

/// Something that happened in a run. `case` is a [`CaseResult::id`], `step` a [`StepResult::number`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    RunStarted {
        uixt: String,
        paths: Vec<String>,
        /// How many cases will run.
        cases: u64,
        /// [`RunResult::shard`].
        #[serde(skip_serializing_if = "Option::is_none")]
        shard: Option<Shard>,
        /// [`RunResult::seed`].
        #[serde(skip_serializing_if = "Option::is_none")]
        seed: Option<u64>,
    },
    CaseStarted {
        case: String,
        name: String,
        file: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        device: Option<Device>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tags: Vec<String>,
        /// How many steps its file has; what runs may be more or fewer.
        steps: u32,
    },
    /// The case goes on, from its start, on another device, since its own broke.
    DeviceChanged {
        case: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        device: Option<Device>,
    },
    StepStarted {
        case: String,
        step: u32,
        name: String,
        place: Place,
    },
    ActionFinished {
        case: String,
        step: u32,
        attempt: u32,
        tool: String,
        arguments: Map<String, Value>,
        outcome: Outcome,
        /// When it began.
        #[serde(with = "stamp")]
        began: DateTime<Utc>,
        elapsed_ms: u64,
        /// [`ActionResult::waiting_ms`].
        #[serde(skip_serializing_if = "is_zero")]
        waiting_ms: u64,
        #[serde(skip_serializing_if = "String::is_empty")]
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Failure>,
        place: Place,
        #[serde(skip_serializing_if = "Option::is_none")]
        screenshot: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        mark: Option<Mark>,
        #[serde(skip_serializing_if = "Option::is_none")]
        lookup: Option<Lookup>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        seen: Vec<Seen>,
        /// [`ActionResult::usage`].
        #[serde(skip_serializing_if = "ModelUsage::is_nothing")]
        usage: ModelUsage,
        /// [`ActionResult::mended`].
        #[serde(skip_serializing_if = "Vec::is_empty")]
        mended: Vec<Mended>,
        /// [`ActionResult::parts`].
        #[serde(skip_serializing_if = "ToolTimes::is_empty")]
        parts: ToolTimes,
    },
    StepFinished {
        case: String,
        step: u32,
        name: String,
        place: Place,
        outcome: Outcome,
        elapsed_ms: u64,
        /// [`StepResult::error`].
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Failure>,
    },
    /// A tool that the project made of steps is done; they are told of as those of the case.
    OwnToolFinished {
        case: String,
        tool: String,
        outcome: Outcome,
        elapsed_ms: u64,
        /// For how long its steps waited, and it between them.
        #[serde(skip_serializing_if = "is_zero")]
        waiting_ms: u64,
    },
    Log {
        #[serde(skip_serializing_if = "Option::is_none")]
        case: Option<String>,
        level: String,
        message: String,
    },
    CaseFinished {
        case: String,
        outcome: Outcome,
        elapsed_ms: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Failure>,
        /// [`CaseResult::exports`].
        #[serde(skip_serializing_if = "Map::is_empty")]
        exports: Map<String, Value>,
        /// [`CaseResult::usage`].
        #[serde(skip_serializing_if = "ModelUsage::is_nothing")]
        usage: ModelUsage,
    },
    RunFinished {
        outcome: Outcome,
        elapsed_ms: u64,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        interrupted: bool,
    },
}
