//! A folder → the files in it, each with its size and when it was changed; nothing of them is read.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use crate::folder::{Folder, Place};
use crate::gather::{Found, Looked, gather};
use crate::lines::read_text;
use crate::walk::Filter;
use crate::{Limits, Refused};

/// A file as its folder knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// In bytes.
    pub size: u64,
    /// None where the file system does not say it.
    pub modified: Option<SystemTime>,
}

/// Returns up to `most` files below a folder whose paths are wanted, in the order of their paths.
pub fn list(
    folder: &Arc<Folder>,
    path: &Path,
    (filter, most, limits): (&Filter, usize, &Limits),
    wants: impl Fn(&Path) -> bool + Sync,
) -> Result<Found<Listed>, Refused> {
    gather(folder, path, (filter, most, limits), || {
        |path: &Path, file: &File, size| match wants(path) {
            true => Looked::At(vec![Listed { size, modified: file.metadata().and_then(|meta| meta.modified()).ok() }]),
            false => Looked::Past,
        }
    })
}

/// Reads a file below a folder that is a text; the path has no link and no `..` in it. The error says why it is not read.
pub fn read(folder: &Arc<Folder>, path: &Path, most: u64) -> Result<Vec<u8>, String> {
    match folder.find(path).map_err(|refused| refused.to_string())? {
        Place::Folder(_) => Err("it is a folder".to_owned()),
        Place::File(_, size) if size > most => Err(format!("larger than {} MiB", most >> 20)),
        Place::File(file, _) => match read_text(&file) {
            Err(error) => Err(error.to_string()),
            Ok(text) => text.map_err(str::to_owned),
        },
    }
}
