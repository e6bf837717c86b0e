//! `uixt history`: what earlier runs of a project say of its cases: which are flaky, which slow, and what does not pass any more.

use std::collections::BTreeMap;
use std::path::PathBuf;

use chrono::{DateTime, Local};
use clap::Args;
use serde_json::{Value, json};
use uixt_store::{CaseOutcome, Run, Store};

use crate::cli::data;
use crate::cli::exit::{Done, Exit, Failure, print};
use crate::cli::format::Format;
use crate::cli::run::outcomes::{QUARANTINED, passes};

/// How many cases each list has.
const LISTED: usize = 10;
/// How many outcomes of a case are drawn.
const DRAWN: usize = 20;

#[derive(Args)]
pub(in crate::cli) struct History {
    /// The project's folder, or one in it.
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// How many of the newest runs are looked at.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=500))]
    runs: u32,
    /// Only cases whose file or name this regular expression is found in.
    #[arg(long, value_name = "RE")]
    filter: Option<regex::Regex>,
    /// How to print it.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// What is known of a case.
#[derive(Default)]
struct Case {
    id: String,
    name: String,
    /// The oldest first, with the number of the run.
    outcomes: Vec<(i64, String)>,
    /// Milliseconds of those that passed.
    took: Vec<u64>,
    cause: String,
}

impl Case {
    fn take(&mut self, run: i64, outcome: CaseOutcome) {
        if passes(&outcome.outcome) {
            self.took.push(outcome.elapsed);
        } else {
            self.cause = outcome.cause;
        }
        (self.id, self.name) = (outcome.case_id, outcome.name);
        self.outcomes.push((run, outcome.outcome));
    }

    fn last(&self) -> (i64, &str) {
        self.outcomes.last().map_or((0, ""), |(run, outcome)| (*run, outcome))
    }

    /// Returns the share of runs that say something else than the run before, or that needed a retry: 0 where a case always passes or
    /// always fails.
    fn flakiness(&self) -> f64 {
        let changes = self.outcomes.windows(2).filter(|pair| passes(&pair[0].1) != passes(&pair[1].1)).count();
        let flaky = self.outcomes.iter().filter(|(_, outcome)| outcome == "flaky").count();
        let runs = u32::try_from(self.outcomes.len()).unwrap_or(u32::MAX);
        f64::from(u32::try_from(changes + flaky).unwrap_or(u32::MAX)) / f64::from(runs.max(1))
    }

    fn average(&self) -> Option<u64> {
        (!self.took.is_empty()).then(|| self.took.iter().sum::<u64>() / self.took.len() as u64)
    }

    /// Draws the newest outcomes, the oldest first: `.` passed, `F` failed, `E` errored, `~` flaky, `h` healed, `q` did not pass in quarantine.
    fn drawn(&self) -> String {
        let from = self.outcomes.len().saturating_sub(DRAWN);
        let sign = |outcome: &str| match outcome {
            "passed" => '.',
            "flaky" => '~',
            "healed" => 'h',
            "failed" => 'F',
            QUARANTINED => 'q',
            _ => 'E',
        };
        self.outcomes[from..].iter().map(|(_, outcome)| sign(outcome)).collect()
    }

    fn last_pass(&self) -> Option<i64> {
        let passed = |(run, outcome): &(i64, String)| passes(outcome).then_some(*run);
        self.outcomes.iter().rev().find_map(passed)
    }
}

impl History {
    pub(in crate::cli) fn run(self) -> Done {
        if !self.folder.is_dir() {
            return Err(Failure::usage(format!("{} is not a folder: name a project's", self.folder.display())));
        }
        let file = data::file_of(&self.folder)?;
        if !file.is_file() {
            return Ok(unknown());
        }
        let store = Store::open(&file).map_err(Failure::errored)?;
        let runs: BTreeMap<i64, Run> = store.history().runs(self.runs).map_err(Failure::errored)?.into_iter().collect();
        let Some(oldest) = runs.keys().next() else { return Ok(unknown()) };
        let mut cases: BTreeMap<String, Case> = BTreeMap::new();
        let wanted = |outcome: &CaseOutcome| {
            self.filter
                .as_ref()
                .is_none_or(|filter| filter.is_match(&outcome.case_id) || filter.is_match(&outcome.name))
        };
        let mut take = |run: i64, outcome: CaseOutcome| {
            if wanted(&outcome) {
                cases.entry(outcome.case_id.clone()).or_default().take(run, outcome);
            }
        };
        store.history().outcomes(*oldest, &mut take).map_err(Failure::errored)?;
        let told = Told { runs, cases: cases.into_values().collect() };
        match self.format {
            Format::Table => print(told.table().trim_end()),
            Format::Json => print(&serde_json::to_string_pretty(&told.json()).unwrap_or_default()),
        }
    }
}

fn unknown() -> Exit {
    eprintln!("there is no run of this project yet: `uixt run` keeps runs of folders with a uixt.yaml");
    Exit::Passed
}

/// What is told.
struct Told {
    runs: BTreeMap<i64, Run>,
    cases: Vec<Case>,
}

impl Told {
    fn flakiest(&self) -> Vec<&Case> {
        let mut cases: Vec<&Case> = self.cases.iter().filter(|case| case.flakiness() > 0.0).collect();
        cases.sort_by(|a, b| b.flakiness().total_cmp(&a.flakiness()));
        cases.truncate(LISTED);
        cases
    }

