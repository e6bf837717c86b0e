//! `uixt mcp-server --http`: requests written by hand, good and bad.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::counterparts::{Phone, signal};
use crate::support::http::ask;
use crate::support::mcp_http::{BOTH, JSON, STATELESS, Server, VERSIONS, call, initialize, meta};

#[test]
fn every_version_with_sessions_is_spoken() {
    let server = Server::start(&[]);
    for version in VERSIONS {
        let session = server.session(version);
        let listed = session.say(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).message();
        assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(17), "{version}");
        assert_eq!(session.call(2, "uixt__get_screen_size", &json!({}))["structuredContent"]["width"], 1080);
        // Events without data begin the streams of clients that know them.
        let (_, first) = session.say(&call(3, "log", &json!({"message": "x"}))).event().expect("an event");
        assert_eq!(first.is_empty(), version == "2025-11-25", "{version}: {first}");
        assert_eq!((session.end().status, session.is_there()), (204, false));
    }
    // Another version is answered with one that the server knows.
    for version in ["2019-01-01", STATELESS] {
        let hello = server.post(&[], &initialize(version)).message();
        assert_eq!(hello["result"]["protocolVersion"], "2025-11-25", "{version}: {hello}");
    }
}

#[test]
fn the_version_without_sessions_is_spoken() {
    let server = Server::start(&[]);
    let found = server.stateless("server/discover", None, json!({})).message();
    assert_eq!(found["result"]["supportedVersions"].as_array().map(Vec::len), Some(5), "{found}");
    let listed = server.stateless("tools/list", None, json!({})).message();
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(17));
    let call = |tool: &str, arguments: Value| {
        let answer = server.stateless("tools/call", Some(tool), json!({"name": tool, "arguments": arguments}));
        assert_eq!(answer.status, 200);
        answer.message()["result"]["structuredContent"].clone()
    };
    // What a snapshot names is known to the calls after it.
    call("home", json!({}));
    assert_eq!(call("snapshot", json!({}))["success"], true);
    assert_eq!(call("tap_element", json!({"ref": "e2"}))["success"], true);
    let refused = call("select_device", json!({"platform": "android", "serial": "uixt-phone"}));
    assert_eq!(refused["kind"], "Unsupported", "{refused}");
    // Headers and body must say the same.
    let wrong = [("MCP-Protocol-Version", STATELESS), ("Mcp-Method", "tools/list")];
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "log", "arguments": {}, "_meta": meta()}});
    assert_eq!(server.post(&wrong, &ping).status, 400);
}

#[test]
fn each_session_selects_a_device_of_its_own() {
    let phones = Phone::start_with(&["--count", "2", "--serial", "twin"], 0);
    let adb = format!("127.0.0.1:{}", phones.port);
    let server = Server::start_at("127.0.0.1:0", &["--adb-server", &adb], None);
    let sessions = [server.session("2025-11-25"), server.session("2025-06-18")];
    let refused = sessions[0].call(1, "get_screen_size", &json!({}));
    assert_eq!(refused["isError"], true, "two devices, none named: {refused}");
    for (session, serial) in sessions.iter().zip(["twin-1", "twin-2"]) {
        session.call(2, "select_device", &json!({"platform": "android", "serial": serial}));
    }
    for (session, serial) in sessions.iter().zip(["twin-1", "twin-2"]) {
        assert_eq!(session.call(3, "get_screen_size", &json!({}))["_meta"]["uixt"]["serial"], serial);
    }
    let named = sessions[0].call(4, "get_screen_size", &json!({"serial": "twin-2"}));
    assert_eq!(named["_meta"]["uixt"]["serial"], "twin-2");
    let gone = sessions[0].call(5, "get_screen_size", &json!({"serial": "twin-3"}));
    assert_eq!(gone["isError"], true, "{gone}");
}

#[test]
fn sessions_end_by_idling_and_are_not_too_many() {
    let server = Server::start(&["--max-sessions", "2", "--session-idle", "60"]);
    let (first, second) = (server.session("2025-11-25"), server.session("2025-11-25"));
    assert!(first.is_there());
    // The second has idled longest.
    let third = server.session("2025-11-25");
    assert_eq!((first.is_there(), second.is_there(), third.is_there()), (true, false, true));
    let _held = [first.get(&[]), third.get(&[])];
    let full = server.post(&[], &initialize("2025-11-25"));
    assert_eq!(full.status, 503, "{}", full.head);
    assert_eq!(server.stateless("tools/list", None, json!({})).status, 200);

    let server = Server::start(&["--session-idle", "0.005"]);
    let (idle, busy) = (server.session("2025-11-25"), server.session("2025-11-25"));
    let _held = busy.get(&[]);
    std::thread::sleep(Duration::from_millis(900));
    assert_eq!((idle.is_there(), busy.is_there()), (false, true));
}

