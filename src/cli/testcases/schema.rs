//! `uixt schema`: the JSON Schema of testcases, made from the table.

use clap::Args;
use serde_json::{Map, Value, json};

use uixt_call::{CallOptions, Shape, ToolRow};
use uixt_core::fail_on::FailOn;

use crate::cli::exit::{Done, print};
use crate::cli::project_tools;
use crate::testcase::OwnTool;
use crate::tools;

#[derive(Args)]
pub(in crate::cli) struct Schema {}

impl Schema {
    #[expect(clippy::unused_self, reason = "every command is run in the same way")]
    pub(in crate::cli) fn run(self) -> Done {
        print(&text())
    }
}

/// Returns the schema, as it is printed.
pub(super) fn text() -> String {
    serde_json::to_string_pretty(&document()).unwrap_or_default()
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
        "$defs": {
            "step": step(),
            "steps": {"type": "array", "items": {"$ref": "#/$defs/step"}},
            "hooks": hooks(),
            "check": check(),
            "parameters": {"type": ["object", "array"], "description": "Rows: lists per variable, `a-b` for tuples, or \"${P(file.csv)}\"; several are combined."},
            "parameters_setting": parameters_setting(),
            "condition": {"type": ["string", "boolean"], "description": "An expression: `n > 3 and user == '小明'`."},
            "names": {"type": ["array", "string"], "items": {"type": "string"}},
        },
    })
}

fn reference(name: &str, description: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}"), "description": description})
}

fn described(types: &Value, description: &str) -> Value {
    json!({"type": types, "description": description})
}

/// Adds keys to a map of properties.
fn add<const N: usize>(properties: &mut Map<String, Value>, keys: [(&str, Value); N]) {
    properties.extend(keys.map(|(key, value)| (key.to_owned(), value)));
}

fn hooks() -> Value {
    json!({"type": ["array", "string"], "items": {"anyOf": [
        {"type": "string", "description": "A call, made for what it does: ${prepare($user)}."},
        {"$ref": "#/$defs/step"},
        {"type": "object", "minProperties": 1, "maxProperties": 1, "description": "A variable and the expression that sets it."},
    ]}})
}

fn parameters_setting() -> Value {
    let order = json!({"enum": ["sequential", "random", "unique"]});
    json!({
        "type": "object",
        "description": "In which order rows are taken, and how many.",
        "properties": {
            "pick_order": order,
            "limit": {"type": "integer", "minimum": 1, "description": "Most rows."},
            "strategies": {"type": "object", "description": "The same for single parameters."},
        },
    })
}

fn config() -> Value {
    let devices = |platform: &str| json!({"type": "array", "items": {"type": "object"}, "description": format!("{platform} devices, in HttpRunner's form.")});
    let mut properties = Map::new();
    add(
        &mut properties,
        [
            ("name", described(&json!("string"), "Name of the case in reports.")),
            (
                "variables",
                described(
                    &json!(["object", "array", "string"]),
                    "Variables: $name or ${name} in steps; or one expression that returns them.",
                ),
            ),
            ("environs", described(&json!("object"), "Variables that win over `variables`.")),
            ("parameters", reference("parameters", "The case runs once for each row.")),
            ("parameters_setting", reference("parameters_setting", "How rows are taken.")),
            ("tags", reference("names", "Words to choose cases by: --tags 'smoke and not slow'.")),
            (
                "device",
                json!({"type": "string", "description": "The device of the case: phone, browser, android:SERIAL, …."}),
            ),
            ("requires", reference("names", "Devices or programs without which the case is skipped.")),
            (
                "quarantine",
                json!({"type": "object", "required": ["until"], "properties": {"until": {"type": "string", "format": "date"}, "reason": {"type": "string"}},
                    "description": "Until when the case may fail without failing the run, and why."}),
            ),
            ("lock", reference("names", "What no two cases use at the same time, such as an account.")),
            (
                "case_timeout",
                json!({"type": "number", "exclusiveMinimum": 0, "description": "Seconds that the case may take."}),
            ),
            (
                "reset",
                json!({"enum": ["none", "app", "data", "all"], "description": "What is done to a phone before the case."}),
            ),
            (
                "fail_on",
                json!({"type": "array", "items": {"enum": FailOn::ALL.map(|(word, _)| word)}, "description": "What that goes wrong beside the steps fails the case."}),
            ),
            (
                "dialogs",
                json!({"enum": ["accept", "dismiss", "fail"], "description": "What becomes of dialogs of pages that no step answers."}),
            ),
            ("setup_hooks", reference("hooks", "Run before the steps.")),
            ("teardown_hooks", reference("hooks", "Run after the steps, however these ended.")),
            ("on_failure", reference("hooks", "Run where the case did not pass.")),
            ("export", reference("names", "Variables that a case which refers to this one gets.")),
            ("functions", described(&json!("string"), "Python file whose functions expressions may call.")),
            (
                "base_url",
                described(&json!("string"), "Put before addresses without a host, of `request` steps and pages."),
            ),
            ("headers", described(&json!("object"), "Headers of every `request` step.")),
            ("verify", described(&json!(["boolean", "string"]), "Whether `request` steps check certificates.")),
            ("request_timeout", described(&json!(["number", "string"]), "Seconds that a `request` step may take.")),
            ("think_time", described(&json!("object"), "How `think_time` steps wait, in HttpRunner's form.")),
            ("auto_popup_handler", described(&json!("boolean"), "Whether pop-ups are closed after each step.")),
            ("android", devices("Android")),
            ("ios", devices("iOS")),
            ("harmony", devices("HarmonyOS")),
            (
                "browser",
                described(
                    &json!(["array", "object", "string"]),
                    "The browser: chrome, firefox or webkit, or its settings, or a list of them in HttpRunner's form.",
                ),
            ),
        ],
    );
    json!({"type": "object", "description": "What holds for the whole case.", "properties": properties})
}

