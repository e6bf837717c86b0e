//! A value whose type is not the one wanted → the same value in that type, where nothing of it is lost.

use serde_json::Value;

use super::json;
use super::kind::Kind;

/// Returns the value as the only type that is wanted; a value that cannot be had without loss comes back as it was.
///
/// A string that holds a number, true, false, a list or a map becomes one; a whole number and true or false become strings. A
/// fraction does not: a version 1.10 would become "1.1".
pub(super) fn coerce(value: Value, wanted: Kind) -> Value {
    match (wanted, value) {
        (Kind::Integer | Kind::Number, Value::String(text)) => number(&text, wanted).unwrap_or(Value::String(text)),
        (Kind::Integer, value) if value.is_f64() => whole(&value).unwrap_or(value),
        (Kind::Boolean, Value::String(text)) => match text.trim() {
            "true" | "True" | "TRUE" => true.into(),
            "false" | "False" | "FALSE" => false.into(),
            _ => text.into(),
        },
        (Kind::Array | Kind::Object, Value::String(text)) => held(&text, wanted).unwrap_or(Value::String(text)),
        (Kind::String, Value::Bool(flag)) => flag.to_string().into(),
        (Kind::String, Value::Number(number)) if !number.is_f64() => number.to_string().into(),
        (_, value) => value,
    }
}

fn number(text: &str, wanted: Kind) -> Option<Value> {
    let text = text.trim();
    let read: Value = serde_json::from_str(text).ok().filter(Value::is_number)?;
    match wanted {
        Kind::Integer if read.is_f64() => whole(&read),
        _ => Some(read),
    }
}

/// Returns 3 for 3.0.
fn whole(value: &Value) -> Option<Value> {
    let number = value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 9e15)?;
    format!("{number:.0}").parse::<i64>().ok().map(Value::from)
}

fn held(text: &str, wanted: Kind) -> Option<Value> {
    let text = text.trim();
    let (value, end) = json::first(text).ok()?;
    (end == text.len() && Kind::of(&value) == wanted).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_loses_nothing_is_mended() {
        for (wanted, given, mended) in [
            (Kind::Integer, json!("5"), json!(5)),
            (Kind::Integer, json!(" -5 "), json!(-5)),
            (Kind::Integer, json!(5.0), json!(5)),
            (Kind::Integer, json!("5.0"), json!(5)),
            (Kind::Integer, json!(5.5), json!(5.5)),
            (Kind::Integer, json!("5.5"), json!("5.5")),
            (Kind::Integer, json!("five"), json!("five")),
            (Kind::Integer, json!(""), json!("")),
            (Kind::Integer, json!(true), json!(true)),
            (Kind::Integer, json!(1e300), json!(1e300)),
            (Kind::Number, json!("2.5"), json!(2.5)),
            (Kind::Number, json!("Infinity"), json!("Infinity")),
            (Kind::Boolean, json!("True"), json!(true)),
            (Kind::Boolean, json!("yes"), json!("yes")),
            (Kind::Boolean, json!(1), json!(1)),
            (Kind::String, json!(7), json!("7")),
            (Kind::String, json!(false), json!("false")),
            (Kind::String, json!(1.1), json!(1.1)),
            (Kind::String, json!(null), json!(null)),
            (Kind::Array, json!("[\"a\"]"), json!(["a"])),
            (Kind::Array, json!("a"), json!("a")),
            (Kind::Array, json!("{}"), json!("{}")),
            (Kind::Object, json!("{\"a\": 1}"), json!({"a": 1})),
            (Kind::Object, json!("{\"a\": 1} x"), json!("{\"a\": 1} x")),
        ] {
            assert_eq!(coerce(given.clone(), wanted), mended, "{given} as {wanted:?}");
        }
    }
}
