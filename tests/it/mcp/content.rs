//! What `uixt mcp-server` offers beside its tools, and what it says without being asked: raw lines against the real program.

use std::fs;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use uixt_call::{Exposure, arguments};
use uixt_schema::{Draft, Validator};

use crate::support::counterparts::Phone;
use crate::support::mcp_stdio::Server;
use crate::support::{items, text};

/// Begins a session on the embedded phone, with its start screen in front.
fn session(options: &[&str]) -> Server {
    let mut server = Server::start_with(options);
    server.initialize();
    assert_eq!(server.call(1_000, "home", &json!({}))["result"]["isError"], false);
    server
}

/// Reads a resource; returns its contents or the error.
#[track_caller]
fn read(server: &mut Server, uri: &str) -> Result<Value, Value> {
    let mut answer = server.ask(1_001, "resources/read", &json!({"uri": uri}));
    match answer.get("error") {
        Some(error) => Err(error.clone()),
        None => Ok(answer["result"]["contents"][0].take()),
    }
}

fn uris(notified: &[Value]) -> Vec<&str> {
    let updates = notified.iter().filter(|message| message["method"] == "notifications/resources/updated");
    updates.map(|message| text(&message["params"]["uri"])).collect()
}

fn png_size(encoded: &Value) -> (u32, u32) {
    let png = STANDARD.decode(text(encoded)).expect("base64");
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    (side(16), side(20))
}

#[test]
fn screens_trees_and_the_report_are_resources() {
    let mut server = session(&[]);
    let listed = server.ask(1, "resources/list", &json!({}));
    let listed: Vec<&str> = items(&listed["result"]["resources"]).iter().map(|it| text(&it["uri"])).collect();
    for uri in ["session/screen", "session/tree", "session/report", "android/uixt-phone/screen"] {
        assert!(listed.contains(&format!("uixt://{uri}").as_str()), "{listed:?}");
    }
    let templates = server.ask(2, "resources/templates/list", &json!({}));
    assert!(templates.to_string().contains("uixt://{platform}/{serial}/screen"), "{templates}");
    for uri in ["uixt://session/screen", "uixt://android/uixt-phone/screen"] {
        let screen = read(&mut server, uri).expect("the screen");
        assert_eq!((&screen["mimeType"], png_size(&screen["blob"])), (&json!("image/png"), (1080, 2400)));
    }
    let tree = read(&mut server, "uixt://session/tree").expect("the tree");
    assert!(text(&tree["text"]).contains("<hierarchy"), "{tree}");
    server.call(3, "tap_element", &json!({"text": "No such text", "timeout": 0}));
    let report = read(&mut server, "uixt://session/report").expect("the report");
    let report: Value = serde_json::from_str(text(&report["text"])).expect("JSON");
    assert_eq!((&report["calls"], &report["failed"]), (&json!(2), &json!(1)));
    let entry = &report["entries"][1];
    assert_eq!(
        (&entry["tool"], &entry["outcome"], &entry["kind"]),
        (&json!("tap_element"), &json!("failed"), &json!("NotFound"))
    );
    assert_eq!(entry["device"]["serial"], "uixt-phone");
    let gone = read(&mut server, "uixt://android/elsewhere/screen").expect_err("no such device");
    assert!(
        text(&gone["message"]).contains("device elsewhere is not connected; connected: android:uixt-phone"),
        "{gone}"
    );
    for nothing in ["uixt://session/nothing", "file:///etc/passwd", "uixt://testcases/a.yaml"] {
        assert_eq!(read(&mut server, nothing).expect_err("no resource")["code"], -32002, "{nothing}");
        assert!(server.ask(4, "resources/subscribe", &json!({"uri": nothing}))["error"].is_object());
    }
}

