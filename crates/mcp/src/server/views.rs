//! UI instances inside a chat, as MCP Apps have it (SEP-1865, 2026-01-26): the page as a resource, and the tool by which it follows
//! its instance. A host that does not say that it shows such views is offered neither, but may use both.

use std::future::ready;
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, MetaObject, ReadResourceResponse, ReadResourceResult,
    Resource, ResourceContents, Tool,
};
use serde_json::{Value, json};
use uixt_call::Boxed;

use super::provider::{Answer, Asked, Provider};

/// What a host that shows views names among its capabilities.
const EXTENSION: &str = "io.modelcontextprotocol/ui";
const MIME: &str = "text/html;profile=mcp-app";
/// What the page calls.
const TOOL: &str = "uixt_page";

/// A page for the frame of a chat.
pub trait View: Send + Sync {
    fn uri(&self) -> &'static str;

    /// Returns the page, in HTML.
    fn document(&self) -> String;

    /// Answers what the page says; the error is an answer, too.
    fn answer(&self, said: Value) -> Boxed<'_, Result<Value, Value>>;
}

/// Offers a page, and the tool by which it talks.
pub struct Views(pub Arc<dyn View>);

fn is_shown(asked: &Asked) -> bool {
    let extensions = asked.client_capabilities().and_then(|capabilities| capabilities.extensions);
    extensions.is_some_and(|extensions| extensions.contains_key(EXTENSION))
}

fn meta(ui: &Value) -> MetaObject {
    MetaObject(json!({"ui": ui}).as_object().cloned().unwrap_or_default())
}

fn tool() -> Tool {
    let schema = json!({"type": "object", "properties": {"type": {"enum": ["open", "set", "act", "undo"]}, "id": {"type": "string"}},
        "required": ["type", "id"]});
    let schema = schema.as_object().cloned().unwrap_or_default();
    let description = "What the page of a UI instance says; for that page alone.";
    Tool::new(TOOL, description, Arc::new(schema)).with_meta(meta(&json!({"visibility": ["app"]})))
}

impl Views {
    async fn answer(&self, request: &CallToolRequestParams) -> CallToolResult {
        let said = Value::Object(request.arguments.clone().unwrap_or_default());
        match self.0.answer(said).await {
            Ok(told) => CallToolResult::structured(told),
            Err(told) => CallToolResult::structured_error(told),
        }
    }
}

impl Provider for Views {
    fn tools(&self, asked: &Asked) -> Boxed<'_, Vec<Tool>> {
        Box::pin(ready(if is_shown(asked) { vec![tool()] } else { Vec::new() }))
    }

    fn call<'a>(&'a self, request: &'a CallToolRequestParams, _: &'a Asked) -> Answer<'a, CallToolResponse> {
        (request.name == TOOL).then(|| -> Boxed<'a, _> { Box::pin(async { Ok(self.answer(request).await.into()) }) })
    }

    fn resources(&self, asked: &Asked) -> Boxed<'_, Vec<Resource>> {
        let resource = || Resource::new(self.0.uri(), "UI instance").with_mime_type(MIME);
        Box::pin(ready(if is_shown(asked) { vec![resource()] } else { Vec::new() }))
    }

    fn read<'a>(&'a self, uri: &'a str, _: &'a Asked) -> Answer<'a, ReadResourceResponse> {
        let contents = || {
            let text = ResourceContents::text(self.0.document(), uri);
            text.with_mime_type(MIME).with_meta(meta(&json!({"prefersBorder": true})))
        };
        let answer =
            || -> Result<ReadResourceResponse, ErrorData> { Ok(ReadResourceResult::new(vec![contents()]).into()) };
        (uri == self.0.uri()).then(|| -> Boxed<'a, _> { Box::pin(ready(answer())) })
    }
}
