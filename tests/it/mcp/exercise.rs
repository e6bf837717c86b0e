//! uixt's client in a session with any server, in which each of its tools is called once: the program that the conformance suite starts.

use serde_json::{Map, Value, json};
use uixt::mcp::client::{Elicitation, Remote, Settings};
use uixt_call::{Call, CallToolRequest, ToolDefinition};

/// Returns the command to which the suite adds a server's URL.
pub(super) fn command() -> String {
    let program = std::env::current_exe().expect("this program");
    let (_, module) = module_path!().split_once("::").expect("a module");
    format!("{} --exact --ignored --nocapture {module}::each_tool_is_called", program.display())
}

#[test]
#[ignore = "the conformance suite starts it, with the URL of a server"]
fn each_tool_is_called() {
    let url = std::env::args().next_back().expect("a URL");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let remote = Remote::new("server", Settings::at_url(url).answering(Elicitation::Defaults));
        exercise(&remote).await;
        remote.close().await;
    });
}

async fn exercise(remote: &Remote) {
    remote.about().await.expect("a session");
    for tool in remote.tools().await.expect("a list of tools") {
        let request = CallToolRequest::new(tool.name.clone()).with_arguments(made_up(&tool));
        remote.call_tool(request, None, &Call::default()).await.expect("an answer");
    }
}

/// Makes up a value for each property of a tool's schema.
fn made_up(tool: &ToolDefinition) -> Map<String, Value> {
    let properties = tool.input_schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties.map(|(name, schema)| (name.clone(), value(schema))).collect()
}

fn value(schema: &Value) -> Value {
    let first = |key: &str| schema.get(key).and_then(Value::as_array).and_then(|all| all.first()).cloned();
    if let Some(value) = schema.get("default").or_else(|| schema.get("const")).cloned().or_else(|| first("enum")) {
        return value;
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("number" | "integer") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(false),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("text"),
    }
}
