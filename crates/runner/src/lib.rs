//! Testcases and callers → events: cases, steps, attempts, actions.
//!
//! A run never returns an error of a test: what goes wrong is a result. Only a journal that cannot be written ends it early.
//! Knows neither devices nor reports: whoever starts it hands it a [`Caller`] per case and observers of its events.

use uixt_core::functions;
use uixt_core::query;
use uixt_core::result;
use uixt_core::secrets;
use uixt_testcase as testcase;
use uixt_tools as tools;
use uixt_tools::caller;

mod action;
mod address;
mod after_last_act;
mod case;
pub mod case_id;
mod check;
mod compound;
mod context;
mod early;
mod entry;
mod evaluation;
mod evidence;
mod extraction;
mod hooks;
pub mod journal;
mod leaf;
mod mask;
mod naming;
mod phases;
mod picture;
mod pool;
mod queue;
mod referenced;
mod repeat;
mod request;
pub mod segments;
mod shard;
mod sink;
mod standing;
mod step;
mod stepwise;
mod suite;
#[cfg(test)]
mod tests;
mod tries;
mod unit;
mod video;

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use regex::Regex;
use tokio_util::sync::CancellationToken;

use crate::caller::{Boxed, Caller};
use crate::result::{Device, Failure, Outcome};
use crate::testcase::{Overrides, TagExpression, TestCase};
use crate::tools::SessionState;

pub use case::QUARANTINE;
pub use evidence::Evidence;
pub use sink::{Observer, Sink};
pub use standing::{Stand, Standing, leave};
pub use stepwise::Stepwise;
pub use suite::may_select;
pub use unit::all_shares;
pub use video::Video;

/// What is to be run.
#[derive(Default)]
pub struct Plan {
    /// The paths that were asked for.
    pub paths: Vec<String>,
    pub cases: Vec<Planned>,
    /// Where cases come from one by one, where other machines share them.
    pub shared: Option<Arc<dyn Shared>>,
    /// What runs before and after them, by its position among `cases`.
    pub around: Vec<(Moment, usize)>,
    /// Where they run: one case at a time on each. At least one.
    pub workers: Vec<Arc<dyn Worker>>,
    /// How long cases took in an earlier run, in milliseconds, by their ids: where there are several workers, the longest begin first.
    pub durations: HashMap<String, u64>,
}

/// When a testcase runs that is not one of those that were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    BeforeRun,
    AfterRun,
    /// On each worker, before its first case.
    BeforeDevice,
    /// On each worker that ran a case.
    AfterDevice,
}

impl Moment {
    /// Returns its key in a project file.
    pub fn key(self) -> &'static str {
        match self {
            Self::BeforeRun => "before_run",
            Self::AfterRun => "after_run",
            Self::BeforeDevice => "before_device",
            Self::AfterDevice => "after_device",
        }
    }
}

/// A testcase and what is known of it before it runs.
pub struct Planned {
    /// Unique in the run: `login.yaml`. Its cases are called `login.yaml#0`, `login.yaml#1`, …: one for each row of its parameters.
    pub id: String,
    pub case: TestCase,
    /// Why it is not run, where that is known already.
    pub refusal: Option<Refusal>,
    /// What it needs to run, as all machines of a shared queue call it.
    pub lane: String,
    /// What no two cases of this machine use at the same time: the one device that it runs on.
    pub own_locks: Vec<String>,
    /// What no two cases of any machine use at the same time, beside what its config names: a device that several machines reach.
    pub locks: Vec<String>,
    /// What is to be known before it runs, such as devices that nothing runs on.
    pub warnings: Vec<String>,
    /// Values that no result may show, beside those that the case itself knows.
    pub secrets: Vec<String>,
}

/// Why a case is not run.
pub enum Refusal {
    /// It cannot run: its device is not there.
    Missing(Failure),
    /// It is not run, for this reason.
    Skip(String),
}

/// Makes whom calls go to, each time in a session of its own, for one case; or in one that goes on where an earlier one was.
pub type Calls = Arc<dyn Fn(Option<Arc<SessionState>>) -> Arc<dyn Caller> + Send + Sync>;

/// What a case runs with.
#[derive(Clone)]
pub struct Seat {
    /// The device, where it needs one.
    pub device: Option<Device>,
    pub calls: Calls,
    /// Makes the device ready for a case before each of its tries; returns what there is to tell of that.
    pub ready: Option<Ready>,
}

/// Makes a device ready for a case.
pub type Ready = Arc<dyn Fn() -> Boxed<'static, Vec<String>> + Send + Sync>;

/// Where cases run, one after the other: a device, or whatever each of them names.
pub trait Worker: Send + Sync {
    /// What people call it: `virtual phone 2`.
    fn name(&self) -> String;

    /// Tells whether a case can run there.
    fn suits(&self, planned: &Planned) -> bool;

    /// Opens what a case needs.
    fn seat<'a>(&'a self, planned: &'a Planned) -> Boxed<'a, Result<Seat, Failure>>;

    /// Tells whether the device that was used last still answers.
    fn answers(&self) -> Boxed<'_, bool>;

    /// Says what is to be seen of that device; empty where there is none.
    fn examine(&self) -> Boxed<'_, String> {
        Box::pin(async { String::new() })
    }
}

/// A worker that any case can run on, without a device of its own.
pub struct Deviceless(pub Calls);

impl Worker for Deviceless {
    fn name(&self) -> String {
        String::new()
    }

