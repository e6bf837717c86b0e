//! A step's lines in the results: its begin, its end, and those of what never ran.

use std::io;
use std::time::Instant;

use super::mask;
use super::milliseconds;
use super::surroundings::{Came, Surroundings};
use crate::result::{Event, Failure, Outcome, Place};
use crate::testcase::Scope;
use crate::tools::Kind;
use uixt_core::action::Span;

/// A step that has begun.
pub(super) struct Entry<'a> {
    at: &'a Surroundings<'a>,
    pub(super) number: u32,
    name: String,
    place: Place,
    pub(super) started: Instant,
}

impl<'a> Entry<'a> {
    /// Begins a step; `name` is shown behind the names of what is around it.
    pub(super) fn begin(at: &'a Surroundings<'a>, name: &str, span: Span) -> io::Result<Self> {
        Self::begin_in(at, name, at.place(span))
    }

    fn begin_in(at: &'a Surroundings<'a>, name: &str, place: Place) -> io::Result<Self> {
        let (number, started) = (at.run.next_number(), Instant::now());
        let name = [at.prefix, name].concat();
        at.run.sink.emit(Event::StepStarted {
            case: at.run.id.clone(),
            step: number,
            name: name.clone(),
            place: place.clone(),
        })?;
        Ok(Self { at, number, name, place, started })
    }

    pub(super) fn finish(self, scope: &Scope, outcome: Outcome, error: Option<Failure>) -> io::Result<()> {
        let event = Event::StepFinished {
            case: self.at.run.id.clone(),
            step: self.number,
            name: self.name,
            place: self.place,
            outcome,
            elapsed_ms: milliseconds(self.started),
            error: error.map(|error| mask::failure(&scope.secrets(), error)),
        };
        if self.at.is_retried && outcome >= Outcome::Failed {
            self.at.run.failed().push(event.clone());
        }
        self.at.run.sink.emit(event)
    }
}

/// Reports a step that did not run, with its reason.
pub(super) fn skipped(
    at: &Surroundings<'_>,
    scope: &Scope,
    name: &str,
    span: Span,
    reason: String,
) -> io::Result<Came> {
    let reason = scope.secrets().text(reason);
    at.run.skipped().get_or_insert_with(|| reason.clone());
    let error = Failure { kind: "Skipped".to_owned(), message: reason, details: None };
    Entry::begin(at, name, span)?.finish(scope, Outcome::Skipped, Some(error))?;
    Ok(Came::NOTHING)
}

/// Reports what went wrong outside of any action.
pub(super) fn broken(
    at: &Surroundings<'_>,
    scope: &Scope,
    name: &str,
    span: Span,
    failure: Failure,
) -> io::Result<Came> {
    broken_in(at, scope, name, at.place(span), failure)
}

/// The same in a place of any file.
pub(super) fn broken_in(
    at: &Surroundings<'_>,
    scope: &Scope,
    name: &str,
    place: Place,
    failure: Failure,
) -> io::Result<Came> {
    let came = came_of(&failure);
    Entry::begin_in(at, name, place)?.finish(scope, came.outcome, Some(failure))?;
    Ok(came)
}

/// Returns what a failure makes of what it happened to.
pub(super) fn came_of(failure: &Failure) -> Came {
    let kind: Option<Kind> = serde_json::from_value(failure.kind.as_str().into()).ok();
    let outcome = if kind.is_some_and(Kind::is_failure) { Outcome::Failed } else { Outcome::Errored };
    let is_final = matches!(kind, Some(Kind::BadArgument | Kind::Unsupported | Kind::Interrupted));
    Came { outcome, broke: true, is_final }
}
