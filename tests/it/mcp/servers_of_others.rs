//! uixt's client with servers that others wrote, and with the suite that holds a client to the protocol.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::counterparts::{Running, wait_until};
use crate::support::npm::{clients, node};
use crate::support::{Ran, Test};

/// The suite's scenarios that the client passes.
const PASSED: &[&str] = &["initialize", "tools_call", "sse-retry", "elicitation-sep1034-client-defaults"];

/// The suite's other scenarios, by the start of their names, with the reason why they are not passed.
const LEFT: &[(&str, &str)] = &[(
    "auth/",
    "there is no OAuth: it wants a browser and a person, and a token is given by `headers` in the file of servers",
)];

/// The suite's program in npm's folder.
const SUITE: &str = "node_modules/.bin/conformance";

#[test]
fn the_client_holds_to_the_protocol() {
    let Some(folder) = clients() else { return };
    let client = super::exercise::command();
    for scenario in PASSED {
        let (is_content, stdout, stderr) =
            node(&folder, &[SUITE, "client", "--command", &client, "--scenario", scenario]);
        assert!(
            is_content && (stdout.contains("OVERALL: PASSED") || stderr.contains("OVERALL: PASSED")),
            "{stdout}{stderr}"
        );
    }
}

#[test]
fn every_scenario_is_passed_or_has_its_reason() {
    let Some(folder) = clients() else { return };
    let (_, stdout, stderr) = node(&folder, &[SUITE, "list", "--client"]);
    let lines = stdout.lines().chain(stderr.lines()).filter_map(|line| line.trim().strip_prefix("- "));
    let scenarios: Vec<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(scenarios.len() > 20, "{stdout}{stderr}");
    for scenario in scenarios {
        let reason = LEFT.iter().find(|(start, _)| scenario.starts_with(start)).map(|(_, reason)| *reason);
        assert!(PASSED.contains(&scenario) || reason.is_some(), "{scenario} is neither passed nor explained");
        println!("{scenario:45} {}", reason.unwrap_or("passed"));
    }
}

/// Runs `uixt mcp` with a file of servers of npm's.
fn mcp(folder: &Path, arguments: &[&str]) -> Ran {
    let program = folder.join("node_modules/.bin/node").display().to_string();
    let script = |path: &str| folder.join("node_modules").join(path).display().to_string();
    let browser = ["--headless", "--isolated", "--no-sandbox", "--executable-path", "/usr/bin/chromium"];
    let playwright: Vec<String> =
        std::iter::once(script("@playwright/mcp/cli.js")).chain(browser.map(str::to_owned)).collect();
    let file = json!({"mcpServers": {
        "everything": {"command": program, "args": [script("@modelcontextprotocol/server-everything/dist/index.js")]},
        "playwright": {"command": program, "args": playwright},
    }});
    Test::new(&[&["mcp"], arguments, &["--mcp-config", "mcp.json"]].concat()).file("mcp.json", file.to_string()).run()
}

