//! What is done over MCP or typed at a terminal, written down as testcases: they are read, checked, run again on phones of other
//! sizes, and fail where what they assert does not happen.
//!
//! `tests/recorded/` holds what must be written, as a person would have written it.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uixt::recorder::short_value;
use uixt::tools;

use crate::support::Test;
use crate::support::counterparts::{Phone, Running, signal, wait_until};
use crate::support::http;
use crate::support::raw_server::{reply, serve};
use crate::support::recording::runs;
use crate::support::recording::{Agent, assert_kept, assert_runs, folder};

/// Buys coffee as an agent does: by coordinates, refs, swipes and waits, with a slip.
fn buy(agent: &mut Agent) {
    agent.call("app_clear", json!({"package_name": "com.uixt.shop"}));
    agent.call("app_launch", json!({"package_name": "com.uixt.shop"}));
    agent.look();
    agent.tap(540.0, 370.0);
    agent.call("input", json!({"text": "alice"}));
    agent.look();
    let password = agent.named("Password");
    agent.call("input", json!({"text": "secret123", "into": password}));
    agent.call("screenshot", json!({}));
    agent.tap(540.0, 1030.0);
    agent.call("wait_for", json!({"text": "Welcome, alice"}));
    agent.look();
    agent.call("tap_element", agent.named("Search"));
    agent.call("input", json!({"text": "bean"}));
    agent.call("press_button", json!({"button": "enter"}));
    agent.call("assert_text", json!({"id": "message", "equals": "1 product"}));
    agent.look();
    agent.call("tap_element", agent.named("Coffee beans"));
    agent.call("wait_for", json!({"text": "Add to cart"}));
    agent.tap(284.0, 1854.0);
    let slip = agent.try_call("tap_element", json!({"text": "Buy now", "timeout": 0.3}));
    assert_eq!(slip["success"], false);
    agent.call("get_text", json!({"id": "quantity"}));
    agent.look();
    agent.call("tap_element", agent.named("Add to cart"));
    agent.call("assert_text", json!({"id": "message", "equals": "Added to cart"}));
    agent.call("swipe", json!({"from_x": 0.5, "from_y": 0.8, "to_x": 0.5, "to_y": 0.3}));
    agent.call("sleep", json!({"seconds": 0.5}));
    agent.look();
    agent.call("tap_element", agent.named("View cart"));
    agent.call("assert_text", json!({"id": "total", "equals": "¥99.60"}));
    agent.tap(540.0, 1420.0);
    agent.call("wait_for", json!({"text": "Place order"}));
    agent.call("input", json!({"text": "Alice Li", "into": "Full name"}));
    agent.call("input", json!({"text": "1 Main Street: flat 5, $5", "into": "Address"}));
    agent.call("back", json!({}));
    agent.call("tap_element", json!({"text": "Bank transfer"}));
    agent.call("swipe", json!({"direction": "up"}));
    agent.call("tap_element", json!({"text": "Delivery date"}));
    agent.call("tap_element", json!({"text": "OK"}));
    agent.look();
    agent.call("tap_element", agent.named("I accept the terms"));
    agent.look();
    agent.call("tap_element", agent.named("Place order"));
    agent.call("assert_visible", json!({"text": "Thank you for your order"}));
    agent.call("assert_text", json!({"id": "payment", "equals": "Bank transfer"}));
    agent.call("wait_for", json!({"text": "Continue shopping"}));
}

