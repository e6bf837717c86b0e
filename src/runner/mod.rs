//! Testcases and callers → events: cases, steps, attempts, actions.
//!
//! A run never returns an error of a test: what goes wrong is a result. Only a journal that cannot be written ends it early.
//! Knows neither devices nor reports: whoever starts it hands it a [`Caller`] per case and observers of its events.

mod attempt;
mod case;
pub mod journal;
mod mask;
mod sink;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::caller::Caller;
use crate::result::{Device, Event, Failure, Outcome};
use crate::testcase::{Overrides, TestCase};

pub use sink::{Observer, Sink};

/// What is to be run.
pub struct Plan {
    /// The paths that were asked for.
    pub paths: Vec<String>,
    pub cases: Vec<Planned>,
}

/// A case and what it runs on.
pub struct Planned {
    /// Unique in the run: `login.yaml#0`.
    pub id: String,
    pub case: TestCase,
    /// The device, where it needs one and it is there.
    pub device: Option<Device>,
    pub means: Means,
}

/// What a case runs with.
pub enum Means {
    /// Calls go here, in a session of the case's own.
    Caller(Arc<dyn Caller>),
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
    /// The longest that a case may take, where its config does not say.
    pub case_timeout: Option<Duration>,
    pub overrides: Overrides,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    pub outcome: Outcome,
    pub interrupted: bool,
}

/// Runs everything. Cancelling `stop` ends it: the call in flight may finish within [`attempt::GRACE`], teardown included.
pub async fn run(plan: &Plan, options: &Options, sink: &Sink, stop: &CancellationToken) -> io::Result<Ended> {
    let started = Instant::now();
    sink.emit(Event::RunStarted {
        uixt: env!("CARGO_PKG_VERSION").to_owned(),
        paths: plan.paths.clone(),
        cases: plan.cases.len() as u64,
    })?;
    let mut outcome = Outcome::Skipped;
    for planned in &plan.cases {
        if let Some(reason) = ended_early(options, outcome, stop) {
            case::skip(planned, options, sink, reason)?;
            continue;
        }
        outcome = outcome.max(case::run(planned, options, sink, stop).await?);
    }
    let interrupted = stop.is_cancelled();
    if interrupted {
        outcome = Outcome::Errored;
    }
    sink.emit(Event::RunFinished { outcome, elapsed_ms: milliseconds(started), interrupted })?;
    Ok(Ended { outcome, interrupted })
}

/// Returns why no more cases are run; each that is left is reported as skipped, so that none vanishes.
fn ended_early(options: &Options, outcome: Outcome, stop: &CancellationToken) -> Option<&'static str> {
    match (stop.is_cancelled(), options.fail_fast && outcome >= Outcome::Failed) {
        (true, _) => Some("not run: the run was interrupted"),
        (_, true) => Some("not run: an earlier case did not pass (--fail-fast)"),
        _ => None,
    }
}

/// Returns the whole milliseconds since `started`.
fn milliseconds(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}
