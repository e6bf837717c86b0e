//! What a run's cases and its tools' calls came to ↔ the history of their project: kept after the run, asked for durations before it.
//!
//! Only projects have one: a folder that nothing marks as a project leaves nothing behind.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use chrono::DateTime;
use uixt_core::tool_times::{Times, ToolTimes};
use uixt_store::{CaseOutcome, History, Run, Store};

use crate::cli::data;
use crate::report::{self, PastRun, tool_calls};
use crate::result::{CaseResult, Outcome, RunResult, word};
use crate::runner::journal::Reader;
use crate::runner::{self, case_id};
use crate::testcase::{self, TestCase};

/// How the history calls the outcome of a case in quarantine that did not pass.
pub(in crate::cli) const QUARANTINED: &str = "quarantined";
/// How many earlier runs are looked at, of which some are of other testcases.
const LOOKED_AT: u32 = 100;
/// How many earlier runs a report shows.
const SHOWN: usize = 29;

/// The history of the project that a run's testcases belong to.
pub(in crate::cli) struct Outcomes {
    file: PathBuf,
    root: PathBuf,
}

impl Outcomes {
    /// Finds the history of the first testcase's project; none where nothing marks one. It is opened when it is needed.
    pub(in crate::cli) fn of(cases: &[TestCase]) -> Option<Self> {
        let root = absolute(&cases.first()?.project.root);
        testcase::marked_root(&root)?;
        Some(Self { file: data::file(&root)?, root })
    }

    /// Returns how long cases took before, in milliseconds, by their ids in this run.
    pub(super) fn durations(&self, cases: &[TestCase]) -> HashMap<String, u64> {
        let known = Store::open(&self.file).and_then(|store| store.history().durations()).unwrap_or_default();
        let files: HashMap<String, &str> =
            cases.iter().map(|case| (self.key(&case.path), case.file.as_str())).collect();
        let of = |(id, took): (String, u64)| {
            let (file, row) = id.rsplit_once('#')?;
            Some((format!("{}#{row}", files.get(file)?), took))
        };
        known.into_iter().filter_map(of).collect()
    }

    /// Returns the newest whole runs of what the run in a folder ran, the oldest first, as its report names them.
    pub(in crate::cli) fn trend(&self, folder: &Path) -> Vec<PastRun> {
        let Ok(reader) = Reader::open(folder) else { return Vec::new() };
        let own: HashSet<String> = reader.filter_map(Result::ok).map(|case| self.case_id(&case)).collect();
        let known = Store::open(&self.file).and_then(|store| {
            let history = store.history();
            let mut runs = history.runs(LOOKED_AT)?;
            runs.retain(|(_, run)| !run.is_partial);
            let alike = alike(&history, &runs, &own)?;
            runs.retain(|(number, _)| alike.contains(number));
            runs.truncate(SHOWN);
            runs.reverse();
            let from = runs.first().map_or(i64::MAX, |(number, _)| *number);
            Ok((runs, history.counts(from)?))
        });
        let Ok((runs, counts)) = known else { return Vec::new() };
        let own = absolute(folder);
        let of = |(number, run): (i64, Run)| {
            let sum = |is_meant: &dyn Fn(&str) -> bool| {
                counts
                    .iter()
                    .filter(|(of, outcome, _)| *of == number && is_meant(outcome))
                    .map(|(.., count)| count)
                    .sum()
            };
            let is_failed = |outcome: &str| matches!(outcome, "failed" | "errored");
            Some(PastRun {
                at: DateTime::from_timestamp_millis(run.at)?,
                elapsed_ms: run.elapsed,
                passed: sum(&passes),
                failed: sum(&is_failed),
                report: beside(&own, Path::new(&run.folder)),
            })
        };
        runs.into_iter().filter_map(of).collect()
    }

