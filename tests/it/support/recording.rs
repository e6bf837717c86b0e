//! What is recorded of an agent's session, and what is kept of recordings.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::counterparts::Running;

const ENVIRONMENT: (&str, &str) = ("PASSWORD", "secret123");

/// An agent's session over MCP that is recorded.
pub(crate) struct Agent {
    pub(crate) process: Running,
    pub(crate) input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    calls: u64,
    pub(crate) snapshot: String,
}

impl Agent {
    pub(crate) fn start(file: &Path, options: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
        command.arg("mcp-server").args(options).arg("--record").arg(file).env_remove("UIXT_DEVICE");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = Running(command.spawn().expect("the server starts"));
        let output = BufReader::new(process.0.stdout.take().expect("a pipe"));
        let mut agent = Self { input: process.0.stdin.take(), process, output, calls: 0, snapshot: String::new() };
        let client = json!({"name": "test", "version": "0"});
        agent.ask("initialize", &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}));
        agent.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        agent
    }

    pub(crate) fn say(&mut self, message: &Value) {
        writeln!(self.input.as_mut().expect("open"), "{message}").expect("the server reads");
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.calls += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("a line") > 0, "the server is gone");
            let answer: Value = serde_json::from_str(&line).expect("a message");
            if answer["id"] == self.calls {
                assert!(!line.contains("call_records"), "what is for the recorder is told to nobody else: {line}");
                return answer;
            }
        }
    }

    /// Makes a call and returns its answer, whatever it is.
    #[expect(clippy::needless_pass_by_value, reason = "a literal reads better without a reference")]
    pub(crate) fn try_call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        answer["result"]["structuredContent"].clone()
    }

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a literal reads better without a reference")]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.try_call(tool, arguments.clone());
        assert_eq!(answer["success"], true, "{tool} {arguments}: {answer}");
        answer
    }

    /// Taps a point that is given in pixels of a screen of 1080×2400.
    pub(crate) fn tap(&mut self, x: f64, y: f64) {
        self.call("tap_xy", json!({"x": x / 1080.0, "y": y / 2400.0}));
    }

    pub(crate) fn look(&mut self) {
        let answer = self.call("snapshot", json!({}));
        self.snapshot = answer["snapshot"].as_str().expect("a text").into();
    }

    /// Returns the ref of what the last snapshot calls by a name.
    #[track_caller]
    pub(crate) fn named(&self, name: &str) -> Value {
        let line = self.snapshot.lines().find(|line| line.contains(&format!("\"{name}\"")));
        let line = line.unwrap_or_else(|| panic!("no {name} in\n{}", self.snapshot));
        json!({"ref": line.split(' ').next().expect("a ref")})
    }

    /// Returns the middle of what bears a text, in fractions, as an agent takes it from a picture.
    #[track_caller]
    pub(crate) fn place(&mut self, text: &str, which: usize) -> Value {
        let source = self.call("get_source", json!({}))["source"].as_str().expect("a text").to_owned();
        let numbers = |text: &str| -> Vec<f64> {
            let parts = text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
            parts.map(|part| part.parse().expect("a number")).collect()
        };
        let bounds =
            |node: &str| numbers(node.split("bounds=\"").nth(1).expect("bounds").split('"').next().expect("an end"));
        let nodes: Vec<&str> = source.split("<node ").collect();
        let whole = bounds(nodes[1]);
        let node = nodes.iter().filter(|node| node.contains(&format!(" text=\"{text}\""))).nth(which);
        let at = bounds(node.unwrap_or_else(|| panic!("no {text}")));
        json!({"x": f64::midpoint(at[0], at[2]) / whole[2], "y": f64::midpoint(at[1], at[3]) / whole[3]})
    }

    pub(crate) fn end(mut self) {
        drop(self.input.take());
        assert_eq!(self.process.ended(20), Some(0));
    }
}

/// Compares what was recorded with what is kept, which `UIXT_BLESS=1` makes it.
#[track_caller]
pub(crate) fn assert_kept(name: &str, recorded: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded").join(name);
    if std::env::var_os("UIXT_BLESS").is_some() {
        fs::write(&path, recorded).expect("written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(recorded, kept, "{}", path.display());
}

pub(crate) fn folder() -> (tempfile::TempDir, impl Fn(&str) -> PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().to_owned();
    (folder, move |name: &str| root.join(name))
}

fn uixt(arguments: &[&str], file: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
    command.args(arguments).arg(file).current_dir(file.parent().expect("a folder")).env_remove("UIXT_DEVICE");
    let output = command.env(ENVIRONMENT.0, ENVIRONMENT.1).env("NO_COLOR", "1").output().expect("it starts");
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    (output.status.code(), text)
}

#[track_caller]
pub(crate) fn assert_runs(arguments: &[&str], file: &Path, code: i32) {
    let (ended, told) = uixt(arguments, file);
    assert_eq!(ended, Some(code), "{told}\n{}", fs::read_to_string(file).unwrap_or_default());
}

/// Runs testcases side by side, each in a folder and on a device of its own; returns how they ended.
pub(crate) fn runs(device: &str, cases: &[(PathBuf, String)]) -> Vec<Option<i32>> {
    std::thread::scope(|scope| {
        let run = |(file, text): &(PathBuf, String)| {
            fs::create_dir(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, text).expect("written");
            uixt(&["run", "--device", device], file).0
        };
        let running: Vec<_> = cases.iter().map(|case| scope.spawn(move || run(case))).collect();
        running.into_iter().map(|run| run.join().expect("it ends")).collect()
    })
}
