//! A case that did not pass, left as it stands → the same case, from the step on that did not pass.
//!
//! Its device is not touched meanwhile: what would tidy up (`on_failure`, `teardown_hooks`) waits until the case passes, or until it is
//! [left](leave). The variables are those that the failed step began with, whatever that step itself made of them.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use super::case_id;
use super::context::{Run, StepContext, StepEnd, Stop};
use super::{Options, Planned, Sink, phases, step};
use crate::caller::{Boxed, Caller};
use crate::result::Outcome;
use crate::testcase::{Scope, Step};

/// A place for the one case that a run leaves as it stands: its last, where that does not pass.
#[derive(Default)]
pub struct Standing(Mutex<Option<Stand>>);

/// Where a case stands.
pub struct Stand {
    /// The case's id in the results.
    pub case: String,
    /// The step that did not pass, by its position among those of the testcase, from 0.
    pub step: usize,
    pub(super) scope: Scope,
    pub(super) caller: Arc<dyn Caller>,
}

impl Stand {
    /// Tells whether a case of a testcase, which its id names, stands here.
    pub fn is_of(&self, planned: &str) -> bool {
        case_id::parts(&self.case).is_some_and(|(of, _)| of == planned)
    }

    /// Ends the session, where nothing tidies up.
    pub fn end(self) {
        self.caller.end();
    }
}

impl std::fmt::Debug for Standing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stand = self.place();
        f.debug_tuple("Standing").field(&stand.as_ref().map(|stand| (&stand.case, stand.step))).finish()
    }
}

impl Standing {
    /// Returns the case that stands here, and its failed step, by its position from 0.
    pub fn case(&self) -> Option<(String, usize)> {
        self.place().as_ref().map(|stand| (stand.case.clone(), stand.step))
    }

    /// Takes out what stands here.
    pub fn take(&self) -> Option<Stand> {
        self.place().take()
    }

    /// Takes out what stands here of a case.
    pub(super) fn take_case(&self, id: &str) -> Option<Stand> {
        let mut place = self.place();
        if place.as_ref().is_some_and(|stand| stand.case == id) { place.take() } else { None }
    }

    pub(super) fn put(&self, stand: Stand) {
        *self.place() = Some(stand);
    }

    fn place(&self) -> MutexGuard<'_, Option<Stand>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a case's steps from one on, and notes where it stands at the first that does not pass.
pub(super) async fn sequence(cx: &StepContext<'_>, scope: &Scope, steps: &[Step], first: usize) -> io::Result<StepEnd> {
    let mut end = StepEnd::NOTHING;
    for (position, step) in steps.iter().enumerate().skip(first) {
        let before = scope.as_it_stands();
        let one = step::sequence(cx, scope, std::slice::from_ref(step)).await?;
        end = end.and(one);
        if one.outcome >= Outcome::Failed && !cx.run.stop.is_asked() {
            cx.run.stands().get_or_insert((position, before));
        }
        if one.broke && !cx.run.options.continue_on_failure {
            break;
        }
    }
    Ok(end)
}

/// Runs what tidies up after a case that stood and does not go on; `planned` is what it is a case of. Returns what came of it.
pub fn leave(
    stand: Stand,
    planned: Planned,
    options: Options,
    sink: Sink,
    stop: CancellationToken,
) -> Boxed<'static, io::Result<Outcome>> {
    Box::pin(async move {
        let stop = Stop::new(stop);
        let run = Run::new(&planned, stand.case.clone(), (&options, &sink, &stop), Arc::clone(&stand.caller));
        let end = phases::tidy(&StepContext::of(&run, None), &stand.scope, true).await;
        stand.caller.end();
        Ok(end?.outcome)
    })
}
