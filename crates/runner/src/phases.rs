//! The phases of a case: `setup_hooks`, the steps, `on_failure`, `teardown_hooks`.

use std::io;
use std::time::Duration;

use super::context::{StepContext, StepEnd};
use super::{after_last_act, hooks, resumed_case, step};
use crate::result::Outcome;
use crate::testcase::Scope;

/// Runs them within the case's `limit`; what tidies up runs in any case, and counts.
pub(super) async fn run(cx: &StepContext<'_>, scope: &Scope, limit: Option<Duration>) -> io::Result<StepEnd> {
    let case = cx.case;
    // What a case sets going that another refers to is met by the next step of that.
    let is_whole = std::ptr::eq(case, &raw const cx.run.planned.case);
    let first = if is_whole { cx.run.first } else { 0 };
    let mut end = match first {
        0 => hooks::run(cx, scope, &case.config.setup, "setup").await?,
        _ => StepEnd::NOTHING,
    };
    if !end.broke && is_whole && cx.run.may_stand {
        end = end.and(resumed_case::sequence(cx, scope, &case.steps, first).await?);
    } else if !end.broke {
        end = end.and(step::sequence(cx, scope, &case.steps[first.min(case.steps.len())..]).await?);
    }
    if is_whole && !end.broke {
        end = end.and(after_last_act::tell(cx, scope).await?.of_hook());
    }
    if let Some(limit) = limit.filter(|_| cx.is_late()) {
        *cx.run.late.lock() = Some(format!("the case took longer than its {} s", limit.as_secs_f64()));
    }
    // A case that passed too late did not pass; what failed in time stays what it is.
    if end.outcome < Outcome::Failed && cx.is_late() {
        end = end.and(StepEnd::CUT_OFF);
    }
    if is_whole && cx.run.stands.lock().is_some() {
        return Ok(end);
    }
    end = end.and(tidy(cx, scope, end.outcome >= Outcome::Failed).await?);
    if is_whole && !end.broke {
        end = end.and(after_last_act::tell(&cx.tidying(), scope).await?.of_hook());
    }
    Ok(end)
}

/// Runs what tidies up, of which `on_failure` is for a case that did not pass.
pub(super) async fn tidy(cx: &StepContext<'_>, scope: &Scope, has_failed: bool) -> io::Result<StepEnd> {
    let (case, mut end) = (cx.case, StepEnd::NOTHING);
    if has_failed && !cx.is_stopped() {
        end = end.and(hooks::run(&cx.tidying(), scope, &case.config.on_failure, "on_failure").await?);
    }
    Ok(end.and(hooks::run(&cx.tidying(), scope, &case.config.teardown, "teardown").await?))
}
