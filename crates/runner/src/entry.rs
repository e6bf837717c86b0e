//! A step's lines in the results: its begin, its end, and those of what never ran.

use std::io;
use std::time::Instant;

use super::context::{StepContext, StepEnd};
use super::mask;
use super::milliseconds;
use crate::result::{Event, Failure, Outcome, Place};
use crate::testcase::Scope;
use uixt_core::action::Span;
use uixt_locate::Kind;

/// A step that has begun.
pub(super) struct Entry<'a> {
    cx: &'a StepContext<'a>,
    pub(super) number: u32,
    name: String,
    place: Place,
    pub(super) started: Instant,
}

impl<'a> Entry<'a> {
    /// Begins a step; `name` is shown behind the names of what is around it.
    pub(super) fn begin(cx: &'a StepContext<'a>, name: &str, span: Span) -> io::Result<Self> {
        Self::begin_in(cx, name, cx.place(span))
    }

    fn begin_in(cx: &'a StepContext<'a>, name: &str, place: Place) -> io::Result<Self> {
        let (number, started) = (cx.run.next_number(), Instant::now());
        let name = [cx.prefix, name].concat();
        cx.run.sink.emit(Event::StepStarted {
            case: cx.run.id.clone(),
            step: number,
            name: name.clone(),
            place: place.clone(),
        })?;
        Ok(Self { cx, number, name, place, started })
    }

    pub(super) fn finish(self, scope: &Scope, outcome: Outcome, error: Option<Failure>) -> io::Result<()> {
        let event = Event::StepFinished {
            case: self.cx.run.id.clone(),
            step: self.number,
            name: self.name,
            place: self.place,
            outcome,
            elapsed_ms: milliseconds(self.started),
            error: error.map(|error| mask::failure(&scope.secrets(), error)),
        };
        if self.cx.is_retried && outcome >= Outcome::Failed {
            self.cx.run.failed.lock().push(event.clone());
        }
        self.cx.run.sink.emit(event)
    }
}

/// Reports a step that did not run, with its reason.
pub(super) fn skipped(
    cx: &StepContext<'_>,
    scope: &Scope,
    name: &str,
    span: Span,
    reason: String,
) -> io::Result<StepEnd> {
    let reason = scope.secrets().text(reason);
    cx.run.skipped.lock().get_or_insert_with(|| reason.clone());
    let error = Failure { kind: "Skipped".to_owned(), message: reason, details: None };
    Entry::begin(cx, name, span)?.finish(scope, Outcome::Skipped, Some(error))?;
    Ok(StepEnd::NOTHING)
}

/// Reports what went wrong outside of any action.
pub(super) fn broken(
    cx: &StepContext<'_>,
    scope: &Scope,
    name: &str,
    span: Span,
    failure: Failure,
) -> io::Result<StepEnd> {
    broken_in(cx, scope, name, cx.place(span), failure)
}

/// The same in a place of any file.
pub(super) fn broken_in(
    cx: &StepContext<'_>,
    scope: &Scope,
    name: &str,
    place: Place,
    failure: Failure,
) -> io::Result<StepEnd> {
    let end = came_of(&failure);
    Entry::begin_in(cx, name, place)?.finish(scope, end.outcome, Some(failure))?;
    Ok(end)
}

/// Returns what a failure makes of what it happened to.
pub(super) fn came_of(failure: &Failure) -> StepEnd {
    let kind: Option<Kind> = serde_json::from_value(failure.kind.as_str().into()).ok();
    let outcome = if kind.is_some_and(Kind::is_failure) { Outcome::Failed } else { Outcome::Errored };
    let is_final = matches!(kind, Some(Kind::BadArgument | Kind::Unsupported | Kind::Interrupted));
    StepEnd { outcome, broke: true, is_final }
}
