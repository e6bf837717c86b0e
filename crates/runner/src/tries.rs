//! A case that has begun → its tries: from its start again, as often as `--retry` allows, until one passes.
//!
//! The steps of every try are steps of the one case in the results, those of later tries with `try 2 › ` before their names;
//! what failed and was made up for is flaky there, as it is where a group of steps is tried again.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::case::{End, reason};
use super::context::{Run, StepContext, StepEnd};
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
        let cx = StepContext::of(&run, limit.map(|limit| started + limit));
        let cx = &StepContext { prefix: &prefix, is_retried, ..cx };
        let end = phases::run(cx, &scope, limit).await;
        run.caller.end();
        let end = end?;
        if !is_retried || !is_worth_another(cx, end) {
            let outcome = outcome(earlier, end.outcome);
            compound::settle_failures(cx, 0..last_try, outcome == Outcome::Flaky)?;
            return finish(cx, &scope, StepEnd { outcome, ..end }).await;
        }
        run.log("warn", format!("try {attempt} did not pass: the case runs again from its start"))?;
        (attempt, earlier, started) = (attempt + 1, end.outcome, Instant::now());
        (run, scope) = (run.again(caller()), scope.anew());
    }
}

/// Tells whether another try may pass: not where something is written wrongly or unsupported, or the run was stopped.
fn is_worth_another(cx: &StepContext<'_>, end: StepEnd) -> bool {
    let is_final = end.is_final && cx.run.late().is_none();
    end.outcome >= Outcome::Failed && !is_final && !cx.run.stop.is_asked()
}

/// Returns how a case ended by how its last try did, and the one before that, if there was one.
fn outcome(earlier: Outcome, last: Outcome) -> Outcome {
    match last {
        // A try in which nothing ran makes up for nothing.
        Outcome::Skipped => earlier,
        Outcome::Passed | Outcome::Healed if earlier >= Outcome::Failed => Outcome::Flaky,
        last => last,
    }
}

async fn finish(cx: &StepContext<'_>, scope: &Scope, end: StepEnd) -> io::Result<End> {
    let error = reason(end, cx);
    let exports = evaluation::variables(cx, scope, &cx.case.config.export).await;
    Ok(End { outcome: end.outcome, error, exports, usage: *cx.run.usage() })
}