#[test]
fn the_times_of_tools_are_a_resource() {
    let mut server = session(&[]);
    server.ask(1, "resources/subscribe", &json!({"uri": "uixt://tools/stats"}));
    server.send(2, "tools/call", &json!({"name": "sleep", "arguments": {"seconds": 1}}));
    assert_eq!(uris(&server.hear_answer(2).1), ["uixt://tools/stats"]);
    server.ask(3, "resources/unsubscribe", &json!({"uri": "uixt://tools/stats"}));
    let steps = json!([{"tool": "sleep", "arguments": {"seconds": 0.2}}]);
    server.call(4, "batch", &json!({"steps": steps}));
    server.call(5, "tap_element", &json!({"text": "No such text", "timeout": 0}));
    server.call(6, "tap_element", &json!({"txt": "no such argument"}));
    server.call(7, "tap_elment", &json!({"text": "no such tool"}));
    // Who lists resources has devices looked for, which is no call of an agent.
    let listed = server.ask(8, "resources/list", &json!({}));
    assert!(listed.to_string().contains("uixt://tools/stats"), "{listed}");
    let told = read(&mut server, "uixt://tools/stats").expect("the times");
    assert_eq!(told["mimeType"], "application/json");
    let told: Value = serde_json::from_str(text(&told["text"])).expect("JSON");
    let number = |tool: &Value, key: &str| tool[key].as_u64().expect("a number");
    let of = |tool: &Value| (text(&tool["tool"]).to_owned(), (number(tool, "calls"), number(tool, "succeeded")));
    let tools: std::collections::BTreeMap<_, _> = items(&told["tools"]).iter().map(of).collect();
    let expected = [("batch", (1, 1)), ("home", (1, 1)), ("sleep", (2, 2)), ("tap_element", (2, 0))];
    assert_eq!(tools, expected.map(|(name, counts)| (name.to_owned(), counts)).into(), "{told}");
    let slept = items(&told["tools"]).iter().find(|tool| tool["tool"] == "sleep").expect("a row");
    assert!(number(slept, "waiting_ms") >= 1_200 && number(slept, "slowest_ms") >= 1_000, "{slept}");
}

#[test]
fn who_subscribed_is_told_of_what_may_have_changed_and_of_nothing_else() {
    let mut server = session(&[]);
    for uri in ["session/screen", "session/report", "android/uixt-phone/tree"] {
        server.ask(1, "resources/subscribe", &json!({"uri": format!("uixt://{uri}")}));
    }
    server.send(2, "tools/call", &json!({"name": "snapshot", "arguments": {}}));
    assert_eq!(uris(&server.hear_answer(2).1), ["uixt://session/report"], "a look changes nothing");
    server.send(3, "tools/call", &json!({"name": "tap_element", "arguments": {"text": "Settings"}}));
    let (_, notified) = server.hear_answer(3);
    assert_eq!(uris(&notified), ["uixt://session/report", "uixt://session/screen", "uixt://android/uixt-phone/tree"]);
    server.ask(4, "resources/unsubscribe", &json!({"uri": "uixt://session/screen"}));
    server.send(5, "tools/call", &json!({"name": "back", "arguments": {}}));
    assert_eq!(uris(&server.hear_answer(5).1), ["uixt://session/report", "uixt://android/uixt-phone/tree"]);
}

