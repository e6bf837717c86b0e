//! What the command line says of runs → their folders; without a word, the newest one.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::exit::Failure;
use crate::runner::journal::FILE;

/// Where runs leave their folders.
const RESULTS: &str = "results";

/// Returns the folders of runs.
pub(super) fn folders(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    if given.is_empty() {
        let newest = newest(Path::new(RESULTS));
        return newest.map(|folder| vec![folder]).ok_or_else(|| {
            Failure::usage(format!("there is no run in `{RESULTS}/`: name the folder that a run's report lies in"))
        });
    }
    given.iter().map(|path| folder(path)).collect()
}

fn folder(path: &Path) -> Result<PathBuf, Failure> {
    let folder = match path.is_file() && path.file_name().is_some_and(|name| name == FILE) {
        true => path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")),
        false => path,
    };
    if folder.join(FILE).is_file() {
        return Ok(folder.to_path_buf());
    }
    Err(Failure::usage(format!("{} is not a run's folder: it has no {FILE}", path.display())))
}

/// Returns the folder whose journal was written last.
fn newest(results: &Path) -> Option<PathBuf> {
    let folders = fs::read_dir(results).ok()?.flatten().map(|entry| entry.path());
    let dated = folders.filter_map(|folder| Some((folder.join(FILE).metadata().ok()?.modified().ok()?, folder)));
    dated.max().map(|(_, folder)| folder)
}
