//! Steps that somebody gives one by one → the same calls as in a case, in one session and with one set of variables.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use uixt_call::{Boxed, Caller};

use super::context::{Run, StepContext, Stop};
use super::{Options, Planned, Sink, after_last_act, step};
use crate::result::{Device, Event, Outcome};
use crate::testcase::Scope;

/// What such steps share.
pub struct Stepwise {
    scope: Scope,
    caller: Arc<dyn Caller>,
    devices: Arc<HashMap<String, Device>>,
    options: Options,
    sink: Sink,
}

impl Stepwise {
    pub fn new(scope: Scope, caller: Arc<dyn Caller>, options: Options, sink: Sink) -> Self {
        Self { scope, caller, devices: Arc::default(), options, sink }
    }

    /// Says which devices the steps know by name.
    #[must_use]
    pub fn with_devices(self, devices: HashMap<String, Device>) -> Self {
        Self { devices: Arc::new(devices), ..self }
    }

    /// Returns the variables as they stand.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Writes down what happens around the steps.
    pub fn emit(&self, event: Event) -> io::Result<()> {
        self.sink.emit(event)
    }

    /// Goes back to variables as they stood before.
    pub fn go_back(&mut self, scope: Scope) {
        self.scope = scope;
    }

    /// Runs the steps of a testcase, and returns what came of them. Those that do not pass save nothing; cancelling `stop` ends them.
    pub fn run<'a>(&'a mut self, planned: &'a Planned, stop: CancellationToken) -> Boxed<'a, io::Result<Outcome>> {
        Box::pin(async move {
            let before = self.scope.as_it_stands();
            let outcome = self.steps(planned, stop).await;
            if !outcome.as_ref().is_ok_and(|outcome| *outcome < Outcome::Failed) {
                self.scope = before;
            }
            outcome
        })
    }

    async fn steps(&self, planned: &Planned, stop: CancellationToken) -> io::Result<Outcome> {
        let stop = Stop::new(stop);
        let run = Run::new(planned, planned.id.clone(), (&self.options, &self.sink, &stop), Arc::clone(&self.caller));
        let run = run.with_devices(&self.devices);
        let cx = &StepContext::of(&run, None);
        let mut end = step::sequence(cx, &self.scope, &planned.case.steps).await?;
        if !end.broke {
            end = end.and(after_last_act::tell(cx, &self.scope).await?.of_hook());
        }
        Ok(end.outcome)
    }
}
