//! A step without steps in it → one step of the results, every try an attempt of it.

use std::io;
use std::time::Duration;

use serde_json::Value;

use super::action;
use super::context::{StepContext, StepEnd};
use super::entry::{self, Entry};
use super::position::{Position, Purpose};
use super::{Screenshots, evaluation, extraction, hooks};
use crate::result::{Failure, Outcome};
use crate::testcase::{Body, Scope, Step};
use uixt_core::action::MobileAction;

/// Which of a step's parts one step of the results holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    /// The actions, and what follows them.
    Body,
    /// What follows the steps in it.
    After,
}

/// One try.
struct Tried {
    end: StepEnd,
    /// What went wrong outside of any action.
    error: Option<Failure>,
}

impl Tried {
    const NOTHING: Self = Self { end: StepEnd::NOTHING, error: None };

    fn failed(error: Failure) -> Self {
        Self { end: entry::came_of(&error), error: Some(error) }
    }

    fn and(self, other: Self) -> Self {
        Self { end: self.end.and(other.end), error: self.error.or(other.error) }
    }
}

/// Tells whether a step is one in the results: none of what it runs is a step itself.
pub(super) fn is_plain(step: &Step) -> bool {
    let acts = matches!(step.body, Body::Actions(_) | Body::Nothing { .. });
    acts && !step.setup.iter().chain(&step.teardown).any(hooks::is_step)
}

/// Runs a plain step, and again as often as its `retry` says.
pub(super) async fn run(cx: &StepContext<'_>, scope: &Scope, step: &Step, name: &str) -> io::Result<StepEnd> {
    let is_empty = is_empty(step) && step.setup.is_empty() && step.teardown.is_empty();
    if let (true, Body::Nothing { reason, .. }) = (is_empty, &step.body) {
        return nothing(cx, scope, step, name, reason);
    }
    if is_empty {
        return entry::skipped(cx, scope, name, step.place, "it has no action and checks nothing".to_owned());
    }
    let entry = Entry::begin(cx, name, step.place)?;
    let tries = step.retry.map_or(0, |retry| retry.times).saturating_add(1);
    let mut attempt = 1;
    let mut tried = whole(cx, scope, Position { step, number: entry.number, attempt, began: entry.started }).await?;
    while tried.end.broke && !tried.end.is_final && attempt < tries && waits(cx, step).await {
        attempt += 1;
        tried = whole(cx, scope, Position { step, number: entry.number, attempt, began: entry.started }).await?;
    }
    if attempt > 1 && matches!(tried.end.outcome, Outcome::Passed | Outcome::Healed) {
        tried.end.outcome = Outcome::Flaky;
    }
    entry.finish(scope, tried.end.outcome, tried.error)?;
    Ok(tried.end)
}

/// Waits before the next try; returns whether there is one.
pub(super) async fn waits(cx: &StepContext<'_>, step: &Step) -> bool {
    let interval = step.retry.map_or(0.0, |retry| retry.interval);
    !cx.is_over() && cx.sleep(seconds(interval)).await
}

/// Returns a time of a testcase; what no clock can hold is the longest that one can.
pub(super) fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::from_secs(u64::from(u32::MAX)))
}

/// Runs the actions and checks of a step whose hooks are steps.
pub(super) async fn body(cx: &StepContext<'_>, scope: &Scope, step: &Step, name: &str) -> io::Result<StepEnd> {
    match (is_empty(step), &step.body) {
        (true, Body::Nothing { reason, .. }) => nothing(cx, scope, step, name, reason),
        (true, _) => Ok(StepEnd::NOTHING),
        (false, _) => part(cx, scope, step, name, Parts::Body).await,
    }
}

/// Runs what follows the inner steps of a step, where there is anything.
pub(super) async fn after(cx: &StepContext<'_>, scope: &Scope, step: &Step, name: &str) -> io::Result<StepEnd> {
    match is_empty(step) {
        true => Ok(StepEnd::NOTHING),
        false => part(cx, scope, step, name, Parts::After).await,
    }
}

async fn part(cx: &StepContext<'_>, scope: &Scope, step: &Step, name: &str, parts: Parts) -> io::Result<StepEnd> {
    let entry = Entry::begin(cx, name, step.place)?;
    let position = Position { step, number: entry.number, attempt: cx.attempt, began: entry.started };
    let tried = once(cx, scope, position, parts).await?;
    entry.finish(scope, tried.end.outcome, tried.error)?;
    Ok(tried.end)
}

