//! Runs one case: its steps in order, until one does not pass.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::attempt::{self, Surroundings};
use super::mask::Mask;
use super::{Means, Options, Planned, Sink, milliseconds};
use crate::action::MobileAction;
use crate::result::{Event, Failure, Outcome, Place};
use crate::testcase::{Scope, Step};
use crate::tools;

fn begin(planned: &Planned, scope: &Scope, sink: &Sink) -> io::Result<()> {
    sink.emit(Event::CaseStarted {
        case: planned.id.clone(),
        name: name(planned, scope),
        file: planned.case.file.clone(),
        device: planned.device.clone(),
        tags: planned.case.config.tags.clone(),
        steps: u32::try_from(planned.case.steps.len()).unwrap_or(u32::MAX),
    })
}

/// Reports a case that is not run.
pub(super) fn skip(planned: &Planned, options: &Options, sink: &Sink, reason: &str) -> io::Result<()> {
    begin(planned, &planned.case.scope(&options.overrides), sink)?;
    let error = Some(failure("Skipped", reason.to_owned()));
    sink.emit(Event::CaseFinished { case: planned.id.clone(), outcome: Outcome::Skipped, elapsed_ms: 0, error })
}

/// Runs a case from its first event to its last.
pub(super) async fn run(
    planned: &Planned,
    options: &Options,
    sink: &Sink,
    stop: &CancellationToken,
) -> io::Result<Outcome> {
    let started = Instant::now();
    let scope = planned.case.scope(&options.overrides);
    begin(planned, &scope, sink)?;
    let (outcome, error) = match &planned.means {
        Means::Skip(reason) => (Outcome::Skipped, Some(failure("Skipped", reason.clone()))),
        Means::Missing(failure) => (Outcome::Errored, Some(failure.clone())),
        Means::Caller(caller) => {
            let limit = planned.case.config.case_timeout.map(Duration::from_secs_f64).or(options.case_timeout);
            let surroundings = Surroundings {
                planned,
                options,
                sink,
                stop,
                caller: caller.as_ref(),
                deadline: limit.map(|limit| started + limit),
            };
            let outcome = steps(&surroundings, &scope).await?;
            (outcome, ended_early(outcome, &surroundings, limit))
        }
    };
    let mask = Mask::of(scope.secrets());
    let error = error.map(|error| Failure { message: mask.text(error.message), ..error });
    sink.emit(Event::CaseFinished { case: planned.id.clone(), outcome, elapsed_ms: milliseconds(started), error })?;
    Ok(outcome)
}

fn failure(kind: &str, message: String) -> Failure {
    Failure { kind: kind.to_owned(), message, details: None }
}

/// Says why a case ended that had more steps to run.
fn ended_early(outcome: Outcome, surroundings: &Surroundings<'_>, limit: Option<Duration>) -> Option<Failure> {
    if outcome != Outcome::Errored {
        return None;
    }
    if surroundings.stop.is_cancelled() {
        return Some(failure("Interrupted", "the run was interrupted".to_owned()));
    }
    let limit = limit.filter(|_| surroundings.is_late())?;
    Some(failure("Timeout", format!("the case took longer than its {} s", limit.as_secs_f64())))
}

fn name(planned: &Planned, scope: &Scope) -> String {
    let written = &planned.case.config.name;
    // A name whose expression fails is shown as it was written: the steps will tell what is wrong.
    let name = scope.evaluate_text(written).unwrap_or_else(|_| written.clone());
    match name.trim() {
        "" => Path::new(&planned.case.file)
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
        _ => Mask::of(scope.secrets()).text(name),
    }
}

async fn steps(surroundings: &Surroundings<'_>, scope: &Scope) -> io::Result<Outcome> {
    let mut outcome = Outcome::Passed;
    for (number, step) in (1..).zip(&surroundings.planned.case.steps) {
        if surroundings.stop.is_cancelled() || surroundings.is_late() {
            return Ok(Outcome::Errored);
        }
        outcome = outcome.max(self::step(surroundings, scope, number, step).await?);
        if outcome >= Outcome::Failed && !surroundings.options.continue_on_failure {
            break;
        }
    }
    // A case that passed too late did not pass; what failed in time stays what it is.
    Ok(if outcome < Outcome::Failed && surroundings.is_late() { Outcome::Errored } else { outcome })
}

async fn step(surroundings: &Surroundings<'_>, scope: &Scope, number: u32, step: &Step) -> io::Result<Outcome> {
    let started = Instant::now();
    let scope = scope.for_step(step);
    let case = &surroundings.planned.id;
    let name = step_name(step, &scope);
    let place =
        Place { file: surroundings.planned.case.file.clone(), line: step.place.line, column: step.place.column };
    surroundings.sink.emit(Event::StepStarted {
        case: case.clone(),
        step: number,
        name: name.clone(),
        place: place.clone(),
    })?;
    let outcome = attempt::run(surroundings, &scope, number, 1, step).await?;
    let elapsed_ms = milliseconds(started);
    surroundings.sink.emit(Event::StepFinished {
        case: case.clone(),
        step: number,
        name,
        place,
        outcome,
        elapsed_ms,
        error: None,
    })?;
    Ok(outcome)
}

/// Returns the step's name, or makes one of what it does first: `tap_element "Sign in"`.
fn step_name(step: &Step, scope: &Scope) -> String {
    if let Some(written) = &step.name {
        let name = scope.evaluate_text(written).unwrap_or_else(|_| written.clone());
        return Mask::of(scope.secrets()).text(name);
    }
    let action = step.actions().first().or_else(|| step.validate.first().map(|check| &check.action));
    let name = action.map_or_else(String::new, describe);
    Mask::of(scope.secrets()).text(name)
}

/// Describes an action as it was written, variables and all.
fn describe(action: &MobileAction) -> String {
    let main = match &action.params {
        Value::Null => None,
        _ if attempt::holds_secret(action) => Some(format!("\"{}\"", tools::MASK)),
        // Whether the field is one for passwords is not known before it is found.
        params if tools::find(&action.method).is_some_and(|tool| tool.name == "input") => {
            params.get("into").map(|into| format!("into {into}"))
        }
        Value::Object(map) => map.iter().find(|(_, value)| value.is_string()).map(|(key, value)| match key.as_str() {
            "text" => value.to_string(),
            _ => format!("{key} {value}"),
        }),
        other => Some(other.to_string()),
    };
    match main {
        Some(main) => format!("{} {main}", action.method),
        None => action.method.clone(),
    }
}
