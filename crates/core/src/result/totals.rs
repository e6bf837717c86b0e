//! How many cases of a run ended how.

use serde::{Deserialize, Serialize};

use super::{Outcome, is_zero};

/// How many cases ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    pub cases: u64,
    pub passed: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub healed: u64,
    pub failed: u64,
    pub errored: u64,
    pub skipped: u64,
    pub flaky: u64,
    pub steps: u64,
}

impl Totals {
    /// Counts one more case.
    pub fn add(&mut self, outcome: Outcome, steps: u64) {
        self.cases += 1;
        self.steps += steps;
        *match outcome {
            Outcome::Skipped => &mut self.skipped,
            Outcome::Passed => &mut self.passed,
            Outcome::Healed => &mut self.healed,
            Outcome::Flaky => &mut self.flaky,
            Outcome::Failed => &mut self.failed,
            Outcome::Errored => &mut self.errored,
        } += 1;
    }
}
