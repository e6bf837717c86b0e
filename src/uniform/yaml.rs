//! A YAML file of tools, each with a description and parameters → definitions. Strict: whatever is not known there is an error.

use serde_json::Value;

use super::complaint::Invalid;
use super::definition::{Definition, Parameter};
use super::kind::Kind;
use super::nearest::nearest;
use super::{LARGEST, Object};

const OF_TOOL: &[&str] = &["description", "parameters", "takes_unknown"];
const OF_PARAMETER: &[&str] = &["type", "required", "default", "description", "aliases"];

/// The word for a parameter of any type.
const ANY: &str = "any";

pub(super) fn read(text: &str) -> Result<Vec<Definition>, String> {
    if text.len() > LARGEST {
        return Err(format!("longer than {} MiB", LARGEST >> 20));
    }
    let options = serde_saphyr::options! {
        strict_booleans: true,
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::Error,
        with_snippet: false,
        budget: serde_saphyr::budget! {
            max_depth: 16,
            max_nodes: 100_000,
            max_aliases: 100,
        },
    };
    let value: Value = serde_saphyr::from_str_with_options(text, options).map_err(|error| error.to_string())?;
    let Value::Object(tools) = value else { return Err("not a map of tools".to_owned()) };
    tools.iter().map(|(name, value)| tool(name, value).map_err(|message| format!("{name}: {message}"))).collect()
}

fn tool(name: &str, value: &Value) -> Result<Definition, String> {
    let map = map(value, OF_TOOL)?;
    let parameters = match map.get("parameters") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Object(parameters)) => parameters
            .iter()
            .map(|(name, value)| parameter(name, value).map_err(|message| format!("{name}: {message}")))
            .collect::<Result<_, _>>()?,
        Some(_) => return Err("`parameters` must be a map".to_owned()),
    };
    names_once(&parameters)?;
    Ok(Definition {
        name: name.to_owned(),
        description: text(map, "description")?,
        parameters,
        open: flag(map, "takes_unknown")?,
        whole: None,
    })
}

fn parameter(name: &str, value: &Value) -> Result<Parameter, String> {
    let map = map(value, OF_PARAMETER)?;
    let kinds = match text(map, "type")?.as_str() {
        "" | ANY => Vec::new(),
        word => vec![Kind::of_name(word).ok_or_else(|| {
            format!("unknown type `{word}`; valid: {ANY}, string, integer, number, boolean, array, object")
        })?],
    };
    let default = map.get("default").filter(|value| !value.is_null()).cloned();
    let made = Parameter {
        name: name.to_owned(),
        kinds,
        required: flag(map, "required")?,
        default,
        description: text(map, "description")?,
        aliases: aliases(map)?,
    };
    match &made.default {
        Some(_) if made.required => Err("what is required has no default".to_owned()),
        Some(default) if !made.takes(default) => {
            let wanted = made.kinds.clone();
            Err(Invalid { name: "default".to_owned(), wanted, given: default.clone() }.english())
        }
        _ => Ok(made),
    }
}

/// Holds names and aliases to one meaning each.
fn names_once(parameters: &[Parameter]) -> Result<(), String> {
    let mut seen = std::collections::HashSet::new();
    let mut names = parameters.iter().flat_map(|parameter| std::iter::once(&parameter.name).chain(&parameter.aliases));
    match names.find(|name| !seen.insert(name.as_str())) {
        Some(name) => Err(format!("`{name}` is the name of two parameters")),
        None => Ok(()),
    }
}

fn map<'a>(value: &'a Value, valid: &[&str]) -> Result<&'a Object, String> {
    let map = value.as_object().ok_or_else(|| format!("must be a map with {}", valid.join(", ")))?;
    match map.keys().find(|key| !valid.contains(&key.as_str())) {
        None => Ok(map),
        Some(key) => {
            let hint =
                nearest(key, valid.iter().copied()).map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
            Err(format!("unknown key `{key}`{hint}; valid: {}", valid.join(", ")))
        }
    }
}

fn text(map: &Object, key: &str) -> Result<String, String> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.trim().to_owned()),
        Some(_) => Err(format!("`{key}` must be a string")),
    }
}

fn flag(map: &Object, key: &str) -> Result<bool, String> {
    match map.get(key) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(format!("`{key}` must be true or false")),
    }
}

fn aliases(map: &Object) -> Result<Vec<String>, String> {
    let wrong = || "`aliases` must be a list of names".to_owned();
    match map.get("aliases") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(names)) => {
            names.iter().map(|name| name.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
        }
        Some(_) => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_in_a_file_is_named() {
        for (text, words) in [
            ("- a", "not a map of tools"),
            ("a: {paramters: {}}", "a: unknown key `paramters`, did you mean `parameters`?"),
            ("a: {parameters: {b: {type: int}}}", "a: b: unknown type `int`; valid: any, string, integer"),
            (
                "a: {parameters: {b: {type: integer, default: x}}}",
                "a: b: `default` must be a whole number, not the string \"x\"",
            ),
            ("a: {parameters: {b: {required: true, default: x}}}", "a: b: what is required has no default"),
            ("a: {parameters: {b: {required: yes}}}", "`required` must be true or false"),
            ("a: {parameters: {b: {}, c: {aliases: [b]}}}", "a: `b` is the name of two parameters"),
            ("a: {parameters: {b: {aliases: c}}}", "`aliases` must be a list of names"),
            ("a: {}\na: {}", "duplicate"),
            ("a: [", ""),
        ] {
            let message = read(text).expect_err(text);
            assert!(message.contains(words), "{text}: {message}");
        }
    }
}