#[test]
fn a_recorded_purchase_is_replayed_on_two_sizes_and_fails_where_nothing_is_bought() {
    let (_kept, path) = folder();
    let file = path("buy_beans.yaml");
    let mut agent = Agent::start(&file, &["--device", "phone"]);
    buy(&mut agent);
    agent.end();
    let recorded = fs::read_to_string(&file).expect("a recording");
    assert_kept("buy_beans.yaml", &recorded);
    assert!(!recorded.contains("secret123"), "{recorded}");
    assert_runs(&["check"], &file, 0);
    for (size, density) in [("1080x2400", "420"), ("720x1280", "320")] {
        let phone = Phone::start_with(&["--size", size, "--density", density], 0);
        for _ in 0..3 {
            assert_runs(&["run", "--device", "android", "--adb-server", &phone.address()], &file, 0);
        }
    }
    let without = recorded.replace("- tap: {id: add_to_cart}\n", "");
    assert_ne!(without, recorded);
    let broken = path("broken.yaml");
    fs::write(&broken, without).expect("written");
    assert_runs(&["run", "--device", "phone"], &broken, 1);
    let unasserted: String = fs::read_to_string(&broken)
        .expect("a text")
        .lines()
        .filter(|line| !line.contains("Added to cart"))
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(&broken, unasserted).expect("written");
    assert_runs(&["run", "--device", "phone"], &broken, 1);
}

#[test]
fn odd_names_lists_popups_turns_and_texts_are_recorded_and_replayed() {
    let (_kept, path) = folder();
    let file = path("odd.yaml");
    let mut agent = Agent::start(&file, &["--device", "phone"]);
    agent.call("app_terminate", json!({"package_name": "com.uixt.trouble"}));
    agent.call("open_url", json!({"url": "uixt-trouble://letters"}));
    agent.look();
    for name in ["👨‍👩‍👧 Family", "Аpple", "حفظ الملف"] {
        let place = agent.place(name, 0);
        agent.call("tap_xy", place);
    }
    let said = agent.call("get_text", json!({"id": "status"}))["text"].clone();
    agent.call("assert_text", json!({"id": "status", "equals": said}));
    agent.call("open_url", json!({"url": "uixt-trouble://duplicates"}));
    agent.look();
    let place = agent.place("Remove", 1);
    agent.call("tap_xy", place);
    agent.call("assert_text", json!({"id": "status", "equals": "Removed Pears, line 2"}));
    agent.call("open_url", json!({"url": "uixt-trouble://far"}));
    for _ in 0..3 {
        agent.call("swipe", json!({"direction": "up"}));
    }
    agent.look();
    agent.call("tap_element", agent.named("Row 25"));
    agent.call("assert_text", json!({"id": "status", "equals": "Picked Row 25"}));
    agent.call("swipe", json!({"from_x": 0.4, "from_y": 0.3, "to_x": 0.4, "to_y": 0.7}));
    agent.call("swipe", json!({"direction": "down"}));
    agent.look();
    let place = agent.place("Row 10", 0);
    agent.call("tap_xy", place);
    agent.call("assert_text", json!({"id": "status", "equals": "Picked Row 10"}));
    agent.call("open_url", json!({"url": "uixt-trouble://turning"}));
    agent.call("set_orientation", json!({"orientation": "landscape"}));
    agent.call("wait_for", json!({"text": "Lying"}));
    let place = agent.place("Count", 0);
    agent.call("tap_xy", place);
    agent.call("assert_text", json!({"id": "status", "equals": "1 tap"}));
    agent.call("set_orientation", json!({"orientation": "portrait"}));
    agent.call("open_url", json!({"url": "uixt-trouble://popups"}));
    agent.call("wait_for", json!({"text": "Do you like Trouble?"}));
    agent.call("close_popups", json!({}));
    agent.call("close_popups", json!({}));
    agent.call("tap_element", json!({"text": "Buy"}));
    agent.call("open_url", json!({"url": "uixt-trouble://vanishing"}));
    agent.call("tap_element", json!({"text": "Save"}));
    agent.call("assert_visible", json!({"id": "toast"}));
    agent.call("wait_for", json!({"id": "toast", "gone": true}));
    agent.call("app_launch", json!({"package_name": "com.uixt.touchlab"}));
    agent.call("tap_element", json!({"text": "Gesture pad"}));
    agent.call("wait_for", json!({"text": "Touch here"}));
    agent.call("double_tap_xy", json!({"x": 0.5, "y": 0.5}));
    agent.call("assert_text", json!({"id": "gesture", "equals": "Double tap"}));
    agent.call("tap_element", json!({"id": "note"}));
    agent.call("clear_text", json!({}));
    agent.call("input", json!({"text": "it's \"q\": $user ${x} $$ #no\u{7f}"}));
    agent.call("input", json!({"text": "007", "clear": true}));
    agent.call("input", json!({"text": "true"}));
    agent.call("assert_text", json!({"id": "note", "equals": "007true"}));
    agent.call("batch", json!({"steps": [{"tool": "home"}, {"tool": "log", "arguments": {"message": "a: $b"}}]}));
    agent.end();
    assert_kept("odd.yaml", &fs::read_to_string(&file).expect("a recording"));
    assert_runs(&["check"], &file, 0);
    assert_runs(&["run", "--device", "phone"], &file, 0);
}

