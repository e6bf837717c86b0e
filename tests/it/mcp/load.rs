//! `uixt mcp-server` under load, and killed: no answer is lost or another's, no process is left.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};

use crate::support::counterparts::{Phone, Running, signal, wait_until};
use crate::support::http::Answer;
use crate::support::mcp_http::{Server, Session};

const SESSIONS: usize = 8;
/// Calls of each session.
const CALLS: usize = 125;
const PHONES: usize = 4;

/// A call of which the answer tells which it is: the tool, its arguments, and where in the answer stands what.
fn call(session: usize, number: usize) -> (&'static str, Value, &'static str, Value) {
    let serial = format!("load-{}", (session + number) % PHONES + 1);
    let line = format!("session {session}, call {number}");
    let seconds = 1.0 + f64::from(u32::try_from(session * CALLS + number).expect("it is small")) / 1000.0;
    match number % 4 {
        0 => ("get_screen_size", json!({"serial": serial}), "/_meta/uixt/serial", serial.into()),
        1 => ("log", json!({"message": line}), "/structuredContent/message", line.into()),
        _ => ("sleep", json!({"seconds": seconds}), "/structuredContent/seconds", seconds.into()),
    }
}

/// Makes all calls of a session before it reads an answer; returns those answers that are wrong.
fn wrong(session: &Session<'_>, own: usize) -> Vec<String> {
    let asked: Vec<Answer> = (0..CALLS)
        .map(|number| {
            let (tool, arguments, ..) = call(own, number);
            let params = json!({"name": tool, "arguments": arguments});
            session.say(&json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}))
        })
        .collect();
    let check = |(number, answer): (usize, Answer)| {
        let (_, _, place, wanted) = call(own, number);
        let answer = answer.message();
        let is_right = answer["id"] == number && answer["result"].pointer(place) == Some(&wanted);
        (!is_right).then(|| format!("{own}/{number}: {answer}"))
    };
    asked.into_iter().enumerate().filter_map(check).collect()
}

#[test]
fn of_a_thousand_calls_none_is_lost_or_swapped() {
    // Each call has a connection of its own.
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    let phones = Phone::start_with(&["--count", "4", "--serial", "load"], 0);
    let server = Server::start_at("127.0.0.1:0", &["--adb-server", &format!("127.0.0.1:{}", phones.port)], None);
    let sessions: Vec<_> = (0..SESSIONS).map(|_| server.session("2025-11-25")).collect();
    let began = Instant::now();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let asking: Vec<_> =
            sessions.iter().enumerate().map(|(own, session)| scope.spawn(move || wrong(session, own))).collect();
        asking.into_iter().flat_map(|asked| asked.join().expect("it was asked")).collect()
    });
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), SESSIONS * CALLS, &wrong[..wrong.len().min(5)]);
    // One after the other they would sleep for 750 s.
    eprintln!("{} calls in {:?}", SESSIONS * CALLS, began.elapsed());
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
}

/// Digits, each typed behind the last by a call of its own.
const DIGITS: &str = "0123456789";

fn digit(number: u64) -> Value {
    json!({"text": number.to_string(), "into": "User name"})
}

fn rounds() -> u64 {
    std::env::var("UIXT_BATCHES").ok().and_then(|count| count.parse().ok()).unwrap_or(8)
}