#[test]
fn a_stream_that_broke_is_read_on() {
    let server = Server::start(&[]);
    let session = server.session("2025-11-25");
    for while_it_runs in [true, false] {
        let mut stream = session.say(&call(1, "sleep", &json!({"seconds": 0.5})));
        let (id, data) = stream.event().expect("what begins a stream");
        assert_eq!(data, "");
        drop(stream);
        if !while_it_runs {
            std::thread::sleep(Duration::from_millis(900));
        }
        let id = id.expect("a number");
        let rest = session.get(&[("Last-Event-ID", &id)]).message();
        assert_eq!((&rest["id"], &rest["result"]["structuredContent"]["success"]), (&json!(1), &json!(true)));
    }
    // Nobody reads the events of another, and it is said of what is no event.
    let other = server.session("2025-11-25");
    for id in ["1-0", "x", "0-7", "99999999999999999999-0", "1-18446744073709551615"] {
        let refused = other.get(&[("Last-Event-ID", id)]);
        assert_eq!(refused.status, 400, "{id}");
        assert!(
            refused.message()["error"]["message"].as_str().unwrap().contains("not an event of this session"),
            "{id}"
        );
    }
}

#[test]
fn the_end_of_a_session_ends_its_calls() {
    let server = Server::start(&[]);
    let session = server.session("2025-11-25");
    let long = json!({"text": "No such text", "timeout": 60});
    let mut stream = session.say(&call(1, "assert_visible", &long));
    stream.event().expect("it began");
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(session.end().status, 204);
    let began = Instant::now();
    let size = server.session("2025-11-25").call(1, "get_screen_size", &json!({}));
    assert_eq!(size["structuredContent"]["success"], true, "{size}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn who_is_no_guest_is_kept_out() {
    let server = Server::start(&["--allow-host", "proxy.test", "--allow-origin", "http://localhost:6274"]);
    let port = server.address.rsplit(':').next().unwrap().to_owned();
    let at = |name: &str| format!("{name}:{port}");
    let status = |lines: &[(&str, &str)]| server.post(lines, &initialize("2025-11-25")).status;
    for host in [at("localhost"), at("[::1]"), "proxy.test".to_owned()] {
        assert_eq!(status(&[("Host", &host)]), 200, "{host}");
    }
    for host in [at("evil.test"), "localhost".to_owned(), at("192.0.2.1")] {
        assert_eq!(status(&[("Host", &host)]), 403, "{host}");
    }
    assert_eq!(status(&[("Host", "-")]), 400);
    assert_eq!(status(&[("Origin", &format!("http://{}", at("localhost")))]), 200);
    for origin in [format!("http://{}", at("evil.test")), "null".to_owned(), "http://localhost:1".to_owned()] {
        assert_eq!(status(&[("Origin", &origin)]), 403, "{origin}");
    }
    // Every path is behind the same check.
    for path in ["/", "/mcp", "/ping", "/nothing"] {
        assert_eq!(ask(&server.address, "GET", path, &[("Host", "evil.test")], "").status, 403, "{path}");
    }
    let preflight = ask(&server.address, "OPTIONS", "/mcp", &[("Origin", "http://localhost:6274")], "");
    assert_eq!((preflight.status, preflight.line("access-control-allow-origin")), (204, Some("http://localhost:6274")));
    let refused = server.post(&[("Host", "evil.test")], &initialize("2025-11-25")).message();
    assert!(refused["error"]["message"].as_str().unwrap().contains("--allow-host evil.test"), "{refused}");
}

#[test]
fn a_token_is_asked_for() {
    let token = "a-token-that-nobody-knows";
    let mut server = Server::start_at("127.0.0.1:0", &["--device", "phone"], Some(token));
    let status = |value: &str| server.post(&[("Authorization", value)], &initialize("2025-11-25"));
    assert_eq!(status(&format!("Bearer {token}")).status, 200);
    let none = server.post(&[], &initialize("2025-11-25"));
    assert_eq!((none.status, none.line("www-authenticate")), (401, Some("Bearer")));
    let wrong = status("Bearer a-token-that-is-another");
    assert_eq!((wrong.status, wrong.line("www-authenticate")), (401, Some("Bearer error=\"invalid_token\"")));
    for path in ["/", "/ping", "/nothing"] {
        assert_eq!(ask(&server.address, "GET", path, &[], "").status, 401, "{path}");
    }
    signal(&server.process.0, "TERM");
    assert_eq!(server.process.ended(10), Some(0));
    assert_eq!(server.said(), "", "the token is not told, nor anything else");
}

#[test]
fn beyond_this_machine_there_is_always_a_token() {
    let mut server = Server::start_at("0.0.0.0:0", &["--device", "phone"], None);
    assert_eq!(server.post(&[], &initialize("2025-11-25")).status, 401);
    signal(&server.process.0, "INT");
    assert_eq!(server.process.ended(10), Some(0));
    let said = server.said();
    let line = said.lines().find_map(|line| line.strip_prefix("Authorization: Bearer ")).expect("a token");
    assert!(line.len() >= 43, "{said}");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "a-token-of-a-file-\n").unwrap();
    let path = file.display().to_string();
    let server = Server::start_at("0.0.0.0:0", &["--device", "phone", "--token-file", &path], None);
    let bearer = ("Authorization", "Bearer a-token-of-a-file-");
    assert_eq!(server.post(&[bearer], &initialize("2025-11-25")).status, 200);
    std::fs::write(&file, "short").unwrap();
    let mut wrong = Command::new(env!("CARGO_BIN_EXE_uixt"));
    wrong.args(["mcp-server", "--device", "phone", "--http", "0", "--token-file", &path]);
    let output = wrong.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("a token is 16 to 1024 visible ASCII characters"), "{said}");
}

