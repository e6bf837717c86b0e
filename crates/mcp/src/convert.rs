//! Requests, answers and definitions of tools: our own ↔ those of the protocol's library.
//!
//! The options of a call travel in its `_meta`, under the key that ours has everywhere; nothing of what a peer says is lost on the way.

use rmcp::model;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uixt_call::{CallOptions, CallToolRequest, CallToolResult, Content, META, ToolDefinition};
use uixt_locate::Object;

/// Reads one form of something by way of the JSON that both have.
fn through_json<T: DeserializeOwned>(value: &impl Serialize) -> Option<T> {
    serde_json::from_value(serde_json::to_value(value).ok()?).ok()
}

/// Reads a call; `meta` is what stood in its `_meta`, where the protocol's reader took that out. Options that are unreadable count as absent, since `_meta` is open to everybody.
pub(crate) fn request(params: &model::CallToolRequestParams, meta: &model::RequestMetaObject) -> CallToolRequest {
    let mut meta = params.meta.as_ref().unwrap_or(meta).0.0.clone();
    let options: Option<CallOptions> = meta.shift_remove(META).and_then(|options| serde_json::from_value(options).ok());
    let (name, arguments) = (params.name.clone(), params.arguments.clone());
    CallToolRequest { name, arguments, options: options.unwrap_or_default(), meta }
}

/// Writes a call as the protocol has it.
pub(crate) fn params(request: CallToolRequest) -> model::CallToolRequestParams {
    let CallToolRequest { name, arguments, options, mut meta } = request;
    if options != CallOptions::default() {
        meta.extend(serde_json::to_value(options).ok().map(|options| (META.to_owned(), options)));
    }
    let mut params = model::CallToolRequestParams::new(name);
    params.arguments = arguments;
    params.meta = (!meta.is_empty()).then(|| model::RequestMetaObject(model::MetaObject(meta)));
    params
}

/// Reads an answer.
pub(crate) fn result(answer: model::CallToolResult) -> CallToolResult {
    CallToolResult {
        content: answer.content.into_iter().map(content).collect(),
        structured_content: answer.structured_content,
        is_error: answer.is_error,
        meta: answer.meta.map(|meta| meta.0),
    }
}

/// Writes an answer as the protocol has it.
pub(crate) fn answer(result: CallToolResult) -> model::CallToolResult {
    let mut answer = model::CallToolResult::success(result.content.into_iter().map(block).collect());
    answer.structured_content = result.structured_content;
    answer.is_error = result.is_error;
    answer.meta = result.meta.map(model::MetaObject);
    answer
}

fn content(block: model::ContentBlock) -> Content {
    match block {
        model::ContentBlock::Text(text) if text.meta.is_none() && text.annotations.is_none() => {
            Content::text(text.text)
        }
        model::ContentBlock::Image(image) if image.meta.is_none() && image.annotations.is_none() => {
            Content::Image { data: image.data, mime_type: image.mime_type, rest: Object::new() }
        }
        block => through_json(&block).unwrap_or_else(|| Content::Other(Object::new())),
    }
}

fn block(content: Content) -> model::ContentBlock {
    match content {
        Content::Text { text, rest } if rest.is_empty() => model::ContentBlock::text(text),
        Content::Image { data, mime_type, rest } if rest.is_empty() => model::ContentBlock::image(data, mime_type),
        // What is of no kind that the protocol has is told as it stands.
        content => through_json(&content)
            .unwrap_or_else(|| model::ContentBlock::text(serde_json::to_string(&content).unwrap_or_default())),
    }
}

/// Reads what a server says of a tool.
pub(crate) fn definition(tool: model::Tool) -> ToolDefinition {
    ToolDefinition {
        name: tool.name,
        title: tool.title,
        description: tool.description,
        input_schema: tool.input_schema,
        output_schema: tool.output_schema,
        annotations: tool.annotations.as_ref().and_then(through_json),
        icons: tool.icons.as_ref().and_then(through_json),
        meta: tool.meta.map(|meta| meta.0),
    }
}

