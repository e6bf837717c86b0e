//! A tool and its arguments → what stands under the tool's name in a testcase, as short as it means the same.

use serde_json::Value;

use crate::action::MobileAction;
use crate::tools::{self, Object, Shape};

/// Returns what stands under the tool's name.
pub(super) fn value(tool: &str, arguments: &Object) -> Value {
    let candidates = tools::find(tool).map(|tool| shorter(tool.params, arguments)).unwrap_or_default();
    let same = candidates.into_iter().find(|value| means(tool, value, arguments));
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
fn means(tool: &str, written: &Value, arguments: &Object) -> bool {
    let action = MobileAction { method: tool.to_owned(), params: written.clone(), ..MobileAction::default() };
    let read = tools::table().request(&action).ok().filter(|request| request.name == tool);
    read.and_then(|request| request.arguments).is_some_and(|read| read == *arguments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_written_as_short_as_they_are_read() {
        for (tool, arguments, expected) in [
            ("tap_element", json!({"text": "Sign in"}), json!("Sign in")),
            ("tap_element", json!({"id": "ok"}), json!({"id": "ok"})),
            ("tap_xy", json!({"x": 0.5, "y": 0.25}), json!([0.5, 0.25])),
            ("tap_xy", json!({"x": 0.5, "y": 0.25, "duration": 1.0}), json!({"x": 0.5, "y": 0.25, "duration": 1.0})),
            ("swipe", json!({"direction": "up"}), json!("up")),
            ("swipe", json!({"from_x": 0.1, "from_y": 0.1, "to_x": 0.9, "to_y": 0.1}), json!([0.1, 0.1, 0.9, 0.1])),
            ("press_button", json!({"button": "enter"}), json!("enter")),
            ("home", json!({}), Value::Null),
            ("input", json!({"text": "5", "into": "Name"}), json!({"text": "5", "into": "Name"})),
            ("input", json!({"text": "true"}), json!("true")),
        ] {
            assert_eq!(value(tool, arguments.as_object().expect("a map")), expected, "{tool}");
        }
    }
}
