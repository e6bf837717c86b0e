//! Turns results into reports: `JUnit` for CI, JSON for programs, HTML for people, and lines in the terminal.
//!
//! Knows `result` only, never how a run came about. Every report is written case by case to a temporary name and renamed
//! when it is whole, so memory does not grow with the run and no half report is ever left behind.

use uixt_core::result;

mod allure;
mod atomic_file;
mod cause;
mod ci;
mod comparison;
mod ctrf;
pub mod dashboard;
mod evidence;
mod failure_text;
mod github;
mod html;
mod httprunner;
mod identity;
mod json;
mod junit;
mod link;
pub mod merge;
mod picture;
mod previous;
mod ref_statistics;
#[cfg(test)]
mod sample;
pub mod shards;
mod spool;
mod teamcity;
pub mod terminal;
pub mod tool_calls;
pub mod trace;
mod wording;

use std::io;
use std::path::{Path, PathBuf};

use crate::result::{CaseResult, RunResult};

pub use atomic_file::AtomicFile;
pub use github::Github;
pub use html::{FILE as HTML, PastRun};
pub use link::link;
pub use terminal::{Terminal, summary_line};
pub use wording::suggestions;

/// A view of a run that is written while its cases pass by.
pub trait Report {
    /// Adds a case; cases come in the order in which they finished.
    fn case(&mut self, case: &CaseResult) -> io::Result<()>;

    /// Writes what follows the last case and gives the file its name.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// What the caller may choose about the reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether pictures are embedded, so that the HTML report is one file.
    pub self_contained: bool,
    /// Whether a summary in the fields of HttpRunner is written, too.
    pub hrp_summary: bool,
    /// Folder for results that Allure reads.
    pub allure: Option<PathBuf>,
    /// File for results in the Common Test Report Format.
    pub ctrf: Option<PathBuf>,
    /// What GitHub Actions is told.
    pub github: Github,
    /// Whether `TeamCity` is told, on standard output.
    pub teamcity: bool,
    /// The run that the page compares with, as its folder or its `summary.json`; otherwise the one before it in `results/`.
    pub compare: Option<PathBuf>,
    /// Earlier runs of the project, the oldest first.
    pub trend: Vec<PastRun>,
}

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read the results: {0}")]
    Read(#[source] io::Error),
}

/// One kind of report.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Name of the file in the report folder, or what a report elsewhere is called.
    pub file: &'static str,
    place: Place,
    open: fn(&Path, &RunResult, &Options) -> io::Result<Box<dyn Report>>,
    wanted: fn(&Options) -> bool,
}

/// Where a kind of report is written.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// In the report folder.
    Folder,
    /// Where the options say.
    Named(fn(&Options) -> Option<&PathBuf>),
    /// To the CI server that the run is a job of.
    Server,
}

impl Format {
    /// Tells whether the report is among those that the options ask for.
    pub fn is_wanted(&self, options: &Options) -> bool {
        (self.wanted)(options)
    }

    /// Begins the report in the folder `dir`; the run's totals are known before its cases.
    pub fn open(&self, dir: &Path, run: &RunResult, options: &Options) -> io::Result<Box<dyn Report>> {
        (self.open)(dir, run, options)
    }

    /// Returns where the report is, where that is a file or folder of its own.
    pub fn path(&self, dir: &Path, options: &Options) -> Option<PathBuf> {
        match self.place {
            Place::Folder => Some(dir.join(self.file)),
            Place::Named(named) => named(options).cloned(),
            Place::Server => None,
        }
    }
}

/// Every kind of report, a row each; the last is the one for people, which is named first where they are listed.
pub const FORMATS: &[Format] = &[
    Format { file: "##teamcity", place: Place::Server, open: teamcity::open, wanted: |options| options.teamcity },
    Format {
        file: "GITHUB_STEP_SUMMARY",
        place: Place::Server,
        open: github::open,
        wanted: |options| options.github.is_told(),
    },
    Format {
        file: "ctrf.json",
        place: Place::Named(|options| options.ctrf.as_ref()),
        open: ctrf::open,
        wanted: |options| options.ctrf.is_some(),
    },
    Format {
        file: "allure-results",
        place: Place::Named(|options| options.allure.as_ref()),
        open: allure::open,
        wanted: |options| options.allure.is_some(),
    },
    Format {
        file: httprunner::FILE,
        place: Place::Folder,
        open: httprunner::open,
        wanted: |options| options.hrp_summary,
    },
    Format { file: "summary.json", place: Place::Folder, open: json::open, wanted: |_| true },
    Format { file: "junit.xml", place: Place::Folder, open: junit::open, wanted: |_| true },
    Format { file: HTML, place: Place::Folder, open: html::open, wanted: |_| true },
];

/// Writes every report into the folder `dir`, reading the cases once.
pub fn write_all(
    dir: &Path,
    run: &RunResult,
    cases: &mut dyn Iterator<Item = io::Result<CaseResult>>,
    options: &Options,
) -> Result<(), Error> {
    let failed = |format: &Format| {
        let path = format.path(dir, options).unwrap_or_else(|| PathBuf::from(format.file));
        move |source| Error::Write { path, source }
    };
    let mut reports = Vec::with_capacity(FORMATS.len());
    for format in FORMATS.iter().filter(|format| format.is_wanted(options)) {
        reports.push((format, format.open(dir, run, options).map_err(failed(format))?));
    }
    for (number, case) in (1..).zip(cases) {
        let case = case.map_err(Error::Read)?;
        failure_text::write(dir, &case, number).map_err(|source| Error::Write { path: "failure.md".into(), source })?;
        for (format, report) in &mut reports {
            report.case(&case).map_err(failed(format))?;
        }
    }
    for (format, report) in reports {
        report.finish().map_err(failed(format))?;
    }
    Ok(())
}

/// Says in a line why a case did not pass.
pub fn headline(case: &CaseResult) -> String {
    wording::one_line(&cause::Cause::of(case).headline()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(dir).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn all_reports_are_written_in_one_pass() {
        let dir = tempfile::tempdir().unwrap();
        let (run, cases) = sample::run();
        write_all(dir.path(), &run, &mut cases.into_iter().map(Ok), &Options::default()).unwrap();
        assert_eq!(names(dir.path()), ["evidence", "junit.xml", "report.html", "summary.json"]);
    }

    #[test]
    fn results_that_cannot_be_read_leave_no_half_report() {
        let dir = tempfile::tempdir().unwrap();
        let (run, cases) = sample::run();
        let broken = Err(io::Error::other("torn journal"));
        let mut cases = cases.into_iter().map(Ok).chain([broken]);
        let error = write_all(dir.path(), &run, &mut cases, &Options::default()).unwrap_err();
        assert_eq!(error.to_string(), "cannot read the results: torn journal");
        // What is told of a case that was read whole stays: it is no report of the run.
        assert_eq!(names(dir.path()), ["evidence"]);
    }
}
