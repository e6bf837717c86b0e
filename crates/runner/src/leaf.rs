//! A step without steps in it → one step of the results, every try an attempt of it.

use std::io;
use std::time::Duration;

use serde_json::Value;

use super::action::{self, Position, Purpose};
use super::entry::{self, Entry};
use super::surroundings::{Came, Surroundings};
use super::{Screenshots, evaluation, hooks, keeping};
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
    came: Came,
    /// What went wrong outside of any action.
    error: Option<Failure>,
}

impl Tried {
    const NOTHING: Self = Self { came: Came::NOTHING, error: None };

    fn failed(error: Failure) -> Self {
        Self { came: entry::came_of(&error), error: Some(error) }
    }

    fn and(self, other: Self) -> Self {
        Self { came: self.came.and(other.came), error: self.error.or(other.error) }
    }
}

/// Tells whether a step is one in the results: none of what it runs is a step itself.
pub(super) fn is_plain(step: &Step) -> bool {
    let acts = matches!(step.body, Body::Actions(_) | Body::Nothing { .. });
    acts && !step.setup.iter().chain(&step.teardown).any(hooks::is_step)
}

/// Runs a plain step, and again as often as its `retry` says.
pub(super) async fn run(at: &Surroundings<'_>, scope: &Scope, step: &Step, name: &str) -> io::Result<Came> {
    let is_empty = is_empty(step) && step.setup.is_empty() && step.teardown.is_empty();
    if let (true, Body::Nothing { reason, .. }) = (is_empty, &step.body) {
        return nothing(at, scope, step, name, reason);
    }
    if is_empty {
        return entry::skipped(at, scope, name, step.place, "it has no action and checks nothing".to_owned());
    }
    let entry = Entry::begin(at, name, step.place)?;
    let tries = step.retry.map_or(0, |retry| retry.times).saturating_add(1);
    let mut attempt = 1;
    let mut tried = whole(at, scope, Position { step, number: entry.number, attempt, began: entry.started }).await?;
    while tried.came.broke && !tried.came.is_final && attempt < tries && waits(at, step).await {
        attempt += 1;
        tried = whole(at, scope, Position { step, number: entry.number, attempt, began: entry.started }).await?;
    }
    if attempt > 1 && tried.came.outcome == Outcome::Passed {
        tried.came.outcome = Outcome::Flaky;
    }
    entry.finish(scope, tried.came.outcome, tried.error)?;
    Ok(tried.came)
}

/// Waits before the next try; returns whether there is one.
pub(super) async fn waits(at: &Surroundings<'_>, step: &Step) -> bool {
    let interval = step.retry.map_or(0.0, |retry| retry.interval);
    !at.is_over() && at.sleep(seconds(interval)).await
}

/// Returns a time of a testcase; what no clock can hold is the longest that one can.
pub(super) fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::from_secs(u64::from(u32::MAX)))
}

/// Runs the actions and checks of a step whose hooks are steps.
pub(super) async fn body(at: &Surroundings<'_>, scope: &Scope, step: &Step, name: &str) -> io::Result<Came> {
    match (is_empty(step), &step.body) {
        (true, Body::Nothing { reason, .. }) => nothing(at, scope, step, name, reason),
        (true, _) => Ok(Came::NOTHING),
        (false, _) => part(at, scope, step, name, Parts::Body).await,
    }
}

/// Runs what follows the inner steps of a step, where there is anything.
pub(super) async fn after(at: &Surroundings<'_>, scope: &Scope, step: &Step, name: &str) -> io::Result<Came> {
    match is_empty(step) {
        true => Ok(Came::NOTHING),
        false => part(at, scope, step, name, Parts::After).await,
    }
}

async fn part(at: &Surroundings<'_>, scope: &Scope, step: &Step, name: &str, parts: Parts) -> io::Result<Came> {
    let entry = Entry::begin(at, name, step.place)?;
    let position = Position { step, number: entry.number, attempt: at.attempt, began: entry.started };
    let tried = once(at, scope, position, parts).await?;
    entry.finish(scope, tried.came.outcome, tried.error)?;
    Ok(tried.came)
}