#[test]
fn what_is_wrong_has_its_status_and_its_sentence() {
    let server = Server::start(&[]);
    let session = server.session("2025-11-25");
    let own = session.lines(&[BOTH, JSON]);
    let (path, large) = ("/mcp", format!("\"{}\"", "x".repeat(5 << 20)));
    let unknown = [BOTH, JSON, ("Mcp-Session-Id", "none")];
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    for (status, method, path, lines, body) in [
        (400, "POST", path, own.as_slice(), "no JSON"),
        (400, "POST", path, own.as_slice(), "{\"jsonrpc\": \"1.0\"}"),
        (400, "POST", path, &[BOTH, JSON], ping.as_str()),
        (413, "POST", path, own.as_slice(), large.as_str()),
        (404, "POST", path, &unknown, ping.as_str()),
        (404, "DELETE", path, &unknown, ""),
        (404, "GET", path, &unknown, ""),
        (406, "POST", path, &[JSON, ("Accept", "text/html")], ping.as_str()),
        (415, "POST", path, &[BOTH, ("Content-Type", "text/plain")], ping.as_str()),
        (405, "PUT", path, own.as_slice(), ping.as_str()),
        (404, "GET", "/nothing", &[], ""),
    ] {
        let answer = ask(&server.address, method, path, lines, body);
        assert_eq!(answer.status, status, "{method} {path} {}", &body[..body.len().min(40)]);
        let said = answer.message();
        assert!(said["error"]["message"].as_str().is_some_and(|text| text.len() > 10), "{status}: {said}");
    }
    // The same as on lines.
    for (body, code, id) in [
        ("no JSON", -32700, Value::Null),
        ("{\"jsonrpc\": \"1.0\", \"id\": \"a\", \"method\": \"ping\"}", -32600, json!("a")),
        ("{\"jsonrpc\": \"2.0\", \"id\": 7}", -32600, json!(7)),
        (large.as_str(), -32600, Value::Null),
    ] {
        let said = ask(&server.address, "POST", path, &own, body).message();
        assert_eq!((&said["error"]["code"], &said["id"]), (&json!(code), &id), "{said}");
    }
    assert!(session.is_there(), "the session goes on");
    let unknown = session.say(&json!({"jsonrpc": "2.0", "id": 1, "method": "no/such"})).message();
    assert_eq!(unknown["error"]["code"], -32601);
}

#[test]
fn a_server_that_is_asked_to_end_ends_what_is_under_way() {
    let mut server = Server::start(&[]);
    let session = server.session("2025-11-25");
    let mut stream = session.say(&call(1, "sleep", &json!({"seconds": 60})));
    stream.event().expect("it began");
    let _listening = session.get(&[]);
    let began = Instant::now();
    signal(&server.process.0, "TERM");
    assert_eq!(server.process.ended(25), Some(0));
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}
