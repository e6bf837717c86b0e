//! `uixt mcp-server` with clients that others wrote, on standard input and output and over HTTP: they list and call tools of the phone.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::counterparts::client;
use crate::support::mcp_http::Server;
use crate::support::npm::{clients, node};
use crate::support::{items, text};

const UIXT: &str = env!("CARGO_BIN_EXE_uixt");

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
