//! A testcase file → its cases: itself, or one for each row of its parameters, which are taken one by one.

use std::io;

use super::case::Case;
use super::context::{Run, StepContext, Stop, failure};
use super::{Means, Options, Planned, Sink, ended_early, evaluation, naming};
use crate::result::{Failure, Outcome};
use crate::testcase::{Parameters, Rows, Scope};
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
            Some(Ok(rows)) => Rows::count(&rows).max(1),
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
        let (count, mut outcome, mut number) = (Rows::count(&rows), Outcome::Skipped, 0);
        for row in rows {
            if let Some(reason) = ended_early(self.options, before.max(outcome), self.stop) {
                let left = count.saturating_sub(number).max(1);
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
            number += 1;
        }
        if number == 0 {
            self.case(0, String::new(), self.scope()).skip("its parameters have no row")?;
        }
        Ok(outcome)
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
