//! What goes wrong on request, and that it is done once or not at all.

use serde_json::{Value, json};

use super::Test;

async fn set(test: &Test, faults: Value) {
    let set = test.ask("POST", "/uixt/faults", &faults.to_string()).await.unwrap();
    assert_eq!(set.0, 200, "{}", set.1);
}

#[tokio::test]
async fn cut_connections_tell_by_the_counts_what_was_done() {
    let test = Test::opened("com.uixt.shop").await;
    let tap = json!({"x": 5, "y": 400}).to_string();
    let before = test.acts("touches").await;
    set(&test, json!({"cut_before": 1})).await;
    assert!(test.ask("POST", "/S/wda/tap", &tap).await.is_none());
    assert_eq!(test.acts("touches").await, before);
    set(&test, json!({"cut_after": 1, "only": "wda/tap"})).await;
    assert_eq!(test.ask("GET", "/status", "").await.unwrap().0, 200);
    assert!(test.ask("POST", "/S/wda/tap", &tap).await.is_none());
    assert_eq!(test.acts("touches").await, before + 1);
    set(&test, json!({"dead": true})).await;
    assert!(test.ask("GET", "/status", "").await.is_none());
}

#[tokio::test]
async fn answers_are_spoilt_on_request() {
    let test = Test::opened("com.uixt.shop").await;
    set(&test, json!({"html_500": 1})).await;
    assert_eq!(test.ask("GET", "/status", "").await.unwrap(), (500, Value::Null));
    set(&test, json!({"not_json": 1})).await;
    assert_eq!(test.ask("GET", "/status", "").await.unwrap(), (200, Value::Null));
    for fault in ["truncated", "wrong_length"] {
        set(&test, json!({fault: 1})).await;
        assert!(test.ask("GET", "/status", "").await.is_none(), "{fault}");
        set(&test, json!({fault: 0})).await;
    }
    set(&test, json!({"session_forgotten": 1})).await;
    assert_eq!(test.refused("GET", "/S/source", json!({})).await, (404, "invalid session id".to_owned()));
    assert_eq!(test.value("/wda/activeAppInfo").await["bundleId"], "com.uixt.shop");
    let mut test = test;
    test.begin(json!({"bundleId": "com.uixt.shop"})).await;
    set(&test, json!({"session_lost": 1})).await;
    assert_eq!(test.refused("GET", "/S/source", json!({})).await, (404, "invalid session id".to_owned()));
    assert_eq!(test.ask("POST", "/uixt/faults", "{\"nope\": 1}").await.unwrap().0, 400);
}

#[tokio::test]
async fn trees_and_screens_go_wrong_on_request() {
    let test = Test::opened("com.uixt.shop").await;
    set(&test, json!({"ax_error_above": 40})).await;
    assert_eq!(test.refused("GET", "/S/source", json!({})).await.0, 404);
    test.post("/S/appium/settings", json!({"settings": {"snapshotMaxDepth": 40}})).await;
    assert_eq!(test.refused("GET", "/S/source", json!({})).await.0, 200);
    set(&test, json!({"no_json_source": true})).await;
    assert_eq!(test.refused("GET", "/S/source?format=json", json!({})).await, (404, "unknown command".to_owned()));
    set(&test, json!({"visible_wrong": true, "huge_source": 2_000_000})).await;
    let source = test.value("/S/source").await;
    let source = source.as_str().unwrap();
    assert!(source.len() > 2_000_000 && source.contains("label=\"Sign in\" enabled=\"true\" visible=\"false\""));
    set(&test, json!({"huge_source": null, "visible_wrong": null})).await;
    set(&test, json!({"screenshot_timeout": 1, "screenshot_timeout_ms": 1})).await;
    assert_eq!(test.refused("GET", "/screenshot", json!({})).await, (500, "unable to capture screen".to_owned()));
    set(&test, json!({"screenshot_stale": true})).await;
    let first = test.value("/screenshot").await;
    test.post("/wda/homescreen", json!({})).await;
    assert!(first == test.value("/screenshot").await);
    set(&test, json!({"screenshot_stale": false})).await;
    assert!(first != test.value("/screenshot").await);
}

