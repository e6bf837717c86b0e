//! `uixt mcp-server`: its lines on standard input and output, without any library.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::mcp_stdio::Server;

/// How large the list of the core tools may be, in bytes.
const CORE: usize = 8_100;
/// How large the list of all tools may be, in bytes per tool.
const LIST: usize = 600;

/// Returns the text of an answer, which must be the same as its structured content.
#[track_caller]
fn text(answer: &Value) -> &str {
    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"));
    let same: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(same, answer["result"]["structuredContent"]);
    text
}

#[test]
fn a_session_from_hello_to_end_of_file() {
    let mut server = Server::start();
    let hello = server.initialize();
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    assert!(hello["result"]["capabilities"]["tools"].is_object(), "{hello}");
    assert_eq!(server.ask(1, "ping", &json!({}))["result"], json!({}));
    let called = server.call(2, "uixt__tap_xy", &json!({"x": 0.5, "y": 0.5}));
    assert_eq!(text(&called), r#"{"action":"tap_xy","success":true,"message":"Tapped at 0.50, 0.50","x":0.5,"y":0.5}"#);
    assert_ne!(called["result"]["isError"], true);
    assert_eq!(server.close(), (Some(0), vec![]));
}

#[test]
fn the_list_is_small_and_whole() {
    let mut server = Server::start_with(&["--toolsets", "all"]);
    let hello = server.initialize();
    assert!(!hello["result"]["instructions"].to_string().contains("Not listed"), "{hello}");
    let listed = server.ask(1, "tools/list", &json!({}));
    let size = listed.to_string().len();
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(size <= LIST * tools.len(), "tools/list takes {size} bytes for {} tools", tools.len());
    assert_eq!(tools.len(), 92);
    for tool in tools {
        assert!(tool["name"].as_str().unwrap().starts_with("uixt__"), "{tool}");
        assert!(tool["description"].as_str().is_some_and(|text| text.ends_with('.')), "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object");
    }
}

#[test]
fn a_browser_has_a_core_of_its_own() {
    let names = |toolsets: &str| -> Vec<String> {
        let mut server = Server::start_on(&["--device", "browser"], &["--toolsets", toolsets]);
        server.initialize();
        let listed = server.ask(1, "tools/list", &json!({}));
        assert!(toolsets != "core" || listed.to_string().len() <= CORE, "{} bytes", listed.to_string().len());
        let tools = listed["result"]["tools"].as_array().expect("tools").clone();
        tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    };
    let core = names("core");
    let has = |name: &str| core.iter().any(|listed| listed == name);
    assert!(
        core.len() == 16 && has("uixt__open_url") && has("uixt__press_key") && !has("uixt__list_packages"),
        "{core:?}"
    );
    let all = names("all");
    let distinct: std::collections::BTreeSet<&String> = all.iter().collect();
    assert_eq!((all.len(), distinct.len()), (92, 92));
}

#[test]
fn what_agents_write_for_elements_is_understood() {
    let site = crate::support::site::serve();
    let mut server = Server::start_on(&["--device", "browser"], &[]);
    server.initialize();
    let mut call =
        |tool: &str, arguments: Value| server.call(2, tool, &arguments)["result"]["structuredContent"].clone();
    call("open_url", json!({"url": format!("{site}/many.html")}));
    assert_eq!(call("snapshot", json!({"diff": true}))["success"], true);
    assert_eq!(call("snapshot", json!({"diff": true}))["snapshot"], "no change");
    let typed = call("input", json!({"text": "x", "into": "e3"}));
    assert!(typed["message"].as_str().is_some_and(|said| said.contains("textfield \"Name\"")), "{typed}");
    for selector in ["button.login", "form button", ".login", "Log in"] {
        let tapped = call("browser_click", json!({"selector": selector}));
        assert!(tapped["message"].as_str().is_some_and(|said| said.contains("\"Log in\"")), "{selector}: {tapped}");
    }
    let launched = call("app_launch", json!({"package_name": "http://127.0.0.1:9/"}));
    assert!(launched["message"].as_str().is_some_and(|said| said.ends_with("`open_url` opens it")), "{launched}");
}

#[test]
fn the_core_is_listed_and_the_rest_is_callable() {
    let mut server = Server::start();
    let hello = server.initialize();
    let listed = server.ask(1, "tools/list", &json!({}));
    assert!(listed.to_string().len() <= CORE, "tools/list takes {} bytes", listed.to_string().len());
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 17);
    let mut indices = tools.iter().filter_map(|tool| tool["inputSchema"]["properties"].get("index"));
    let first = indices.next().expect("a tool that takes an index");
    assert_eq!(first["description"], "Which of several, from 0; -1 is the last.");
    assert!(indices.all(|index| index.get("description").is_none()), "it is said once");
    assert!(hello["result"]["instructions"].to_string().contains(" get_screen_size,"), "{hello}");
    assert_eq!(server.call(2, "get_screen_size", &json!({}))["result"]["structuredContent"]["success"], true);
}

