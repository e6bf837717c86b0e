//! What codes try against their walls: none of it gets out, and each try ends with an error of its own.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{ask, only_python, server};

/// The tries; the file says how they are written.
const TRIES: &str = include_str!("attacks.txt");

struct Try {
    name: String,
    code: String,
    wanted: String,
}

/// Reads the tries, with the places of this test put in.
fn tries(outside: &Path, pid: u32) -> Vec<Try> {
    let home = std::env::var("HOME").expect("a home");
    let places = [
        ("@HOME@", home.as_str()),
        ("@PROJECT@", env!("CARGO_MANIFEST_DIR")),
        ("@OUTSIDE@", outside.to_str().expect("UTF-8")),
    ];
    let text =
        places.iter().fold(TRIES.replace("@PID@", &pid.to_string()), |text, (name, place)| text.replace(name, place));
    let read = |block: &str| {
        let (name, rest) = block.split_once('\n').expect("a name");
        let (code, wanted) = rest.rsplit_once("\n=> ").unwrap_or_else(|| panic!("{name}: what must come of it?"));
        Try { name: name.to_owned(), code: code.to_owned(), wanted: wanted.trim().to_owned() }
    };
    text.split("\n--- ").skip(1).map(read).collect()
}

/// Says what came of a try, as the file has it.
fn came(answer: &Value) -> String {
    let details = &answer["details"];
    let code = details["code"].as_str().unwrap_or_default();
    let return_code = &details["return_code"];
    match (answer["success"] == true, code) {
        (true, _) => format!("gives {}", answer["result"]),
        (false, "SystemExit") => format!("exits {return_code}"),
        (false, _) if return_code == &json!(1) => format!("raises {code}"),
        (false, _) => format!("ends {code}"),
    }
}

/// Tells whether that is what must come of it.
fn is_wanted(wanted: &str, came: &str) -> bool {
    match wanted.split_once(' ') {
        Some(("gives", value)) => {
            let value: Value = serde_json::from_str(value).unwrap_or_else(|error| panic!("{wanted}: {error}"));
            came == format!("gives {value}")
        }
        Some(("exits", "0")) => came == "gives null",
        _ => came == wanted,
    }
}

/// Makes the tries whose names a choice takes, in a server of their own; returns how many there were.
fn make(choice: impl Fn(usize, &Try, &[Try]) -> bool) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).expect("a folder");
    ["secret", "open"].iter().for_each(|name| fs::write(outside.join(name), "it").expect("a file"));
    let mut server = server(&only_python(folder.path()), &[]);
    let all = tries(&outside, server.process.0.id());
    let chosen: Vec<&Try> =
        all.iter().enumerate().filter(|(at, one)| choice(*at, one, &all)).map(|(_, one)| one).collect();
    let mut wrong = Vec::new();
    for (id, Try { name, code, wanted }) in (1..).zip(&chosen) {
        let timeout = if wanted.ends_with("TimeoutError") { 1 } else { 30 };
        let answer = ask(&mut server, id, "execute", &json!({"code": code, "timeout": timeout}));
        if !is_wanted(wanted, &came(&answer)) {
            wrong.push(format!("{name}: {wanted} was wanted, and {} came: {answer}", came(&answer)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let left: Vec<_> =
        fs::read_dir(&outside).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(left.len(), 2, "nothing came or went: {left:?}");
    assert!(["secret", "open"].iter().all(|name| fs::read(outside.join(name)).expect("a file") == b"it"));
    assert!(!Path::new("/tmp/uixt-was-here").exists());
    chosen.len()
}

fn is_end(one: &Try) -> bool {
    one.wanted.starts_with("ends ")
}

#[test]
fn nothing_of_the_host_is_reached() {
    let first_end = |all: &[Try]| all.iter().position(is_end).expect("a try that ends a session");
    let made = make(|at, _, all| at < first_end(all));
    assert!(made > 60, "{made} tries");
}

#[test]
fn a_session_that_is_ended_says_how_and_the_next_begins() {
    let first_end = |all: &[Try]| all.iter().position(is_end).expect("a try that ends a session");
    let made = make(|at, _, all| at >= first_end(all));
    assert!(made > 20, "{made} tries");
}
