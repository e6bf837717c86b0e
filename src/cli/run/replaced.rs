//! A report's folder that an earlier run wrote → gone, so that another run writes there: in CI, a workspace may be kept.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::cli::exit::Failure;
use crate::cli::testcases::goals;
use crate::runner::journal;

/// What CI servers read.
const JUNIT: &str = "junit.xml";
/// What runs write into their folders.
const WRITTEN: [&str; 11] = [
    "report.html",
    JUNIT,
    "summary.json",
    "hrp_summary.json",
    "uixt.log",
    "evidence",
    "videos",
    journal::SCREENSHOTS,
    "files",
    "allure-results",
    goals::PROPOSALS,
];

/// Reports that somebody else may have written, or `uixt report` of several runs.
const REPORTS: [&str; 4] = ["report.html", JUNIT, "summary.json", "hrp_summary.json"];

/// Checks that a folder may be written anew: nothing but a run that is over wrote into it.
pub(super) fn check(folder: &Path) -> Result<(), Failure> {
    let journal = folder.join(journal::FILE);
    let refused = |why: String| Failure::usage(format!("{} {why}; name another folder", folder.display()));
    let Ok(file) = File::open(&journal) else {
        return match REPORTS.iter().find(|name| folder.join(name).exists()) {
            Some(report) => Err(refused(format!("holds a {report} that no run wrote there"))),
            None => Ok(()),
        };
    };
    if file.try_lock().is_err() {
        return Err(refused("is being written by another run".to_owned()));
    }
    let entries = fs::read_dir(folder).map_err(|error| refused(format!("cannot be read: {error}")))?;
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    match names.iter().find(|name| *name != journal::FILE && !WRITTEN.contains(&name.as_str())) {
        Some(other) => {
            Err(refused(format!("holds another run's results, and beside them {other}, which no run wrote")))
        }
        None => Ok(()),
    }
}

/// Removes the `junit.xml` of an earlier run where another was to replace that and did not begin: in CI, it would pass for the new one's.
pub(super) fn outdate(folder: &Path) {
    let shown = folder.display();
    if folder.join(journal::FILE).exists() && check(folder).is_ok() && fs::remove_file(folder.join(JUNIT)).is_ok() {
        eprintln!(
            "{shown}/{JUNIT} of an earlier run was removed, since this one did not begin; `uixt report {shown}` writes it again"
        );
    }
}

/// Removes what an earlier run wrote, all of it at once: whoever looks sees all of the old or nothing of it.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    if !folder.join(journal::FILE).exists() {
        return Ok(());
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let aside = folder.with_file_name(format!(".{name}.replaced-{}", std::process::id()));
    fs::rename(folder, &aside)?;
    fs::remove_dir_all(&aside)
}
