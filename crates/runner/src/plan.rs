//! What is to be run, what is known of it before, and how it all ended.

use std::collections::HashMap;
use std::sync::Arc;

use super::shared_queue::SharedQueue;
use super::worker::Worker;
use crate::result::{Failure, Outcome};
use crate::testcase::TestCase;

/// What is to be run.
#[derive(Default)]
pub struct Plan {
    /// The paths that were asked for.
    pub paths: Vec<String>,
    pub cases: Vec<Planned>,
    /// Where cases come from one by one, where other machines share them.
    pub shared: Option<Arc<dyn SharedQueue>>,
    /// What runs before and after them, by its position among `cases`.
    pub around: Vec<(HookPoint, usize)>,
    /// Where they run: one case at a time on each. At least one.
    pub workers: Vec<Arc<dyn Worker>>,
    /// How long cases took in an earlier run, in milliseconds, by their ids: where there are several workers, the longest begin first.
    pub durations: HashMap<String, u64>,
}

/// When a testcase runs that is not one of those that were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookPoint {
    BeforeRun,
    AfterRun,
    /// On each worker, before its first case.
    BeforeDevice,
    /// On each worker that ran a case.
    AfterDevice,
}

impl HookPoint {
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

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    pub outcome: Outcome,
    pub interrupted: bool,
}
