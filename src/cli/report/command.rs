//! `uixt report`: reports anew from what a run left, one report of several runs, or the traces of one.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::merging;
use super::trace::Trace;
use crate::cli::exit::{Done, Exit, Failure, print};
use crate::report::{self, Github, Options, summary_line};
use crate::result::{CaseResult, RunResult};
use crate::runner::journal::{self, Reader};

#[derive(Args)]
pub(in crate::cli) struct Report {
    /// Report folders of runs, or folders that hold such.
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Folder for the report of several runs. With --trace: where to write, a file whose name ends with .zip, for one case, or a
    /// folder; `traces` in the report folder by default.
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Write the cases of a run as traces for Playwright's trace viewer, and no reports.
    #[arg(long, conflicts_with_all = ["self_contained", "save_tests", "gen_html_report", "allure", "ctrf", "ci", "compare"])]
    trace: bool,
    /// With --trace: only this case, by its id, such as 'login.yaml#0'; given again, these.
    #[arg(long, value_name = "ID", requires = "trace")]
    case: Vec<String>,
    #[command(flatten)]
    reports: Reports,
}

/// What reports are to be like.
#[derive(Args)]
pub(in crate::cli) struct Reports {
    /// Puts pictures inside report.html, so that it is one file.
    #[arg(long)]
    self_contained: bool,
    /// Also writes `hrp_summary.json`, in the fields of HttpRunner.
    #[arg(short, long, alias = "hrp-summary")]
    save_tests: bool,
    /// Accepted for HttpRunner's sake: report.html is always written.
    #[arg(short, long)]
    gen_html_report: bool,
    /// Also writes results that Allure reads, into this folder.
    #[arg(long, value_name = "DIR")]
    allure: Option<PathBuf>,
    /// Also writes this file in the Common Test Report Format.
    #[arg(long, value_name = "FILE")]
    ctrf: Option<PathBuf>,
    /// Which CI server is told of failures: the one that sets its variables, none, or this one.
    #[arg(long, value_enum, default_value = "auto", value_name = "SERVER")]
    ci: Ci,
    /// The run that report.html compares with, as its folder or its summary.json; by default the one before it in `results/`.
    #[arg(long, value_name = "DIR|FILE")]
    compare: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Ci {
    Auto,
    None,
    Github,
    Teamcity,
}

impl Reports {
    pub(in crate::cli) fn options(&self) -> Options {
        Options {
            self_contained: self.self_contained,
            hrp_summary: self.save_tests,
            allure: self.allure.clone(),
            ctrf: self.ctrf.clone(),
            github: self.ci.github(),
            teamcity: self.ci == Ci::Teamcity || (self.ci == Ci::Auto && set("TEAMCITY_VERSION").is_some()),
            compare: self.compare.clone(),
            trend: Vec::new(),
        }
    }
}

impl Ci {
    fn github(self) -> Github {
        let is_there = self == Self::Auto && set("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        let summary = set("GITHUB_STEP_SUMMARY").filter(|_| matches!(self, Self::Auto | Self::Github));
        let (here, root) = (std::env::current_dir().unwrap_or_default(), set("GITHUB_WORKSPACE").map(PathBuf::from));
        let folder = root.and_then(|root| here.strip_prefix(root.canonicalize().ok()?).ok().map(Path::to_owned));
        Github {
            annotations: is_there || self == Self::Github,
            summary: summary.map(PathBuf::from),
            folder: folder.unwrap_or_default(),
        }
    }
}

/// Returns a variable of the environment that says something.
fn set(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

impl Report {
    pub(in crate::cli) fn run(self) -> Done {
        if self.trace { self.traces() } else { self.reports() }
    }

    fn traces(self) -> Done {
        let Ok([folder]) = <[PathBuf; 1]>::try_from(self.folders) else {
            return Err(Failure::usage("--trace takes the report folder of one run"));
        };
        Trace { folder, output: self.output, case: self.case }.run()
    }

    fn reports(self) -> Done {
        let options = self.reports.options();
        let runs = runs(&self.folders);
        let folder = match (&self.folders[..], &self.output) {
            (_, Some(output)) => output,
            ([folder], None) => folder,
            _ => return Err(Failure::usage("several runs need a folder for their report: --output DIR")),
        };
        let run = match &runs[..] {
            [only] if only == folder => rebuild(only, &options)?,
            runs => merging::merged(runs, folder, &options)?,
        };
        print(&summary_line(&run))?;
        for path in paths(folder, &options) {
            print(&format!("  {}", path.display()))?;
        }
        Ok(Exit::of(run.outcome))
    }
}

/// Returns the reports' paths, the one for people first.
pub(in crate::cli) fn paths(folder: &Path, options: &Options) -> Vec<PathBuf> {
    let wanted = report::FORMATS.iter().rev().filter(|format| format.is_wanted(options));
    wanted.filter_map(|format| format.path(folder, options)).collect()
}

/// Writes every report of a folder from its journal.
pub(in crate::cli) fn rebuild(folder: &Path, options: &Options) -> Result<RunResult, Failure> {
    let run = journal::summary(folder).map_err(unreadable)?;
    let mut cases = cases(folder).map_err(unreadable)?;
    report::write_all(folder, &run, &mut cases, options).map_err(Failure::errored)?;
    Ok(run)
}

/// Returns the folders that hold a journal: those that were named, or else those below them.
fn runs(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in folders {
        let before = found.len();
        push_runs(folder, &mut found);
        if found.len() == before {
            // Reading it says what is missing.
            found.push(folder.clone());
        }
    }
    found
}

fn push_runs(folder: &Path, found: &mut Vec<PathBuf>) {
    if folder.join(journal::FILE).is_file() {
        return found.push(folder.to_owned());
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut below: Vec<PathBuf> =
        entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()).collect();
    below.sort();
    below.iter().for_each(|folder| push_runs(folder, found));
}

/// Reads the cases of a run.
pub(super) fn cases(folder: &Path) -> Result<impl Iterator<Item = io::Result<CaseResult>> + use<>, journal::Error> {
    Ok(Reader::open(folder)?.map(|case| case.map_err(io::Error::other)))
}

pub(super) fn unreadable(error: journal::Error) -> Failure {
    Failure::usage(error)
}
