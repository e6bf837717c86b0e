//! Calls → figures of them.

use std::time::{Duration, Instant};

use super::Error;
use super::answer::Answer;

/// What the calls of all sessions came to.
#[derive(Clone, Copy, Debug)]
pub struct Stats {
    pub began: Instant,
    /// Codes that were run.
    pub executions: u64,
    /// Those of them that ended with 0.
    pub succeeded: u64,
    /// Those that were ended because they took too long.
    pub timed_out: u64,
    /// Those whose Python ended in another way.
    pub crashed: u64,
    /// Time of all of them together.
    pub time: Duration,
    pub slowest: Duration,
    pub packages: u64,
    pub sessions: u64,
}

impl Default for Stats {
    fn default() -> Self {
        let none = Duration::ZERO;
        Self {
            began: Instant::now(),
            executions: 0,
            succeeded: 0,
            timed_out: 0,
            crashed: 0,
            time: none,
            slowest: none,
            packages: 0,
            sessions: 0,
        }
    }
}

impl Stats {
    /// Takes in what came of a code.
    pub(crate) fn note(&mut self, done: &Result<Answer, Error>) {
        let (answer, how) = match done {
            Ok(answer) => (answer, None),
            Err(Error::Ended { how, answer, .. }) => (&**answer, Some(how)),
            // It did not run.
            Err(_) => return,
        };
        self.executions += 1;
        self.succeeded += u64::from(how.is_none() && answer.return_code == Some(0));
        self.timed_out += u64::from(how == Some(&super::Ended::Time));
        self.crashed += u64::from(how.is_some_and(|how| *how != super::Ended::Time));
        self.time += answer.time;
        self.slowest = self.slowest.max(answer.time);
    }

    /// Returns the share of codes that ended with 0; none where none was run.
    pub fn success_rate(&self) -> Option<f64> {
        share(self.succeeded, self.executions)
    }
}

/// Returns the share, in thousandths as a fraction.
fn share(part: u64, whole: u64) -> Option<f64> {
    let thousandths = (part * 1000).checked_div(whole)?;
    Some(f64::from(u32::try_from(thousandths).ok()?) / 1000.0)
}
