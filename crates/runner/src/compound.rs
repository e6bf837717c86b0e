//! A step with steps in it, or around it: each of these is a step of the results, named with the names of what is around it.

use std::io;
use std::ops::Range;

use super::surroundings::{Came, Surroundings};
use super::{entry, evaluation, hooks, leaf, referenced, step};
use crate::result::{Event, Outcome};
use crate::testcase::{Body, Condition, Scope, Step};

/// Runs the step, and again as often as its `retry` says; `is_told` says whether its name stands before those of its steps.
pub(super) async fn run(
    at: &Surroundings<'_>,
    scope: &Scope,
    step: &Step,
    name: &str,
    is_told: bool,
) -> io::Result<Came> {
    let tries = step.retry.map_or(0, |retry| retry.times).saturating_add(1);
    let first_failure = at.run.failed().len();
    let (mut attempt, mut last_try) = (1, first_failure);
    let came = loop {
        let told = match attempt {
            1 => name.to_owned(),
            _ => format!("{name} (try {attempt})"),
        };
        let inner = &Surroundings { attempt, is_retried: at.is_retried || tries > 1, ..*at };
        let came = Try { step, name: &told, is_told: is_told || attempt > 1 }.run(inner, scope).await?;
        let again = came.broke && !came.is_final && attempt < tries;
        if !again || !leaf::waits(at, step).await {
            break came;
        }
        attempt += 1;
        last_try = at.run.failed().len();
    };
    let made_up_for = attempt > 1 && !came.broke;
    settle_failures(at, first_failure..last_try, made_up_for)?;
    let outcome = if made_up_for { came.outcome.max(Outcome::Flaky) } else { came.outcome };
    Ok(Came { outcome, ..came })
}

/// Calls the failed steps of earlier tries flaky where a later one made up for them.
pub(super) fn settle_failures(at: &Surroundings<'_>, earlier: Range<usize>, made_up_for: bool) -> io::Result<()> {
    let first = earlier.start;
    let ended: Vec<Event> = if made_up_for { at.run.failed().drain(earlier).collect() } else { Vec::new() };
    if !at.is_retried {
        at.run.failed().truncate(first);
    }
    for mut event in ended {
        if let Event::StepFinished { outcome, .. } = &mut event {
            *outcome = Outcome::Flaky;
        }
        at.run.sink.emit(event)?;
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
    async fn run(&self, at: &Surroundings<'_>, scope: &Scope) -> io::Result<Came> {
        let (step, prefix) = (self.step, format!("{}{} › ", at.prefix, self.name));
        let inner = &Surroundings { prefix: if self.is_told { &prefix } else { at.prefix }, ..*at };
        let mut came = hooks::run(inner, scope, &step.setup, "setup").await?;
        if !came.broke {
            came = came.and(self.body(at, inner, scope).await?);
        }
        if !came.broke && !matches!(step.body, Body::Actions(_) | Body::Nothing { .. }) {
            came = came.and(leaf::after(at, scope, step, self.name).await?);
        }
        Ok(came.and(hooks::run(&inner.tidying(), scope, &step.teardown, "teardown").await?))
    }

    async fn body(&self, at: &Surroundings<'_>, inner: &Surroundings<'_>, scope: &Scope) -> io::Result<Came> {
        match &self.step.body {
            Body::Actions(_) | Body::Nothing { .. } => leaf::body(at, scope, self.step, self.name).await,
            Body::Group(steps) => step::sequence(inner, scope, steps).await,
            Body::Choice { condition, then, otherwise } => {
                self.choice(at, inner, scope, condition, (then, otherwise)).await
            }
            Body::Case(case) => referenced::run(inner, scope, self.step, case).await,
        }
    }

    async fn choice(
        &self,
        at: &Surroundings<'_>,
        inner: &Surroundings<'_>,
        scope: &Scope,
        condition: &Condition,
        (then, otherwise): (&[Step], &[Step]),
    ) -> io::Result<Came> {
        let place = self.step.place;
        let steps = match evaluation::holds(at, scope, condition).await {
            Ok(true) => then,
            Ok(false) => otherwise,
            Err(problem) => {
                let failure = problem.at(at, condition.place, "if");
                return entry::broken(at, scope, self.name, place, failure);
            }
        };
        if steps.is_empty() {
            let reason = format!("if `{}` does not hold, and there is no `else`", condition.expression);
            return entry::skipped(at, scope, self.name, place, reason);
        }
        step::sequence(inner, scope, steps).await
    }
}
