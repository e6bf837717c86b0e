//! Where uixt keeps what lasts: in the project that a folder belongs to, else in the user's data.

use std::path::{Path, PathBuf};

use super::exit::Failure;
use crate::testcase;

/// Returns the file of a folder's project.
pub(super) fn file(folder: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    uixt_store::place(testcase::marked_root(&absolute).as_deref())
}

/// Returns the same; an error says what to do where there is no place for one.
pub(super) fn file_of(folder: &Path) -> Result<PathBuf, Failure> {
    let nowhere = || Failure::usage(format!("there is no folder for data: set {} to one", uixt_store::VARIABLE));
    file(folder).ok_or_else(nowhere)
}
