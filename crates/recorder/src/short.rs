//! A tool and its arguments → what stands under the tool's name in a testcase, as short as it means the same.

use serde_json::Value;
use uixt_call::{Shape, Table};
use uixt_locate::Object;

use crate::action::MobileAction;

/// Returns what stands under the tool's name.
pub(super) fn value(table: &Table, tool: &str, arguments: &Object) -> Value {
    let candidates = table.find(tool).map(|tool| shorter(tool.params, arguments)).unwrap_or_default();
    let same = candidates.into_iter().find(|value| means(table, tool, value, arguments));
    same.unwrap_or_else(|| if arguments.is_empty() { Value::Null } else { Value::Object(arguments.clone()) })
}

/// Returns shorter ways to write arguments, which may mean something else.
fn shorter(shape: Shape, arguments: &Object) -> Vec<Value> {
    let only = |name: &str| arguments.get(name).filter(|_| arguments.len() == 1).cloned();
    let all = |names: &[&str]| -> Option<Value> {
        let values: Vec<Value> = names.iter().filter_map(|name| arguments.get(*name)).cloned().collect();
        (values.len() == arguments.len() && values.len() > 1 && values.iter().all(|value| !value.is_object()))
            .then_some(Value::Array(values))
    };
    match shape {
        Shape::Nothing => Vec::new(),
        Shape::Whole(name) | Shape::Text(name) => only(name).into_iter().collect(),
        Shape::Fields(names) => {
            let first = names.first().and_then(|name| only(name)).filter(|value| !value.is_object());
            first.into_iter().chain(all(names)).collect()
        }
        Shape::TextOrNumbers(text, names) => only(text).into_iter().chain(all(names)).collect(),
    }
}

/// Tells whether the same arguments are read from what is written.
fn means(table: &Table, tool: &str, written: &Value, arguments: &Object) -> bool {
    let action = MobileAction { method: tool.to_owned(), params: written.clone(), ..MobileAction::default() };
    let read = table.request(&action).ok().filter(|request| request.name == tool);
    read.and_then(|request| request.arguments).is_some_and(|read| read == *arguments)
}
