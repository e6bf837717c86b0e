//! `testcase:`: the phases of another file's case, with variables of its own.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use super::address::{self, Device};
use super::surroundings::{Came, Surroundings};
use super::{entry, evaluation, leaf, phases};
use crate::testcase::{Scope, Step, TestCase};

/// Runs the case and keeps what it exports where it passed. Its parameters, where it has any, are the step's.
pub(super) async fn run(at: &Surroundings<'_>, scope: &Scope, step: &Step, case: &Arc<TestCase>) -> io::Result<Came> {
    let limit = case.config.case_timeout.map(leaf::seconds);
    let deadline = [at.deadline, limit.map(|limit| Instant::now() + limit)].into_iter().flatten().min();
    let inner = scope.for_case(case);
    let named = match address::of_case(at, &inner, case).await {
        Ok(named) => named,
        Err(failure) => return entry::broken(at, scope, "config", step.place, failure),
    };
    let own = named.as_deref().map(|serial| Device { serial, selections: at.run.selections() });
    let at = Surroundings { case, deadline, device: own.or(at.device), ..*at };
    let came = phases::run(&at, &inner, limit).await?;
    if came.broke {
        return Ok(came);
    }
    let names = case.config.export.iter().chain(&step.export).cloned().collect();
    match evaluation::keep(&at, scope, names, &inner).await {
        Ok(()) => Ok(came),
        Err(problem) => {
            let failure = problem.at(&at, step.place, "export");
            Ok(came.and(entry::broken(&at, scope, "export", step.place, failure)?))
        }
    }
}
