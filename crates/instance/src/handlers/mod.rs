//! Actions → patches: what each handler type makes of an action's `patches` and the state. Nothing here changes an instance.

pub(super) mod external;
mod number;
mod operation;

use serde_json::{Map, Value, json};

use super::patch::{Patch, Skipped};
use super::path::{self, Path};
use super::reader::join;
use super::{ActionConfig, Error, HandlerType, Instance, template};

/// The patches of an action, and what could not be computed.
#[derive(Debug, Default)]
pub(super) struct Computed {
    pub(super) patches: Vec<Patch>,
    pub(super) skipped: Vec<Skipped>,
}

/// Checks an action's `patches` when an instance is read; `place` is the path of the action.
pub(super) fn check(action: &ActionConfig, place: &str) -> Result<(), Error> {
    let place = join(place, "patches");
    let handler = action.handler_type.unwrap_or(HandlerType::Set);
    if handler == HandlerType::External {
        return external::Config::read(&Value::Object(action.patches.clone()), &place).map(drop);
    }
    for (path, value) in &action.patches {
        check_entry(handler, path, value).map_err(|error| match error {
            Error::InvalidPath { path, reason } => Error::structure(&place, format!("path `{path}`: {reason}")),
            Error::InvalidStructure { message, .. } => Error::structure(&join(&place, path), message),
            other => other,
        })?;
    }
    Ok(())
}

fn check_entry(handler: HandlerType, path: &str, value: &Value) -> Result<(), Error> {
    Path::parse(path)?;
    match handler {
        HandlerType::Increment | HandlerType::Decrement if !value.is_number() => {
            Err(Error::structure(path, "must be a number"))
        }
        HandlerType::Toggle if *value != Value::Bool(true) => Err(Error::structure(path, "must be true")),
        HandlerType::Set => operation::Operation::read(path, value).map(drop),
        _ => Ok(()),
    }
}

/// Computes the patches of any action but an external one.
pub(super) fn compute(instance: &Instance, action: &ActionConfig) -> Computed {
    let mut computed = Computed::default();
    // Only what the patches name is looked at, so the page is turned into JSON once.
    let root = instance.to_json();
    for (path, value) in &action.patches {
        match compute_one(instance, &root, action.handler_type.unwrap_or(HandlerType::Set), path, value) {
            Ok(patch) => computed.patches.push(patch),
            Err(error) => {
                computed.skipped.push(Skipped { patch: json!({"op": "set", "path": path, "value": value}), error });
            }
        }
    }
    computed
}

fn compute_one(
    instance: &Instance,
    root: &Value,
    handler: HandlerType,
    path: &str,
    value: &Value,
) -> Result<Patch, Error> {
    let parsed = Path::parse(path)?;
    let current = path::lookup(root, path);
    let new = match handler {
        HandlerType::Set => match operation::Operation::read(path, value)? {
            Some(operation) => operation.run(current, &parsed)?,
            None => value.clone(),
        },
        HandlerType::Increment => number::add(current, value, 1, &parsed)?,
        HandlerType::Decrement => number::add(current, value, -1, &parsed)?,
        HandlerType::Toggle => number::toggle(current, &parsed)?,
        HandlerType::TemplateState if !parsed.in_state() => value.clone(),
        HandlerType::Template | HandlerType::TemplateAll | HandlerType::TemplateState => {
            rendered(instance, value, &parsed)
        }
        HandlerType::External => return Err(parsed.invalid("an external action is not computed here")),
    };
    Ok(Patch::set(path, new))
}

/// Renders a template. Labels, descriptions and the like are texts, so what a plain value becomes outside of the state is its text.
fn rendered(instance: &Instance, value: &Value, path: &Path) -> Value {
    let rendered = template::render(value, instance.state());
    match rendered {
        Value::Null if value.is_string() => json!(""),
        Value::Bool(_) | Value::Number(_) if value.is_string() && !path.in_state() => json!(super::text_of(&rendered)),
        other => other,
    }
}

/// Puts `updates` into `target`; objects in objects are put together likewise, everything else is replaced.
fn merge(target: &mut Map<String, Value>, updates: &Map<String, Value>) {
    for (key, update) in updates {
        match (target.get_mut(key), update) {
            (Some(Value::Object(old)), Value::Object(new)) => merge(old, new),
            _ => {
                target.insert(key.clone(), update.clone());
            }
        }
    }
}
