//! What is wrong with arguments → sentences: for a testcase with the place of each, for an agent all in one error.

use serde_json::{Value, json};
use uixt_locate::{Error, Kind};
use uixt_schema::{Rule, Violation};

use super::problem::Problem;
use super::{valid, valid_list, valid_names};
use crate::action::Diagnostic;
use crate::{ToolRow, schema};

pub(super) fn complaint(path: String, message: String) -> Diagnostic {
    Diagnostic { path, at_key: false, message, hint: None, help: None }
}

pub(super) fn source_of(sources: &[(String, String)], argument: &str) -> String {
    sources.iter().find(|(name, _)| name == argument).map_or_else(|| "/params".to_owned(), |(_, path)| path.clone())
}

pub(super) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Returns the argument that a pointer begins with.
fn argument_of(pointer: &str) -> String {
    pointer.trim_start_matches('/').split('/').next().unwrap_or_default().to_owned()
}

/// Writes a pointer as a person would: `/into/indx` → `into.indx`.
pub(super) fn dotted(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".").replace("~1", "/").replace("~0", "~")
}

pub(super) fn describe(violation: &Violation) -> String {
    let (name, value) = (dotted(&violation.pointer), violation.value);
    match &violation.rule {
        Rule::Type(wanted) => {
            let is_bare = wanted[..] == ["string"] && (value.is_number() || value.is_boolean());
            let advice = if is_bare { ": write it in quotes" } else { "" };
            let wanted: Vec<String> = wanted.iter().map(|name| article(name)).collect();
            format!("`{name}` must be {}, not {value}{advice}", wanted.join(" or "))
        }
        Rule::Minimum(limit) => format!("`{name}` must be at least {limit}, not {value}"),
        Rule::Maximum(limit) => format!("`{name}` must be at most {limit}, not {value}"),
        Rule::Enum(options) => format!("`{name}` must be one of {}, not {value}", list(options)),
        Rule::Required(keys) => format!("`{name}` needs {}", keys.join(", ")),
        Rule::AdditionalProperties(keys) => format!("unknown in `{name}`: {}", keys.join(", ")),
        Rule::Other(message) => format!("`{name}`: {message}"),
    }
}

fn list(options: &[Value]) -> String {
    let items = options.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned));
    items.collect::<Vec<_>>().join(", ")
}

fn article(type_name: &str) -> String {
    match type_name {
        "integer" => "a whole number".to_owned(),
        "object" | "array" => format!("an {type_name}").replace("an object", "a map").replace("an array", "a list"),
        "boolean" => "true or false".to_owned(),
        other => format!("a {other}"),
    }
}

pub(super) fn to_complaint(
    tool: &'static ToolRow,
    problem: &Problem,
    sources: &[(String, String)],
    spellings: &[(String, String)],
) -> Diagnostic {
    let written = |name: &str| {
        spellings
            .iter()
            .find(|(known, _)| known == name)
            .map_or_else(|| name.to_owned(), |(_, written)| written.clone())
    };
    let place = |pointer: &str| {
        let inner =
            pointer.trim_start_matches('/').split_once('/').map(|(_, rest)| format!("/{rest}")).unwrap_or_default();
        source_of(sources, &written(&argument_of(pointer))) + &inner
    };
    match problem {
        Problem::Missing(name) => Diagnostic {
            path: "/method".to_owned(),
            at_key: true,
            message: format!("`{}` needs `{name}`", tool.name),
            hint: None,
            help: Some(valid_list(&own(tool))),
        },
        Problem::Unknown { name, nearest, .. } => Diagnostic {
            path: source_of(sources, &written(name)),
            at_key: true,
            message: format!("unknown argument `{name}` of {}", tool.name),
            hint: nearest.as_ref().map(|near| format!("did you mean `{near}`?")),
            help: Some(valid_list(&own(tool))),
        },
        Problem::Stray { pointer, nearest, valid } => Diagnostic {
            path: place(pointer),
            at_key: true,
            message: format!("unknown argument `{}` of {}", dotted(pointer), tool.name),
            hint: nearest.map(|near| format!("did you mean `{near}`?")),
            help: Some(format!("valid there: {}", valid.join(", "))),
        },
        Problem::Invalid { pointer, message, .. } => complaint(place(pointer), message.clone()),
        Problem::Whole(message) => {
            // It names the argument that it is about first.
            let named = message.split('`').nth(1).map(&written).unwrap_or_default();
            complaint(source_of(sources, &named), format!("{}: {message}", tool.name))
        }
    }
}

/// Returns the names of a tool's own arguments: a testcase has its device from elsewhere.
fn own(tool: &'static ToolRow) -> Vec<&'static str> {
    valid(tool).collect()
}

/// Says which argument is unknown, and what was meant; who calls may name the device, too, by many a name.
fn unknown(tool: &ToolRow, problem: &Problem) -> Option<String> {
    const DEVICE: [&str; 5] = ["device", "device_id", "device_serial", "udid", "deviceId"];
    match problem {
        Problem::Unknown { name, .. } if tool.needs_device && DEVICE.contains(&name.as_str()) => {
            Some(format!("{name} (did you mean serial?)"))
        }
        problem => problem.unknown(),
    }
}

/// Says once of each map in an argument what it takes; what a target takes is too much to say, and is in the schema.
fn strays(problems: &[Problem]) -> Vec<String> {
    let told = problems.iter().filter_map(|problem| match problem {
        Problem::Stray { pointer, valid, .. } if !valid.iter().copied().eq(schema::place_keys()) => {
            let (parent, _) = pointer.rsplit_once('/')?;
            Some(format!("`{}` takes {}", dotted(parent), valid.join(", ")))
        }
        _ => None,
    });
    let mut told: Vec<String> = told.collect();
    told.dedup();
    told
}

pub(super) fn to_error(tool: &'static ToolRow, problems: &[Problem]) -> Error {
    let mut parts = Vec::new();
    let missing: Vec<&str> = problems.iter().filter_map(Problem::missing).collect();
    if !missing.is_empty() {
        parts.push(format!("missing: {}", missing.join(", ")));
    }
    let unknown: Vec<String> = problems.iter().filter_map(|problem| unknown(tool, problem)).collect();
    if !unknown.is_empty() {
        parts.push(format!("unknown: {}", unknown.join(", ")));
    }
    parts.extend(problems.iter().filter_map(|problem| match problem {
        Problem::Invalid { message, .. } | Problem::Whole(message) => Some(message.clone()),
        _ => None,
    }));
    parts.extend(strays(problems));
    if tool.name == "batch" {
        parts.push("a step is {tool, arguments}, as {\"tool\": \"home\", \"arguments\": {}}".to_owned());
    }
    parts.push(valid_list(&valid_names(tool)));
    let unknown_names: Vec<String> = problems
        .iter()
        .filter_map(|problem| match problem {
            Problem::Unknown { name, .. } => Some(name.clone()),
            Problem::Stray { pointer, .. } => Some(dotted(pointer)),
            _ => None,
        })
        .collect();
    Error::new(Kind::BadArgument, format!("{}: {}", tool.name, parts.join("; ")))
        .with("missing", json!(missing))
        .with("unknown", json!(unknown_names))
        .with("valid", json!(valid_names(tool)))
}
