//! A picture that a call looks for on the screen.

use serde_json::Value;
use uixt_locate::Object;

/// How much a place has to look like a picture that says nothing else.
pub const CONFIDENCE: f32 = 0.8;

/// A picture that a call's arguments name.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageQuery {
    /// Where it lies.
    pub path: String,
    /// How much a place has to look like it, from 0 to 1.
    pub confidence: f32,
}

impl ImageQuery {
    /// Reads it from a map that has an `image`.
    pub fn of(path: &str, map: &Object) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "a share of one")]
        let confidence = map.get("confidence").and_then(Value::as_f64).map_or(CONFIDENCE, |share| share as f32);
        Self { path: path.to_owned(), confidence }
    }
}
