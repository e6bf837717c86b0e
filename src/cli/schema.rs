//! `uixt schema`: the JSON Schema of testcases, made from the table.

use clap::Args;
use serde_json::{Map, Value, json};

use super::exit::{Done, print};
use crate::tools::{self, ActionTool, Shape};

#[derive(Args)]
pub(super) struct Schema {}

impl Schema {
    #[expect(clippy::unused_self, reason = "every command is run in the same way")]
    pub(super) fn run(self) -> Done {
        print(&serde_json::to_string_pretty(&document()).unwrap_or_default())
    }
}

/// A text that holds a variable, or a number in quotes.
const VARIABLE_OR_NUMBER: &str = r"\$|^\s*-?[0-9]";

fn document() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "uixt testcase",
        "type": "object",
        "required": ["teststeps"],
        "properties": {
            "config": config(),
            "teststeps": {"type": "array", "minItems": 1, "items": step(), "description": "Steps, in order."},
        },
        "additionalProperties": false,
    })
}

fn config() -> Value {
    let devices = |platform: &str| json!({"type": "array", "items": {"type": "object"}, "description": format!("{platform} devices, in HttpRunner's form.")});
    json!({
        "type": "object",
        "description": "What holds for the whole case.",
        "properties": {
            "name": {"type": "string", "description": "Name of the case in reports."},
            "variables": {"type": "object", "description": "Variables: $name or ${name} in steps."},
            "environs": {"type": "object", "description": "Variables that win over `variables`."},
            "tags": {"type": "array", "items": {"type": "string"}, "description": "Words to sort cases by."},
            "requires": {"type": "array", "items": {"type": "string"}, "description": "Devices or programs without which the case is skipped."},
            "case_timeout": {"type": "number", "exclusiveMinimum": 0, "description": "Seconds that the case may take."},
            "android": devices("Android"),
        },
    })
}

/// A step: one tool's name with its arguments, or `HttpRunner`'s form, and step keys beside it.
fn step() -> Value {
    let mut properties = Map::new();
    for tool in tools::all() {
        properties.insert(tool.name.to_owned(), arguments(tool));
    }
    properties.insert("name".to_owned(), json!({"type": "string", "description": "Name of the step in reports."}));
    properties.insert("variables".to_owned(), json!({"type": "object", "description": "Variables of this step only."}));
    properties.insert(
        "save".to_owned(),
        json!({"type": ["string", "object"], "description": "Keeps the result for later steps: a name, or names with fields."}),
    );
    properties.insert(
        "validate".to_owned(),
        json!({"type": "array", "description": "What must hold after the step's actions."}),
    );
    properties.insert("android".to_owned(), http_runner());
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

fn arguments(tool: &'static ActionTool) -> Value {
    let schema = tool.schema();
    let described = |mut value: Value| {
        value["description"] = schema.description.as_str().into();
        value
    };
    let map = relaxed(Value::Object(schema.published.as_ref().clone()));
    let bare: &[&str] = match tool.params {
        Shape::Nothing => &[],
        Shape::Fields(&[_]) => &["string", "number", "boolean"],
        Shape::Fields(_) | Shape::TextOrNumbers(..) => &["array", "string"],
        Shape::Whole(_) => &["array", "string", "number"],
    };
    let mut choices = vec![map];
    if !bare.is_empty() {
        choices.push(json!({"type": bare}));
    }
    if schema.required().next().is_none() {
        choices.push(json!({"type": "null"}));
    }
    described(json!({"anyOf": choices}))
}

/// Allows what a testcase may write: a bare number for a text, and a text that holds a variable for anything.
fn relaxed(mut schema: Value) -> Value {
    for (_, property) in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        let instead = match property.get("type").and_then(Value::as_str) {
            Some("string") if property.get("enum").is_none() => json!({"type": ["number", "boolean"]}),
            Some(_) => json!({"type": "string", "pattern": VARIABLE_OR_NUMBER}),
            None => continue,
        };
        let description = property.get("description").cloned().unwrap_or_default();
        *property = json!({"anyOf": [property.take(), instead], "description": description});
    }
    schema["additionalProperties"] = false.into();
    schema
}

fn http_runner() -> Value {
    let names: Vec<&str> = tools::names();
    json!({
        "type": "object",
        "description": "Actions in HttpRunner's form.",
        "properties": {
            "serial": {"type": "string"},
            "actions": {"type": "array", "items": {
                "type": "object",
                "required": ["method"],
                "properties": {"method": {"enum": names}, "params": {}, "options": {"type": "object"}},
            }},
        },
    })
}
