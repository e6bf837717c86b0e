//! A step that calls another server's tool → what can be known to be wrong with its arguments before anything runs.
//!
//! Where values hold variables, only names are checked: the values are at the call, by the same definitions.

use serde_json::Value;

use crate::action::{Diagnostic, MobileAction};
use crate::testcase::holds_variables;
use crate::tools;
use crate::uniform::{self, Definitions, Lang, Object};
use uixt_call::ToolRow;

/// Tells whether an action calls another server.
pub(super) fn is_mcp(action: &MobileAction) -> bool {
    tools::find(&action.method).is_some_and(|tool| tool.name == "mcp")
}

/// Returns the server that an action calls, where that is known before it runs.
pub(super) fn server_of(action: &MobileAction) -> Option<&str> {
    let (_, server) = written(action, 0, "server").filter(|_| is_mcp(action))?;
    server.as_str().filter(|server| !server.contains('$'))
}

/// Tells whether this program has the tool itself that an action calls of a server.
pub(super) fn is_served(action: &MobileAction) -> bool {
    served(action).is_some()
}

fn served(action: &MobileAction) -> Option<&'static ToolRow> {
    tools::table().served(server_of(action)?, written(action, 1, "tool")?.1.as_str()?)
}

/// Finds one of the arguments `server`, `tool` and `arguments`, and the pointer that leads to it.
fn written<'a>(action: &'a MobileAction, index: usize, name: &str) -> Option<(String, &'a Value)> {
    let found = match &action.params {
        Value::Array(items) => items.get(index).map(|item| (format!("/params/{index}"), item)),
        Value::Object(map) => map.get(name).map(|value| (format!("/params/{name}"), value)),
        Value::Null => None,
        other => (index == 0).then(|| ("/params".to_owned(), other)),
    };
    found.or_else(|| Some((format!("/options/{name}"), action.options.get(name)?)))
}

/// Holds a call to the definition of its tool, where there is one.
pub(super) fn complaint(action: &MobileAction, definitions: &Definitions) -> Option<Diagnostic> {
    let server = server_of(action)?;
    let tool = written(action, 1, "tool")?.1.as_str()?;
    let definition = definitions.find(server, tool)?;
    let given = written(action, 2, "arguments");
    let mut arguments = match &given {
        None => Object::new(),
        Some((_, value @ Value::String(_))) if holds_variables(value) => return None,
        Some((pointer, value)) => match uniform::read_arguments(server, tool, (*value).clone()) {
            Ok(arguments) => arguments,
            Err(message) => return Some(about(pointer.clone(), false, format!("{tool}: {message}"))),
        },
    };
    let takes =
        |name: &str| served(action).is_some_and(|row| row.schema().properties().any(|(known, _)| known == name));
    let _ = definition.take_others(&mut arguments, &takes);
    let complaint = definition.check_early(arguments, &holds_variables).err()?;
    // Within a text there are no places.
    let has_places = given.as_ref().is_some_and(|(_, value)| value.is_object());
    let pointer = given.map_or_else(|| "/params".to_owned(), |(pointer, _)| pointer);
    let unknown = complaint.unknown.first().filter(|_| has_places);
    let invalid = complaint.invalid.first().filter(|_| has_places);
    let name = unknown.map(|unknown| &unknown.name).or(invalid.map(|invalid| &invalid.name));
    let path = name.map_or_else(|| pointer.clone(), |name| format!("{pointer}/{}", escaped(name)));
    Some(about(path, unknown.is_some(), complaint.message(Lang::En)))
}

fn about(path: String, at_key: bool, message: String) -> Diagnostic {
    Diagnostic { path, at_key, message, hint: None, help: None }
}

/// Writes a name as a part of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(params: Value, options: Value) -> Option<(String, String)> {
        let Value::Object(options) = options else { panic!("options are a map") };
        let action = MobileAction { method: "mcp".to_owned(), params, options, ..MobileAction::default() };
        complaint(&action, Definitions::shipped()).map(|complaint| (complaint.path, complaint.message))
    }

    #[test]
    fn every_way_to_write_a_call_is_held_to_its_definition() {
        let (server, tool, wrong) = ("browser_use", "browser_click_element", json!({"idx": 1}));
        let text = format!("<{server}><{tool}>{wrong}</{tool}></{server}>");
        for (params, options, path) in [
            (json!({"server": server, "tool": tool, "arguments": wrong}), json!({}), "/params/arguments/idx"),
            (json!({"server": server, "tool": tool, "arguments": wrong.to_string()}), json!({}), "/params/arguments"),
            (json!({"server": server, "tool": tool, "arguments": text}), json!({}), "/params/arguments"),
            (json!([server, tool, wrong]), json!({}), "/params/2/idx"),
            (json!(server), json!({"tool": tool, "arguments": wrong}), "/options/arguments/idx"),
            (json!(null), json!({"server": server, "tool": tool, "arguments": wrong}), "/options/arguments/idx"),
        ] {
            let (at, message) = told(params.clone(), options).unwrap_or_else(|| panic!("{params}"));
            assert_eq!(at, path);
            assert_eq!(message, format!("{tool}: missing: index; unknown: idx (did you mean index?); valid: index"));
        }
        let at = |arguments: Value| told(json!([server, tool, arguments]), json!({})).map(|(at, _)| at);
        assert_eq!(at(json!({"index": "first"})), Some("/params/2/index".to_owned()));
        assert_eq!(at(json!({"index": "$index"})), None);
        assert_eq!(at(json!({"indx": "$index"})), Some("/params/2/indx".to_owned()));
        assert_eq!(at(json!("$arguments")), None);
        assert_eq!(at(json!("{\"index\": 1")), Some("/params/2".to_owned()));
        assert_eq!(told(json!([server, tool]), json!({})).map(|(at, _)| at), Some("/params".to_owned()));
        assert_eq!(told(json!([server, "$tool", wrong]), json!({})), None);
        assert_eq!(told(json!(["other", tool, wrong]), json!({})), None);
    }
}
