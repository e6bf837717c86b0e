//! MCP servers that others wrote and that do wrong: each fault has its error, in time, and is no other server's business.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use uixt::mcp::client::{Config, Owner, Remote, Servers};
use uixt_call::{Call, CallToolRequest, CallToolResult, Content};
use uixt_locate::{Error, Kind};

use crate::support::Test;

/// What a call of a server that does wrong comes to.
enum Wanted {
    Fine,
    IsError(&'static str),
    Fails(Kind, &'static str),
}
use Wanted::{Fails, Fine, IsError};

const FAULTS: &[(&str, Wanted)] = &[
    (
        "dies at its start",
        Fails(Kind::Service, "it ended before it had started (exit status: 3); it printed last:\n  Traceback"),
    ),
    ("does not start", Fails(Kind::Service, "no session within 3 s")),
    (
        "dies in a call",
        Fails(Kind::Transport, "may have been done: it ended (exit status: 7); it printed last:\n  boom"),
    ),
    ("dies half-way", Fails(Kind::Transport, "it ended (exit status: 0)")),
    ("hangs", Fails(Kind::Service, "no answer within 2 s; it answers no ping either, and was ended")),
    ("answers pings only", Fails(Kind::Service, "no answer within 2 s")),
    ("a line of 100 MB", Fails(Kind::Transport, "it wrote a line of more than 16 MiB")),
    ("floods with garbage", Fails(Kind::Transport, "too much output")),
    ("floods with notifications", Fails(Kind::Transport, "too much output")),
    ("floods its log", Fine),
    ("garbage", Fine),
    (
        "answers what nobody asked",
        Fails(Kind::Service, "it wrote what is not an MCP message: {\\\"jsonrpc\\\": \\\"2.0\\\", \\\"id\\\": 4711"),
    ),
    ("answers with something else", Fails(Kind::Service, "not a result")),
    ("refuses", Fails(Kind::BadArgument, "no tool of that name (-32602)")),
    ("asks for sampling", IsError("uixt has no model to sample from")),
    ("asks the user", IsError("decline")),
    ("tells its secret", IsError("the key is hush-hush-4711")),
    ("does not end", Fine),
];

/// Faults by which a call has no answer.
const SILENT: &[&str] = &["hangs", "answers pings only", "answers what nobody asked"];

fn script() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/faulty_server.py").to_string_lossy().into_owned()
}

/// A word that marks the processes of one test.
fn token() -> String {
    format!("mark-{}-{}", std::process::id(), nanoseconds())
}

fn nanoseconds() -> u128 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock").as_nanos()
}

fn file_of(faults: impl IntoIterator<Item = &'static str>, token: &str) -> String {
    let server = |fault: &'static str| {
        let settings = json!({
            "command": "python3", "args": [script(), fault, token], "env": {"KEY": "hush-hush-4711"},
            "startup_timeout": if fault == "does not start" { 3 } else { 30 }, "call_timeout": if SILENT.contains(&fault) { 2 } else { 30 },
        });
        (fault.to_owned(), settings)
    };
    json!({"mcpServers": faults.into_iter().map(server).collect::<Map<_, _>>()}).to_string()
}

fn servers(faults: impl IntoIterator<Item = &'static str>, token: &str) -> Arc<Servers> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mcp.json");
    fs::write(&path, file_of(faults, token)).expect("a file");
    // A server's folder must be there when it is started.
    Arc::new(Servers::new(Config::read(&path, Owner::User).expect("a good file")))
}

async fn call(remote: &Remote, arguments: Value) -> Result<CallToolResult, Error> {
    let Value::Object(arguments) = arguments else { panic!("no object") };
    remote.call_tool(CallToolRequest::new("do").with_arguments(arguments), None, &Call::default()).await
}

fn text(result: &CallToolResult) -> String {
    result.content.iter().filter_map(Content::as_text).collect()
}

/// Returns the processes of a test that are there, zombies of this process included.
fn left(token: &str) -> Vec<String> {
    let own = std::process::id().to_string();
    let processes = fs::read_dir("/proc").expect("processes").filter_map(|entry| {
        let folder = entry.ok()?.path();
        let words = fs::read(folder.join("cmdline")).ok()?;
        let words = String::from_utf8_lossy(&words).replace('\0', " ");
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        let mut rest = stat.rsplit(')').next()?.split_whitespace();
        let (state, parent) = (rest.next()?, rest.next()?);
        (words.contains(token) || (state == "Z" && parent == own))
            .then(|| format!("{} {state} {words}", folder.display()))
    });
    processes.collect()
}

