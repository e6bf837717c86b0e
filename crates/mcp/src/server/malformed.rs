//! Requests whose parameters the protocol's reader could not read → what is meant, or what is wrong with them.

use std::borrow::Cow;

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, ErrorCode, GetPromptRequestParams};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::json_kind::kind_of;
use crate::message::CALL;

/// What must stand in a method's parameters, and may: its name, what it is, whether it must.
type Field = (&'static str, Form, bool);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Text,
    Object,
    Level,
}

const METHODS: [(&str, &[Field]); 7] = [
    (CALL, &[("name", Form::Text, true), ("arguments", Form::Object, false)]),
    (PROMPT, &[("name", Form::Text, true), ("arguments", Form::Object, false)]),
    ("resources/read", &[("uri", Form::Text, true)]),
    ("resources/subscribe", &[("uri", Form::Text, true)]),
    ("resources/unsubscribe", &[("uri", Form::Text, true)]),
    ("completion/complete", &[("ref", Form::Object, true), ("argument", Form::Object, true)]),
    ("logging/setLevel", &[("level", Form::Level, true)]),
];

/// The levels of a log (RFC 5424 §6.2.1), as the protocol spells them.
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

const PROMPT: &str = "prompts/get";
/// Most characters of a name or a word that are told back.
const LONGEST_SHOWN: usize = 80;
/// Methods whose parameters may be left out.
const LISTS: [&str; 5] = ["tools/list", "resources/list", "resources/templates/list", "prompts/list", "ping"];

/// A request that can be answered after all.
pub(super) enum Meant {
    Call(CallToolRequestParams),
    Prompt(GetPromptRequestParams),
}

/// Reads what was meant: arguments may be written as the JSON text of an object, as many models do.
pub(super) fn meant(method: &str, params: Option<Value>) -> Result<Meant, ErrorData> {
    let fields = METHODS.iter().find(|(name, _)| *name == method).map(|(_, fields)| *fields);
    let Some(fields) = fields else { return Err(unknown(method)) };
    let Some(Value::Object(mut params)) = params else {
        return Err(wrong(method, "`params` must be an object", fields));
    };
    if let Some(Value::String(text)) = params.get("arguments")
        && let Ok(Value::Object(arguments)) = serde_json::from_str(text)
    {
        params.insert("arguments".to_owned(), arguments.into());
    }
    if params.get("arguments").and_then(Value::as_str).is_some_and(|text| text.trim().is_empty()) {
        params.remove("arguments");
    }
    if let Some(problem) = fields.iter().find_map(|field| problem(&params, *field)) {
        return Err(wrong(method, &problem, fields));
    }
    match method {
        CALL => read(method, params, fields).map(Meant::Call),
        PROMPT => read(method, params, fields).map(Meant::Prompt),
        _ => Err(wrong(method, "the values in `params` are not what they must be", fields)),
    }
}

fn read<T: DeserializeOwned>(method: &str, params: Map<String, Value>, fields: &[Field]) -> Result<T, ErrorData> {
    serde_json::from_value(params.into()).map_err(|error| wrong(method, &error.to_string(), fields))
}

fn problem(params: &Map<String, Value>, (name, form, is_needed): Field) -> Option<String> {
    let is_right = |value: &Value| match form {
        Form::Text => value.is_string(),
        Form::Level => value.as_str().is_some_and(|level| LEVELS.contains(&level)),
        Form::Object => value.is_object() || (!is_needed && value.is_null()),
    };
    match params.get(name) {
        None => is_needed.then(|| format!("`{name}` is missing")),
        Some(value) if is_right(value) => None,
        Some(Value::String(text)) if form == Form::Level => {
            let text: String = text.escape_debug().take(LONGEST_SHOWN).collect();
            Some(format!("`{name}` must be {}, not \"{text}\"", form.name()))
        }
        Some(value) => Some(format!("`{name}` must be {}, not {}", form.name(), kind_of(value))),
    }
}

impl Form {
    fn name(self) -> Cow<'static, str> {
        match self {
            Self::Text => "a string".into(),
            Self::Object => "an object".into(),
            Self::Level => format!("one of {}", LEVELS.join(", ")).into(),
        }
    }
}

