//! What the page's script answered of pages of tests/site, recorded: tools find, refuse and tell on them as on any screen.

use std::sync::Arc;

use serde_json::{Value, json};
use uixt::driver::{Size, browser};
use uixt::tools::Local;

use crate::support::recorded_screen::{Recorded, call, device, recording};

/// The selectors that the page of this name was asked for when it was recorded.
fn asked(name: &str) -> Vec<String> {
    let selectors: &[&str] = match name {
        "forms" => &[
            "input:not([type=checkbox]):not([type=radio])",
            ".grid > label:nth-of-type(2)",
            "//select[option[@value='fr']]",
            "div[[",
            "label:has(input:checked)",
        ],
        "shadow" => &["button.deep", "//button"],
        _ => &[],
    };
    selectors.iter().map(|selector| (*selector).to_owned()).collect()
}

fn recorded(name: &str) -> (Local, Arc<Recorded>) {
    let text = recording(&format!("pages/{name}.json"));
    let screen = browser::parse_page(&Value::String(text), &asked(name)).expect("a page");
    assert_eq!(screen.size, Size { width: 1280, height: 800 });
    device("browser", name, screen)
}

async fn message(device: &Local, tool: &'static str, arguments: Value) -> String {
    let answer = call(device, tool, arguments).await.unwrap_or_else(|error| error);
    answer["message"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_snapshot_tells_of_a_form_in_few_words() {
    let (device, _) = recorded("forms");
    let snapshot = call(&device, "snapshot", json!({})).await.expect("a snapshot");
    let text = snapshot["snapshot"].as_str().expect("a text");
    println!("{text}");
    for line in [
        "textfield \"Full name\" #name",
        "combobox \"Country\" #country = \"Choose one\"",
        "checkbox \"I accept the terms\" #terms off",
        "radio \"Free\" on",
    ] {
        assert!(text.contains(line), "{line}:\n{text}");
    }
    assert!(!text.contains("text \"Full name\""), "a label is its field's name:\n{text}");
    // Playwright's MCP server 0.0.83 needs 2,369 bytes for the same page.
    assert!(text.len() <= 2_369 * 6 / 10, "{} bytes:\n{text}", text.len());
}

#[tokio::test]
async fn the_page_s_own_engine_selects() {
    let (device, driver) = recorded("forms");
    let count = json!({"selector": "input:not([type=checkbox]):not([type=radio])", "equals": 7, "timeout": 0});
    assert!(message(&device, "assert_count", count).await.starts_with("7 times"));
    let (selectors, steady) = driver.looks.lock().expect("a lock").remove(0);
    assert_eq!((selectors.len(), steady), (1, false));
    let label = json!({"selector": ".grid > label:nth-of-type(2)"});
    assert_eq!(message(&device, "get_text", label).await, "Text: \"E-mail\"");
    let select = json!({"selector": "//select[option[@value='fr']]"});
    assert_eq!(message(&device, "get_text", select).await, "Text: \"Choose one\"");
    let not_asked = message(&device, "assert_not_visible", json!({"selector": "section.none", "timeout": 0})).await;
    assert!(not_asked.contains("was not asked for it"), "{not_asked}");
    let refused = message(&device, "tap_element", json!({"selector": "div[["})).await;
    assert!(refused.contains("div[["), "{refused}");
}

#[tokio::test]
async fn fields_are_found_by_what_pages_call_them() {
    let (device, driver) = recorded("forms");
    for (target, id) in [
        (json!({"test_id": "name"}), "#name"),
        (json!({"testId": "name"}), "#name"),
        (json!({"label": "Birthday"}), "#birthday"),
        (json!({"label": "birthday", "role": "textfield"}), "#birthday"),
        (json!({"placeholder": "alice@example.com"}), "#email"),
        (json!({"text": "Country"}), "#country"),
        (json!({"text": "Team"}), "radio \"Team\""),
        (json!({"role": "option", "text": "Python"}), "option \"Python\""),
    ] {
        let said = message(&device, "tap_element", target.clone()).await;
        assert!(said.contains(id), "{target}: {said}");
    }
    assert_eq!(driver.done.lock().expect("a lock").len(), 8);
    assert!(driver.looks.lock().expect("a lock").iter().all(|(_, steady)| *steady));
    let missing = message(&device, "assert_visible", json!({"test_id": "sav", "timeout": 0})).await;
    assert!(missing.contains("test id sav: not there"), "{missing}");
    assert!(message(&device, "tap_element", json!({"label": " "})).await.contains("`label` is empty"));
}

#[tokio::test]
async fn what_is_still_is_touched_at_once_and_what_moves_is_waited_for() {
    let (device, driver) = recorded("covered");
    call(&device, "tap_element", json!({"id": "clear"})).await.expect("a tap");
    assert_eq!(driver.looks.lock().expect("a lock").len(), 1, "no second look is needed");
    let (device, driver) = recorded("moving");
    let restless = message(&device, "tap_element", json!({"id": "never", "timeout": 0.3})).await;
    assert!(restless.contains("did not stand still within 0.3 s"), "{restless}");
    assert!(driver.looks.lock().expect("a lock").len() >= 2);
    assert!(driver.done.lock().expect("a lock").is_empty());
}

#[tokio::test]
async fn what_covers_an_element_is_named_and_what_is_half_free_is_touched_there() {
    let (device, driver) = recorded("covered");
    let error = call(&device, "tap_element", json!({"id": "veiled", "timeout": 0})).await.expect_err("covered");
    let said = error["message"].as_str().expect("a message");
    assert!(said.contains("div#veil \"Please wait\" lies over it"), "{said}");
    call(&device, "tap_element", json!({"id": "half"})).await.expect("a tap beside the panel");
    let below = call(&device, "tap_element", json!({"id": "bottom", "timeout": 0})).await.expect_err("never brought");
    assert!(below["message"].as_str().is_some_and(|said| said.contains("out of view")), "{below}");
    let done = driver.done.lock().expect("a lock");
    assert!(done.iter().filter(|what| what.starts_with("reveal")).count() >= 2, "{done:?}");
    assert!(done.iter().any(|what| what.contains("x: 263")), "{done:?}");
}

#[tokio::test]
async fn shadow_roots_and_frames_are_looked_into() {
    let (device, _) = recorded("shadow");
    assert!(message(&device, "get_text", json!({"selector": "button.deep"})).await.contains("Deep button"));
    assert!(message(&device, "assert_visible", json!({"text": "Card of Alice"})).await.contains("heading"));
    let (device, _) = recorded("frames");
    let leaf = call(&device, "tap_element", json!({"text": "Leaf button"})).await.expect("a tap");
    assert!(leaf["y"].as_f64().is_some_and(|y| y > 400.0), "{leaf}");
}

#[tokio::test]
async fn hostile_texts_stay_texts_in_one_line() {
    let (device, _) = recorded("injection");
    let snapshot = call(&device, "snapshot", json!({})).await.expect("a snapshot");
    let text = snapshot["snapshot"].as_str().expect("a text");
    println!("{text}");
    let refs = text.lines().filter(|line| line.starts_with('e')).count();
    assert_eq!(text.lines().filter(|line| line.starts_with("e99")).count(), 0, "{text}");
    assert_eq!(refs + 1, text.lines().count(), "every line but the first is one element:\n{text}");
}
