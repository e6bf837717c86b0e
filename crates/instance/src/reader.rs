//! JSON values → typed parts, with the dotted path of what is wrong and what would be right.

use serde_json::{Map, Value};

use super::{Error, limits};
use crate::json_kind::kind_of;

/// An object that is being read.
pub(super) struct Object<'a> {
    map: &'a Map<String, Value>,
    path: String,
}

impl<'a> Object<'a> {
    /// Takes an object whose keys are all among `valid`.
    pub(super) fn read(value: &'a Value, path: &str, valid: &[&str]) -> Result<Self, Error> {
        let map = value.as_object().ok_or_else(|| wrong(path, "an object", value))?;
        if let Some(key) = map.keys().find(|key| !valid.contains(&key.as_str())) {
            return Err(Error::structure(path, unknown("key", key, valid)));
        }
        Ok(Self { map, path: path.to_owned() })
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn path_to(&self, key: &str) -> String {
        join(&self.path, key)
    }

    /// Returns what stands under a key; null counts as nothing.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<String>, Error> {
        self.get(key)
            .map(|value| self.expect(key, value, "a string", value.as_str()))
            .transpose()
            .map(|text| text.map(str::to_owned))
    }

    pub(super) fn required_text(&self, key: &str) -> Result<String, Error> {
        self.text(key)?.ok_or_else(|| self.missing(key))
    }

    /// Reads an id or a key: not empty, not too long, nothing that a path could not hold.
    pub(super) fn name(&self, key: &str) -> Result<String, Error> {
        let text = self.required_text(key)?;
        let message = if text.is_empty() {
            "must not be empty".to_owned()
        } else if text.chars().count() > limits::NAME {
            format!("longer than {} characters", limits::NAME)
        } else if text.contains(|c: char| c.is_control() || c.is_whitespace() || "./[]".contains(c)) {
            format!("`{}` must not hold spaces or any of . / [ ]", text.escape_debug())
        } else {
            return Ok(text);
        };
        Err(Error::structure(&self.path_to(key), message))
    }

    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, Error> {
        self.get(key).map(|value| self.expect(key, value, "true or false", value.as_bool())).transpose()
    }

    pub(super) fn number(&self, key: &str) -> Result<Option<f64>, Error> {
        self.get(key).map(|value| self.expect(key, value, "a number", value.as_f64())).transpose()
    }

    pub(super) fn object(&self, key: &str) -> Result<Option<&'a Map<String, Value>>, Error> {
        self.get(key).map(|value| self.expect(key, value, "an object", value.as_object())).transpose()
    }

    /// Returns the elements of a list with their paths; none where the key is not there.
    pub(super) fn list(&self, key: &str) -> Result<Vec<(String, &'a Value)>, Error> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let list = self.expect(key, value, "an array", value.as_array())?;
        Ok(list.iter().enumerate().map(|(index, value)| (format!("{}.{index}", self.path_to(key)), value)).collect())
    }

    /// Reads one word of a closed set.
    pub(super) fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, Error> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        let valid: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        found.map(Some).ok_or_else(|| Error::structure(&self.path_to(key), unknown("value", &text, &valid)))
    }

    pub(super) fn missing(&self, key: &str) -> Error {
        Error::structure(&self.path, format!("`{key}` is missing"))
    }

    fn expect<T>(&self, key: &str, value: &Value, what: &str, found: Option<T>) -> Result<T, Error> {
        found.ok_or_else(|| wrong(&self.path_to(key), what, value))
    }
}

pub(super) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

pub(super) fn wrong(path: &str, expected: &str, found: &Value) -> Error {
    Error::structure(path, format!("must be {expected}, not {}", kind_of(found)))
}

/// Says what is not known, what is nearest to it, and what is valid.
pub(super) fn unknown(what: &str, name: &str, valid: &[&str]) -> String {
    let near = uixt_schema::nearest(name, valid.iter().copied());
    let near = near.map(|word| format!(" (did you mean `{word}`?)")).unwrap_or_default();
    format!("unknown {what} `{}`{near}; valid: {}", name.escape_debug(), valid.join(", "))
}
