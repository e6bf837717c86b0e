//! The files of a recording: which name a session gets, and how its text gets there whole.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

/// Why a recording cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0} already exists, and nothing was recorded: name another file, or overwrite it with `--force`")]
    Exists(PathBuf),
    #[error("a recording is a testcase in YAML: {0} must end with `.yaml` or `.yml`")]
    NoYaml(PathBuf),
    #[error("a recording cannot be called {0}, which is the project's own file")]
    Project(PathBuf),
    #[error("the recording {path} cannot be written: {reason}")]
    Io { path: PathBuf, reason: std::io::Error },
}

/// How a testcase is told which file names the servers that it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Named {
    #[default]
    Nowhere,
    /// By its path from the project's folder, or from the testcase's.
    Below(String),
    /// On the command line only.
    Elsewhere(String),
}

/// A recording to be made: its file, and those of further sessions beside it.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    force: bool,
    /// Whether the next free name is taken where the file is there.
    goes_on: bool,
    claimed: Mutex<Vec<PathBuf>>,
    /// Why a step could not be written, of whichever session.
    trouble: Mutex<Option<String>>,
    servers: Named,
}

impl Recording {
    /// Prepares a recording into a file that is not there, or with `force` is overwritten by the first step.
    ///
    /// Fails where it is there, where its folder is not or cannot be written to, and where its name is no testcase's.
    pub fn open(path: PathBuf, force: bool) -> Result<Self, Error> {
        if path.exists() && !force && is_testcase(&path) {
            return Err(Error::Exists(path));
        }
        Self::prepare(path, force, false)
    }

    /// Prepares a recording into a file, or where it is there already, into `FILE-2`, `FILE-3`, …: whatever starts the same
    /// command again and again overwrites nothing.
    pub fn open_next(path: PathBuf) -> Result<Self, Error> {
        Self::prepare(path, false, true)
    }

    fn prepare(path: PathBuf, force: bool, goes_on: bool) -> Result<Self, Error> {
        if !is_testcase(&path) {
            return Err(Error::NoYaml(path));
        }
        if path.file_stem().is_some_and(|stem| stem == "uixt") {
            return Err(Error::Project(path));
        }
        let (claimed, trouble, servers) = (Mutex::default(), Mutex::default(), Named::Nowhere);
        let recording = Self { path, force, goes_on, claimed, trouble, servers };
        let probe = beside(&recording.path);
        let written = fs::File::create(&probe).and_then(|_| fs::remove_file(&probe));
        written.map_err(|reason| Error::Io { path: recording.path.clone(), reason })?;
        Ok(recording)
    }

    /// Sets how testcases name the file of other servers.
    #[must_use]
    pub fn calling(self, servers: Named) -> Self {
        Self { servers, ..self }
    }

    pub(super) fn servers(&self) -> &Named {
        &self.servers
    }

    /// Returns the case's name: that of the file in words.
    pub(super) fn name(&self) -> String {
        in_words(&self.path)
    }

    /// Returns the files that sessions were given.
    pub fn files(&self) -> Vec<PathBuf> {
        self.claimed.lock().clone()
    }

    /// Returns why the last step that was to be written was not.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().clone()
    }

    /// Takes in how writing a step ended.
    pub(super) fn written(&self, written: Result<(), Error>) -> bool {
        let trouble = written.err().map(|error| error.to_string());
        trouble.iter().for_each(|trouble| tracing::warn!("{trouble}"));
        let mut last = self.trouble.lock();
        *last = trouble;
        last.is_none()
    }

    /// Gives a session its file at its first step: the first session FILE, others `FILE-2`, `FILE-3`, …
    pub(super) fn claim(&self) -> Result<Written, Error> {
        let mut claimed = self.claimed.lock();
        if claimed.is_empty() {
            // Somebody may have written it since.
            if self.force || is_ours(&self.path) {
                claimed.push(self.path.clone());
                return Ok(Written { path: self.path.clone() });
            }
            if !self.goes_on {
                return Err(Error::Exists(self.path.clone()));
            }
        }
        let free = (2..).map(|number| numbered(&self.path, number));
        let path = free.into_iter().find(|path| !claimed.contains(path) && (self.force || is_ours(path)));
        let path = path.unwrap_or_else(|| self.path.clone());
        claimed.push(path.clone());
        Ok(Written { path })
    }
}

