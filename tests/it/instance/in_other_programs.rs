//! UI instances in programs that others wrote: inside a chat by npm's half of MCP Apps, and in a browser that Playwright drives.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::support::Test;
use crate::support::counterparts::program;
use crate::support::npm::{clients, node};

const UIXT: &str = env!("CARGO_BIN_EXE_uixt");

fn script(name: &str) -> String {
    format!("{}/tests/clients/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Adds instances to a test's data.
fn import(test: &Test, files: &[&str]) {
    let import = Test::new(&[&["ui", "import"], files].concat());
    let done = import.command().env("UIXT_DATA_DIR", test.path("data")).output().expect("it starts");
    import.ran(&done).code(0);
}

/// A host of views, as long as this is held.
struct Host {
    child: Child,
    /// Where it is and what the server offers.
    said: Value,
}

impl Host {
    fn start(folder: &Path, data: &Path, instance: &str) -> Self {
        let mut command = Command::new(folder.join("node_modules/.bin/node"));
        command.arg(script("apps_host.mjs")).arg(folder).args([UIXT, instance]).env("UIXT_DATA_DIR", data);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("node starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("what it says");
        let said = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        Self { child, said }
    }

    fn url(&self) -> &str {
        self.said["url"].as_str().expect("an address")
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // Its server ends with it, once its input ends.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// A question, with an action that thanks for the answer.
const LAMP: &str = r#"{"instance_id": "lamp", "title": "Look at the lamp", "blocks": [{"id": "q", "type": "form", "bind": "state.params",
    "props": {"fields": [{"key": "who", "label": "Your name", "type": "text"}, {"key": "blinks", "label": "Does it blink?", "type": "checkbox"},
    {"key": "photo", "label": "Photo", "type": "file"},
    {"key": "more", "label": "More", "type": "html", "value": "<a href='https://example.com/lamps'>About lamps</a>"}]}}],
    "actions": [{"id": "done", "label": "Done", "style": "primary", "handler_type": "template",
        "patches": {"state.runtime.message": "Thank you, ${state.params.who}"}}]}"#;

/// What a person and an agent do with it at the same time.
const CHAT: &str = "config: {name: In a chat}
teststeps:
- open_url: URL
- assert_visible: Look at the lamp
- input: {into: {label: Your name}, text: Ada}
- tap_element: {label: Does it blink?}
- tap_element: Done
- assert_visible: Thank you, Ada
- assert_visible: Files are handed over in the browser.
- assert_visible: {text: told of version .*, regex: true}
- wait_for_instance: {instance_id: lamp, until: state.params.blinks, timeout: 10}
- patch_ui_state: [lamp, [{op: set, path: title, value: The lamp is good}]]
- assert_visible: The lamp is good
- tap_element: About lamps
- assert_visible: {text: .*link https://example.com/lamps, regex: true}
- run_action: [lamp, done]
- undo_patch: lamp
- undo_patch: lamp
- assert_visible: Look at the lamp
";

#[tokio::test]
async fn an_instance_is_used_inside_a_chat() {
    program("chromium");
    let Some(folder) = clients() else { return };
    let test = Test::new(&["run", "chat.yaml", "--report-dir", "r", "--device", "browser"]).file("lamp.json", LAMP);
    import(&test, &[&test.path("lamp.json").display().to_string()]);
    let host = Host::start(&folder, &test.path("data"), "lamp");
    let said = &host.said;
    let view = json!({"ui": {"resourceUri": "ui://uixt/instance"}});
    for tool in ["uixt__patch_ui_state", "uixt__access_instance"] {
        assert_eq!(said["meta"][tool], view, "{said}");
    }
    assert_eq!(said["meta"]["uixt_page"]["ui"]["visibility"], json!(["app"]));
    assert!(!said["plainTools"].to_string().contains("uixt_page"), "a host without views lists what only views call");
    let resource = json!({"uri": "ui://uixt/instance", "name": "UI instance", "mimeType": "text/html;profile=mcp-app"});
    assert!(said["resources"].as_array().is_some_and(|all| all.contains(&resource)), "{said}");

    let test = test.file("chat.yaml", CHAT.replace("URL", host.url()));
    let output = test.command().env("UIXT_DATA_DIR", test.path("data")).env_remove("UIXT_BROWSER").output();
    test.ran(&output.expect("it starts")).code(0);
    let client = uixt_core::http::plain_client().build().expect("a client");
    let context = client.get(format!("{}context", host.url())).send().await.expect("an answer").text().await;
    let context: Value = serde_json::from_str(&context.expect("a text")).expect("JSON");
    let told = &context["structuredContent"];
    assert_eq!((&told["instance_id"], &told["state"]["params"]["who"]), (&json!("lamp"), &json!("Ada")), "{context}");
}

/// Returns how often to kill: `UIXT_KILLS`, or four times.
fn kills() -> String {
    std::env::var("UIXT_KILLS").unwrap_or_else(|_| "4".to_owned())
}

const COUNTER: &str = r#"{"instance_id": "c", "title": "Counter", "state": {"params": {"count": 0}}, "blocks": [{"id": "b", "type": "form",
    "bind": "state.params", "props": {"fields": [{"key": "count", "label": "Count", "type": "number"}]}}], "actions": [{"id": "more",
    "label": "+1", "style": "primary", "handler_type": "increment", "patches": {"state.params.count": 1}}]}"#;

#[test]
fn pages_are_accessible_and_catch_up_with_a_server_that_was_killed() {
    program("chromium");
    let Some(folder) = clients() else { return };
    let test = Test::new(&[]).file("c.json", COUNTER).file("lamp.json", LAMP);
    let types = format!("{}/crates/phone/src/apps/settings/components.json", env!("CARGO_MANIFEST_DIR"));
    import(&test, &[&test.path("c.json").display().to_string(), &test.path("lamp.json").display().to_string(), &types]);
    let modules = folder.display().to_string();
    let script = script("ui_pages.mjs");
    let data = test.path("data").display().to_string();
    let arguments = [&script, &modules, UIXT, &data, &kills(), "c", "lamp", "settings_components"];
    let (is_content, stdout, stderr) = node(&folder, &arguments);
    assert!(is_content, "{stdout}{stderr}");
    let seen: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"));
    assert_eq!((&seen["violations"], &seen["errors"]), (&json!([]), &json!([])), "{seen:#}");
    assert_eq!(seen["differing"], json!([]), "{seen:#}");
    let (answered, count) = (seen["clicks"].as_u64(), seen["count"].as_u64());
    assert!(count >= answered && answered.is_some_and(|clicks| clicks.to_string() == kills()), "{seen:#}");
}
