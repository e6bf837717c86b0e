//! How sessions end: idle, killed, without their device; and what a call meets then.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::{Duration, Instant};

use super::profiles;
use super::project::{Project, Ran, runs};
use crate::support::counterparts::{Phone, program, signal, wait_until};

/// Sends a signal, named as `kill` names it.
fn send(name: &str, pid: u64) {
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {pid}")]).status().expect("sh starts");
    assert!(status.success());
}

fn kill(pid: u64) {
    send("KILL", pid);
    wait_until("it is killed", 5, || !runs(pid));
}

#[test]
fn an_idle_session_leaves_nothing() {
    let project = Project::with(&["--device", "phone", "--idle", "3"]);
    let pid = project.pid();
    // A call that lasts longer is no idleness.
    project.call(&["sleep", "3.5"]);
    assert!(runs(pid));
    wait_until("it ends by itself", 15, || !runs(pid));
    project.assert_nothing_is_left(pid);
    project.run(&["call", "log", "a"]).code(0);
}

#[test]
fn a_session_that_was_killed_is_told_once_and_leaves_nothing() {
    let project = Project::with(&["--device", "phone"]);
    let pid = project.pid();
    kill(pid);
    project.run(&["call", "log", "a"]).code(3).says("was killed").says("`uixt session start`");
    project.assert_nothing_is_left(pid);
    project.run(&["call", "log", "a"]).code(0);
    project.run(&["session", "start", "--device", "phone"]).code(0);
    kill(project.pid());
    project.run(&["session", "start", "--device", "phone"]).code(0);
    project.call(&["log", "a"]);
    kill(project.pid());
    assert_eq!(project.list(), serde_json::json!([]));
    assert!(fs::read_dir(project.path("run")).unwrap().next().is_none());
}

#[test]
fn a_browser_ends_with_a_session_that_was_killed() {
    program("chromium");
    let project = Project::with(&["--device", "browser"]);
    let pid = project.pid();
    let profiles = profiles(pid);
    assert_eq!(profiles.len(), 1);
    kill(pid);
    wait_until("its profile is removed", 10, || !std::path::Path::new(&profiles[0]).exists());
}

#[test]
fn a_call_in_the_middle_of_which_the_session_is_killed_ends() {
    let project = Project::with(&["--device", "phone"]);
    let pid = project.pid();
    let call = project.command(&["call", "sleep", "60"]).stderr(std::process::Stdio::piped()).spawn().unwrap();
    wait_until("the call is under way", 5, || project.list()[0]["idle"] == 0 && under_way(&call));
    kill(pid);
    let output = call.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("ended before it answered"));
}

/// Tells whether a process waits for something, as a call does for its answer.
fn under_way(call: &std::process::Child) -> bool {
    std::thread::sleep(Duration::from_millis(300));
    runs(call.id().into())
}

#[test]
fn ctrl_c_ends_the_call_and_not_the_session() {
    let project = Project::with(&["--device", "phone"]);
    let mut call =
        project.command(&["call", "wait_for", "{\"text\": \"Nothing like it\", \"timeout\": 60}"]).spawn().unwrap();
    assert!(under_way(&call));
    signal(&call, "INT");
    assert_eq!(call.wait().unwrap().code(), None);
    // It would hold the phone's turn for a minute.
    let began = Instant::now();
    project.call(&["home"]);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn a_device_that_is_gone_is_an_error_of_the_next_call() {
    let phone = Phone::start();
    let project = Project::with(&["--device", "android:uixt-phone", "--adb-server", &phone.address()]);
    project.call(&["home"]);
    drop(phone);
    assert_eq!(project.run(&["call", "home"]).code(3).json()["kind"], "Transport");
    project.run(&["session", "stop"]).code(0);
}

#[test]
fn another_build_is_told_and_can_end_the_session_all_the_same() {
    let project = Project::with(&["--device", "phone"]);
    let pid = project.pid();
    let other = project.path("other-uixt");
    fs::copy(env!("CARGO_BIN_EXE_uixt"), &other).unwrap();
    let run = |arguments: &[&str]| Ran::of(&mut project.of(&other, arguments));
    run(&["call", "log", "a"]).code(3).says("started by another build of uixt").says("`uixt session stop` ends it");
    assert!(run(&["session", "list"]).code(0).stdout.contains("android:uixt-phone"));
    run(&["session", "stop"]).code(0);
    project.assert_nothing_is_left(pid);
}

#[test]
fn a_session_that_hangs_is_told() {
    let project = Project::with(&["--device", "phone"]);
    let pid = project.pid();
    send("STOP", pid);
    project.run(&["call", "log", "a"]).code(3).says("does not answer");
    send("CONT", pid);
    project.call(&["log", "a"]);
}

#[test]
fn nonsense_at_the_socket_harms_nobody() {
    let project = Project::with(&["--device", "phone"]);
    let socket = fs::read_dir(project.path("run/uixt")).unwrap().next().unwrap().unwrap().path();
    for line in ["nonsense\n", "{}\n", "\n", "[]\n", "{\"build\": 5, \"call\": {}}\n"] {
        let mut stream = UnixStream::connect(&socket).unwrap();
        stream.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).unwrap();
        assert!(answer.starts_with("{\"refused\":"), "{line}: {answer}");
    }
    drop(UnixStream::connect(&socket).unwrap());
    project.call(&["log", "a"]);
}

#[test]
fn a_start_that_is_given_up_leaves_no_process() {
    // An adb server that never answers.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let server = listener.local_addr().unwrap().to_string();
    let project = Project::new();
    let device = ["session", "start", "--device", "android:none", "--adb-server", &server];
    let mut start = project.command(&device).spawn().unwrap();
    let pattern = format!("in-background .*{server}");
    let background = || {
        let output = Command::new("pgrep").args(["-f", &pattern]).output().expect("pgrep starts");
        String::from_utf8_lossy(&output.stdout).trim().parse::<u64>().ok()
    };
    wait_until("the process in the background begins", 10, || background().is_some());
    let _asked = listener.accept().unwrap();
    start.kill().unwrap();
    start.wait().unwrap();
    wait_until("it ends, too", 10, || background().is_none_or(|pid| !runs(pid)));
}

#[test]
fn of_several_that_start_at_once_one_listens() {
    let project = Project::new();
    let codes: Vec<Option<i32>> = std::thread::scope(|scope| {
        let start = || project.run(&["session", "start", "--device", "phone"]).code;
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(start)).collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    assert_eq!(codes.iter().filter(|code| **code == Some(0)).count(), 1, "{codes:?}");
    assert_eq!(codes.iter().filter(|code| **code == Some(2)).count(), 5, "{codes:?}");
    project.call(&["log", "a"]);
}
