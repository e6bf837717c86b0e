//! Which walls stand, and that nothing runs without.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use super::{ask, only_python, run, server};
use crate::support::Test;

/// Tells whether bubblewrap works here; says why tests of it are skipped where it does not.
fn has_bubblewrap() -> bool {
    let mut tried = Command::new("bwrap");
    tried.args(["--unshare-all", "--ro-bind", "/", "/", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    let works = tried.status().is_ok_and(|status| status.success());
    if !works {
        eprintln!("skipped: bubblewrap is not installed, or makes no namespaces here");
    }
    works
}

#[test]
fn the_walls_that_stand_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut bare = server(&only_python(folder.path()), &[]);
    let walls = run(&mut bare, 1, "1")["walls"].clone();
    let walls: Vec<&str> = walls.as_array().expect("a list").iter().filter_map(|wall| wall.as_str()).collect();
    assert!(walls[0].starts_with("landlock ") && walls[1..] == ["seccomp", "limits"], "{walls:?}");
}

#[test]
fn bubblewrap_goes_around_where_it_works() {
    if !has_bubblewrap() {
        return;
    }
    let path = std::env::var_os("PATH").expect("a PATH");
    let mut wrapped = server(Path::new(&path), &[]);
    let answer =
        run(&mut wrapped, 1, "import os; (os.getpid() < 10, os.path.exists('/etc/passwd'), sorted(os.environ))");
    assert_eq!(answer["result"], json!([true, false, ["HOME", "LANG", "PATH"]]), "{answer}");
    assert!(answer["walls"].as_array().is_some_and(|walls| walls.contains(&json!("bubblewrap"))), "{answer}");
    for (id, code, name) in [
        (2, "open('/etc/passwd')", "FileNotFoundError"),
        (3, "import socket; socket.socket()", "PermissionError"),
        (4, "import os; os.fork()", "PermissionError"),
        (5, "import os; os._exit(3)", "SessionCrashed"),
        (6, "import ctypes; ctypes.string_at(8)", "SessionCrashed"),
    ] {
        let answer = run(&mut wrapped, id, code);
        assert_eq!(answer["details"]["code"], name, "{code}: {answer}");
    }
    let late = ask(&mut wrapped, 7, "execute", &json!({"code": "while True: pass", "timeout": 1}));
    assert_eq!(late["details"]["code"], "TimeoutError", "{late}");
    assert_eq!(run(&mut wrapped, 8, "1 + 1")["result"], 2);
}

#[test]
fn the_hidden_argument_starts_nothing_for_others() {
    Test::new(&["--behind-walls", "{}"]).run().code(3).says("it starts itself so, and nobody else does");
    Test::new(&["--behind-walls"]).run().code(3);
}

#[test]
fn without_a_python_it_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = server(folder.path(), &[]);
    let answer = run(&mut server, 1, "1");
    assert_eq!((&answer["kind"], &answer["details"]["code"]), (&json!("Unsupported"), &json!("NoPython")), "{answer}");
    let health = ask(&mut server, 2, "get_health_status", &json!({}));
    assert_eq!(health["status"], "unhealthy", "{health}");
}
