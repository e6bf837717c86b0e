//! Debian's Redis on a port of its own, and machines that share a queue there.

use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::support::counterparts::{Running, program, wait_until};
use crate::support::{Ran, Test, items, text};

/// Debian's Redis on a port of its own, which keeps nothing.
pub(crate) struct Redis {
    process: Option<Running>,
    pub(crate) port: u16,
    arguments: Vec<String>,
}

impl Redis {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let mut redis = Self { process: None, port, arguments: arguments.iter().map(ToString::to_string).collect() };
        redis.start_again();
        redis
    }

    pub(crate) fn start_again(&mut self) {
        let mut command = Command::new(program("redis-server"));
        let port = self.port.to_string();
        command
            .args(["--port", &port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .args(self.arguments.iter().map(|argument| argument.replace("PORT", &port)));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.process = Some(Running(command.spawn().expect("redis-server starts")));
        wait_until("Redis listens", 20, || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    pub(crate) fn kill(&mut self) {
        self.process = None;
    }

    pub(crate) fn queue(&self, account: &str) -> String {
        format!("redis://{account}127.0.0.1:{}/build-7", self.port)
    }
}

/// A folder of testcases that several machines have.
pub(crate) struct Checkout(pub(crate) TempDir);

impl Checkout {
    pub(crate) fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.yaml"), text).expect("a file");
        Self(folder)
    }

    pub(crate) fn start(&self, queue: &str, host: &str, more: &[&str]) -> Child {
        let mut command = Test::new(&[]).command();
        command.args(["run", "a.yaml", "--queue", queue, "--queue-host", host, "--report-dir", host]).args(more);
        command.current_dir(self.0.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it starts")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Tells whether a host's journal holds a text.
    pub(crate) fn says(&self, host: &str, part: &str) -> bool {
        std::fs::read_to_string(self.path(host).join("journal.jsonl")).unwrap_or_default().contains(part)
    }
}

pub(crate) fn ended(process: Child) -> (Option<i32>, String) {
    let output = process.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Gathers what all did; returns the outcome of each case, by its name.
pub(crate) fn drained(queue: &str) -> (Ran, BTreeMap<String, Vec<String>>) {
    let ran = Test::new(&["queue", "drain", queue, "--output", "all"]).run();
    let mut outcomes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for case in items(&ran.json("all/summary.json")["cases"]) {
        outcomes.entry(text(&case["name"]).to_owned()).or_default().push(text(&case["outcome"]).to_owned());
    }
    (ran, outcomes)
}
