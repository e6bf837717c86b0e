//! What is wrong with a tool's arguments: they are held to its schema and its own checks.

use serde_json::Value;
use uixt_locate::Object;
use uixt_schema::{Rule, Violation, nearest};

use super::valid;
use super::wording::{describe, dotted, escape};
use crate::schema::PLATFORM;
use crate::then::THEN;
use crate::{CallOptions, Table, ToolRow, schema};

/// One thing that is wrong with a tool's arguments.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Problem {
    Missing(String),
    Unknown {
        name: String,
        nearest: Option<String>,
    },
    /// A value is not what it must be; `pointer` leads to it within the arguments.
    Invalid {
        pointer: String,
        message: String,
    },
    /// A map in an argument, mostly a target, has a key that such maps do not have; `pointer` leads to it.
    Stray {
        pointer: String,
        nearest: Option<&'static str>,
        valid: Vec<&'static str>,
    },
    /// The arguments contradict each other.
    Whole(String),
}

/// Returns everything that is wrong; the arguments come back as they were.
pub(super) fn problems(
    table: &Table,
    tool: &'static ToolRow,
    arguments: &mut Object,
    holds: &dyn Fn(&Value) -> bool,
) -> Vec<Problem> {
    let schema = tool.schema();
    let mut problems: Vec<Problem> = arguments
        .keys()
        .filter(|name| schema.property(name).is_none() && tool.owns(name))
        .map(|name| Problem::Unknown { name: name.clone(), nearest: near(tool, name) })
        .collect();
    problems.extend(
        schema.required().filter(|name| !arguments.contains_key(*name)).map(|name| Problem::Missing(name.to_owned())),
    );
    problems.extend(invalid(tool, arguments, holds));
    let unchecked = |name: &str| tool.unchecked.contains(&name);
    let all_known = arguments.iter().all(|(name, value)| unchecked(name) || !holds(value));
    if problems.is_empty() && all_known {
        let mut own = arguments.clone();
        own.retain(|name, _| tool.owns(name));
        if let Err(message) = tool.checks(own, table) {
            problems.push(Problem::Whole(message));
        }
    }
    problems
}

/// Returns the name that was meant: one of the tool's own, or one of `HttpRunner`'s options.
fn near(tool: &'static ToolRow, name: &str) -> Option<String> {
    let then = [THEN].into_iter().filter(|_| tool.takes_then());
    nearest(name, valid(tool).chain(then)).or_else(|| option_near(name)).map(str::to_owned)
}

/// Some leave out the end of an option's name.
fn option_near(name: &str) -> Option<&'static str> {
    let begun = || CallOptions::effective().find(|option| name.len() >= 5 && option.starts_with(name));
    nearest(name, CallOptions::effective()).or_else(begun)
}

impl ToolRow {
    /// Tells whether an argument is the tool's own, rather than one that picks the device or asks what came of the call.
    pub(super) fn owns(&self, name: &str) -> bool {
        let picks_device = self.needs_device && matches!(name, PLATFORM | "serial");
        !(picks_device || self.takes_then() && name == THEN)
    }
}

fn invalid(tool: &'static ToolRow, arguments: &mut Object, holds: &dyn Fn(&Value) -> bool) -> Vec<Problem> {
    let value = Value::Object(std::mem::take(arguments));
    let problems = violations(tool, &value, holds);
    if let Value::Object(back) = value {
        *arguments = back;
    }
    problems
}

fn violations(tool: &'static ToolRow, arguments: &Value, holds: &dyn Fn(&Value) -> bool) -> Vec<Problem> {
    // Which keys the whole has was looked at before.
    let is_known = |violation: &Violation| {
        violation.pointer.is_empty() && matches!(violation.rule, Rule::AdditionalProperties(_) | Rule::Required(_))
    };
    let violations = tool.schema().validator().violations(arguments);
    violations
        .into_iter()
        .filter(|violation| !is_known(violation))
        .flat_map(|violation| match &violation.rule {
            // Keys are certain even where values are not.
            Rule::AdditionalProperties(keys) => keys.iter().map(|key| stray(tool, &violation.pointer, key)).collect(),
            _ if holds(violation.value) => Vec::new(),
            rule => {
                let message = describe(&violation) + in_pixels(tool, rule);
                vec![Problem::Invalid { pointer: violation.pointer, message }]
            }
        })
        .collect()
}

/// Says where a point in pixels belongs that was given to a tool which takes fractions.
fn in_pixels(tool: &'static ToolRow, rule: &Rule) -> &'static str {
    match rule {
        Rule::Maximum(_) if tool.name == "tap_xy" => "; `tap_abs_xy` takes pixels",
        _ => "",
    }
}

fn stray(tool: &'static ToolRow, parent: &str, key: &str) -> Problem {
    let valid = keys_at(tool, parent);
    Problem::Stray { pointer: format!("{parent}/{}", escape(key)), nearest: nearest(key, valid.iter().copied()), valid }
}

/// Returns the keys of the map that a pointer leads to; what the schema leaves open is a target, or in one.
fn keys_at(tool: &'static ToolRow, pointer: &str) -> Vec<&'static str> {
    let mut parts = pointer.split('/').skip(1);
    let mut schema = parts.next().and_then(|name| tool.schema().property(name));
    for part in parts {
        schema = schema.and_then(|schema| schema.get("items").or_else(|| schema.get("properties")?.get(part)));
    }
    match schema.and_then(|schema| schema.get("properties")?.as_object()) {
        Some(properties) => properties.keys().map(String::as_str).collect(),
        None => schema::place_keys().collect(),
    }
}

impl Problem {
    pub(super) fn missing(&self) -> Option<&str> {
        match self {
            Self::Missing(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn unknown(&self) -> Option<String> {
        match self {
            Self::Unknown { name, nearest: Some(near), .. } => Some(format!("{name} (did you mean {near}?)")),
            Self::Unknown { name, .. } => Some(name.clone()),
            Self::Stray { pointer, nearest: Some(near), .. } => {
                Some(format!("{} (did you mean {near}?)", dotted(pointer)))
            }
            Self::Stray { pointer, nearest: None, .. } => Some(dotted(pointer)),
            _ => None,
        }
    }
}
