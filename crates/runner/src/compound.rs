//! A step with steps in it, or around it: each of these is a step of the results, named with the names of what is around it.

use std::io;
use std::ops::Range;

use super::context::{StepContext, StepEnd};
use super::{entry, evaluation, hooks, plain_step, referenced, step};
use crate::result::{Event, Outcome};
use crate::testcase::{Body, Condition, Scope, Step};

/// Runs the step, and again as often as its `retry` says; `is_told` says whether its name stands before those of its steps.
pub(super) async fn run(
    cx: &StepContext<'_>,
    scope: &Scope,
    step: &Step,
    name: &str,
    is_told: bool,
) -> io::Result<StepEnd> {
    let tries = step.retry.map_or(0, |retry| retry.times).saturating_add(1);
    let first_failure = cx.run.failed.lock().len();
    let (mut attempt, mut last_try) = (1, first_failure);
    let end = loop {
        let told = match attempt {
            1 => name.to_owned(),
            _ => format!("{name} (try {attempt})"),
        };
        let inner = &StepContext { attempt, is_retried: cx.is_retried || tries > 1, ..*cx };
        let end = Try { step, name: &told, is_told: is_told || attempt > 1 }.run(inner, scope).await?;
        let again = end.broke && !end.is_final && attempt < tries;
        if !again || !plain_step::waits(cx, step).await {
            break end;
        }
        attempt += 1;
        last_try = cx.run.failed.lock().len();
    };
    let made_up_for = attempt > 1 && !end.broke;
    settle_failures(cx, first_failure..last_try, made_up_for)?;
    let outcome = if made_up_for { end.outcome.max(Outcome::Flaky) } else { end.outcome };
    Ok(StepEnd { outcome, ..end })
}

/// Calls the failed steps of earlier tries flaky where a later one made up for them.
pub(super) fn settle_failures(cx: &StepContext<'_>, earlier: Range<usize>, made_up_for: bool) -> io::Result<()> {
    let first = earlier.start;
    let ended: Vec<Event> = if made_up_for { cx.run.failed.lock().drain(earlier).collect() } else { Vec::new() };
    if !cx.is_retried {
        cx.run.failed.lock().truncate(first);
    }
    for mut event in ended {
        if let Event::StepFinished { outcome, .. } = &mut event {
            *outcome = Outcome::Flaky;
        }
        cx.run.sink.emit(event)?;
    }
    Ok(())
}

/// One try.
struct Try<'a> {
    step: &'a Step,
    name: &'a str,
    is_told: bool,
}

impl Try<'_> {
    async fn run(&self, cx: &StepContext<'_>, scope: &Scope) -> io::Result<StepEnd> {
        let (step, prefix) = (self.step, format!("{}{} › ", cx.prefix, self.name));
        let inner = &StepContext { prefix: if self.is_told { &prefix } else { cx.prefix }, ..*cx };
        let mut end = hooks::run(inner, scope, &step.setup, "setup").await?;
        if !end.broke {
            end = end.and(self.body(cx, inner, scope).await?);
        }
        if !end.broke && !matches!(step.body, Body::Actions(_) | Body::Nothing { .. }) {
            end = end.and(plain_step::after(cx, scope, step, self.name).await?);
        }
        Ok(end.and(hooks::run(&inner.tidying(), scope, &step.teardown, "teardown").await?))
    }

    async fn body(&self, cx: &StepContext<'_>, inner: &StepContext<'_>, scope: &Scope) -> io::Result<StepEnd> {
        match &self.step.body {
            Body::Actions(_) | Body::Nothing { .. } => plain_step::body(cx, scope, self.step, self.name).await,
            Body::Group(steps) => step::sequence(inner, scope, steps).await,
            Body::Choice { condition, then, otherwise } => {
                self.choice(cx, inner, scope, condition, (then, otherwise)).await
            }
            Body::Case(case) => referenced::run(inner, scope, self.step, case).await,
        }
    }

    async fn choice(
        &self,
        cx: &StepContext<'_>,
        inner: &StepContext<'_>,
        scope: &Scope,
        condition: &Condition,
        (then, otherwise): (&[Step], &[Step]),
    ) -> io::Result<StepEnd> {
        let place = self.step.place;
        let steps = match evaluation::holds(cx, scope, condition).await {
            Ok(true) => then,
            Ok(false) => otherwise,
            Err(problem) => {
                let failure = problem.cx(cx, condition.place, "if");
                return entry::broken(cx, scope, self.name, place, failure);
            }
        };
        if steps.is_empty() {
            let reason = format!("if `{}` does not hold, and there is no `else`", condition.expression);
            return entry::skipped(cx, scope, self.name, place, reason);
        }
        step::sequence(inner, scope, steps).await
    }
}
