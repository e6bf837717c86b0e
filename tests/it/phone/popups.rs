//! `close_popups` against dialogs of the system and of apps, and against a page that only looks like one.

use serde_json::json;
use uixt::phone::apps::AppDefinition;

use crate::support::bench::Bench;

/// A page with a button that says "Cancel", and fields that open dialogs.
const PAGE: &str = r#"{"instance_id": "form", "title": "Form",
 "state": {"params": {"colour": "red"}, "runtime": {"message": ""}},
 "blocks": [{"id": "b", "type": "form", "bind": "state.params", "props": {"fields": [
  {"key": "colour", "label": "Colour", "type": "select", "options": [{"label": "Red", "value": "red"}, {"label": "Blue", "value": "blue"}]}]}}],
 "actions": [
  {"id": "cancel", "label": "Cancel", "style": "secondary", "handler_type": "template", "patches": {"state.runtime.message": "Cancelled"}},
  {"id": "skip", "label": "取消", "style": "secondary", "handler_type": "template", "patches": {"state.runtime.message": "Skipped"}}]}"#;

fn app(permissions: &'static [&'static str]) -> AppDefinition {
    AppDefinition {
        package: "com.example.app",
        activity: ".Main",
        label: "Example",
        third_party: true,
        permissions,
        first_instance: "form",
        instances: vec![PAGE],
        live: &[],
        late: None,
        backend: None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_with_a_cancel_button_is_left_alone() {
    let bench = Bench::with_app(app(&[])).await;
    let answer = bench.done("close_popups", json!(null), json!({})).await;
    assert_eq!((&answer.object["count"], &answer.object["closed"]), (&json!(0), &json!([])));
    bench
        .done("assert_not_visible", json!({"text": "Cancelled|Skipped", "regex": true, "timeout": 1}), json!({}))
        .await;
    bench.done("assert_visible", json!("Cancel"), json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_for_permissions_are_denied_one_after_the_other() {
    let permissions = ["android.permission.CAMERA", "android.permission.RECORD_AUDIO"];
    let bench = Bench::with_app(app(&["android.permission.CAMERA", "android.permission.RECORD_AUDIO"])).await;
    bench.done("assert_visible", json!("Don't allow"), json!({})).await;
    let answer = bench.done("close_popups", json!(null), json!({})).await;
    assert_eq!(answer.object["count"], 2, "{}", answer.object);
    assert_eq!(answer.object["closed"][1]["button"], "Don't allow");
    bench.done("assert_visible", json!({"role": "heading", "text": "Form"}), json!({})).await;
    let system = bench.phone.system();
    for permission in permissions {
        assert_eq!(system.lock().await.permission("com.example.app", permission), Some(false), "{permission}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_apps_own_dialog_is_closed_and_nothing_in_it_chosen() {
    let bench = Bench::with_app(app(&[])).await;
    bench.done("tap_element", json!("Colour"), json!({})).await;
    bench.done("assert_visible", json!("Blue"), json!({})).await;
    // An offset is meant for a tap of the testcase's own.
    let answer = bench.done("close_popups", json!(null), json!({"offset": [0, -300]})).await;
    assert_eq!(answer.object["closed"], json!([{"dialog": "Colour", "button": "Cancel"}]));
    assert_eq!(answer.object["warnings"], json!(["`offset` has no effect on close_popups"]));
    bench.done("assert_not_visible", json!("Blue"), json!({})).await;
    bench.done("assert_visible", json!("Red"), json!({})).await;
}
