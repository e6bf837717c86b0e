//! A unit → its case, or one case for each row of a file that makes its rows as it runs.

use std::io;

use parking_lot::Mutex;
use regex::Regex;
use serde_json::{Map, Value};
use uixt_locate::Kind;

use super::case::Case;
use super::context::{Run, StepContext, Stop, failure};
use super::pool::ended_early;
use super::retry::Moved;
use super::unit::{self, Part, Unit};
use super::{CaseRuntime, Options, Planned, SharedQueue, Sink, Worker, case_id, evaluation, naming};
use crate::result::{Failure, Outcome};
use crate::testcase::{Overrides, Parameters, Rows, Scope, TestCase};

/// A unit and how to run it.
#[derive(Clone, Copy)]
pub(super) struct Suite<'a> {
    pub(super) planned: &'a Planned,
    pub(super) unit: &'a Unit,
    /// What it runs with, where it is run.
    pub(super) seat: Option<&'a CaseRuntime>,
    /// The queue that it came from, where that is shared.
    pub(super) shared: Option<&'a dyn SharedQueue>,
    /// The testcase's rows, where they are listed.
    pub(super) rows: Option<&'a Mutex<Rows>>,
    pub(super) options: &'a Options,
    pub(super) sink: &'a Sink,
    pub(super) stop: &'a Stop,
    /// Whether its case is left as it stands if it does not pass.
    pub(super) may_stand: bool,
}

/// What became of a unit.
pub(super) enum Finish {
    /// It has ended; whether a device was lost on the way.
    Ended { outcome: Outcome, lost_device: bool },
    /// Its device broke; another is to run it.
    Moves(Box<Moved>),
}

impl<'a> Suite<'a> {
    /// Reports the unit as not run.
    pub(super) fn skip(&self, reason: &str) -> io::Result<()> {
        self.skip_rows(String::new(), reason)
    }

    /// Reports it, and others that the label tells of, as not run.
    pub(super) fn skip_rows(&self, label: String, reason: &str) -> io::Result<()> {
        self.case(self.unit.id.clone(), label, self.scope()).skip(reason)
    }

    /// Reports the unit as one that cannot run.
    pub(super) fn refuse(&self, failure: Failure) -> io::Result<Outcome> {
        self.case(self.unit.id.clone(), String::new(), self.scope()).refuse(failure)
    }

    /// Runs the unit; `before` is how the run's earlier ones ended, and `on` the worker that it may leave if its device breaks.
    pub(super) async fn run(
        &self,
        before: Outcome,
        on: Option<&dyn Worker>,
        moved: Option<Box<Moved>>,
    ) -> io::Result<Finish> {
        let ended = |outcome| Finish::Ended { outcome, lost_device: false };
        if let (Part::Row(number), Some(rows)) = (self.unit.part, self.rows) {
            return match unit::row(rows, number) {
                Ok(row) => {
                    let label = naming::row_name(&row);
                    self.case(self.unit.id.clone(), label, self.scope().with_row(row)).run(on, moved).await
                }
                Err(error) => self.refuse(self.broken(&error.into())).map(ended),
            };
        }
        match &self.planned.case.config.parameters {
            None => self.case(self.unit.id.clone(), String::new(), self.scope()).run(on, moved).await,
            // Which of them is the last is not known.
            Some(parameters) => Suite { may_stand: false, ..*self }.run_all_rows(parameters, before).await.map(ended),
        }
    }

    /// Runs the rows of a file one after the other, as they are made.
    async fn run_all_rows(&self, parameters: &Parameters, before: Outcome) -> io::Result<Outcome> {
        let Some(seat) = self.seat else {
            return self.refuse(failure(Kind::Unsupported, "there is nothing to run the rows with"));
        };
        let run = Run::new(self.planned, String::new(), (self.options, self.sink, self.stop), (seat.calls)(None));
        let cx = &StepContext::of(&run, None);
        let rows = evaluation::rows(cx, &self.scope(), parameters).await;
        match rows {
            Ok(rows) => self.run_rows(rows, before).await,
            Err(problem) => self.refuse(self.broken(&problem)),
        }
    }

