//! A folder → each file below it, by several threads, about in the order of their paths.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use regex::bytes::Regex;

use crate::folder::{Entry, Folder};
use crate::{Limits, Refused, glob};

/// Most threads.
const THREADS: usize = 8;

/// Files of one folder that a thread takes at a time.
const BATCH: usize = 64;

/// Which files are meant.
#[derive(Default)]
pub struct Filter {
    glob: Option<Regex>,
    is_negated: bool,
    /// Names that begin with a dot are meant, too.
    hidden: bool,
}

impl Filter {
    /// Takes the files that match a glob, or with `!` before it those that do not.
    pub fn new(glob: Option<&str>, hidden: bool) -> Result<Self, Refused> {
        let is_negated = glob.is_some_and(|glob| glob.starts_with('!'));
        let glob = glob.map(|glob| glob.strip_prefix('!').unwrap_or(glob));
        let regex = |glob: &str| Regex::new(&glob::to_regex(glob)?).map_err(|error| Refused::new(error.to_string()));
        Ok(Self { glob: glob.map(regex).transpose()?, is_negated, hidden })
    }

    fn takes(&self, path: &Path) -> bool {
        self.glob.as_ref().is_none_or(|glob| glob.is_match(path.as_os_str().as_bytes()) != self.is_negated)
    }
}

/// Whoever is shown files.
pub(crate) trait Visit: Send {
    /// Tells whether nothing from a path on matters any more.
    fn is_past(&self, path: &Path) -> bool;

    /// Takes a file, by its path from the folder that was opened first.
    fn file(&mut self, path: PathBuf, file: File, size: u64);

    /// Takes that something cannot be read.
    fn unreadable(&mut self, path: PathBuf, why: String);
}

enum Task {
    Folder(Arc<Folder>, Vec<u8>),
    Files(Arc<Folder>, Vec<Vec<u8>>),
}

/// What is still to be done, the next at the end.
#[derive(Default)]
struct Tasks {
    waiting: Vec<Task>,
    /// Threads that may yet add some.
    busy: usize,
}

struct Walk<'a> {
    filter: &'a Filter,
    limits: &'a Limits,
    /// Parts of the path of the folder that the walk begins in.
    start: PathBuf,
    tasks: Mutex<Tasks>,
    changed: Condvar,
}

/// Shows the files below a folder to visitors, one for each thread. Ends early where the time is over.
pub(crate) fn walk<'a>(
    folder: &Arc<Folder>,
    filter: &Filter,
    limits: &Limits,
    visitor: &(dyn Fn() -> Box<dyn Visit + 'a> + Sync),
) {
    let tasks = Mutex::default();
    let walk = Walk { filter, limits, start: folder.path().to_owned(), tasks, changed: Condvar::new() };
    walk.list(folder, visitor().as_mut());
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| walk.work(visitor().as_mut()));
        }
    });
}

impl Walk<'_> {
    fn tasks(&self) -> MutexGuard<'_, Tasks> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, visitor: &mut dyn Visit) {
        while let Some(task) = self.next() {
            if !self.limits.are_over() {
                self.perform(task, visitor);
            }
            self.tasks().busy -= 1;
            self.changed.notify_all();
        }
    }

    /// Waits for something to do; none where all is done.
    fn next(&self) -> Option<Task> {
        let mut tasks = self.tasks();
        loop {
            if let Some(task) = tasks.waiting.pop() {
                tasks.busy += 1;
                return Some(task);
            }
            if tasks.busy == 0 {
                return None;
            }
            tasks = self.changed.wait(tasks).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn perform(&self, task: Task, visitor: &mut dyn Visit) {
        match task {
            Task::Folder(above, name) => self.enter(&above, &name, visitor),
            Task::Files(folder, names) => names.iter().for_each(|name| self.show(&folder, name, visitor)),
        }
    }

    fn enter(&self, above: &Arc<Folder>, name: &[u8], visitor: &mut dyn Visit) {
        let path = above.path().join(OsStr::from_bytes(name));
        if visitor.is_past(&path) {
            return;
        }
        match above.enter(name) {
            Ok(folder) => self.list(&folder, visitor),
            Err(error) => visitor.unreadable(path, error.to_string()),
        }
    }

    /// Puts what stands in a folder before what is still to be done, in its order.
    fn list(&self, folder: &Arc<Folder>, visitor: &mut dyn Visit) {
        let entries = match folder.entries() {
            Ok(entries) => entries,
            Err(error) => return visitor.unreadable(folder.path().to_owned(), error.to_string()),
        };
        let mut added: Vec<Task> = Vec::new();
        for entry in entries.into_iter().filter(|entry| self.is_meant(folder, entry)) {
            match added.last_mut() {
                _ if entry.is_folder => added.push(Task::Folder(Arc::clone(folder), entry.name)),
                Some(Task::Files(_, names)) if names.len() < BATCH => names.push(entry.name),
                _ => added.push(Task::Files(Arc::clone(folder), vec![entry.name])),
            }
        }
        self.tasks().waiting.extend(added.into_iter().rev());
        self.changed.notify_all();
    }

    fn is_meant(&self, folder: &Folder, entry: &Entry) -> bool {
        let is_seen = self.filter.hidden || !entry.name.starts_with(b".");
        is_seen && (entry.is_folder || self.is_taken(folder, entry)) && !folder.leaves_out(entry)
    }

    fn is_taken(&self, folder: &Folder, entry: &Entry) -> bool {
        let path = folder.path().join(OsStr::from_bytes(&entry.name));
        self.filter.takes(path.strip_prefix(&self.start).unwrap_or(&path))
    }

    fn show(&self, folder: &Folder, name: &[u8], visitor: &mut dyn Visit) {
        let path = folder.path().join(OsStr::from_bytes(name));
        if self.limits.are_over() || visitor.is_past(&path) {
            return;
        }
        match folder.file(name) {
            Ok((file, size)) => visitor.file(path, file, size),
            Err(error) => visitor.unreadable(path, error.to_string()),
        }
    }
}
