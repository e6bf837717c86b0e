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
mod check;
mod compound;
mod context;
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
mod referenced;
mod repeat;
mod request;
mod sink;
mod step;
mod suite;
#[cfg(test)]
mod tests;
mod tries;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use regex::Regex;
use tokio_util::sync::CancellationToken;

use crate::caller::{Boxed, Caller};
use crate::result::{Device, Event, Failure, Outcome};
use crate::testcase::{Overrides, TagExpression, TestCase};

use context::Stop;
pub use evidence::Evidence;
pub use sink::{Observer, Sink};
use suite::Suite;
pub use suite::may_select;

/// What is to be run.
pub struct Plan {
    /// The paths that were asked for.
    pub paths: Vec<String>,
    pub cases: Vec<Planned>,
}

/// A testcase and what it runs on.
pub struct Planned {
    /// Unique in the run: `login.yaml`. Its cases are called `login.yaml#0`, `login.yaml#1`, …: one for each row of its parameters.
    pub id: String,
    pub case: TestCase,
    /// The device, where it needs one and it is there.
    pub device: Option<Device>,
    pub means: Means,
    /// What is to be known before it runs, such as devices that nothing runs on.
    pub warnings: Vec<String>,
    /// Values that no result may show, beside those that the case itself knows.
    pub secrets: Vec<String>,
}

/// What a case runs with.
pub enum Means {
    /// Makes whom calls go to, each time in a session of its own: for one case.
    Calls(Box<dyn Fn() -> Arc<dyn Caller> + Send + Sync>),
    /// It cannot run: its device is not there.
    Missing(Failure),
    /// It is not run, for this reason.
    Skip(String),
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
    /// The longest that a case may take, where its config does not say.
    pub case_timeout: Option<Duration>,
    /// How many more times a case is run from its start that did not pass.
    pub retries: u32,
    pub overrides: Overrides,
    /// The device is the command line's choice, which wins over the configs of testcases that steps refer to.
    pub device_is_named: bool,
    /// Steps with tags run only where this holds for them and their case's together.
    pub tags: Option<TagExpression>,
    /// Cases run only where it matches their file, the name of their testcase, or their own.
    pub filter: Option<Regex>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    pub outcome: Outcome,
    pub interrupted: bool,
}

/// Runs everything. Cancelling `stop` ends it: the call in flight may finish within [`context::GRACE`], teardown included.
pub fn run<'a>(
    plan: &'a Plan,
    options: &'a Options,
    sink: &'a Sink,
    stop: &'a CancellationToken,
) -> Boxed<'a, io::Result<Ended>> {
    // In a box, it is compiled here, and not in the crate that waits for it.
    Box::pin(run_all(plan, options, sink, stop))
}

async fn run_all(plan: &Plan, options: &Options, sink: &Sink, stop: &CancellationToken) -> io::Result<Ended> {
    let (started, stop) = (Instant::now(), Stop::new(stop));
    let suites = || plan.cases.iter().map(|planned| Suite { planned, options, sink, stop: &stop });
    sink.emit(Event::RunStarted {
        uixt: env!("CARGO_PKG_VERSION").to_owned(),
        paths: plan.paths.clone(),
        cases: suites().map(|suite| suite.count()).sum(),
    })?;
    let mut outcome = Outcome::Skipped;
    for suite in suites() {
        match ended_early(options, outcome, &stop) {
            Some(reason) => suite.skip(reason)?,
            None => outcome = outcome.max(suite.run(outcome).await?),
        }
    }
    let interrupted = stop.is_asked();
    if interrupted {
        outcome = Outcome::Errored;
    }
    sink.emit(Event::RunFinished { outcome, elapsed_ms: milliseconds(started), interrupted })?;
    Ok(Ended { outcome, interrupted })
}

/// Returns why no more cases are run; what is left is reported as skipped, so that nothing vanishes: an entry
/// for each file, and one for all rows of a file that has begun.
fn ended_early(options: &Options, outcome: Outcome, stop: &Stop<'_>) -> Option<&'static str> {
    match (stop.is_asked(), options.fail_fast && outcome >= Outcome::Failed) {
        (true, _) => Some("not run: the run was interrupted"),
        (_, true) => Some("not run: an earlier case did not pass (--fail-fast)"),
        _ => None,
    }
}

/// Returns the whole milliseconds since `started`.
fn milliseconds(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}