#[test]
fn names_may_stand_without_their_prefix() {
    let mut server = Server::start_with(&["--toolsets", "core,flow", "--no-prefix"]);
    server.initialize();
    let listed = server.ask(1, "tools/list", &json!({}));
    let names: Vec<_> = listed["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!((names.len(), names[0]), (20, &json!("list_available_devices")));
    assert_eq!(
        server.call(2, "uixt__log", &json!({"message": "both"}))["result"]["structuredContent"]["success"],
        true
    );
}

#[test]
fn wrong_calls_are_results_that_say_what_is_right() {
    let mut server = Server::initialized();
    let refused = server.call(1, "uixt__tap_xy", &json!({"x": 0.5, "yy": 0.5}));
    assert_eq!(refused["result"]["isError"], true);
    let expected = concat!(
        r#"{"action":"tap_xy","success":false,"message":"tap_xy: missing: y; unknown: yy (did you mean y?); valid: x, y, duration, platform, serial","#,
        r#""kind":"BadArgument","details":{"missing":["y"],"unknown":["yy"],"valid":["x","y","duration","platform","serial"]}}"#
    );
    assert_eq!(text(&refused), expected);
    let unknown = server.call(2, "uixt__tap_elemnt", &json!({}));
    assert_eq!(unknown["result"]["isError"], true);
    assert!(text(&unknown).contains("unknown tool `tap_elemnt`, did you mean `tap_element`?"), "{unknown}");
    let failed = server.call(3, "assert_visible", &json!({"text": "No such text", "timeout": 0.2}));
    assert_eq!(
        (&failed["result"]["isError"], &failed["result"]["structuredContent"]["kind"]),
        (&json!(true), &json!("NotFound"))
    );
}

#[test]
fn what_is_no_request_does_not_end_the_session() {
    let mut server = Server::start();
    server.send(1, "tools/call", &json!({"name": "uixt__log", "arguments": {"message": "too early"}}));
    assert!(server.hear()["error"]["code"].is_number(), "a call before `initialize` is refused");
    server.say("this is no JSON");
    assert_eq!(refused(&server.hear()), (-32700, Value::Null));
    server.initialize();
    for (line, code, id) in [
        ("{\"half\": ".to_owned(), -32700, Value::Null),
        (format!("\"{}\"", "x".repeat(1_000_000)), -32600, Value::Null),
        (format!("\"{}\"", "x".repeat(17 << 20)), -32600, Value::Null),
        (json!({"jsonrpc": "1.0", "id": "a", "method": "ping"}).to_string(), -32600, json!("a")),
        (json!({"jsonrpc": "2.0", "id": 7}).to_string(), -32600, json!(7)),
        (json!({"jsonrpc": "2.0", "id": null, "method": "ping"}).to_string(), -32600, Value::Null),
        (json!([{"jsonrpc": "2.0", "id": 7, "method": "ping"}]).to_string(), -32600, Value::Null),
        (json!({"jsonrpc": "2.0", "id": 8, "method": "no/such/method"}).to_string(), -32601, json!(8)),
    ] {
        server.say(&line);
        assert_eq!(refused(&server.hear()), (code, id), "{}", &line[..line.len().min(80)]);
    }
    // Neither a notification nor an answer is answered, whatever is wrong with it.
    server.say(&json!({"jsonrpc": "2.0", "method": "notifications/nothing", "params": {}}).to_string());
    server.say(&json!({"jsonrpc": "2.0", "id": 5, "error": "what?"}).to_string());
    server.say("");
    assert_eq!(
        server.call(3, "log", &json!({"message": "still here"}))["result"]["structuredContent"]["success"],
        true
    );
}

/// Returns the code of an error, and whose it is.
fn refused(answer: &Value) -> (i64, Value) {
    (answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}")), answer["id"].clone())
}

#[test]
fn a_request_of_an_id_that_is_under_way_is_refused() {
    let mut server = Server::initialized();
    server.send(1, "tools/call", &json!({"name": "sleep", "arguments": {"seconds": 1}}));
    server.send(1, "ping", &json!({}));
    assert_eq!(refused(&server.hear()), (-32600, json!(1)));
    let slept = server.hear();
    assert_eq!((&slept["id"], &slept["result"]["structuredContent"]["success"]), (&json!(1), &json!(true)), "{slept}");
    assert_eq!(server.ask(1, "ping", &json!({}))["result"], json!({}), "the id is free again");
}

#[test]
fn a_line_without_an_end_takes_no_memory() {
    let mut server = Server::initialized();
    let status = format!("/proc/{}/status", server.process.0.id());
    let resident = || {
        let text = std::fs::read_to_string(&status).expect("a process");
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its most memory").to_owned();
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number")
    };
    let before = resident();
    let part = "x".repeat(1 << 20);
    for _ in 0..200 {
        server.write(&part);
    }
    server.say("");
    assert_eq!(refused(&server.hear()).0, -32600);
    assert_eq!(server.ask(1, "ping", &json!({}))["result"], json!({}));
    let grown = resident().saturating_sub(before);
    assert!(grown < 64 << 10, "it took {grown} kB");
}

#[test]
fn calls_for_one_device_do_not_interleave() {
    let mut server = Server::initialized();
    server.call(1, "home", &json!({}));
    let call = |tool: &str, arguments: Value| json!({"name": tool, "arguments": arguments});
    let began = Instant::now();
    server.send(2, "tools/call", &call("assert_visible", json!({"text": "No such text", "timeout": 1.5})));
    // The first call must have the device before the second asks for it.
    std::thread::sleep(Duration::from_millis(500));
    server.send(3, "tools/call", &call("get_screen_size", json!({})));
    server.send(4, "tools/call", &call("log", json!({"message": "needs no device"})));
    assert_eq!(server.hear()["id"], 4);
    // The second call is done within milliseconds, once it has the device; then both answers are on their way at once.
    let first = server.hear()["id"].as_u64();
    assert!(began.elapsed() >= Duration::from_millis(1400), "after {:?}", began.elapsed());
    let mut others = [first, server.hear()["id"].as_u64()];
    others.sort_unstable();
    assert_eq!(others, [Some(2), Some(3)]);
}

#[test]
fn the_end_of_input_ends_a_call_in_flight() {
    let mut server = Server::initialized();
    server.send(1, "tools/call", &json!({"name": "sleep", "arguments": {"seconds": 60}}));
    let (code, said) = server.close();
    assert_eq!(code, Some(0));
    let told: Value = serde_json::from_str(said.last().expect("an answer")).expect("JSON");
    assert_eq!(told["id"], 1, "{told}");
    assert!(told["error"]["message"].as_str().is_some_and(|told| told.contains("the input ended")), "{told}");
}

#[test]
fn a_pause_for_a_device_holds_its_turn() {
    let mut server = Server::initialized();
    server.call(1, "home", &json!({}));
    let call = |tool: &str, arguments: Value| json!({"name": tool, "arguments": arguments});
    let began = Instant::now();
    server.send(2, "tools/call", &call("sleep", json!({"seconds": 1.5, "serial": "uixt-phone"})));
    // The pause must have the device before the next asks for it.
    std::thread::sleep(Duration::from_millis(500));
    server.send(3, "tools/call", &call("get_screen_size", json!({})));
    let mut ids = [server.hear()["id"].as_u64(), server.hear()["id"].as_u64()];
    ids.sort_unstable();
    assert_eq!(ids, [Some(2), Some(3)]);
    assert!(began.elapsed() >= Duration::from_millis(1400), "after {:?}", began.elapsed());
    server.send(4, "tools/call", &call("sleep", json!({"seconds": 0, "serial": "nobody"})));
    let (wrong, _) = server.hear_answer(4);
    assert_eq!(wrong["result"]["isError"], true, "{wrong}");
}

#[test]
fn a_server_that_is_asked_to_end_cleans_up_and_ends() {
    let mut server = Server::initialized();
    let id = server.process.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill").success());
    assert_eq!(server.process.ended(10), Some(0));
}

#[test]
fn a_cancelled_call_frees_its_device() {
    let mut server = Server::initialized();
    server.send(
        1,
        "tools/call",
        &json!({"name": "assert_visible", "arguments": {"text": "No such text", "timeout": 60}}),
    );
    std::thread::sleep(Duration::from_millis(300));
    server.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}).to_string());
    let began = Instant::now();
    server.send(2, "tools/call", &json!({"name": "get_screen_size", "arguments": {}}));
    // The cancelled call may be answered or not.
    let answer = std::iter::repeat_with(|| server.hear()).find(|answer| answer["id"] == 2).unwrap();
    assert_eq!(answer["result"]["structuredContent"]["success"], true, "{answer}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn every_version_is_spoken_on_lines() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut server = Server::start();
        let client = json!({"name": "test", "version": "0"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
        assert_eq!(server.ask(0, "initialize", &params)["result"]["protocolVersion"], version);
        server.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        let size = server.call(1, "get_screen_size", &json!({}));
        assert_eq!(size["result"]["structuredContent"]["width"], 1080, "{version}: {size}");
    }
    // Since 2026-07-28 there is no hello: each request says what it speaks.
    let mut server = Server::start();
    let of = |name: &str| format!("io.modelcontextprotocol/{name}");
    let client = json!({"name": "test", "version": "0"});
    let meta = json!({of("protocolVersion"): "2026-07-28", of("clientInfo"): client, of("clientCapabilities"): {}});
    let found = server.ask(0, "server/discover", &json!({"_meta": meta}));
    assert_eq!(found["result"]["supportedVersions"].as_array().map(Vec::len), Some(5), "{found}");
    let size = server.ask(1, "tools/call", &json!({"name": "get_screen_size", "arguments": {}, "_meta": meta}));
    assert_eq!(size["result"]["structuredContent"]["width"], 1080, "{size}");
}

#[test]
fn a_list_waits_for_no_server_for_long() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/faulty_server.py");
    let late = format!("sleep 10; exec python3 '{script}' none");
    let servers = json!({
        "good": {"command": "python3", "args": [script, "none"]},
        "late": {"command": "sh", "args": ["-c", late]},
        "never": {"command": "sleep", "args": ["1000"]},
    });
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mcp.json");
    std::fs::write(&file, json!({"mcpServers": servers}).to_string()).expect("a file");
    let mut server = Server::start_with(&["--with", file.to_str().expect("a path")]);
    server.initialize();
    let names = |server: &mut Server, id: u64| {
        let began = std::time::Instant::now();
        server.send(id, "tools/list", &json!({}));
        let listed = std::iter::repeat_with(|| server.hear()).find(|message| message["id"] == id).expect("an answer");
        let tools = listed["result"]["tools"].as_array().expect("tools").clone();
        let names = tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned));
        (names.filter(|name| !name.starts_with("uixt__")).collect::<Vec<_>>(), began.elapsed())
    };
    let (_, took) = names(&mut server, 1);
    assert!(took < Duration::from_secs(9), "{took:?}");
    // What is late is told of.
    loop {
        while server.hear()["method"] != "notifications/tools/list_changed" {}
        let (listed, took) = names(&mut server, 2);
        assert!(took < Duration::from_secs(9), "{took:?}");
        if listed == ["good__do", "late__do"] {
            break;
        }
    }
    assert_eq!(server.close().0, Some(0));
}

