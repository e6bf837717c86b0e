//! What is done on the device becomes a testcase, which runs as it was recorded, and outlives the program.

use serde_json::json;

use super::served::Served;
use crate::support::{Test, items, text};

const RECORDED: &str = "config:
  name: Log in
  variables: {password: \"${ENV(PASSWORD)}\"}
teststeps:
- app_clear: com.uixt.shop
- app_launch: com.uixt.shop
";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_clicked_and_typed_becomes_steps_that_pass() {
    let test = Test::new(&["studio", "--device", "phone", "--port", "0"]).file("uixt.yaml", "device: phone\n");
    let mut served = Served::start(&test);
    let mut page = served.open().await;
    let hello = page.until(|event| event["event"] == "hello").await;
    assert_eq!((&hello["devices"][0]["platform"], &hello["file"]), (&json!("android"), &json!(null)), "{hello}");
    page.ask(json!({"do": "record", "on": true})).await;
    page.tap("Shop").await;
    page.tap("User name").await;
    for letters in ["al", "ic", "x"] {
        page.act(json!({"type": letters})).await;
    }
    page.act(json!({"key": "Backspace"})).await;
    page.act(json!({"type": "e"})).await;
    page.tap("Password").await;
    page.act(json!({"type": "secret123"})).await;
    page.tap("sign_in").await;
    let welcome = page.middle("Welcome, alice").await;
    let told = page.ask(json!({"do": "point", "device": 0, "x": welcome[0], "y": welcome[1]})).await;
    assert_eq!(
        (&told["count"], &told["seen"], text(&told["written"])),
        (&json!(1), &json!(true), "\"Welcome, alice\"")
    );
    let visible = json!({"do": "assert", "device": 0, "x": welcome[0], "y": welcome[1], "kind": "visible", "text": told["asserts"][0]["text"]});
    let mut other = visible.clone();
    other["text"] = "- assert_visible: Something else\n".into();
    let refused = page.answer(other).await;
    assert!(text(&refused["error"]["message"]).contains("choose again"), "{refused}");
    page.ask(visible).await;
    let recorded = page.until(|event| event["text"].as_str().is_some_and(|text| text.contains("assert_visible"))).await;
    let steps = text(&recorded["text"]).to_owned();
    let expected = "- tap: Shop\n\n- name: Log in\n  input: {text: alice, into: {id: user}}\n- scroll_to: {id: password}\n\
         - input: {text: $password, into: {id: password}, secret: true}\n- scroll_to: {id: sign_in}\n- tap: {id: sign_in}\n";
    assert!(steps.starts_with(expected), "{steps}");
    assert!(steps.ends_with("assert_visible: \"Welcome, alice\"\n"), "{steps}");
    assert_eq!(recorded["variables"], json!([{"name": "password", "environment": "PASSWORD"}]));

    // It is a testcase, and what was typed secretly is known for as long as the studio runs.
    let file = "cases/log_in.yaml";
    page.ask(json!({"do": "create", "path": file})).await;
    let testcase = format!("{RECORDED}{}", steps.trim_start_matches("- tap: Shop\n"));
    let checked = page.ask(json!({"do": "text", "path": file, "text": testcase})).await;
    assert_eq!((&checked["errors"], items(&checked["steps"]).len()), (&json!([]), 8), "{checked}");
    let ended = page.run(json!({"path": file, "text": testcase})).await;
    assert_eq!(ended["outcome"], "passed", "{ended} {:#?}", page.events);
    let lines: Vec<_> = page.events.iter().filter(|event| event["event"] == "step").map(|step| &step["line"]).collect();
    assert_eq!(lines.len(), 8, "{lines:?}");
    let run = page.ask(json!({"do": "result", "folder": ended["folder"]})).await;
    assert_eq!(run["cases"][0]["steps"][7]["file"], file, "{run}");

    // A step alone, on the device as it is; and one that fails, with why.
    let last = testcase.lines().count();
    let ended = page.run(json!({"path": file, "only": last})).await;
    assert_eq!(ended["outcome"], "passed", "{ended}");
    let wrong =
        testcase.replace("assert_visible: \"Welcome, alice\"", "assert_visible: {text: \"Welcome, bob\", timeout: 1}");
    let ended = page.run(json!({"path": file, "text": wrong, "only": last})).await;
    assert_eq!(ended["outcome"], "failed", "{ended}");
    let step = page.until(|event| event["event"] == "action").await;
    assert_eq!(step["line"], last, "{step}");
    assert!(page.pictures[&0] > 2, "{:?}", page.pictures);

    // What was written and not saved is there again, whatever became of the program, and so is the page's way in.
    page.ask(json!({"do": "text", "path": file, "text": "teststeps: [\n"})).await;
    let token = served.token.clone();
    served.kill();
    let served = Served::start(&test);
    assert_eq!(served.token, token);
    let mut page = served.open().await;
    assert_eq!(page.until(|event| event["event"] == "hello").await["file"], file);
    let opened = page.ask(json!({"do": "open", "path": file})).await;
    assert_eq!((&opened["text"], &opened["saved"]), (&json!("teststeps: [\n"), &json!(false)));
    let error = &opened["errors"][0];
    assert!(error["line"].is_number() && !text(&error["message"]).is_empty(), "{opened}");
    let opened = page.ask(json!({"do": "discard", "path": file})).await;
    assert_eq!((&opened["text"], &opened["saved"]), (&json!(wrong), &json!(true)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_is_typed_is_tried_and_a_run_can_be_stopped() {
    let slow = "teststeps:\n- sleep: 50\n";
    let test = Test::new(&["studio", "--device", "phone", "--port", "0"]).file("slow.yaml", slow);
    let served = Served::start(&test);
    let mut page = served.open().await;
    page.middle("Settings").await;
    let tried = page.ask(json!({"do": "try", "device": 0, "target": "Settings"})).await;
    assert_eq!((items(&tried["matches"]).len(), &tried["matches"][0]["seen"]), (1, &json!(true)), "{tried}");
    let tried = page.ask(json!({"do": "try", "device": 0, "target": "{role: text}"})).await;
    assert!(items(&tried["matches"]).len() > 1 && text(&tried["message"]).contains("add `index`"), "{tried}");
    let refused = page.answer(json!({"do": "try", "device": 0, "target": "{role: buton}"})).await;
    assert!(text(&refused["error"]["message"]).contains("did you mean `button`"), "{refused}");
    for (wrong, part) in [
        (json!({"do": "act", "device": 7, "act": {"tap": [1, 1]}}), "no device 7"),
        (json!({"do": "act", "device": 0, "act": {"tapp": [1, 1]}}), "tapp"),
        (json!({"do": "fly"}), "fly"),
        (json!({"do": "open", "path": "../x.yaml"}), "without `..`"),
        (json!({"do": "run", "path": "none.yaml"}), ""),
    ] {
        let refused = page.answer(wrong.clone()).await;
        let is_run = wrong["do"] == "run";
        assert!(is_run || text(&refused["error"]["message"]).contains(part), "{wrong}: {refused}");
    }
    page.until(|event| event["state"] == "ended" && event["message"].is_string()).await;

    page.events.clear();
    page.ask(json!({"do": "run", "path": "slow.yaml"})).await;
    page.until(|event| event["event"] == "step_started").await;
    let refused = page.answer(json!({"do": "run", "path": "slow.yaml"})).await;
    assert!(text(&refused["error"]["message"]).contains("stop it first"), "{refused}");
    let refused = page.answer(json!({"do": "act", "device": 0, "act": {"home": true}})).await;
    assert!(text(&refused["error"]["message"]).contains("a run has the device"), "{refused}");
    page.ask(json!({"do": "stop"})).await;
    let ended = page.until(|event| event["event"] == "run" && event["state"] == "ended").await;
    assert_eq!(ended["outcome"], "errored", "{ended}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_phones_are_shown_and_each_runs_what_it_is_given() {
    let case = "teststeps:\n- app_launch: com.uixt.settings\n- assert_visible: {role: heading, text: Settings}\n";
    let arguments = ["studio", "--device", "phone", "--device", "harmony-phone", "--port", "0"];
    let test = Test::new(&arguments).file("a.yaml", case);
    let served = Served::start(&test);
    let mut page = served.open().await;
    let hello = page.until(|event| event["event"] == "hello").await;
    let platforms: Vec<_> = items(&hello["devices"]).iter().map(|device| text(&device["platform"])).collect();
    assert_eq!(platforms, ["android", "harmony"], "{hello}");
    for device in [1, 0] {
        let ended = page.run(json!({"path": "a.yaml", "device": device})).await;
        assert_eq!(ended["outcome"], "passed", "{ended}");
        let run = page.ask(json!({"do": "result", "folder": ended["folder"]})).await;
        assert_eq!(run["cases"][0]["device"]["platform"], platforms[device], "{run}");
    }
    assert_eq!(page.pictures.keys().copied().collect::<Vec<_>>(), [0, 1]);
}

/// What a run left is looked at without a device.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_looked_at_where_there_is_no_device() {
    let test = Test::new(&["run", "a.yaml"]).file("a.yaml", "teststeps:\n- log: hello\n").run().code(0);
    let results = std::fs::read_dir(test.path("results")).expect("a run").next().expect("a run").expect("a folder");
    let folder = results.file_name().to_string_lossy().into_owned();
    let path = results.path().display().to_string();
    let studio = Test::new(&["studio", &path, "--port", "0", "--adb-server", "none"]);
    let served = Served::start(&studio);
    let mut page = served.open().await;
    let hello = page.until(|event| event["event"] == "hello").await;
    assert_eq!((&hello["run"], items(&hello["devices"]).len()), (&json!(folder), 0), "{hello}");
    let run = page.ask(json!({"do": "result", "folder": folder})).await;
    assert_eq!(run["cases"][0]["steps"][0]["message"], "hello", "{run}");
    let ended = page.run(json!({"path": "a.yaml"})).await;
    assert!(text(&ended["message"]).contains("there is no device"), "{ended}");
}
