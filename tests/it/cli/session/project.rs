//! A project in a folder of its own, in which the program is run, process by process.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::counterparts::wait_until;

/// A project, with a folder for sockets of its own; its sessions end with it.
pub(super) struct Project {
    folder: TempDir,
}

/// What a process of the program left.
pub(super) struct Ran {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Project {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let sockets = folder.path().join("run");
        fs::create_dir(&sockets).expect("a folder");
        fs::set_permissions(&sockets, fs::Permissions::from_mode(0o700)).expect("its mode");
        Self { folder }
    }

    /// Starts a session.
    #[track_caller]
    pub(super) fn with(arguments: &[&str]) -> Self {
        let project = Self::new();
        project.run(&[&["session", "start"], arguments].concat()).code(0);
        project
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn of(&self, program: impl Into<PathBuf>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program.into());
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        for name in ["UIXT_DEVICE", "UIXT_ADB_SERVER", "UIXT_SESSION", "UIXT_UIA2", "UIXT_HEADED", "UIXT_BROWSER"] {
            command.env_remove(name);
        }
        command.env("XDG_RUNTIME_DIR", self.path("run"));
        command
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        self.of(env!("CARGO_BIN_EXE_uixt"), arguments)
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.command(arguments))
    }

    /// Makes a call that must succeed.
    #[track_caller]
    pub(super) fn call(&self, arguments: &[&str]) -> Value {
        self.run(&[&["call"], arguments].concat()).code(0).json()
    }

    pub(super) fn list(&self) -> Value {
        self.run(&["session", "list", "--format", "json"]).code(0).json()
    }

    /// Returns the process of the only session.
    pub(super) fn pid(&self) -> u64 {
        self.list()[0]["pid"].as_u64().expect("a process")
    }

    /// Checks that no socket is left, and no process of this project.
    #[track_caller]
    pub(super) fn assert_nothing_is_left(&self, pid: u64) {
        let left: Vec<_> =
            fs::read_dir(self.path("run")).expect("a folder").flatten().map(|entry| entry.path()).collect();
        assert!(left.is_empty(), "{left:?}");
        wait_until("its process ends", 5, || !runs(pid));
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = self.command(&["session", "stop", "--all"]).output();
    }
}

impl Ran {
    pub(super) fn of(command: &mut Command) -> Self {
        let output = command.output().expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    #[track_caller]
    pub(super) fn code(self, wanted: i32) -> Self {
        assert_eq!(self.code, Some(wanted), "\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub(super) fn says(self, part: &str) -> Self {
        assert!(self.stderr.contains(part), "`{part}` is not in\n{}", self.stderr);
        self
    }

    #[track_caller]
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{}", self.stdout))
    }
}

/// Tells whether a process runs, rather than only waits for somebody to take note of its end.
pub(super) fn runs(pid: u64) -> bool {
    // The last of its threads closes what it had open.
    let mut threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    threads.any(|thread| fs::read_to_string(thread.path().join("stat")).is_ok_and(|stat| !stat.contains(") Z ")))
}
