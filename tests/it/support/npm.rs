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

/// Where `tests/all.sh` has npm install what drives iPhones.
fn iphone_clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/iphone-clients")
}

/// Returns the Node that runs Appium, and the folder in which it was installed; says so where either is missing.
pub(crate) fn appium() -> Option<(PathBuf, PathBuf)> {
    let folder = iphone_clients();
    let newer = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/mcp-clients/node_modules/.bin/node");
    let node = if newer.exists() { newer } else { PathBuf::from("node") };
    let missing = match folder.join("node_modules/appium-xcuitest-driver").is_dir() {
        false => "tests/all.sh could not install Appium into target/iphone-clients",
        true if !runs_appium(&node) => "Appium needs Node 20.19, 22.12 or 24",
        true => return Some((node, folder)),
    };
    eprintln!("skipped: {missing}");
    None
}

fn runs_appium(node: &Path) -> bool {
    let fits = "const [a, b] = process.versions.node.split('.').map(Number); \
                process.exit(a >= 24 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)";
    Command::new(node).args(["-e", fits]).status().is_ok_and(|status| status.success())
}

/// Returns go-ios' program, as it lies in npm's package; says so where there is none for this machine.
pub(crate) fn go_ios() -> Option<PathBuf> {
    let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let folder = format!("node_modules/go-ios/dist/go-ios-linux-{architecture}_linux_{architecture}");
    let program = iphone_clients().join(folder).join("ios");
    if !program.is_file() {
        eprintln!("skipped: go-ios, which tests/all.sh could not install into target/iphone-clients");
    }
    program.is_file().then_some(program)
}
