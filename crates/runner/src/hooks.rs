//! What runs before and after a step or a case: expressions for what they do, and steps.

use std::io;

use super::context::{StepContext, StepEnd};
use super::entry;
use super::evaluation;
use super::step;
use crate::result::Failure;
use crate::testcase::{Hook, Scope};

pub(super) fn is_step(hook: &Hook) -> bool {
    matches!(hook, Hook::Step(_))
}

/// Evaluates hooks none of which is a step, until one cannot be.
pub(super) async fn evaluate(cx: &StepContext<'_>, scope: &Scope, hooks: &[Hook]) -> Result<(), Failure> {
    for hook in hooks {
        one(cx, scope, hook).await?;
    }
    Ok(())
}

async fn one(cx: &StepContext<'_>, scope: &Scope, hook: &Hook) -> Result<(), Failure> {
    match hook {
        Hook::Step(_) => {}
        Hook::Evaluate { expression, place } => {
            let done = evaluation::effect(cx, scope, expression).await;
            done.map_err(|problem| problem.cx(cx, *place, "hook"))?;
        }
        Hook::Assign { variable, value, place } => {
            let value = evaluation::effect(cx, scope, value).await;
            scope.save(variable, value.map_err(|problem| problem.cx(cx, *place, &format!("hook: {variable}")))?);
        }
    }
    Ok(())
}

/// Runs hooks until one does not pass; its steps, and what cannot be evaluated, are steps of the results. `name` is shown before theirs.
pub(super) async fn run(cx: &StepContext<'_>, scope: &Scope, hooks: &[Hook], name: &str) -> io::Result<StepEnd> {
    if hooks.is_empty() {
        return Ok(StepEnd::NOTHING);
    }
    let prefix = format!("{}{name} › ", cx.prefix);
    let inner = &StepContext { prefix: &prefix, ..*cx };
    let mut end = StepEnd::NOTHING;
    for hook in hooks {
        if cx.is_over() {
            return Ok(end.and(StepEnd::CUT_OFF));
        }
        let one = match hook {
            Hook::Step(hook) => Box::pin(step::run(inner, scope, hook)).await?,
            Hook::Evaluate { place, .. } | Hook::Assign { place, .. } => match one(inner, scope, hook).await {
                Ok(()) => StepEnd::NOTHING,
                Err(failure) => entry::broken(cx, scope, name, *place, failure)?,
            },
        };
        end = end.and(one.of_hook());
        if end.broke {
            break;
        }
    }
    Ok(end)
}
