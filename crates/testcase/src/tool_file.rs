//! The files that a project names under `tools` → its tools, their steps unread.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Number, Value};

use super::case::{NamedFile, Project};
use super::control;
use super::error::Error;
use super::expression::holds_variables;
use super::formula::is_word;
use super::library::Library;
use super::node::{Data, Entry, Node};
use super::own_tool::{OwnTool, Parameter, ValueKind};
use super::own_tools::OwnTools;
use super::parts::is_name;
use super::reader::Reader;
use super::texts::Tree;
use super::vocabulary::Vocabulary;
use super::{keys, nearest};
use crate::action::Span;

/// Keys of a tool's file, and of one of its parameters.
pub(super) const KEYS: [&str; 8] = ["name", "group", "description", "parameters", "steps", "return", "agents", "allow"];
const PARAMETER: [&str; 8] = ["type", "description", "secret", "required", "default", "minimum", "maximum", "enum"];

/// Longest name, so that hosts take it with `uixt__` before it.
const LONGEST: usize = 58;

/// Most files that a project's tools may be in.
const MOST: usize = 500;

/// Reads the heads of a project's tools.
pub(super) fn read_all(project: &Arc<Project>, library: &Library, vocabulary: &Vocabulary<'_>) -> OwnTools {
    let mut own = OwnTools { project: Arc::clone(project), ..OwnTools::default() };
    let mut seen: Vec<PathBuf> = Vec::new();
    for named in &project.tools {
        let found = found(project.folder(), &named.path).unwrap_or_else(|why| {
            own.errors.push(at_project(project, named, &why));
            Vec::new()
        });
        for path in found {
            if seen.contains(&path) {
                continue;
            }
            let shown = shown(&path);
            match library.tree(&path, &shown).as_ref() {
                Ok(tree) => read(&mut own, tree, &path, vocabulary),
                Err(errors) => own.errors.extend(errors.iter().cloned()),
            }
            seen.push(path);
        }
    }
    own
}

fn at_project(project: &Project, named: &NamedFile, why: &str) -> Error {
    let place = Some((named.place.line.into(), named.place.column.into()));
    Error::of_another(project.file.as_deref().unwrap_or_default(), place, why)
}

/// Returns the files that a path means: a file, those of a folder, or those of a folder whose names fit `*`.
fn found(folder: &Path, written: &str) -> Result<Vec<PathBuf>, String> {
    let path = folder.join(written);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (inside, pattern) = match (path.is_dir(), name.contains('*')) {
        (true, _) => (path.as_path(), "*"),
        (false, true) => (path.parent().unwrap_or(folder), name.as_str()),
        (false, false) => {
            return path.canonicalize().map(|path| vec![path]).map_err(|_| format!("there is no file {written}"));
        }
    };
    if inside.to_string_lossy().contains('*') {
        return Err("`*` stands for a part of a file's name, not of a folder's".to_owned());
    }
    let entries = std::fs::read_dir(inside).map_err(|_| format!("there is no folder for {written}"))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| is_yaml(name) && fits(pattern, name)).collect();
    names.sort();
    match names.len() {
        0 => Err(format!("no file fits {written}")),
        MOST.. => Err(format!("more than {MOST} files fit {written}")),
        _ => Ok(names.iter().filter_map(|name| inside.join(name).canonicalize().ok()).collect()),
    }
}

fn is_yaml(name: &str) -> bool {
    !name.starts_with('.') && [".yaml", ".yml", ".json"].iter().any(|end| name.to_lowercase().ends_with(end))
}

/// Tells whether a name fits a pattern, in which `*` is any number of characters.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(after) = name.strip_prefix(before) else { return false };
    let ends = after.char_indices().map(|(at, _)| at).chain([after.len()]);
    rest.is_empty() || ends.into_iter().any(|at| fits(rest, &after[at..]))
}

/// Shows a path below the working directory without it.
fn shown(file: &Path) -> String {
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    file.strip_prefix(here).unwrap_or(file).to_string_lossy().replace('\\', "/")
}

/// Reads a file's head and puts its tool among the others.
fn read(own: &mut OwnTools, tree: &Tree, path: &Path, vocabulary: &Vocabulary<'_>) {
    let mut reader = Reader::new(&tree.source, vocabulary);
    let tool = head(&mut reader, &tree.root, path);
    if let Some(other) = own.tools.iter().find(|other| other.name == tool.name) {
        let at = format!("the other is at {}:{}:{}", other.file, other.place.line, other.place.column);
        reader.refuse_with_help(tool.place, format!("two tools are called `{}`", tool.name), at);
    }
    match reader.errors.is_empty() {
        true => own.tools.push(Arc::new(tool)),
        false => own.errors.append(&mut reader.errors),
    }
}

