//! Numbers and booleans that are [written](uixt_core::written) otherwise than their values are → what a tool wants: the text, or
//! what it means.

use std::borrow::Cow;

use serde_json::Value;
use uixt_core::written;

use super::layout::Written;
use super::spelling::canonical;
use crate::action::MobileAction;
use crate::{Table, ToolRow, schema};

/// Returns an action whose numbers are the texts that its author wrote.
pub(super) fn as_texts(action: &MobileAction) -> Cow<'_, MobileAction> {
    if !written::is_in(&action.params) && !action.options.values().any(written::is_in) {
        return Cow::Borrowed(action);
    }
    let options = action.options.iter().map(|(key, value)| (key.clone(), written::texts(value.clone()))).collect();
    Cow::Owned(MobileAction { params: written::texts(action.params.clone()), options, ..action.clone() })
}

/// Gives each argument that was laid out of the texts what its tool wants.
pub(super) fn settle(table: &Table, tool: &'static ToolRow, action: &MobileAction, laid_out: &mut Written) {
    for (name, pointer) in &laid_out.sources {
        let Some(original) = original(action, pointer).filter(|value| written::is_in(value)) else { continue };
        let name_in_schema = canonical(tool, tool.schema(), name).unwrap_or_else(|| name.clone());
        let value = match tool.schema().property(&name_in_schema) {
            _ if tool.values.contains(&name_in_schema.as_str()) => written::meanings(original.clone()),
            property => wanted(table, original.clone(), property),
        };
        laid_out.arguments.insert(name.clone(), value);
    }
}

/// Finds a value by its pointer into an action.
fn original<'a>(action: &'a MobileAction, pointer: &str) -> Option<&'a Value> {
    if let Some(option) = pointer.strip_prefix("/options/") {
        return action.options.get(&option.replace("~1", "/").replace("~0", "~"));
    }
    action.params.pointer(pointer.strip_prefix("/params")?)
}

/// Returns a value as its schema wants it: a number where only that is taken, else a text.
fn wanted(table: &Table, value: Value, schema: Option<&Value>) -> Value {
    if !written::is_in(&value) {
        return value;
    }
    let takes = |kind: &str| schema.is_some_and(|schema| schema::takes(schema, kind));
    let part = |key: &str| {
        let choices = schema.and_then(|schema| schema.get("anyOf")?.as_array()).into_iter().flatten();
        schema.into_iter().chain(choices).find_map(|schema| schema.get(key))
    };
    match value {
        Value::Array(items) => items.into_iter().map(|item| wanted(table, item, part("items"))).collect(),
        Value::Object(map) => {
            // What takes a text or a map takes a target.
            let target = (takes("string") && takes("object")).then(|| table.find("tap")).flatten();
            let of = |key: &str| match part("properties") {
                Some(properties) => properties.get(key),
                None => target.and_then(|tool| tool.schema().property(key)),
            };
            map.into_iter()
                .map(|(key, value)| (key.clone(), wanted(table, value, of(&key))))
                .collect::<uixt_locate::Object>()
                .into()
        }
        number if !takes("string") && ["number", "integer", "boolean"].into_iter().any(takes) => {
            written::meanings(number)
        }
        text => written::texts(text),
    }
}
