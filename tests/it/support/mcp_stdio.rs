//! A `uixt mcp-server` that is spoken to line by line.

use std::io::{BufRead, BufReader, Write as _};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::counterparts::Running;

/// A server that is spoken to line by line.
pub(crate) struct Server {
    pub(crate) process: Running,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Where it keeps its data, where the test does not say.
    _data: Option<tempfile::TempDir>,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    pub(crate) fn start_with(options: &[&str]) -> Self {
        Self::start_on(&["--device", "phone"], options)
    }

    /// Starts a server on other devices than the embedded phone.
    pub(crate) fn start_on(devices: &[&str], options: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
        command.arg("mcp-server").args(devices).args(options).env_remove("UIXT_DEVICE");
        let data = tempfile::tempdir().expect("a folder");
        command.env("UIXT_DATA_DIR", data.path());
        Self { _data: Some(data), ..Self::of(command) }
    }

    /// Starts a server by its whole command.
    pub(crate) fn of(command: Command) -> Self {
        Self::saying(command, Stdio::null())
    }

    /// Starts a server by its whole command; what it says beside the protocol goes somewhere.
    pub(crate) fn saying(mut command: Command, said: Stdio) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(said);
        let mut process = Running(command.spawn().expect("the server starts"));
        let output = BufReader::new(process.0.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        // Ends with the process, whose output it reads.
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self { input: process.0.stdin.take(), process, lines, _data: None }
    }

    /// Starts a server and says hello.
    pub(crate) fn initialized() -> Self {
        let mut server = Self::start();
        let answer = server.initialize();
        assert_eq!(answer["result"]["serverInfo"]["name"], "uixt");
        server
    }

    pub(crate) fn initialize(&mut self) -> Value {
        let client = json!({"name": "test", "version": "0"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let answer = self.ask(0, "initialize", &params);
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        answer
    }

    pub(crate) fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().expect("open"), "{line}").expect("the server reads");
    }

    /// Writes a part of a line.
    pub(crate) fn write(&mut self, part: &str) {
        self.input.as_mut().expect("open").write_all(part.as_bytes()).expect("the server reads");
    }

    pub(crate) fn send(&mut self, id: u64, method: &str, params: &Value) {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
    }

    /// Returns the next line, which must be a message.
    #[track_caller]
    pub(crate) fn hear(&mut self) -> Value {
        let line = self.lines.recv_timeout(Duration::from_secs(30)).expect("an answer within 30 s");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("no message: {error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// Returns the answer to a request, and what was notified before it.
    #[track_caller]
    pub(crate) fn hear_answer(&mut self, id: u64) -> (Value, Vec<Value>) {
        let mut notified = Vec::new();
        loop {
            let message = self.hear();
            if message["id"] == id {
                return (message, notified);
            }
            assert!(message["method"].is_string(), "an answer to something else: {message}");
            notified.push(message);
        }
    }

    /// Tells whether nothing is said for a while.
    pub(crate) fn is_silent(&mut self, milliseconds: u64) -> bool {
        self.lines.recv_timeout(Duration::from_millis(milliseconds)).is_err()
    }

    #[track_caller]
    pub(crate) fn ask(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.send(id, method, params);
        // A busy machine makes calls slow, and the server says so.
        let is_slow = |message: &Value| {
            message["params"]["data"]["message"].as_str().is_some_and(|said| said.starts_with("slow: "))
        };
        let answer = loop {
            let message = self.hear();
            if !is_slow(&message) {
                break message;
            }
        };
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    #[track_caller]
    pub(crate) fn call(&mut self, id: u64, tool: &str, arguments: &Value) -> Value {
        self.ask(id, "tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Closes the server's input; returns the exit code and whether it said anything more.
    #[track_caller]
    pub(crate) fn close(mut self) -> (Option<i32>, Vec<String>) {
        drop(self.input.take());
        // Calls in flight have 5 s to be answered.
        let code = self.process.ended(10);
        (code, self.lines.iter().collect())
    }
}