    async fn run_rows(&self, rows: Rows, before: Outcome) -> io::Result<Outcome> {
        let (mut left, mut outcome, mut some) = (Rows::count(&rows), Outcome::Skipped, false);
        for (number, row) in (0..).zip(rows).filter(|(number, row)| self.selects(*number, row.as_ref().ok())) {
            some = true;
            let id = self.id_of(number);
            if let Some(reason) = ended_early(self.options, before.max(outcome), self.stop) {
                let left = left.max(1);
                let label = match left {
                    1 => format!(" [row {}]", number + 1),
                    _ => format!(" [{left} rows, {} to {}]", number + 1, number + left),
                };
                self.case(id, label, self.scope()).skip(reason)?;
                return Ok(outcome);
            }
            let one = match row {
                Ok(row) => {
                    let label = naming::row_name(&row);
                    match self.case(id, label, self.scope().with_row(row)).run(None, None).await? {
                        Finish::Ended { outcome, .. } => outcome,
                        Finish::Moves(_) => Outcome::Errored,
                    }
                }
                Err(error) => return self.case(id, String::new(), self.scope()).refuse(self.broken(&error.into())),
            };
            outcome = outcome.max(one);
            left = left.saturating_sub(1);
        }
        if !some {
            let reason = match self.options.filter {
                Some(_) => "its parameters have no row that is selected",
                None => "its parameters have no row",
            };
            self.skip(reason)?;
        }
        Ok(outcome)
    }

    /// Returns the id of a row of a file that is run as a whole.
    fn id_of(&self, number: u64) -> String {
        let (first, behind) = (case_id::of_row(&self.planned.id, 0), &self.unit.id);
        case_id::of_row(&self.planned.id, number) + behind.strip_prefix(&first).unwrap_or_default()
    }

    /// Tells whether a row is run; one that cannot be made is.
    fn selects(&self, number: u64, row: Option<&Map<String, Value>>) -> bool {
        let (planned, only) = (&self.planned.id, self.options.only.as_ref());
        if !only.is_none_or(|only| only.selects(planned, &case_id::of_row(planned, number))) {
            return false;
        }
        let (Some(filter), Some(row)) = (&self.options.filter, row) else { return true };
        selects_row(&self.planned.case, &self.scope(), row, filter)
    }

    fn broken(&self, problem: &evaluation::Problem) -> Failure {
        failure(Kind::BadArgument, format!("{}: parameters: {}", self.planned.case.file, problem.message()))
    }

    fn scope(&self) -> Scope {
        let scope = self.planned.case.scope(&self.options.overrides);
        self.planned.secrets.iter().for_each(|secret| scope.add_secret(secret));
        scope
    }

    fn case(&self, id: String, label: String, scope: Scope) -> Case<'a> {
        let label = label + &self.unit.label;
        Case {
            planned: self.planned,
            unit: self.unit,
            seat: self.seat,
            shared: self.shared,
            options: self.options,
            sink: self.sink,
            stop: self.stop,
            may_stand: self.may_stand,
            id,
            label,
            scope,
        }
    }
}

/// Tells whether a filter selects a testcase, or a row of it: by its file, by its name as it is written, or as reports show it. What only
/// a run can tell, such as rows that a function of the project makes, is selected until then.
pub fn may_select(case: &TestCase, overrides: &Overrides, filter: &Regex) -> bool {
    if selects_file(case, filter) {
        return true;
    }
    let scope = case.scope(overrides);
    if scope.may_block() {
        return case.config.parameters.is_some();
    }
    match &case.config.parameters {
        None => filter.is_match(&shown_name(case, &scope)),
        Some(parameters) => parameters
            .rows(&scope)
            .map_or(true, |mut rows| rows.any(|row| row.map_or(true, |row| selects_row(case, &scope, &row, filter)))),
    }
}

fn selects_file(case: &TestCase, filter: &Regex) -> bool {
    filter.is_match(&case.file) || filter.is_match(&case.config.name)
}

pub(super) fn selects_row(case: &TestCase, scope: &Scope, row: &Map<String, Value>, filter: &Regex) -> bool {
    selects_file(case, filter) || {
        let name = shown_name(case, &scope.with_row(row.clone())) + &naming::row_name(row);
        filter.is_match(&scope.secrets().text(name))
    }
}

/// Returns a name as it is without calling anything slow.
pub(super) fn shown_name(case: &TestCase, scope: &Scope) -> String {
    let written = &case.config.name;
    match scope.may_block() {
        true => written.clone(),
        false => scope.evaluate_text(written).unwrap_or_else(|_| written.clone()),
    }
}