#[test]
fn several_devices_are_named_and_each_gets_its_own_steps_again() {
    let phones = Phone::start_with(&["--count", "2"], 0);
    let (_kept, path) = folder();
    let file = path("two.yaml");
    let mut agent = Agent::start(&file, &["--device", "android", "--adb-server", &phones.address()]);
    agent.call("select_device", json!({"platform": "android", "serial": "uixt-phone-1"}));
    agent.call("app_launch", json!({"package_name": "com.uixt.touchlab"}));
    agent.call("app_launch", json!({"package_name": "com.uixt.shop", "serial": "uixt-phone-2"}));
    agent.call("tap_xy", json!({"x": 0.5, "y": 370.0 / 2400.0, "serial": "uixt-phone-2"}));
    agent.call("assert_visible", json!({"text": "Gesture pad"}));
    agent.call("assert_visible", json!({"text": "Sign in", "serial": "uixt-phone-2"}));
    agent.end();
    assert_kept("two.yaml", &fs::read_to_string(&file).expect("a recording"));
    assert_runs(&["check"], &file, 0);
    assert_runs(&["run", "--adb-server", &phones.address()], &file, 0);
}

#[test]
fn a_secret_is_nowhere_and_the_run_says_where_it_wants_it_from() {
    let (_kept, path) = folder();
    let file = path("secret.yaml");
    let mut agent = Agent::start(&file, &["--device", "phone"]);
    agent.call("app_launch", json!({"package_name": "com.uixt.shop"}));
    agent.call("input", json!({"text": "hunter22", "into": {"id": "user"}}));
    agent.call("input", json!({"text": "hunter22", "into": {"id": "password"}}));
    agent.try_call("tap_element", json!({"text": "hunter22 is wrong", "timeout": 0.1}));
    agent.call("log", json!({"message": "typed hunter22 for $user"}));
    agent.call("input", json!({"text": "door", "into": {"id": "user"}, "secret": true, "clear": true}));
    agent.end();
    let recorded = fs::read_to_string(&file).expect("a recording");
    assert_kept("secret.yaml", &recorded);
    assert!(!recorded.contains("hunter22") && !recorded.contains("door"), "{recorded}");
    assert_runs(&["check"], &file, 0);
    let (code, told) = {
        let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
        command.args(["run", "--device", "phone"]).arg(&file).current_dir(path("."));
        let output = command.env_remove("PASSWORD").output().expect("it starts");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
        )
    };
    assert!(code != Some(0) && told.contains("PASSWORD"), "{told}");
    fs::write(path("uixt.yaml"), "").expect("written");
    fs::write(path(".env"), "PASSWORD=hunter22\nUSER_SECRET=door\n").expect("written");
    assert_runs(&["run", "--device", "phone"], &file, 0);
}

#[test]
fn a_thousand_calls_are_a_thousand_steps_in_no_time() {
    let (_kept, path) = folder();
    let file = path("many.yaml");
    let mut agent = Agent::start(&file, &["--device", "phone"]);
    let began = Instant::now();
    for number in 0..1000 {
        agent.call("log", json!({"message": format!("line {number}")}));
    }
    let took = began.elapsed();
    let count = fs::read_to_string(&file).expect("a recording").matches("- log: line ").count();
    agent.end();
    assert_eq!(count, 1000, "the file is whole after every call");
    assert!(took < Duration::from_mins(2), "{took:?}");
    println!("1,000 recorded calls of `log`: {took:?}");
}

