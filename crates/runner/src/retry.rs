//! A case that has begun → its tries: from its start again, as often as `--retry` allows, until one passes.
//!
//! The steps of every try are steps of the one case in the results, those of later tries with `try 2 › ` before their names;
//! what failed and was made up for is flaky there, as it is where a group of steps is tried again.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::case::{End, reason};
use super::context::{Run, StepContext, StepEnd};
use super::video::Filming;
use super::{CaseRuntime, PausedCase, Worker, compound, evaluation, phases, pool};
use crate::result::{Device, Event, ModelUsage, Outcome};
use crate::testcase::Scope;

/// A case whose device broke, and what came of it so far.
pub(super) struct Moved {
    /// What the device is called.
    from: String,
    /// When the case began.
    pub(super) started: Instant,
    attempt: u32,
    earlier: Outcome,
    steps: u32,
    failed: Vec<Event>,
    usage: ModelUsage,
}

impl Moved {
    /// Says where the case goes on, and why there.
    pub(super) fn told(&self, device: Option<&Device>) -> String {
        let to =
            device.map_or_else(|| "another device".to_owned(), |device| format!("{} ({})", device.name, device.serial));
        format!("{} stopped answering: the case runs again from its start on {to}", self.from)
    }
}

/// What became of a case.
pub(super) enum Tried {
    Ended { end: End, lost_device: bool },
    Moves(Box<Moved>),
}

/// Runs the case until a try passes, or no other would be any better; each try has the whole limit, and a caller of its own. Where its
/// device does not answer any more, and there is another, it ends for that one to go on.
pub(super) async fn run(
    mut run: Run<'_>,
    scope: &Scope,
    (limit, began): (Option<Duration>, Instant),
    seat: &CaseRuntime,
    (on, moved): (Option<&dyn Worker>, Option<Box<Moved>>),
) -> io::Result<Tried> {
    let (mut scope, mut started) = (scope.clone(), Instant::now());
    let mut most = run.options.retries;
    let (mut attempt, mut earlier) = (1, Outcome::Skipped);
    if let Some(moved) = moved {
        (attempt, earlier, most) = (moved.attempt + 1, moved.earlier, most + 1);
        run.resume(moved.steps, moved.failed, moved.usage);
    }
    loop {
        let prefix = if attempt > 1 { format!("try {attempt} › ") } else { String::new() };
        let (is_retried, last_try) = (attempt <= most, run.failed.lock().len());
        // A case that goes on where it stood finds all as it left it.
        if let Some(ready) = seat.ready.as_ref().filter(|_| run.first == 0) {
            for told in ready().await {
                run.log("warn", told)?;
            }
        }
        let cx = StepContext::of(&run, limit.map(|limit| started + limit));
        let cx = &StepContext { prefix: &prefix, is_retried: is_retried || on.is_some(), ..cx };
        let filming = Filming::begin(&run)?;
        let end = phases::run(cx, &scope, limit).await;
        if let Some(filming) = filming {
            filming.end(&run, end.as_ref().map_or(Outcome::Errored, |end| end.outcome)).await?;
        }
        let stands = run.stands.lock().take();
        if let Ok(StepEnd { outcome: Outcome::Passed | Outcome::Healed, .. }) = end
            && let Err(why) = run.caller.passed()
        {
            run.log("warn", format!("the goal was not stored: {why}"))?;
        }
        if stands.is_none() {
            run.caller.end();
        }
        let end = end?;
        if let (Some((step, scope)), Some(standing)) = (stands, &run.options.standing) {
            let (case, caller, devices) = (run.id.clone(), Arc::clone(&run.caller), Arc::clone(&run.devices));
            standing.put(PausedCase { case, step, scope, caller, devices });
        }
        let lost_device = end.outcome == Outcome::Errored && run.has_lost_device() && !run.stop.is_asked();
        if let Some(worker) = on.filter(|_| lost_device)
            && !pool::answers(worker).await
        {
            let (steps, failed, usage) = run.carried();
            let from = worker.name();
            let earlier = end.outcome;
            return Ok(Tried::Moves(Box::new(Moved { from, started: began, attempt, earlier, steps, failed, usage })));
        }
        if !is_retried || !is_worth_another(cx, end) {
            let outcome = outcome(earlier, end.outcome);
            compound::settle_failures(cx, 0..last_try, outcome == Outcome::Flaky)?;
            let end = finish(cx, &scope, StepEnd { outcome, ..end }).await;
            return Ok(Tried::Ended { end, lost_device });
        }
        run.log("warn", format!("try {attempt} did not pass: the case runs again from its start"))?;
        (attempt, earlier, started) = (attempt + 1, end.outcome, Instant::now());
        run.forget_lost_device();
        (run, scope) = (run.again((seat.calls)(None)), scope.anew());
    }
}

/// Tells whether another try may pass: not where something is written wrongly or unsupported, or the run was stopped.
fn is_worth_another(cx: &StepContext<'_>, end: StepEnd) -> bool {
    let is_final = end.is_final && cx.run.late.lock().is_none();
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

async fn finish(cx: &StepContext<'_>, scope: &Scope, end: StepEnd) -> End {
    let error = reason(end, cx);
    let exports = evaluation::variables(cx, scope, &cx.case.config.export).await;
    End { outcome: end.outcome, error, exports, usage: *cx.run.usage.lock() }
}
