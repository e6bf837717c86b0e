//! `then: diff`: an acting call also tells what it changed, once the screen rests; on a phone, on pages, for a whole session, and
//! never in a testcase that was recorded of it.

use serde_json::{Value, json};

use crate::support::Test;
use crate::support::counterparts::program;
use crate::support::mcp_stdio::Server;

/// Calls a tool that passes, and returns its answer.
#[track_caller]
fn called(server: &mut Server, tool: &str, arguments: &Value) -> Value {
    let answer = server.call(7, tool, arguments)["result"]["structuredContent"].clone();
    assert_eq!(answer["success"], true, "{tool}: {answer}");
    answer
}

/// Calls a tool that passes, and returns what it changed.
#[track_caller]
fn diff(server: &mut Server, tool: &str, arguments: &Value) -> String {
    let answer = called(server, tool, arguments);
    answer["diff"].as_str().unwrap_or_else(|| panic!("{tool}: no diff in {answer}")).to_owned()
}

fn then(mut arguments: Value) -> Value {
    arguments["then"] = "diff".into();
    arguments
}

#[test]
fn an_agents_step_is_one_call() {
    let mut server = Server::initialized();
    let first = diff(&mut server, "app_launch", &then(json!({"package_name": "com.uixt.shop"})));
    assert!(first.starts_with("com.uixt.shop · Log in") && first.contains("e6 button \"Sign in\""), "{first}");
    let typed = diff(&mut server, "input", &then(json!({"text": "alice", "into": {"ref": "e2"}})));
    assert_eq!(typed, "changed:\n~ e2 textfield \"User name\" #user = \"alice\" focused");
    let hidden = diff(
        &mut server,
        "input",
        &then(json!({"text": "s3cr3t", "into": {"ref": "e2"}, "clear": true, "secret": true})),
    );
    assert!(hidden.contains("e2 textfield") && !hidden.contains("s3cr3t"), "{hidden}");
    // Nor does what only reads, in its texts and in its fields.
    for (tool, arguments) in [("snapshot", json!({})), ("get_text", json!({"ref": "e2"}))] {
        let seen = server.call(7, tool, &arguments)["result"].to_string();
        assert!(seen.contains("••••••") && !seen.contains("s3cr3t"), "{seen}");
    }
    called(&mut server, "input", &json!({"text": "alice", "into": {"ref": "e2"}, "clear": true}));
    called(&mut server, "snapshot", &json!({}));
    // Its refs are those of snapshots, so that the next step may name what this one brought about.
    let ticked = diff(&mut server, "tap_element", &then(json!({"ref": "e4"})));
    assert_eq!(ticked, "changed:\n~ e4 checkbox \"Remember me\" #remember on");
    assert_eq!(diff(&mut server, "tap_element", &then(json!({"ref": "e1"}))), "no change");
    let batch = json!({"steps": [
        {"tool": "input", "arguments": {"text": "secret123", "into": {"ref": "e3"}, "secret": true}},
        {"tool": "tap_element", "arguments": {"ref": "e6"}},
    ]});
    let shop = diff(&mut server, "batch", &then(batch));
    assert!(shop.starts_with("com.uixt.shop · ") && !shop.contains("Log in"), "{shop}");
    // Who does not ask is not told.
    assert_eq!(called(&mut server, "back", &json!({})).get("diff"), None);
    let wrong = server.call(8, "back", &json!({"then": "look"}))["result"]["structuredContent"].clone();
    assert_eq!(wrong["kind"], "BadArgument", "{wrong}");
    assert!(wrong["message"].as_str().is_some_and(|said| said.contains("`then` must be one of diff")), "{wrong}");
    // What only tells something has nothing to tell of it.
    let wrong = server.call(9, "get_text", &then(json!({"text": "Shop"})))["result"]["structuredContent"].clone();
    assert_eq!(
        wrong["details"]["unknown"][0]["name"].as_str().or(wrong["details"]["unknown"][0].as_str()),
        Some("then"),
        "{wrong}"
    );
}