    /// Keeps how the cases of a run ended.
    pub(in crate::cli) fn keep(&self, folder: &Path, run: &RunResult, is_partial: bool) {
        let Ok(reader) = Reader::open(folder) else { return };
        let kept = Run {
            at: run.at.timestamp_millis(),
            folder: absolute(folder).display().to_string(),
            elapsed: run.elapsed_ms,
            outcome: word(run.outcome),
            is_partial: is_partial || run.interrupted,
        };
        let mut times = ToolTimes::default();
        let cases = reader.filter_map(Result::ok).inspect(|case| tool_calls::add(case, &mut times));
        let ran = cases.filter(|case| case.outcome != Outcome::Skipped || is_quarantined(case));
        let mut outcomes = ran.map(|case| self.outcome(&case));
        let added = Store::open(&self.file).and_then(|store| {
            let number = store.history().add(&kept, &mut outcomes)?;
            Ok((store, number))
        });
        drop(outcomes);
        let text = |times: &Times| serde_json::to_string(times).unwrap_or_default();
        let tools: Vec<_> = times.iter().map(|(tool, times)| (tool, text(times))).collect();
        if let Err(error) = added.and_then(|(store, number)| store.history().add_tools(number, &tools)) {
            eprintln!("warning: this run is not in the history: {error}");
        }
    }

    fn outcome(&self, case: &CaseResult) -> CaseOutcome {
        CaseOutcome {
            case_id: self.case_id(case),
            name: case.name.clone(),
            device: case.device.as_ref().map(|device| device.name.clone()).unwrap_or_default(),
            outcome: if is_quarantined(case) { QUARANTINED.to_owned() } else { word(case.outcome) },
            elapsed: case.elapsed_ms,
            cause: if case.outcome >= Outcome::Failed || is_quarantined(case) {
                report::headline(case)
            } else {
                String::new()
            },
        }
    }

    fn case_id(&self, case: &CaseResult) -> String {
        let row = case_id::parts(&case.id).map_or("0", |(_, row)| row);
        format!("{}#{row}", self.key(Path::new(&case.file)))
    }

    /// Returns a file as the history names it: from the project's folder, wherever the run was started.
    fn key(&self, file: &Path) -> String {
        let file = absolute(file);
        let inside = file.strip_prefix(&self.root).unwrap_or(&file);
        inside.display().to_string().replace('\\', "/")
    }
}

/// Returns the numbers of the runs that ran the same cases as this one.
fn alike(history: &History<'_>, runs: &[(i64, Run)], own: &HashSet<String>) -> Result<HashSet<i64>, uixt_store::Error> {
    let Some((from, _)) = runs.last() else { return Ok(HashSet::new()) };
    let mut alike = HashSet::new();
    // The outcomes come run by run.
    let (mut current, mut cases) = (*from, HashSet::new());
    let mut end = |run, cases: &HashSet<String>| _ = is_of_the_same(cases, own).then(|| alike.insert(run));
    history.outcomes(*from, &mut |run, case| {
        if run != current {
            end(current, &cases);
            (current, cases) = (run, HashSet::new());
        }
        cases.insert(case.case_id);
    })?;
    end(current, &cases);
    Ok(alike)
}

/// Tells whether two runs are of the same: more than half of what either ran. One file of many is no run of all, and cases come and go.
fn is_of_the_same(cases: &HashSet<String>, own: &HashSet<String>) -> bool {
    let common = cases.intersection(own).count();
    2 * common > cases.len() + own.len() - common
}

/// Tells whether a case passed, as the history calls its outcome.
pub(in crate::cli) fn passes(outcome: &str) -> bool {
    matches!(outcome, "passed" | "healed" | "flaky")
}

/// Tells whether a case did not pass, which its quarantine keeps from failing the run.
fn is_quarantined(case: &CaseResult) -> bool {
    case.outcome == Outcome::Skipped && case.error.as_ref().is_some_and(|error| error.kind == runner::QUARANTINE)
}

/// Returns the way from one report's folder to another's page, where that is beside it.
fn beside(own: &Path, other: &Path) -> Option<String> {
    let is_beside = own.parent() == other.parent() && other.join(report::HTML).is_file();
    let name = other.file_name().filter(|_| is_beside)?.to_str()?;
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    is_plain.then(|| format!("../{name}/{}", report::HTML))
}

fn absolute(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    absolute.canonicalize().unwrap_or(absolute)
}
