//! One case of the results: a testcase, or one row of its parameters, from its first event to its last.

use std::io;
use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value};

use super::context::{Run, StepContext, StepEnd, Stop};
use super::mask;
use super::retry::{self, Moved, Tried};
use super::suite::{Finish, shown_name};
use super::unit::Unit;
use super::{CaseRuntime, Options, Planned, SharedQueue, Sink, Worker, milliseconds, naming, plain_step};
use crate::result::{Event, Failure, ModelUsage, Outcome};
use crate::testcase::Scope;

/// The kind of error of a case that did not pass and is in quarantine.
pub const QUARANTINE: &str = "Quarantine";

/// One case to run, or to report as not run.
pub(super) struct Case<'a> {
    pub(super) planned: &'a Planned,
    pub(super) unit: &'a Unit,
    /// What it runs with, where it is run.
    pub(super) seat: Option<&'a CaseRuntime>,
    /// The queue that it came from, where that is shared.
    pub(super) shared: Option<&'a dyn SharedQueue>,
    pub(super) options: &'a Options,
    pub(super) sink: &'a Sink,
    pub(super) stop: &'a Stop,
    /// Whether it is left as it stands if it does not pass.
    pub(super) may_stand: bool,
    /// Its id in the results.
    pub(super) id: String,
    /// What stands behind its name: which row it is.
    pub(super) label: String,
    pub(super) scope: Scope,
}

/// How a case ended.
pub(super) struct End {
    pub(super) outcome: Outcome,
    pub(super) error: Option<Failure>,
    pub(super) exports: Map<String, Value>,
    /// What its steps asked of models.
    pub(super) usage: ModelUsage,
}

impl End {
    fn of(outcome: Outcome, error: Option<Failure>) -> Self {
        Self { outcome, error, exports: Map::new(), usage: ModelUsage::default() }
    }
}

