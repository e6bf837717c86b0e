//! What was given as the arguments of one tool's call, in any of the three forms → an object.

use serde_json::Value;

use super::Object;
use super::json;
use super::tag::tag;
use super::text::read_calls;

/// Reads the arguments of a tool's call: a JSON object, a string that holds one, or the text form with this one call in it. Null is no
/// arguments.
pub fn read_arguments(server: &str, tool: &str, given: Value) -> Result<Object, String> {
    match given {
        Value::Null => Ok(Object::new()),
        Value::String(text) if is_text_form(&text) => of_text(server, tool, &text),
        Value::String(text) => json::read_object(&text),
        other => json::into_object(other, 0),
    }
}

/// Tells whether a string is a text with tags in it, rather than JSON; JSON begins it, or a fence around JSON.
fn is_text_form(text: &str) -> bool {
    let start = text.trim_start();
    let start = json::after_fence(start).unwrap_or(start);
    !start.starts_with(['{', '[', '"']) && text.match_indices('<').any(|(at, _)| tag(&text[at..]).is_some())
}

fn of_text(server: &str, tool: &str, text: &str) -> Result<Object, String> {
    let found = read_calls(text, &|name| name == server || name == tool).map_err(|refused| refused.to_string())?;
    let mut calls = found.calls.into_iter();
    match (calls.next(), calls.len()) {
        (Some(call), 0) if call.server == server && call.tool == tool => Ok(call.arguments),
        (Some(call), 0) => Err(format!(
            "the text calls `{}` of `{}`, and the call is one of `{tool}` of `{server}`",
            call.tool, call.server
        )),
        (_, more) => Err(format!("the text holds {} calls, and one is made here", more + 1)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_forms_are_the_same_arguments() {
        let wanted = json!({"text": "a < b"});
        for given in [
            wanted.clone(),
            json!(wanted.to_string()),
            json!(json!(wanted.to_string()).to_string()),
            json!(format!("```json\n{wanted}\n```")),
            json!(format!("<notes><add>{wanted}</add></notes>")),
            json!(format!("So:\n```xml\n<notes>\n<add>\n{wanted}\n</add>\n</notes>\n```\nDone.")),
        ] {
            assert_eq!(read_arguments("notes", "add", given.clone()).map(Value::Object), Ok(wanted.clone()), "{given}");
        }
        assert_eq!(read_arguments("notes", "add", Value::Null), Ok(Object::new()));
    }

    #[test]
    fn another_call_is_refused() {
        for (text, words) in [
            (
                "<notes><remove>{}</remove></notes>",
                "calls `remove` of `notes`, and the call is one of `add` of `notes`",
            ),
            ("<other><add>{}</add></other>", "calls `add` of `other`"),
            ("<notes><add>{}</add><add>{}</add></notes>", "holds 2 calls, and one is made here"),
            ("<notes><add>{}</notes>", "stands where `</add>` is expected"),
            ("nothing", "not JSON"),
            ("[1]", "must be a JSON object"),
        ] {
            let message = read_arguments("notes", "add", json!(text)).expect_err(text);
            assert!(message.contains(words), "{text}: {message}");
        }
        assert!(read_arguments("notes", "add", json!([1])).is_err());
    }
}
