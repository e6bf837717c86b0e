//! An action's `params` and `options` → named arguments, each with where it stood.

use serde_json::Value;
use uixt_locate::Object;

use super::wording::{complaint, escape};
use super::words::snake_case;
use crate::action::{Diagnostic, MobileAction};
use crate::{Shape, ToolRow};

/// A tool's arguments under the names that the author wrote, and where each of them stood in the action.
#[derive(Default)]
pub(super) struct Written {
    pub(super) arguments: Object,
    /// Argument → JSON pointer in the action.
    pub(super) sources: Vec<(String, String)>,
    pub(super) complaints: Vec<Diagnostic>,
}

/// Lays `params` and `options` out as named arguments.
pub(super) fn lay_out(tool: &ToolRow, action: &MobileAction, holds: &dyn Fn(&Value) -> bool) -> Written {
    let mut written = Written::default();
    match &action.params {
        Value::Null => {}
        Value::Object(map) => {
            for (key, value) in map {
                written.put(key, value, format!("/params/{}", escape(key)));
            }
        }
        other => lay_out_positional(tool, by_name(tool, &action.method), other, holds, &mut written),
    }
    for (key, value) in &action.options {
        written.put(key, value, format!("/options/{}", escape(key)));
    }
    written
}

/// Returns how `params` fill the arguments where the tool is called by this name: `…_by_selector` takes a selector.
fn by_name(tool: &ToolRow, method: &str) -> Shape {
    match tool.params {
        Shape::Fields(&["text"]) if snake_case(method).ends_with("_by_selector") => Shape::Fields(&["selector"]),
        shape => shape,
    }
}

fn lay_out_positional(
    tool: &ToolRow,
    shape: Shape,
    params: &Value,
    holds: &dyn Fn(&Value) -> bool,
    written: &mut Written,
) {
    let fields = match (shape, params) {
        (Shape::Nothing, _) => return,
        (Shape::Whole(field), _) => return written.put(field, params, "/params".to_owned()),
        (Shape::Text(field), Value::Array(items)) if items.len() != 1 => {
            return written.put(field, &params.to_string().into(), "/params".to_owned());
        }
        (Shape::Text(field), _) => return put_first(field, params, written),
        (Shape::TextOrNumbers(text, _), Value::String(_)) => &[text][..],
        (Shape::TextOrNumbers(_, fields) | Shape::Fields(fields), _) => fields,
    };
    match params {
        Value::Array(items) if items.len() > fields.len() => written.complaints.push(complaint(
            "/params".to_owned(),
            format!(
                "`{}` takes at most {} value{} ({}), not {}",
                tool.name,
                fields.len(),
                if fields.len() == 1 { "" } else { "s" },
                fields.join(", "),
                items.len()
            ),
        )),
        Value::Array(items) => {
            for (index, (field, item)) in fields.iter().zip(items).enumerate() {
                written.put(field, item, format!("/params/{index}"));
            }
        }
        // `$point` may become a list at the call, so that nothing can be said of it now.
        Value::String(_) if fields.len() > 1 && holds(params) => {
            for field in fields {
                written.put(field, params, "/params".to_owned());
            }
        }
        scalar => written.put(fields[0], scalar, "/params".to_owned()),
    }
}

/// Puts a value, or the only one of a list.
fn put_first(field: &str, params: &Value, written: &mut Written) {
    match params.as_array().and_then(|items| items.first()) {
        Some(only) => written.put(field, only, "/params/0".to_owned()),
        None => written.put(field, params, "/params".to_owned()),
    }
}

impl Written {
    fn put(&mut self, name: &str, value: &Value, path: String) {
        if self.arguments.contains_key(name) {
            let message = format!("`{name}` is given twice");
            self.complaints.push(Diagnostic { at_key: true, ..complaint(path, message) });
            return;
        }
        self.arguments.insert(name.to_owned(), value.clone());
        self.sources.push((name.to_owned(), path));
    }
}
