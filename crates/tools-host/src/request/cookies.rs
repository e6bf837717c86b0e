//! A cookie that a step names → its part of the `Cookie` header, or why it would not arrive as it is written.

use serde_json::Value;

use super::text;

/// Characters of a name beside letters and digits: a token of RFC 9110, as RFC 6265 §4.1.1 asks for.
const IN_NAMES: &str = "!#$%&'*+-.^_`|~";

/// Returns `name=value`.
///
/// A value may hold spaces and commas, as browsers send and servers read them; what HTTP clients drop unseen, among them
/// `HttpRunner`'s, is refused. The value is not quoted in an error, since it may be a secret.
pub(super) fn pair(name: &str, value: &Value) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || IN_NAMES.contains(c);
    if name.is_empty() || !name.chars().all(fits) {
        let why =
            name.chars().find(|c| !fits(*c)).map_or_else(|| "is empty".to_owned(), |c| format!("holds {}", shown(c)));
        let name = name.escape_debug();
        return Err(format!("cookies: the name `{name}` {why}; valid are letters, digits and any of {IN_NAMES}"));
    }
    let value = text(value).ok_or_else(|| format!("cookies: the value of `{name}` must be a text or a number"))?;
    match unfit(&value) {
        Some(why) => Err(format!("cookies: the value of `{name}` {why}; write it percent-encoded (%3B for `;`)")),
        None => Ok(format!("{name}={value}")),
    }
}

/// Says why a value would not arrive as it is; quotes may stand around all of it.
fn unfit(value: &str) -> Option<String> {
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
    if value.starts_with(' ') || value.ends_with(' ') {
        return Some("begins or ends with a space".to_owned());
    }
    let wrong = |c: &char| !matches!(c, ' '..='~') || matches!(c, ';' | '"' | '\\');
    inner.chars().find(wrong).map(|c| format!("holds {}", shown(c)))
}

fn shown(c: char) -> String {
    match c {
        '\n' | '\r' => "a line break".to_owned(),
        ' ' => "a space".to_owned(),
        c if c.is_control() => format!("the control character {}", c.escape_default()),
        c => format!("`{c}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cookies_that_would_arrive_otherwise_are_refused() {
        for (name, value, why) in [
            ("", json!("a"), "the name `` is empty"),
            ("a;b", json!("c"), "the name `a;b` holds `;`"),
            ("a=b", json!("c"), "holds `=`"),
            ("a b", json!("c"), "holds a space"),
            ("a\r\nEvil", json!("c"), "the name `a\\r\\nEvil` holds a line break"),
            ("名", json!("c"), "holds `名`"),
            ("a", json!("b; admin=1"), "the value of `a` holds `;`"),
            ("a", json!("b\nEvil: 1"), "the value of `a` holds a line break"),
            ("a", json!("b\u{0}"), "the control character \\u{0}"),
            ("a", json!("b\tc"), "the control character \\t"),
            ("a", json!("小"), "holds `小`"),
            ("a", json!("{\"b\": 1}"), "holds `\"`"),
            ("a", json!(" b"), "begins or ends with a space"),
            ("a", json!([1]), "must be a text or a number"),
        ] {
            let error = pair(name, &value).unwrap_err();
            assert!(error.starts_with("cookies: ") && error.contains(why), "{error}");
        }
        assert!(!pair("a", &json!("topsecret;")).unwrap_err().contains("topsecret"));
    }

    #[test]
    fn other_cookies_are_sent_as_they_are() {
        for value in ["", "b", "b=c", "Thu, 1 Jan", "\"quoted\"", "%E5%B0%8F", "(b){c}[d]<e>@,:/?"] {
            assert_eq!(pair("__Host-a.b", &json!(value)), Ok(format!("__Host-a.b={value}")));
        }
        assert_eq!(pair("n", &json!(5)), Ok("n=5".to_owned()));
    }
}
