//! Folders of sessions: made, measured and removed; those that a killed program left are removed by the next one.
//!
//! Each program has a folder with a file in it that it holds locked for as long as it lives, so that nobody takes one in use for one
//! that was left.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::process_tree;

/// The file that a program holds locked.
const LOCK: &str = "lock";
/// The most bytes that the files of a session may take.
pub(crate) const MOST_BYTES: u64 = 256 << 20;
/// The most files and folders of a session.
const MOST_ENTRIES: usize = 20_000;
/// The deepest folder of a session.
const DEEPEST: usize = 32;

/// The folder of all sessions of one caller.
pub(crate) struct Root {
    path: PathBuf,
    _lock: File,
    next: AtomicU64,
}

/// The folder of one session.
pub(crate) struct Folder {
    path: PathBuf,
    _root: Arc<Root>,
}

impl Root {
    /// Makes a folder that nobody else has, and removes those whose programs are gone.
    pub(crate) fn new() -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let base = base()?;
        // Nobody sweeps while a folder is made whose lock is not held yet.
        let all = open(&base.join(LOCK))?;
        all.lock()?;
        sweep(&base);
        let path = base.join(format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        make(&path)?;
        let lock = open(&path.join(LOCK))?;
        lock.lock()?;
        Ok(Self { path, _lock: lock, next: AtomicU64::new(1) })
    }

    /// Makes the folder of a session.
    pub(crate) fn folder(self: &std::sync::Arc<Self>) -> io::Result<Folder> {
        let path = self.path.join(self.next.fetch_add(1, Ordering::Relaxed).to_string());
        let folder = Folder { path, _root: Arc::clone(self) };
        make(&folder.path)?;
        [folder.work(), folder.packages(), folder.scratch()].iter().try_for_each(|path| make(path))?;
        Ok(folder)
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = remove(&self.path);
    }
}

impl Folder {
    /// Returns where the code reads and writes.
    pub(crate) fn work(&self) -> PathBuf {
        self.path.join("work")
    }

    /// Returns where packages are, which the code only reads: what writes there is the host's.
    pub(crate) fn packages(&self) -> PathBuf {
        self.path.join("packages")
    }

    /// Returns where packages are prepared, which the code does not see.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.path.join("scratch")
    }

    /// Empties what the code has written.
    pub(crate) fn clear(&self) -> io::Result<()> {
        remove(&self.work())?;
        make(&self.work())
    }

    /// Says why the code has written too much, if it has.
    pub(crate) fn excess(&self, pid: Option<u32>) -> Option<String> {
        let mut usage = Usage::default();
        usage.walk(&self.work());
        usage.bytes += pid.map_or(0, deleted);
        usage.excess()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = remove(&self.path);
    }
}

/// What files take.
#[derive(Default)]
struct Usage {
    bytes: u64,
    entries: usize,
    is_deep: bool,
}

impl Usage {
    /// Adds what a folder holds, as far as it is needed to say that it is too much.
    fn walk(&mut self, folder: &Path) {
        let mut folders = vec![(folder.to_path_buf(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            self.is_deep |= depth > DEEPEST;
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let Ok(metadata) = entry.metadata() else { continue };
                self.entries += 1;
                self.bytes += metadata.blocks() * 512;
                if metadata.is_dir() && !self.is_deep {
                    folders.push((entry.path(), depth + 1));
                }
                if self.excess().is_some() {
                    return;
                }
            }
        }
    }

    fn excess(&self) -> Option<String> {
        let most = MOST_BYTES >> 20;
        match self {
            Self { is_deep: true, .. } => Some(format!("its folders are nested more than {DEEPEST} deep")),
            Self { bytes, .. } if *bytes > MOST_BYTES => Some(format!("its files take more than {most} MiB")),
            Self { entries, .. } if *entries > MOST_ENTRIES => Some(format!("it made more than {MOST_ENTRIES} files")),
            _ => None,
        }
    }
}

/// Returns what the files take that a process and those below it hold open, and that are deleted.
fn deleted(pid: u32) -> u64 {
    let open = |pid: u32| fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let files = process_tree::of(pid).into_iter().flat_map(open).filter_map(|file| fs::metadata(file.path()).ok());
    files.filter(|file| file.is_file() && file.nlink() == 0).map(|file| file.blocks() * 512).sum()
}

/// Returns the folder of this user's sessions, which nobody else may enter.
fn base() -> io::Result<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let path = std::env::temp_dir().join(format!("uixt-sandbox-{user}"));
    make(&path)?;
    let there = fs::symlink_metadata(&path)?;
    if there.is_dir() && there.uid() == user && there.mode() & 0o077 == 0 {
        return path.canonicalize();
    }
    let message = format!("{} is not this user's own folder; remove it", path.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
}

/// Removes the folders whose programs are gone.
fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_left = || open(&path.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok());
        if path.is_dir() && is_left() {
            // What cannot be removed is tried again by the next program.
            let _ = remove(&path);
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    File::options().create(true).append(true).open(path)
}

fn make(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Removes a folder, however deep it is: what lies deep is moved up first. Nothing goes down step by step, so that neither the length
/// of a path, the stack nor the number of open files is a limit.
fn remove(path: &Path) -> io::Result<()> {
    if !path.try_exists()? {
        return Ok(());
    }
    let attic = path.with_extension("attic");
    make(&attic)?;
    let mut next = 0;
    let mut lift = |folder: &Path| -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            next += 1;
            match entry.file_type()?.is_dir() {
                true => fs::rename(entry.path(), attic.join(next.to_string()))?,
                false => fs::remove_file(entry.path())?,
            }
        }
        fs::remove_dir(folder)
    };
    lift(path)?;
    while let Some(entry) = fs::read_dir(&attic)?.next() {
        lift(&entry?.path())?;
    }
    fs::remove_dir(&attic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_removed_however_deep_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let deep = folder.path().join("deep");
        fs::create_dir(&deep).expect("made");
        // As a code does that goes down: no path is long, and the whole is deeper than files can be open.
        let script = "for i in $(seq 1500); do mkdir deepdeepdeep && cd deepdeepdeep || exit 1; echo a >file; done";
        let made = std::process::Command::new("sh").args(["-c", script]).current_dir(&deep).status().expect("a shell");
        assert!(made.success());
        let mut usage = Usage::default();
        usage.walk(&deep);
        assert!(usage.excess().is_some_and(|why| why.contains("deep")));
        remove(&deep).expect("removed");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn what_a_dead_program_left_is_removed_and_what_a_live_one_has_stays() {
        let base = tempfile::tempdir().expect("a folder");
        let (live, left) = (base.path().join("1-0"), base.path().join("2-0"));
        [&live, &left].iter().for_each(|path| make(path).expect("made"));
        let lock = open(&live.join(LOCK)).expect("a file");
        lock.lock().expect("locked");
        fs::write(left.join("a"), "a").expect("written");
        sweep(base.path());
        assert!(live.is_dir() && !left.exists());
    }
}
