//! Arguments as people spell them → their canonical names, and values of the type that the schema asks for.

use serde_json::Value;
use uixt_locate::Object;

use super::words::{read_number, snake_case};
use crate::{Schema, ToolRow, schema};

/// Gives every argument its canonical name and mends its type; also returns canonical name → written name.
pub(super) fn spell(tool: &'static ToolRow, written: Object) -> (Object, Vec<(String, String)>) {
    let schema = tool.schema();
    let mut arguments = Object::new();
    let mut spellings = Vec::new();
    for (name, value) in written {
        if let Some(property) = schema.property(&name) {
            arguments.insert(name, mend(value, property));
            continue;
        }
        let known = canonical(tool, schema, &name);
        let value = match known.as_deref().and_then(|known| schema.property(known)) {
            Some(property) => mend(value, property),
            None => value,
        };
        match known.filter(|known| !arguments.contains_key(known)) {
            Some(known) => {
                spellings.push((known.clone(), name));
                arguments.insert(known, value);
            }
            None => drop(arguments.insert(name, value)),
        }
    }
    (arguments, spellings)
}

impl ToolRow {
    /// Tells whether a name, in any spelling, is an argument of this tool.
    pub(crate) fn takes(&'static self, name: &str) -> bool {
        let schema = self.schema();
        schema.property(name).is_some() || canonical(self, schema, name).is_some()
    }
}

/// Returns the canonical name that is meant by another spelling; none where it is canonical itself, or nothing's.
pub(super) fn canonical(tool: &ToolRow, schema: &Schema, name: &str) -> Option<String> {
    if schema.property(name).is_some() {
        return None;
    }
    if let Some((_, known)) = tool.argument_aliases.iter().find(|(alias, _)| *alias == name) {
        return Some((*known).to_owned());
    }
    Some(snake_case(name)).filter(|snake| schema.property(snake).is_some())
}

/// A number may be written as text and text as a number: YAML authors do both. A fraction is no text: 1.10 would become "1.1". A list or
/// a map may be written as its JSON text, as some clients of models do.
fn mend(value: Value, property: &Value) -> Value {
    let value = match value {
        Value::String(text) => from_json(&text, property).unwrap_or(Value::String(text)),
        value => value,
    };
    let wanted = property.get("type").and_then(Value::as_str).unwrap_or_default();
    match (wanted, value) {
        ("integer", Value::Number(number)) if number.is_f64() => whole(&number).unwrap_or(Value::Number(number)),
        ("number" | "integer", Value::String(text)) => read_number(&text).unwrap_or(Value::String(text)),
        ("boolean", Value::String(text)) => match text.trim() {
            "true" | "True" | "TRUE" => Value::Bool(true),
            "false" | "False" | "FALSE" => Value::Bool(false),
            _ => Value::String(text),
        },
        ("string", Value::Number(number)) if !number.is_f64() => Value::String(number.to_string()),
        ("string", Value::Bool(flag)) => Value::String(flag.to_string()),
        ("string", Value::String(text)) => Value::String(spelt(text, property)),
        ("array", number @ Value::Number(_)) => Value::Array(vec![number]),
        (_, value) => value,
    }
}

/// Reads the JSON text of a list or a map where such is taken.
fn from_json(text: &str, property: &Value) -> Option<Value> {
    let kind = match text.trim_start().bytes().next()? {
        b'{' => "object",
        b'[' => "array",
        _ => return None,
    };
    if !schema::takes(property, kind) {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    // What may be a text all the same is one where no text would be in the list.
    (kind == "object" || !schema::takes(property, "string") || value[0].is_string()).then_some(value)
}

/// Returns 200 of 200.0.
#[expect(clippy::cast_possible_truncation, reason = "whole, and within the numbers that are told apart")]
fn whole(number: &serde_json::Number) -> Option<Value> {
    const MOST: f64 = 9_007_199_254_740_992.0;
    let value = number.as_f64().filter(|value| value.fract() == 0.0 && value.abs() < MOST)?;
    Some((value as i64).into())
}

/// Takes out arguments that are null, as clients write what they leave out; where a tool is given values, null is one.
pub(super) fn without_nulls(tool: &'static ToolRow, mut arguments: Object) -> Object {
    let properties = tool.schema();
    arguments.retain(|name, value| {
        let Some(property) = properties.property(name).filter(|_| !tool.values.contains(&name.as_str())) else {
            return true;
        };
        if let Value::Object(target) = value
            && schema::takes(property, "string")
        {
            drop_nulls(target);
        }
        let is_typed = ["type", "anyOf"].iter().any(|key| property.get(*key).is_some());
        !(value.is_null() && is_typed)
    });
    arguments
}

/// Takes nulls out of a target, and out of those within it.
fn drop_nulls(target: &mut Object) {
    target.retain(|_, value| {
        if let Value::Object(inner) = value {
            drop_nulls(inner);
        }
        !value.is_null()
    });
}

/// Returns the one of a property's names that is meant by another spelling: `volumeUp`, `Reverse-Portrait`.
fn spelt(text: String, property: &Value) -> String {
    let Some(names) = property.get("enum").and_then(Value::as_array) else { return text };
    let bare = |name: &str| name.replace(['_', '-', ' '], "").to_ascii_lowercase();
    let known = || names.iter().filter_map(Value::as_str);
    let meant = known().find(|name| *name == text).or_else(|| known().find(|name| bare(name) == bare(&text)));
    meant.map(str::to_owned).unwrap_or(text)
}