/// A step: one tool's name with its arguments, or a step of another kind, and step keys beside it.
fn step() -> Value {
    let mut properties: Map<String, Value> = tools::all().map(|tool| (tool.name.to_owned(), arguments(tool))).collect();
    // Where one of their files is wrong, `uixt check` says so.
    let own = project_tools::tools().unwrap_or_default();
    properties.extend(own.iter().map(|tool| (tool.name.clone(), own_arguments(tool))));
    flow(&mut properties);
    add(
        &mut properties,
        [
            ("name", described(&json!("string"), "Name of the step in reports.")),
            ("device", described(&json!("string"), "Which of the config's devices it runs on, by its name there.")),
            ("variables", described(&json!(["object", "array", "string"]), "Variables of this step only.")),
            ("tags", reference("names", "Words to choose steps by.")),
            (
                "save",
                described(
                    &json!(["string", "object"]),
                    "Keeps the result for later steps: a name, or names with fields.",
                ),
            ),
            ("extract", described(&json!(["object", "array"]), "Variables with JMESPath into the result.")),
            ("export", reference("names", "Variables kept of the case that is referred to.")),
            (
                "validate",
                json!({"type": "array", "items": {"$ref": "#/$defs/check"}, "description": "What must hold after the step's actions."}),
            ),
            ("setup_hooks", reference("hooks", "Run before the step.")),
            ("teardown_hooks", reference("hooks", "Run after the step, however it ended.")),
            (
                "screenshot",
                described(
                    &json!(["boolean", "object", "null"]),
                    "Takes a picture; `true` beside a tool: after the step.",
                ),
            ),
            ("ignore_popup", described(&json!("boolean"), "Whether pop-ups are left alone.")),
            ("auto_popup_handler", described(&json!("boolean"), "Whether pop-ups are closed after the step.")),
            ("android", http_runner()),
            ("ios", http_runner()),
            ("harmony", http_runner()),
            ("browser", http_runner()),
        ],
    );
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// Keys that say whether and how often a step runs, and steps that are no tool's.
fn flow(properties: &mut Map<String, Value>) {
    add(
        properties,
        [
            ("when", reference("condition", "The step is skipped where this does not hold.")),
            ("if", reference("condition", "Chooses between `then` and `else`.")),
            ("then", reference("steps", "Steps for where `if` holds.")),
            ("else", reference("steps", "Steps for where `if` does not hold.")),
            ("steps", reference("steps", "Steps under a common name, condition or repetition.")),
            ("repeat", repeat()),
            ("loops", described(&json!(["integer", "string"]), "How often, in HttpRunner's form.")),
            (
                "retry",
                json!({"type": ["integer", "object"], "description": "Tries after the first one, or {times, interval}."}),
            ),
            ("optional", described(&json!("boolean"), "Its failure does not end the case, which fails all the same.")),
            ("parameters", reference("parameters", "The step runs once for each row.")),
            ("parameters_setting", reference("parameters_setting", "How rows are taken.")),
            ("testcase", described(&json!(["string", "object"]), "Another testcase file, whose steps run here.")),
            ("api", described(&json!(["string", "object"]), "A file with a request to start from.")),
            ("think_time", described(&json!(["number", "string", "object"]), "Seconds to wait, in HttpRunner's form.")),
            ("transaction", json!({"description": "Accepted for HttpRunner's sake."})),
            ("rendezvous", json!({"description": "Accepted for HttpRunner's sake."})),
        ],
    );
}

fn repeat() -> Value {
    json!({
        "description": "How often: a number, or until or while something holds.",
        "anyOf": [{"type": ["integer", "string"]}, {
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "times": {"type": ["integer", "string"]},
                "while": {"$ref": "#/$defs/condition"},
                "until": {"$ref": "#/$defs/condition"},
                "max": {"type": "integer", "minimum": 1, "description": "Most times; reaching it is a failure."},
                "interval": {"type": "number", "minimum": 0, "description": "Seconds between two times."},
            },
        }],
    })
}

