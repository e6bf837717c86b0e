//! A number or a truth value that is spelt otherwise than it is written by itself (`2.50`, `1e3`, `True`) → one value that is both:
//! the text that its author wrote, and what that means. Which of the two is wanted shows only where it is used.
//!
//! It is carried as a text behind a sign that no file of YAML may hold.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// Stands before the text.
const SIGN: char = '\u{fffe}';

/// Returns a value that is the text and what the text means.
pub fn value(text: &str) -> Value {
    Value::String(format!("{SIGN}{text}"))
}

/// Returns the text of such a value; nothing of any other.
pub fn text(value: &Value) -> Option<&str> {
    value.as_str().and_then(|text| text.strip_prefix(SIGN))
}

/// Tells whether there is such a value in a value.
pub fn is_in(value: &Value) -> bool {
    match value {
        Value::String(text) => text.starts_with(SIGN),
        Value::Array(items) => items.iter().any(is_in),
        Value::Object(map) => map.values().any(is_in),
        _ => false,
    }
}

/// Puts the texts in the place of such values.
pub fn texts(value: Value) -> Value {
    replaced(value, &|text| text.to_owned().into())
}

/// The same of a value that stays where it is.
pub fn as_texts(value: &Value) -> Cow<'_, Value> {
    if is_in(value) { Cow::Owned(texts(value.clone())) } else { Cow::Borrowed(value) }
}

/// Puts what they mean in the place of such values: numbers and booleans.
pub fn meanings(value: Value) -> Value {
    replaced(value, &|text| meaning(text).unwrap_or_else(|| text.to_owned().into()))
}

fn replaced(value: Value, by: &impl Fn(&str) -> Value) -> Value {
    match value {
        Value::String(text) => text.strip_prefix(SIGN).map(by).unwrap_or(Value::String(text)),
        Value::Array(items) => items.into_iter().map(|item| replaced(item, by)).collect(),
        Value::Object(map) => {
            map.into_iter().map(|(key, value)| (key, replaced(value, by))).collect::<Map<_, _>>().into()
        }
        other => other,
    }
}

/// Reads a number or a boolean in any spelling of YAML's: `0.50`, `+3`, `1e3`, `0x1F`, `TRUE`.
fn meaning(text: &str) -> Option<Value> {
    if let Ok(flag) = text.to_ascii_lowercase().parse::<bool>() {
        return Some(flag.into());
    }
    let (sign, digits) = text.strip_prefix('-').map_or((1, text.strip_prefix('+').unwrap_or(text)), |rest| (-1, rest));
    let whole = [("0x", 16), ("0o", 8), ("0b", 2), ("", 10)].into_iter().find_map(|(prefix, radix)| {
        let digits = digits.strip_prefix(prefix)?;
        i64::from_str_radix(digits, radix).ok().map(|number| Value::from(sign * number))
    });
    whole.or_else(|| text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_written_number_is_its_text_and_its_meaning() {
        for (written, means) in [
            ("2.50", json!(2.5)),
            ("100.00", json!(100.0)),
            ("1e3", json!(1000.0)),
            ("+3", json!(3)),
            ("-0x1F", json!(-31)),
            ("0o17", json!(15)),
            (".5", json!(0.5)),
            ("True", json!(true)),
            ("FALSE", json!(false)),
        ] {
            let both = json!({"a": [value(written), "b", 1]});
            assert!(is_in(&both));
            assert_eq!(texts(both.clone()), json!({"a": [written, "b", 1]}));
            assert_eq!(meanings(both), json!({"a": [means, "b", 1]}), "{written}");
        }
        assert!(!is_in(&json!(["2.50", 2.5])));
        assert_eq!(text(&json!("2.50")), None);
    }
}
