//! Bubblewrap, where it is installed and works: an empty root, and namespaces of its own, around the process that puts up the other walls.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::OnceCell;

use super::python::{Python, on_path};
use super::stage::{self, Stage};

/// How long it may take to say whether it works.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a root needs where it keeps libraries elsewhere.
const LINKS: [&str; 4] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];

/// Returns the program, where it works: that is tried once. In containers and where users may make no namespaces, it does not.
pub(crate) async fn bubblewrap(python: &Python) -> Option<&'static Path> {
    static FOUND: OnceCell<Option<PathBuf>> = OnceCell::const_new();
    FOUND.get_or_init(|| Box::pin(tried(python))).await.as_deref()
}

async fn tried(python: &Python) -> Option<PathBuf> {
    let program = on_path("bwrap")?;
    let probe = Stage {
        phase: "probe",
        program: PathBuf::new(),
        args: Vec::new(),
        read: python.read.clone(),
        write: Vec::new(),
        is_wrapped: true,
    };
    let mut command = around(&program, &probe).ok()?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let ended = tokio::time::timeout(PATIENCE, command.status()).await;
    ended.ok()?.ok()?.success().then_some(program)
}

/// Returns the command of bubblewrap that runs a stage.
pub(crate) fn around(program: &Path, stage: &Stage) -> std::io::Result<Command> {
    let own = stage::program()?;
    let mut command = Command::new(program);
    command.args(["--unshare-all", "--die-with-parent", "--clearenv", "--dev", "/dev", "--proc", "/proc"]);
    let is_of_devices = |path: &Path| path.starts_with("/dev");
    for path in LINKS.iter().map(Path::new).chain(stage.read.iter().map(PathBuf::as_path)).chain([own.as_path()]) {
        if !is_of_devices(path) {
            command.arg("--ro-bind-try").arg(path).arg(path);
        }
    }
    for path in &stage.write {
        command.arg("--bind").arg(path).arg(path);
    }
    if let Some(folder) = stage.write.first() {
        command.arg("--chdir").arg(folder);
    }
    command.arg("--").arg(&own).args(stage.words()).env_clear();
    Ok(command)
}
