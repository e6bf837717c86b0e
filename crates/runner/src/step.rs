//! How often a step runs, and whether: `parameters`, `repeat`, `when`. What it does is seen to elsewhere.

use std::io;
use std::sync::Arc;

use super::context::{self, StepContext, StepEnd, failure};
use super::{compound, entry, evaluation, naming, plain_step, repeat};
use crate::result::{Device, Outcome};
use crate::testcase::{Body, Condition, Scope, Step};
use naming::Time;
use uixt_locate::Kind;

/// Runs steps in order, until a failure ends them.
pub(super) async fn sequence(cx: &StepContext<'_>, scope: &Scope, steps: &[Step]) -> io::Result<StepEnd> {
    let mut end = StepEnd::NOTHING;
    for step in steps {
        if cx.is_over() {
            return Ok(end.and(StepEnd::CUT_OFF));
        }
        let one = run(cx, scope, step).await?;
        end = end.and(one);
        if one.broke && !cx.run.options.continue_on_failure {
            break;
        }
    }
    Ok(end)
}

/// Runs a step on its device.
pub(super) async fn run(cx: &StepContext<'_>, scope: &Scope, step: &Step) -> io::Result<StepEnd> {
    let Some(name) = step.device.as_deref() else { return here(cx, scope, step).await };
    let devices = Arc::clone(&cx.run.devices);
    let Some(Device { platform, serial, .. }) = devices.get(name) else {
        let why = format!("the case that runs names no device `{name}` in its config");
        return entry::broken(cx, scope, &format!("device: {name}"), step.place, failure(Kind::BadArgument, why));
    };
    let device = context::Device { platform: Some(platform), serial, selections: cx.run.selections() };
    let prefix = &format!("{}{name} › ", cx.prefix);
    Box::pin(here(&StepContext { device: Some(device), prefix, ..*cx }, scope, step)).await
}

/// Runs a step as often as it says.
async fn here(cx: &StepContext<'_>, scope: &Scope, step: &Step) -> io::Result<StepEnd> {
    if let Some(reason) = excluded(cx, step) {
        let scope = scope.for_step(step);
        let name = naming::step_name(cx, &scope, step, Time::default()).await;
        return entry::skipped(cx, &scope, &name, step.place, reason);
    }
    let mut end = match &step.parameters {
        None => repeated(cx, scope, step, Time::default()).await?,
        Some(_) => Box::pin(rows(cx, scope, step)).await?,
    };
    if step.optional && end.outcome == Outcome::Failed {
        end.broke = false;
    }
    Ok(end)
}

/// Says why a step is not among those that `--tags` selects.
fn excluded(cx: &StepContext<'_>, step: &Step) -> Option<String> {
    let selected = cx.run.options.tags.as_ref().filter(|_| !step.tags.is_empty())?;
    let cases = [&cx.run.planned.case.config.tags, &cx.case.config.tags];
    let tags: Vec<String> = cases.into_iter().chain([&step.tags]).flatten().cloned().collect();
    let is_selected = selected.holds(&tags);
    (!is_selected).then(|| format!("--tags does not hold for its tags: {}", step.tags.join(", ")))
}

/// Runs a step with each row of its parameters.
async fn rows(cx: &StepContext<'_>, scope: &Scope, step: &Step) -> io::Result<StepEnd> {
    let Some(parameters) = &step.parameters else { return Ok(StepEnd::NOTHING) };
    let outer = scope.for_step(step);
    let broken = |problem: &evaluation::Problem, name: &str| {
        entry::broken(cx, scope, name, step.place, problem.cx(cx, step.place, "parameters"))
    };
    let name = naming::step_name(cx, &outer, step, Time::default()).await;
    let rows = match evaluation::rows(cx, &outer, parameters).await {
        Ok(rows) => rows,
        Err(problem) => {
            return match refused(cx, &outer, step).await {
                Some(reason) => entry::skipped(cx, &outer, &name, step.place, reason),
                None => broken(&problem, &name),
            };
        }
    };
    let (mut end, mut some) = (StepEnd::NOTHING, false);
    for row in rows {
        some = true;
        if cx.is_over() {
            return Ok(end.and(StepEnd::CUT_OFF));
        }
        let one = match row {
            Ok(row) => repeated(cx, scope, step, Time { number: None, row: Some(&row) }).await?,
            Err(error) => return Ok(end.and(broken(&error.into(), &name)?)),
        };
        end = end.and(one);
        if one.broke && !cx.run.options.continue_on_failure {
            break;
        }
    }
    if some {
        return Ok(end);
    }
    let reason = refused(cx, &outer, step).await.unwrap_or_else(|| "its parameters have no row".to_owned());
    entry::skipped(cx, &outer, &name, step.place, reason)
}

/// Says why a step does not run whatever its rows are: where its condition, which asks nothing of a row, does not hold.
async fn refused(cx: &StepContext<'_>, scope: &Scope, step: &Step) -> Option<String> {
    let (condition, parameters) = (step.when.as_ref()?, step.parameters.as_ref()?);
    if parameters.names().any(|name| condition.expression.contains(name.as_str())) {
        return None;
    }
    let holds = evaluation::holds(cx, scope, condition).await;
    matches!(holds, Ok(false)).then(|| unmet(condition))
}

fn unmet(condition: &Condition) -> String {
    format!("when `{}` does not hold", condition.expression)
}

async fn repeated(cx: &StepContext<'_>, scope: &Scope, step: &Step, time: Time<'_>) -> io::Result<StepEnd> {
    match &step.repeat {
        None => once(cx, &layers(scope, step, time), step, time).await,
        Some(times) => Box::pin(repeat::run(cx, scope, step, times, time)).await,
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
pub(super) async fn once(cx: &StepContext<'_>, scope: &Scope, step: &Step, time: Time<'_>) -> io::Result<StepEnd> {
    let name = naming::step_name(cx, scope, step, time).await;
    if let Some(condition) = &step.when {
        match evaluation::holds(cx, scope, condition).await {
            Ok(true) => {}
            Ok(false) => {
                return entry::skipped(cx, scope, &name, step.place, unmet(condition));
            }
            Err(problem) => {
                let failure = problem.cx(cx, condition.place, "when");
                return entry::broken(cx, scope, &name, step.place, failure);
            }
        }
    }
    if plain_step::is_plain(step) {
        return plain_step::run(cx, scope, step, &name).await;
    }
    let is_named = step.name.is_some() || matches!(step.body, Body::Case(_) | Body::Actions(_));
    let is_told = is_named || time.number.is_some() || time.row.is_some();
    Box::pin(compound::run(cx, scope, step, &name, is_told)).await
}