#[test]
fn server_everything_is_called() {
    let Some(folder) = clients() else { return };
    mcp(&folder, &["call", "everything", "echo", r#"{"message": "hello"}"#]).code(0).prints("Echo: hello");
    mcp(&folder, &["call", "everything", "get-tiny-image", "{}"]).code(0).prints("[image image/png]");
    let weather =
        mcp(&folder, &["call", "everything", "get-structured-content", r#"{"location": "New York"}"#]).code(0);
    assert!(weather.printed()["temperature"].is_number(), "{}", weather.stdout);
    mcp(&folder, &["call", "everything", "echo", "{}"]).code(2).says("missing: message");
    mcp(&folder, &["call", "everything", "no-such-tool", "{}"]).code(2).says("no tool `no-such-tool`");
    let slow =
        ["call", "everything", "trigger-long-running-operation", r#"{"duration": 20, "steps": 4}"#, "--timeout", "1"];
    mcp(&folder, &slow).code(3).says("no answer within 1 s");
}

/// Returns a port that was free a moment ago: that server cannot pick one.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Starts server-everything at a URL, and returns a file that names it, with and without how it speaks.
fn over_http(folder: &Path, mode: &str, path: &str, port: u16) -> (Running, String) {
    let modules = folder.join("node_modules");
    let mut command = Command::new(modules.join(".bin/node"));
    command.arg(modules.join("@modelcontextprotocol/server-everything/dist/index.js")).arg(mode);
    command.env("PORT", port.to_string()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let running = Running(command.spawn().expect("node starts"));
    wait_until("the server listens", 20, || TcpStream::connect(("127.0.0.1", port)).is_ok());
    let url = format!("http://127.0.0.1:{port}{path}");
    let kind = if mode == "sse" { "sse" } else { "http" };
    let servers = json!({"bare": {"url": url}, "typed": {"type": kind, "url": url}});
    (running, json!({"mcpServers": servers}).to_string())
}

/// One that speaks the transport of before 2025-03-26 is found out, or said to be one.
#[test]
fn servers_are_called_over_http_old_and_new() {
    let Some(folder) = clients() else { return };
    for (mode, path, transport) in [("sse", "/sse", "sse"), ("streamableHttp", "/mcp", "http")] {
        let (_running, file) = over_http(&folder, mode, path, free_port());
        let mcp = |arguments: &[&str]| {
            Test::new(&[&["mcp"], arguments, &["--mcp-config", "mcp.json"]].concat())
                .file("mcp.json", file.clone())
                .run()
        };
        for server in ["bare", "typed"] {
            let called = mcp(&["call", server, "echo", r#"{"message": "hello"}"#]).code(0).prints("Echo: hello");
            assert_eq!(called.stderr, "", "{mode} {server}");
        }
        let listed = mcp(&["list", "--format", "json"]).code(0).printed();
        for server in listed["servers"].as_array().expect("servers") {
            assert_eq!((&server["state"], &server["transport"]), (&json!("ready"), &json!(transport)), "{listed}");
        }
    }
}

#[test]
fn playwright_is_called() {
    let Some(folder) = clients() else { return };
    let listed = mcp(&folder, &["list", "--format", "json"]).code(0).printed();
    let servers = listed["servers"].as_array().expect("servers");
    assert_eq!(servers.len(), 2, "{listed}");
    assert!(servers.iter().all(|server| server["state"] == "ready" && server["tools"].as_u64() > Some(10)), "{listed}");
    if !Path::new("/usr/bin/chromium").exists() {
        eprintln!("skipped: a page in playwright's browser, since there is no /usr/bin/chromium");
        return;
    }
    let page = r#"{"url": "data:text/html,<title>Hello</title>"}"#;
    mcp(&folder, &["call", "playwright", "browser_navigate", page, "--timeout", "60"])
        .code(0)
        .prints("Page Title: Hello");
}

fn mobile_mcp() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/mobile-mcp/node_modules");
    let mut alone = Command::new("unshare");
    alone.args(["--net", "--pid", "--fork", "--mount-proc", "true"]);
    let is_there = folder.is_dir() && alone.output().is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("skipped: mobile-mcp was not installed by tests/all.sh, or `unshare` may not make namespaces here");
    }
    is_there.then_some(folder)
}

/// mobile-mcp drives the virtual phone by adb, and uixt's client drives mobile-mcp.
#[test]
fn mobile_mcp_is_called() {
    let Some(modules) = mobile_mcp() else { return };
    let server = modules.join("@mobilenext/mobile-mcp/lib/index.js");
    let file = json!({"mcpServers": {"mobile": {"command": "node", "args": [server]}}}).to_string();
    let test = Test::new(&[]).file("mcp.json", file);
    let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/alone.sh"));
    let uixt = env!("CARGO_BIN_EXE_uixt");
    command.args([uixt, uixt, "mcp", "call", "mobile", "mobile_list_available_devices", "{}", "--mcp-config"]);
    let output = command.arg(test.path("mcp.json")).stdin(Stdio::null()).output().expect("the script starts");
    let ran = test.ran(&output).code(0);
    let devices: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert!(devices.to_string().contains("uixt-phone"), "{devices}");
}