#[tokio::test]
async fn what_is_typed_goes_wrong_on_request() {
    let test = Test::opened("com.uixt.shop").await;
    let typed = async |text: &str, body: Value| {
        test.on("name == 'user'", "clear", json!({})).await;
        let mut body = body;
        body["text"] = json!(text);
        test.on("name == 'user'", "value", body).await;
        let id = test.find("id", "user").await.unwrap();
        test.value(&format!("/S/element/{id}/text")).await
    };
    set(&test, json!({"typing_cut": 30})).await;
    assert_eq!(typed("abcdef", json!({})).await, "abde");
    assert_eq!(typed("abcdef", json!({"frequency": 10})).await, "abcdef");
    set(&test, json!({"typing_cut": null, "typing_doubled": 30})).await;
    assert_eq!(typed("abcdef", json!({})).await, "abccdeff");
    set(&test, json!({"typing_doubled": null, "autocorrect": true})).await;
    assert_eq!(typed("abc", json!({})).await, "Abc");
    test.post("/S/appium/settings", json!({"settings": {"keyboardAutocorrection": false}})).await;
    assert_eq!(typed("abc", json!({})).await, "abc");
}

#[tokio::test]
async fn alerts_and_locks_stand_in_the_way_on_request() {
    let test = Test::opened("com.uixt.shop").await;
    set(&test, json!({"system_alert": "Low Battery"})).await;
    test.on("name == 'user'", "click", json!({})).await;
    assert!(test.find("class name", "XCUIElementTypeKeyboard").await.is_none(), "the alert swallowed it");
    assert_eq!(test.value("/alert/text").await, "Low Battery");
    test.post("/S/alert/dismiss", json!({})).await;
    assert_eq!(test.refused("GET", "/alert/text", json!({})).await.0, 404);
    set(&test, json!({"locked": true})).await;
    assert_eq!(test.value("/wda/locked").await, true);
    assert_eq!(test.refused("POST", "/wda/unlock", json!({})).await.0, 500);
    set(&test, json!({"locked": false})).await;
    assert_eq!(test.refused("POST", "/wda/unlock", json!({})).await.0, 200);
    set(&test, json!({"no_keyboard": true})).await;
    test.on("name == 'user'", "value", json!({"text": "bob"})).await;
    assert!(test.find("class name", "XCUIElementTypeKeyboard").await.is_none());
    assert!(test.find("predicate string", "value == 'bob'").await.is_some());
    set(&test, json!({"crash": 1})).await;
    assert_eq!(test.refused("GET", "/S/source", json!({})).await, (400, "invalid element state".to_owned()));
}

#[tokio::test]
async fn frames_and_touches_go_wrong_on_request() {
    let test = Test::opened("com.uixt.shop").await;
    set(&test, json!({"taps_missed": 1})).await;
    let before = test.acts("touches").await;
    assert_eq!(test.refused("POST", "/S/wda/tap", json!({"x": 100, "y": 140})).await.0, 200);
    assert_eq!(test.acts("touches").await, before);
    set(&test, json!({"tap_throws": 1})).await;
    assert_eq!(test.refused("POST", "/S/wda/tap", json!({"x": 100, "y": 140})).await.0, 500);
    set(&test, json!({"stale_rects": true, "landscape_swapped": true})).await;
    let cell = test.find("class chain", "**/XCUIElementTypeCell/XCUIElementTypeStaticText").await.unwrap();
    assert_ne!(test.value(&format!("/S/element/{cell}/rect")).await["y"], -527);
    let source = test.value("/S/source").await;
    assert!(
        source.as_str().unwrap().contains("y=\"-527\"")
            && source.as_str().unwrap().contains("width=\"390\" height=\"844\"")
    );
    test.post("/S/orientation", json!({"orientation": "LANDSCAPE"})).await;
    let source = test.value("/S/source").await;
    assert!(source.as_str().unwrap().contains("width=\"390\" height=\"844\""), "swapped");
    assert_eq!(test.value("/S/window/size").await["width"], 844);
    let clock = std::time::Instant::now();
    set(&test, json!({"never_idle_s": 1})).await;
    test.value("/S/source").await;
    assert!(clock.elapsed().as_millis() >= 1000);
    test.post("/S/appium/settings", json!({"settings": {"waitForIdleTimeout": 0}})).await;
    set(&test, json!({"never_idle_s": 3600})).await;
    assert!(!test.value("/S/source").await.is_null());
}
