//! The last act of a case → what came of it on the page, told before the case ends, as the next step would have told it.

use std::io;

use serde_json::Value;
use uixt_call::fails_by;
use uixt_core::dialogs::Dialogs;
use uixt_locate::Error;

use super::context::{StepContext, StepEnd};
use super::entry;
use crate::result::Failure;
use crate::testcase::Scope;

/// Tells what came of the last act, unless that was told: what went wrong in its page is a warning; what the next step would have
/// failed by is a step of the results that fails in the place of that act.
pub(super) async fn tell(cx: &StepContext<'_>, scope: &Scope) -> io::Result<StepEnd> {
    let last = cx.run.last_act.lock().take();
    let Some(last) = last.filter(|_| !cx.is_over()) else { return Ok(StepEnd::NOTHING) };
    let fail_on = cx.run.planned.case.fail_on();
    let dialogs = if last.closes_popups { Dialogs::Dismiss } else { cx.run.planned.case.config.dialogs };
    let told = tokio::select! {
        biased;
        told = cx.run.caller.after_last_act(last.began, dialogs, fail_on) => told,
        () = cx.late() => return Ok(StepEnd::NOTHING),
        () = cx.stopped() => return Ok(StepEnd::NOTHING),
    };
    let told = told.and_then(|faults| {
        let faults: Vec<String> = faults.into_iter().filter(|fault| !last.wanted(fault)).collect();
        let failure = faults.iter().find_map(|fault| fails_by(fail_on, fault));
        failure.map_or(Ok(faults), Err)
    });
    match told {
        Ok(faults) if faults.is_empty() => Ok(StepEnd::NOTHING),
        Ok(faults) => {
            let message = format!("step {}, {}, went wrong in the page: {}", last.step, last.tool, faults.join("; "));
            cx.run.log("warn", scope.secrets().text(message))?;
            Ok(StepEnd::NOTHING)
        }
        Err(error) => {
            let name = format!("after step {}, {}", last.step, last.tool);
            entry::broken_in(cx, scope, &name, last.place, failure(error))
        }
    }
}

fn failure(error: Error) -> Failure {
    let details =
        Some(Value::Object(error.details)).filter(|details| details.as_object().is_some_and(|map| !map.is_empty()));
    Failure { kind: error.kind.name().to_owned(), message: error.message, details }
}
