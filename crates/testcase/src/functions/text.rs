//! Functions of texts, lists, numbers and times.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{Local, TimeDelta};
use serde_json::{Number, Value};
use std::fmt::Write as _;

use super::{Function, Surroundings, first_text, function, number, text_of};

/// Most bytes of a text that is made here.
const MAX_LEN: usize = 8 * 1024 * 1024;

/// `now(format, shift)`: the local time, `%Y-%m-%d %H:%M:%S` by default, moved by `+1d`, `-2h`, `30m`, `10s`, `1w`.
pub(super) const FUNCTIONS: &[Function] = &[
    function("now", 0, 2, now),
    function("json", 1, 1, json),
    function("to_json", 1, 1, to_json),
    function("base64", 1, 1, base64_encode),
    function("base64_decode", 1, 1, base64_decode),
    function("len", 1, 1, len),
    function("upper", 1, 1, |_, arguments| Ok(first_text(arguments).to_uppercase().into())),
    function("lower", 1, 1, |_, arguments| Ok(first_text(arguments).to_lowercase().into())),
    function("trim", 1, 1, |_, arguments| Ok(first_text(arguments).trim().into())),
    function("replace", 3, 3, replace),
    function("split", 1, 2, split),
    function("join", 1, 2, join),
    function("round", 1, 2, round),
    function("abs", 1, 1, |_, arguments| shortest(number(arguments, 0)?.abs())),
    function("min", 2, 2, least),
    function("int", 1, 1, int),
    function("float", 1, 1, |_, arguments| Ok(number(arguments, 0)?.into())),
    function("str", 1, 1, |_, arguments| Ok(first_text(arguments).into())),
];

fn text_at(arguments: &[Value], index: usize) -> String {
    arguments.get(index).map(text_of).unwrap_or_default()
}

fn now(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let format = if arguments.is_empty() { "%Y-%m-%d %H:%M:%S".to_owned() } else { first_text(arguments) };
    let shift = shift(&text_at(arguments, 1))?;
    let time = Local::now().checked_add_signed(shift).ok_or("this time is too far away")?;
    let mut text = String::new();
    write!(text, "{}", time.format(&format))
        .map_err(|_| format!("`{format}` is not a format: write `%Y-%m-%d %H:%M:%S`"))?;
    Ok(text.into())
}

/// Reads `+1d`, `-2h30m` or nothing.
fn shift(written: &str) -> Result<TimeDelta, String> {
    let wrong = || format!("`{written}` is not a duration: write `+1d`, `-2h30m`, `10s`, `1w`");
    let (sign, mut rest) = match written.trim() {
        text if text.starts_with('-') => (-1, &text[1..]),
        text => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut seconds: i64 = 0;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let count: i64 = rest[..digits].parse().map_err(|_| wrong())?;
        let unit = rest[digits..].chars().next().ok_or_else(wrong)?;
        let length = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            'w' => 604_800,
            _ => return Err(wrong()),
        };
        seconds = count.checked_mul(length).and_then(|more| seconds.checked_add(more)).ok_or_else(wrong)?;
        rest = &rest[digits + unit.len_utf8()..];
    }
    TimeDelta::try_seconds(sign * seconds).ok_or_else(wrong)
}

fn json(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    serde_json::from_str(&first_text(arguments)).map_err(|error| format!("this is not JSON: {error}"))
}

#[expect(clippy::unnecessary_wraps, reason = "every function has this form")]
fn to_json(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    Ok(arguments.first().unwrap_or(&Value::Null).to_string().into())
}

#[expect(clippy::unnecessary_wraps, reason = "every function has this form")]
fn base64_encode(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    Ok(STANDARD.encode(first_text(arguments)).into())
}

fn base64_decode(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let bytes =
        STANDARD.decode(first_text(arguments).trim()).map_err(|error| format!("this is not base64: {error}"))?;
    String::from_utf8(bytes).map(Value::from).map_err(|_| "what it stands for is not UTF-8".to_owned())
}

fn len(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    match arguments.first().unwrap_or(&Value::Null) {
        Value::String(text) => Ok(text.chars().count().into()),
        Value::Array(items) => Ok(items.len().into()),
        Value::Object(map) => Ok(map.len().into()),
        other => Err(format!("{other} has no length")),
    }
}

fn replace(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let (text, from, to) = (first_text(arguments), text_at(arguments, 1), text_at(arguments, 2));
    let growth = text.matches(&from).count().saturating_mul(to.len());
    if growth.saturating_add(text.len()) > MAX_LEN {
        return Err("the value is too large".to_owned());
    }
    Ok(text.replace(&from, &to).into())
}

#[expect(clippy::unnecessary_wraps, reason = "every function has this form")]
fn split(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let text = first_text(arguments);
    let parts: Vec<Value> = match arguments.get(1).map(text_of).filter(|separator| !separator.is_empty()) {
        Some(separator) => text.split(&separator).map(Value::from).collect(),
        None => text.split_whitespace().map(Value::from).collect(),
    };
    Ok(parts.into())
}

fn join(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let Some(Value::Array(items)) = arguments.first() else { return Err("only a list can be joined".to_owned()) };
    let separator = text_at(arguments, 1);
    if items.len().saturating_mul(separator.len()) > MAX_LEN {
        return Err("the value is too large".to_owned());
    }
    Ok(items.iter().map(text_of).collect::<Vec<_>>().join(&separator).into())
}

fn round(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let value = number(arguments, 0)?;
    let digits = if arguments.len() > 1 { number(arguments, 1)? } else { 0.0 };
    if digits == 0.0 {
        return shortest(value.round());
    }
    let factor = 10_f64.powf(digits.clamp(-15.0, 15.0).trunc());
    Ok(((value * factor).round() / factor).into())
}

fn least(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let index = usize::from(number(arguments, 0)? > number(arguments, 1)?);
    match &arguments[index] {
        number @ Value::Number(_) => Ok(number.clone()),
        _ => number(arguments, index).map(Value::from),
    }
}

fn int(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    match arguments.first() {
        Some(Value::Number(number)) if number.is_i64() || number.is_u64() => Ok(Value::Number(number.clone())),
        Some(Value::String(text)) if text.trim().parse::<i64>().is_ok() => {
            Ok(text.trim().parse::<i64>().unwrap_or_default().into())
        }
        _ => shortest(number(arguments, 0)?.trunc()),
    }
}

/// Returns a number without a fraction where it has none.
fn shortest(value: f64) -> Result<Value, String> {
    let whole = format!("{value:.0}");
    if value.fract() == 0.0
        && let Ok(whole) = whole.parse::<i64>()
    {
        return Ok(whole.into());
    }
    Number::from_f64(value).map(Value::Number).ok_or_else(|| format!("{value} is not a finite number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_time_are_read() {
        assert_eq!(shift("-2h30m").unwrap().num_seconds(), -9000);
        assert!(shift("1w+").is_err() && shift("1x").is_err());
        assert_eq!(shift("").unwrap().num_seconds(), 0);
        assert!(shift("99999999999999w").is_err() && shift("5").is_err());
    }
}
