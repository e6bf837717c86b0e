//! What a person changes on a page → a patch, where that is a field's value and nothing else.

use serde_json::Value;
use uixt_instance::{FieldConfig, FieldType, Instance, Patch};

use crate::Error;

/// Returns the patch of an edit. A page changes values of fields that can be edited, to values that the field can have.
pub(crate) fn patch(instance: &Instance, path: &str, value: Value) -> Result<Patch, Error> {
    let field = instance.fields().find(|(block, field)| block.path_of(field) == path).map(|(_, field)| field);
    let refused = |why: String| Err(Error::NotEditable(why));
    match field {
        None => refused(format!("`{path}` is not a field of this page")),
        Some(field) if !field.is_editable() => refused(format!("`{}` cannot be edited", field.label)),
        Some(field) => match mistake(field, &value) {
            Some(wanted) => refused(format!("`{}` takes {wanted}", field.label)),
            None => Ok(Patch::set(path, value)),
        },
    }
}

/// Returns what a field takes, where a value is none of that.
fn mistake(field: &FieldConfig, value: &Value) -> Option<String> {
    let is_choice =
        |value: &Value| value.as_str().is_some_and(|text| field.options.iter().any(|one| one.value == text));
    let is_empty = value.as_str().is_some_and(str::is_empty);
    let (fits, wanted) = match field.kind {
        FieldType::Number => (value.is_number() || is_empty, "a number"),
        FieldType::Checkbox => (value.is_boolean(), "yes or no"),
        FieldType::Select | FieldType::Radio => (is_empty || is_choice(value), "one of its options"),
        FieldType::Multiselect => {
            (value.as_array().is_some_and(|all| all.iter().all(is_choice)), "some of its options")
        }
        FieldType::Json => (true, ""),
        FieldType::File => (is_empty || is_file(value), "a file that was handed over"),
        _ => (value.is_string(), "a text"),
    };
    (!fits).then(|| wanted.to_owned())
}

/// Tells whether a value is that of a file as [`super::page`] answers.
fn is_file(value: &Value) -> bool {
    let is_text = |key: &str| value.get(key).is_some_and(Value::is_string);
    is_text("name")
        && is_text("url")
        && value.get("url").and_then(Value::as_str).is_some_and(|url| url.starts_with("/ui/files/"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_values_that_a_field_can_have_are_taken() {
        let field = |key: &str, kind: &str, more: Value| {
            let mut field = json!({"key": key, "label": key, "type": kind});
            field.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
            field
        };
        let options = json!({"options": [{"label": "A", "value": "a"}, {"label": "B", "value": "b"}]});
        let page = Instance::from_value(&json!({"instance_id": "p", "blocks": [{"id": "b", "type": "form", "props": {"fields": [
            field("t", "text", json!({})), field("fixed", "text", json!({"editable": false})), field("n", "number", json!({})),
            field("c", "checkbox", json!({})), field("s", "select", options.clone()), field("m", "multiselect", options),
            field("j", "json", json!({})), field("f", "file", json!({})), field("h", "html", json!({})),
        ]}}]}))
        .expect("an instance");
        let takes = |key: &str, value: Value| patch(&page, &format!("state.params.{key}"), value).is_ok();
        for (key, good, bad) in [
            ("t", json!("x"), json!(1)),
            ("n", json!(1.5), json!("one")),
            ("n", json!(""), json!([1])),
            ("c", json!(true), json!("true")),
            ("s", json!("a"), json!("c")),
            ("m", json!(["a", "b"]), json!(["c"])),
            ("f", json!({"name": "x", "url": "/ui/files/p/1"}), json!({"name": "x", "url": "javascript:alert(1)"})),
        ] {
            assert!(takes(key, good) && !takes(key, bad), "{key}");
        }
        assert!(takes("j", json!({"a": [1]})));
        assert!(!takes("fixed", json!("x")) && !takes("h", json!("x")) && !takes("other", json!("x")));
        for path in ["blocks", "state.runtime.status", "actions.0.patches", "state.params", "instance_id"] {
            assert_eq!(patch(&page, path, json!("x")).expect_err("no field").code(), "SCHEMA_MUTATION");
        }
    }
}
