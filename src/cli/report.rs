//! `uixt report`: reports anew from what a run left, or one report of several runs.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::{Args, ValueEnum};

use super::exit::{Done, Exit, Failure, print};
use crate::report::{self, Github, Options, merge, summary_line};
use crate::result::{CaseResult, RunResult};
use crate::runner::journal::{self, Reader};

#[derive(Args)]
pub(super) struct Report {
    /// Report folders of runs, or folders that hold such.
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Folder for the report of several runs.
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    reports: Reports,
}

/// What reports are to be like.
#[derive(Args)]
pub(super) struct Reports {
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
    pub(super) fn options(&self) -> Options {
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
        Github { annotations: is_there || self == Self::Github, summary: summary.map(PathBuf::from) }
    }
}

/// Returns a variable of the environment that says something.
fn set(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

impl Report {
    pub(super) fn run(self) -> Done {
        let options = self.reports.options();
        let runs = runs(&self.folders);
        let folder = match (&self.folders[..], &self.output) {
            (_, Some(output)) => output,
            ([folder], None) => folder,
            _ => return Err(Failure::usage("several runs need a folder for their report: --output DIR")),
        };
        let run = match &runs[..] {
            [only] if only == folder => rebuild(only, &options)?,
            runs => merged(runs, folder, &options)?,
        };
        print(&summary_line(&run))?;
        for path in paths(folder, &options) {
            print(&format!("  {}", path.display()))?;
        }
        Ok(Exit::of(run.outcome))
    }
}

/// Returns the reports' paths, the one for people first.
pub(super) fn paths(folder: &Path, options: &Options) -> Vec<PathBuf> {
    let wanted = report::FORMATS.iter().rev().filter(|format| format.is_wanted(options));
    wanted.filter_map(|format| format.path(folder, options)).collect()
}

/// Writes every report of a folder from its journal.
pub(super) fn rebuild(folder: &Path, options: &Options) -> Result<RunResult, Failure> {
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

/// Writes one report of several runs, which are read one after the other.
fn merged(folders: &[PathBuf], output: &Path, options: &Options) -> Result<RunResult, Failure> {
    let runs: Vec<RunResult> =
        folders.iter().map(|folder| journal::summary(folder)).collect::<Result<_, _>>().map_err(unreadable)?;
    report::shards::check(&runs)
        .map_err(|error| Failure::usage(format!("{error}\n  = name the report folders of all parts of one run")))?;
    let run = merge::merged(&runs).ok_or_else(|| Failure::usage("no runs to merge"))?;
    fs::create_dir_all(output)
        .map_err(|error| Failure::errored(format!("cannot make {}: {error}", output.display())))?;
    let known = Rc::new(RefCell::new(HashSet::new()));
    let mut cases = (1..).zip(folders).flat_map(|(number, folder)| {
        adopted(folder, number, output, &known).unwrap_or_else(|error| Box::new(std::iter::once(Err(error))))
    });
    report::write_all(output, &run, &mut cases, options).map_err(Failure::errored)?;
    Ok(run)
}

/// Reads the cases of the run `number` as those of the merged report, whose folder then has their pictures.
fn adopted(
    folder: &Path,
    number: usize,
    output: &Path,
    known: &Rc<RefCell<HashSet<String>>>,
) -> io::Result<Box<dyn Iterator<Item = io::Result<CaseResult>>>> {
    let pictures = if let Some(path) = inside(folder, output) {
        path
    } else {
        let name = format!("run{number}");
        let told = |error| io::Error::other(format!("cannot copy the pictures of {}: {error}", folder.display()));
        link_pictures(folder, &output.join(&name)).map_err(told)?;
        name
    };
    let name =
        folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned());
    let known = Rc::clone(known);
    let adopt = move |mut case: CaseResult| {
        let is_new = known.borrow_mut().insert(case.id.clone());
        merge::adopt(&mut case, number, &pictures, (!is_new).then_some(name.as_str()));
        case
    };
    Ok(Box::new(cases(folder).map_err(io::Error::other)?.map(move |case| case.map(&adopt))))
}

/// Returns the way to a folder that is below the merged report's, whose pictures can be shown where they are.
fn inside(folder: &Path, output: &Path) -> Option<String> {
    let (folder, output) = (folder.canonicalize().ok()?, output.canonicalize().ok()?);
    let names: Option<Vec<&str>> = folder.strip_prefix(output).ok()?.iter().map(|name| name.to_str()).collect();
    names.map(|names| names.join("/")).filter(|path| !path.is_empty())
}

fn cases(folder: &Path) -> Result<impl Iterator<Item = io::Result<CaseResult>> + use<>, journal::Error> {
    Ok(Reader::open(folder)?.map(|case| case.map_err(io::Error::other)))
}

fn unreadable(error: journal::Error) -> Failure {
    Failure::usage(error)
}

fn link_pictures(from: &Path, to: &Path) -> io::Result<()> {
    let pictures = from.join(journal::SCREENSHOTS);
    if !pictures.is_dir() {
        return Ok(());
    }
    let to = to.join(journal::SCREENSHOTS);
    fs::create_dir_all(&to)?;
    for entry in fs::read_dir(pictures)? {
        let entry = entry?;
        if let Some(name) = entry.file_name().to_str().filter(|_| entry.file_type().is_ok_and(|kind| kind.is_file())) {
            report::link(&entry.path(), &to, name)?;
        }
    }
    Ok(())
}
