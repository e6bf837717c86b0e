//! A JSON value → what it is, in JSON's own words, for a sentence that says what it should be instead. Knows nothing of the crate.

use serde_json::Value;

/// Names a value's kind, with its article.
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
