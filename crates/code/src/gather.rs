//! What several threads find in files → the first of it, in the order of the files, and what was not looked at.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::folder::{Folder, Place};
use crate::walk::{Filter, Visit, walk};
use crate::{Limits, Refused};

/// Most files that are named among those that were not looked at.
const NAMED: usize = 20;

/// A file that was not looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// From the folder that was opened.
    pub file: PathBuf,
    pub why: String,
}

/// What was found, each with its file, whose path begins at the folder that was opened.
#[derive(Debug, PartialEq, Eq)]
pub struct Found<T> {
    pub items: Vec<(PathBuf, T)>,
    /// Whether there is more than may be told.
    pub has_more: bool,
    /// Files that were looked at.
    pub files: usize,
    /// The first of those that were not, in the order of their names.
    pub skipped: Vec<Skipped>,
    /// How many were not.
    pub skipped_count: usize,
    /// Whether the time was over before all was looked at.
    pub is_cut_off: bool,
}

/// What came of a file.
pub(crate) enum Looked<T> {
    At(Vec<T>),
    /// It is none of those that are asked for.
    Past,
    /// It cannot be looked at, for this reason.
    Skipped(String),
    /// The time was over.
    Ended,
}

/// Looks at a file, or at those below a folder; `looker` makes what looks, one for each thread.
pub(crate) fn gather<T: Send, L: FnMut(&Path, &File, u64) -> Looked<T> + Send>(
    folder: &Arc<Folder>,
    path: &Path,
    (filter, most, limits): (&Filter, usize, &Limits),
    looker: impl Fn() -> L + Sync,
) -> Result<Found<T>, Refused> {
    let all = All { most, found: Mutex::new(Together::new()), is_full: AtomicBool::new(false) };
    let visitor = || Visitor { all: &all, look: looker() };
    let boxed = || -> Box<dyn Visit + '_> { Box::new(visitor()) };
    match folder.find(path)? {
        Place::File(file, size) => visitor().file(path.to_owned(), file, size),
        Place::Folder(folder) => walk(&folder, filter, limits, &boxed),
    }
    let mut found = all.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.is_cut_off |= limits.are_over();
    Ok(found.told(most))
}

/// What threads have found together.
struct All<T> {
    most: usize,
    found: Mutex<Together<T>>,
    /// Whether there is as much as may be told: only files before the last of those matter then.
    is_full: AtomicBool,
}

struct Together<T> {
    /// In the order of the files.
    items: Vec<(PathBuf, Vec<T>)>,
    count: usize,
    has_more: bool,
    files: usize,
    skipped: Vec<Skipped>,
    skipped_count: usize,
    is_cut_off: bool,
}

impl<T> Together<T> {
    fn new() -> Self {
        let (items, skipped) = (Vec::new(), Vec::new());
        Self { items, count: 0, has_more: false, files: 0, skipped, skipped_count: 0, is_cut_off: false }
    }

    fn add(&mut self, file: PathBuf, items: Vec<T>, most: usize) {
        self.count += items.len();
        let place = self.items.partition_point(|(other, _)| *other < file);
        self.items.insert(place, (file, items));
        while let Some((_, last)) = self.items.last()
            && self.count - last.len() >= most
        {
            self.count -= last.len();
            self.items.pop();
            self.has_more = true;
        }
    }

    fn skip(&mut self, file: PathBuf, why: String) {
        self.skipped_count += 1;
        let place = self.skipped.partition_point(|other| other.file < file);
        self.skipped.insert(place, Skipped { file, why });
        self.skipped.truncate(NAMED);
    }

    fn told(self, most: usize) -> Found<T> {
        let has_more = self.has_more || self.count > most;
        let of_file = |(file, items): (PathBuf, Vec<T>)| items.into_iter().map(move |item| (file.clone(), item));
        Found {
            items: self.items.into_iter().flat_map(of_file).take(most).collect(),
            has_more,
            files: self.files,
            skipped: self.skipped,
            skipped_count: self.skipped_count,
            is_cut_off: self.is_cut_off,
        }
    }
}

struct Visitor<'a, T, L> {
    all: &'a All<T>,
    look: L,
}

impl<T, L> Visitor<'_, T, L> {
    fn found(&self) -> MutexGuard<'_, Together<T>> {
        self.all.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send, L: FnMut(&Path, &File, u64) -> Looked<T> + Send> Visit for Visitor<'_, T, L> {
    fn is_past(&self, path: &Path) -> bool {
        self.all.is_full.load(Ordering::Relaxed)
            && self.found().items.last().is_some_and(|(last, _)| path > last.as_path())
    }

    fn file(&mut self, path: PathBuf, file: File, size: u64) {
        let looked = (self.look)(&path, &file, size);
        let most = self.all.most;
        let mut found = self.found();
        match looked {
            Looked::At(items) => {
                found.files += 1;
                if !items.is_empty() {
                    found.add(path, items, most);
                    // One more than may be told says that there is more.
                    self.all.is_full.store(found.count > most || found.has_more, Ordering::Relaxed);
                }
            }
            Looked::Past => {}
            Looked::Skipped(why) => found.skip(path, why),
            Looked::Ended => found.is_cut_off = true,
        }
    }

    fn unreadable(&mut self, path: PathBuf, why: String) {
        self.found().skip(path, why);
    }
}
