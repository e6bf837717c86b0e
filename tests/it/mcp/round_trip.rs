//! The law of the protocol's two ends: a client over a server over the table answers what the table answers, errors included.

use std::path::Path;
use std::sync::Arc;

use rmcp::ServiceExt as _;
use serde_json::{Map, Value, json};
use uixt::driver::{Registry, android};
use uixt::mcp::client::Remote;
use uixt::mcp::server::Server;
use uixt::tools::{self, Audience, Local};
use uixt::{adb, phone};
use uixt_call::{Call, CallToolRequest, CallToolResult, Caller, ToolDefinition, ToolRow};
use uixt_toolkit::Session;

/// A phone with a session of its own, at the same place in time as another one.
async fn local(folder: &Path) -> (phone::Phone, Arc<Local>) {
    let phone = phone::Phone::start(phone::system::Options::default(), 0).await.expect("a phone starts");
    let platform = android::Platform::new(adb::Server::new(phone.address().to_string()), None);
    let registry = Arc::new(Registry::new(vec![Box::new(platform)]));
    let driver = registry.open(Some("android"), None).await.expect("the phone is there");
    (phone, Arc::new(Local::new(registry, Arc::new(Session::on(driver).in_folder(folder)), Audience::Testcase)))
}

/// Returns the caller at the far end of a pipe.
async fn remote(local: Arc<Local>) -> Remote {
    let (near, far) = tokio::io::duplex(64 << 10);
    tokio::spawn(async move {
        let running = Server::new(tools::table(), local, &[], Arc::default())
            .serve(tokio::io::split(far))
            .await
            .expect("a session");
        let _ = running.waiting().await;
    });
    let (reader, writer) = tokio::io::split(near);
    Remote::over("uixt", reader, writer).await.expect("a session")
}

/// Makes up a value that a schema admits.
fn good(schema: &Value) -> Value {
    let first = schema.get("enum").and_then(Value::as_array).and_then(|all| all.first());
    let kind = schema.get("type").map(|kind| kind.as_array().map_or(kind, |kinds| &kinds[0]));
    match (first, kind.and_then(Value::as_str)) {
        (Some(first), _) => first.clone(),
        (None, Some("number" | "integer")) => {
            schema.get("minimum").cloned().filter(|least| *least != json!(0.0)).unwrap_or(json!(0))
        }
        (None, Some("boolean")) => json!(false),
        (None, Some("array")) => json!([]),
        (None, Some("object")) => json!({}),
        _ => json!("com.uixt.none"),
    }
}

/// Arguments to call a row with: none, those that it requires, one that is unknown, and one of a wrong type.
fn variants(tool: &'static ToolRow) -> Vec<Map<String, Value>> {
    let schema = &tool.schema().full;
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let needed: Map<String, Value> =
        required.iter().filter_map(Value::as_str).map(|name| (name.to_owned(), good(&properties[name]))).collect();
    let with = |name: &str, value: Value| {
        let mut arguments = needed.clone();
        arguments.insert(name.to_owned(), value);
        arguments
    };
    let mut all = vec![needed.clone(), with("no_such_argument", json!(1))];
    // What takes its time to fail is not waited for.
    if properties.contains_key("timeout") {
        all[0].insert("timeout".to_owned(), json!(0.1));
    }
    if tool.name == "screenrecord" {
        all[0].insert("duration".to_owned(), json!(0.5));
    }
    if !needed.is_empty() {
        all.push(Map::new());
    }
    if let Some(name) = properties.keys().next() {
        all.push(with(name, json!({"wrong": ["type"]})));
    }
    all
}

/// What of a result is the same at both ends; what is drawn by lot is compared by its shape only.
fn seen(result: &CallToolResult, of_the_moment: bool) -> Value {
    let mut value = serde_json::to_value(result).expect("a result");
    // What the last look at the pixels saw, where time ended the call: a look that is cut short saw nothing, and which one that is hangs on
    // the clock.
    let ours = value.pointer_mut("/_meta/uixt").and_then(Value::as_object_mut);
    if let (Some(ours), Some(true)) = (ours, result.is_error) {
        ours.shift_remove("seen");
    }
    if of_the_moment {
        value = json!({"isError": value["isError"], "keys": value["structuredContent"].as_object().map(Map::len)});
    }
    value
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_over_a_server_answers_what_the_table_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_phone, local) = local(folder.path()).await;
    let remote = remote(Arc::clone(&local)).await;
    // What the first of two calls changes, the second meets.
    let changing = ["lock", "set_orientation", "assert_screenshot"];
    let rows: Vec<_> = tools::all().filter(|tool| !changing.contains(&tool.name)).collect();
    assert!(rows.len() > 60);
    let mut calls = 0;
    let mut wrong = Vec::new();
    for tool in rows {
        for arguments in variants(tool) {
            let request = |name: &str| CallToolRequest::new(name.to_owned()).with_arguments(arguments.clone());
            let (here, there) = tokio::join!(async { local.call(request(tool.name), Call::default()).await }, async {
                remote.call(request(tool.name), Call::default()).await
            });
            let of_the_moment = tool.name.starts_with("sim_")
                || tool.name.ends_with("screenshot")
                || ["sleep_random", "screenrecord"].contains(&tool.name);
            let (here, there) = (seen(&here, of_the_moment), seen(&there, of_the_moment));
            calls += 1;
            if here != there {
                let show = |value: &Value| value.to_string().chars().take(600).collect::<String>();
                wrong.push(format!(
                    "{} {}:\n  {}\n  {}",
                    tool.name,
                    Value::Object(arguments),
                    show(&here),
                    show(&there)
                ));
            }
        }
    }
    println!("{calls} calls, {} answered differently", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let names = |tools: Vec<ToolDefinition>| {
        tools.into_iter().map(|tool| serde_json::to_value(tool).expect("a tool")).collect::<Vec<_>>()
    };
    assert_eq!(names(local.list().await), names(remote.list().await));
}
