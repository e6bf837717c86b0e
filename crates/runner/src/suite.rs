//! A testcase file → its cases: itself, or one for each row of its parameters, which are taken one by one.

use std::io;

use regex::Regex;
use serde_json::{Map, Value};

use super::case::Case;
use super::context::{Run, StepContext, Stop, failure};
use super::{Means, Options, Planned, Sink, ended_early, evaluation, naming};
use crate::result::{Failure, Outcome};
use crate::testcase::{Overrides, Parameters, Rows, Scope, TestCase};
use crate::tools::Kind;

/// A file and how to run it.
#[derive(Clone, Copy)]
pub(super) struct Suite<'a> {
    pub(super) planned: &'a Planned,
    pub(super) options: &'a Options,
    pub(super) sink: &'a Sink,
    pub(super) stop: &'a Stop<'a>,
}

impl<'a> Suite<'a> {
    /// Returns how many cases the results will have of it.
    pub(super) fn count(&self) -> u64 {
        // Rows that a slow function makes are counted when they are made.
        let scope = self.scope();
        let rows = self.parameters().filter(|_| !scope.may_block()).map(|parameters| parameters.rows(&scope));
        match rows {
            Some(Ok(rows)) => match self.options.filter {
                Some(_) => (rows.filter(|row| self.selects(row.as_ref().ok())).count() as u64).max(1),
                None => Rows::count(&rows).max(1),
            },
            _ => 1,
        }
    }

    /// Returns the parameters, where their rows are run.
    fn parameters(&self) -> Option<&'a Parameters> {
        let runs = matches!(self.planned.means, Means::Calls(_));
        self.planned.case.config.parameters.as_ref().filter(|_| runs)
    }

    /// Reports the whole file as not run.
    pub(super) fn skip(&self, reason: &str) -> io::Result<()> {
        let count = self.count();
        let label = if count > 1 { format!(" [{count} rows]") } else { String::new() };
        self.case(0, label, self.scope()).skip(reason)
    }

    /// Runs the cases; `before` is how the run's earlier ones ended.
    pub(super) async fn run(&self, before: Outcome) -> io::Result<Outcome> {
        let Some(parameters) = self.parameters() else {
            return self.case(0, String::new(), self.scope()).run().await;
        };
        match self.rows(parameters).await {
            Ok(rows) => self.run_rows(rows, before).await,
            Err(failure) => self.case(0, String::new(), self.scope()).refuse(failure),
        }
    }

    async fn rows(&self, parameters: &Parameters) -> Result<Rows, Failure> {
        let Means::Calls(caller) = &self.planned.means else {
            return Err(failure(Kind::Unsupported, "there is nothing to run the rows with"));
        };
        let run = Run::new(self.planned, String::new(), (self.options, self.sink, self.stop), caller());
        let cx = &StepContext::of(&run, None);
        let rows = evaluation::rows(cx, &self.scope(), parameters).await;
        rows.map_err(|problem| self.broken(&problem))
    }

    async fn run_rows(&self, rows: Rows, before: Outcome) -> io::Result<Outcome> {
        let (mut left, mut outcome) = (Rows::count(&rows), Outcome::Skipped);
        if self.options.filter.is_some() {
            left = self.count();
        }
        let mut some = false;
        let rows = (0..).zip(rows).filter(|(_, row)| self.selects(row.as_ref().ok()));
        for (number, row) in rows {
            some = true;
            if let Some(reason) = ended_early(self.options, before.max(outcome), self.stop) {
                let left = left.max(1);
                let label = format!(" [{left} row{} from {} on]", if left == 1 { "" } else { "s" }, number + 1);
                self.case(number, label, self.scope()).skip(reason)?;
                return Ok(outcome);
            }
            let one = match row {
                Ok(row) => {
                    let label = naming::row_name(&row);
                    self.case(number, label, self.scope().with_row(row)).run().await?
                }
                Err(error) => {
                    let failure = self.broken(&error.into());
                    return self.case(number, String::new(), self.scope()).refuse(failure);
                }
            };
            outcome = outcome.max(one);
            left = left.saturating_sub(1);
        }
        if !some {
            let reason = match self.options.filter {
                Some(_) => "its parameters have no row that is selected",
                None => "its parameters have no row",
            };
            self.case(0, String::new(), self.scope()).skip(reason)?;
        }
        Ok(outcome)
    }

    /// Tells whether a row is run; one that cannot be made is.
    fn selects(&self, row: Option<&Map<String, Value>>) -> bool {
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

    fn case(&self, number: u64, label: String, scope: Scope) -> Case<'a> {
        let id = format!("{}#{number}", self.planned.id);
        Case { planned: self.planned, options: self.options, sink: self.sink, stop: self.stop, id, label, scope }
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

fn selects_row(case: &TestCase, scope: &Scope, row: &Map<String, Value>, filter: &Regex) -> bool {
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
