//! The protocol's own conformance suite against the server over HTTP, with what the suite asks of one beside the table: every scenario
//! that it has for servers, without a warning.

mod fixtures;

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use uixt::driver::Registry;
use uixt::mcp::http::{Admission, Bounds, Http, PATH};
use uixt::mcp::server::Server;
use uixt::tools::{self, Audience, Local};
use uixt_toolkit::Session;

use self::fixtures::Fixtures;
use crate::support::npm::{clients, node};

/// How many scenarios the suite has for servers, those for which it waits included.
const SCENARIOS: usize = 32;

fn server() -> Server {
    let registry = Arc::new(Registry::new(Vec::new()));
    let local = Local::new(registry, Arc::new(Session::default()), Audience::Agent);
    let server = Server::new(tools::table(), Arc::new(local), &[], Arc::default());
    let fixtures = Fixtures::new(server.connection());
    server.with(Arc::new(fixtures))
}

/// Serves as long as the runtime lives.
async fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let http = Http {
        admission: Admission::default(),
        bounds: Bounds { sessions: 64, idle: Duration::from_mins(5) },
        make: Arc::new(server),
        shared: Arc::new(server()),
        others: axum::Router::new(),
    };
    tokio::spawn(http.serve(listener, CancellationToken::new()));
    address
}

#[test]
fn the_server_passes_every_scenario() {
    let Some(folder) = clients() else { return };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let address = runtime.block_on(serve());
    let results = tempfile::tempdir().unwrap();
    let (url, output) = (format!("http://{address}{PATH}"), results.path().display().to_string());
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
