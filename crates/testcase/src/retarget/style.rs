//! Values → how a file writes them: as JSON where it is JSON, in the quotes that stood there, else as YAML.

use serde_json::Value;
use uixt_core::yaml;

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Yaml,
    Json,
}

impl Style {
    pub(super) fn of(text: &str) -> Self {
        let is_json = text.trim_start().starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        if is_json { Self::Json } else { Self::Yaml }
    }

    /// Writes a value on one line.
    pub(super) fn value(self, value: &Value) -> String {
        match self {
            Self::Yaml => yaml::inline(value),
            Self::Json => value.to_string(),
        }
    }

    /// Writes a value in place of another one, in the same quotes where it is a text.
    pub(super) fn like(self, written: &str, value: &Value) -> String {
        match (value.as_str(), written.chars().next()) {
            (Some(text), Some('\'')) if !text.chars().any(char::is_control) => {
                format!("'{}'", text.replace('\'', "''"))
            }
            (Some(text), Some('"')) if !text.chars().any(char::is_control) => Value::from(text).to_string(),
            _ => self.value(value),
        }
    }

    /// Writes a key and its value.
    pub(super) fn entry(self, key: &str, value: &Value) -> String {
        match self {
            Self::Yaml => format!("{key}: {}", self.value(value)),
            Self::Json => format!("{}: {}", Value::from(key), self.value(value)),
        }
    }
}
