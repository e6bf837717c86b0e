//! A case that did not pass, left as it stands → the same case, from the step on that did not pass.
//!
//! Its device is not touched meanwhile: what would tidy up (`on_failure`, `teardown_hooks`) waits until the case passes, or until it is
//! [left](leave). The variables are those that the failed step began with, whatever that step itself made of them.

use std::io;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use uixt_call::Boxed;

use super::context::{Run, StepContext, StepEnd, Stop};
use super::paused_case::PausedCase;
use super::{Options, Planned, Sink, phases, step};
use crate::result::Outcome;
use crate::testcase::{Scope, Step};

/// Runs a case's steps from one on, and notes where it stands at the first that does not pass.
pub(super) async fn sequence(cx: &StepContext<'_>, scope: &Scope, steps: &[Step], first: usize) -> io::Result<StepEnd> {
    let mut end = StepEnd::NOTHING;
    for (position, step) in steps.iter().enumerate().skip(first) {
        let before = scope.as_it_stands();
        let one = step::sequence(cx, scope, std::slice::from_ref(step)).await?;
        end = end.and(one);
        if one.outcome >= Outcome::Failed && !cx.run.stop.is_asked() {
            cx.run.stands.lock().get_or_insert((position, before));
        }
        if one.broke && !cx.run.options.continue_on_failure {
            break;
        }
    }
    Ok(end)
}

/// Runs what tidies up after a case that stood and does not go on; `planned` is what it is a case of. Returns what came of it.
pub fn leave(
    stand: PausedCase,
    planned: Planned,
    options: Options,
    sink: Sink,
    stop: CancellationToken,
) -> Boxed<'static, io::Result<Outcome>> {
    Box::pin(async move {
        let stop = Stop::new(stop);
        let run = Run::new(&planned, stand.case.clone(), (&options, &sink, &stop), Arc::clone(&stand.caller));
        let run = run.with_devices(&stand.devices);
        let end = phases::tidy(&StepContext::of(&run, None), &stand.scope, true).await;
        stand.caller.end();
        Ok(end?.outcome)
    })
}
