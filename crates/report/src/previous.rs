//! The run that a page compares with: where it is, and how its cases ended.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::Deserialize;

use crate::result::{Outcome, RunResult};

/// Name of the file that tells how the cases of a run ended.
const FILE: &str = "summary.json";
/// Name of the folder whose folders are runs that follow each other.
const RESULTS: &str = "results";

/// An earlier run, as far as a later one is held against it.
pub(super) struct Previous {
    pub(super) at: DateTime<Utc>,
    pub(super) path: PathBuf,
    cases: HashMap<String, Past>,
}

/// How a case ended.
#[derive(Clone, Copy)]
pub(super) struct Past {
    pub(super) outcome: Outcome,
    pub(super) elapsed_ms: u64,
}

#[derive(Deserialize)]
struct Head {
    at: DateTime<Utc>,
}

#[derive(Deserialize)]
struct Summary {
    at: DateTime<Utc>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    outcome: Outcome,
    elapsed_ms: u64,
}

impl Previous {
    /// Reads the run that was named, or else the one before `run` beside the folder `dir`; none where there is none.
    ///
    /// Returns an error where a run that was named cannot be read.
    pub(super) fn find(dir: &Path, run: &RunResult, named: Option<&Path>) -> io::Result<Option<Self>> {
        match named {
            Some(named) => {
                let path = if named.is_dir() { named.join(FILE) } else { named.to_owned() };
                let told = |error| io::Error::other(format!("cannot compare with {}: {error}", path.display()));
                Self::read(&path).map(Some).map_err(told)
            }
            None => Ok(before(dir, run).and_then(|path| Self::read(&path).ok())),
        }
    }

    fn read(path: &Path) -> io::Result<Self> {
        let Summary { at, cases } = serde_json::from_reader(BufReader::new(File::open(path)?))?;
        let past = |case: Case| (case.id, Past { outcome: case.outcome, elapsed_ms: case.elapsed_ms });
        Ok(Self { at, path: path.to_owned(), cases: cases.into_iter().map(past).collect() })
    }

    /// Returns how a case ended, once: what was never asked for is missing in the later run.
    pub(super) fn take(&mut self, id: &str) -> Option<Past> {
        self.cases.remove(id)
    }

    /// Returns how many cases were not asked for.
    pub(super) fn left(&self) -> usize {
        self.cases.len()
    }
}

/// Finds the newest run that began before this one, among the folders beside it.
fn before(dir: &Path, run: &RunResult) -> Option<PathBuf> {
    let dir = dir.canonicalize().ok()?;
    let results = dir.parent().filter(|parent| parent.ends_with(RESULTS))?;
    let others = fs::read_dir(results).ok()?.flatten().map(|entry| entry.path()).filter(|path| *path != dir);
    let begun = others.filter_map(|path| Some((begun(&path.join(FILE))?, path.join(FILE))));
    begun.filter(|(at, _)| *at < run.at).max().map(|(_, path)| path)
}

/// Reads of a summary when its run began; its first line holds everything but the cases.
fn begun(path: &Path) -> Option<DateTime<Utc>> {
    let mut line = String::new();
    BufReader::new(File::open(path).ok()?).read_line(&mut line).ok()?;
    let head = format!("{}}}", line.trim_end().strip_suffix(',')?);
    serde_json::from_str(&head).ok().map(|head: Head| head.at)
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::super::{Options, json, sample};
    use super::*;

    fn write(dir: &Path, hours: i64) -> RunResult {
        let (mut run, cases) = sample::run();
        run.at += TimeDelta::hours(hours);
        fs::create_dir_all(dir).unwrap();
        let mut report = json::open(dir, &run, &Options::default()).unwrap();
        cases.iter().for_each(|case| report.case(case).unwrap());
        report.finish().unwrap();
        run
    }

    #[test]
    fn the_run_before_is_found_among_its_neighbours() {
        let dir = tempfile::tempdir().unwrap();
        let results = dir.path().join(RESULTS);
        write(&results.join("a"), 3);
        write(&results.join("b"), 1);
        write(&results.join("c"), 9);
        fs::create_dir(results.join("empty")).unwrap();
        let run = write(&results.join("d"), 5);
        let mut found = Previous::find(&results.join("d"), &run, None).unwrap().unwrap();
        assert!(found.path.ends_with("a/summary.json"), "{:?}", found.path);
        let (_, cases) = sample::run();
        assert_eq!(found.take(&cases[1].id).unwrap().outcome, cases[1].outcome);
        assert_eq!(found.left(), cases.len() - 1);
        let run = write(&dir.path().join("elsewhere"), 20);
        write(&dir.path().join("neighbour"), 10);
        assert!(Previous::find(&dir.path().join("elsewhere"), &run, None).unwrap().is_none());
    }

    #[test]
    fn a_run_that_was_named_must_be_there() {
        let dir = tempfile::tempdir().unwrap();
        let run = write(&dir.path().join("a"), 0);
        assert!(Previous::find(dir.path(), &run, Some(&dir.path().join("a"))).unwrap().is_some());
        assert!(Previous::find(dir.path(), &run, Some(&dir.path().join("a/summary.json"))).unwrap().is_some());
        let error = Previous::find(dir.path(), &run, Some(&dir.path().join("b"))).err().unwrap();
        assert!(error.to_string().starts_with("cannot compare with "), "{error}");
    }
}
