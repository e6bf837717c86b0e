//! A `uixt mcp-server --http`, and sessions with it.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::counterparts::Running;
use crate::support::http::{Answer, ask};

/// The versions of the protocol that have sessions.
pub(crate) const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
pub(crate) const STATELESS: &str = "2026-07-28";
pub(crate) const BOTH: (&str, &str) = ("Accept", "application/json, text/event-stream");
pub(crate) const JSON: (&str, &str) = ("Content-Type", "application/json");

/// A server over HTTP.
pub(crate) struct Server {
    pub(crate) process: Running,
    pub(crate) address: String,
    /// Where it keeps its data.
    _data: tempfile::TempDir,
}

/// A session with a server.
pub(crate) struct Session<'a> {
    address: &'a str,
    id: String,
    version: &'static str,
}

impl Server {
    /// Starts a server of the embedded phone.
    pub(crate) fn start(options: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", &[&["--device", "phone"], options].concat(), None)
    }

    #[track_caller]
    pub(crate) fn start_at(address: &str, options: &[&str], token: Option<&str>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
        command.args(["mcp-server", "--http", address]).args(options).env_remove("UIXT_DEVICE");
        command.env_remove("UIXT_MCP_TOKEN").envs(token.map(|token| ("UIXT_MCP_TOKEN", token)));
        let data = tempfile::tempdir().expect("a folder");
        command.env("UIXT_DATA_DIR", data.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = Running(command.spawn().expect("the server starts"));
        let mut line = String::new();
        BufReader::new(process.0.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("http://").and_then(|url| url.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("no address: {line}")).replace("0.0.0.0", "127.0.0.1");
        Self { process, address, _data: data }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    #[track_caller]
    pub(crate) fn post(&self, lines: &[(&str, &str)], message: &Value) -> Answer {
        post(&self.address, lines, message)
    }

    #[track_caller]
    pub(crate) fn session(&self, version: &'static str) -> Session<'_> {
        session_at(&self.address, version)
    }

    /// Sends a request of the version without sessions.
    #[track_caller]
    pub(crate) fn stateless(&self, method: &str, name: Option<&str>, mut params: Value) -> Answer {
        params["_meta"] = meta();
        let name = name.map(|name| ("Mcp-Name", name));
        let lines: Vec<_> =
            [("MCP-Protocol-Version", STATELESS), ("Mcp-Method", method)].into_iter().chain(name).collect();
        self.post(&lines, &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    }

    /// Returns what the server said on standard error, once it has ended.
    pub(crate) fn said(&mut self) -> String {
        let mut said = String::new();
        self.process.0.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
        said
    }
}

/// Sends a message as a client does.
#[track_caller]
fn post(address: &str, lines: &[(&str, &str)], message: &Value) -> Answer {
    let missing = [BOTH, JSON].into_iter().filter(|(name, _)| lines.iter().all(|(given, _)| given != name));
    let lines: Vec<_> = missing.chain(lines.iter().copied()).collect();
    ask(address, "POST", "/mcp", &lines, &message.to_string())
}

/// Says hello to the server at an address.
#[track_caller]
pub(crate) fn session_at<'a>(address: &'a str, version: &'static str) -> Session<'a> {
    let hello = post(address, &[], &initialize(version));
    assert_eq!(hello.status, 200, "{}", hello.head);
    let id = hello.line("mcp-session-id").expect("a session").to_owned();
    let hello = hello.message();
    assert_eq!(hello["result"]["protocolVersion"], version, "{hello}");
    assert_eq!(hello["result"]["serverInfo"]["name"], "uixt");
    let session = Session { address, id, version };
    assert_eq!(session.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).status, 202);
    session
}

/// What each request of the version without sessions carries.
pub(crate) fn meta() -> Value {
    let of = |name: &str| format!("io.modelcontextprotocol/{name}");
    let client = json!({"name": "test", "version": "0"});
    json!({of("protocolVersion"): STATELESS, of("clientInfo"): client, of("clientCapabilities"): {}})
}

pub(crate) fn initialize(version: &str) -> Value {
    let client = json!({"name": "test", "version": "0"});
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
}

pub(crate) fn call(id: u64, tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

impl Session<'_> {
    pub(crate) fn lines<'b>(&'b self, more: &[(&'b str, &'b str)]) -> Vec<(&'b str, &'b str)> {
        let own = [("Mcp-Session-Id", self.id.as_str()), ("MCP-Protocol-Version", self.version)];
        own.into_iter().chain(more.iter().copied()).collect()
    }

    #[track_caller]
    pub(crate) fn say(&self, message: &Value) -> Answer {
        post(self.address, &self.lines(&[]), message)
    }

    #[track_caller]
    pub(crate) fn call(&self, id: u64, tool: &str, arguments: &Value) -> Value {
        let answer = self.say(&call(id, tool, arguments)).message();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].clone()
    }

    pub(crate) fn get(&self, more: &[(&str, &str)]) -> Answer {
        ask(self.address, "GET", "/mcp", &self.lines(&[&[BOTH], more].concat()), "")
    }

    pub(crate) fn end(&self) -> Answer {
        ask(self.address, "DELETE", "/mcp", &self.lines(&[]), "")
    }

    pub(crate) fn is_there(&self) -> bool {
        self.say(&json!({"jsonrpc": "2.0", "id": 9, "method": "ping"})).status == 200
    }
}
