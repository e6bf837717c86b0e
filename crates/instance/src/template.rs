//! `${state.params.name}` in strings → the state's values. What refers to anything else than the state stays as it is written.

use serde_json::Value;

use super::{Error, State, limits, path, text_of};

/// Renders every string in a value. A string that is one reference and nothing else becomes the value itself, with its type;
/// null where there is none.
pub(super) fn render(value: &Value, state: &State) -> Value {
    match value {
        Value::String(text) => whole(text).map_or_else(
            || Value::String(render_text(text, state)),
            |path| find(path, state).cloned().unwrap_or(Value::Null),
        ),
        Value::Array(list) => list.iter().map(|value| render(value, state)).collect(),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), render(value, state))).collect(),
        other => other.clone(),
    }
}

/// Renders a string to a string; what is missing becomes nothing.
pub(super) fn render_text(text: &str, state: &State) -> String {
    replace(text, |_, path| find(path, state).map(text_of).unwrap_or_default())
}

/// Renders an address: values are percent-encoded, so that none can change where it leads; only one that begins the address is
/// taken as it is.
pub(super) fn render_url(text: &str, state: &State) -> String {
    replace(text, |at, path| {
        let value = find(path, state).map(text_of).unwrap_or_default();
        if at == 0 { value } else { encode(&value) }
    })
}

/// Refuses what would become too large: a few references to a large value can fill the memory.
pub(super) fn check(value: &Value, state: &State) -> Result<(), Error> {
    let mut bytes = 0;
    check_rendered(value, state, &mut bytes)
        .map_err(|message| Error::structure("patches", format!("rendered, it is {message}")))
}

fn check_rendered(value: &Value, state: &State, bytes: &mut usize) -> Result<(), String> {
    match value {
        Value::String(text) => references(text)
            .filter_map(|(_, _, path)| find(path, state))
            .try_for_each(|found| limits::measure(found, 0, bytes)),
        Value::Array(list) => list.iter().try_for_each(|value| check_rendered(value, state, bytes)),
        Value::Object(map) => map.values().try_for_each(|value| check_rendered(value, state, bytes)),
        _ => Ok(()),
    }
}

/// Tells whether a string refers to the state at all.
pub(super) fn has_references(text: &str) -> bool {
    references(text).next().is_some()
}

/// Tells whether a string in the value refers to `path`.
pub(super) fn mentions(value: &Value, path: &str) -> bool {
    match value {
        Value::String(text) => references(text).any(|(_, _, found)| found == path),
        Value::Array(list) => list.iter().any(|value| mentions(value, path)),
        Value::Object(map) => map.values().any(|value| mentions(value, path)),
        _ => false,
    }
}

fn replace(text: &str, value: impl Fn(usize, &str) -> String) -> String {
    let mut rendered = String::with_capacity(text.len());
    let mut done = 0;
    for (start, end, path) in references(text) {
        rendered.push_str(&text[done..start]);
        rendered.push_str(&value(start, path));
        done = end;
    }
    rendered + &text[done..]
}

/// Returns every reference into the state: where it begins and ends, and its path.
fn references(text: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    text.match_indices("${").filter_map(|(start, _)| {
        let inner = &text[start + 2..];
        let path = &inner[..inner.find('}')?];
        let path_end = start + 2 + path.len() + 1;
        let path = path.trim();
        let into_state = path.starts_with("state.params.") || path.starts_with("state.runtime.");
        // One that holds another is none, or the two would overlap.
        (into_state && !path.contains("${")).then_some((start, path_end, path))
    })
}

fn whole(text: &str) -> Option<&str> {
    references(text).next().filter(|(start, end, _)| *start == 0 && *end == text.len()).map(|(_, _, path)| path)
}

fn find<'a>(path: &str, state: &'a State) -> Option<&'a Value> {
    let mut segments = path.split('.').skip(1);
    let root = if segments.next()? == "params" { &state.params } else { &state.runtime };
    let first = root.get(segments.next()?)?;
    segments.try_fold(first, path::get)
}

/// Percent-encodes everything but the unreserved characters of RFC 3986.
fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.extend(['%', hex_digit(byte >> 4), hex_digit(byte & 15)]);
        }
    }
    encoded
}

fn hex_digit(value: u8) -> char {
    char::from_digit(value.into(), 16).unwrap_or('0').to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn state() -> State {
        let map = |value: Value| value.as_object().cloned().unwrap();
        State {
            params: map(json!({"name": "小明", "count": 3, "list": [{"a": true}], "tricky": "a/../b?c"})),
            runtime: map(json!({"row": {"id": 7}})),
        }
    }

    #[test]
    fn renders_text_and_keeps_types() {
        let rendered = render(
            &json!({"text": "姓名: ${state.params.name}, ${state.runtime.row.id}", "n": "${state.params.count}"}),
            &state(),
        );
        assert_eq!(rendered, json!({"text": "姓名: 小明, 7", "n": 3}));
        assert_eq!(render(&json!("${state.params.list.0.a}"), &state()), json!(true));
        assert_eq!(render(&json!("${state.params.absent}"), &state()), Value::Null);
        assert_eq!(render_text("[${state.params.absent}]", &state()), "[]");
    }

    #[test]
    fn leaves_what_is_no_reference() {
        assert_eq!(render_text("${state.params.a${state.params.count}}", &state()), "${state.params.a3}");
        for text in ["${other.x}", "${state.params.name", "$name", "${}", "}${", "${state.params}"] {
            assert_eq!(render_text(text, &state()), text);
        }
        assert_eq!(render_text("${${state.params.count}}", &state()), "${3}");
    }

    #[test]
    fn cannot_grow_without_end() {
        let mut state = state();
        state.params.insert("large".to_owned(), json!("x".repeat(400_000)));
        assert!(check(&json!({"a": "${state.params.large}", "b": ["${state.params.large}"]}), &state).is_ok());
        assert!(check(&json!("${state.params.large}".repeat(3)), &state).is_err());
    }

    #[test]
    fn values_cannot_change_an_address() {
        assert_eq!(render_url("http://h/${state.params.tricky}?x=1", &state()), "http://h/a%2F..%2Fb%3Fc?x=1");
        assert_eq!(render_url("http://h/${state.params.name}", &state()), "http://h/%E5%B0%8F%E6%98%8E");
    }
}