impl Case<'_> {
    /// Reports the case as not run.
    pub(super) fn skip(&self, reason: &str) -> io::Result<()> {
        self.begin(shown_name(&self.planned.case, &self.scope))?;
        self.finish(Instant::now(), End::of(Outcome::Skipped, Some(failure("Skipped", reason.to_owned()))))
    }

    /// Reports the case as one that cannot run.
    pub(super) fn refuse(&self, failure: Failure) -> io::Result<Outcome> {
        self.begin(shown_name(&self.planned.case, &self.scope))?;
        self.finish(Instant::now(), End::of(Outcome::Errored, Some(failure)))?;
        Ok(Outcome::Errored)
    }

    /// Runs the case, or goes on with it where another worker's device broke; `on` is the worker that it may leave in the same way.
    pub(super) async fn run(&self, on: Option<&dyn Worker>, moved: Option<Box<Moved>>) -> io::Result<Finish> {
        let Some(seat) = self.seat else {
            return self.refuse(failure("Unsupported", "there is nothing to run it with".to_owned())).map(ended);
        };
        let started = moved.as_ref().map_or_else(Instant::now, |moved| moved.started);
        let stood = self.options.standing.as_ref().and_then(|standing| standing.take_case(&self.id));
        let calls = (seat.calls)(stood.as_ref().and_then(|stand| stand.caller.state()));
        let run = Run::new(self.planned, self.id.clone(), (self.options, self.sink, self.stop), calls);
        let run =
            run.with_devices(&seat.devices).standing(self.may_stand, stood.as_ref().map_or(0, |stand| stand.step));
        let scope = match &stood {
            Some(stand) => &stand.scope.going_on_in(&self.planned.case),
            None => &self.scope,
        };
        let limit = self.planned.case.config.case_timeout.map(plain_step::seconds).or(self.options.case_timeout);
        match &moved {
            None => {
                let cx = &StepContext::of(&run, limit.map(|limit| started + limit));
                let name = naming::text(cx, scope, &self.planned.case.config.name).await;
                self.begin(name)?;
                for warning in self.planned.warnings.iter().chain(&self.unit.again) {
                    run.log("warn", warning.clone())?;
                }
                if let Some(stand) = &stood {
                    run.log("info", format!("goes on at step {}, where it stood", stand.step + 1))?;
                }
            }
            Some(moved) => {
                let device = seat.device.clone();
                run.log("warn", moved.told(device.as_ref()))?;
                self.sink.emit(Event::DeviceChanged { case: self.id.clone(), device })?;
            }
        }
        match retry::run(run, scope, (limit, started), seat, (on, moved)).await? {
            Tried::Moves(moved) => Ok(Finish::Moves(moved)),
            Tried::Ended { end, lost_device } => {
                let end = self.own(self.in_quarantine(end)?).await;
                let outcome = end.outcome;
                self.finish(started, end)?;
                Ok(Finish::Ended { outcome, lost_device })
            }
        }
    }

    /// Takes back what came of a case that another machine has taken over meanwhile: its results count there.
    async fn own(&self, end: End) -> End {
        let is_own = match self.shared {
            Some(shared) if end.outcome != Outcome::Skipped => shared.is_own(&self.unit.id).await,
            _ => true,
        };
        if is_own {
            return end;
        }
        let why = "not run: this machine lost contact for too long, and another took the case over";
        End { outcome: Outcome::Skipped, error: Some(failure("Skipped", why.to_owned())), ..end }
    }

    /// Keeps a failure of a case in quarantine from failing the run: it is not run as far as that goes, and says so.
    fn in_quarantine(&self, end: End) -> io::Result<End> {
        let Some(quarantine) = &self.planned.case.config.quarantine else { return Ok(end) };
        let reason = if quarantine.reason.is_empty() { String::new() } else { format!(" ({})", quarantine.reason) };
        let until = quarantine.until;
        let is_over = chrono::Local::now().date_naive() > until;
        let tell = |message: String| {
            self.sink.emit(Event::Log { case: Some(self.id.clone()), level: "warn".to_owned(), message })
        };
        if is_over {
            tell(format!("its quarantine ended on {until}{reason}: what fails now fails the run"))?;
            return Ok(end);
        }
        match end.outcome {
            Outcome::Failed | Outcome::Errored if !self.stop.is_asked() => {
                let word = if end.outcome == Outcome::Failed { "failed" } else { "errored" };
                let message = format!("{word}, but is in quarantine until {until}{reason}");
                Ok(End { outcome: Outcome::Skipped, error: Some(failure(QUARANTINE, message)), ..end })
            }
            Outcome::Passed => {
                tell(format!("it passed, and is in quarantine until {until}{reason}"))?;
                Ok(end)
            }
            _ => Ok(end),
        }
    }

    fn begin(&self, name: String) -> io::Result<()> {
        let case = &self.planned.case;
        let name = match name.trim() {
            "" => {
                Path::new(&case.file).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
            }
            _ => name,
        };
        self.sink.emit(Event::CaseStarted {
            case: self.id.clone(),
            name: self.scope.secrets().text(name + &self.label),
            file: case.file.clone(),
            device: self.seat.and_then(|seat| seat.device.clone()),
            tags: case.config.tags.clone(),
            steps: u32::try_from(case.steps.len()).unwrap_or(u32::MAX),
        })
    }

    fn finish(&self, started: Instant, end: End) -> io::Result<()> {
        let secrets = self.scope.secrets();
        self.sink.emit(Event::CaseFinished {
            case: self.id.clone(),
            outcome: end.outcome,
            elapsed_ms: milliseconds(started),
            error: end.error.map(|error| mask::failure(&secrets, error)),
            exports: secrets.object(end.exports),
            usage: end.usage,
        })
    }
}

fn ended(outcome: Outcome) -> Finish {
    Finish::Ended { outcome, lost_device: false }
}

fn failure(kind: &str, message: String) -> Failure {
    Failure { kind: kind.to_owned(), message, details: None }
}

/// Says why a case ended that had more steps to run, or ran none.
pub(super) fn reason(end: StepEnd, cx: &StepContext<'_>) -> Option<Failure> {
    match end.outcome {
        Outcome::Skipped => {
            let first = cx.run.skipped.lock().clone();
            let first = first.map(|reason| format!(": {reason}")).unwrap_or_default();
            Some(failure("Skipped", format!("no step did anything{first}")))
        }
        Outcome::Errored if cx.run.stop.is_asked() => {
            Some(failure("Interrupted", "the run was interrupted".to_owned()))
        }
        Outcome::Errored => cx.run.late.lock().clone().map(|message| failure("Timeout", message)),
        _ => None,
    }
}
