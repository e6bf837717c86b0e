//! What a step needs beside its own data: the case that runs, where its events go, and when everything must end.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::last_act::LastAct;
use super::last_picture::LastPicture;
use super::{Options, Planned, Sink};
use crate::result::{self, Event, Failure, ModelUsage, Outcome, Place};
use crate::testcase::{Scope, TestCase};
use uixt_call::{Caller, ToolRow};
use uixt_core::action::Span;
use uixt_locate::Kind;

/// How long a run may go on after it was stopped: the call in flight and what tidies up.
pub(super) const GRACE: Duration = Duration::from_millis(1500);

/// How long tidying up may go on after the case's time is over.
const TIDYING: Duration = Duration::from_secs(30);

/// The wish that the run ends, and since when.
pub(super) struct Stop {
    token: CancellationToken,
    since: OnceLock<Instant>,
}

impl Stop {
    pub(super) fn new(token: CancellationToken) -> Self {
        Self { token, since: OnceLock::new() }
    }

    pub(super) fn is_asked(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Returns once it is asked.
    pub(super) async fn asked(&self) {
        self.token.cancelled().await;
    }

    /// Returns when everything must have ended, counted from when this first asked.
    fn last_moment(&self) -> Instant {
        *self.since.get_or_init(Instant::now) + GRACE
    }
}

/// A case that runs: what all its steps share.
pub(super) struct Run<'a> {
    pub(super) planned: &'a Planned,
    /// The case's id in the results.
    pub(super) id: String,
    pub(super) options: &'a Options,
    pub(super) sink: &'a Sink,
    pub(super) stop: &'a Stop,
    pub(super) caller: Arc<dyn Caller>,
    /// The devices that the config names, by their names.
    pub(super) devices: Arc<HashMap<String, result::Device>>,
    /// Who answers the steps that the file of a project's tool allows beyond what the caller does.
    pub(super) beyond: Option<Arc<dyn Caller>>,
    /// How many steps have begun.
    steps: AtomicU32,
    /// How often a step has selected a device.
    selections: AtomicU32,
    pub(super) last: Mutex<Last>,
    /// Why the first step was skipped that was.
    pub(super) skipped: Mutex<Option<String>>,
    /// What was said of the last action that was let pass without its target.
    pub(super) ignored: Mutex<Option<String>>,
    /// What to say where a case took too long.
    pub(super) late: Mutex<Option<String>>,
    /// What was last done to a device, until it is told what came of it.
    pub(super) last_act: Mutex<Option<LastAct>>,
    /// The ends of failed steps that a later try of what is around them may make up for.
    pub(super) failed: Mutex<Vec<Event>>,
    /// What was asked of models.
    pub(super) usage: Mutex<ModelUsage>,
    /// For how long its steps waited so far, and it between them.
    waited: Mutex<Duration>,
    /// Whether a device did not answer a call.
    lost_device: AtomicBool,
    /// The last goal that was replayed, as its step writes it, and where.
    pub(super) replayed: Mutex<Option<String>>,
    /// The last picture of the screen.
    pub(super) last_picture: Mutex<Option<LastPicture>>,
    /// Whether it is left as it stands where a step does not pass.
    pub(super) may_stand: bool,
    /// The step that it begins with, from 0: one behind the first where it stood there before.
    pub(super) first: usize,
    /// The first step that did not pass, and the variables before it, where it is left as it stands.
    pub(super) stands: Mutex<Option<(usize, Scope)>>,
}

/// What the last action of a step's body answered.
#[derive(Default)]
pub(super) struct Last {
    pub(super) tool: String,
    pub(super) object: Map<String, Value>,
}

