//! How sessions end, and that nothing is left of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{ask, only_python, run, server};
use crate::support::mcp_stdio::Server;

/// How long it may take until something is so that is so at once where nothing else runs.
const LONG: Duration = Duration::from_secs(20);

/// Returns the id that the system knows a session's Python by.
#[track_caller]
fn pid(server: &mut Server, id: u64) -> u64 {
    run(server, id, "import os; os.getpid()")["result"].as_u64().expect("a number")
}

/// Tells whether a process is there, and no corpse that somebody has yet to collect.
fn lives(pid: u64) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    status.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

#[track_caller]
fn gone(pid: u64) {
    let began = Instant::now();
    while lives(pid) {
        assert!(began.elapsed() < LONG, "the process {pid} lives on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the folder of a session's Python.
#[track_caller]
fn folder(server: &mut Server, id: u64) -> PathBuf {
    PathBuf::from(run(server, id, "import os; os.getcwd()")["result"].as_str().expect("a path"))
}

#[test]
fn a_killed_uixt_leaves_no_process_and_its_folders_go_with_the_next_start() {
    let temporary = tempfile::tempdir().expect("a folder");
    let path = only_python(temporary.path());
    let mut first = server(&path, &[]);
    let (process, work) = (pid(&mut first, 1), folder(&mut first, 2));
    assert!(lives(process) && work.is_dir());
    // In the middle of a code that would go on.
    first.send(3, "tools/call", &json!({"name": "microsandbox_execute", "arguments": {"code": "while True: pass"}}));
    reaches(process, 'R');
    first.process.0.kill().expect("killed");
    first.process.0.wait().expect("dead");
    gone(process);
    let mut second = server(&path, &[]);
    run(&mut second, 1, "1");
    assert!(!work.exists(), "{} is left", work.display());
}

/// Waits until a process is in a state: `R` works, `T` is stopped.
#[track_caller]
fn reaches(pid: u64, state: char) {
    let began = Instant::now();
    let status = || fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    while !status().rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(state)) {
        assert!(began.elapsed() < LONG, "it does not get to {state}: {}", status());
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn sessions_end_with_uixt_and_their_folders_with_them() {
    let temporary = tempfile::tempdir().expect("a folder");
    let mut server = server(&only_python(temporary.path()), &[]);
    let (process, work) = (pid(&mut server, 1), folder(&mut server, 2));
    let (code, rest) = server.close();
    assert_eq!((code, rest.len()), (Some(0), 0));
    gone(process);
    assert!(!work.exists() && !work.parent().is_some_and(Path::exists), "{} is left", work.display());
}

#[test]
fn a_call_that_is_given_up_ends_its_python() {
    let temporary = tempfile::tempdir().expect("a folder");
    let mut server = server(&only_python(temporary.path()), &[]);
    let process = pid(&mut server, 1);
    run(&mut server, 2, "x = 1");
    server.send(3, "tools/call", &json!({"name": "microsandbox_execute", "arguments": {"code": "while True: pass"}}));
    reaches(process, 'R');
    server.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}}).to_string());
    gone(process);
    let answer = run(&mut server, 4, "'x' in globals()");
    assert_eq!(answer["result"], false, "{answer}");
    assert!(answer["notes"][0].as_str().is_some_and(|note| note.contains("its last call was given up")), "{answer}");
}

#[test]
fn what_idles_takes_no_processor() {
    let temporary = tempfile::tempdir().expect("a folder");
    let mut server = server(&only_python(temporary.path()), &[]);
    let spin = "import os, threading\ndef spin():\n    while True: pass\nthreading.Thread(target=spin, daemon=True).start()\nos.getpid()";
    let process = run(&mut server, 1, spin)["result"].as_u64().expect("a number");
    reaches(process, 'T');
    assert_eq!(run(&mut server, 2, "1 + 1")["result"], 2);
}

#[test]
fn sessions_are_listed_closed_and_cleaned_up() {
    let temporary = tempfile::tempdir().expect("a folder");
    let mut server = server(&only_python(temporary.path()), &[]);
    for (id, name) in [(1, "a"), (2, "b")] {
        let code = format!("name = '{name}'");
        assert_eq!(ask(&mut server, id, "execute", &json!({"code": code, "session_id": name}))["session_id"], name);
    }
    let answer = ask(&mut server, 3, "execute", &json!({"code": "name", "session_id": "a"}));
    assert_eq!(answer["result"], "a", "each has its own variables");
    let listed = ask(&mut server, 4, "list_sessions", &json!({}));
    let told: Vec<(&Value, &Value)> = listed["sessions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|session| (&session["session_id"], &session["execution_count"]))
        .collect();
    assert_eq!(told, [(&json!("a"), &json!(2)), (&json!("b"), &json!(1))]);
    assert_eq!(listed["total_count"], 2);
    assert_eq!(ask(&mut server, 5, "close_session", &json!({"session_id": "a"}))["success"], true);
    let again = ask(&mut server, 6, "close_session", &json!({"session_id": "a"}));
    assert_eq!((&again["kind"], &again["details"]["code"]), (&json!("NotFound"), &json!("SessionNotFound")));
    assert_eq!(ask(&mut server, 7, "cleanup_expired", &json!({"max_age": 3600}))["count"], 0);
    let cleaned = ask(&mut server, 8, "cleanup_expired", &json!({"max_age": 0}));
    assert_eq!((&cleaned["cleaned_sessions"], &cleaned["count"]), (&json!(["b"]), &json!(1)));
    let stats = ask(&mut server, 9, "get_performance_stats", &json!({}));
    let figures = &stats["performance_stats"];
    assert_eq!((&figures["total_executions"], &figures["success_rate"]), (&json!(3), &json!(1.0)), "{stats}");
    assert_eq!(stats["active_sessions"], 0);
    let health = ask(&mut server, 10, "get_health_status", &json!({}));
    assert_eq!((&health["status"], &health["issues"]), (&json!("healthy"), &json!([])), "{health}");
}
