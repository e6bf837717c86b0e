//! Where to look → what the source code there defines.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use crate::definitions::{Definition, define};
use crate::folder::Folder;
use crate::gather::{Found, Looked, gather};
use crate::lines::read_text;
use crate::source::of_file;
use crate::walk::Filter;
use crate::{Limits, Refused};

/// Largest source that is read, in bytes.
const LARGEST: u64 = 2 << 20;

/// Which definitions are asked for.
pub struct Outline {
    pub filter: Filter,
    /// What their names hold, in lower case.
    pub name: Option<String>,
    /// Most definitions.
    pub most: usize,
}

/// Returns what a file defines, or those below a folder do; the path has no link and no `..` in it. Below a folder, files of other
/// languages are passed over.
pub fn outline(
    folder: &Arc<Folder>,
    path: &Path,
    asked: &Outline,
    limits: &Limits,
) -> Result<Found<Definition>, Refused> {
    gather(folder, path, (&asked.filter, asked.most, limits), || {
        move |path: &Path, file: &File, size| of_source(path, file, size, (asked, limits))
    })
}

fn of_source(path: &Path, file: &File, size: u64, (asked, limits): (&Outline, &Limits)) -> Looked<Definition> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if of_file(&name).is_none() {
        return Looked::Past;
    }
    if limits.are_over() {
        return Looked::Ended;
    }
    if size > LARGEST {
        return Looked::Skipped(format!("larger than {} MiB", LARGEST >> 20));
    }
    match read_text(file) {
        Err(error) => Looked::Skipped(error.to_string()),
        Ok(Err(why)) => Looked::Skipped(why.to_owned()),
        Ok(Ok(source)) => {
            let Some(mut defined) = define(&name, &source) else { return Looked::Past };
            if !defined.is_whole {
                return Looked::Skipped("would take too long to read".to_owned());
            }
            let holds = |name: &str| asked.name.as_ref().is_none_or(|part| name.to_lowercase().contains(part));
            defined.definitions.retain(|one| holds(&one.name));
            defined.definitions.truncate(asked.most + 1);
            Looked::At(defined.definitions)
        }
    }
}

/// Tells whether the definitions of a file of this name are found.
pub fn is_source(name: &str) -> bool {
    of_file(name).is_some()
}

/// The languages whose definitions are found.
pub fn languages() -> Vec<&'static str> {
    crate::source::names()
}