#[test]
fn testcase_files_are_read_within_their_folder_and_watched() {
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("cases");
    fs::create_dir_all(cases.join("深 层")).unwrap();
    fs::write(folder.path().join("secret.yaml"), "secret").unwrap();
    fs::write(cases.join("深 层/登录.yaml"), "teststeps: []").unwrap();
    std::os::unix::fs::symlink(folder.path().join("secret.yaml"), cases.join("link.yaml")).unwrap();
    let mut server = session(&["--allow-dir", cases.to_str().unwrap()]);
    let listed = server.ask(1, "resources/list", &json!({}));
    let files: Vec<&str> = items(&listed["result"]["resources"])
        .iter()
        .map(|it| text(&it["uri"]))
        .filter(|uri| uri.starts_with("uixt://testcases/"))
        .collect();
    let [uri] = files[..] else { panic!("{files:?}") };
    assert_eq!(read(&mut server, uri).expect("the file")["text"], "teststeps: []");
    for path in ["link.yaml", "../secret.yaml", "..%2Fsecret.yaml", "%2E%2E/secret.yaml", "/etc/hostname"] {
        let error = read(&mut server, &format!("uixt://testcases/{path}")).expect_err(path);
        assert!(!error.to_string().contains("root:"), "{error}");
    }
    let uri = uri.to_owned();
    server.ask(2, "resources/subscribe", &json!({"uri": uri}));
    fs::write(cases.join("深 层/登录.yaml"), "teststeps: [home]").unwrap();
    let told = server.hear();
    assert_eq!((&told["method"], &told["params"]["uri"]), (&json!("notifications/resources/updated"), &json!(uri)));
    fs::write(cases.join("new.json"), "{}").unwrap();
    assert_eq!(server.hear()["method"], "notifications/resources/list_changed");
    assert!(server.is_silent(2_500), "nothing more changed");
}

/// Returns how long it takes until a server tells that its phone has gone.
fn told_of_a_phone_that_goes() -> Duration {
    let phone = Phone::start();
    let mut server = Server::start_on(&["--adb-server", &phone.address()], &[]);
    server.initialize();
    let uri = "uixt://android/uixt-phone/screen";
    assert!(server.ask(1, "resources/list", &json!({})).to_string().contains(uri));
    server.ask(2, "resources/subscribe", &json!({"uri": uri}));
    // Whoever looks only every few seconds does not look now.
    std::thread::sleep(Duration::from_millis(500));
    drop(phone);
    let gone = Instant::now();
    let mut told = Vec::new();
    while told.last() != Some(&json!("notifications/resources/list_changed")) {
        told.push(server.hear()["method"].clone());
    }
    let took = gone.elapsed();
    assert!(told.contains(&json!("notifications/resources/updated")), "{told:?}");
    assert!(!server.ask(3, "resources/list", &json!({})).to_string().contains(uri));
    took
}

#[test]
fn devices_that_go_are_told_of_at_once() {
    // Whoever looks every few seconds is late each time; a machine that is busy is not.
    let took: Vec<Duration> = std::iter::repeat_with(told_of_a_phone_that_goes).take(3).collect();
    assert!(took.iter().any(|took| *took < Duration::from_millis(1_500)), "{took:?}");
}

#[test]
fn prompts_hold_what_a_model_needs() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("model.yaml"), "config: {name: A model}\nteststeps:\n- home:\n").unwrap();
    let mut server = session(&["--allow-dir", folder.path().to_str().unwrap()]);
    let listed = server.ask(1, "prompts/list", &json!({}));
    assert_eq!(items(&listed["result"]["prompts"]).len(), 3);
    let get = |server: &mut Server, name: &str, arguments: Value| {
        server.ask(2, "prompts/get", &json!({"name": name, "arguments": arguments}))
    };
    let nothing = get(&mut server, "explain_failure", json!({}));
    assert!(text(&nothing["error"]["message"]).contains("no call failed in this session"), "{nothing}");
    server.call(3, "tap_element", &json!({"text": "Settings"}));
    server.call(4, "assert_visible", &json!({"text": "Setings", "timeout": 0}));
    let failure = get(&mut server, "explain_failure", json!({}));
    let said = text(&failure["result"]["messages"][0]["content"]["text"]);
    for part in
        ["\"tool\": \"assert_visible\"", "- 2 tap_element {\"text\":\"Settings\"}: passed", "heading \"Settings\""]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    server.call(5, "assert_not_visible", &json!({"text": "costs $5", "timeout": 0}));
    let write = get(&mut server, "write_testcase", json!({"goal": "{{tools}} turn Wi-Fi off", "file": "model.yaml"}));
    let messages = items(&write["result"]["messages"]);
    let said = text(&messages[0]["content"]["text"]);
    for part in [
        "this: {{tools}} turn Wi-Fi off",
        "\n- tap: Tap",
        "- tap_element: {\"text\":\"Settings\"}",
        "- assert_not_visible: {\"text\":\"costs $$5\"",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("Setings") && said.len() < 8_000, "{} bytes: {said}", said.len());
    assert_eq!(messages[1]["content"]["resource"]["uri"], "uixt://testcases/model.yaml");
    let explore = get(&mut server, "explore_app", json!({"package": "com.uixt.shop"}));
    assert!(text(&explore["result"]["messages"][0]["content"]["text"]).contains("Explore the app com.uixt.shop"));
    for (name, arguments, why) in [
        ("explore_app", json!({}), "missing: package; valid: package, focus"),
        ("explore_app", json!({"package": "a", "pakage": "a"}), "unknown: pakage"),
        ("write_testcase", json!({"goal": "x", "file": "../x.yaml"}), "there is no testcase file"),
        ("explain_failure", json!({"call": "99"}), "there is no call 99; calls that failed: 3"),
        ("nothing", json!({}), "no prompt nothing"),
    ] {
        let refused = get(&mut server, name, arguments);
        assert!(text(&refused["error"]["message"]).contains(why), "{refused}");
    }
}

