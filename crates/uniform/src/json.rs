//! A text that holds JSON → its value, nothing of it lost: a key that is given twice is an error, and so is text after the end.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::{LARGEST, Object};

/// How often a string may hold JSON in a string.
const DEEPEST: usize = 3;
/// How much of a text is shown, in characters.
const SHOWN: usize = 60;

/// Reads arguments from a text: a JSON object, in a code fence or not, or a JSON string that holds one. Nothing at all is no arguments.
pub fn read_object(text: &str) -> Result<Object, String> {
    if text.len() > LARGEST {
        return Err(format!("the arguments are longer than {} MiB", LARGEST >> 20));
    }
    let inner = unfenced(text.trim());
    if inner.is_empty() {
        return Ok(Object::new());
    }
    let (value, end) = first(inner)?;
    match inner[end..].trim() {
        "" => into_object(value, DEEPEST),
        rest => Err(format!("there is text after the arguments: `{}`", shown(rest))),
    }
}

/// Returns the object that a value is, or that its text holds.
pub(super) fn into_object(value: Value, depth: usize) -> Result<Object, String> {
    match value {
        Value::Object(object) => Ok(object),
        Value::String(text) if depth > 0 && text.trim_start().starts_with(['{', '"']) => {
            let text = text.trim();
            let (value, end) = first(text)?;
            match text[end..].trim() {
                "" => into_object(value, depth - 1),
                rest => Err(format!("there is text after the arguments: `{}`", shown(rest))),
            }
        }
        other => Err(format!("the arguments must be a JSON object, not {}", shown(&other.to_string()))),
    }
}

/// Reads the value that a text begins with; also returns where it ends, in bytes.
pub(super) fn first(text: &str) -> Result<(Value, usize), String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Whole>();
    match values.next() {
        Some(Ok(value)) => {
            let end = values.byte_offset();
            no_lossy_integer(&text[..end])?;
            Ok((value.0, end))
        }
        Some(Err(error)) => Err(format!("the arguments are not JSON: {error}{}", advice(text))),
        None => Err("the arguments are not JSON: nothing is there".to_owned()),
    }
}

/// Refuses an integer that no 64 bits hold, which would be read as another number.
fn no_lossy_integer(json: &str) -> Result<(), String> {
    match lossy_integer(json) {
        Some(number) => Err(format!(
            "the number {} does not fit into 64 bits, and would become another one; write it as a string",
            shown(number)
        )),
        None => Ok(()),
    }
}

/// Finds the first integer in well-formed JSON that no 64 bits hold.
fn lossy_integer(json: &str) -> Option<&str> {
    let mut rest = json;
    while let Some(start) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        rest = &rest[start..];
        let end = if rest.starts_with('"') { end_of_string(rest) } else { end_of_number(rest) };
        let number = &rest[..end];
        let is_integer = !number.starts_with('"') && !number.contains(['.', 'e', 'E']);
        if is_integer && number.parse::<i64>().is_err() && number.parse::<u64>().is_err() {
            return Some(number);
        }
        rest = &rest[end..];
    }
    None
}

fn end_of_number(text: &str) -> usize {
    text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E'))).unwrap_or(text.len())
}

/// Returns where a string ends that a text begins with, its quotes included.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Says what is often mistaken for JSON.
fn advice(text: &str) -> &'static str {
    let inner = text.trim_start_matches(['{', '[', ' ', '\n', '\r', '\t']);
    let has_word = |word: &str| text.split(|c: char| !c.is_ascii_alphabetic()).any(|part| part == word);
    if inner.starts_with('\'') {
        "; strings stand in double quotes"
    } else if ["True", "False", "None"].into_iter().any(has_word) {
        "; JSON has true, false and null"
    } else if inner.starts_with("//") || inner.starts_with("/*") {
        "; JSON has no comments"
    } else {
        ""
    }
}

/// Takes a text out of its code fence; a text without one, or with one that does not end, is left as it is.
fn unfenced(text: &str) -> &str {
    let Some(rest) = after_fence(text) else { return text };
    rest.trim_end().strip_suffix("```").map_or(text, str::trim)
}

/// Returns what stands behind the opening of a code fence, its language included.
pub(super) fn after_fence(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("```")?;
    Some(rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).trim_start())
}

/// Shortens a text to what a message has room for.
pub(super) fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN).collect::<String>().escape_debug().to_string();
    short = short.replace("\\\"", "\"").replace("\\'", "'");
    if text.chars().nth(SHOWN).is_some() { short + "…" } else { short }
}

/// A value none of whose keys is given twice.
struct Whole(Value);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor).map(Whole)
    }
}

struct WholeVisitor;

impl<'de> Visitor<'de> for WholeVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element::<Whole>()? {
            items.push(item.0);
        }
        Ok(items.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut object = Object::new();
        while let Some((key, value)) = access.next_entry::<String, Whole>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("`{}` is given twice", shown(&key))));
            }
            object.insert(key, value.0);
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_object_is_read_from_every_form() {
        let wanted = json!({"a": 1, "b": [true, null, 0.5], "c": {"d": "e"}});
        let plain = wanted.to_string();
        let quoted = json!(plain).to_string();
        let twice = json!(quoted).to_string();
        for text in [&plain, &quoted, &twice, &format!("```json\n{plain}\n```"), &format!("``` {plain}```")] {
            assert_eq!(read_object(text).map(Value::Object), Ok(wanted.clone()), "{text}");
        }
        assert_eq!(read_object(" \n"), Ok(Object::new()));
    }

    #[test]
    fn numbers_stay_what_they_are() {
        for number in ["12345678901234567890123", "-9223372036854775809", "18446744073709551616"] {
            for text in [format!("{{\"a\": [{number}]}}"), json!(format!("{{\"a\":{number}}}")).to_string()] {
                let message = read_object(&text).expect_err(number);
                assert!(message.contains(number) && message.contains("64 bits"), "{message}");
            }
        }
        for good in [
            r#"{"a": "12345678901234567890123 \" 12345678901234567890123"}"#,
            r#"{"12345678901234567890123": 1e30, "b": 12345678901234567890123.5}"#,
            r#"{"a": [18446744073709551615, -9223372036854775808, -0]}"#,
        ] {
            assert!(read_object(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused_in_words() {
        for (text, words) in [
            ("[1]", "must be a JSON object, not [1]"),
            ("\"Shop\"", "must be a JSON object, not \"Shop\""),
            ("{\"a\": 1} and so on", "text after the arguments: `and so on`"),
            ("{\"a\": 1}{\"b\": 1}", "text after the arguments: `{\"b\": 1}`"),
            ("{\"a\": 1, \"a\": 2}", "`a` is given twice"),
            ("{\"x\": {\"a\": 1, \"a\": 2}}", "`a` is given twice"),
            ("{'a': 1}", "strings stand in double quotes"),
            ("{\"a\": True}", "JSON has true, false and null"),
            ("{\"a\": 1,}", "trailing comma"),
            ("{\"a\": ", "EOF"),
            ("```json\n{\"a\": 1}", "not JSON"),
            ("null", "must be a JSON object, not null"),
        ] {
            let message = read_object(text).expect_err(text);
            assert!(message.contains(words), "{text}: {message}");
        }
        assert!(read_object(&"[".repeat(100_000)).is_err());
        assert!(read_object(&" ".repeat(LARGEST + 1)).is_err());
    }
}
