//! What is changed on a page, on the disk and in a run at once: nothing is lost, and nothing is said of what did not run.

use serde_json::{Value, json};

use super::served::Served;
use crate::support::counterparts::program;
use crate::support::npm::{clients, node};
use crate::support::{Test, text};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/studio_edits.mjs");
const SLOW: &str = "config: {name: Slow}\nteststeps:\n- sleep: 3\n- app_launch: com.uixt.settings\n- log: done\n";

#[test]
fn marks_follow_their_steps_and_nothing_is_written_over_unasked() {
    program("chromium");
    let Some(folder) = clients() else { return };
    let test = Test::new(&["studio", "--device", "phone", "--port", "0", "slow.yaml"])
        .file("uixt.yaml", "device: phone\n")
        .file("second.yaml", "config: {name: second}\nteststeps:\n")
        .file("slow.yaml", SLOW);
    let served = Served::start_with(&test, &[("OPENAI_BASE_URL", String::new())]);
    let address = format!("http://{}/studio/?token={}", served.address, served.token);
    let project = test.path("").display().to_string();
    let (is_content, stdout, stderr) = node(&folder, &[SCRIPT, &folder.display().to_string(), &address, &project]);
    assert!(is_content, "{stdout}{stderr}");
    let seen: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"));
    let ran = json!({"- sleep: 3": "✓", "- app_launch: com.uixt.settings": "✓", "- log: done": "✓"});
    assert_eq!(seen["during"], ran, "{seen:#}");
    assert_eq!(seen["after"], json!({"- sleep: 3": "✓", "- app_launch: com.uixt.settings": "✓"}), "{seen:#}");
    assert!(text(&seen["kept"]).ends_with("- log: theirs\n"), "{seen:#}");
    assert_eq!(seen["mine"], "config: {name: Other}\nteststeps:\n- log: mine\n");
    assert!(text(&seen["acted"]).ends_with("- home:\n") && !text(&seen["looked"]).contains("home"), "{seen:#}");
    assert_eq!(
        seen["variables"],
        "config: {name: \"a } b\", variables: {pass: \"${ENV(PASS)}\", pin: \"${ENV(PIN)}\"}}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_another_by_now_is_neither_written_nor_run() {
    let test = Test::new(&["studio", "--device", "phone", "--port", "0"])
        .file("uixt.yaml", "device: phone\n")
        .file("a.yaml", "teststeps:\r\n# first\r\n- log: a\r\n");
    let served = Served::start(&test);
    let mut page = served.open().await;
    let opened = page.ask(json!({"do": "open", "path": "a.yaml"})).await;
    assert_eq!(opened["text"], "teststeps:\n# first\n- log: a\n");
    let (version, mine) = (opened["version"].clone(), "teststeps:\n# first\n- log: b\n");
    page.ask(json!({"do": "text", "path": "a.yaml", "text": mine, "version": version})).await;

    // What is run is what the files hold; what is not saved is neither run nor passed over.
    let chosen = json!({"do": "run_cases", "device": 0, "paths": ["a.yaml"]});
    let refused = page.answer(chosen.clone()).await;
    assert!(text(&refused["error"]["message"]).contains("a.yaml has edits that are not saved"), "{refused}");

    // The draft remembers what it was written from, also for a page that comes later.
    std::fs::write(test.path("a.yaml"), "teststeps:\n- log: theirs\n").expect("written");
    let mut later = served.open().await;
    let draft = later.ask(json!({"do": "open", "path": "a.yaml"})).await;
    assert_eq!((&draft["text"], &draft["saved"], &draft["version"]), (&json!(mine), &json!(false), &version));
    for what in ["save", "run"] {
        let refused =
            later.answer(json!({"do": what, "device": 0, "path": "a.yaml", "text": mine, "version": version})).await;
        assert!(text(&refused["error"]["message"]).contains("was changed on the disk"), "{refused}");
        assert_eq!(refused["error"]["details"]["changed"], true, "{refused}");
    }
    assert_eq!(std::fs::read_to_string(test.path("a.yaml")).expect("a text"), "teststeps:\n- log: theirs\n");
    std::fs::remove_file(test.path("a.yaml")).expect("removed");
    let gone = later.answer(json!({"do": "save", "path": "a.yaml", "text": mine, "version": version})).await;
    assert!(text(&gone["error"]["message"]).contains("moved or deleted"), "{gone}");
    let saved = later.ask(json!({"do": "save", "path": "a.yaml", "text": mine, "version": null})).await;
    let told = page.until(|event| event["event"] == "file_changed" && event["version"] == saved["version"]).await;
    assert_eq!(told["path"], "a.yaml");
    page.ask(chosen).await;
    page.until(|event| event["event"] == "run" && event["outcome"] == "passed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_run_one_by_one_on_the_devices_that_they_name() {
    let case = "config:\n  browser: {name: desk}\nteststeps:\n- device: desk\n  open_url: 'data:text/html,<h1>Desk</h1>'\n- app_launch: com.uixt.shop
- device: desk\n  assert_visible: Desk\n- assert_visible: {text: Desk, timeout: 0.2}\n";
    let test = Test::new(&["studio", "--device", "phone", "--port", "0"])
        .file("uixt.yaml", "device: phone\n")
        .file("a.yaml", case);
    let served = Served::start(&test);
    let mut page = served.open().await;
    let version = page.ask(json!({"do": "open", "path": "a.yaml"})).await["version"].clone();
    for (line, outcome) in [(4, "passed"), (6, "passed"), (7, "passed"), (9, "failed")] {
        page.events.clear();
        page.ask(json!({"do": "run", "device": 0, "path": "a.yaml", "text": case, "version": version, "only": line}))
            .await;
        let ended = page.until(|event| event["event"] == "run" && event["state"] == "ended").await;
        assert_eq!(ended["outcome"], outcome, "line {line}: {ended} {:#?}", page.events);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_that_nothing_marks_have_drafts_of_their_own() {
    let shared = Test::new(&[]);
    let begin = |name: &str| {
        let test = Test::new(&["studio", "--device", "phone", "--port", "0"])
            .file("a.yaml", format!("# {name}\nteststeps:\n"));
        let served = Served::start_with(&test, &[("UIXT_DATA_DIR", shared.path("").display().to_string())]);
        (test, served)
    };
    let (one, served) = begin("one");
    let mut page = served.open().await;
    page.ask(json!({"do": "text", "path": "a.yaml", "text": "# draft of one\n", "version": ""})).await;
    let (two, served_two) = begin("two");
    let opened = served_two.open().await.ask(json!({"do": "open", "path": "a.yaml"})).await;
    assert_eq!((&opened["text"], &opened["saved"]), (&json!("# two\nteststeps:\n"), &json!(true)));
    drop((served, served_two, one, two));
}