fn is_testcase(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// Makes a file, which tells others that its name is taken; false where it is there.
fn is_ours(path: &Path) -> bool {
    !fs::File::create_new(path).is_err_and(|error| error.kind() == std::io::ErrorKind::AlreadyExists)
}

/// A file that holds a testcase, whole at every moment.
#[derive(Debug)]
pub(super) struct Written {
    path: PathBuf,
}

impl Written {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn name(&self) -> String {
        in_words(&self.path)
    }

    /// Replaces what the file holds.
    pub(super) fn put(&mut self, text: &str) -> Result<(), Error> {
        put_whole(&self.path, text).map_err(|reason| self.failed(reason))
    }

    /// Removes the file, where no step is left.
    pub(super) fn clear(&mut self) -> Result<(), Error> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(self.failed(error)),
            _ => Ok(()),
        }
    }

    fn failed(&self, reason: std::io::Error) -> Error {
        Error::Io { path: self.path.clone(), reason }
    }
}

/// Writes a file that is whole at every moment.
fn put_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let new = beside(path);
    let written = fs::File::create(&new).and_then(|mut file| file.write_all(text.as_bytes()));
    written.and_then(|()| fs::rename(&new, path))
}

/// Writes a testcase into a file that is not there, or with `force` is overwritten; the text is made of the case's name.
pub fn write(path: PathBuf, force: bool, text: impl FnOnce(&str) -> String) -> Result<(), Error> {
    let recording = Recording::open(path, force)?;
    let name = recording.name();
    recording.claim()?.put(&text(&name))
}

/// Returns a name beside a file that no loader takes for a testcase.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}", std::process::id()))
}

/// `buy.yaml` → `buy-2.yaml`.
fn numbered(path: &Path, number: u32) -> PathBuf {
    let part =
        |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!("{}-{number}.{}", part(path.file_stem()), part(path.extension())))
}

/// `buy_tea.yaml` → "Buy tea".
fn in_words(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let words = stem.replace(['_', '-'], " ");
    let mut letters = words.trim().chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_session_gets_a_file_and_none_that_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("buy_tea.yaml");
        fs::write(folder.path().join("buy_tea-2.yaml"), "mine").expect("a file");
        let recording = Recording::open(path.clone(), false).expect("a new file");
        assert_eq!(recording.name(), "Buy tea");
        let names: Vec<_> = (0..3).map(|_| recording.claim().expect("a file").path).collect();
        let name = |name: &str| folder.path().join(name);
        assert_eq!(names, [path.clone(), name("buy_tea-3.yaml"), name("buy_tea-4.yaml")]);
        fs::write(&path, "there").expect("a file");
        assert!(matches!(Recording::open(path.clone(), false), Err(Error::Exists(_))));
        let next = Recording::open_next(path.clone()).and_then(|recording| recording.claim()).expect("the next");
        assert_eq!(next.path, name("buy_tea-5.yaml"), "whoever is started again goes on");
        fs::remove_file(next.path).expect("removed");
        let mut forced = Recording::open(path.clone(), true).and_then(|recording| recording.claim()).expect("forced");
        forced.put("new").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("a text"), "new");
        let left = fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 4, "nothing is left beside the files");
    }

    #[test]
    fn what_can_be_no_testcase_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a.txt", "a", "uixt.yaml", "no/such/folder/a.yaml"] {
            assert!(Recording::open(folder.path().join(name), false).is_err(), "{name}");
        }
    }
}