#[test]
fn tools_of_other_servers_stand_beside_our_own() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/faulty_server.py");
    let of = |fault: &str| json!({"command": "python3", "args": [script, fault]});
    let servers = json!({"good": of("none"), "my notes!": of("garbage"), "gone": of("dies at its start"), "frail": of("dies in a call")});
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mcp.json");
    std::fs::write(&file, json!({"mcpServers": servers}).to_string()).expect("a file");
    let mut server = Server::start_with(&["--with", file.to_str().expect("a path")]);
    server.initialize();
    // What is warned of comes before the answer.
    let answer = |server: &mut Server, id: u64, method: &str, params: Value| {
        server.send(id, method, &params);
        std::iter::repeat_with(|| server.hear()).find(|message| message["id"] == id).expect("an answer")
    };
    // A server that is late, on a busy machine, is in a later list.
    let mut others = Vec::new();
    while others.len() < 3 {
        let listed = answer(&mut server, 1, "tools/list", json!({}))["result"]["tools"].clone();
        let names = listed.as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str());
        others = names.filter(|name| !name.starts_with("uixt__")).map(str::to_owned).collect();
    }
    assert_eq!(others, ["frail__do", "good__do", "my_notes__do"]);
    let call = |server: &mut Server, id, name: &str, arguments| {
        answer(server, id, "tools/call", json!({"name": name, "arguments": arguments}))["result"].clone()
    };
    for name in ["good__do", "my_notes__do"] {
        let done = call(&mut server, 2, name, json!({"a": 1}));
        assert_eq!((&done["content"][0]["text"], &done["isError"]), (&json!("fine"), &json!(false)), "{done}");
    }
    let died = call(&mut server, 3, "frail__do", json!({}));
    assert_eq!(died["isError"], true);
    assert!(died.to_string().contains("may have been done: it ended (exit status: 7)"), "{died}");
    let gone = call(&mut server, 4, "gone__do", json!({}));
    assert!(gone.to_string().contains("it ended before it had started (exit status: 3)"), "{gone}");
    let unknown = call(&mut server, 5, "other__do", json!({}));
    assert!(unknown["isError"] == true && unknown.to_string().contains("other__do"), "{unknown}");
    let own = call(&mut server, 6, "uixt__log", json!({"message": "still here"}));
    assert_eq!(own["structuredContent"]["success"], true, "{own}");
    let told = answer(&mut server, 7, "resources/read", json!({"uri": "uixt://tools/stats"}));
    let told: Value =
        serde_json::from_str(told["result"]["contents"][0]["text"].as_str().expect("a text")).expect("JSON");
    let mut tools: Vec<String> =
        told["tools"].as_array().expect("tools").iter().map(|tool| tool["tool"].to_string()).collect();
    tools.sort();
    assert_eq!(tools, ["\"frail/do\"", "\"gone/do\"", "\"good/do\"", "\"log\"", "\"my notes!/do\""], "{told}");
    assert_eq!(server.close().0, Some(0));
}
