//! `testcase:`: the phases of another file's case, with variables of its own.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use super::surroundings::{Came, Surroundings};
use super::{entry, evaluation, leaf, naming, phases};
use crate::testcase::{Scope, Step, TestCase};

/// Runs the case, with each row of its parameters, and keeps what it exports.
pub(super) async fn run(at: Surroundings<'_>, scope: &Scope, step: &Step, case: &Arc<TestCase>) -> io::Result<Came> {
    let own = case.config.case_timeout.map(|limit| Instant::now() + leaf::seconds(limit));
    let deadline = [at.deadline, own].into_iter().flatten().min();
    let at = Surroundings { case, deadline, ..at };
    let Some(parameters) = &case.config.parameters else {
        return one(at, scope, step, &scope.for_case(case)).await;
    };
    let outer = scope.for_case(case);
    let broken = |problem: &evaluation::Problem| {
        entry::broken(at, &outer, "parameters", step.place, problem.at(at, step.place, "parameters"))
    };
    let rows = match evaluation::rows(at, &outer, parameters).await {
        Ok(rows) => rows,
        Err(problem) => return broken(&problem),
    };
    let mut came = Came::NOTHING;
    for row in rows {
        let row = match row {
            Ok(row) => row,
            Err(error) => return Ok(came.and(broken(&error.into())?)),
        };
        if at.is_over() {
            return Ok(came.and(Came::CUT_OFF));
        }
        let prefix = format!("{}{} › ", at.prefix.trim_end_matches(" › "), naming::row_name(&row));
        let at = Surroundings { prefix: &prefix, ..at };
        let this = one(at, scope, step, &scope.for_case(case).with_row(row)).await?;
        came = came.and(this);
        if this.broke && !at.run.options.continue_on_failure {
            return Ok(came);
        }
    }
    Ok(came)
}

/// Runs the case once, and keeps what it exports where it passed.
async fn one(at: Surroundings<'_>, scope: &Scope, step: &Step, inner: &Scope) -> io::Result<Came> {
    let came = phases::run(at, inner, at.case.config.case_timeout.map(leaf::seconds)).await?;
    if came.broke {
        return Ok(came);
    }
    let names = at.case.config.export.iter().chain(&step.export).cloned().collect();
    match evaluation::keep(at, scope, names, inner).await {
        Ok(()) => Ok(came),
        Err(problem) => {
            let failure = problem.at(at, step.place, "export");
            Ok(came.and(entry::broken(at, scope, "export", step.place, failure)?))
        }
    }
}
