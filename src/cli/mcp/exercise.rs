//! `uixt mcp exercise URL`: a session with any server, in which each of its tools is called once. For conformance suites.

use clap::Args;
use serde_json::{Map, Value, json};
use uixt_call::{Call, CallToolRequest, ToolDefinition};
use uixt_locate::Error;

use crate::cli::exit::{Done, Exit, Failure, runtime};
use crate::mcp::client::{Elicitation, Remote, Settings};

#[derive(Args)]
pub(super) struct Exercise {
    /// Where the server runs.
    url: String,
}

impl Exercise {
    pub(super) fn run(self) -> Done {
        let remote = Remote::new("server", Settings::at_url(self.url).answering(Elicitation::Defaults));
        runtime()?.block_on(async {
            let done = Box::pin(exercise(&remote)).await;
            remote.close().await;
            done.map_err(Failure::errored)
        })
    }
}

async fn exercise(remote: &Remote) -> Result<Exit, Error> {
    let about = remote.about().await?;
    eprintln!("{} {} over {}", about.version, about.protocol, about.transport);
    for tool in remote.tools().await? {
        let arguments = made_up(&tool);
        eprintln!("{} {}", tool.name, Value::Object(arguments.clone()));
        let request = CallToolRequest::new(tool.name.clone()).with_arguments(arguments);
        let answer = remote.call_tool(request, None, &Call::default()).await?;
        eprintln!("{}", serde_json::to_string(&answer).unwrap_or_default());
    }
    Ok(Exit::Passed)
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
