//! `testcase:`: the phases of another file's case, with variables of its own.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use super::address;
use super::context::{Device, StepContext, StepEnd};
use super::{entry, evaluation, phases, plain_step};
use crate::testcase::{Scope, Step, TestCase};

/// Runs the case and keeps what it exports where it passed. Its parameters, where it has any, are the step's.
pub(super) async fn run(cx: &StepContext<'_>, scope: &Scope, step: &Step, case: &Arc<TestCase>) -> io::Result<StepEnd> {
    let limit = case.config.case_timeout.map(plain_step::seconds);
    let deadline = [cx.deadline, limit.map(|limit| Instant::now() + limit)].into_iter().flatten().min();
    let inner = scope.for_case(case);
    let named = match address::of_case(cx, &inner, case).await {
        Ok(named) => named,
        Err(failure) => return entry::broken(cx, scope, "config", step.place, failure),
    };
    let own = named.as_deref().map(|serial| Device { serial, selections: cx.run.selections() });
    let cx = StepContext { case, deadline, device: own.or(cx.device), ..*cx };
    let end = phases::run(&cx, &inner, limit).await?;
    if end.broke {
        return Ok(end);
    }
    let names = case.config.export.iter().chain(&step.export).cloned().collect();
    match evaluation::keep(&cx, scope, names, &inner).await {
        Ok(()) => Ok(end),
        Err(problem) => {
            let failure = problem.cx(&cx, step.place, "export");
            Ok(end.and(entry::broken(&cx, scope, "export", step.place, failure)?))
        }
    }
}
