//! Debian's adbd, in namespaces of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Tells whether namespaces may be made here; says so where not.
pub(crate) fn alone() -> bool {
    let mut alone = Command::new("unshare");
    alone.args(["--net", "--mount", "--pid", "--fork", "--mount-proc", "true"]);
    let may = alone.output().is_ok_and(|output| output.status.success());
    if !may {
        eprintln!(
            "skipped: what is killed and started there needs namespaces of its own, which `unshare` may not make here"
        );
    }
    may
}

/// Returns Debian's adbd, which `tests/all.sh` fetches, or says why it cannot be tried.
pub(crate) fn adbd() -> Option<PathBuf> {
    let folder = in_repository("target/adbd");
    if !folder.join("root").is_dir() {
        eprintln!("skipped: tests/all.sh could not fetch Debian's adbd into target/adbd");
        return None;
    }
    // It listens on every address, and writes where a device's files are.
    alone().then_some(folder)
}

/// Returns a command whose further arguments are one that runs where `adbd` (as `tests/adbd/run.sh` has it) is device
/// 127.0.0.1:5555, behind an adb server or not.
pub(crate) fn beside(way: &str, adbd: &Path) -> Command {
    let mut command = Command::new(in_repository("tests/adbd/run.sh"));
    command.arg(way).arg(adbd).arg(env!("CARGO_BIN_EXE_uixt"));
    undisturbed(command)
}

/// Takes away what the machine's own set-up would change.
pub(crate) fn undisturbed(mut command: Command) -> Command {
    command.env_remove("UIXT_DEVICE").env_remove("UIXT_ADB_SERVER").env_remove("ANDROID_SERIAL").env("NO_COLOR", "1");
    command.stdin(Stdio::null());
    command
}