#[test]
fn a_page_is_told_once_it_has_answered() {
    program("chromium");
    let page = "<title>T</title><button onclick=\"setTimeout(() => out.textContent = 'Saved', 300)\">Save</button><p id=out></p>\
                <button onclick=\"alert('Sure?')\">Ask</button>";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.html");
    std::fs::write(&file, page).expect("written");
    let allowed = folder.path().to_str().expect("UTF-8");
    let mut server = Server::start_on(&["--device", "browser"], &["--allow-dir", allowed, "--then", "diff"]);
    server.initialize();
    let first = diff(&mut server, "open_url", &json!({"url": format!("file://{}", file.display())}));
    assert!(first.contains("button \"Save\""), "{first}");
    // What comes a little later is waited for, and said without being asked for, since the session asks.
    let saved = diff(&mut server, "tap_element", &json!({"text": "Save"}));
    assert!(saved.starts_with("changed:\n") && saved.contains("text \"Saved\""), "{saved}");
    // The call passed though the screen behind it cannot be read.
    let asked = diff(&mut server, "tap_element", &json!({"text": "Ask"}));
    assert!(asked.starts_with("the screen could not be read: ") && asked.contains("Sure?"), "{asked}");
    let accepted = diff(&mut server, "accept_dialog", &json!({}));
    assert!(accepted.ends_with("~ e2 button \"Ask\" focused"), "{accepted}");
    // A wait changes nothing by itself.
    assert_eq!(called(&mut server, "wait_for", &json!({"text": "Saved"})).get("diff"), None);
}

#[test]
fn what_changed_before_a_call_does_not_end_the_wait_for_what_it_changes() {
    program("chromium");
    let page = "<title>T</title><button onclick=\"setTimeout(() => a.textContent = 'Late', 4000)\">Slow</button><p id=a></p>\
                <button onclick=\"setTimeout(() => b.textContent = 'Mine', 300)\">Quick</button><p id=b></p>\
                <button onclick=\"list.prepend(list.lastElementChild)\">Sort</button>\
                <button onclick=\"[list.children[0].textContent, list.children[1].textContent] = \
                [list.children[1].textContent, list.children[0].textContent]\">Exchange</button>\
                <ul id=list><li>Ann</li><li>Bob</li><li>Cyd</li></ul><label>Echo <input></label>";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("page.html"), page).expect("written");
    let allowed = folder.path().to_str().expect("UTF-8");
    let mut server = Server::start_on(&["--device", "browser"], &["--allow-dir", allowed, "--then", "diff"]);
    server.initialize();
    let url = format!("file://{}", folder.path().join("page.html").display());
    diff(&mut server, "open_url", &json!({"url": url}));
    diff(&mut server, "tap", &json!({"text": "Slow"}));
    called(&mut server, "wait_for", &json!({"text": "Late"}));
    let quick = diff(&mut server, "tap", &json!({"text": "Quick"}));
    assert!(quick.contains("\"Late\"") && quick.contains("\"Mine\""), "{quick}");
    let sorted = diff(&mut server, "tap", &json!({"text": "Sort"}));
    assert!(sorted.contains("↕ now in this order: "), "{sorted}");
    // Elements that exchanged their texts have one ref each from then on: nothing seems to change again.
    diff(&mut server, "tap", &json!({"text": "Exchange"}));
    let looks: Vec<Value> = (0..3).map(|_| called(&mut server, "snapshot", &json!({}))["snapshot"].clone()).collect();
    assert!(looks[0] == looks[1] && looks[1] == looks[2], "{looks:?}");
    // A later answer does not tell what an earlier call typed in secret.
    diff(&mut server, "input", &json!({"text": "s3cretXY", "into": "Echo", "secret": true}));
    let later = diff(&mut server, "tap", &json!({"text": "Quick"}));
    assert!(later.contains("textfield \"Echo\"") && !later.contains("s3cretXY"), "{later}");
    // What the steps before the failed one did is told.
    let steps = json!([{"tool": "tap", "arguments": {"text": "Sort"}}, {"tool": "tap", "arguments": {"text": "Nope", "timeout": 0.2}}]);
    let failed = server.call(8, "batch", &json!({"steps": steps}))["result"]["structuredContent"].clone();
    assert_eq!(failed["success"], false, "{failed}");
    assert!(failed["details"]["diff"].as_str().is_some_and(|diff| diff.contains("↕")), "{failed}");
}

#[test]
fn a_recorded_testcase_does_not_ask_for_it() {
    let test = Test::new(&["session", "start", "--device", "phone", "--record", "c.yaml", "--then", "diff"]);
    let ran = test.run().code(0);
    let ran = ran.then(&["call", "app_launch", "com.uixt.settings"]).code(0).prints("heading \\\"Settings\\\"");
    let ran = ran.then(&["call", "tap_element", "Display", "then=diff"]).code(0).prints("· Display ·");
    let ran = ran.then(&["session", "stop"]).code(0);
    let case = ran.read("c.yaml");
    assert!(case.contains("Display") && !case.contains("then") && !case.contains("diff"), "{case}");
}
