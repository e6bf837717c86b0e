//! Takes secrets out of what is written down.

use serde_json::{Map, Value};

/// What stands in place of a secret.
const MASK: &str = "••••••";

/// Values shorter than this, in characters, would mask half the report.
const SHORTEST: usize = 4;

/// The secrets of a case.
#[derive(Debug, Default)]
pub(super) struct Mask(Vec<String>);

impl Mask {
    /// Keeps what is long enough, the longest first, so that a secret within another leaves nothing behind.
    pub(super) fn of(mut secrets: Vec<String>) -> Self {
        secrets.retain(|secret| secret.chars().count() >= SHORTEST);
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self(secrets)
    }

    pub(super) fn text(&self, text: String) -> String {
        self.0.iter().fold(text, |text, secret| match text.contains(secret.as_str()) {
            true => text.replace(secret.as_str(), MASK),
            false => text,
        })
    }

    pub(super) fn value(&self, value: Value) -> Value {
        if self.0.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(object) => Value::Object(self.object(object)),
            other => other,
        }
    }

    pub(super) fn object(&self, object: Map<String, Value>) -> Map<String, Value> {
        if self.0.is_empty() {
            return object;
        }
        object.into_iter().map(|(key, value)| (key, self.value(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        let mask = Mask::of(vec!["hunter2".to_owned(), "hunter2-long".to_owned(), "abc".to_owned()]);
        assert_eq!(mask.text("pw hunter2-long, hunter2, abc".to_owned()), "pw ••••••, ••••••, abc");
        assert_eq!(mask.value(json!({"a": ["hunter2", 1]})), json!({"a": ["••••••", 1]}));
    }
}
