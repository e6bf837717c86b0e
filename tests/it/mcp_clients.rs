//! `uixt mcp-server` with clients that others wrote, on standard input and output and over HTTP: they list and call tools of the phone.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::counterparts::client;
use crate::mcp_http::Server;
use crate::support::{items, text};

const UIXT: &str = env!("CARGO_BIN_EXE_uixt");

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

#[track_caller]
fn printed(folder: &Path, arguments: &[&str]) -> Value {
    let (is_content, stdout, stderr) = node(folder, arguments);
    assert!(is_content, "{arguments:?}\n{stdout}{stderr}");
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}\n{stdout}{stderr}"))
}

/// Holds what a client saw to what there is.
#[track_caller]
fn assert_drove(seen: &Value) {
    assert_eq!(seen["server"], "uixt");
    assert_eq!(seen["tools"].as_array().map(Vec::len), Some(17), "{seen}");
    assert!(items(&seen["tools"]).contains(&json!("uixt__tap")), "{seen}");
    assert_eq!(seen["undescribed"], json!([]));
    assert!(text(&seen["snapshot"]).contains("1080×2400 · virtual phone\\ne1 "), "{seen}");
    assert_eq!((&seen["tapped"], &seen["opened"]), (&json!([false, true]), &json!(true)));
    assert_eq!(seen["image"], json!(["image/png", "89504e470d0a1a0a"]));
    assert_eq!(seen["refused"], json!([true, "BadArgument"]));
    assert_eq!(seen["own_answers"], true);
}

#[test]
fn the_python_sdk_drives_the_phone() {
    assert_drove(&client("mcp_client.py", UIXT));
    let server = Server::start(&[]);
    assert_drove(&client("mcp_client.py", &server.url()));
}

#[test]
fn the_typescript_sdk_drives_the_phone() {
    let Some(folder) = clients() else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/mcp_sdk_client.mjs");
    let path = folder.display().to_string();
    assert_drove(&printed(&folder, &[script, &path, UIXT]));
    let server = Server::start(&[]);
    assert_drove(&printed(&folder, &[script, &path, &server.url()]));
}

#[test]
fn the_inspector_drives_the_phone() {
    let Some(folder) = clients() else { return };
    let server = Server::start(&[]);
    let url = server.url();
    for target in [&[UIXT, "mcp-server", "--device", "phone"][..], &[&url, "--transport", "http"]] {
        let inspect = |method: &[&str]| {
            let inspector = ["node_modules/.bin/mcp-inspector", "--cli"];
            printed(&folder, &[&inspector, target, &["--method"], method].concat())
        };
        let listed = inspect(&["tools/list"]);
        assert_eq!(listed["tools"].as_array().map(Vec::len), Some(17), "{listed}");
        let tap = ["tools/call", "--tool-name", "uixt__tap", "--tool-arg", "x=0.5", "--tool-arg", "y=0.25"];
        let tapped = inspect(&tap);
        assert_eq!(tapped["structuredContent"]["message"], "Tapped at 0.5, 0.25", "{tapped}");
    }
}