/// Shows a step that does nothing; it does not make a case one in which something ran.
fn nothing(at: &Surroundings<'_>, scope: &Scope, step: &Step, name: &str, reason: &str) -> io::Result<Came> {
    let entry = Entry::begin(at, name, step.place)?;
    // Without a name of its own, the step is called by the reason.
    let note = || Failure { kind: "Note".to_owned(), message: reason.to_owned(), details: None };
    entry.finish(scope, Outcome::Passed, step.name.as_ref().map(|_| note()))?;
    Ok(Came::NOTHING)
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
async fn whole(at: &Surroundings<'_>, scope: &Scope, position: Position<'_>) -> io::Result<Tried> {
    let mut tried = match hooks::evaluate(at, scope, &position.step.setup).await {
        Ok(()) => once(at, scope, position, Parts::Body).await?,
        Err(failure) => Tried::failed(failure),
    };
    if let Err(failure) = hooks::evaluate(&at.tidying(), scope, &position.step.teardown).await {
        tried = tried.and(Tried::failed(failure));
    }
    Ok(tried)
}

/// Makes one try. What had actions all of which were let pass without their targets did nothing: it is skipped.
async fn once(at: &Surroundings<'_>, scope: &Scope, position: Position<'_>, parts: Parts) -> io::Result<Tried> {
    let step = position.step;
    let mut tried = Tried::NOTHING;
    if let Err(problem) = evaluation::definitions(at, scope).await {
        return Ok(Tried::failed(problem.at(at, step.place, "variables")));
    }
    if parts != Parts::After {
        tried.came = actions(at, scope, position).await?;
    }
    let undone = (parts != Parts::After && !step.actions().is_empty() && tried.came.outcome == Outcome::Skipped)
        .then(|| at.run.ignored().clone().unwrap_or_default());
    if step.closes_popups && !tried.came.is_final {
        tried.came = tried.came.and(beside(at, scope, position, "close_popups").await?.of_hook());
    }
    if step.actions().is_empty()
        && !tried.came.broke
        && let Err(failure) = keeping::keep(at, scope, step).await
    {
        tried = tried.and(Tried::failed(failure));
    }
    if !tried.came.broke {
        tried.came = tried.came.and(checks(at, scope, position).await?);
    }
    if step.screenshot && (!tried.came.broke || at.run.options.screenshots == Screenshots::Never) && !at.is_over() {
        tried.came = tried.came.and(beside(at, scope, position, "screenshot").await?.of_hook());
    }
    match undone {
        _ if tried.came.outcome != Outcome::Skipped => {}
        None => tried.came.outcome = Outcome::Passed,
        Some(message) => {
            at.run.skipped().get_or_insert_with(|| message.clone());
            tried.error = Some(Failure { kind: "Skipped".to_owned(), message, details: None });
        }
    }
    Ok(tried)
}

async fn actions(at: &Surroundings<'_>, scope: &Scope, position: Position<'_>) -> io::Result<Came> {
    let actions = position.step.actions();
    let mut came = Came::NOTHING;
    for (number, action) in (1..).zip(actions) {
        let purpose = Purpose::Body { is_last: number == actions.len() };
        came = came.and(action::act(at, scope, position, action, purpose).await?);
        if came.broke {
            break;
        }
    }
    Ok(came)
}

async fn checks(at: &Surroundings<'_>, scope: &Scope, position: Position<'_>) -> io::Result<Came> {
    let mut came = Came::NOTHING;
    for check in &position.step.validate {
        came = came.and(action::act(at, scope, position, &check.action, Purpose::Check(check)).await?);
        if came.broke {
            break;
        }
    }
    Ok(came)
}

async fn beside(at: &Surroundings<'_>, scope: &Scope, position: Position<'_>, tool: &str) -> io::Result<Came> {
    let span = position.step.place;
    let action = MobileAction { method: tool.to_owned(), params: Value::Null, options: serde_json::Map::new(), span };
    action::act(at, scope, position, &action, Purpose::Beside).await
}