/// Writes what is said of a tool as the protocol has it.
pub(crate) fn tool(definition: ToolDefinition) -> model::Tool {
    let mut tool = model::Tool::new(definition.name, "", definition.input_schema);
    (tool.title, tool.description) = (definition.title, definition.description);
    tool.output_schema = definition.output_schema;
    tool.annotations = definition.annotations.as_ref().and_then(through_json);
    tool.icons = definition.icons.as_ref().and_then(through_json);
    tool.meta = definition.meta.map(model::MetaObject);
    tool
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;

    fn read<T: DeserializeOwned>(value: &Value) -> T {
        through_json(value).expect("as the protocol has it")
    }

    #[test]
    fn options_survive_the_journey_in_meta() {
        let options = CallOptions {
            identifier: Some("a".to_owned()),
            pre_mark_operation: true,
            ignore_not_found: true,
            scope: Some([0.0, 0.5, 1.0, 1.0]),
            offset: Some([0, -5]),
            max_retry_times: Some(0),
            interval: Some(0.5),
            warnings: vec!["a".to_owned()],
            records: true,
            ..CallOptions::default()
        };
        let meta = json!({"trace": "t"}).as_object().cloned().unwrap_or_default();
        let sent = CallToolRequest { options, meta, ..CallToolRequest::new("home").with_arguments(Object::new()) };
        let params = params(sent.clone());
        assert_eq!(json!(params)["_meta"]["uixt"]["witness"], true);
        assert_eq!(request(&params, &model::RequestMetaObject::default()), sent);
        assert_eq!(json!(super::params(CallToolRequest::new("home"))), json!({"name": "home"}));
        let wrong = read(&json!({"name": "home", "_meta": {"uixt": {"interval": "soon"}}}));
        assert_eq!(request(&wrong, &model::RequestMetaObject::default()), CallToolRequest::new("home"));
    }

    #[test]
    fn nothing_of_an_answer_is_lost() {
        let whole = json!({
            "resultType": "complete",
            "content": [
                {"type": "text", "text": "a"},
                {"type": "text", "text": "b", "annotations": {"priority": 1.0}},
                {"type": "image", "data": "AQID", "mimeType": "image/png"},
                {"type": "image", "data": "AQID", "mimeType": "image/png", "_meta": {"n": 1}},
                {"type": "audio", "data": "AQID", "mimeType": "audio/wav"},
                {"type": "resource", "resource": {"uri": "a:b", "text": "c"}},
                {"type": "resource_link", "uri": "a:b", "name": "b", "title": "B", "mimeType": "text/plain", "size": 3},
            ],
            "structuredContent": {"n": null}, "isError": true, "_meta": {"uixt": {"serial": "A"}},
        });
        let ours = result(read(&whole));
        assert_eq!(json!(answer(ours.clone())), whole);
        assert_eq!(through_json::<CallToolResult>(&whole), Some(ours), "the same JSON");
    }

    #[test]
    fn an_answer_is_an_error_as_the_server_says_it() {
        for (text, is_failure) in [
            (r#"{"content": [{"type": "text", "text": "no"}], "isError": true}"#, true),
            (r#"{"isError": true, "content": []}"#, true),
            (r#"{"isError": true, "content": [], "_meta": {}, "resultType": "complete"}"#, true),
            (r#"{"content": [], "isError": false}"#, false),
        ] {
            let answer: model::ServerResult = serde_json::from_str(text).expect(text);
            let model::ServerResult::CallToolResult(answer) = answer else { panic!("{text} is read as {answer:?}") };
            assert_eq!(result(answer).is_failure(), is_failure, "{text}");
        }
    }

    #[test]
    fn nothing_of_a_tool_is_lost() {
        let whole = json!({
            "name": "add", "title": "Add", "description": "Adds.", "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "idempotentHint": false},
            "icons": [{"src": "a.png", "mimeType": "image/png"}], "_meta": {"ui": {"resourceUri": "ui://a"}},
        });
        let ours = definition(read(&whole));
        assert_eq!(json!(tool(ours.clone())), whole);
        assert_eq!(through_json::<ToolDefinition>(&whole), Some(ours), "the same JSON");
        let bare = ToolDefinition::new("a", "", Arc::default());
        assert_eq!(definition(tool(bare.clone())), bare);
    }
}
