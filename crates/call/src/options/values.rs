//! An option's value as people write it → what it means, or a sentence that says what it must be.

use std::time::Duration;

use serde_json::Value;

use crate::arguments::read_number;

/// The most looks that may follow the first.
const MOST_LOOKS: f64 = 1000.0;
/// The longest pause between two looks, in seconds.
const LONGEST_PAUSE: f64 = 60.0;
/// Pixels beyond which no screen reaches.
const FARTHEST: f64 = 100_000.0;

/// Reads `true` or `false`, in quotes too.
pub(super) fn flag(key: &str, value: &Value) -> Result<bool, String> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        other => Err(format!("`{key}` must be true or false, not {other}")),
    }
}

pub(super) fn text(key: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(format!("`{key}` must be a text, not {other}")),
    }
}

/// Reads seconds of a pause.
pub(super) fn seconds(key: &str, value: &Value) -> Result<f64, String> {
    let seconds = number(value).filter(|seconds| (0.0..=LONGEST_PAUSE).contains(seconds));
    seconds.ok_or_else(|| format!("`{key}` must be a number of seconds from 0 to {LONGEST_PAUSE}, not {value}"))
}

/// Turns seconds, from whomever, into a pause.
pub(super) fn duration(seconds: f64) -> Duration {
    Duration::from_secs_f64(if seconds.is_nan() { 0.0 } else { seconds.clamp(0.0, LONGEST_PAUSE) })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 0 to 1000")]
pub(super) fn count(key: &str, value: &Value) -> Result<u32, String> {
    let count = number(value).filter(|count| count.fract() == 0.0 && (0.0..=MOST_LOOKS).contains(count));
    let count = count.ok_or_else(|| format!("`{key}` must be a whole number from 0 to {MOST_LOOKS}, not {value}"))?;
    Ok(count as u32)
}

/// Reads an area in fractions of the screen.
pub(super) fn fractions(key: &str, value: &Value) -> Result<[f64; 4], String> {
    let right = |area: &[f64; 4]| is_area(area) && area.iter().all(|side| (0.0..=1.0).contains(side));
    numbers(value).filter(right).ok_or_else(|| {
        format!(
            "`{key}` must be [left, top, right, bottom] in fractions of the screen, such as [0, 0, 1, 0.5], not {value}"
        )
    })
}

/// Reads an area in pixels.
pub(super) fn area(key: &str, value: &Value) -> Result<[i32; 4], String> {
    let area = numbers(value).filter(is_area).and_then(|area| whole(&area));
    area.ok_or_else(|| format!("`{key}` must be [left, top, right, bottom] in pixels, not {value}"))
}

/// Reads distances in pixels.
pub(super) fn pixels<const N: usize>(key: &str, value: &Value) -> Result<[i32; N], String> {
    let pixels = numbers::<N>(value).and_then(|pixels| whole(&pixels));
    pixels.ok_or_else(|| format!("`{key}` must be a list of {N} whole numbers of pixels, not {value}"))
}

/// Reads the least and the most of a distance in pixels.
pub(super) fn range(key: &str, value: &Value) -> Result<[i32; 2], String> {
    let range = pixels::<2>(key, value)?;
    if range[0] > range[1] {
        return Err(format!("`{key}` is [least, most] in pixels: {} is more than {}", range[0], range[1]));
    }
    Ok(range)
}

fn is_area([left, top, right, bottom]: &[f64; 4]) -> bool {
    left < right && top < bottom
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => read_number(text).and_then(|number| number.as_f64()),
        _ => None,
    }
}

fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let numbers: Vec<f64> = value.as_array()?.iter().map(number).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

#[expect(clippy::cast_possible_truncation, reason = "whole and small, which is what is asked first")]
fn whole<const N: usize>(numbers: &[f64; N]) -> Option<[i32; N]> {
    let all = numbers.iter().all(|number| number.fract() == 0.0 && number.abs() <= FARTHEST);
    all.then(|| numbers.map(|number| number as i32))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read_as_people_write_them() {
        assert_eq!(flag("a", &json!("True")), Ok(true));
        assert_eq!(count("a", &json!("3")), Ok(3));
        assert_eq!(pixels("a", &json!([0, "-100"])), Ok([0, -100]));
        assert_eq!(fractions("a", &json!([0, 0, 1, 0.5])), Ok([0.0, 0.0, 1.0, 0.5]));
        assert_eq!(duration(1e300), Duration::from_mins(1));
    }

    #[test]
    fn wrong_values_are_refused() {
        for value in [json!([0, 0, 1]), json!([0, 0, 0, 1]), json!([0, 0, 1080, 2400]), json!("all")] {
            assert!(fractions("scope", &value).is_err_and(|message| message.contains("fractions")), "{value}");
        }
        for value in [json!([1, 2, 3]), json!([0.5, 1]), json!([1e9, 0]), json!(5)] {
            assert!(pixels::<2>("offset", &value).is_err(), "{value}");
        }
        assert!(area("abs_scope", &json!([10, 0, 5, 5])).is_err());
        assert!(range("offset_random_range", &json!([5, -5])).is_err());
        assert!(count("max_retry_times", &json!(-1)).is_err() && count("max_retry_times", &json!(2.5)).is_err());
        assert!(seconds("interval", &json!(61)).is_err() && flag("match_one", &json!(1)).is_err());
    }
}
