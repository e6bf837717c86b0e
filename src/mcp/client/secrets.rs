//! What of a server's settings must not be shown → texts without it.

use serde_json::Value;

use crate::tools::MASK;

/// Shorter values are too common to be looked for.
const SHORTEST: usize = 4;

/// Values that say nothing, however they came to be where secrets stand.
const OPEN: &[&str] = &["true", "false", "none", "null", "info", "debug", "error", "warn"];

/// Values that are masked wherever they turn up.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    pub(super) fn add(&mut self, value: &str) {
        let value = value.trim();
        let is_open = value.len() < SHORTEST || OPEN.contains(&value.to_ascii_lowercase().as_str());
        if !is_open && !self.0.iter().any(|known| known == value) {
            self.0.push(value.to_owned());
            // A value within another is looked for after it.
            self.0.sort_by_key(|value| std::cmp::Reverse(value.len()));
        }
    }

    /// Adds a header's value, and the credential in it without the scheme before it.
    pub(super) fn add_header(&mut self, value: &str) {
        self.add(value);
        if let Some((_, credential)) = value.split_once(' ') {
            self.add(credential);
        }
    }

    /// Returns a text with the mask in place of every secret.
    pub(super) fn masked(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.0 {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), MASK);
            }
        }
        text
    }

    /// Masks the texts of a value.
    pub(super) fn mask(&self, value: &mut Value) {
        if self.0.is_empty() {
            return;
        }
        match value {
            Value::String(text) => *text = self.masked(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask(item)),
            Value::Object(map) => map.values_mut().for_each(|value| self.mask(value)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_masked_and_what_says_nothing_is_not() {
        let mut secrets = Secrets::default();
        secrets.add_header("Bearer abc.def");
        secrets.add("true");
        secrets.add("abc");
        let mut value = json!({"a": ["Authorization: Bearer abc.def", "abc.def!", "true abc"]});
        secrets.mask(&mut value);
        assert_eq!(value, json!({"a": [format!("Authorization: {MASK}"), format!("{MASK}!"), "true abc"]}));
    }
}