/// An item of `validate`: an assertion tool, or `HttpRunner`'s form.
fn check() -> Value {
    let mut properties: Map<String, Value> = tools::all()
        .filter(|tool| tool.name.starts_with("assert_"))
        .map(|tool| (tool.name.to_owned(), arguments(tool)))
        .collect();
    add(
        &mut properties,
        [
            (
                "check",
                described(
                    &json!("string"),
                    "ui_ocr, ui_selector, ui_foreground_app, a variable, or JMESPath into the result.",
                ),
            ),
            ("assert", described(&json!("string"), "exists, not_exists, equal, not_equal, contains, …")),
            ("expect", json!({"description": "What is expected."})),
            ("msg", described(&json!("string"), "What to say when it does not hold.")),
        ],
    );
    json!({"type": "object", "minProperties": 1, "properties": properties})
}

fn arguments(tool: &'static ToolRow) -> Value {
    let schema = tool.schema();
    let with_description = |mut value: Value| {
        value["description"] = schema.description.as_str().into();
        value
    };
    let mut map = relaxed(Value::Object(schema.full.clone()));
    if tool.target_may_be_absent {
        map["properties"]["ignore_NotFoundError"] =
            json!({"type": "boolean", "description": "Pass when the target is not there."});
    }
    // Spellings and options of HttpRunner's are no mistakes, and need not be offered.
    let others: Vec<(String, &'static str)> = tool.other_spellings().collect();
    let mut accepted: Vec<&str> = CallOptions::names().collect();
    accepted.extend(others.iter().map(|(spelling, _)| spelling.as_str()));
    map["patternProperties"] = json!({format!("^({})$", accepted.join("|")): {}});
    if let Some(required) = map.as_object_mut().and_then(|map| map.remove("required")) {
        map["allOf"] = required.as_array().into_iter().flatten().map(|name| needed(name, &others)).collect();
    }
    let bare: &[&str] = match tool.params {
        Shape::Nothing => &[],
        Shape::Fields(&[_]) => &["string", "number", "boolean"],
        Shape::Text(_) => &["array", "string", "number", "boolean"],
        Shape::Whole(_) | Shape::TextOrNumbers(_, &[_]) => &["array", "string", "number"],
        Shape::Fields(_) | Shape::TextOrNumbers(..) => &["array", "string"],
    };
    let mut choices = vec![map];
    if !bare.is_empty() {
        choices.push(json!({"type": bare}));
    }
    if schema.required().next().is_none() {
        choices.push(json!({"type": "null"}));
    }
    with_description(json!({"anyOf": choices}))
}

/// Describes the arguments of a tool of the project, of which the first may stand alone.
fn own_arguments(tool: &OwnTool) -> Value {
    let mut choices = vec![relaxed(Value::Object(tool.schema()))];
    if !tool.parameters.is_empty() {
        choices.push(json!({"type": ["array", "string", "number", "boolean"]}));
    }
    if tool.parameters.iter().all(|parameter| !parameter.is_required) {
        choices.push(json!({"type": "null"}));
    }
    json!({"anyOf": choices, "description": tool.description.trim()})
}

/// Asks for an argument in any of its spellings.
fn needed(name: &Value, others: &[(String, &'static str)]) -> Value {
    let spelt = others.iter().filter(|(_, known)| name == known).map(|(spelling, _)| json!({"required": [spelling]}));
    json!({"anyOf": std::iter::once(json!({"required": [name]})).chain(spelt).collect::<Vec<_>>()})
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
    let names: Vec<&str> = tools::table().names();
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
