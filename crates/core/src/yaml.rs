//! Values → YAML as a person would write it: short maps and lists on one line, the others below each other.

use serde_json::Value;

/// Longest line, in characters, that a map or list may make.
const WIDTH: usize = 110;

/// Writes a document.
pub fn document(value: &Value) -> String {
    let mut text = String::new();
    block(value, 0, &mut text);
    text
}

/// Writes one item of a list that begins at the beginning of a line.
pub fn list_item(value: &Value) -> String {
    let mut text = "- ".to_owned();
    item(value, 0, &mut text);
    text
}

/// Writes a value on one line, as it may stand in a map or list on one line, too.
pub fn inline(value: &Value) -> String {
    flow(value)
}

/// Writes a value below its key, `indent` deep; begins and ends at the beginning of a line.
fn block(value: &Value, indent: usize, text: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (index, (key, value)) in map.iter().enumerate() {
                // The first key stands behind the dash of its list.
                if index > 0 || !text.ends_with("- ") {
                    text.push_str(&" ".repeat(indent));
                }
                entry(key, value, indent, text);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                text.push_str(&" ".repeat(indent));
                text.push_str("- ");
                self::item(item, indent, text);
            }
        }
        other => {
            text.push_str(&flow(other));
            text.push('\n');
        }
    }
}

fn entry(key: &str, value: &Value, indent: usize, text: &mut String) {
    text.push_str(&scalar(key));
    text.push(':');
    if value.is_null() {
        text.push('\n');
        return;
    }
    if is_inline(key, value, indent) {
        text.push(' ');
        text.push_str(&flow(value));
        text.push('\n');
        return;
    }
    text.push('\n');
    // A list stands below its key, a map further right.
    block(value, if value.is_array() { indent } else { indent + 2 }, text);
}

fn item(value: &Value, indent: usize, text: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => block(value, indent + 2, text),
        other => {
            text.push_str(&flow(other));
            text.push('\n');
        }
    }
}

/// Tells whether a value goes on the line of its key; steps never do, where there are any.
fn is_inline(key: &str, value: &Value, indent: usize) -> bool {
    let is_block = matches!(key, "teststeps" | "steps" | "then" | "else" | "validate" | "config");
    let is_collection = match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    !is_collection || (!is_block && indent + key.len() + 2 + flow(value).chars().count() <= WIDTH)
}

/// Writes a value on one line.
fn flow(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::String(text) => crate::written::text(value).map_or_else(|| scalar(text), str::to_owned),
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| format!("{}: {}", scalar(key), flow(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Writes a text bare where nothing else could be meant, else in double quotes, escaped as in JSON.
fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { escaped(&Value::from(text).to_string()) }
}

/// Escapes what JSON writes as it is and YAML takes for a line break, for a mark or not at all.
fn escaped(json: &str) -> String {
    let is_odd =
        |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    let written = |c: char| if is_odd(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    if json.contains(is_odd) { json.chars().map(written).collect() } else { json.to_owned() }
}

fn is_plain(text: &str) -> bool {
    let first = text.chars().next().unwrap_or(' ');
    let has_words = text.contains(' ') && text.chars().any(char::is_alphabetic);
    let begins =
        first.is_alphabetic() || matches!(first, '_' | '$' | '¥' | '€' | '£') || first.is_ascii_digit() && has_words;
    let inner =
        |c: char| matches!(c, '_' | '$' | '-' | '.' | '/' | ' ' | '(' | ')' | '!' | '?' | '\'' | '+' | '¥' | '€' | '£');
    let goes_on = text.chars().all(|c| c.is_alphanumeric() || inner(c) || c == ':');
    // A colon ends a key only before a space, or before what ends a map on one line.
    let is_no_key = !text.ends_with([' ', ':']) && !text.contains(": ");
    let means_something_else = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"];
    begins && goes_on && is_no_key && !means_something_else.contains(&text.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_reads_as_a_person_would_write_it() {
        let value = json!({
            "config": {"name": "Log in", "variables": {"user": "小明"}},
            "teststeps": [
                {"app_launch": "com.uixt.shop"},
                {"home": null},
                {"name": "Log in: $user", "steps": [{"input": {"text": "$user", "into": "User name"}}, {"tap_xy": [0.5, 1]}],
                 "validate": [{"assert_visible": "^W", "msg": "no"}]},
            ],
        });
        let expected = "\
config:
  name: Log in
  variables: {user: 小明}
teststeps:
- app_launch: com.uixt.shop
- home:
- name: \"Log in: $user\"
  steps:
  - input: {text: $user, into: User name}
  - tap_xy: [0.5, 1]
  validate:
  - assert_visible: \"^W\"
    msg: \"no\"
";
        assert_eq!(document(&value), expected);
    }

    #[test]
    fn texts_stay_texts() {
        for text in [
            "",
            "1",
            "true",
            "a: b",
            "# x",
            "- a",
            " a",
            "a ",
            "null",
            "~",
            "0x1",
            "a\nb",
            "it's",
            "{a",
            "12e3",
            "=",
            "No",
            "a,b",
            "中文",
            "a#b",
            "2 taps",
            "Why?",
            "1 2",
            "1:30",
            "a:b",
            "a:",
            "¥99.60",
            "uixt-trouble://far",
            "http://a/b",
            "it's (so)!",
            "1e3 x",
            "$a: b",
            "$",
            "a\u{7f}b\u{85}c",
            "\u{feff}a\u{2028}b",
            "😀 a",
            "it\u{fffe}",
            "tab\ta",
            "\u{1}",
            "Null",
            "~",
        ] {
            let written = scalar(text);
            let read: Value = serde_saphyr::from_str(&format!("[{written}]")).expect("YAML");
            assert_eq!(read, json!([text]), "{written}");
        }
    }
}
