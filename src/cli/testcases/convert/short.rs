//! A testcase's values → the same with every step of `HttpRunner`'s form in the short form.

use serde_json::{Map, Value, json};
use uixt_call::{CallOptions, Shape};

use crate::action::MobileAction;
use crate::testcase::{Check, Step, TestCase};
use crate::tools;

/// The platforms under which `HttpRunner` writes actions.
const PLATFORMS: [&str; 4] = ["android", "ios", "harmony", "browser"];

/// Rewrites the steps of a file; `case` is the same file, loaded.
pub(super) fn file(mut source: Value, case: &TestCase) -> Value {
    let steps = source.get_mut("teststeps").and_then(Value::as_array_mut);
    for (written, step) in steps.into_iter().flatten().zip(&case.steps) {
        if let Some(short) = self::step(written, step) {
            *written = short;
        }
    }
    source
}

/// Returns a step in the short form; none where it is in it, or where only the other form says what it says.
fn step(written: &Value, step: &Step) -> Option<Value> {
    let written = written.as_object()?;
    let platform = PLATFORMS.iter().find(|platform| written.contains_key(**platform))?;
    if written[*platform].get("serial").is_some() {
        return None;
    }
    let actions = step.actions().iter().map(action).collect::<Option<Vec<_>>>()?;
    if actions.len() > 1 && (step.closes_popups || step.anti_risk) {
        // Every step of a group would close pop-ups, where the step does once; and a group tells of no touches.
        return None;
    }
    let mut short = Map::new();
    for (key, value) in written {
        match key.as_str() {
            key if key == *platform => put(&mut short, &actions),
            "validate" => {
                short.insert(key.clone(), step.validate.iter().map(check).collect());
            }
            _ => {
                short.insert(key.clone(), value.clone());
            }
        }
    }
    Some(Value::Object(short))
}

/// Puts one action beside the step's keys, several under `steps`.
fn put(short: &mut Map<String, Value>, actions: &[(String, Value)]) {
    match actions {
        [] => {}
        [(tool, value)] => {
            short.insert(tool.clone(), value.clone());
        }
        several => {
            let steps = several.iter().map(|(tool, value)| json!({tool: value})).collect();
            short.insert("steps".to_owned(), steps);
        }
    }
}

/// Returns the tool's name and what stands under it; none where a variable may stand for several arguments.
fn action(action: &MobileAction) -> Option<(String, Value)> {
    let request = tools::table().request(action).ok()?;
    let tool = tools::find(&request.name)?;
    let name = tool.name.to_owned();
    if matches!(tool.params, Shape::Nothing) && action.options.is_empty() {
        return Some((name, Value::Null));
    }
    if action.options.is_empty() {
        return Some((name, action.params.clone()));
    }
    let one_for_many = match tool.params {
        Shape::Fields(fields) => fields.len() > 1,
        Shape::TextOrNumbers(..) | Shape::Whole(_) => true,
        Shape::Nothing | Shape::Text(_) => false,
    };
    if one_for_many && action.params.as_str().is_some_and(|text| text.contains('$')) {
        return None;
    }
    let mut map = request.arguments.unwrap_or_default();
    let options = action.options.iter().filter(|(key, _)| CallOptions::knows(key));
    map.extend(options.map(|(key, value)| (key.clone(), value.clone())));
    Some((name, Value::Object(map)))
}

fn check(check: &Check) -> Value {
    let mut item = Map::new();
    item.insert(check.action.method.clone(), short_check(&check.action));
    item.extend(check.message.clone().map(|message| ("msg".to_owned(), message)));
    Value::Object(item)
}

/// Returns a check's arguments; the only one that is needed stands by itself.
fn short_check(action: &MobileAction) -> Value {
    let first = match tools::find(&action.method).map(|tool| tool.params) {
        Some(Shape::Fields([first, ..])) => *first,
        _ => return action.params.clone(),
    };
    match &action.params {
        Value::Object(map) if map.len() == 1 && map.get(first).is_some_and(Value::is_string) => map[first].clone(),
        params => params.clone(),
    }
}
