//! What a model says → what it wants done. Nothing that cannot be read is guessed at, and nothing read is nothing done: a reply
//! without a plan is an error, never an end.
//!
//! Read are calls of tools, the `Thought: … Action: click(start_box='(x,y)')` of UI-TARS, JSON with `actions`, and the form
//! `<tool><action>{…}</action></tool>`, each as models really write it.

mod act;
mod call_text;
mod json;
mod point;
mod tagged;

use serde_json::{Map, Value};

pub use act::Act;
use json::lenient;
pub use point::Scale;

use super::Reply;

/// What a model wants done next, and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    pub thought: String,
    /// One or more.
    pub acts: Vec<Act>,
}

/// Why a reply is no plan; it says what was read, and is told to the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("the reply has no action: {0:?}")]
    NoAction(String),
    #[error("not an action: {0:?}")]
    NotAnAction(String),
    #[error("there is no action `{0}`")]
    Unknown(String),
    #[error("`{action}` needs `{argument}`")]
    Missing { action: String, argument: &'static str },
    #[error("`{action}`: {text:?} is not a place on the picture")]
    NoPlace { action: String, text: String },
    #[error("the arguments of `{name}` are not a JSON object: {text:?}")]
    NoArguments { name: String, text: String },
    #[error("the model says that it cannot go on: {0}")]
    GaveUp(String),
}

/// Reads the JSON object of an answer, which may stand between words or in a code fence; none where several say different things.
pub fn object(text: &str) -> Option<Value> {
    let mut objects = json::all_of_text(&without_thinking(text).1);
    objects.retain(Value::is_object);
    objects.dedup();
    if objects.len() > 1 { None } else { objects.pop() }
}

/// Characters of a reply that an error shows.
const SHOWN: usize = 160;

fn shown(text: &str) -> String {
    text.trim().chars().take(SHOWN).collect()
}

/// Reads a reply. `tool` tells the name of a tool that a model may call by its own schema, for any spelling of it.
pub fn plan(reply: &Reply, scale: Scale, tool: impl Fn(&str) -> Option<String>) -> Result<Plan, Unreadable> {
    if !reply.calls.is_empty() {
        let acts = reply.calls.iter().map(|called| {
            let arguments = match called.arguments.trim() {
                "" => Some(Map::new()),
                text => lenient(text).and_then(|value| if let Value::Object(map) = value { Some(map) } else { None }),
            };
            let arguments = arguments
                .ok_or_else(|| Unreadable::NoArguments { name: called.name.clone(), text: shown(&called.arguments) })?;
            act::of_call(&called.name, arguments, scale, &tool)
        });
        return Ok(Plan { thought: thought_of(&reply.text), acts: acts.collect::<Result<_, _>>()? });
    }
    let (thought, text) = without_thinking(&reply.text);
    let plan = if let Some((said, calls)) = after_marker(&text) {
        of_text(said, &calls, scale, &tool)?
    } else if let Some(value) = json::of_text(&text).filter(|_| !text.trim_start().starts_with('<')) {
        json::plan(&value, scale, &tool)?
    } else if let Some(acts) = tagged::acts(&text, scale, &tool) {
        Plan { thought: String::new(), acts: acts? }
    } else {
        // A model that was told to answer with an action alone.
        of_text("", text.trim(), scale, &tool).map_err(|_| Unreadable::NoAction(shown(&text)))?
    };
    let thought = [thought, plan.thought].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
    Ok(Plan { thought, ..plan })
}

fn of_text(said: &str, calls: &str, scale: Scale, tool: &impl Fn(&str) -> Option<String>) -> Result<Plan, Unreadable> {
    let written =
        call_text::calls(calls).map_err(|call_text::Unreadable(text)| Unreadable::NotAnAction(shown(&text)))?;
    if written.is_empty() {
        return Err(Unreadable::NoAction(shown(calls)));
    }
    let acts = written.into_iter().map(|call| act::of_call(&call.name, call.arguments, scale, tool));
    Ok(Plan { thought: thought_of(said), acts: acts.collect::<Result<_, _>>()? })
}

/// What actions stand behind, and what thoughts stand behind.
const ACTION: &[&str] = &["Action:", "Action：", "Actions:", "行动：", "行动:", "动作：", "动作:"];
const THOUGHT: &[&str] =
    &["Thought:", "Thought：", "思考：", "思考:", "想法：", "想法:", "Reflection:", "Action_Summary:"];

/// Splits a text where its actions begin; none where no marker says so.
fn after_marker(text: &str) -> Option<(&str, String)> {
    let found = ACTION.iter().filter_map(|marker| Some((text.find(marker)?, *marker)));
    let (at, marker) = found.min()?;
    let calls: String = text[at + marker.len()..]
        .lines()
        // Some write the marker before each of several actions, or think on behind one.
        .map(|line| ACTION.iter().fold(line.trim(), |line, marker| line.strip_prefix(marker).unwrap_or(line).trim()))
        .filter(|line| !line.starts_with("```") && !THOUGHT.iter().any(|marker| line.starts_with(marker)))
        .collect::<Vec<_>>()
        .join("\n");
    Some((&text[..at], calls))
}

fn thought_of(said: &str) -> String {
    let said = said.trim();
    THOUGHT.iter().fold(said, |said, marker| said.strip_prefix(marker).unwrap_or(said).trim()).to_owned()
}

/// Takes out what a model thought aloud, in `<think>` or `<thinking>`.
fn without_thinking(text: &str) -> (String, String) {
    for tag in ["think", "thinking"] {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        if let Some(end) = text.find(&close) {
            let begin = text.find(&open).filter(|begin| *begin < end);
            let thought = &text[begin.map_or(0, |begin| begin + open.len())..end];
            let rest = format!("{}{}", &text[..begin.unwrap_or(0)], &text[end + close.len()..]);
            return (thought.trim().to_owned(), rest);
        }
    }
    (String::new(), text.to_owned())
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
