//! A call of a tool that a server lists → the same call, its arguments as the tool's schema has them, or a refusal.

use serde_json::{Map, Value, json};
use uixt_call::{CallToolRequest, ToolDefinition};
use uixt_locate::{Error, Kind};
use uixt_schema::nearest;

use super::definition_check::refused;
use crate::uniform::Definition;

/// Most names of tools in an error.
const MAX: usize = 30;

/// Most characters of what is wrong in a schema that are told.
const SHOWN: usize = 60;

/// Checks a call against the tools that its server lists. Nothing is added to the arguments: defaults are the server's own matter.
pub(super) fn checked(tools: &[ToolDefinition], request: CallToolRequest) -> Result<CallToolRequest, Error> {
    let tool = find(tools, &request.name)?;
    if let Some(problem) = problem(&tool.input_schema) {
        let message = format!(
            "what it lists of its tool `{}` is not a schema of arguments ({problem}), so no call of it can be checked",
            tool.name
        );
        return Err(Error::new(Kind::Service, message + "; the server must be put right"));
    }
    let definition = Definition::from_schema(&tool.name, &Value::Object((*tool.input_schema).clone()));
    let mut request = request;
    let given = request.arguments.take().unwrap_or_default();
    let mut arguments = definition.check(given.clone()).map_err(|complaint| refused(&complaint))?;
    arguments.retain(|name, _| given.contains_key(name));
    Ok(request.with_arguments(arguments))
}

/// Finds a tool; the error says which there are.
pub(super) fn find<'a>(tools: &'a [ToolDefinition], name: &str) -> Result<&'a ToolDefinition, Error> {
    tools.iter().find(|tool| tool.name == name).ok_or_else(|| unknown(tools, name))
}

/// Returns what keeps a tool's `inputSchema` from being one: a JSON Schema of an object (MCP, `Tool`).
fn problem(schema: &Map<String, Value>) -> Option<String> {
    let told = |key: &str, wanted: &str| {
        let given = schema.get(key).map(|value| value.to_string().chars().take(SHOWN).collect::<String>());
        Some(format!("its `{key}` must be {wanted}, not {}", given.unwrap_or_default()))
    };
    let is_schema = |value: &Value| value.is_object() || value.is_boolean();
    if schema.get("type").is_some_and(|kind| kind != "object") {
        return told("type", "\"object\"");
    }
    let properties = schema.get("properties");
    if properties.is_some_and(|map| !map.as_object().is_some_and(|map| map.values().all(is_schema))) {
        return told("properties", "a map of schemas");
    }
    let required = schema.get("required");
    if required.is_some_and(|list| !list.as_array().is_some_and(|list| list.iter().all(Value::is_string))) {
        return told("required", "a list of names");
    }
    None
}

fn unknown(tools: &[ToolDefinition], name: &str) -> Error {
    let names = || tools.iter().map(|tool| tool.name.as_ref());
    let hint = nearest(name, names()).map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
    let mut valid: Vec<&str> = names().take(MAX).collect();
    if tools.len() > MAX {
        valid.push("…");
    }
    let valid_names =
        if valid.is_empty() { "it has no tools".to_owned() } else { format!("valid: {}", valid.join(", ")) };
    let error = Error::new(Kind::BadArgument, format!("it has no tool `{name}`{hint}; {valid_names}"));
    error.with("valid", json!(names().take(MAX).collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn tool(name: &'static str, schema: Value) -> ToolDefinition {
        let Value::Object(schema) = schema else { panic!("a map") };
        ToolDefinition::new(name, "", Arc::new(schema))
    }

    #[test]
    fn a_tool_without_a_schema_of_arguments_is_not_called() {
        for (schema, told) in [
            (json!({"type": "objekt", "properties": 5}), "its `type` must be \"object\", not \"objekt\""),
            (json!({"type": "object", "properties": 5}), "its `properties` must be a map of schemas, not 5"),
            (json!({"properties": {"a": "string"}}), "its `properties` must be"),
            (json!({"type": "object", "required": "a"}), "its `required` must be a list of names"),
        ] {
            let error = checked(&[tool("t", schema)], CallToolRequest::new("t")).expect_err("refused");
            assert!(error.kind == Kind::Service && error.message.contains(told), "{error}");
        }
        for schema in [json!({}), json!({"type": "object", "properties": {"a": true}, "required": []})] {
            assert!(checked(&[tool("t", schema)], CallToolRequest::new("t")).is_ok());
        }
    }

    #[test]
    fn calls_are_held_to_the_schema_of_the_server() {
        let schema = json!({"type": "object", "required": ["text"], "properties": {
            "text": {"type": "string"}, "count": {"type": "integer", "default": 5},
        }});
        let open = json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}});
        let tools = [tool("echo", schema), tool("bare", json!({"type": "object"})), tool("open", open)];
        let call = |name: &'static str, arguments: Value| {
            let request = CallToolRequest::new(name).with_arguments(arguments.as_object().expect("a map").clone());
            checked(&tools, request).map(|request| json!(request.arguments)).map_err(|error| error.message)
        };
        assert_eq!(call("echo", json!({"text": "a", "count": 2})), Ok(json!({"text": "a", "count": 2})));
        assert_eq!(call("echo", json!({"text": "a"})), Ok(json!({"text": "a"})));
        for (arguments, told) in [
            (json!({"text": "a", "cuont": 2}), "did you mean count?"),
            (json!({}), "missing: text"),
            (json!({"text": "a", "count": "many"}), "count"),
        ] {
            let error = call("echo", arguments).expect_err("refused");
            assert!(error.contains(told), "{error}");
        }
        assert!(call("bare", json!({"x": 1})).is_ok() && call("open", json!({"x": "1"})).is_ok());
        assert!(call("open", json!({"x": 1})).is_err());
        assert!(
            call("ehco", json!({})).expect_err("unknown").contains("did you mean `echo`?); valid: echo, bare, open")
        );
    }
}
