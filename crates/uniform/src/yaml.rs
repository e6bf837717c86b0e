//! A YAML file of tools, each with a description and parameters → definitions. Strict: whatever is not known there is an error.

use super::LARGEST;
use super::definition::{Definition, Parameter};
use super::definitions::Malformed;
use super::kind::Kind;
use super::placed::{self, Data, Entry, Node};
use super::problem::Invalid;
use serde_json::Value;
use uixt_schema::nearest;

const OF_TOOL: &[&str] = &["description", "parameters", "takes_unknown"];
const OF_PARAMETER: &[&str] = &["type", "required", "default", "description", "aliases"];

/// The word for a parameter of any type.
const ANY: &str = "any";

/// What is wrong, and with which tool or parameter.
type Read<T> = Result<T, Malformed>;

pub(super) fn read(text: &str) -> Read<Vec<Definition>> {
    if text.len() > LARGEST {
        let message = format!("longer than {} MiB", LARGEST >> 20);
        return Err(Malformed { line: 1, column: 1, message });
    }
    let root = placed::read(text)?;
    let Data::Map(tools) = &root.data else { return Err(root.place.wrong("not a map of tools")) };
    tools.iter().map(|entry| tool(entry).map_err(|wrong| wrong.within(&entry.key))).collect()
}

fn tool(entry: &Entry) -> Read<Definition> {
    let map = map(entry, OF_TOOL)?;
    let parameters = match get(map, "parameters").map(|entry| &entry.value) {
        None => Vec::new(),
        Some(Node { data: Data::Map(parameters), .. }) => {
            let read = |entry: &Entry| parameter(entry).map_err(|wrong| wrong.within(&entry.key));
            let read = parameters.iter().map(read).collect::<Read<Vec<_>>>()?;
            names_once(parameters, &read)?;
            read
        }
        Some(other) => return Err(other.place.wrong("`parameters` must be a map")),
    };
    Ok(Definition {
        name: entry.key.clone(),
        description: text(map, "description")?,
        parameters,
        open: flag(map, "takes_unknown")?,
        whole: None,
    })
}

fn parameter(entry: &Entry) -> Read<Parameter> {
    let map = map(entry, OF_PARAMETER)?;
    let made = Parameter {
        name: entry.key.clone(),
        kinds: kinds(map)?,
        required: flag(map, "required")?,
        default: get(map, "default").map(|entry| entry.value.to_value()),
        description: text(map, "description")?,
        aliases: aliases(map)?,
    };
    let place = get(map, "default").map_or(entry.place, |entry| entry.value.place);
    match &made.default {
        Some(_) if made.required => Err(place.wrong("what is required has no default")),
        Some(default) if !made.takes(default) => {
            let wanted = made.kinds.clone();
            let invalid = Invalid { name: "default".to_owned(), wanted, given: default.clone() };
            Err(place.wrong(invalid.english()))
        }
        _ => Ok(made),
    }
}

fn kinds(map: &[Entry]) -> Read<Vec<Kind>> {
    let word = text(map, "type")?;
    if word.is_empty() || word == ANY {
        return Ok(Vec::new());
    }
    let place = get(map, "type").map(|entry| entry.value.place);
    match (Kind::of_name(&word), place) {
        (None, Some(place)) => Err(place
            .wrong(format!("unknown type `{word}`; valid: {ANY}, string, integer, number, boolean, array, object"))),
        (kind, _) => Ok(kind.into_iter().collect()),
    }
}

/// Holds names and aliases to one meaning each.
fn names_once(entries: &[Entry], parameters: &[Parameter]) -> Read<()> {
    let mut seen = std::collections::HashSet::new();
    let names = entries.iter().zip(parameters).flat_map(|(entry, parameter)| {
        std::iter::once(&parameter.name).chain(&parameter.aliases).map(move |name| (entry, name))
    });
    for (entry, name) in names {
        if !seen.insert(name.as_str()) {
            return Err(entry.place.wrong(format!("`{name}` is the name of two parameters")));
        }
    }
    Ok(())
}

/// Returns what a key holds; none where it is empty.
fn get<'a>(map: &'a [Entry], key: &str) -> Option<&'a Entry> {
    map.iter().find(|entry| entry.key == key && !entry.value.is_null())
}

/// Returns the entries of a map; what is empty has none.
fn map<'a>(entry: &'a Entry, valid: &[&str]) -> Read<&'a [Entry]> {
    let Data::Map(entries) = &entry.value.data else {
        return Err(entry.value.place.wrong(format!("must be a map with {}", valid.join(", "))));
    };
    let Some(unknown) = entries.iter().find(|entry| !valid.contains(&entry.key.as_str())) else { return Ok(entries) };
    let near = nearest(&unknown.key, valid.iter().copied());
    let hint = near.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
    Err(unknown.place.wrong(format!("unknown key `{}`{hint}; valid: {}", unknown.key, valid.join(", "))))
}

fn text(map: &[Entry], key: &str) -> Read<String> {
    match get(map, key).map(|entry| (&entry.value.data, entry.value.place)) {
        None => Ok(String::new()),
        Some((Data::Scalar(Value::String(text)), _)) => Ok(text.trim().to_owned()),
        Some((_, place)) => Err(place.wrong(format!("`{key}` must be a string"))),
    }
}

fn flag(map: &[Entry], key: &str) -> Read<bool> {
    match map.iter().find(|entry| entry.key == key).map(|entry| &entry.value) {
        None => Ok(false),
        Some(Node { data: Data::Scalar(Value::Bool(flag)), .. }) => Ok(*flag),
        Some(other) => Err(other.place.wrong(format!("`{key}` must be true or false"))),
    }
}

fn aliases(map: &[Entry]) -> Read<Vec<String>> {
    let Some(entry) = get(map, "aliases") else { return Ok(Vec::new()) };
    let wrong = |node: &Node| node.place.wrong("`aliases` must be a list of names");
    let Data::List(names) = &entry.value.data else { return Err(wrong(&entry.value)) };
    let name = |node: &Node| node.to_value().as_str().map(str::to_owned).ok_or_else(|| wrong(node));
    names.iter().map(name).collect()
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
            let message = read(text).expect_err(text).to_string();
            assert!(message.contains(words), "{text}: {message}");
        }
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        for (text, told) in [
            ("a:\n  paramters: {}", "2:3: a: unknown key `paramters`"),
            ("a:\n  parameters:\n    b: {type: int}", "3:15: a: b: unknown type `int`"),
            ("a:\n  parameters:\n    b: {type: integer, default: x}", "3:33: a: b: `default`"),
            ("a:\n  parameters:\n    b: {aliases: [c]}\n    c:\n      type: string", "4:5: a: `c` is the name of two"),
            ("a: {description: x}\nb: {}\na: {}", "3:1: "),
            ("a: [", "1:"),
        ] {
            let message = read(text).expect_err(text).to_string();
            assert!(message.starts_with(told), "{text}: {message}");
        }
    }
}
