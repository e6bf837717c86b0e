//! The same UI instance on the virtual phone and in a browser: whatever is done to both, both end in the same state.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::Test;
use crate::support::counterparts::program;

const ACTIONS: u32 = 200;

/// An instance with every kind of field that a person changes, and handlers of every kind that need no network.
fn instance(id: &str) -> String {
    let options = json!([{"label": "Small", "value": "s"}, {"label": "Large", "value": "l"}]);
    let action = |id: &str, label: &str, kind: &str, patches: Value| json!({"id": id, "label": label, "style": "secondary", "handler_type": kind, "patches": patches});
    let list =
        |operation: &str, params: Value| json!({"state.params.rows": {"operation": operation, "params": params}});
    json!({
        "instance_id": id, "title": "Twin", "state": {"params": {"name": "", "count": 0, "ready": false, "size": "s", "rows": []}},
        "blocks": [{"id": "b", "type": "form", "bind": "state.params", "props": {"fields": [
            {"key": "name", "label": "Name", "type": "text"}, {"key": "count", "label": "Count", "type": "number"},
            {"key": "ready", "label": "Ready", "type": "checkbox"}, {"key": "size", "label": "Size", "type": "radio", "options": options}]}}],
        "actions": [
            action("more", "More", "increment", json!({"state.params.count": 1})),
            action("flip", "Flip", "toggle", json!({"state.params.ready": true})),
            action("greet", "Greet", "template", json!({"state.runtime.message": "Hello ${state.params.name}, ${state.params.count}"})),
            action("add", "Add", "set", list("append_to_list", json!({"items": [{"kind": "a"}, {"kind": "b"}]}))),
            action("drop", "Drop", "set", list("remove_from_list", json!({"key": "kind", "value": "a"}))),
            action("clear", "Clear", "set", json!({"state.params.name": "", "state.runtime.status": "cleared"})),
        ]
    })
    .to_string()
}

/// What is done, by what every step means on both.
fn steps() -> String {
    let mut random = fastrand::Rng::with_seed(7);
    let mut steps = String::new();
    for number in 0..ACTIONS {
        let target = ["Ready", "Small", "Large", "More", "Flip", "Greet", "Add", "Drop", "Clear"];
        let _ = match random.u32(0..10) {
            0 => writeln!(steps, "- input: {{into: Name, text: Ada {number} 小明, clear: true}}"),
            1 => writeln!(steps, "- input: {{into: Count, text: \"{}\", clear: true}}", random.u32(0..100)),
            // A button of the page is back once what it did is seen; until then, a person would not go on either.
            _ => {
                let target = random.choice(target).expect("one");
                let is_button = !["Ready", "Small", "Large"].contains(&target);
                let seen = if is_button {
                    format!("- assert_state: {{role: button, text: {target}, enabled: true}}\n")
                } else {
                    String::new()
                };
                write!(steps, "- tap_element: {target}\n{seen}")
            }
        };
    }
    steps
        + "- input: {into: Name, text: The end, clear: true}\n- tap_element: Greet\n- assert_visible: {text: Hello The end.*, regex: true}\n"
}

#[test]
fn an_instance_is_the_same_on_a_phone_and_in_a_browser() {
    program("chromium");
    let case = |url: &str| format!("config: {{name: Twin}}\nteststeps:\n- open_url: {url}\n{}", steps());
    let state = |device: &str, url: &str| {
        let test = Test::new(&["run", "twin.yaml", "--report-dir", "r", "--device", device])
            .file("i.json", instance("twin"))
            .file("twin.yaml", case(url))
            .file("uixt.yaml", "serve_ui: true\n");
        let data = test.path("data");
        let import = Test::new(&["ui", "import", &test.path("i.json").display().to_string()]);
        let imported = import.command().env("UIXT_DATA_DIR", &data).output().expect("it starts");
        import.ran(&imported).code(0);
        let ran = test.command().env("UIXT_DATA_DIR", &data).env_remove("UIXT_BROWSER").output().expect("it starts");
        let read = Test::new(&["call", "get_schema", "twin"]);
        let read = read.command().env("UIXT_DATA_DIR", &data).output().expect("it starts");
        let read: Value = serde_json::from_slice(&read.stdout).expect("JSON");
        test.ran(&ran).code(0);
        (read["schema"]["state"].clone(), read["version"].as_u64().unwrap_or_default())
    };
    let (phone, versions) = state("phone", "uixt-ui://twin");
    let (browser, _) = state("browser", "/ui/i/twin");
    assert_eq!(phone, browser);
    assert!(versions > u64::from(ACTIONS) / 2, "{versions}: {phone}");
}
