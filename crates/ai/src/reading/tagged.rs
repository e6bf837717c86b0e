//! Calls between tags: `<browser_use><browser_use_execute_task>{…}</browser_use_execute_task></browser_use>`, or a tag alone.

use serde_json::{Map, Value};

use super::act::{self, Act};
use super::json::lenient;
use super::point::Scale;
use super::{Unreadable, shown};

/// Reads the calls of a text; none where it holds no tag that closes.
pub(super) fn acts(
    text: &str,
    scale: Scale,
    tool: &impl Fn(&str) -> Option<String>,
) -> Option<Result<Vec<Act>, Unreadable>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((name, inner, after)) = element(rest) {
        rest = after;
        // The outer one names a server, the inner one its tool.
        let (name, inner) = match element(inner) {
            Some((tool, inner, _)) => (tool, inner),
            None => (name, inner),
        };
        found.push(one(name, inner, scale, tool));
    }
    (!found.is_empty()).then(|| found.into_iter().collect())
}

fn one(name: &str, inner: &str, scale: Scale, tool: &impl Fn(&str) -> Option<String>) -> Result<Act, Unreadable> {
    let arguments = match (inner.trim(), lenient(inner)) {
        ("", _) => Map::new(),
        (_, Some(Value::Object(arguments))) => arguments,
        (text, _) => return Err(Unreadable::NoArguments { name: shown(name), text: shown(text) }),
    };
    act::of_call(name, arguments, scale, tool)
}

/// Returns the name of the first element that closes, what stands in it, and what follows it.
fn element(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find('<').map(|at| from + at) {
        from = at + 1;
        let end = text[from..].find('>').map(|end| from + end)?;
        let name = &text[from..end];
        let is_name = !name.is_empty() && name.chars().all(|sign| sign.is_ascii_alphanumeric() || "_-".contains(sign));
        if let Some(close) = is_name.then(|| format!("</{name}>"))
            && let Some(until) = text[end + 1..].find(&close).map(|until| end + 1 + until)
        {
            return Some((name, &text[end + 1..until], &text[until + close.len()..]));
        }
    }
    None
}