#[test]
fn calls_that_come_together_are_made_in_their_order() {
    let mut server = crate::support::mcp_stdio::Server::initialized();
    let mut next = 0;
    let mut call = |tool: &str, arguments: Value| {
        next += 1;
        json!({"jsonrpc": "2.0", "id": next, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
    };
    server.say(&call("app_launch", json!({"package_name": "com.uixt.shop"})).to_string());
    server.hear();
    for round in 0..rounds() {
        let typed: Vec<String> = (0..10).map(|number| call("input", digit(number)).to_string()).collect();
        // In one write, so that all are there before the first is answered.
        server.say(&[vec![call("clear_text", json!({"into": "User name"})).to_string()], typed].concat().join("\n"));
        server.say(&call("get_text", json!({"id": "user"})).to_string());
        let answers: Vec<Value> = (0..12).map(|_| server.hear()).collect();
        let text = answers
            .iter()
            .find_map(|answer| answer["result"]["structuredContent"]["text"].as_str().filter(|text| text.len() > 1));
        assert_eq!(text, Some(DIGITS), "round {round}: {answers:#?}");
    }
}

#[test]
fn calls_over_http_that_come_together_are_made_in_their_order() {
    let server = Server::start(&[]);
    let session = server.session("2025-06-18");
    session.call(1, "app_launch", &json!({"package_name": "com.uixt.shop"}));
    for round in 0..rounds() {
        session.call(2, "clear_text", &json!({"into": "User name"}));
        let asked: Vec<Answer> = (0..10)
            .map(|number| {
                let params = json!({"name": "input", "arguments": digit(number)});
                session.say(&json!({"jsonrpc": "2.0", "id": number + 10, "method": "tools/call", "params": params}))
            })
            .collect();
        asked.into_iter().for_each(|answer| drop(answer.message()));
        let text = session.call(3, "get_text", &json!({"id": "user"}));
        assert_eq!(text["structuredContent"]["text"], DIGITS, "round {round}");
    }
}

/// How a server may come to its end.
const ENDS: [&str; 4] = ["KILL", "TERM", "INT", "end of input"];

/// Starts a server with a call under way, ends it, and fails where a process stays.
fn leave_nothing(number: usize) {
    // All that descends from it has this in its environment, whatever group it is in.
    let mark = format!("UIXT_TEST_RUN={}-{number}", std::process::id());
    let (name, value) = mark.split_once('=').expect("a name and a value");
    let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
    let is_http = number % 2 == 1;
    command.args(["mcp-server", "--device", "phone"]).args(is_http.then_some(["--http", "0"]).into_iter().flatten());
    command.env(name, value).env_remove("UIXT_DEVICE").env_remove("UIXT_MCP_TOKEN");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = Running(command.spawn().expect("the server starts"));
    begin(&mut server, is_http);
    let running = || {
        std::fs::read_dir("/proc").expect("processes").flatten().any(|process| {
            std::fs::read(process.path().join("environ"))
                .is_ok_and(|all| all.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes()))
        })
    };
    assert!(running(), "the mark is seen");
    match ENDS[number / 2 % ENDS.len()] {
        "end of input" if !is_http => drop(server.0.stdin.take()),
        "end of input" => signal(&server.0, "TERM"),
        name => signal(&server.0, name),
    }
    server.ended(20);
    wait_until("no process is left", 5, || !running());
}

/// Says hello and begins a call.
fn begin(server: &mut Running, is_http: bool) {
    use std::io::{BufRead as _, BufReader, Write as _};
    let mut lines = BufReader::new(server.0.stdout.take().expect("a pipe")).lines();
    let wait = json!({"name": "assert_visible", "arguments": {"text": "No such text", "timeout": 60}});
    let wait = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": wait});
    if is_http {
        let url = lines.next().expect("an address").expect("a line");
        let address = url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        let mut stream = crate::support::mcp_http::session_at(&address, "2025-11-25").say(&wait);
        stream.event().expect("it began");
        return;
    }
    let input = server.0.stdin.as_mut().expect("a pipe");
    let hello = crate::support::mcp_http::initialize("2025-06-18");
    writeln!(input, "{hello}\n{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).expect("it reads");
    writeln!(input, "{wait}").expect("it reads");
    lines.next().expect("an answer").expect("a line");
    // Its output stays open, as it does with a host that reads on.
    std::thread::spawn(move || lines.for_each(drop));
}

#[test]
fn killed_servers_leave_no_process() {
    let runs = std::env::var("UIXT_KILLED_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    (0..runs).for_each(leave_nothing);
}