fn head(reader: &mut Reader<'_>, root: &Node, path: &Path) -> OwnTool {
    let mut tool = OwnTool {
        name: String::new(),
        description: String::new(),
        parameters: Vec::new(),
        for_agents: true,
        allowed: Vec::new(),
        returned: None,
        returned_at: Span::default(),
        path: path.to_path_buf(),
        file: reader.source.file.clone(),
        place: Span { length: 0, ..root.place.span },
    };
    for entry in reader.map(root, "a tool's file") {
        let node = &entry.value;
        match entry.key.as_str() {
            "name" | "group" | "steps" => {}
            "description" => tool.description = reader.text(node, "`description`").unwrap_or_default(),
            "parameters" => tool.parameters = parameters(reader, node),
            "return" => (tool.returned, tool.returned_at) = (Some(node.to_written()), node.place.span),
            "agents" => tool.for_agents = control::flag(reader, entry),
            "allow" => tool.allowed = allowed(reader, node),
            _ => reader.unknown_key(entry, "a tool's file", &KEYS),
        }
    }
    name(reader, root, &mut tool);
    if tool.description.trim().is_empty() {
        let help = "write `description: …`: people and agents choose the tool by it";
        reader.refuse_with_help(tool.place, "the tool has no description", help);
    }
    let has = |key: &str| root.entry(key).is_some_and(|entry| !entry.value.is_null());
    if !has("steps") && !has("return") {
        reader.refuse_with_help(tool.place, "the tool does nothing", "write `steps`, as a testcase has them");
    }
    tool
}

/// Reads the tool's name, with its group before it.
fn name(reader: &mut Reader<'_>, root: &Node, tool: &mut OwnTool) {
    let Some(entry) = root.entry("name") else {
        return reader.refuse_with_help(tool.place, "the tool has no name", "write `name: log_in`");
    };
    tool.place = entry.shown_place();
    let mut word = |entry: &Entry| {
        let word = reader.text(&entry.value, &format!("`{}`", entry.key))?;
        if is_plain(&word) {
            return Some(word);
        }
        let help = "a name is made of the letters a to z, digits and single `_`, and begins with a letter: `log_in`";
        reader.refuse_with_help(entry.shown_place(), format!("`{word}` is no name for a tool or a group"), help);
        None
    };
    let Some(own) = word(entry) else { return };
    let group = root.entry("group").filter(|entry| !entry.value.is_null()).map(word);
    tool.name = match group {
        Some(None) => return,
        Some(Some(group)) => format!("{group}__{own}"),
        None => own,
    };
    let name = tool.name.as_str();
    let taken = [&keys::STEP[..], &keys::PLATFORMS, &["config", "teststeps", "validators"]].concat();
    let why = match (reader.vocabulary.facts)(name) {
        Some(_) => format!("`{name}` is a tool of uixt's own"),
        None if taken.contains(&name) => format!("`{name}` is a key of steps"),
        None if name.starts_with("uixt__") => "the group `uixt` is for uixt's own tools".to_owned(),
        None if name.len() > LONGEST => {
            format!("`{name}` is longer than {LONGEST} characters, which some hosts refuse")
        }
        None => return,
    };
    reader.refuse_with_help(tool.place, why, "choose another name, or put it into a `group`");
}

fn is_plain(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.chars().all(|next| next.is_ascii_lowercase() || next.is_ascii_digit() || next == '_')
        && !word.contains("__")
        && !word.ends_with('_')
}