#[test]
fn arguments_are_completed_from_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("login.yaml"), "").unwrap();
    let mut server = session(&["--allow-dir", folder.path().to_str().unwrap()]);
    server.call(1, "snapshot", &json!({}));
    let mut complete = |reference: Value, name: &str, value: &str| {
        let params = json!({"ref": reference, "argument": {"name": name, "value": value}});
        server.ask(2, "completion/complete", &params)
    };
    let prompt = |name: &str| json!({"type": "ref/prompt", "name": name});
    let template = |uri: &str| json!({"type": "ref/resource", "uri": uri});
    let values = |answer: Value| answer["result"]["completion"]["values"].clone();
    assert_eq!(values(complete(prompt("explore_app"), "package", "com.uixt.sh")), json!(["com.uixt.shop"]));
    assert_eq!(values(complete(template("uixt://{platform}/{serial}/screen"), "serial", "")), json!(["uixt-phone"]));
    assert_eq!(values(complete(template("uixt://{platform}/{serial}/screen"), "platform", "an")), json!(["android"]));
    assert_eq!(values(complete(prompt("write_testcase"), "file", "log")), json!(["login.yaml"]));
    let refs = values(complete(template("uixt://session/elements/{ref}"), "ref", "e"));
    assert!(items(&refs).len() > 3 && refs[0] == "e1", "{refs}");
    let wrong = complete(prompt("explore_app"), "pakage", "");
    assert!(text(&wrong["error"]["message"]).contains("valid: package, focus"), "{wrong}");
    let element = read(&mut server, "uixt://session/elements/e1").expect("an element");
    assert!(text(&element["text"]).contains("e1 "), "{element}");
    assert_eq!(read(&mut server, "uixt://session/elements/e999").expect_err("no ref")["code"], -32002);
}

#[test]
fn a_wait_and_a_batch_tell_how_far_they_are() {
    let mut server = session(&[]);
    let call =
        |tool: &str, arguments: Value| json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "t1"}});
    server.send(1, "tools/call", &call("wait_for", json!({"text": "No such text", "timeout": 1.6})));
    let (_, notified) = server.hear_answer(1);
    let steps: Vec<f64> = notified.iter().filter_map(|it| it["params"]["progress"].as_f64()).collect();
    assert!((3..=9).contains(&steps.len()), "a bounded rate: {steps:?}");
    assert!(steps.windows(2).all(|two| two[0] < two[1]), "it grows: {steps:?}");
    assert!(notified.iter().all(|it| it["params"]["progressToken"] == "t1" && it["params"]["total"] == 1.6));
    let slow = json!({"tool": "sleep", "arguments": {"seconds": 0.3}});
    server.send(2, "tools/call", &call("batch", json!({"steps": [slow, slow, slow]})));
    let (_, notified) = server.hear_answer(2);
    let said: Vec<&str> = notified.iter().map(|it| text(&it["params"]["message"])).collect();
    assert_eq!(said, ["step 1 of 3: sleep", "step 2 of 3: sleep", "step 3 of 3: sleep"]);
    server.send(3, "tools/call", &json!({"name": "wait_for", "arguments": {"text": "No such text", "timeout": 0.5}}));
    assert!(server.hear_answer(3).1.is_empty(), "nobody asked to be told");
}

