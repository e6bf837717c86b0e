//! Small readings of words: queries of addresses, texts of requests.

use serde_json::Value;

/// Reads `a=b&c=d`.
pub(super) fn query(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    let read = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (unescaped(name), unescaped(&value.replace('+', " ")))
    };
    pairs.map(read).collect()
}

/// Takes `%20` and its like away.
pub(super) fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads what WDA takes for true: `true`, numbers but 0, and their texts.
pub(super) fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(yes) => Some(*yes),
        Value::Number(number) => Some(number.as_f64() != Some(0.0)),
        Value::String(text) => Some(matches!(text.to_ascii_lowercase().as_str(), "true" | "yes" | "1")),
        _ => None,
    }
}

/// Reads a number, or a text that is one, as `doubleValue` does.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    }
    .filter(|number: &f64| number.is_finite())
}

/// Joins a list of texts, as typing routes do; a text stays as it is.
pub(super) fn joined(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(parts.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

/// Returns the name that no colour of letters changes: WDA takes `XCUIElementTypeButton` and, in chains, `Button`.
pub(super) fn kind(name: &str) -> &str {
    name.strip_prefix("XCUIElementType").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_taken_away() {
        assert_eq!(unescaped("%E5%B0%8F%zz%4"), "小%zz%4");
        assert_eq!(query("a=b+c&d"), [("a".to_owned(), "b c".to_owned()), ("d".to_owned(), String::new())]);
    }
}
