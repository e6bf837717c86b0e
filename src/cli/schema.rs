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
            "teststeps": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/step"}, "description": "Steps, in order."},
        },
        "additionalProperties": false,
        "$defs": {"step": step()},
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
            "parameters": parameters(),
            "parameters_setting": parameters_setting(),
            "setup_hooks": hooks("Run before the steps."),
            "teardown_hooks": hooks("Run after the steps, however they ended."),
            "on_failure": hooks("Run before `teardown_hooks` where the case did not pass."),
            "export": words("Variables that a step which refers to this case gets."),
            "functions": {"type": "string", "description": "Python file whose functions expressions may call; debugtalk.py of the project is found by itself."},
            "base_url": {"type": "string", "description": "Where a relative `url` of a request begins."},
            "headers": {"type": "object", "description": "Headers of all requests; those of a request win."},
            "verify": {"description": "Whether certificates of servers are checked.", "type": ["boolean", "string"]},
            "request_timeout": {"type": ["number", "string"], "description": "Seconds that a request may take."},
            "think_time": {"type": "object", "description": "What becomes of `think_time` steps: {strategy, setting, limit}."},
            "auto_popup_handler": {"type": "boolean", "description": "Closes pop-ups after each step."},
            "android": devices("Android"),
            "ios": devices("iOS"),
            "harmony": devices("HarmonyOS"),
            "browser": devices("Browser"),
        },
    })
}

/// A step: one tool's name with its arguments, or `HttpRunner`'s form, and step keys beside it.
fn step() -> Value {
    let mut properties = Map::new();
    for tool in tools::all() {
        properties.insert(tool.name.to_owned(), arguments(tool));
    }
    for (key, schema) in step_keys() {
        // A tool of the same name is what the key means where no other tool stands beside it.
        let also = schema.clone();
        properties.entry(key).and_modify(|tool| *tool = json!({"anyOf": [tool.take(), also]})).or_insert(schema);
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

/// What may stand in a step beside what it does, and what it may do beside a tool.
fn step_keys() -> Vec<(&'static str, Value)> {
    let steps = |what: &str| json!({"type": "array", "items": {"$ref": "#/$defs/step"}, "description": what});
    let condition = |what: &str| json!({"type": ["string", "boolean"], "description": what});
    vec![
        ("when", condition("Condition without which the step is skipped: `n > 3 and user == 'a'`.")),
        ("if", condition("Condition that chooses between `then` and `else`.")),
        ("then", steps("Steps where the condition of `if` holds.")),
        ("else", steps("Steps where the condition of `if` does not hold.")),
        ("steps", steps("Steps under a common name, condition or repetition.")),
        (
            "repeat",
            json!({"type": ["integer", "string", "object"], "description": "How often: a number, or {times, while, until, max, interval}."}),
        ),
        ("loops", json!({"type": ["integer", "string"], "description": "HttpRunner's word for `repeat`."})),
        (
            "retry",
            json!({"type": ["integer", "object"], "description": "Tries after the first one: a number, or {times, interval}."}),
        ),
        (
            "optional",
            json!({"type": "boolean", "description": "A failure does not end the case, which fails all the same."}),
        ),
        (
            "extract",
            json!({"type": ["object", "array"], "description": "Variables from the result by JMESPath: {token: body.token}."}),
        ),
        ("export", words("Variables of a testcase that are kept for later steps.")),
        ("tags", words("With these, the step runs only where `--tags` hold.")),
        ("screenshot", json!({"type": "boolean", "description": "Takes a picture after the step."})),
        ("setup_hooks", hooks("Run before the step.")),
        ("teardown_hooks", hooks("Run after the step, however it ended.")),
        ("parameters", parameters()),
        ("parameters_setting", parameters_setting()),
        (
            "testcase",
            json!({"type": ["string", "object"], "description": "Testcase to run here: its path in the project, or the case itself; `variables` are its arguments."}),
        ),
        (
            "api",
            json!({"type": ["string", "object"], "description": "Api file with a `request`, on top of which the step's own keys lie."}),
        ),
        ("think_time", json!({"type": ["number", "string", "object"], "description": "Seconds to wait."})),
        ("transaction", json!({"description": "Accepted, does nothing."})),
        ("rendezvous", json!({"description": "Accepted, does nothing."})),
        ("ignore_popup", json!({"type": "boolean", "description": "Leaves pop-ups alone."})),
        ("auto_popup_handler", json!({"type": "boolean", "description": "Closes pop-ups after the step."})),
    ]
}

fn words(what: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": what})
}

fn hooks(what: &str) -> Value {
    json!({"type": ["array", "string"], "description": format!("{what} Each is `${{function()}}`, {{name: ${{function()}}}} or a step.")})
}

fn parameters() -> Value {
    json!({"type": ["object", "array"], "description": "Rows to run with: {user: [a, b], name-age: ${P(file.csv)}}; several make a product."})
}

fn parameters_setting() -> Value {
    json!({"type": "object", "description": "{pick_order: sequential|random|unique, strategies, limit}."})
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