#[test]
fn what_is_logged_is_as_grave_as_the_client_wants() {
    let mut server = session(&[]);
    let vain = json!({"name": "get_screen_size", "arguments": {}, "_meta": {"uixt": {"offset": [1, 1]}}});
    let level = |server: &mut Server, level: &str| {
        assert_eq!(server.ask(1, "logging/setLevel", &json!({"level": level}))["result"], json!({}));
    };
    let levels = |notified: &[Value]| -> Vec<String> {
        notified.iter().map(|it| text(&it["params"]["level"]).to_owned()).collect()
    };
    level(&mut server, "debug");
    server.send(2, "tools/call", &vain);
    assert_eq!(levels(&server.hear_answer(2).1), ["warning", "debug"]);
    level(&mut server, "warning");
    server.send(3, "tools/call", &vain);
    let (_, notified) = server.hear_answer(3);
    assert_eq!(levels(&notified), ["warning"]);
    assert_eq!(
        (&notified[0]["params"]["logger"], &notified[0]["params"]["data"]["tool"]),
        (&json!("uixt"), &json!("get_screen_size"))
    );
    level(&mut server, "emergency");
    server.send(4, "tools/call", &vain);
    assert!(server.hear_answer(4).1.is_empty());
}

#[test]
fn a_picture_is_as_small_as_it_is_wanted_and_the_whole_one_is_linked() {
    let mut server = session(&[]);
    for (arguments, expected) in [
        (json!({}), (460, 1024)),
        (json!({"max_image_px": 300}), (135, 300)),
        (json!({"max_image_px": 0}), (1080, 2400)),
        (json!({"max_image_px": 9000}), (1080, 2400)),
    ] {
        let answer = server.call(1, "screenshot", &arguments);
        let content = items(&answer["result"]["content"]);
        assert_eq!(png_size(&content[1]["data"]), expected, "{arguments}");
        assert_eq!(answer["result"]["structuredContent"]["height"], 2400, "the screen's size, not the picture's");
        if expected == (1080, 2400) {
            assert_eq!(content.len(), 2, "it is whole already");
            continue;
        }
        let whole = read(&mut server, text(&content[2]["uri"])).expect("the whole picture");
        assert_eq!(png_size(&whole["blob"]), (1080, 2400));
    }
    assert!(
        read(&mut server, "uixt://session/pictures/99").expect_err("none")["message"].to_string().contains("1 to 2")
    );
}

/// Two phones behind one adb server.
fn two_phones() -> (Phone, Server) {
    let phones = Phone::start_with(&["--count", "2"], 0);
    let mut server = Server::start_on(&["--adb-server", &phones.address()], &[]);
    server.initialize();
    (phones, server)
}

