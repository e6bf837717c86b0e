//! What is on the screen, as text and as a picture, each by a call of the table.

use serde_json::Value;
use uixt_call::{Call, CallToolRequest, CallToolResult, Caller, Content};

/// Returns the snapshot, or why there is none.
pub(super) async fn text(caller: &dyn Caller) -> Result<String, String> {
    let result = caller.call(CallToolRequest::new("snapshot"), Call::default()).await;
    let text = field(&result, "snapshot");
    if result.is_failure() { Err(field(&result, "message")) } else { Ok(text) }
}

/// Returns the screen as a PNG, or why there is none.
pub(super) async fn picture(caller: &dyn Caller) -> Result<Vec<u8>, String> {
    let result = caller.call(CallToolRequest::new("screenshot"), Call::default()).await;
    result.content.iter().find_map(Content::to_png).ok_or_else(|| field(&result, "message"))
}

fn field(result: &CallToolResult, name: &str) -> String {
    let field = result.structured_content.as_ref().and_then(|object| object.get(name)).and_then(Value::as_str);
    field.unwrap_or_default().to_owned()
}