/// Shows a step that does nothing; it does not make a case one in which something ran.
fn nothing(cx: &StepContext<'_>, scope: &Scope, step: &Step, name: &str, reason: &str) -> io::Result<StepEnd> {
    let entry = Entry::begin(cx, name, step.place)?;
    // Without a name of its own, the step is called by the reason.
    let note = || Failure { kind: "Note".to_owned(), message: reason.to_owned(), details: None };
    entry.finish(scope, Outcome::Passed, step.name.as_ref().map(|_| note()))?;
    Ok(StepEnd::NOTHING)
}

fn is_empty(step: &Step) -> bool {
    step.actions().is_empty() && step.validate.is_empty() && !has_beside(step)
}

fn has_beside(step: &Step) -> bool {
    let keeps = !step.saves.is_empty() || !step.extracts.is_empty() || exports(step);
    keeps || step.closes_popups || step.screenshot
}

/// Tells whether variables of the step itself are kept.
fn exports(step: &Step) -> bool {
    !step.export.is_empty() && !matches!(step.body, Body::Case(_))
}

/// Runs everything of a try, its hooks included.
async fn whole(cx: &StepContext<'_>, scope: &Scope, position: Position<'_>) -> io::Result<Tried> {
    let mut tried = match hooks::evaluate(cx, scope, &position.step.setup).await {
        Ok(()) => once(cx, scope, position, Parts::Body).await?,
        Err(failure) => Tried::failed(failure),
    };
    if let Err(failure) = hooks::evaluate(&cx.tidying(), scope, &position.step.teardown).await {
        tried = tried.and(Tried::failed(failure));
    }
    Ok(tried)
}

/// Makes one try. What had actions all of which were let pass without their targets did nothing: it is skipped.
async fn once(cx: &StepContext<'_>, scope: &Scope, position: Position<'_>, parts: Parts) -> io::Result<Tried> {
    let step = position.step;
    let mut tried = Tried::NOTHING;
    if let Err(problem) = evaluation::definitions(cx, scope).await {
        return Ok(Tried::failed(problem.cx(cx, step.place, "variables")));
    }
    if parts != Parts::After {
        tried.end = actions(cx, scope, position).await?;
    }
    let undone = (parts != Parts::After && !step.actions().is_empty() && tried.end.outcome == Outcome::Skipped)
        .then(|| cx.run.ignored.lock().clone().unwrap_or_default());
    if step.closes_popups && !tried.end.is_final {
        tried.end = tried.end.and(beside(cx, scope, position, "close_popups").await?.of_hook());
    }
    if step.actions().is_empty()
        && !tried.end.broke
        && let Err(failure) = extraction::keep(cx, scope, step).await
    {
        tried = tried.and(Tried::failed(failure));
    }
    if !tried.end.broke {
        tried.end = tried.end.and(checks(cx, scope, position).await?);
    }
    if step.screenshot && (!tried.end.broke || cx.run.options.screenshots == Screenshots::Never) && !cx.is_over() {
        tried.end = tried.end.and(beside(cx, scope, position, "screenshot").await?.of_hook());
    }
    match undone {
        _ if tried.end.outcome != Outcome::Skipped => {}
        None => tried.end.outcome = Outcome::Passed,
        Some(message) => {
            cx.run.skipped.lock().get_or_insert_with(|| message.clone());
            tried.error = Some(Failure { kind: "Skipped".to_owned(), message, details: None });
        }
    }
    Ok(tried)
}

async fn actions(cx: &StepContext<'_>, scope: &Scope, position: Position<'_>) -> io::Result<StepEnd> {
    let actions = position.step.actions();
    let mut end = StepEnd::NOTHING;
    for (number, action) in (1..).zip(actions) {
        let purpose = Purpose::Body { is_last: number == actions.len() };
        end = end.and(action::act(cx, scope, position, action, purpose).await?);
        if end.broke {
            break;
        }
    }
    Ok(end)
}

async fn checks(cx: &StepContext<'_>, scope: &Scope, position: Position<'_>) -> io::Result<StepEnd> {
    let mut end = StepEnd::NOTHING;
    for check in &position.step.validate {
        end = end.and(action::act(cx, scope, position, &check.action, Purpose::Check(check)).await?);
        if end.broke {
            break;
        }
    }
    Ok(end)
}

async fn beside(cx: &StepContext<'_>, scope: &Scope, position: Position<'_>, tool: &str) -> io::Result<StepEnd> {
    let span = position.step.place;
    let action = MobileAction { method: tool.to_owned(), params: Value::Null, options: serde_json::Map::new(), span };
    action::act(cx, scope, position, &action, Purpose::Beside).await
}
