//! The protocol's own conformance suite against `uixt mcp-server`: every scenario that it has for servers, without a warning.

use std::fs;

use serde_json::Value;

use crate::support::mcp_http::Server;
use crate::support::npm::{clients, node};

/// How many scenarios the suite has for servers, those for which it waits included.
const SCENARIOS: usize = 32;

#[test]
fn the_server_passes_every_scenario() {
    let Some(folder) = clients() else { return };
    let server = Server::start(&["--conformance-fixtures"]);
    let results = tempfile::tempdir().unwrap();
    let (url, output) = (server.url(), results.path().display().to_string());
    let suite = ["node_modules/.bin/conformance", "server", "--suite", "all", "--url", &url, "-o", &output];
    let (is_content, stdout, stderr) = node(&folder, &suite);
    assert!(is_content, "{stdout}{stderr}");
    let scenarios: Vec<_> = fs::read_dir(results.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(scenarios.len(), SCENARIOS, "{stdout}");
    for scenario in scenarios {
        let checks: Value = serde_json::from_slice(&fs::read(scenario.join("checks.json")).unwrap()).unwrap();
        let checks = checks.as_array().unwrap();
        let bad: Vec<_> =
            checks.iter().filter(|check| check["status"] != "SUCCESS" && check["status"] != "INFO").collect();
        assert!(bad.is_empty(), "{}: {bad:#?}", scenario.display());
        assert!(checks.iter().any(|check| check["status"] == "SUCCESS"), "{}: nothing was checked", scenario.display());
    }
}

#[test]
fn fixtures_are_there_only_when_asked_for() {
    let server = Server::start(&["--toolsets", "all"]);
    let session = server.session("2025-11-25");
    let ask = |method: &str| {
        session.say(&serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": method})).message().to_string()
    };
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        let listed = ask(method);
        assert!(!listed.contains("test_") && !listed.contains("test://"), "{method}: {listed}");
    }
}
