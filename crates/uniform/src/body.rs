//! What stands between a tool's tags → its arguments: JSON, in a code fence, in CDATA or with XML's entities.

use serde_json::Value;

use super::Object;
use super::json::{self, shown};
use super::tag::{Form, tag};

/// The arguments, and how long they and the closing tag are, in bytes.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) arguments: Object,
    pub(super) length: usize,
}

const CDATA: (&str, &str) = ("<![CDATA[", "]]>");

/// Tells whether JSON begins here, behind whatever may stand before it.
pub(super) fn begins_json(text: &str) -> bool {
    let text = text.trim_start();
    let text = text.strip_prefix(CDATA.0).map_or(text, str::trim_start);
    json::after_fence(text).unwrap_or(text).starts_with(['{', '[', '"'])
}

/// Reads the body of a tool up to and with its closing tag.
pub(super) fn read(text: &str, tool: &str) -> Result<Body, String> {
    let wrong = |message: String| format!("`<{tool}>`: {message}");
    let start = text.trim_start();
    if let Some(length) = closing(start, tool) {
        return Ok(Body { arguments: Object::new(), length: text.len() - start.len() + length });
    }
    let (inner, is_literal) = match start.strip_prefix(CDATA.0) {
        Some(inner) => (inner.trim_start(), true),
        None => (start, false),
    };
    let inner = json::after_fence(inner).unwrap_or(inner);
    match json::first(inner) {
        Ok((mut value, end)) => {
            let length = text.len() - inner.len() + end;
            let length = length + ending(&text[length..], tool).map_err(wrong)?;
            if !is_literal {
                decode_strings(&mut value);
            }
            let arguments = json::into_object(value, 3).map_err(wrong)?;
            Ok(Body { arguments, length })
        }
        Err(_) if inner.is_empty() => Err(format!("`<{tool}>` is not closed")),
        Err(message) => escaped(text, inner, tool).unwrap_or_else(|| Err(wrong(message))),
    }
}

/// Reads a body all of whose quotes are written as entities.
fn escaped(text: &str, inner: &str, tool: &str) -> Option<Result<Body, String>> {
    let end = inner.find(&format!("</{tool}"))?;
    let length = closing(&inner[end..], tool)?;
    let body = decode(&inner[..end]);
    if body == inner[..end] {
        return None;
    }
    let read = json::read_object(body.trim_end().trim_end_matches("]]>").trim_end().trim_end_matches("```"));
    let arguments = read.map_err(|message| format!("`<{tool}>`: {message}"));
    Some(arguments.map(|arguments| Body { arguments, length: text.len() - inner.len() + end + length }))
}

/// Returns the length of a tool's closing tag, where one stands here.
fn closing(text: &str, tool: &str) -> Option<usize> {
    tag(text).filter(|tag| tag.form == Form::Close && tag.name == tool).map(|tag| tag.length)
}

/// Returns the length of what ends a body: the end of a fence and of CDATA, and the closing tag.
fn ending(text: &str, tool: &str) -> Result<usize, String> {
    let mut rest = text.trim_start();
    for end in ["```", CDATA.1, "```"] {
        rest = rest.strip_prefix(end).unwrap_or(rest).trim_start();
    }
    if let Some(length) = closing(rest, tool) {
        return Ok(text.len() - rest.len() + length);
    }
    Err(match tag(rest) {
        _ if rest.is_empty() => "is not closed".to_owned(),
        Some(tag) => format!("`{}` stands where `</{tool}>` is expected", &rest[..tag.length]),
        None => format!(
            "there is text after the arguments: `{}`",
            shown(rest.split('<').next().unwrap_or_default().trim_end())
        ),
    })
}

/// Replaces entities in all strings of a value, its keys included.
fn decode_strings(value: &mut Value) {
    match value {
        Value::String(text) if text.contains('&') => *text = decode(text),
        Value::Array(items) => items.iter_mut().for_each(decode_strings),
        Value::Object(map) => {
            map.values_mut().for_each(decode_strings);
            if map.keys().any(|key| decode(key) != *key) {
                *map = std::mem::take(map).into_iter().map(|(key, value)| (decode(&key), value)).collect();
            }
        }
        _ => {}
    }
}

/// Replaces the five entities of XML and references to characters, once; any other `&` stays.
fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split('&');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let read = part.split_once(';').and_then(|(name, rest)| Some((entity(name)?, rest)));
        let (first, rest) = read.unwrap_or(('&', part));
        out.push(first);
        out.push_str(rest);
    }
    out
}

fn entity(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ if name.len() > 9 => None,
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            code.ok().and_then(char::from_u32)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn entities_are_replaced_once() {
        for (written, meant) in [
            ("a &amp;lt; b", "a &lt; b"),
            ("&lt;b&gt;&quot;&apos;&#65;&#x4E2d;", "<b>\"'A中"),
            ("a=1&b=2&c;&nbsp;&#xffffffff;&", "a=1&b=2&c;&nbsp;&#xffffffff;&"),
        ] {
            assert_eq!(decode(written), meant);
        }
    }

    #[test]
    fn a_body_is_read_to_its_closing_tag() {
        let wanted = json!({"q": "</t> & <b>"});
        for text in [
            "{\"q\": \"</t> & <b>\"}</t>x",
            " ```json\n{\"q\": \"</t> &amp; &lt;b>\"}\n``` </t >x",
            "<![CDATA[{\"q\": \"</t> & <b>\"}]]></t>x",
            "{&quot;q&quot;: &quot;&lt;/t&gt; &amp; &lt;b&gt;&quot;}</t>x",
            "\"{\\\"q\\\": \\\"</t> & <b>\\\"}\"</t>x",
        ] {
            let body = read(text, "t").unwrap_or_else(|message| panic!("{text}: {message}"));
            assert_eq!((Value::Object(body.arguments), &text[body.length..]), (wanted.clone(), "x"), "{text}");
        }
        assert_eq!(read("<![CDATA[{\"q\": \"&lt;\"}]]></t>", "t").expect("read").arguments["q"], "&lt;");
    }
}
