//! A step's `extract`: `{name: JMESPath}`, or `HttpRunner`'s older list of such maps.

use super::case::{Actual, Extract, Step};
use super::node::{Data, Entry, Node};
use super::parts::is_name;
use super::reader::Reader;
use crate::action::Span;

/// Reads what stands under `extract`.
pub(super) fn read(reader: &mut Reader<'_>, node: &Node) -> Vec<Extract> {
    let entries: Vec<&Entry> = match &node.data {
        Data::Null => Vec::new(),
        Data::Map(entries) => entries.iter().collect(),
        Data::Seq(items) => items.iter().flat_map(|item| reader.map(item, "an item of `extract`")).collect(),
        _ => reader.map(node, "`extract`").iter().collect(),
    };
    entries.into_iter().filter_map(|entry| extract(reader, entry)).collect()
}

fn extract(reader: &mut Reader<'_>, entry: &Entry) -> Option<Extract> {
    check_name(reader, &entry.key, entry.place.span);
    let query = reader.text(&entry.value, "a query")?;
    check_query(reader, &query, entry.value.place.span);
    Some(Extract { variable: entry.key.clone(), query, place: entry.value.place.span })
}

/// Reports a query that cannot be one, however old its form.
pub(super) fn check_query(reader: &mut Reader<'_>, query: &str, span: Span) {
    let query = modern(query);
    if super::expression::holds_variables(&query.as_str().into()) {
        return;
    }
    if query.trim().is_empty() {
        reader.refuse(span, "a query is empty");
    } else if let Err(error) = crate::query::check(&query) {
        let help = match query.starts_with("$.") {
            true => "this is JSONPath; write JMESPath, which begins with `status_code`, `headers`, `cookies` or `body`",
            false => "a query is JMESPath: `status_code`, `headers.\"Content-Type\"`, `body.items[0].id`",
        };
        reader.refuse_with_help(span, error.to_string(), help);
    }
}

/// Puts the queries of a step that makes a request as they are written today; other tools may have a field named `text`.
pub(super) fn modernize(step: &mut Step) {
    if !step.actions().iter().any(|action| matches!(action.method.as_str(), "request" | "websocket")) {
        return;
    }
    let checks = step.validate.iter_mut().filter_map(|check| match &mut check.actual {
        Some(Actual::Query(query)) => Some(query),
        _ => None,
    });
    let queries = step.extracts.iter_mut().map(|extract| &mut extract.query).chain(checks);
    queries.for_each(|query| *query = modern(query));
}

/// Puts a query of `HttpRunner`'s older versions (`content.token`, `json.token`) as newer ones do: `body.token`.
fn modern(query: &str) -> String {
    quoted(&of_body(query))
}

fn of_body(query: &str) -> String {
    for old in ["content", "json", "text"] {
        match query.strip_prefix(old) {
            Some("") => return "body".to_owned(),
            Some(rest) if rest.starts_with(['.', '[']) => return rewritten(rest),
            _ => {}
        }
    }
    if let Some(rest) = query.strip_prefix("body.") { rewritten(&format!(".{rest}")) } else { query.to_owned() }
}

/// Puts names with a `-` in quotes, as `JMESPath` wants them: `headers.Content-Type` could be nothing else.
fn quoted(query: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'[' | b']');
    if !query.contains('-') || !query.bytes().all(is_plain) {
        return query.to_owned();
    }
    let parts = query.split('.').map(|part| {
        let (name, index) = part.split_at(part.find('[').unwrap_or(part.len()));
        if name.contains('-') { format!("\"{name}\"{index}") } else { part.to_owned() }
    });
    parts.collect::<Vec<_>>().join(".")
}

/// Puts an index that stands between dots (`body.items.0.id`) into brackets.
fn rewritten(rest: &str) -> String {
    let is_plain =
        rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'[' | b']'));
    if !is_plain {
        return format!("body{rest}");
    }
    let parts = rest.split('.').map(|part| match part {
        "" => String::new(),
        index if index.bytes().all(|byte| byte.is_ascii_digit()) => format!("[{index}]"),
        name if name.starts_with('[') => name.to_owned(),
        name => format!(".{name}"),
    });
    format!("body{}", parts.collect::<String>())
}

pub(super) fn check_name(reader: &mut Reader<'_>, name: &str, span: Span) {
    if !is_name(name) {
        reader
            .refuse(span, format!("`{name}` is not a name for a variable: letters, digits and `_`, not a digit first"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_queries_become_new_ones() {
        let table = [
            ("content.token", "body.token"),
            ("json.a.0.b", "body.a[0].b"),
            ("body.a[0].b", "body.a[0].b"),
            ("content", "body"),
            ("text.a", "body.a"),
            ("contents.a", "contents.a"),
            ("status_code", "status_code"),
            ("headers.\"Content-Type\"", "headers.\"Content-Type\""),
            ("body.\"a b\".0", "body.\"a b\".0"),
            ("headers.Content-Type", "headers.\"Content-Type\""),
            ("content.headers.x-id[0].y", "body.headers.\"x-id\"[0].y"),
            ("body.items[-1].id", "body.items[-1].id"),
            ("json.items.0.x-id", "body.items[0].\"x-id\""),
        ];
        for (old, new) in table {
            assert_eq!(modern(old), new);
        }
    }
}
