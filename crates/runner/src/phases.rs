//! The phases of a case: `setup_hooks`, the steps, `on_failure`, `teardown_hooks`.

use std::io;
use std::time::Duration;

use super::surroundings::{Came, Surroundings};
use super::{aftermath, hooks, step};
use crate::result::Outcome;
use crate::testcase::Scope;

/// Runs them within the case's `limit`; what tidies up runs in any case, and counts.
pub(super) async fn run(at: &Surroundings<'_>, scope: &Scope, limit: Option<Duration>) -> io::Result<Came> {
    let case = at.case;
    let mut came = hooks::run(at, scope, &case.config.setup, "setup").await?;
    if !came.broke {
        came = came.and(step::sequence(at, scope, &case.steps).await?);
    }
    // What a case sets going that another refers to is met by the next step of that.
    let is_whole = std::ptr::eq(case, &raw const at.run.planned.case);
    if is_whole && !came.broke {
        came = came.and(aftermath::tell(at, scope).await?.of_hook());
    }
    if let Some(limit) = limit.filter(|_| at.is_late()) {
        *at.run.late() = Some(format!("the case took longer than its {} s", limit.as_secs_f64()));
    }
    // A case that passed too late did not pass; what failed in time stays what it is.
    if came.outcome < Outcome::Failed && at.is_late() {
        came = came.and(Came::CUT_OFF);
    }
    if came.outcome >= Outcome::Failed && !at.is_stopped() {
        came = came.and(hooks::run(&at.tidying(), scope, &case.config.on_failure, "on_failure").await?);
    }
    came = came.and(hooks::run(&at.tidying(), scope, &case.config.teardown, "teardown").await?);
    if is_whole && !came.broke {
        came = came.and(aftermath::tell(&at.tidying(), scope).await?.of_hook());
    }
    Ok(came)
}
