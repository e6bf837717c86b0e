//! `uixt report`: reports anew from what a run left, or one report of several runs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::{Done, Exit, Failure, print};
use crate::report::{self, Options, merge, summary_line};
use crate::result::{CaseResult, RunResult};
use crate::runner::journal::{self, Reader};

#[derive(Args)]
pub(super) struct Report {
    /// Report folders of runs.
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
}

impl Reports {
    pub(super) fn options(&self) -> Options {
        Options { self_contained: self.self_contained, hrp_summary: self.save_tests }
    }
}

impl Report {
    pub(super) fn run(self) -> Done {
        let options = self.reports.options();
        let run = match (&self.folders[..], &self.output) {
            ([folder], None) => rebuild(folder, options)?,
            (_, None) => return Err(Failure::usage("several runs need a folder for their report: --output DIR")),
            (folders, Some(output)) => merged(folders, output, options)?,
        };
        let folder = self.output.as_deref().unwrap_or(&self.folders[0]);
        print(&summary_line(&run))?;
        for path in paths(folder, options) {
            print(&format!("  {}", path.display()))?;
        }
        Ok(Exit::of(run.outcome))
    }
}

/// Returns the reports' paths, the one for people first.
pub(super) fn paths(folder: &Path, options: Options) -> Vec<PathBuf> {
    let wanted = report::FORMATS.iter().rev().filter(|format| format.is_wanted(&options));
    wanted.map(|format| folder.join(format.file)).collect()
}

/// Writes every report of a folder from its journal.
pub(super) fn rebuild(folder: &Path, options: Options) -> Result<RunResult, Failure> {
    let run = journal::summary(folder).map_err(unreadable)?;
    let mut cases = cases(folder)?;
    report::write_all(folder, &run, &mut cases, &options).map_err(Failure::errored)?;
    Ok(run)
}

/// Writes one report of several runs, with a copy of their pictures.
fn merged(folders: &[PathBuf], output: &Path, options: Options) -> Result<RunResult, Failure> {
    let mut runs = Vec::new();
    let mut all: Vec<Box<dyn Iterator<Item = io::Result<CaseResult>>>> = Vec::new();
    for (number, folder) in (1..).zip(folders) {
        runs.push(journal::summary(folder).map_err(unreadable)?);
        copy_pictures(folder, &output.join(merge::pictures(number)))
            .map_err(|error| Failure::errored(format!("cannot copy the pictures of {}: {error}", folder.display())))?;
        all.push(Box::new(cases(folder)?.map(move |case| {
            case.map(|mut case| {
                merge::adopt(&mut case, number);
                case
            })
        })));
    }
    report::shards::check(&runs)
        .map_err(|error| Failure::usage(format!("{error}\n  = name the report folders of all parts of one run")))?;
    let run = merge::merged(&runs).ok_or_else(|| Failure::usage("no runs to merge"))?;
    fs::create_dir_all(output)
        .map_err(|error| Failure::errored(format!("cannot make {}: {error}", output.display())))?;
    report::write_all(output, &run, &mut all.into_iter().flatten(), &options).map_err(Failure::errored)?;
    Ok(run)
}

fn cases(folder: &Path) -> Result<impl Iterator<Item = io::Result<CaseResult>> + 'static, Failure> {
    let reader = Reader::open(folder).map_err(unreadable)?;
    Ok(reader.map(|case| case.map_err(io::Error::other)))
}

fn unreadable(error: journal::Error) -> Failure {
    Failure::usage(error)
}

fn copy_pictures(from: &Path, to: &Path) -> io::Result<()> {
    let pictures = from.join(journal::SCREENSHOTS);
    if !pictures.is_dir() {
        return Ok(());
    }
    let to = to.join(journal::SCREENSHOTS);
    fs::create_dir_all(&to)?;
    for entry in fs::read_dir(pictures)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
