//! What a run proposes to change in a file, whatever it found it by.

use std::path::PathBuf;

/// One change that somebody may agree to.
pub(super) struct Proposal {
    /// Where it is, for a person: `testcases/login.yaml:7:3`.
    pub(super) place: String,
    /// The file that changes.
    pub(super) file: PathBuf,
    /// What stands there.
    pub(super) now: String,
    /// Why it may be right as it is.
    pub(super) doubt: Option<String>,
    /// What could stand there, the best first, at least one; or why nothing can be written.
    pub(super) choices: Result<Vec<Choice>, String>,
    /// The testcase that shows whether the change was right.
    pub(super) again: String,
}

/// A file's text → the text with the change, or why it cannot be made.
pub(super) type Change = Box<dyn Fn(&str) -> Result<String, String>>;

/// One way to change it.
pub(super) struct Choice {
    /// Why it may be meant: `text 93 % alike`.
    pub(super) why: String,
    pub(super) change: Change,
}

impl Proposal {
    /// Tells whether two proposals are of one place.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.place == other.place
    }

    /// Returns a way to change it.
    pub(super) fn choice(&self, at: usize) -> Result<&Choice, String> {
        self.choices.as_ref().map_err(Clone::clone)?.get(at).ok_or_else(|| "there is no such suggestion".to_owned())
    }
}