#[test]
fn each_session_over_http_has_a_file() {
    let (_kept, path) = folder();
    let file = path("web.yaml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
    command.args(["mcp-server", "--device", "phone", "--http", "0", "--record"]).arg(&file).env_remove("UIXT_DEVICE");
    let mut server = Running(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts"));
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let address = line.trim().trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
    let ask = |session: Option<&str>, message: Value| {
        let mut lines = vec![("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        lines.extend(session.map(|session| ("mcp-session-id", session)));
        http::ask(&address, "POST", "/mcp", &lines, &message.to_string())
    };
    let client =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    let begin = || {
        let hello = ask(None, json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}));
        let session = hello.line("mcp-session-id").expect("a session").to_owned();
        ask(Some(&session), json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).body();
        session
    };
    let (one, other) = (begin(), begin());
    for (session, message) in [(&one, "first"), (&other, "second"), (&one, "third")] {
        let params = json!({"name": "log", "arguments": {"message": message}});
        let done =
            ask(Some(session), json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})).message();
        assert_eq!(done["result"]["structuredContent"]["success"], true, "{done}");
    }
    let read = |name: &str| fs::read_to_string(path(name)).expect("a recording");
    assert!(read("web.yaml").contains("- log: first\n- log: third\n"), "{}", read("web.yaml"));
    assert!(read("web-2.yaml").ends_with("- log: second\n"), "{}", read("web-2.yaml"));
}

