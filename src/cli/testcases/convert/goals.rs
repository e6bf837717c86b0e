//! A testcase's values → the same with every goal that is stored in the place of its words: as the steps that reached it.

use serde_json::{Map, Value, json};
use uixt_call::Aim;
use uixt_locate::naming::short_target;

use crate::tools;
use uixt_tools_ai::{ScreenContents, StoredGoal, StoredStep};

/// The arguments that have the words of a goal.
const WORDS: [&str; 2] = ["goal", "prompt"];
/// Texts at the end that are asserted, at most.
const MOST_ASSERTED: usize = 3;

/// Writes out the goals in a file's values; returns how many were, and those that are not stored.
pub(super) fn write_out(value: &mut Value, stored: &[StoredGoal]) -> (usize, Vec<String>) {
    let (mut count, mut missing) = (0, Vec::new());
    visit(value, stored, &mut count, &mut missing);
    (count, missing)
}

fn visit(value: &mut Value, stored: &[StoredGoal], count: &mut usize, missing: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| visit(item, stored, count, missing)),
        Value::Object(map) => {
            map.values_mut().for_each(|value| visit(value, stored, count, missing));
            let Some((key, words)) = goal_of(map) else { return };
            match stored.iter().find(|known| known.goal == words) {
                Some(goal) => {
                    *map = steps(std::mem::take(map), &key, goal);
                    *count += 1;
                }
                None => missing.push(words),
            }
        }
        _ => {}
    }
}

/// Returns the goal of a step, and the key that it stands under.
fn goal_of(step: &Map<String, Value>) -> Option<(String, String)> {
    step.iter().find_map(|(key, value)| {
        let tool = tools::find(key)?;
        let Aim::Goal(own) = tool.aim else { return None };
        let words = match value {
            Value::String(words) => words.as_str(),
            Value::Object(map) => [own].iter().chain(&WORDS).find_map(|name| map.get(*name)?.as_str())?,
            _ => return None,
        };
        Some((key.clone(), words.to_owned()))
    })
}

/// Puts the steps of a goal in the place of its words, under its words as their name.
fn steps(mut step: Map<String, Value>, key: &str, goal: &StoredGoal) -> Map<String, Value> {
    step.shift_remove(key);
    let mut written = Map::new();
    if !step.contains_key("name") {
        written.insert("name".to_owned(), goal.goal.clone().into());
    }
    written.extend(step);
    written.insert("steps".to_owned(), plain(goal).into());
    written
}

/// Writes a goal as plain steps, with assertions of what was new at its end.
pub(in crate::cli) fn plain(goal: &StoredGoal) -> Vec<Value> {
    let arguments = |step: &StoredStep| match step.tool.as_str() {
        "tap" | "tap_element" => short_target(&step.arguments),
        _ => Value::Object(step.arguments.clone()),
    };
    let calls = goal.steps.iter().map(|step| json!({&step.tool: arguments(step)}));
    let before = goal.steps.last().map(|step| &step.on);
    let new = news(before, &goal.end).into_iter();
    let asserted = new.map(|text| json!({"assert_visible": {"text": text, "exact": true}}));
    calls.chain(asserted).collect()
}

/// Returns what the last step brought about.
fn news(before: Option<&ScreenContents>, end: &ScreenContents) -> Vec<String> {
    let was = |text: &String| before.is_some_and(|before| before.texts.contains(text));
    let new = end.texts.iter().filter(|text| *text != "*" && !was(text) && !text.ends_with(" (checked)"));
    let mut texts: Vec<String> = new.cloned().collect();
    texts.dedup();
    texts.truncate(MOST_ASSERTED);
    texts
}
