//! `uixt report` of several runs: one report, whose folder has the runs' pictures, evidence and videos.
//!
//! The runs are read one after the other, and files are linked, not copied: neither memory nor the disk grows with their size.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use uixt_core::video::{self, Line};

use super::command::{cases, unreadable};
use crate::cli::exit::Failure;
use crate::report::{self, AtomicFile, Options, merge};
use crate::result::{CaseResult, RunResult};
use crate::runner::journal;

/// Folders of what runs keep of their cases, in a report folder; videos are named by their cases.
const KEPT: [&str; 2] = [journal::SCREENSHOTS, "evidence"];
/// Folders within folders that are linked, at most: evidence lies in a folder for each step of a folder for each case.
const DEEPEST: u32 = 4;

/// Writes one report of several runs, which are read one after the other.
pub(super) fn merged(folders: &[PathBuf], output: &Path, options: &Options) -> Result<RunResult, Failure> {
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

/// Reads the cases of the run `number` as those of the merged report, whose folder then has what the run kept of them.
fn adopted(
    folder: &Path,
    number: usize,
    output: &Path,
    known: &Rc<RefCell<HashSet<String>>>,
) -> io::Result<Box<dyn Iterator<Item = io::Result<CaseResult>>>> {
    let own = folder.to_owned();
    let told = move |error| io::Error::other(format!("cannot link what {} holds: {error}", own.display()));
    let kept = if let Some(path) = inside(folder, output) {
        path
    } else {
        let name = format!("run{number}");
        KEPT.iter()
            .try_for_each(|kept| link(&folder.join(kept), &output.join(&name).join(kept), DEEPEST))
            .map_err(&told)?;
        name
    };
    let name =
        folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned());
    let (folder, output, known) = (folder.to_owned(), output.to_owned(), Rc::clone(known));
    let cases = cases(&folder).map_err(io::Error::other)?;
    Ok(Box::new(cases.map(move |case| {
        let mut case = case?;
        let id = case.id.clone();
        let is_new = known.borrow_mut().insert(id.clone());
        merge::adopt(&mut case, number, &kept, (!is_new).then_some(name.as_str()));
        link_video(&folder, &id, &output, &case.id).map_err(&told)?;
        Ok(case)
    })))
}

/// Returns the way to a folder that is below the merged report's, whose files can be shown where they are.
fn inside(folder: &Path, output: &Path) -> Option<String> {
    let (folder, output) = (folder.canonicalize().ok()?, output.canonicalize().ok()?);
    let names: Option<Vec<&str>> = folder.strip_prefix(output).ok()?.iter().map(|name| name.to_str()).collect();
    names.map(|names| names.join("/")).filter(|path| !path.is_empty())
}

/// Links every file of a folder into another, with the folders below it; nothing where there is no folder.
fn link(from: &Path, to: &Path, deepest: u32) -> io::Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, name) = (entry.file_type()?, entry.file_name());
        match name.to_str() {
            Some(name) if kind.is_file() => report::link(&entry.path(), to, name)?,
            Some(name) if kind.is_dir() && deepest > 0 => link(&entry.path(), &to.join(name), deepest - 1)?,
            _ => {}
        }
    }
    Ok(())
}

/// Links the video of a case, where one was kept, to where the merged report looks for that of the case's new id.
fn link_video(from: &Path, id: &str, output: &Path, new_id: &str) -> io::Result<()> {
    let Some(folder) = video::folder(from, id) else { return Ok(()) };
    let own = video::folders(new_id).find(|own| video::is_of(output, own, new_id) != Some(false));
    let own = own.ok_or_else(|| io::Error::other(format!("no name is left for the video of {new_id}")))?;
    let (from, to) = (from.join(folder), output.join(own));
    link(&from, &to, 0)?;
    let index = fs::read_to_string(from.join(video::INDEX))?;
    let rest = index.split_once('\n').map_or("", |(_, rest)| rest);
    let first = serde_json::to_string(&Line::Case(new_id.to_owned()))?;
    // The run's own index, which is linked like the rest, stays as it is.
    let mut own = AtomicFile::create(&to, video::INDEX)?;
    own.write_all(format!("{first}\n{rest}").as_bytes())?;
    own.keep()
}