    fn slowest(&self) -> Vec<&Case> {
        let mut cases: Vec<&Case> = self.cases.iter().filter(|case| case.average().is_some()).collect();
        cases.sort_by_key(|case| std::cmp::Reverse(case.average()));
        cases.truncate(LISTED);
        cases
    }

    /// Returns the cases that did not pass when they ran last.
    fn broken(&self) -> Vec<&Case> {
        self.cases.iter().filter(|case| matches!(case.last().1, "failed" | "errored" | QUARANTINED)).collect()
    }

    fn table(&self) -> String {
        let green = self.runs.values().filter(|run| matches!(run.outcome.as_str(), "passed" | "healed")).count();
        let first = self.runs.values().next().map(|run| time(run.at)).unwrap_or_default();
        let mut text = format!("{} runs since {first}; in {green} of them everything passed\n", self.runs.len());
        section(&mut text, "Not passing", &self.broken(), |case| {
            let since = match case.last_pass().and_then(|run| self.runs.get(&run)) {
                Some(run) => format!("passed last on {} ({})", time(run.at), run.folder),
                None => "has not passed in these runs".to_owned(),
            };
            let in_quarantine = if case.last().1 == QUARANTINED { "in quarantine; " } else { "" };
            format!("{}\n    {in_quarantine}{since}", one_line(&case.cause))
        });
        section(&mut text, "Flaky", &self.flakiest(), |case| {
            format!("{:.0} % of {} runs  {}", case.flakiness() * 100.0, case.outcomes.len(), case.drawn())
        });
        section(&mut text, "Slowest", &self.slowest(), |case| {
            format!(
                "{:.1} s on average",
                case.average().map_or(0.0, |took| std::time::Duration::from_millis(took).as_secs_f64())
            )
        });
        text
    }

    fn json(&self) -> Value {
        let run = |(id, run): (&i64, &Run)| {
            let partial = run.is_partial;
            json!({"run": id, "at": moment(run.at).to_rfc3339(), "folder": run.folder, "outcome": run.outcome, "elapsed_ms": run.elapsed, "partial": partial})
        };
        let case = |case: &Case| {
            let outcomes: Vec<Value> =
                case.outcomes.iter().map(|(run, outcome)| json!({"run": run, "outcome": outcome})).collect();
            json!({"id": case.id, "name": case.name, "outcomes": outcomes, "flakiness": case.flakiness(), "average_ms": case.average(), "cause": case.cause})
        };
        json!({"runs": self.runs.iter().map(run).collect::<Vec<_>>(), "cases": self.cases.iter().map(case).collect::<Vec<_>>()})
    }
}

fn section(text: &mut String, title: &str, cases: &[&Case], tell: impl Fn(&Case) -> String) {
    if cases.is_empty() {
        return;
    }
    text.push_str(&format!("\n{title}\n"));
    for case in cases {
        let file = case.id.strip_suffix("#0").unwrap_or(&case.id);
        text.push_str(&format!("  {} ({file})\n    {}\n", one_line(&case.name), tell(case)));
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn moment(at: i64) -> DateTime<Local> {
    DateTime::from_timestamp_millis(at).unwrap_or_default().with_timezone(&Local)
}

fn time(at: i64) -> String {
    moment(at).format("%Y-%m-%d %H:%M").to_string()
}
