//! How often a step runs, and whether: `parameters`, `repeat`, `when`. What it does is seen to elsewhere.

use std::io;

use super::surroundings::{Came, Surroundings};
use super::{compound, entry, evaluation, leaf, naming, repeat};
use crate::result::Outcome;
use crate::testcase::{Body, Scope, Step};
use naming::Time;

/// Runs steps in order, until a failure ends them.
pub(super) async fn sequence(at: &Surroundings<'_>, scope: &Scope, steps: &[Step]) -> io::Result<Came> {
    let mut came = Came::NOTHING;
    for step in steps {
        if at.is_over() {
            return Ok(came.and(Came::CUT_OFF));
        }
        let one = run(at, scope, step).await?;
        came = came.and(one);
        if one.broke && !at.run.options.continue_on_failure {
            break;
        }
    }
    Ok(came)
}

/// Runs a step as often as it says.
pub(super) async fn run(at: &Surroundings<'_>, scope: &Scope, step: &Step) -> io::Result<Came> {
    if let Some(reason) = excluded(at, step) {
        let scope = scope.for_step(step);
        let name = naming::step_name(at, &scope, step, Time::default()).await;
        return entry::skipped(at, &scope, &name, step.place, reason);
    }
    let mut came = match &step.parameters {
        None => repeated(at, scope, step, Time::default()).await?,
        Some(_) => Box::pin(rows(at, scope, step)).await?,
    };
    if step.optional && came.outcome == Outcome::Failed {
        came.broke = false;
    }
    Ok(came)
}

/// Says why a step is not among those that `--tags` selects.
fn excluded(at: &Surroundings<'_>, step: &Step) -> Option<String> {
    let selected = at.run.options.tags.as_ref().filter(|_| !step.tags.is_empty())?;
    let cases = [&at.run.planned.case.config.tags, &at.case.config.tags];
    let tags: Vec<String> = cases.into_iter().chain([&step.tags]).flatten().cloned().collect();
    let is_selected = selected.holds(&tags);
    (!is_selected).then(|| format!("--tags does not hold for its tags: {}", step.tags.join(", ")))
}

/// Runs a step with each row of its parameters.
async fn rows(at: &Surroundings<'_>, scope: &Scope, step: &Step) -> io::Result<Came> {
    let Some(parameters) = &step.parameters else { return Ok(Came::NOTHING) };
    let outer = scope.for_step(step);
    let broken = |problem: &evaluation::Problem, name: &str| {
        entry::broken(at, scope, name, step.place, problem.at(at, step.place, "parameters"))
    };
    let name = naming::step_name(at, &outer, step, Time::default()).await;
    let rows = match evaluation::rows(at, &outer, parameters).await {
        Ok(rows) => rows,
        Err(problem) => return broken(&problem, &name),
    };
    let (mut came, mut some) = (Came::NOTHING, false);
    for row in rows {
        some = true;
        if at.is_over() {
            return Ok(came.and(Came::CUT_OFF));
        }
        let one = match row {
            Ok(row) => repeated(at, scope, step, Time { number: None, row: Some(&row) }).await?,
            Err(error) => return Ok(came.and(broken(&error.into(), &name)?)),
        };
        came = came.and(one);
        if one.broke && !at.run.options.continue_on_failure {
            break;
        }
    }
    match some {
        true => Ok(came),
        false => entry::skipped(at, scope, &name, step.place, "its parameters have no row".to_owned()),
    }
}

async fn repeated(at: &Surroundings<'_>, scope: &Scope, step: &Step, time: Time<'_>) -> io::Result<Came> {
    match &step.repeat {
        None => once(at, &layers(scope, step, time), step, time).await,
        Some(times) => Box::pin(repeat::run(at, scope, step, times, time)).await,
    }
}

/// Returns the variables of one time that a step runs: its own are evaluated anew each time.
pub(super) fn layers(scope: &Scope, step: &Step, time: Time<'_>) -> Scope {
    let scope = scope.for_step(step);
    match time.row {
        Some(row) => scope.with_row(row.clone()),
        None => scope,
    }
}

/// Runs a step one time, where its condition holds.
pub(super) async fn once(at: &Surroundings<'_>, scope: &Scope, step: &Step, time: Time<'_>) -> io::Result<Came> {
    let name = naming::step_name(at, scope, step, time).await;
    if let Some(condition) = &step.when {
        match evaluation::holds(at, scope, condition).await {
            Ok(true) => {}
            Ok(false) => {
                let reason = format!("when `{}` does not hold", condition.expression);
                return entry::skipped(at, scope, &name, step.place, reason);
            }
            Err(problem) => {
                let failure = problem.at(at, condition.place, "when");
                return entry::broken(at, scope, &name, step.place, failure);
            }
        }
    }
    if leaf::is_plain(step) {
        return leaf::run(at, scope, step, &name).await;
    }
    let is_named = step.name.is_some() || matches!(step.body, Body::Case(_) | Body::Actions(_));
    let is_told = is_named || time.number.is_some() || time.row.is_some();
    Box::pin(compound::run(at, scope, step, &name, is_told)).await
}
