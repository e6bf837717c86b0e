//! Dotted paths (`blocks.0.props.fields`, `state.params.users.2.name`) and what they lead to in JSON. Knows no instance.

use serde_json::{Map, Value};

use super::{Error, limits};

/// A path that is written rightly; whether it leads anywhere is another matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    segments: Vec<String>,
}

impl Path {
    /// Reads `a.b.0.c`: 1 to 24 segments, none empty, none with a slash, a bracket or a control character.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let refuse = |reason: &str| {
            let path = text.chars().take(limits::NAME).flat_map(char::escape_debug).collect();
            Err(Error::InvalidPath { path, reason: reason.to_owned() })
        };
        if text.is_empty() {
            return refuse("must not be empty");
        }
        if text.len() > limits::PATH_BYTES || text.split('.').count() > limits::SEGMENTS {
            return refuse("too long");
        }
        if text.contains(['/', '[', ']']) {
            return refuse(
                "segments are separated by dots, array indexes too: blocks.0.props; to add to an array, `add` to the array itself",
            );
        }
        if text.split('.').any(|segment| segment.is_empty() || segment.contains(char::is_control)) {
            return refuse("has an empty segment or a control character");
        }
        Ok(Self { segments: text.split('.').map(str::to_owned).collect() })
    }

    pub(super) fn segments(&self) -> Vec<&str> {
        self.segments.iter().map(String::as_str).collect()
    }

    /// Tells whether it leads into the state.
    pub(super) fn in_state(&self) -> bool {
        self.segments.first().is_some_and(|segment| segment == "state")
    }

    fn to_text(&self) -> String {
        self.segments.join(".")
    }

    pub(super) fn invalid(&self, reason: impl Into<String>) -> Error {
        Error::InvalidPath { path: self.to_text(), reason: reason.into() }
    }

    pub(super) fn not_found(&self, reason: impl Into<String>) -> Error {
        Error::PathNotFound { path: self.to_text(), reason: reason.into() }
    }

    /// Returns the place that the path leads to below `root`, made where it is missing: objects for names, arrays for a `0`, and
    /// one more element where an index is an array's length.
    pub(super) fn make<'a>(&self, root: &'a mut Value) -> Result<&'a mut Value, Error> {
        self.segments.iter().try_fold(root, |place, segment| self.step(place, segment))
    }

    fn step<'a>(&self, place: &'a mut Value, segment: &str) -> Result<&'a mut Value, Error> {
        if place.is_null() {
            *place = if segment == "0" { Value::Array(Vec::new()) } else { Value::Object(Map::new()) };
        }
        match place {
            Value::Object(map) => Ok(map.entry(segment).or_insert(Value::Null)),
            Value::Array(list) => {
                let length = list.len();
                let index = index_of(segment)
                    .ok_or_else(|| self.invalid(format!("`{segment}` is not an index of an array")))?;
                if index == length {
                    list.push(Value::Null);
                }
                list.get_mut(index).ok_or_else(|| {
                    self.not_found(format!("there are {length} elements, the last is {}", length.saturating_sub(1)))
                })
            }
            _ => Err(self.invalid(format!("`{segment}` cannot stand in a plain value"))),
        }
    }
}

/// Returns what a dotted path leads to, array indexes included.
pub(super) fn lookup<'a>(root: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(root, get)
}

/// Returns what one segment leads to.
pub(super) fn get<'a>(value: &'a Value, segment: &str) -> Option<&'a Value> {
    match value {
        Value::Object(map) => map.get(segment),
        Value::Array(list) => list.get(index_of(segment)?),
        _ => None,
    }
}

fn index_of(segment: &str) -> Option<usize> {
    segment.chars().all(|c| c.is_ascii_digit()).then(|| segment.parse().ok())?
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refuses_what_the_seed_warns_of() {
        for text in ["", "blocks/-", "blocks[0]", "a..b", ".a", "a.", "a\n.b", &"a.".repeat(30)] {
            assert_eq!(Path::parse(text).unwrap_err().code(), "INVALID_PATH", "{text:?}");
        }
    }

    #[test]
    fn makes_what_is_missing() {
        let mut root = json!({"list": [1]});
        *Path::parse("a.b.0.c").unwrap().make(&mut root).unwrap() = json!(1);
        *Path::parse("list.1").unwrap().make(&mut root).unwrap() = json!(2);
        assert_eq!(root, json!({"list": [1, 2], "a": {"b": [{"c": 1}]}}));
        assert_eq!(Path::parse("list.3").unwrap().make(&mut root).unwrap_err().code(), "PATH_NOT_FOUND");
        assert_eq!(Path::parse("list.x").unwrap().make(&mut root).unwrap_err().code(), "INVALID_PATH");
        assert_eq!(Path::parse("list.0.x").unwrap().make(&mut root).unwrap_err().code(), "INVALID_PATH");
    }

    #[test]
    fn looks_up_through_arrays() {
        let root = json!({"data": {"users": [{"name": "小明"}]}});
        assert_eq!(lookup(&root, "data.users.0.name"), Some(&json!("小明")));
        assert_eq!(lookup(&root, "data.users.1.name"), None);
        assert_eq!(lookup(&root, "data.users.-.name"), None);
    }
}
