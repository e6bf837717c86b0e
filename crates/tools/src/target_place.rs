//! A call or an action → where it says what its target is: in arguments of its own, or in one argument such as `into`.

use serde_json::{Value, json};
use uixt_call::arguments::snake_case;
use uixt_call::{Aim, Table, ToolKind, ToolRow, schema};
use uixt_core::action::MobileAction;
use uixt_locate::suggest::SUGGESTIONS;
use uixt_locate::{Error, Object};

/// Keys of a target that some tools say of every target, so that their calls do not.
const IMPLIED: [&str; 2] = ["exact", "regex"];

/// Where an action of a testcase says what its target is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetPlace {
    /// JSON pointer into the action: `/params`, `/params/into`, `/params/0`.
    pub pointer: String,
    /// The key that a bare value there stands for.
    pub bare: &'static str,
}

/// Tells whether an argument is a part of a target, in any spelling.
pub fn is_target_key(name: &str) -> bool {
    let name = snake_case(name);
    schema::place_keys().any(|key| key == name)
}

/// Where a call says what its target is.
enum Said {
    /// In arguments that are the target's parts.
    Itself,
    /// In an argument of this name.
    By(String),
}

/// Returns where a call says what the target is that was not there.
fn said(tool: &'static ToolRow, error: &Error, given: &Object) -> Option<Said> {
    let takes = |name: &str| tool.schema().property(name).is_some();
    if tool.aim == Aim::Text || (takes("text") && takes("id") && takes("selector")) {
        return Some(Said::Itself);
    }
    let is_place = |name: &str| tool.schema().property(name).is_some_and(is_place) && !is_target_key(name);
    let named: Vec<&String> = given.keys().filter(|name| is_place(name)).collect();
    let is_meant = |name: &&&String| {
        let text = given.get(name.as_str()).and_then(Value::as_str);
        text.is_some_and(|text| error.message.starts_with(&format!("\"{text}\":")))
    };
    match named[..] {
        [] => None,
        [only] => Some(Said::By(only.clone())),
        ref several => several.iter().find(is_meant).map(|name| Said::By((*name).clone())),
    }
}

/// Tells whether an argument is a text or a target.
fn is_place(property: &Value) -> bool {
    property.get("$ref") == Some(&json!("#/definitions/place")) || property["type"] == json!(["string", "object"])
}

/// Keeps the suggestions that the tool can be called with, and says which argument they are of and that an assertion's may hide
/// what it found.
pub(crate) fn finish(tool: &'static ToolRow, mut error: Error, given: &Object) -> Error {
    let Some(Value::Array(suggestions)) = error.details.shift_remove(SUGGESTIONS) else { return error };
    let Some(said) = said(tool, &error, given) else { return error };
    let takes = |name: &str| matches!(said, Said::By(_)) || tool.schema().property(name).is_some();
    let mut kept = Vec::new();
    for mut suggestion in suggestions {
        if let Some(target) = suggestion["target"].as_object_mut() {
            target.retain(|key, _| takes(key) || !IMPLIED.contains(&key.as_str()));
            if !target.keys().all(|key| takes(key)) {
                continue;
            }
            if let Some(text) = target.get("text").filter(|_| target.len() == 1 && tool.aim == Aim::Text).cloned() {
                suggestion["target"] = text;
            }
        }
        if let Said::By(argument) = &said {
            suggestion["argument"] = argument.as_str().into();
        }
        if tool.kind == ToolKind::Assert {
            suggestion["may_be_bug"] = true.into();
        }
        kept.push(suggestion);
    }
    if kept.is_empty() { error } else { error.with(SUGGESTIONS, kept) }
}

/// Returns where an action says what its target is, or the part of it that an argument is.
pub fn target_place(table: &Table, action: &MobileAction, argument: Option<&str>) -> Option<TargetPlace> {
    let sources = table.sources(action)?;
    let written = |wanted: &dyn Fn(&str) -> bool| sources.iter().find(|(key, _)| wanted(&snake_case(key)));
    if let Some(argument) = argument {
        let (_, pointer) = written(&|key| key == argument)?;
        return Some(TargetPlace { pointer: pointer.clone(), bare: "text" });
    }
    if action.params.is_object() {
        return Some(TargetPlace { pointer: "/params".to_owned(), bare: "text" });
    }
    let (key, pointer) = written(&|key| matches!(key, "text" | "selector"))?;
    let bare = if key == "selector" { "selector" } else { "text" };
    Some(TargetPlace { pointer: pointer.clone(), bare })
}

#[cfg(test)]
mod tests {
    use super::*;
    use uixt_locate::Kind;

    #[test]
    fn an_action_says_its_target_in_many_places() {
        let place = |method: &str, params: Value, argument: Option<&str>| {
            let action = uixt_core::action::MobileAction { method: method.to_owned(), params, ..Default::default() };
            target_place(crate::groups::table(), &action, argument).map(|place| (place.pointer, place.bare))
        };
        let at = |pointer: &str, bare| Some((pointer.to_owned(), bare));
        assert_eq!(place("tap_element", json!("a"), None), at("/params", "text"));
        assert_eq!(place("tap_element", json!({"text": "a", "timeout": 1}), None), at("/params", "text"));
        assert_eq!(place("tapBySelector", json!("#a"), None), at("/params", "selector"));
        assert_eq!(place("tap_ocr", json!(["a"]), None), at("/params/0", "text"));
        assert_eq!(place("input", json!({"text": "a", "into": "b"}), Some("into")), at("/params/into", "text"));
        assert_eq!(place("clear_text", json!("b"), Some("into")), at("/params", "text"));
        assert_eq!(place("drag_to", json!(["a", "b"]), Some("to")), at("/params/1", "text"));
        assert_eq!(place("input", json!("a"), Some("into")), None);
    }

    #[test]
    fn only_what_the_tool_takes_is_kept() {
        let tool = |name: &str| crate::groups::find(name).expect("a tool");
        let error = |targets: Value| {
            let list: Vec<Value> =
                targets.as_array().expect("a list").iter().map(|target| json!({"target": target})).collect();
            Error::new(Kind::NotFound, "\"b\": not there within 1 s").with(SUGGESTIONS, list)
        };
        let finished = |name: &str, given: Value, targets: Value| {
            let given = given.as_object().expect("a map").clone();
            let mut error = finish(tool(name), error(targets), &given);
            error.details.remove(SUGGESTIONS).unwrap_or_default()
        };
        let of_text = finished("tap_ocr", json!({"text": "b"}), json!([{"text": "a", "exact": true}, {"id": "x"}]));
        assert_eq!(of_text, json!([{"target": "a"}]));
        let into = finished("input", json!({"text": "typed", "into": "b"}), json!([{"id": "x"}]));
        assert_eq!(into, json!([{"target": {"id": "x"}, "argument": "into"}]));
        let onto = finished("drag_to", json!({"from": "a", "to": "b"}), json!(["c"]));
        assert_eq!(onto, json!([{"target": "c", "argument": "to"}]));
        let asserted = finished("assert_visible", json!({"text": "b"}), json!(["c"]));
        assert_eq!(asserted, json!([{"target": "c", "may_be_bug": true}]));
        assert_eq!(finished("batch", json!({"steps": []}), json!(["c"])), Value::Null);
    }
}