/// Types lines into a recording through a pipe.
fn typed(test: &Test, lines: impl AsRef<[u8]>) -> (Option<i32>, String, String) {
    let mut command = test.command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().expect("it starts");
    // A program that has read enough closes its end.
    let _ = process.stdin.take().expect("a pipe").write_all(lines.as_ref());
    let output = process.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Opens the shop and puts something into its cart.
fn fill_cart(agent: &mut Agent) {
    agent.call("app_clear", json!({"package_name": "com.uixt.shop"}));
    agent.call("app_launch", json!({"package_name": "com.uixt.shop"}));
    agent.call("input", json!({"text": "alice", "into": "User name"}));
    agent.call("input", json!({"text": "secret123", "into": "Password"}));
    agent.call("tap_element", json!({"text": "Sign in"}));
    agent.call("tap_element", json!({"text": "Apples"}));
    agent.call("tap_element", json!({"text": "Add to cart"}));
}

/// Records what an agent does on a phone of its own; returns the testcase.
fn recorded(file: &Path, acts: impl FnOnce(&mut Agent)) -> String {
    let mut agent = Agent::start(file, &["--device", "phone"]);
    acts(&mut agent);
    agent.end();
    fs::read_to_string(file).expect("a recording")
}

#[test]
fn failures_at_the_end_are_told_there_and_at_the_top() {
    let (_kept, path) = folder();
    let text = recorded(&path("failed.yaml"), |agent| {
        agent.call("app_clear", json!({"package_name": "com.uixt.shop"}));
        agent.call("app_launch", json!({"package_name": "com.uixt.shop"}));
        agent.try_call("wait_for", json!({"text": "Basket", "timeout": 0.2}));
        agent.call("input", json!({"text": "alice", "into": "User name"}));
        agent.try_call("assert_visible", json!({"text": "Welcome", "timeout": 0.2}));
        agent.try_call("tap_element", json!({"text": "Apples", "timeout": 0.2}));
    });
    assert!(text.contains("# this session ended with a failure: assert_visible failed: \"Welcome\""), "{text}");
    assert!(text.ends_with("# left out: tap_element failed: \"Apples\": not there within 0.2 s\n"), "{text}");
    for told in ["# left out: wait_for failed: \"Basket\"", "# left out: assert_visible failed: \"Welcome\""] {
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn what_the_last_step_brought_about_is_asserted_or_said_to_be_missing() {
    let (_kept, path) = folder();
    let read = path("read.yaml");
    let text = recorded(&read, |agent| {
        fill_cart(agent);
        agent.call("get_text", json!({"id": "cart"}));
    });
    assert!(text.ends_with("- assert_text: {id: cart, equals: 1 item in cart}\n"), "{text}");
    assert_runs(&["run", "--device", "phone"], &read, 0);
    let seen = path("seen.yaml");
    let text = recorded(&seen, fill_cart);
    assert!(text.ends_with("- scroll_to: {id: cart}\n- assert_text: {id: cart, equals: 1 item in cart}\n"), "{text}");
    assert_runs(&["run", "--device", "phone"], &seen, 0);
    fs::write(&seen, text.replace("- tap: Add to cart\n", "")).expect("written");
    assert_runs(&["run", "--device", "phone"], &seen, 1);
    let text = recorded(&path("nothing.yaml"), |agent| {
        agent.call("app_launch", json!({"package_name": "com.uixt.touchlab"}));
        agent.call("tap_element", json!({"text": "Gesture pad"}));
        agent.call("home", json!({}));
    });
    assert!(text.contains("# asserts nothing after its last step: add an assertion\n"), "{text}");
    let text = recorded(&path("swiped.yaml"), |agent| {
        agent.call("app_terminate", json!({"package_name": "com.uixt.settings"}));
        agent.call("app_launch", json!({"package_name": "com.uixt.settings"}));
        agent.look();
        agent.call("swipe", json!({"direction": "up"}));
    });
    assert!(text.contains("# asserts nothing after its last step: add an assertion\n"), "{text}");
}

/// Buys tea, with a look after every act, as who knows no better.
fn buy_tea(agent: &mut Agent) {
    agent.call("app_clear", json!({"package_name": "com.uixt.shop"}));
    agent.call("app_launch", json!({"package_name": "com.uixt.shop"}));
    agent.look();
    for (field, text) in [("User name", "alice"), ("Password", "secret123")] {
        agent.call("input", json!({"text": text, "into": agent.named(field)}));
        agent.look();
    }
    for name in ["Sign in", "Green tea", "+", "Add to cart", "View cart"] {
        let target = if agent.snapshot.contains(&format!("button \"{name}\"")) {
            json!({"role": "button", "text": name})
        } else {
            json!({"text": name})
        };
        agent.call("tap_element", target);
        agent.call("sleep", json!({"seconds": 0.7}));
        agent.look();
    }
}

#[test]
fn a_recording_fails_without_any_one_of_the_steps_that_act() {
    let (_kept, path) = folder();
    let file = path("tea.yaml");
    let text = recorded(&file, buy_tea);
    assert_kept("tea.yaml", &text);
    for (size, density) in [("1080x2400", "420"), ("720x1280", "320")] {
        let phone = Phone::start_with(&["--size", size, "--density", density], 0);
        for _ in 0..2 {
            assert_runs(&["run", "--device", "android", "--adb-server", &phone.address()], &file, 0);
        }
    }
    let acts = |line: &str| ["app_launch:", "input:", "tap:"].iter().any(|tool| line.contains(tool));
    let lines: Vec<&str> = text.lines().collect();
    let mut cases = vec![(path("notebook/case.yaml"), text.replace("Green tea\n", "Notebook\n"))];
    for (place, line) in lines.iter().enumerate().filter(|(_, line)| acts(line)) {
        let mut rest = lines.clone();
        // The page that begins with a step is not the step.
        let named = lines[place - 1].starts_with("- name:");
        rest[place] = if named { "  log: nothing" } else { "" };
        cases.push((path(&format!("without-{place}/case.yaml")), rest.join("\n")));
        assert!(line.starts_with("- ") || named, "{line}");
    }
    assert_eq!(cases.len(), 9, "{text}");
    for ((file, broken), ended) in cases.iter().zip(runs("phone", &cases)) {
        assert_eq!(ended, Some(1), "{}: {broken}", file.display());
    }
}

#[test]
fn a_wait_is_an_assertion_unless_the_next_step_waits_for_the_same() {
    let (_kept, path) = folder();
    let text = recorded(&path("waits.yaml"), |agent| {
        fill_cart(agent);
        agent.call("wait_for", json!({"text": "Added to cart"}));
        agent.call("wait_for", json!({"text": "View cart"}));
        agent.call("tap_element", json!({"text": "View cart"}));
        agent.call("wait_for", json!({"id": "total"}));
    });
    assert!(text.contains("- tap: Add to cart\n- assert_visible: Added to cart\n"), "{text}");
    assert!(!text.contains("assert_visible: View cart"), "{text}");
    assert_runs(&["run", "--device", "phone"], &path("waits.yaml"), 0);
}

/// Answers every request with an empty page, until the test ends.
fn empty_pages() -> String {
    serve(|_, stream| reply(stream, "200 OK", &[], b""))
}

#[test]
fn credentials_of_requests_are_not_written() {
    let address = empty_pages();
    let test = Test::new(&["repl", "--device", "phone", "--record", "asked.yaml"]);
    let lines = format!(
        "request: {{url: \"http://bob:pw98765@{address}/?api_key=KEYSECRET2\", cookies: {{sid: COOKIESEC}}}}\n\
         request: {{url: \"http://127.0.0.1:1/?api_key=KEYSECRET1\"}}\n"
    );
    let (code, _, wrong) = typed(&test, lines);
    let text = fs::read_to_string(test.path("asked.yaml")).expect("a recording");
    assert!(code == Some(1) && text.contains("left out: request failed"), "{wrong}{text}");
    for secret in ["pw98765", "KEYSECRET", "COOKIESEC"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    assert!(text.contains("bob:${token") && text.contains("cookies: {sid: $token"), "{text}");
    assert_runs(&["check"], &test.path("asked.yaml"), 0);
}

#[test]
fn what_waits_for_nothing_waits_for_what_appeared_during_a_pause() {
    let (_kept, path) = folder();
    for closes in ["close_popups", "back"] {
        let file = path(&format!("{closes}.yaml"));
        let text = recorded(&file, |agent| {
            agent.call("app_terminate", json!({"package_name": "com.uixt.trouble"}));
            agent.call("open_url", json!({"url": "uixt-trouble://popups"}));
            agent.call("tap_element", json!({"text": "Buy"}));
            agent.call("sleep", json!({"seconds": 2}));
            agent.call(closes, json!({}));
            agent.call("assert_visible", json!({"id": "status"}));
        });
        let waits = "assert_visible: {role: heading, text: Do you like Trouble?}\n- ";
        assert!(text.contains(&format!("{waits}{closes}:")), "{text}");
        assert_runs(&["run", "--device", "phone"], &file, 0);
    }
}

#[test]
fn a_secret_that_keys_typed_is_not_written_letter_by_letter() {
    let (_kept, path) = folder();
    let text = recorded(&path("keys.yaml"), |agent| {
        agent.call("app_clear", json!({"package_name": "com.uixt.shop"}));
        agent.call("app_launch", json!({"package_name": "com.uixt.shop"}));
        agent.call("tap_element", json!({"id": "password"}));
        for key in ["KEYCODE_S", "KEYCODE_3", "KEYCODE_4", "KEYCODE_DEL", "32"] {
            agent.call("keycode", json!({"keycode": key}));
        }
    });
    assert!(text.contains("- input: {text: $password, into: {id: password}, secret: true}\n"), "{text}");
    assert!(!text.contains("keycode") && !text.contains("KEYCODE"), "{text}");
}

#[test]
fn what_was_typed_on_an_upright_phone_is_typed_on_one_that_lies_on_its_side() {
    let (_kept, path) = folder();
    let file = path("sideways.yaml");
    recorded(&file, |agent| {
        agent.call("app_clear", json!({"package_name": "com.uixt.shop"}));
        agent.call("app_launch", json!({"package_name": "com.uixt.shop"}));
        agent.call("input", json!({"text": "alice", "into": "User name"}));
        agent.call("input", json!({"text": "secret123", "into": "Password"}));
        agent.call("tap_element", json!({"text": "Sign in"}));
        agent.call("assert_visible", json!({"text": "Welcome, alice"}));
    });
    let phone = Phone::start_with(&["--size", "1280x720", "--density", "320"], 0);
    assert_runs(&["run", "--device", "android", "--adb-server", &phone.address()], &file, 0);
}

#[test]
fn fields_that_selectors_name_are_checked_and_replayed() {
    let (_kept, path) = folder();
    let file = path("selectors.yaml");
    let text = recorded(&file, |agent| {
        agent.call("app_clear", json!({"package_name": "com.uixt.shop"}));
        agent.call("app_launch", json!({"package_name": "com.uixt.shop"}));
        agent.call("sim_input", json!({"text": "alice", "into": "#user"}));
        agent.call("input", json!({"text": "secret123", "into": "//*[contains(@resource-id, 'password')]"}));
        agent.call("input", json!({"text": "secret123", "into": "#password", "clear": true}));
        agent.call("tap_element", json!({"text": "Sign in", "role": "button"}));
        agent.call("assert_visible", json!({"text": "Welcome, alice"}));
    });
    assert!(text.contains("- scroll_to: {selector: \"#password\"}\n"), "{text}");
    assert_runs(&["check"], &file, 0);
    assert_runs(&["run", "--device", "phone"], &file, 0);
}

#[test]
fn lines_that_are_no_text_are_named_and_the_next_ones_done() {
    let test = Test::new(&["repl", "--device", "phone", "--record", "bytes.yaml"]);
    let (code, _, wrong) = typed(&test, b"home\n\xff\xfe\nback\nlaunch com.uixt.shop\n");
    assert!(code == Some(1) && wrong.contains("line 2 is not UTF-8"), "{wrong}");
    let text = fs::read_to_string(test.path("bytes.yaml")).expect("a recording");
    assert!(text.contains("- back:") && text.contains("- app_launch: com.uixt.shop\n"), "{text}");
    let test = Test::new(&["record", "--device", "phone", "long.yaml"]);
    let (code, _, wrong) = typed(&test, "x".repeat(3 << 20));
    assert!(code == Some(1) && wrong.contains("line 1 is longer than 1 MiB"), "{wrong}");
}

#[test]
fn what_a_person_types_is_recorded() {
    let test = Test::new(&["repl", "--device", "phone", "--record", "log_in.yaml"]);
    let lines = "launch com.uixt.shop\ninput alice into User name\n- input: {text: secret123, into: Password}\n\
                 tap e999\ntapp Sign in\nundo\nswipe 0.2 0.1 0.8 0.1\nundo\ntap_element: {role: button, text: Sign in}\n\
                 see Welcome, alice\nshow\n:list\nsave\nhelp\n# a remark\n";
    let (code, told, wrong) = typed(&test, lines);
    assert_eq!(code, Some(1), "two lines came to nothing, which a script must learn: {told}{wrong}");
    let recorded = fs::read_to_string(test.path("log_in.yaml")).expect("a recording");
    assert_kept("log_in.yaml", &recorded);
    assert!(told.contains(&recorded), "it is shown: {told}");
    for part in
        ["button \"Sign in\" #sign_in", "forgot swipe; what it did on the device stays", "every step is in log_in.yaml"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(told.contains("nothing of it to forget"), "{told}");
    assert!(wrong.contains("type `look`") && !wrong.contains("take a snapshot"), "{wrong}");
    assert!(wrong.contains("did you mean `tap`?") && wrong.contains("unknown ref e999"), "{wrong}");
    assert!(wrong.contains("recorded log_in.yaml; replay it with: uixt run log_in.yaml"), "{wrong}");
    assert_runs(&["run", "--device", "phone"], &test.path("log_in.yaml"), 0);
    let (code, _, wrong) = typed(&test, "home\n");
    assert_eq!(code, Some(2));
    assert!(wrong.contains("already exists") && wrong.contains("--force"), "{wrong}");
}

#[test]
fn a_recording_of_which_all_is_undone_is_none() {
    let test = Test::new(&["repl", "--device", "phone", "--record", "gone.yaml"]);
    let (code, told, wrong) = typed(&test, "home\n:undo\nsave\n");
    assert_eq!(code, Some(0), "{told}{wrong}");
    assert!(
        told.contains("there is no step yet, and no file") && wrong.contains("nothing was recorded"),
        "{told}{wrong}"
    );
    assert!(!test.path("gone.yaml").exists());
}

#[test]
fn ctrl_c_keeps_what_was_recorded() {
    let test = Test::new(&["repl", "--device", "phone", "--record", "kept.yaml"]);
    let mut command = test.command();
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut process = Running(piped.spawn().expect("it starts"));
    let mut input = process.0.stdin.take().expect("a pipe");
    input.write_all(b"launch com.uixt.touchlab\nwait_for: {text: nothing, timeout: 60}\n").expect("it reads");
    let file = test.path("kept.yaml");
    wait_until("the step is written", 20, || file.exists());
    signal(&process.0, "INT");
    assert_eq!(process.ended(10), Some(130));
    assert!(fs::read_to_string(&file).expect("a recording").contains("- app_launch: com.uixt.touchlab\n"));
}

#[test]
fn calls_of_other_servers_are_steps() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/faulty_server.py");
    let folder = tempfile::tempdir().expect("a folder");
    let servers = json!({"mcpServers": {"my notes": {"command": "python3", "args": [script, "none"]}}});
    let file = folder.path().join("mcp.json");
    fs::write(&file, servers.to_string()).expect("a file");
    let recorded = |name: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let mut agent = Agent::start(&path, &["--device", "phone", "--with", file.to_str().expect("a path")]);
        agent.call("log", json!({"message": "first"}));
        agent.try_call("my_notes__do", json!({"a": "$b", "text": "hunter22", "secret": true}));
        drop(agent.input.take());
        wait_until("the server ends", 20, || agent.process.0.try_wait().is_ok_and(|status| status.is_some()));
        fs::read_to_string(&path).expect("a testcase")
    };
    let beside = recorded("case.yaml");
    assert!(beside.contains("mcp_config_path: mcp.json"), "{beside}");
    let step = "- mcp: {server: my notes, tool: do, arguments: {a: $$b, text: $secret, secret: true}}";
    assert!(beside.contains(step) && !beside.contains("hunter22"), "{beside}");
    let elsewhere = recorded("inner/case.yaml");
    assert!(elsewhere.contains("# Run it with --mcp-config ") && !elsewhere.contains("mcp_config_path"), "{elsewhere}");
}

#[test]
fn arguments_are_written_as_short_as_they_are_read() {
    for (tool, arguments, expected) in [
        ("tap_element", json!({"text": "Sign in"}), json!("Sign in")),
        ("tap_element", json!({"id": "ok"}), json!({"id": "ok"})),
        ("tap_xy", json!({"x": 0.5, "y": 0.25}), json!([0.5, 0.25])),
        ("tap_xy", json!({"x": 0.5, "y": 0.25, "duration": 1.0}), json!({"x": 0.5, "y": 0.25, "duration": 1.0})),
        ("swipe", json!({"direction": "up"}), json!("up")),
        ("swipe", json!({"from_x": 0.1, "from_y": 0.1, "to_x": 0.9, "to_y": 0.1}), json!([0.1, 0.1, 0.9, 0.1])),
        ("press_button", json!({"button": "enter"}), json!("enter")),
        ("home", json!({}), Value::Null),
        ("input", json!({"text": "5", "into": "Name"}), json!({"text": "5", "into": "Name"})),
        ("input", json!({"text": "true"}), json!("true")),
    ] {
        let value = short_value(tools::table(), tool, arguments.as_object().expect("a map"));
        assert_eq!(value, expected, "{tool}");
    }
}
