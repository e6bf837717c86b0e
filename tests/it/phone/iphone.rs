//! What surrounds the actions works on the virtual iPhone as on the phone: recordings, goals in words, UI instances, texts that are
//! drawn, films and evidence.

use std::fs;

use serde_json::{Value, json};

use crate::support::Test;
use crate::support::counterparts::assert_valid_junit;
use crate::support::model::{Model, purchase, run_on};
use crate::support::recording::{Agent, assert_kept, assert_runs, folder};

#[test]
fn what_is_recorded_on_an_iphone_runs_on_every_phone() {
    let (_kept, path) = folder();
    let file = path("iphone.yaml");
    let mut agent = Agent::start(&file, &["--device", "iphone"]);
    agent.call("cold_launch", json!({"package_name": "com.uixt.shop"}));
    agent.look();
    let name = agent.named("User name");
    agent.call("input", json!({"text": "alice", "into": name}));
    agent.look();
    let password = agent.named("Password");
    agent.call("input", json!({"text": "secret123", "into": password}));
    agent.look();
    agent.call("tap_element", agent.named("Sign in"));
    agent.call("wait_for", json!({"text": "Welcome, alice"}));
    // A point where something stands is written down as that.
    agent.look();
    let tea = agent.call("find_element", json!({"description": "Green tea"}));
    let side = |at: usize| tea["rect"][at].as_i64().expect("a number");
    let middle = |from: usize, to: usize| i64::midpoint(side(from), side(to));
    agent.call("tap_abs_xy", json!({"x": middle(0, 2), "y": middle(1, 3)}));
    agent.call("assert_text", json!({"id": "price", "equals": "¥12.50"}));
    agent.call("scroll_to", json!({"text": "Add to cart"}));
    agent.call("tap_element", json!({"text": "Add to cart"}));
    agent.call("assert_text", json!({"id": "message", "equals": "Added to cart"}));
    agent.end();
    let recorded = fs::read_to_string(&file).expect("a recording");
    assert_kept("iphone.yaml", &recorded);
    assert!(!recorded.contains("secret123"), "{recorded}");
    for device in ["iphone", "phone"] {
        assert_runs(&["run", "--device", device], &file, 0);
    }
    let broken = path("broken.yaml");
    fs::write(&broken, recorded.replace("Added to cart", "Sold out")).expect("written");
    assert_runs(&["run", "--device", "iphone"], &broken, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_goal_in_words_is_reached_on_an_iphone() {
    let (model, variables) = Model::start(purchase()).await;
    let steps = "- start_to_goal: Log in as alice (secret123) and put green tea into the cart\n- assert_visible: {text: .*1 item.*, regex: true}\n";
    run_on("iphone", steps, &variables).await.code(0);
    assert!(model.shown()[0].starts_with("Goal: Log in as alice"), "{}", model.shown()[0]);
}

#[test]
fn a_ui_instance_is_a_page_of_an_iphone() {
    let instance = json!({
        "instance_id": "visit", "title": "Visit", "state": {"params": {"name": "", "ready": false}, "runtime": {}},
        "blocks": [{"id": "b", "type": "form", "bind": "state.params", "props": {"fields": [
            {"key": "name", "label": "Name", "type": "text"}, {"key": "ready", "label": "Ready", "type": "checkbox"}]}}],
        "actions": [{"id": "greet", "label": "Greet", "style": "primary", "handler_type": "template",
            "patches": {"state.runtime.message": "Hello ${state.params.name}"}}]
    });
    let case = "teststeps:\n- open_url: uixt-ui://visit\n- input: {text: Ada 小明, into: Name}\n- tap: Ready\n- tap: Greet\n- assert_visible: Hello Ada 小明\n";
    let test = Test::new(&["run", "visit.yaml", "--device", "iphone"])
        .file("visit.yaml", case)
        .file("i.json", instance.to_string())
        .file("uixt.yaml", "serve_ui: true\n");
    let data = test.path("data");
    let import = Test::new(&["ui", "import", &test.path("i.json").display().to_string()]);
    let imported = import.command().env("UIXT_DATA_DIR", &data).output().expect("it starts");
    import.ran(&imported).code(0);
    let ran = test.command().env("UIXT_DATA_DIR", &data).output().expect("it starts");
    let read = Test::new(&["call", "get_schema", "visit"]);
    let read = read.command().env("UIXT_DATA_DIR", &data).output().expect("it starts");
    test.ran(&ran).code(0);
    let read: Value = serde_json::from_slice(&read.stdout).expect("JSON");
    assert_eq!(read["schema"]["state"]["params"], json!({"name": "Ada 小明", "ready": true}));
}

#[test]
fn a_failure_on_an_iphone_has_its_film_its_picture_and_its_tree() {
    let case = "config: {name: Bad}\nteststeps:\n- cold_launch: com.uixt.shop\n- input: {text: alice, into: User name}\n- input: {text: secret123, into: Password}\n- tap: Sign in\n- assert_visible: Welcome, alice\n- assert_visible: {text: Nobody, timeout: 0.5}\n";
    let test = Test::new(&["run", "bad.yaml", "--device", "iphone", "--video", "failed", "--report-dir", "r"])
        .file("bad.yaml", case);
    let ran = test.run().code(1);
    assert_valid_junit(&ran.path("r/junit.xml"));
    let index = ran.read("r/videos/bad-yaml-0/index.jsonl");
    let frames: Vec<&str> = index.lines().filter(|line| line.contains("\"frame\"")).collect();
    assert!(!frames.is_empty(), "{index}");
    let tree = ran.read("r/evidence/bad-yaml-0/step-6/tree.json");
    assert!(tree.contains("Welcome, alice"), "{tree}");
    let picture = fs::read(ran.path("r/screenshots/0001.png")).expect("a picture");
    assert!(picture.starts_with(b"\x89PNG"), "{:?}", &picture[..8]);
    let report = ran.read("r/report.html");
    for told in ["virtual iPhone", "Nobody", "screenshots/0001.png"] {
        assert!(report.contains(told), "{told}");
    }
}

#[test]
fn texts_are_read_as_an_iphone_draws_them() {
    let case = "config: {requires: [ocr]}\nteststeps:\n- cold_launch: com.uixt.settings\n- tap_ocr: {text: Display, source: pixels}\n- assert_visible: {text: Dark theme, source: pixels}\n";
    let test = Test::new(&["run", "drawn.yaml", "--device", "iphone"]).file("drawn.yaml", case);
    let ran = test.run().code(0);
    assert!(ran.stderr.contains("1 passed"), "{}", ran.stderr);
}