#[test]
fn calls_for_two_devices_run_side_by_side_and_go_where_they_are_sent() {
    let (_phones, mut server) = two_phones();
    let unnamed = server.call(1, "home", &json!({}));
    let said = text(&unnamed["result"]["structuredContent"]["message"]);
    assert!(said.contains("2 devices are connected, name one: android:uixt-phone-1"), "{said}");
    for (arguments, why) in [
        (json!({"serial": "uixt-phone-3"}), "device uixt-phone-3 is not connected; connected: android:uixt-phone-1"),
        (json!({"platform": "pixel"}), "no pixel device is connected; connected: android:uixt-phone-1"),
        (
            json!({"platform": "ios", "serial": "uixt-phone-1"}),
            "the platform ios is wrong: uixt-phone-1 is an android device",
        ),
        (json!({"serial": 1}), "device 1 is not connected"),
        (json!({"serial": ""}), "device  is not connected"),
    ] {
        server.send(2, "tools/call", &json!({"name": "home", "arguments": arguments}));
        let (refused, _) = server.hear_answer(2);
        assert_eq!(refused["result"]["isError"], true, "{arguments}");
        assert!(text(&refused["result"]["structuredContent"]["message"]).contains(why), "{arguments}: {refused}");
    }
    let selected = json!({"platform": "android", "serial": "uixt-phone-2"});
    assert_eq!(server.call(3, "select_device", &selected)["result"]["isError"], false);
    let on = |answer: &Value| text(&answer["result"]["_meta"]["uixt"]["serial"]).to_owned();
    assert_eq!(on(&server.call(4, "app_launch", &json!({"package_name": "com.uixt.settings"}))), "uixt-phone-2");
    assert_eq!(on(&server.call(5, "home", &json!({"serial": "uixt-phone-1"}))), "uixt-phone-1");
    let front = |server: &mut Server, arguments: Value| {
        let answer = server.call(6, "get_foreground_app", &arguments);
        answer["result"]["structuredContent"]["package_name"].clone()
    };
    assert_eq!(front(&mut server, json!({})), "com.uixt.settings", "a call for another device selects none");
    assert_ne!(front(&mut server, json!({"serial": "uixt-phone-1"})), "com.uixt.settings");
    // A wait on one device holds up that device only.
    let wait = json!({"text": "No such text", "timeout": 6, "serial": "uixt-phone-1"});
    server.send(7, "tools/call", &json!({"name": "wait_for", "arguments": wait}));
    server.send(8, "tools/call", &json!({"name": "home", "arguments": {"serial": "uixt-phone-2"}}));
    // What is said of a wait that goes on is no answer.
    let mut answered = || std::iter::repeat_with(|| server.hear()).find(|said| said["id"].is_u64()).expect("an answer");
    assert_eq!(answered()["id"], 8);
    assert_eq!(answered()["id"], 7);
}

#[test]
fn a_device_that_is_gone_is_an_error_and_never_another_device() {
    let (phones, mut server) = two_phones();
    let selected = json!({"platform": "android", "serial": "uixt-phone-1"});
    server.call(1, "select_device", &selected);
    drop(phones);
    for arguments in [json!({}), json!({"serial": "uixt-phone-1"}), json!({"serial": "uixt-phone-2"})] {
        server.send(2, "tools/call", &json!({"name": "home", "arguments": arguments}));
        let (answer, notified) = server.hear_answer(2);
        assert_eq!(notified[0]["params"]["level"], "error", "it is logged: {notified:?}");
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert_eq!(answer["result"]["structuredContent"]["kind"], "Transport", "{answer}");
    }
}

#[test]
fn a_cancelled_wait_ends_the_command_on_the_device_and_frees_its_turn() {
    let phone = Phone::start();
    let mut server = Server::start_on(&["--adb-server", &phone.address()], &[]);
    server.initialize();
    server.call(1, "home", &json!({}));
    phone.shell("mkdir -p /data/local/tmp/uixt-faults && echo 'touch /data/local/tmp/begun; sleep 50; touch /data/local/tmp/ended' > /data/local/tmp/uixt-faults/uiautomator");
    server.send(2, "tools/call", &json!({"name": "wait_for", "arguments": {"text": "x", "timeout": 60}}));
    let began = Instant::now();
    while !phone.shell("ls /data/local/tmp").contains("begun") {
        assert!(began.elapsed() < Duration::from_secs(20), "the command never began");
    }
    phone.shell("rm /data/local/tmp/uixt-faults/uiautomator");
    server.send(3, "tools/call", &json!({"name": "get_screen_size", "arguments": {}}));
    assert!(server.is_silent(300), "the device is taken");
    let cancelled = Instant::now();
    server.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}).to_string());
    let (answer, _) = server.hear_answer(3);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert!(cancelled.elapsed() < Duration::from_secs(20), "{:?}", cancelled.elapsed());
    let found = server.call(4, "wait_for", &json!({"role": "text", "timeout": 5}));
    assert_eq!(found["result"]["isError"], false, "{found}");
    assert!(!phone.shell("ls /data/local/tmp").contains("ended"));
}

