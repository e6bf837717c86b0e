//! How to run, and which of all cases.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use regex::Regex;
use uixt_call::Table;

use super::case_id;
use super::paused_case::PausedCaseSlot;
use crate::testcase::{Overrides, TagExpression};

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

/// Of which steps or cases something is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    None,
    Failed,
    All,
}

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The tools that actions mean.
    pub table: &'static Table,
    /// Goes on inside a case after a failed step.
    pub continue_on_failure: bool,
    /// Ends the run at the first case that does not pass.
    pub fail_fast: bool,
    pub screenshots: Screenshots,
    /// Of which steps it is kept what the device tells beside the answer.
    pub evidence: Keep,
    /// Of which cases a video is kept.
    pub video: Keep,
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
    pub only: Option<RerunSelection>,
    /// Runs only a part of all cases; other machines run the rest.
    pub shard: Option<Sharding>,
    /// Cases run only where it matches their file, the name of their testcase, or their own.
    pub filter: Option<Regex>,
    /// Where the last case is left as it stands if it does not pass, and where one stands that goes on.
    pub standing: Option<Arc<PausedCaseSlot>>,
}

impl Options {
    /// Runs what is planned once, as usual, with the tools of a table.
    pub fn new(table: &'static Table) -> Self {
        Self {
            table,
            continue_on_failure: false,
            fail_fast: false,
            screenshots: Screenshots::default(),
            evidence: Keep::Failed,
            video: Keep::None,
            case_timeout: None,
            retries: 0,
            repeats: 0,
            on_each: false,
            overrides: Overrides::default(),
            device_is_named: false,
            tags: None,
            only: None,
            shard: None,
            filter: None,
            standing: None,
        }
    }
}

/// The cases that an earlier run did not see pass.
#[derive(Clone, Debug, Default)]
pub struct RerunSelection {
    /// The ids of those that failed.
    pub failed: HashSet<String>,
    /// The testcases of which some were not run.
    pub begun: HashSet<String>,
    /// The ids of those that need not run again.
    pub done: HashSet<String>,
    /// Whether all others are to run: the run was killed before it could say what it had not run.
    pub rest: bool,
}

impl RerunSelection {
    /// Tells whether a case of a testcase is selected.
    pub(super) fn selects(&self, planned: &str, case: &str) -> bool {
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
