//! The Python of the `PATH` → the program itself and the folders that it needs, asked once.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::OnceCell;

use super::Error;

/// What is looked for on the `PATH`.
const NAME: &str = "python3";
/// How long it may take to say what it is; a shim may look for the program first.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the program of the `PATH`, which may be a shim, is asked: a kind and a path on each line. It imports as little as it can.
const QUESTION: &str = r#"import sys
def say(kind, *paths):
    for path in paths: print(kind, path)
say("version", sys.version.split()[0])
say("program", getattr(sys, "_base_executable", None) or sys.executable)
say("standard", *sys.path)
say("library", *{line.split(None, 5)[5].strip() for line in open("/proc/self/maps") if ".so" in line and "/" in line})
import site
home = sys.executable.rsplit("/", 2)[0]
try: open(home + "/pyvenv.cfg").close()
except OSError: home = None
say("site", *site.getsitepackages([home] if home else None))
"#;

/// What a program needs beside its own folders.
const COMMON: [&str; 9] = [
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/usr/share/zoneinfo",
    "/dev/null",
    "/dev/urandom",
];

/// A Python, and what it must be able to read.
#[derive(Clone, Debug)]
pub(crate) struct Python {
    pub(crate) program: PathBuf,
    pub(crate) version: String,
    pub(crate) read: Vec<PathBuf>,
    /// Where the host's packages are.
    pub(crate) site: Vec<PathBuf>,
}

/// Returns the Python of the `PATH`.
pub(crate) async fn python() -> Result<&'static Python, Error> {
    static FOUND: OnceCell<Python> = OnceCell::const_new();
    FOUND.get_or_try_init(|| Box::pin(ask())).await
}

/// Finds a program on the `PATH`.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

async fn ask() -> Result<Python, Error> {
    let nobody = || Error::NoPython(format!("there is no {NAME} on the PATH; install Python 3.8 or newer"));
    let program = on_path(NAME).ok_or_else(nobody)?;
    let broken = |why: String| Error::NoPython(format!("{} cannot be used: {why}", program.display()));
    let mut command = Command::new(&program);
    // What is loaded into it by the environment is not there behind the walls.
    command.args(["-I", "-S", "-c", QUESTION]).env_remove("LD_PRELOAD").env_remove("LD_LIBRARY_PATH");
    command.stdin(Stdio::null()).kill_on_drop(true);
    let asked = tokio::time::timeout(PATIENCE, command.output()).await;
    let output =
        asked.map_err(|_| broken("it does not answer".to_owned()))?.map_err(|error| broken(error.to_string()))?;
    let told = String::from_utf8_lossy(&output.stdout);
    read(&told).ok_or_else(|| broken(String::from_utf8_lossy(&output.stderr).trim().chars().take(300).collect()))
}

/// Reads what a Python says of itself.
fn read(told: &str) -> Option<Python> {
    let all = |kind: &str| -> Vec<PathBuf> {
        told.lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' ')).map(PathBuf::from).collect()
    };
    let folders = |kind: &str| all(kind).into_iter().filter(|path| path.is_dir());
    let program = all("program").pop()?.canonicalize().ok()?;
    let version = all("version").pop()?.to_string_lossy().into_owned();
    let site: Vec<_> = folders("site").collect();
    let libraries = all("library").into_iter().filter_map(|file| Some(file.canonicalize().ok()?.parent()?.to_owned()));
    let own = folders("standard").chain(site.clone()).chain(libraries).filter(|path| is_narrow(path));
    let common = COMMON.iter().map(PathBuf::from).filter(|path| path.exists());
    let mut read: Vec<_> = [program.clone()].into_iter().chain(own).chain(common).collect();
    read.sort();
    read.dedup();
    Some(Python { program, version, read, site })
}

/// Tells whether a folder may be shown: the root and what holds users' own folders never is.
fn is_narrow(path: &Path) -> bool {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    path.is_absolute() && path.components().count() > 2 && !home.is_some_and(|home| home.starts_with(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_python_says_of_itself_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path").join("a b");
        let (program, library) = (root.join("bin/python3.12"), root.join("lib/python3.12"));
        [program.parent().expect("a folder"), &library]
            .iter()
            .for_each(|path| std::fs::create_dir_all(path).expect("made"));
        std::fs::write(&program, "").expect("written");
        let told = format!(
            "version 3.12.1\nprogram {}\nstandard /no.zip\nstandard {}\nlibrary /\nlibrary {}\n",
            program.display(),
            library.display(),
            program.display()
        );
        let python = read(&told).expect("a Python");
        assert_eq!((python.version.as_str(), &python.program), ("3.12.1", &program));
        assert!(python.read.contains(&library) && python.read.contains(&root.join("bin")));
        assert!(!python.read.contains(&PathBuf::from("/")), "a library of the root would open all of it");
        assert!(read("pyenv: python3: command not found").is_none());
    }

    #[test]
    fn homes_are_not_shown() {
        let home = PathBuf::from(std::env::var_os("HOME").expect("a home"));
        assert!(!is_narrow(&home) && !is_narrow(Path::new("/usr")) && is_narrow(&home.join("a/lib/python3.12")));
    }
}