#[test]
fn what_reaches_the_host_is_neither_listed_nor_callable() {
    let mut server = Server::start_with(&["--toolsets", "all"]);
    let hello = server.initialize();
    let listed = server.ask(1, "tools/list", &json!({})).to_string();
    let only: Vec<&str> =
        uixt::tools::all().filter(|tool| tool.exposure == Exposure::Testcase).map(|tool| tool.name).collect();
    assert!(only.len() >= 8, "{only:?}");
    for tool in only {
        assert!(!listed.contains(&format!("\"uixt__{tool}\"")), "{tool}");
        assert!(!hello["result"]["instructions"].to_string().contains(&format!(" {tool},")), "{tool}");
        for name in [tool.to_owned(), format!("uixt__{tool}"), arguments::camel_case(tool)] {
            let refused = server.call(2, &name, &json!({}));
            assert_eq!(refused["result"]["isError"], true, "{name}");
            let said = text(&refused["result"]["structuredContent"]["message"]);
            assert!(said.contains("is for testcases only"), "{name}: {said}");
        }
        let inner = json!({"steps": [{"tool": tool, "arguments": {}}]});
        let refused = server.call(3, "batch", &inner);
        assert_eq!(refused["result"]["isError"], true, "{tool} in a batch: {refused}");
    }
}

/// Counts tokens as the design does: one for four bytes of ASCII, one for every other character.
fn tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    ascii.div_ceil(4) + text.chars().filter(|c| !c.is_ascii()).count()
}

/// Returns what a call's answer costs.
#[track_caller]
fn cost(answer: &Value) -> usize {
    tokens(text(&answer["result"]["content"][0]["text"]))
}

#[test]
fn a_snapshot_of_a_giant_screen_never_costs_more_than_it_may() {
    let mut server = session(&[]);
    let opened = server.call(1, "open_url", &json!({"url": "uixt-trouble://huge"}));
    assert_eq!(opened["result"]["isError"], false, "{opened}");
    server.call(2, "wait_for", &json!({"text": "Row 5"}));
    for max_tokens in [100, 200, 500, 1_000] {
        for diff in [false, true] {
            let answer = server.call(5, "snapshot", &json!({"max_tokens": max_tokens, "diff": diff}));
            assert!(cost(&answer) <= max_tokens, "{} of {max_tokens}: {answer}", cost(&answer));
        }
    }
    assert!(cost(&server.call(6, "snapshot", &json!({}))) <= 2_000);
    assert!(cost(&server.call(7, "snapshot", &json!({"diff": true}))) <= 25);
}

#[test]
fn a_wait_s_answer_costs_sixty_tokens_at_most() {
    let mut server = session(&[]);
    let long = ["No such text".to_owned(), "x".repeat(2_000), "登录".repeat(500), "\"\\\n".repeat(300)];
    for text in &long {
        for arguments in [
            json!({"text": text, "timeout": 0}),
            json!({"text": text, "timeout": 0, "within": text}),
            json!({"text": text, "role": "button", "id": text, "timeout": 0}),
            json!({"text": text, "gone": true, "timeout": 0.5}),
            json!({"text": "Settings", "gone": true, "timeout": 0}),
            json!({"description": text, "timeout": 0}),
            json!({"selector": text, "timeout": 0}),
            json!({"ref": text, "timeout": 0}),
            json!({text: 1}),
            json!({"text": "Settings", "serial": text}),
            json!({"text": "Settings"}),
        ] {
            server.send(1, "tools/call", &json!({"name": "wait_for", "arguments": arguments}));
            let (answer, _) = server.hear_answer(1);
            assert!(cost(&answer) <= 60, "{} for {arguments}: {answer}", cost(&answer));
        }
    }
    let failed = server.call(2, "tap_element", &json!({"text": long[2], "timeout": 0}));
    assert!(cost(&failed) <= 150, "{}: {failed}", cost(&failed));
}