async fn none_left(token: &str) {
    let end = Instant::now() + Duration::from_secs(20);
    while !left(token).is_empty() {
        assert!(Instant::now() < end, "left behind: {:#?}", left(token));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Calls a good server all the while; returns how often.
fn watch(remote: Arc<Remote>, is_over: Arc<AtomicBool>) -> tokio::task::JoinHandle<usize> {
    tokio::spawn(async move {
        let mut calls = 0;
        while !is_over.load(Ordering::Relaxed) {
            let result = call(&remote, json!({})).await.expect("a good server answers");
            assert_eq!(text(&result), "fine");
            calls += 1;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        calls
    })
}

fn judge(fault: &str, wanted: &Wanted, done: &Result<CallToolResult, Error>) -> Result<String, String> {
    let told = match (wanted, done) {
        (Fine, Ok(result)) if text(result) == "fine" => "fine".to_owned(),
        (IsError(part), Ok(result)) if result.is_failure() && text(result).contains(part) => text(result),
        (Fails(kind, part), Err(error)) if error.kind == *kind && error.message.contains(part) => error.to_string(),
        _ => return Err(format!("{fault}: {done:?}")),
    };
    // An answer is what it is; only errors are this program's own words.
    if done.is_err() && told.contains("hush-hush") { Err(format!("{fault} tells a secret: {told}")) } else { Ok(told) }
}

/// The most memory that this process has had, in MiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a line");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).expect("a number") >> 10
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_has_its_error_and_is_no_other_servers_business() {
    let token = token();
    let servers = servers(FAULTS.iter().map(|(fault, _)| *fault).chain(["none"]), &token);
    let is_over = Arc::new(AtomicBool::new(false));
    let good = Arc::clone(servers.get("none").expect("a server"));
    assert!(call(&good, json!({})).await.is_ok());
    let watching = watch(good, Arc::clone(&is_over));
    let running = FAULTS.iter().map(|(fault, wanted)| {
        let remote = Arc::clone(servers.get(fault).expect("a server"));
        async move {
            let started = Instant::now();
            let done = call(&remote, json!({})).await;
            (judge(fault, wanted, &done), fault, started.elapsed())
        }
    });
    let done = futures_util::future::join_all(running).await;
    is_over.store(true, Ordering::Relaxed);
    let calls = watching.await.expect("a good server answers");
    assert!(calls > 50, "{calls}");
    for (told, fault, elapsed) in &done {
        let told = told.as_ref().unwrap_or_else(|told| panic!("{told}"));
        println!("{fault:27} {:5} ms  {}", elapsed.as_millis(), told.replace('\n', " "));
        assert!(*elapsed < Duration::from_mins(2), "{fault}: {elapsed:?}");
    }
    let closing = Instant::now();
    servers.close().await;
    println!(
        "closed within {} ms; {calls} calls of the good server; peak {} MiB",
        closing.elapsed().as_millis(),
        peak()
    );
    none_left(&token).await;
    assert!(peak() < 250, "{} MiB", peak());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_died_is_started_again_and_no_call_is_sent_twice() {
    let token = token();
    let servers = servers(["dies in every second call"], &token);
    let remote = servers.get("dies in every second call").expect("a server");
    for number in 0..6 {
        let done = call(remote, json!({"number": number})).await;
        assert_eq!(done.is_ok(), number % 2 == 0, "{number}: {done:?}");
    }
    servers.close().await;
    none_left(&token).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_are_out_of_order_reach_their_calls() {
    let token = token();
    let servers = servers(["out of order"], &token);
    let remote = servers.get("out of order").expect("a server");
    remote.about().await.expect("it starts");
    let calls = (0..400).map(|_| call(remote, json!({})));
    let done = futures_util::future::join_all(calls).await;
    let mut texts: Vec<i64> =
        done.into_iter().map(|done| text(&done.expect("an answer")).parse().expect("a number")).collect();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), 400);
    servers.close().await;
    none_left(&token).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_without_an_end_has_one() {
    let token = token();
    let servers = servers(["lists without an end"], &token);
    let error = servers.get("lists without an end").expect("a server").tools().await.expect_err("no end");
    assert!(error.message.contains("its list of tools does not end"), "{error}");
    servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_nobody_waits_for_is_cancelled_and_what_follows_is_answered() {
    let token = token();
    let servers = servers(["out of order"], &token);
    let remote = servers.get("out of order").expect("a server");
    remote.about().await.expect("it starts");
    let late = tokio::time::timeout(Duration::from_millis(100), call(remote, json!({}))).await;
    assert!(late.is_err(), "it waits for more");
    let done = futures_util::future::join_all((0..3).map(|_| call(remote, json!({})))).await;
    assert!(done.iter().all(Result::is_ok), "{done:?}");
    servers.close().await;
}

#[test]
fn nothing_is_left_of_runs_that_were_killed() {
    let token = token();
    let test = Test::new(&["mcp", "call", "does not end", "do", "--mcp-config", "mcp.json"]);
    let test = test.file("mcp.json", file_of(["does not end", "hangs"], &token));
    let killed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..5 {
            let (test, killed) = (&test, &killed);
            scope.spawn(move || {
                for run in 0..10 {
                    let mut command = test.command();
                    if run % 2 == 1 {
                        command = Command::new(env!("CARGO_BIN_EXE_uixt"));
                        command.args(["mcp", "call", "hangs", "do", "--mcp-config"]).arg(test.path("mcp.json"));
                    }
                    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                    let mut child = command.spawn().expect("the program starts");
                    std::thread::sleep(Duration::from_millis(40 * (run + thread)));
                    let _ = child.kill();
                    let _ = child.wait();
                    killed.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(killed.load(Ordering::Relaxed), 50);
    let end = Instant::now() + Duration::from_secs(20);
    while !left(&token).is_empty() {
        assert!(Instant::now() < end, "left behind: {:#?}", left(&token));
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A server that writes down what it is told.
const LISTENER: &str = r#"
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = {"content": []}
    if message["method"] == "initialize":
        info = {"name": "evalpkgs", "version": "1"}
        result = {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": info}
    else:
        with open("told.jsonl", "a") as told:
            told.write(json.dumps(message["params"]) + "\n")
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"#;

#[test]
fn touches_are_told_to_the_server_that_guards_against_risk() {
    let case = "config: {anti_risk: true, mcp_config_path: mcp.json}\nteststeps:\n- home:\n- tap_abs_xy: [10, 20]\n- swipe: [0.5, 0.5, 0.5, 0.2]\n";
    let file = r#"{"mcpServers": {"evalpkgs": {"command": "python3", "args": ["listener.py"]}}}"#;
    let test = Test::new(&["run", "case.yaml", "--device", "phone", "--report-dir", "out"]);
    let ran = test.file("case.yaml", case).file("mcp.json", file).file("listener.py", LISTENER).run().code(0);
    let told: Vec<Value> =
        ran.read("told.jsonl").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(told[0]["name"], "set_touch_info_list");
    assert_eq!(told[0]["arguments"]["points"], json!([{"x": 10.0, "y": 20.0}]));
    assert_eq!(
        (&told[0]["arguments"]["clean"], &told[0]["arguments"]["deviceSerial"]),
        (&json!(true), &json!("uixt-phone"))
    );
    assert!(told[0]["arguments"]["packageName"].is_string() && told[0]["arguments"]["deviceModel"].is_string());
    assert_eq!(told[1]["arguments"]["points"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_server_that_does_not_answer_is_told_of_one_touch_only() {
    let case = "config: {anti_risk: true, mcp_config_path: mcp.json}\nteststeps:\n- tap_abs_xy: [10, 20]\n- swipe: [0.5, 0.5, 0.5, 0.2]\n";
    let file = r#"{"mcpServers": {"evalpkgs": {"command": "python3", "args": ["listener.py"]}}}"#;
    let refusing = LISTENER.replace("with open", "result = {'content': [], 'isError': True}\n        with open");
    let test = Test::new(&["run", "case.yaml", "--device", "phone", "--report-dir", "out"]);
    let ran = test.file("case.yaml", case).file("mcp.json", file).file("listener.py", &refusing).run().code(0);
    assert_eq!(ran.read("told.jsonl").lines().count(), 1);
    assert_eq!(ran.stderr.matches("`anti_risk`: touches are not reported from here on").count(), 1, "{}", ran.stderr);
}

#[test]
fn a_file_of_servers_outside_of_the_project_is_not_read() {
    for path in ["../../../../../../../../../../etc/hostname", "/etc/hostname", "~/../../../etc/hostname"] {
        let case = format!("config: {{mcp_config_path: {path}}}\nteststeps:\n- mcp: [a, b]\n");
        let ran = Test::new(&["check", "case.yaml"]).file("case.yaml", &case).run().code(2);
        ran.says("leads out of the project's folder");
    }
}

#[test]
fn touches_that_nobody_is_told_of_are_warned_of() {
    let case = "config: {anti_risk: true}\nteststeps:\n- home:\n";
    let test = Test::new(&["run", "case.yaml", "--device", "phone", "--report-dir", "out"]).file("case.yaml", case);
    test.run().code(0).says("`anti_risk` has no effect");
}

#[test]
fn a_server_that_no_file_names_is_told_at_load() {
    let case = "config: {mcp_config_path: mcp.json}\nteststeps:\n- mcp: {server: note, tool: add}\n- log: a\n";
    let file = r#"{"mcpServers": {"notes": {"command": "/no/such/program"}}}"#;
    let test = Test::new(&["check", "case.yaml"]).file("case.yaml", case).file("mcp.json", file);
    let ran = test.run().code(2).says("there is no server `note` (did you mean `notes`?)").says("case.yaml:3:3");
    ran.then(&["run", "case.yaml"]).code(2).says("nothing was run");
}