    fn suits(&self, _: &Planned) -> bool {
        true
    }

    fn seat<'a>(&'a self, _: &'a Planned) -> Boxed<'a, Result<Seat, Failure>> {
        Box::pin(async { Ok(Seat { device: None, calls: Arc::clone(&self.0), ready: None }) })
    }

    fn answers(&self) -> Boxed<'_, bool> {
        Box::pin(async { true })
    }
}

/// When pictures are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Screenshots {
    Never,
    /// Of what did not pass.
    #[default]
    Failure,
    /// Of every action: just before a touch, else just after.
    Step,
}

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Goes on inside a case after a failed step.
    pub continue_on_failure: bool,
    /// Ends the run at the first case that does not pass.
    pub fail_fast: bool,
    pub screenshots: Screenshots,
    pub evidence: Evidence,
    pub video: Video,
    /// The longest that a case may take, where its config does not say.
    pub case_timeout: Option<Duration>,
    /// How many more times a case is run from its start that did not pass.
    pub retries: u32,
    /// How often each case is run, whether or not it passes; 0 is once as well.
    pub repeats: u32,
    /// Runs each case on every worker that suits it, not on one.
    pub on_each: bool,
    pub overrides: Overrides,
    /// The device is the command line's choice, which wins over the configs of testcases that steps refer to.
    pub device_is_named: bool,
    /// Steps with tags run only where this holds for them and their case's together.
    pub tags: Option<TagExpression>,
    /// Of all cases only these.
    pub only: Option<Only>,
    /// Runs only a part of all cases; other machines run the rest.
    pub shard: Option<Sharding>,
    /// Cases run only where it matches their file, the name of their testcase, or their own.
    pub filter: Option<Regex>,
    /// Where the last case is left as it stands if it does not pass, and where one stands that goes on.
    pub standing: Option<Arc<Standing>>,
}

/// A queue that several machines share: each takes the next case when a worker of its is free.
pub trait Shared: Send + Sync {
    /// Puts the cases into the queue, unless another machine has; an error says what is wrong with it.
    fn begin(&self, cases: Vec<Share>) -> Boxed<'_, Result<(), String>>;

    /// Takes a case of one of these lanes.
    fn take<'a>(&'a self, lanes: &'a [String]) -> Boxed<'a, Next>;

    /// Tells whether a case that has just ended is still this machine's: if not, another has taken it over.
    fn is_own<'a>(&'a self, unit: &'a str) -> Boxed<'a, bool>;

    /// Hands over what came of a unit, whose events the sink has seen; `is_file` where it is all rows of a file.
    fn complete<'a>(&'a self, unit: &'a str, is_file: bool, outcome: Outcome) -> Boxed<'a, ()>;

    /// Takes what is to be said of it in the run's log.
    fn said(&self) -> Vec<String>;
}

/// A case as a shared queue knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    pub unit: String,
    /// [`Planned::lane`].
    pub lane: String,
    /// Those that hold across machines.
    pub locks: Vec<String>,
    /// The row of parameters that it is run with, where rows are listed.
    pub row: serde_json::Value,
}

/// What a shared queue gives.
pub enum Next {
    /// A case to run, and why it is run again, where it is.
    Run { unit: String, again: Option<String> },
    /// A case to report as errored: it was run, and nothing came of it.
    Lost { unit: String, why: String },
    /// Something may come yet.
    Wait,
    /// Nothing will: what is to be said of it, and how what other machines ran has ended.
    Over { said: Option<String>, outcome: Outcome },
    /// The queue cannot be used any more.
    Broken(String),
}

/// The cases that an earlier run did not see pass.
#[derive(Clone, Debug, Default)]
pub struct Only {
    /// The ids of those that failed.
    pub failed: HashSet<String>,
    /// The testcases of which some were not run.
    pub begun: HashSet<String>,
    /// The ids of those that need not run again.
    pub done: HashSet<String>,
    /// Whether all others are to run: the run was killed before it could say what it had not run.
    pub rest: bool,
}

impl Only {
    fn selects(&self, planned: &str, case: &str) -> bool {
        self.failed.contains(case) || ((self.rest || self.begun.contains(planned)) && !self.done.contains(case))
    }

    /// Tells whether any case of a testcase is selected.
    pub fn may_select(&self, planned: &str) -> bool {
        self.rest
            || self.begun.contains(planned)
            || self.failed.iter().any(|id| case_id::parts(id).is_some_and(|(of, _)| of == planned))
    }
}

/// Which of several parts of all cases is run.
#[derive(Clone, Debug, Default)]
pub struct Sharding {
    /// Counted from 1.
    pub index: u32,
    pub of: u32,
    /// How long cases take, in milliseconds, by their ids: the parts are made to take the same time. It must be the same for all parts.
    pub durations: HashMap<String, u64>,
    /// [`Shard::digest`](crate::result::Shard::digest).
    pub digest: String,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    pub outcome: Outcome,
    pub interrupted: bool,
}

/// Runs everything. Cancelling `stop` ends it: the call in flight may finish within [`context::GRACE`], teardown included.
pub fn run(plan: Plan, options: Options, sink: Sink, stop: CancellationToken) -> Boxed<'static, io::Result<Ended>> {
    // In a box, it is compiled here, and not in the crate that waits for it.
    Box::pin(pool::run(plan, options, sink, stop))
}

/// Returns the whole milliseconds since `started`.
fn milliseconds(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}
