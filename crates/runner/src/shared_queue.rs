//! A queue that several machines share, as a run sees it.

use uixt_call::Boxed;

use crate::result::Outcome;

/// A queue that several machines share: each takes the next case when a worker of its is free.
pub trait SharedQueue: Send + Sync {
    /// Puts the cases into the queue, unless another machine has; an error says what is wrong with it.
    fn begin(&self, cases: Vec<QueueItem>) -> Boxed<'_, Result<(), String>>;

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
pub struct QueueItem {
    pub unit: String,
    /// [`Planned::lane`](super::plan::Planned::lane).
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
