//! A case that has begun → its tries: from its start again, as often as `--retry` allows, until one passes.
//!
//! The steps of every try are steps of the one case in the results, those of later tries with `try 2 › ` before their names;
//! what failed and was made up for is flaky there, as it is where a group of steps is tried again.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::case::{End, reason};
use super::surroundings::{Came, Run, Surroundings};
use super::{compound, evaluation, phases};
use crate::caller::Caller;
use crate::result::Outcome;
use crate::testcase::Scope;

/// Runs the case until a try passes, or no other would be any better; each try has the whole `limit`, and a caller of its own.
pub(super) async fn run(
    mut run: Run<'_>,
    scope: &Scope,
    limit: Option<Duration>,
    started: Instant,
    caller: &(dyn Fn() -> Arc<dyn Caller> + Send + Sync),
) -> io::Result<End> {
    let (mut scope, mut started) = (scope.clone(), started);
    let (mut attempt, mut earlier) = (1, Outcome::Skipped);
    loop {
        let prefix = if attempt > 1 { format!("try {attempt} › ") } else { String::new() };
        let (is_retried, last_try) = (attempt <= run.options.retries, run.failed().len());
        let at = Surroundings::of(&run, limit.map(|limit| started + limit));
        let at = &Surroundings { prefix: &prefix, is_retried, ..at };
        let came = phases::run(at, &scope, limit).await;
        run.caller.end();
        let came = came?;
        if !is_retried || !is_worth_another(at, came) {
            let outcome = outcome(earlier, came.outcome);
            compound::settle_failures(at, 0..last_try, outcome == Outcome::Flaky)?;
            return end(at, &scope, Came { outcome, ..came }).await;
        }
        run.log("warn", format!("try {attempt} did not pass: the case runs again from its start"))?;
        (attempt, earlier, started) = (attempt + 1, came.outcome, Instant::now());
        (run, scope) = (run.again(caller()), scope.anew());
    }
}

/// Tells whether another try may pass: not where something is written wrongly or unsupported, or the run was stopped.
fn is_worth_another(at: &Surroundings<'_>, came: Came) -> bool {
    let is_final = came.is_final && at.run.late().is_none();
    came.outcome >= Outcome::Failed && !is_final && !at.run.stop.is_asked()
}

/// Returns how a case ended by how its last try did, and the one before that, if there was one.
fn outcome(earlier: Outcome, last: Outcome) -> Outcome {
    match last {
        // A try in which nothing ran makes up for nothing.
        Outcome::Skipped => earlier,
        Outcome::Passed if earlier >= Outcome::Failed => Outcome::Flaky,
        last => last,
    }
}

async fn end(at: &Surroundings<'_>, scope: &Scope, came: Came) -> io::Result<End> {
    let error = reason(came, at);
    let exports = evaluation::variables(at, scope, &at.case.config.export).await;
    Ok(End { outcome: came.outcome, error, exports })
}