fn wrong(method: &str, problem: &str, fields: &[Field]) -> ErrorData {
    let field = |(name, form, is_needed): &Field| {
        format!("{name} ({}{})", form.name(), if *is_needed { "" } else { ", may be left out" })
    };
    let valid = fields.iter().map(field).collect::<Vec<_>>().join(", ");
    ErrorData::invalid_params(format!("{method}: {problem}; valid: {valid}"), None)
}

fn unknown(method: &str) -> ErrorData {
    if LISTS.contains(&method) {
        return ErrorData::invalid_params(format!("{method}: `params` must be an object, or left out"), None);
    }
    let method: String = method.chars().take(LONGEST_SHOWN).collect();
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method {method}"), None)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_may_be_written_as_text() {
        let params = json!({"name": "home", "arguments": "{\"serial\": \"A\"}"});
        let Ok(Meant::Call(call)) = meant(CALL, Some(params)) else { panic!("a call") };
        assert_eq!(call.arguments.map(Value::Object), Some(json!({"serial": "A"})));
        let Ok(Meant::Call(call)) = meant(CALL, Some(json!({"name": "home", "arguments": " "}))) else {
            panic!("a call")
        };
        assert_eq!(call.arguments, None);
    }

    #[test]
    fn it_is_said_what_is_wrong() {
        for (method, params, said) in [
            (CALL, json!({}), "`name` is missing"),
            (CALL, json!([]), "`params` must be an object"),
            (CALL, json!({"name": 1}), "`name` must be a string, not a number"),
            (CALL, json!({"name": "home", "arguments": "x"}), "`arguments` must be an object, not a string"),
            (CALL, json!({"name": []}), "`name` must be a string, not an array"),
            (CALL, json!({"name": "home", "arguments": "[1]"}), "`arguments` must be an object, not a string"),
            (
                CALL,
                json!({"name": "home", "arguments": 0}),
                "valid: name (a string), arguments (an object, may be left out)",
            ),
            (
                PROMPT,
                json!({"name": "a", "arguments": true}),
                "prompts/get: `arguments` must be an object, not a boolean",
            ),
            ("resources/subscribe", json!({}), "`uri` is missing"),
            ("resources/unsubscribe", json!({"uri": {}}), "`uri` must be a string, not an object"),
            ("completion/complete", json!({"ref": {}}), "`argument` is missing"),
            ("completion/complete", json!({"ref": null, "argument": {}}), "`ref` must be an object, not null"),
            ("completion/complete", json!({"ref": {}, "argument": {}}), "the values in `params` are not"),
            (
                "logging/setLevel",
                json!({"level": "loud"}),
                "`level` must be one of debug, info, notice, warning, error, critical, alert, emergency, not \"loud\"",
            ),
            ("logging/setLevel", json!({"level": 1}), "emergency, not a number"),
            ("resources/read", json!({"uri": null}), "`uri` must be a string, not null"),
            (PROMPT, json!({"arguments": {}}), "`name` is missing"),
            ("tools/list", json!(1), "must be an object, or left out"),
        ] {
            let Err(error) = meant(method, Some(params)) else { panic!("{said}") };
            assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
            assert!(error.message.contains(said), "{}", error.message);
        }
        assert_eq!(meant("nix", None).err().map(|error| error.code), Some(ErrorCode::METHOD_NOT_FOUND));
    }

    #[test]
    fn arguments_may_be_null_and_prompts_written_as_text() {
        let params = json!({"name": "home", "arguments": null});
        let Ok(Meant::Call(call)) = meant(CALL, Some(params)) else { panic!("a call") };
        assert_eq!((call.name.as_ref(), call.arguments), ("home", None));
        let params = json!({"name": "write_testcase", "arguments": "{\"goal\": \"x\"}"});
        let Ok(Meant::Prompt(prompt)) = meant(PROMPT, Some(params)) else { panic!("a prompt") };
        assert_eq!(prompt.arguments.map(Value::Object), Some(json!({"goal": "x"})));
    }

    #[test]
    fn a_long_name_is_not_told_back_whole() {
        let Err(error) = meant(&"é".repeat(10_000), None) else { panic!("there is no such method") };
        assert_eq!(error.message.chars().filter(|c| *c == 'é').count(), 80);
    }
}
