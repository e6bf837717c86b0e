//! What a tool gives back, and a result as MCP carries it.

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::Value;

use super::touched::Touched;
use super::{Error, Object, scale};

/// A picture of the screen, whole, and how small whoever asked for it wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub png: Vec<u8>,
    /// The most pixels of its longest side, 0 for as many as there are; none where nobody said.
    pub most: Option<u32>,
}

impl Picture {
    /// Returns the picture as it is asked for, or as it `usually` is; none where it is so already.
    pub fn scaled(&self, usually: u32) -> Option<Vec<u8>> {
        scale::down(&self.png, self.most.unwrap_or(usually))
    }
}

impl From<Vec<u8>> for Picture {
    fn from(png: Vec<u8>) -> Self {
        Self { png, most: None }
    }
}

/// What a tool gives back when it did what it was asked.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// One sentence without its end: "Tapped at 0.50, 0.50".
    pub message: String,
    /// The tool's own fields.
    pub fields: Object,
    pub pictures: Vec<Picture>,
    /// Where the screen was touched, as `result::Mark` reads it.
    pub mark: Option<Value>,
    /// How its element was found, as `result::Lookup` reads it.
    pub lookup: Option<Value>,
}

impl Reply {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Adds a field.
    #[must_use]
    pub(super) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(key.to_owned(), value.into());
        self
    }

    /// Adds what a gesture left.
    #[must_use]
    pub(super) fn touched(mut self, touched: Touched) -> Self {
        self.mark = Some(touched.mark);
        self.pictures.extend(touched.picture.map(Picture::from));
        self
    }

    /// Returns the flat object that a caller gets.
    pub(super) fn object(&self, action: &str) -> Value {
        let mut object = Object::with_capacity(self.fields.len() + 3);
        object.insert("action".to_owned(), action.into());
        object.insert("success".to_owned(), true.into());
        object.insert("message".to_owned(), self.message.as_str().into());
        object.extend(self.fields.clone());
        Value::Object(object)
    }

    /// Returns the result as MCP carries it: one flat object as text and as structured content, pictures beside it.
    pub fn into_result(self, action: &str) -> CallToolResult {
        let object = self.object(action);
        let beside = [("mark", self.mark), ("lookup", self.lookup)];
        let beside: Object = beside.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        let meta = (!beside.is_empty()).then(|| Value::Object(beside));
        result(object, self.pictures.into_iter().map(|picture| picture.png).collect(), meta, false)
    }
}

/// Returns a failure as MCP carries it.
pub fn failure_result(error: &Error, action: &str) -> CallToolResult {
    warned_failure_result(error, action, Vec::new())
}

/// The same with warnings of what was not done on the way to it.
pub(super) fn warned_failure_result(error: &Error, action: &str, warnings: Vec<String>) -> CallToolResult {
    let mut object = error.object(action);
    if !warnings.is_empty() {
        object["warnings"] = warnings.into();
    }
    result(object, Vec::new(), None, true)
}

fn result(object: Value, pictures: Vec<Vec<u8>>, meta: Option<Value>, is_error: bool) -> CallToolResult {
    use base64::Engine as _;
    // Values cannot fail to be written; `to_string` would go through a formatter, piece by piece.
    let text = serde_json::to_string(&object).unwrap_or_default();
    let mut content = vec![ContentBlock::text(text)];
    content.extend(
        pictures
            .into_iter()
            .map(|png| ContentBlock::image(base64::engine::general_purpose::STANDARD.encode(png), "image/png")),
    );
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = Some(object);
    result.meta = meta.map(|meta| MetaObject(Object::from_iter([("uixt".to_owned(), meta)])));
    result
}
