//! What a tool gives back → the answer that its caller gets.

use serde_json::Value;
use uixt_call::{CallToolResult, Content};
use uixt_locate::Object;

use crate::gestures::touched::Touched;
use crate::pixels::scale;

/// A picture of the screen, whole, and how small whoever asked for it wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The file.
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
    /// What is shown beside it.
    pub pictures: Vec<Picture>,
    /// Where the screen was touched, as `result::Mark` reads it.
    pub mark: Option<Value>,
    /// How its element was found, as `result::Lookup` reads it.
    pub lookup: Option<Value>,
}

impl Reply {
    /// Begins an answer by its sentence.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Adds a field.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(key.to_owned(), value.into());
        self
    }

    /// Adds what a gesture left.
    #[must_use]
    pub fn touched(mut self, touched: Touched) -> Self {
        self.mark = Some(touched.mark);
        self.pictures.extend(touched.picture.map(Picture::from));
        self
    }

    /// Returns the flat object that a caller gets.
    pub fn object(&self, action: &str) -> Value {
        let mut object = Object::with_capacity(self.fields.len() + 3);
        object.insert("action".to_owned(), action.into());
        object.insert("success".to_owned(), true.into());
        object.insert("message".to_owned(), self.message.as_str().into());
        object.extend(self.fields.clone());
        Value::Object(object)
    }

    /// Returns the answer: one flat object as text and as structured content, pictures beside it.
    pub fn into_result(self, action: &str) -> CallToolResult {
        let mut result = CallToolResult::structured(self.object(action));
        result.content.extend(self.pictures.iter().map(|picture| Content::png(&picture.png)));
        for (key, value) in [("mark", self.mark), ("lookup", self.lookup)] {
            value.into_iter().for_each(|value| result.put_beside(key, value));
        }
        result
    }
}
