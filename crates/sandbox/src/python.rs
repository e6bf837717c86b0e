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

/// What the program of the `PATH`, which may be a shim, is asked: a kind and a path on each line.
const QUESTION: &str = r#"import sys, os
standard = [path for path in sys.path if os.path.isdir(path)]
program = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
import site
home = os.path.dirname(os.path.dirname(os.path.abspath(sys.executable)))
own = os.path.isfile(os.path.join(home, "pyvenv.cfg"))
sites = [path for path in site.getsitepackages([home] if own else None) if os.path.isdir(path)]
mapped = {line.split(None, 5)[5].strip() for line in open("/proc/self/maps") if ".so" in line and "/" in line}
say = lambda kind, paths: [print(kind, path) for path in paths]
say("version", [sys.version.split()[0]]), say("program", [program]), say("standard", standard), say("site", sites)
say("library", {os.path.dirname(os.path.realpath(path)) for path in mapped if os.path.isfile(path)})
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
    let (program, site) = (all("program").pop()?, all("site"));
    let version = all("version").pop()?.to_string_lossy().into_owned();
    let common = COMMON.iter().map(PathBuf::from).filter(|path| path.exists());
    let own = [all("standard"), site.clone(), all("library")].concat();
    let read = [program.clone()].into_iter().chain(own.into_iter().filter(|path| is_narrow(path))).chain(common);
    Some(Python { version, read: read.collect(), site, program })
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
        let told = "version 3.12.1\nprogram /opt/a b/bin/python3.12\nstandard /opt/a b/lib/python3.12\nsite /opt/a b/lib/python3.12/site-packages\nlibrary /\n";
        let python = read(told).expect("a Python");
        assert_eq!(
            (python.version.as_str(), python.program.as_path()),
            ("3.12.1", Path::new("/opt/a b/bin/python3.12"))
        );
        assert!(python.read.contains(&PathBuf::from("/opt/a b/lib/python3.12")));
        assert!(!python.read.contains(&PathBuf::from("/")), "a library of the root would open all of it");
        assert!(read("pyenv: python3: command not found").is_none());
    }
}