/// Reads the tools that its steps may call whoever calls it.
fn allowed(reader: &mut Reader<'_>, node: &Node) -> Vec<&'static str> {
    let mut allowed = Vec::new();
    for word in reader.words(node, "`allow`") {
        match (reader.vocabulary.find)(&word).filter(|_| (reader.vocabulary.facts)(&word).is_some()) {
            Some(name) => allowed.push(name),
            None => reader.refuse_with_help(
                node.place.span,
                format!("unknown tool `{word}`"),
                "`allow` names tools of uixt's own, such as `shell`",
            ),
        }
    }
    allowed
}

fn parameters(reader: &mut Reader<'_>, node: &Node) -> Vec<Parameter> {
    let entries = reader.map(node, "`parameters`");
    entries.iter().map(|entry| parameter(reader, entry)).collect()
}

fn parameter(reader: &mut Reader<'_>, entry: &Entry) -> Parameter {
    let name = &entry.key;
    if !is_name(name) {
        let help = "a name is made of the letters a to z, digits and `_`, and begins with no digit";
        reader.refuse_with_help(entry.place.span, format!("`{name}` is not a name for a parameter"), help);
    } else if is_word(name) {
        let help = "choose another name, by which an expression can mean it";
        let message = format!("`{name}` is a word of expressions, and no name for a parameter");
        reader.refuse_with_help(entry.place.span, message, help);
    }
    let mut parameter = Parameter { name: name.clone(), is_required: true, ..Parameter::default() };
    let mut says_required = false;
    for inner in reader.map(&entry.value, &format!("the parameter `{name}`")) {
        let value = &inner.value;
        match inner.key.as_str() {
            "type" => parameter.kind = kind(reader, value),
            "description" => parameter.description = reader.text(value, "`description`").unwrap_or_default(),
            "secret" => parameter.is_secret = control::flag(reader, inner),
            "required" => (parameter.is_required, says_required) = (control::flag(reader, inner), true),
            "default" | "enum" => {}
            "minimum" => parameter.minimum = number(reader, inner),
            "maximum" => parameter.maximum = number(reader, inner),
            _ => reader.unknown_key(inner, &format!("the parameter `{name}`"), &PARAMETER),
        }
    }
    if parameter.description.trim().is_empty() {
        let help = "write `description: …`: people and agents learn from it what to give";
        reader.refuse_with_help(entry.place.span, format!("the parameter `{name}` has no description"), help);
    }
    check_limits(reader, &entry.value, &parameter);
    values(reader, &entry.value, &mut parameter, says_required);
    parameter
}

/// Reports limits between which no number lies.
fn check_limits(reader: &mut Reader<'_>, node: &Node, parameter: &Parameter) {
    let number = |limit: &Option<Value>| limit.as_ref().and_then(Value::as_f64);
    let (Some(minimum), Some(maximum)) = (number(&parameter.minimum), number(&parameter.maximum)) else { return };
    let whole = parameter.kind == ValueKind::Integer;
    let is_empty = minimum > maximum || (whole && minimum.ceil() > maximum.floor());
    if let Some(entry) = node.entry("maximum").filter(|_| is_empty) {
        let name = &parameter.name;
        let message = format!("no value of `{name}` is at least {minimum} and at most {maximum}");
        reader.refuse_with_help(
            entry.shown_place(),
            message,
            "`minimum` is the smallest value, `maximum` the greatest",
        );
    }
}

/// Reads the values that a parameter may have, and the one that it has where none is given.
fn values(reader: &mut Reader<'_>, node: &Node, parameter: &mut Parameter, says_required: bool) {
    let mut read = |node: &Node, parameter: &Parameter| {
        let value = parameter.fitted(node.to_written());
        if holds_variables(&value) {
            reader.refuse(node.place.span, "a parameter's values are written out, without expressions");
        } else if let Some(problem) = parameter.problem(&value) {
            reader.refuse(node.place.span, problem);
        }
        value
    };
    let choices: &[Node] = match node.entry("enum").map(|entry| &entry.value.data) {
        Some(Data::Seq(items)) => items,
        _ => &[],
    };
    parameter.choices = choices.iter().map(|choice| read(choice, parameter)).collect();
    if let Some(entry) = node.entry("default").filter(|entry| !entry.value.is_null()) {
        parameter.default = Some(read(&entry.value, parameter));
        if parameter.is_required && says_required {
            reader.refuse(entry.place.span, "a parameter with a `default` is not required");
        }
        parameter.is_required = false;
    }
    let is_number = matches!(parameter.kind, ValueKind::Integer | ValueKind::Number);
    for entry in ["minimum", "maximum"].iter().filter_map(|key| node.entry(key)).filter(|_| !is_number) {
        reader.refuse(entry.place.span, format!("`{}` is for numbers", entry.key));
    }
    if let Some(entry) = node.entry("enum").filter(|_| choices.is_empty()) {
        reader.refuse(entry.shown_place(), "`enum` is a list of values");
    }
}

fn kind(reader: &mut Reader<'_>, node: &Node) -> ValueKind {
    let word = reader.text(node, "`type`").unwrap_or_default();
    let names = || ValueKind::NAMES.iter().map(|(name, ..)| *name);
    if let Some((_, kind, _)) = ValueKind::NAMES.iter().find(|(name, ..)| *name == word) {
        return *kind;
    }
    let error = Error::at(reader.source, node.place.span, format!("unknown type `{word}`"));
    let help = format!("valid: {}", names().collect::<Vec<_>>().join(", "));
    reader.report(error.with_hint(nearest::hint(&word, names())).with_help(Some(help)));
    ValueKind::default()
}

fn number(reader: &mut Reader<'_>, entry: &Entry) -> Option<Value> {
    if let Data::Number(number) = &entry.value.data {
        return Some(Number::clone(number).into());
    }
    reader.refuse(entry.shown_place(), format!("`{}` is a number", entry.key));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_part_of_a_name() {
        for (pattern, name, expected) in [
            ("*.yaml", "a.yaml", true),
            ("*.yaml", ".yaml", true),
            ("shop_*.yaml", "shop_pay.yaml", true),
            ("shop_*.yaml", "pay.yaml", false),
            ("*_*_b", "a_x_b", true),
            ("*", "", true),
            ("a*", "a", true),
            ("a*b", "a", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
