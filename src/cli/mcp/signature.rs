//! A tool that a server lists → how it is called, on one line: `add(text: string, count?: integer)`.

use serde_json::{Map, Value};
use uixt_call::ToolDefinition;

/// Most arguments, and most characters of a name, that are shown.
const MAX: usize = 12;
const MAX_LEN: usize = 40;

/// How wide the column of calls is; longer ones push what is said of them aside.
const WIDTH: usize = 40;

/// Returns a tool as it is listed: how it is called, and its summary.
pub(super) fn told(tool: &ToolDefinition, summary: &str) -> String {
    let call = of(&tool.name, &tool.input_schema);
    format!("{call:WIDTH$}  {summary}").trim_end().to_owned()
}

/// Returns how a tool is called; what may be left out stands with a question mark, and behind what must be given.
fn of(name: &str, schema: &Map<String, Value>) -> String {
    let required: Vec<&str> = list(schema.get("required")).filter_map(Value::as_str).collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut arguments: Vec<(&String, &Value)> = properties.into_iter().flatten().collect();
    arguments.sort_by_key(|(name, _)| !required.contains(&name.as_str()));
    let mut shown: Vec<String> = arguments
        .iter()
        .take(MAX)
        .map(|(name, schema)| {
            let mark = if required.contains(&name.as_str()) { "" } else { "?" };
            format!("{}{mark}: {}", plain(name), kind(schema))
        })
        .collect();
    if arguments.len() > MAX {
        shown.push("…".to_owned());
    }
    format!("{}({})", plain(name), shown.join(", "))
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

/// Returns the kind of a value: the words it may be, its types, or `any`.
fn kind(schema: &Value) -> String {
    let words: Vec<String> = list(schema.get("enum")).map(|word| plain(&word.to_string())).collect();
    let types = match schema.get("type") {
        Some(Value::String(one)) if one == "array" => match schema.get("items").map(kind) {
            Some(items) => return format!("{items}[]"),
            None => vec!["array".to_owned()],
        },
        Some(Value::String(one)) => vec![plain(one)],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).map(plain).collect(),
        _ => list(schema.get("anyOf").or_else(|| schema.get("oneOf"))).map(kind).collect(),
    };
    match (words.len(), types.is_empty()) {
        (1..=6, _) => words.join("|"),
        (_, false) => types.join("|"),
        _ => "any".to_owned(),
    }
}

/// Returns a name that a server made up as it may stand on a terminal.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(MAX_LEN).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(schema: Value) -> String {
        let Value::Object(schema) = schema else { panic!("a map") };
        of("t", &schema)
    }

    #[test]
    fn a_call_can_be_written_from_it() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {
            "b": {"type": "string"}, "a": {"type": "integer"}, "c": {"type": "array", "items": {"type": "number"}},
            "d": {"enum": ["x", 1]}, "e": {"type": ["string", "null"]}, "f": {"anyOf": [{"type": "boolean"}, {}]}, "g\u{1b}[2J": {},
        }});
        let told = "t(a: integer, b?: string, c?: number[], d?: \"x\"|1, e?: string|null, f?: boolean|any, g[2J?: any)";
        assert_eq!(call(schema), told);
    }

    #[test]
    fn what_is_no_schema_is_no_call() {
        assert_eq!(
            (call(json!({})), call(json!({"properties": 5, "required": "a"}))),
            ("t()".to_owned(), "t()".to_owned())
        );
        let many: Map<String, Value> = (0..50).map(|number| (format!("n{number}"), json!({}))).collect();
        assert!(call(json!({"properties": many})).ends_with("n11?: any, …)"));
    }
}
