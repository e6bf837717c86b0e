//! `uixt tools --all --format json` against the table that the project's first document promised: names, parameters, what is required.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{Test, items, text};

/// Name, parameters, and how many of these, from the first on, are required.
const PROMISED: &[(&str, &[&str], usize)] = &[
    ("list_available_devices", &[], 0),
    ("select_device", &["platform", "serial"], 2),
    ("tap_xy", &["x", "y"], 2),
    ("tap_abs_xy", &["x", "y"], 2),
    ("tap_ocr", &["text", "regex", "index"], 1),
    ("tap_cv", &["element_type", "description"], 1),
    ("swipe", &["direction", "from_x", "from_y", "to_x", "to_y"], 0),
    ("swipe_to_tap_app", &["app_name", "max_swipes"], 1),
    ("input", &["text"], 1),
    ("set_ime", &["ime"], 1),
    ("press_button", &["button"], 1),
    ("list_packages", &[], 0),
    ("app_launch", &["package_name"], 1),
    ("app_terminate", &["package_name"], 1),
    ("screenshot", &[], 0),
    ("get_screen_size", &[], 0),
    ("sleep", &["seconds"], 1),
    ("close_popups", &[], 0),
    ("secondary_click", &["x", "y"], 0),
    ("hover_by_selector", &["selector"], 1),
    ("start_to_goal", &["goal"], 1),
    ("ai_action", &["prompt"], 1),
];

fn names<'a>(values: impl IntoIterator<Item = &'a Value>) -> BTreeSet<&'a str> {
    values.into_iter().map(text).collect()
}

#[test]
fn the_table_keeps_its_promise() {
    let printed = Test::new(&["tools", "--all", "--format", "json"]).run().code(0).printed();
    let none = json!([]);
    for (name, parameters, required) in PROMISED {
        let tool = items(&printed).iter().find(|tool| tool["name"] == **name);
        let tool = tool.unwrap_or_else(|| panic!("{name} is not in the table"));
        let schema = &tool["inputSchema"];
        for parameter in *parameters {
            assert!(schema["properties"].get(parameter).is_some(), "{name} has no `{parameter}`");
        }
        let wanted = names(items(schema.get("required").unwrap_or(&none)));
        assert_eq!(wanted, parameters[..*required].iter().copied().collect(), "{name} requires");
    }
}

#[test]
fn what_is_gone_says_so_at_its_place() {
    let ran = Test::new(&["check", "a.yaml"]).file("a.yaml", "teststeps:\n- sleep_strict: 1\n").run().code(2);
    ran.says("a.yaml:2:3").says("`sleep_strict` ").says("^");
}