#[test]
fn output_schemas_are_told_where_they_are_wanted() {
    let mut plain = Server::initialized();
    assert!(!plain.ask(1, "tools/list", &json!({})).to_string().contains("outputSchema"));
    let mut server = session(&["--output-schemas", "--toolsets", "all"]);
    let listed = server.ask(1, "tools/list", &json!({}));
    for tool in items(&listed["result"]["tools"]) {
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
    }
    for (name, arguments) in [
        ("tap", json!({"text": "Settings", "then": "diff"})),
        ("snapshot", json!({})),
        ("wait_for", json!({"text": "nothing", "timeout": 0})),
        ("get_source", json!({})),
        ("device_info", json!({})),
        ("batch", json!({"steps": [{"tool": "home"}]})),
        ("long_press", json!({"z": 1})),
    ] {
        let answer = server.call(2, name, &arguments);
        let tools = items(&listed["result"]["tools"]);
        let tool = tools.iter().find(|tool| tool["name"] == format!("uixt__{name}")).expect("listed");
        let validator = Validator::new(&tool["outputSchema"], Draft::V2020_12).expect("a schema");
        let wrong = validator.violations(&answer["result"]["structuredContent"]);
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
    }
}

#[test]
fn odd_spellings_of_a_name_are_told_what_is_right() {
    let mut server = Server::initialized();
    for name in
        ["uixt__uixt__home", "mcp__uixt__home", "uixt.home", "uixt/home", " home ", "uixt:home", "a__b__uixt__home"]
    {
        let refused = server.call(1, name, &json!({}));
        assert_eq!(refused["result"]["isError"], true, "{name}: {refused}");
        let said = text(&refused["result"]["structuredContent"]["message"]);
        assert!(said.contains("it is called `home` or `uixt__home`"), "{name}: {said}");
    }
    for (name, why) in [("", "unknown tool ``"), ("uixt__", "unknown tool"), ("go_home", "unknown tool `go_home`")] {
        let refused = server.call(2, name, &json!({}));
        assert!(text(&refused["result"]["structuredContent"]["message"]).starts_with(why), "{name}: {refused}");
    }
    let long = server.call(3, &"x".repeat(100_000), &json!({}));
    assert!(long.to_string().len() < 1_000, "{} bytes", long.to_string().len());
    let hidden = server.call(4, "mcp__uixt__shell", &json!({}));
    assert!(text(&hidden["result"]["structuredContent"]["message"]).starts_with("unknown tool"), "{hidden}");
}

#[test]
fn a_client_of_the_protocol_without_a_handshake_listens_for_changes() {
    let mut server = Server::start();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let wanted = json!({"resourceSubscriptions": ["uixt://session/report", "uixt://nothing"]});
    server.send(1, "subscriptions/listen", &json!({"notifications": wanted, "_meta": meta}));
    let accepted = server.hear();
    assert_eq!(accepted["method"], "notifications/subscriptions/acknowledged", "{accepted}");
    let uris = &accepted["params"]["notifications"]["resourceSubscriptions"];
    assert_eq!(uris, &json!(["uixt://session/report"]), "{accepted}");
    // The stream is open once the acknowledgement is out; its task may take a moment.
    std::thread::sleep(Duration::from_millis(300));
    let call = json!({"name": "log", "arguments": {"message": "hello"}, "_meta": meta});
    server.send(2, "tools/call", &call);
    let (answer, notified) = server.hear_answer(2);
    assert_eq!(answer["result"]["structuredContent"]["success"], true, "{answer}");
    assert_eq!(self::uris(&notified), ["uixt://session/report"]);
}
