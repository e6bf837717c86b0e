//! `uixt run --failed`: an earlier run → the cases that it did not see pass.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::exit::Failure;
use crate::result::{Outcome, RunResult};
use crate::runner::journal::{self, Reader};
use crate::runner::{RerunSelection, case_id};

/// The folder that runs write into where nothing else is said.
const RESULTS: &str = "results";

/// What is to be run again.
pub(super) struct Failed {
    /// The testcases to load.
    pub(in crate::cli) paths: Vec<PathBuf>,
    pub(super) only: RerunSelection,
    /// What chance began with in that run.
    pub(super) seed: Option<u64>,
}

impl Failed {
    /// Reads the run whose folder is among `paths`, or else the newest one; the other paths say where to look for its cases.
    /// Cases that were flaky did not pass where `with_flaky` says so.
    pub(in crate::cli) fn of(paths: &[PathBuf], with_flaky: bool) -> Result<Self, Failure> {
        let (folders, mut paths): (Vec<PathBuf>, Vec<PathBuf>) =
            paths.iter().cloned().partition(|path| holds_run(path));
        if let Some(merged) = paths.iter().find(|path| path.join("summary.json").is_file()) {
            return Err(Failure::usage(format!(
                "--failed: {} is a report of several runs\n  = name the folder of one of them, the one that holds its journal.jsonl",
                merged.display()
            )));
        }
        if let Some(missing) = paths.iter().find(|path| folders.is_empty() && !path.exists()) {
            return Err(Failure::usage(format!(
                "--failed: there is no {}\n  = name the folder of an earlier run, or none for the newest in {RESULTS}/",
                missing.display()
            )));
        }
        let folder = match &folders[..] {
            [] => newest()?,
            [one] => one.clone(),
            [_, second, ..] => {
                return Err(Failure::usage(format!("--failed: {} is a second run: name one", second.display())));
            }
        };
        let (only, flaky, of_run) = read(&folder, with_flaky)?;
        let hint = if flaky > 0 { without(flaky) } else { String::new() };
        if only.failed.is_empty() && only.begun.is_empty() && !only.rest {
            let folder = folder.display();
            return Err(Failure::usage(format!("--failed: every case of {folder} passed or was skipped{hint}")));
        }
        if !hint.is_empty() {
            eprintln!("--failed{hint}");
        }
        if paths.is_empty() {
            paths = of_run.paths.into_iter().map(PathBuf::from).collect();
        }
        Ok(Self { paths, only, seed: of_run.seed })
    }
}

fn holds_run(path: &Path) -> bool {
    path.join(journal::FILE).is_file()
}

/// Finds the newest run: its name tells its time.
fn newest() -> Result<PathBuf, Failure> {
    let entries = fs::read_dir(RESULTS).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let mut runs: Vec<PathBuf> = entries.unwrap_or_default();
    runs.retain(|path| holds_run(path));
    let written = |path: &PathBuf| fs::metadata(path.join(journal::FILE)).and_then(|file| file.modified()).ok();
    runs.into_iter().max_by_key(written).ok_or_else(|| {
        Failure::usage("--failed: there is no earlier run in results/\n  = name its folder: uixt run --failed DIR")
    })
}

/// Says that flaky cases are left out, and how to have them run.
fn without(flaky: usize) -> String {
    let are = if flaky == 1 { "case, which is" } else { "cases, which are" };
    format!(": {flaky} flaky {are} not run again\n  = give --fail-on-flaky as well to run what was flaky")
}

/// Says on standard error which cases of a run were flaky, where that fails it.
pub(super) fn tell_flaky(folder: &Path) {
    let Ok(reader) = Reader::open(folder) else { return };
    let flaky = reader.filter_map(Result::ok).filter(|case| case.outcome == Outcome::Flaky);
    let named: Vec<String> = flaky.map(|case| format!("{} ({})", case.name, case.file)).collect();
    let cases = if named.len() == 1 { "case" } else { "cases" };
    let (count, named) = (named.len(), named.join(", "));
    eprintln!("{count} flaky {cases}, which --fail-on-flaky counts as failed: {named}");
}

/// Returns what a run did not see pass, how many flaky cases are left out, and what it was.
fn read(folder: &Path, with_flaky: bool) -> Result<(RerunSelection, usize, RunResult), Failure> {
    let mut flaky = HashSet::new();
    let mut only = RerunSelection::default();
    let mut reader = Reader::open(folder).map_err(Failure::usage)?;
    for case in &mut reader {
        let case = case.map_err(Failure::usage)?;
        // Whichever of several runs of a case it was, and on whichever device.
        let Some((planned, row)) = case_id::parts(&case.id) else { continue };
        let id = format!("{planned}#{row}");
        let was_not_run = case.error.as_ref().is_some_and(|error| error.message.starts_with("not run: "));
        match case.outcome {
            Outcome::Failed | Outcome::Errored => _ = only.failed.insert(id),
            Outcome::Flaky if with_flaky => _ = only.failed.insert(id),
            Outcome::Skipped if was_not_run => _ = only.begun.insert(planned.to_owned()),
            outcome => {
                if outcome == Outcome::Flaky {
                    flaky.insert(id.clone());
                }
                only.done.insert(id);
            }
        }
    }
    flaky.retain(|id| !only.failed.contains(id));
    // What failed once is run again, however often it passed.
    only.done.retain(|id| !only.failed.contains(id));
    let run = reader.run(crate::result::Totals::default(), Outcome::Passed);
    only.rest = !reader.has_ended();
    Ok((only, flaky.len(), run))
}