impl<'a> Run<'a> {
    /// Returns what is known of the tool of a name.
    pub(super) fn tool(&self, name: &str) -> Option<&'static ToolRow> {
        self.options.table.find(name)
    }

    pub(super) fn new(
        planned: &'a Planned,
        id: String,
        (options, sink, stop): (&'a Options, &'a Sink, &'a Stop),
        caller: Arc<dyn Caller>,
    ) -> Self {
        let (steps, selections, last, skipped, ignored, late, last_act, failed, usage, lost_device, last_picture) =
            Default::default();
        let (may_stand, first, stands, replayed, beyond, waited, devices) = Default::default();
        Self {
            planned,
            id,
            options,
            sink,
            stop,
            caller,
            devices,
            beyond,
            steps,
            selections,
            last,
            skipped,
            ignored,
            late,
            last_act,
            failed,
            usage,
            waited,
            lost_device,
            replayed,
            last_picture,
            may_stand,
            first,
            stands,
        }
    }

    /// Says who answers what the file of a project's tool allows.
    pub(super) fn with_beyond(self, beyond: Option<Arc<dyn Caller>>) -> Self {
        Self { beyond, ..self }
    }

    /// Says which devices the config names.
    pub(super) fn with_devices(self, devices: &Arc<HashMap<String, result::Device>>) -> Self {
        Self { devices: Arc::clone(devices), ..self }
    }

    /// Says whether the case is left as it stands, and with which step it begins.
    pub(super) fn standing(self, may_stand: bool, first: usize) -> Self {
        Self { may_stand, first, ..self }
    }

    /// Returns the case as it runs again: calls go to another caller, and steps are counted on.
    pub(super) fn again(self, caller: Arc<dyn Caller>) -> Self {
        let (last, skipped, ignored, late, last_act, replayed, last_picture) = Default::default();
        Self { caller, last, skipped, ignored, late, last_act, replayed, last_picture, ..self }
    }

    /// Goes on with a case that another worker began: steps are counted on, and what failed may be made up for.
    pub(super) fn resume(&self, steps: u32, failed: Vec<Event>, usage: ModelUsage) {
        self.steps.store(steps, Ordering::Relaxed);
        *self.failed.lock() = failed;
        *self.usage.lock() = usage;
    }

    /// Returns what another worker needs to go on.
    pub(super) fn carried(&self) -> (u32, Vec<Event>, ModelUsage) {
        (self.steps.load(Ordering::Relaxed), std::mem::take(&mut self.failed.lock()), *self.usage.lock())
    }

    /// Takes note that a device did not answer a call.
    pub(super) fn note_lost_device(&self) {
        self.lost_device.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_lost_device(&self) -> bool {
        self.lost_device.load(Ordering::Relaxed)
    }

    pub(super) fn forget_lost_device(&self) {
        self.lost_device.store(false, Ordering::Relaxed);
    }

    pub(super) fn next_number(&self) -> u32 {
        self.steps.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(super) fn note_selection(&self) {
        self.selections.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn selections(&self) -> u32 {
        self.selections.load(Ordering::Relaxed)
    }

    /// Takes note of a wait.
    pub(super) fn add_waited(&self, time: Duration) {
        *self.waited.lock() += time;
    }

    /// Returns for how long its steps waited so far, and it between them.
    pub(super) fn waited(&self) -> Duration {
        *self.waited.lock()
    }

    pub(super) fn log(&self, level: &str, message: String) -> io::Result<()> {
        self.sink.emit(Event::Log { case: Some(self.id.clone()), level: level.to_owned(), message })
    }
}

/// The device that steps go to until one of them selects another.
#[derive(Clone, Copy)]
pub(super) struct Device<'a> {
    pub(super) platform: Option<&'a str>,
    pub(super) serial: &'a str,
    /// How often a device had been selected before the first of them.
    pub(super) selections: u32,
}

/// Where in a case something runs. Handed on by reference: every future holds what it is given.
#[derive(Clone, Copy)]
pub(super) struct StepContext<'a> {
    pub(super) run: &'a Run<'a>,
    /// The testcase that the steps are of: the run's own, or one that a step refers to.
    pub(super) case: &'a TestCase,
    /// The device that a step names, or the config of a testcase which a step refers to.
    pub(super) device: Option<Device<'a>>,
    /// What stands before the names of steps: `Log in › `.
    pub(super) prefix: &'a str,
    /// When it must have ended.
    pub(super) deadline: Option<Instant>,
    /// Whether it tidies up, for which there is a little time after the end.
    pub(super) is_tidying: bool,
    /// Which try of what is around it this is, counted from 1.
    pub(super) attempt: u32,
    /// Whether a failure may be made up for by another try of what is around it.
    pub(super) is_retried: bool,
}

impl<'a> StepContext<'a> {
    pub(super) fn of(run: &'a Run<'a>, deadline: Option<Instant>) -> Self {
        let case = &run.planned.case;
        Self { run, case, device: None, prefix: "", deadline, is_tidying: false, attempt: 1, is_retried: false }
    }

    /// Returns the context of what tidies up.
    pub(super) fn tidying(&self) -> Self {
        match self.is_tidying {
            true => *self,
            false => Self { is_tidying: true, deadline: self.deadline.map(|deadline| deadline + TIDYING), ..*self },
        }
    }

    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.run.stop.is_asked() && (!self.is_tidying || Instant::now() >= self.run.stop.last_moment())
    }

    /// Tells whether nothing more may begin.
    pub(super) fn is_over(&self) -> bool {
        self.is_stopped() || self.is_late()
    }

    /// Returns once the case's time is over; never where it has no end.
    pub(super) async fn late(&self) {
        match self.deadline {
            Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
            None => std::future::pending().await,
        }
    }

    /// Returns once the run was stopped.
    pub(super) async fn stopped(&self) {
        self.run.stop.token.cancelled().await;
        let last_moment = self.run.stop.last_moment();
        if self.is_tidying {
            tokio::time::sleep_until(last_moment.into()).await;
        }
    }

    /// Returns how long a call in flight may go on after the run was stopped; what tidies up needs the rest.
    pub(super) fn timeout(&self) -> Duration {
        match self.is_tidying || !self.run.planned.case.config.teardown.is_empty() {
            true => GRACE / 2,
            false => GRACE,
        }
    }

    /// Waits; returns whether the run went on all the while and the case's time was not over.
    pub(super) async fn sleep(&self, time: Duration) -> bool {
        let began = Instant::now();
        let went_on = tokio::select! {
            biased;
            () = self.stopped() => false,
            () = self.late() => false,
            () = tokio::time::sleep(time) => true,
        };
        self.run.add_waited(began.elapsed());
        went_on
    }

    /// Returns who answers a call of the steps that run.
    pub(super) fn caller(&self, tool: &str) -> &Arc<dyn Caller> {
        let allows = self.case.tool.as_ref().is_some_and(|own| own.allows(tool));
        self.run.beyond.as_ref().filter(|_| allows).unwrap_or(&self.run.caller)
    }

    pub(super) fn place(&self, span: Span) -> Place {
        Place { file: self.case.file.clone(), line: span.line, column: span.column }
    }

    /// Returns the failure of what was ended from outside.
    pub(super) fn interruption(&self) -> Failure {
        let why = if self.is_stopped() { "interrupted" } else { "interrupted: the case's time is over" };
        failure(Kind::Interrupted, why)
    }
}

pub(super) fn failure(kind: Kind, message: impl Into<String>) -> Failure {
    Failure { kind: kind.name().to_owned(), message: message.into(), details: None }
}

/// What came of something that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StepEnd {
    /// Skipped where nothing ran.
    pub(super) outcome: Outcome,
    /// Whether a failure ends what is around it.
    pub(super) broke: bool,
    /// Whether no other try would change it.
    pub(super) is_final: bool,
}

impl StepEnd {
    pub(super) const NOTHING: Self = Self { outcome: Outcome::Skipped, broke: false, is_final: false };
    /// What ended because the run or the case's time did.
    pub(super) const CUT_OFF: Self = Self { outcome: Outcome::Errored, broke: true, is_final: true };

    /// Returns what came of both.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            outcome: self.outcome.max(other.outcome),
            broke: self.broke || other.broke,
            is_final: self.is_final || other.is_final,
        }
    }

    /// Returns what came of a hook: passing does not make a case one in which something ran.
    pub(super) fn of_hook(self) -> Self {
        match self.outcome {
            Outcome::Passed => Self { outcome: Outcome::Skipped, ..self },
            _ => self,
        }
    }
}
