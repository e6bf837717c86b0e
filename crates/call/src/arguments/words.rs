//! Names and numbers as they may be written.

use serde_json::Value;

/// Writes a name in `snake_case`: `packageName`, `TapXY` → `package_name`, `tap_xy`.
pub fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut before = None;
    for c in name.chars() {
        if c.is_ascii_uppercase() && before.is_some_and(|b: char| b.is_ascii_lowercase() || b.is_ascii_digit()) {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
        before = Some(c);
    }
    out
}

/// Writes a name in camelCase: `package_name` → `packageName`.
pub fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (head, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        name + &head.to_uppercase() + rest
    })
}

/// Reads a number in any spelling of YAML's: `0.50`, `+3`, `1e3`.
pub(crate) fn read_number(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(number @ Value::Number(_)) = serde_json::from_str(text) {
        return Some(number);
    }
    let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
    Some(number.into())
}
