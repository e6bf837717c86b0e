//! What crosses between who calls and who answers: a request, its answer, what a tool says of itself. In JSON, the answer and the
//! definition are as MCP (2025-11-25, `schema.ts`) has them, so that whatever was written down of them is read the same.

use std::borrow::Cow;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uixt_locate::{Error, Object};

use super::options::CallOptions;

/// The key of an answer's `_meta` under which ours stands.
pub const META: &str = "uixt";

/// A request for a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallToolRequest {
    pub name: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Object>,
    /// What it is asked beside its arguments.
    #[serde(default)]
    pub options: CallOptions,
    /// What else its sender says beside it, for whoever knows that.
    #[serde(default, rename = "_meta", skip_serializing_if = "Object::is_empty")]
    pub meta: Object,
}

impl CallToolRequest {
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    #[must_use]
    pub fn with_arguments(self, arguments: Object) -> Self {
        Self { arguments: Some(arguments), ..self }
    }
}

/// The answer to a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallToolResult {
    #[serde(default)]
    pub content: Vec<Content>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
}

impl CallToolResult {
    pub fn success(content: Vec<Content>) -> Self {
        Self { content, is_error: Some(false), ..Self::default() }
    }

    pub fn error(content: Vec<Content>) -> Self {
        Self { content, is_error: Some(true), ..Self::default() }
    }

    /// Returns an answer of one value, as text and as structured content.
    pub fn structured(value: Value) -> Self {
        // Values cannot fail to be written; `to_string` would go through a formatter, piece by piece.
        let text = serde_json::to_string(&value).unwrap_or_default();
        Self { structured_content: Some(value), ..Self::success(vec![Content::text(text)]) }
    }

    /// The same of a failure.
    pub fn structured_error(value: Value) -> Self {
        Self { is_error: Some(true), ..Self::structured(value) }
    }

    /// Returns the answer of a tool that failed.
    pub fn failure(error: &Error, action: &str) -> Self {
        Self::structured_error(error.object(action))
    }

    /// Tells whether the call failed.
    pub fn is_failure(&self) -> bool {
        self.is_error == Some(true)
    }

    /// Returns what stands of ours beside the answer.
    pub fn beside(&self, key: &str) -> Option<&Value> {
        self.meta.as_ref()?.get(META)?.get(key)
    }

    /// Adds to what stands of ours beside the answer.
    pub fn put_beside(&mut self, key: &str, value: Value) {
        let meta = self.meta.get_or_insert_default();
        if let Some(ours) = meta.entry(META).or_insert_with(|| Object::new().into()).as_object_mut() {
            ours.insert(key.to_owned(), value);
        }
    }

    /// Takes out what stands of ours beside the answer, and all that is empty then.
    pub fn take_beside(&mut self, key: &str) -> Option<Value> {
        let meta = self.meta.as_mut()?;
        let ours = meta.get_mut(META)?.as_object_mut()?;
        let taken = ours.shift_remove(key);
        if ours.is_empty() {
            meta.shift_remove(META);
        }
        if meta.is_empty() {
            self.meta = None;
        }
        taken
    }

    /// Returns the device that the call went to: platform and serial.
    pub fn device(&self) -> Option<(String, String)> {
        let text = |key: &str| Some(self.beside(key)?.as_str()?.to_owned());
        Some((text("platform")?, text("serial")?))
    }
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    Text {
        text: String,
        #[serde(flatten)]
        rest: Object,
    },
    Image {
        /// In base64.
        data: String,
        #[serde(rename = "mimeType")]
        mime_type: String,
        #[serde(flatten)]
        rest: Object,
    },
    ResourceLink(ResourceLink),
    /// Whatever else servers send, as they send it.
    #[serde(untagged)]
    Other(Object),
}

impl Content {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), rest: Object::new() }
    }

    pub fn png(png: &[u8]) -> Self {
        Self::Image { data: STANDARD.encode(png), mime_type: "image/png".to_owned(), rest: Object::new() }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns the picture that it is, where it is a PNG.
    pub fn to_png(&self) -> Option<Vec<u8>> {
        match self {
            Self::Image { data, mime_type, .. } if mime_type == "image/png" => STANDARD.decode(data).ok(),
            _ => None,
        }
    }
}

/// Names what can be read by its URI.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceLink {
    pub uri: String,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// In bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    #[serde(flatten)]
    pub rest: Object,
}

/// What a caller says of a tool that it lists.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDefinition {
    pub name: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Cow<'static, str>>,
    pub input_schema: Arc<Object>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Arc<Object>>,
    /// Hints for hosts: `readOnlyHint`, `destructiveHint`, `idempotentHint`, ….
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Object>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icons: Option<Value>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
}

impl ToolDefinition {
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        input_schema: Arc<Object>,
    ) -> Self {
        Self { name: name.into(), description: Some(description.into()), input_schema, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_written_as_the_protocol_has_it() {
        let link =
            ResourceLink { uri: "a:b".to_owned(), name: "b".to_owned(), size: Some(3), ..ResourceLink::default() };
        let mut answer = CallToolResult::structured(json!({"n": 1}));
        answer.content.extend([Content::png(&[1, 2, 3]), Content::ResourceLink(link)]);
        answer.put_beside("serial", "A".into());
        let written = json!({
            "content": [
                {"type": "text", "text": "{\"n\":1}"},
                {"type": "image", "data": "AQID", "mimeType": "image/png"},
                {"type": "resource_link", "uri": "a:b", "name": "b", "size": 3},
            ],
            "structuredContent": {"n": 1}, "isError": false, "_meta": {"uixt": {"serial": "A"}},
        });
        assert_eq!(json!(answer), written);
        assert_eq!(serde_json::from_value::<CallToolResult>(written).expect("an answer"), answer);
        assert_eq!((answer.take_beside("serial"), &answer.meta), (Some(json!("A")), &None));
        assert_eq!(answer.content[1].to_png(), Some(vec![1, 2, 3]));
    }

    #[test]
    fn what_is_not_known_of_a_piece_is_kept() {
        let pieces = json!([
            {"type": "text", "text": "a", "annotations": {"priority": 1.0}},
            {"type": "audio", "data": "AQID", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "a:b", "name": "b", "title": "B"},
        ]);
        let read: Vec<Content> = serde_json::from_value(pieces.clone()).expect("pieces");
        assert!(matches!(&read[1], Content::Other(_)), "{read:?}");
        assert_eq!(json!(read), pieces);
    }
}
