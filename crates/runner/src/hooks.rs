//! What runs before and after a step or a case: expressions for what they do, and steps.

use std::io;

use super::entry;
use super::evaluation;
use super::step;
use super::surroundings::{Came, Surroundings};
use crate::result::Failure;
use crate::testcase::{Hook, Scope};

pub(super) fn is_step(hook: &Hook) -> bool {
    matches!(hook, Hook::Step(_))
}

/// Evaluates hooks none of which is a step, until one cannot be.
pub(super) async fn evaluate(at: &Surroundings<'_>, scope: &Scope, hooks: &[Hook]) -> Result<(), Failure> {
    for hook in hooks {
        one(at, scope, hook).await?;
    }
    Ok(())
}

async fn one(at: &Surroundings<'_>, scope: &Scope, hook: &Hook) -> Result<(), Failure> {
    match hook {
        Hook::Step(_) => {}
        Hook::Evaluate { expression, place } => {
            let done = evaluation::effect(at, scope, expression).await;
            done.map_err(|problem| problem.at(at, *place, "hook"))?;
        }
        Hook::Assign { variable, value, place } => {
            let value = evaluation::effect(at, scope, value).await;
            scope.save(variable, value.map_err(|problem| problem.at(at, *place, &format!("hook: {variable}")))?);
        }
    }
    Ok(())
}

/// Runs hooks until one does not pass; its steps, and what cannot be evaluated, are steps of the results. `name` is shown before theirs.
pub(super) async fn run(at: &Surroundings<'_>, scope: &Scope, hooks: &[Hook], name: &str) -> io::Result<Came> {
    if hooks.is_empty() {
        return Ok(Came::NOTHING);
    }
    let prefix = format!("{}{name} › ", at.prefix);
    let inner = &Surroundings { prefix: &prefix, ..*at };
    let mut came = Came::NOTHING;
    for hook in hooks {
        if at.is_over() {
            return Ok(came.and(Came::CUT_OFF));
        }
        let one = match hook {
            Hook::Step(hook) => Box::pin(step::run(inner, scope, hook)).await?,
            Hook::Evaluate { place, .. } | Hook::Assign { place, .. } => match one(inner, scope, hook).await {
                Ok(()) => Came::NOTHING,
                Err(failure) => entry::broken(at, scope, name, *place, failure)?,
            },
        };
        came = came.and(one.of_hook());
        if came.broke {
            break;
        }
    }
    Ok(came)
}
