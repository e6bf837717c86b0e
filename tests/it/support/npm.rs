//! What npm installed for the tests, and the Node that runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where `tests/all.sh` has npm install clients and a Node that runs them; says so where it could not.
pub(crate) fn clients() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/mcp-clients");
    let is_there = folder.join("node_modules/.bin/node").exists();
    if !is_there {
        eprintln!("skipped: tests/all.sh could not install npm's clients of MCP into target/mcp-clients");
    }
    is_there.then_some(folder)
}

/// Runs a program of npm's with the Node beside it; returns whether it was content, and what it printed.
pub(crate) fn node(folder: &Path, arguments: &[&str]) -> (bool, String, String) {
    let modules = folder.join("node_modules");
    let mut command = Command::new(modules.join(".bin/node"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).env_remove("UIXT_DEVICE");
    let output = command.output().expect("node starts");
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), shown(&output.stdout), shown(&output.stderr))
}
