//! What the tests try the program with: programs that others wrote, and our own phone in a process of its own.
//!
//! A program that is missing fails the test that needs it; `tests/all.sh` installs them.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{items, text};

/// Returns the path of a program that must be there.
#[track_caller]
pub(crate) fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("`{name}` is not on the PATH: run tests/all.sh, which installs what tests need"))
}

fn in_tests(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Runs a script of tests/clients with the Python that `tests/all.sh` prepares; returns what it printed.
#[track_caller]
pub(crate) fn client(script: &str, argument: &str) -> Value {
    client_of(script, &[argument])
}

/// The same with several arguments.
#[track_caller]
pub(crate) fn client_of(script: &str, arguments: &[&str]) -> Value {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-venv/bin/python");
    assert!(python.is_file(), "there is no {}: run tests/all.sh, which makes it", python.display());
    let mut command = Command::new(python);
    command.arg(in_tests("clients").join(script)).args(arguments).env_remove("UIXT_DEVICE");
    let output = command.stdin(Stdio::null()).output().expect("python starts");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{script} failed:\n{stdout}{stderr}");
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{script}: {error}\n{stdout}{stderr}"))
}

/// Fails where a client found an operation wrong, or where fewer than so many were tried.
#[track_caller]
pub(crate) fn judged(told: &Value, least: usize) {
    let (right, wrong) = (items(&told["right"]), items(&told["wrong"]));
    let wrong: Vec<&str> = wrong.iter().map(text).collect();
    assert!(wrong.is_empty(), "wrong, beside {} that were right:\n{}", right.len(), wrong.join("\n"));
    assert!(right.len() >= least, "only {} operations: {right:?}", right.len());
    eprintln!("{} operations right", right.len());
}

/// Holds a junit.xml to the schema.
#[track_caller]
pub(crate) fn assert_valid_junit(path: &Path) {
    let mut command = Command::new(program("xmllint"));
    command.args(["--noout", "--nonet", "--schema"]).arg(in_tests("schema/junit-10.xsd")).arg(path);
    let output = command.output().expect("xmllint starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Returns a command that may use so much memory (its address space, in MiB) and processor time at most; beyond that it is killed.
pub(crate) fn limited(command: &Command, mebibytes: u32, seconds: u32) -> Command {
    let mut limited = Command::new(program("sh"));
    limited.arg("-c").arg(format!("ulimit -v {} && ulimit -t {seconds} && exec \"$@\"", mebibytes * 1024)).arg("sh");
    limited.arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
    limited.current_dir(command.get_current_dir().expect("a folder"));
    limited
}

/// Sends a signal, named as `kill` names it, to a process that the test started.
pub(crate) fn signal(process: &Child, name: &str) {
    let script = format!("kill -{name} {}", process.id());
    let status = Command::new(program("sh")).args(["-c", &script]).status().expect("sh starts");
    assert!(status.success(), "{script}");
}

/// Waits until something is so; fails after `seconds`.
#[track_caller]
pub(crate) fn wait_until(what: &str, seconds: u64, mut so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(seconds);
    while !so() {
        assert!(Instant::now() < end, "not within {seconds} s: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A process that is ended when the test ends, however it does.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    /// Waits for the end of the process; fails after `seconds`.
    #[track_caller]
    pub(crate) fn ended(&mut self, seconds: u64) -> Option<i32> {
        let mut status = None;
        wait_until("the process ends", seconds, || {
            status = self.0.try_wait().expect("a process to wait for");
            status.is_some()
        });
        status.expect("it ended").code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The virtual phone in a process of its own, on a free port.
pub(crate) struct Phone {
    pub(crate) process: Running,
    pub(crate) port: u16,
    /// Ports of the adbds, where there are any.
    pub(crate) adbds: Vec<u16>,
}

impl Phone {
    pub(crate) fn start() -> Self {
        Self::start_with(&[], 0)
    }

    /// Starts it with more arguments, so that it has so many adbds.
    #[track_caller]
    pub(crate) fn start_with(arguments: &[&str], adbds: usize) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
        command.args(["phone", "--port", "0"]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = Running(command.spawn().expect("the phone starts"));
        let mut lines = BufReader::new(process.0.stdout.take().expect("a pipe")).lines();
        let mut port = || {
            let line = lines.next().expect("a line").expect("a text");
            let port = line.strip_prefix("127.0.0.1:").and_then(|port| port.parse().ok());
            port.unwrap_or_else(|| panic!("the phone said: {line}"))
        };
        let (port, adbds) = (port(), (0..adbds).map(|_| port()).collect());
        Self { process, port, adbds }
    }

    /// Returns the address as `--adb-server` takes it.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Runs Debian's adb against the phone, never against an adb server of the machine.
    pub(crate) fn adb(&self, arguments: &[&str]) -> Output {
        let port = self.port.to_string();
        let mut command = Command::new(program("adb"));
        command.args(["-P", &port]).args(arguments).stdin(Stdio::null());
        command.env("ANDROID_ADB_SERVER_PORT", &port).env_remove("ADB_SERVER_SOCKET").env_remove("ANDROID_SERIAL");
        let output = command.output().expect("adb starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("daemon"), "adb took the phone for no server: {said}");
        output
    }

    /// Runs a command in the phone's shell that must succeed.
    #[track_caller]
    pub(crate) fn shell(&self, script: &str) -> String {
        let output = self.adb(&["shell", script]);
        assert!(output.status.success(), "{script}: {output:?}");
        String::from_utf8(output.stdout).expect("a text")
    }
}

/// Virtual iPhones in a process of their own, on free ports.
pub(crate) struct Iphones {
    _process: Running,
    /// What the process said, line by line: an address of each phone's WDA, then what else was asked for.
    lines: Vec<String>,
}

impl Iphones {
    /// Starts them with more arguments.
    #[track_caller]
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
        command.args(["phone", "--ios", "--port", "0"]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = Running(command.spawn().expect("the iPhones start"));
        let lines = BufReader::new(process.0.stdout.take().expect("a pipe")).lines();
        let number = |name| arguments.iter().position(|word| *word == name).and_then(|at| arguments.get(at + 1));
        let count = number("--count").map_or(1, |count| count.parse().expect("a number"));
        let wanted: usize = count + usize::from(number("--usbmuxd").is_some());
        let lines: Vec<String> = lines.take(wanted).map(|line| line.expect("a text")).collect();
        assert_eq!(lines.len(), wanted, "the iPhones said: {lines:?}");
        Self { _process: process, lines }
    }

    /// Returns the address of a phone's WDA.
    pub(crate) fn address(&self, number: usize) -> String {
        format!("http://{}", self.lines[number])
    }

    /// Returns what `USBMUXD_SOCKET_ADDRESS` is for them.
    pub(crate) fn usbmuxd(&self) -> &str {
        self.lines.last().expect("an address")
    }

    pub(crate) fn udid(number: u64) -> String {
        uixt::phone::IphoneOptions::udid_of(number)
    }
}

/// Virtual Harmony phones in a process of their own, on a free port.
pub(crate) struct Harmonies {
    _process: Running,
    address: String,
}

impl Harmonies {
    /// Starts them with more arguments.
    #[track_caller]
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
        command.args(["phone", "--harmony", "--port", "0"]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = Running(command.spawn().expect("the phones start"));
        let mut lines = BufReader::new(process.0.stdout.take().expect("a pipe")).lines();
        let address = lines.next().expect("an address").expect("a text");
        Self { _process: process, address }
    }

    /// Returns where their hdc server is: `HOST:PORT`.
    pub(crate) fn address(&self) -> String {
        self.address.clone()
    }
}
