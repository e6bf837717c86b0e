//! A goal that was reached ⇄ how it is stored: its steps as a testcase writes them, what each screen showed before its step, and
//! what stood there at the end. Whoever keeps it ([`Goals`]) knows files; this knows none.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uixt_call::{CallRecord, Table, WrittenGoal};
use uixt_locate::Object;
use uixt_locate::target::{Place, Target};
use uixt_toolkit::Context;

use crate::screen_contents::ScreenContents;

/// Where goals are stored, for one session.
pub trait Goals: Send + Sync {
    /// Returns the ways to a goal that are stored, each from another screen.
    fn stored(&self, key: &GoalKey<'_>) -> Result<Vec<StoredGoal>, String>;

    /// Takes in a way that led to a goal, in the place of a stored one where that was mended; says what became of it.
    fn keep(&self, key: &GoalKey<'_>, goal: StoredGoal, mends: Option<&StoredGoal>) -> Result<Kept, String>;

    /// Is told that the case passed in which ways were taken in: only then they are stored for good.
    fn passed(&self) -> Result<(), String> {
        Ok(())
    }

    /// Makes a step of what a call did; none where it is no step, such as a look.
    fn step(&self, record: &CallRecord) -> Option<(String, Object)>;

    /// Tells whether a model may be asked where nothing stored fits.
    fn may_ask(&self) -> bool;

    /// Tells whether a model is to say what looks wrong on its way.
    fn wants_problems(&self) -> bool {
        false
    }
}

/// Where a session stores goals; nowhere by default.
#[derive(Clone, Default)]
pub struct StoredGoals(pub Option<Arc<dyn Goals>>);

impl StoredGoals {
    /// Returns where the session of a call stores goals.
    pub(super) fn of(cx: &Context) -> Option<Arc<dyn Goals>> {
        cx.session.setting::<Self>().0.clone()
    }
}

/// What a stored goal is found by.
#[derive(Clone, Copy, Debug)]
pub struct GoalKey<'a> {
    /// The file of the testcase that it stands in.
    pub testcase: &'a std::path::Path,
    /// As the testcase writes it.
    pub goal: &'a str,
    pub platform: &'a str,
}

/// What became of a way to a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is stored in this file once its case has passed.
    Stored(String),
    /// It is proposed in this file, and what was stored stays.
    Proposed(String),
    /// It is not kept.
    Nothing,
}

/// A way that led to a goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredGoal {
    pub goal: String,
    /// `android` or `browser`.
    pub platform: String,
    pub steps: Vec<StoredStep>,
    /// What the screen showed once it was reached; nothing where that does not matter.
    #[serde(default)]
    pub end: ScreenContents,
    /// What the model said when it was reached.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
}

/// A step on the way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>", into = "Map<String, Value>")]
pub struct StoredStep {
    pub tool: String,
    pub arguments: Object,
    /// What the element is called that it hit; nothing where the target says that.
    pub hits: String,
    /// What the screen showed before it; nothing where that does not matter.
    pub on: ScreenContents,
}

impl From<StoredStep> for Map<String, Value> {
    fn from(step: StoredStep) -> Self {
        let mut map = Self::from_iter([(step.tool, Value::Object(step.arguments))]);
        if !step.hits.is_empty() {
            map.insert("hits".to_owned(), step.hits.into());
        }
        if step.on != ScreenContents::default() {
            map.insert("on".to_owned(), serde_json::json!(step.on));
        }
        map
    }
}

impl TryFrom<Map<String, Value>> for StoredStep {
    type Error = String;

    fn try_from(mut map: Map<String, Value>) -> Result<Self, String> {
        let on = map.shift_remove("on").map(serde_json::from_value).transpose();
        let on = on.map_err(|error| format!("`on`: {error}"))?.unwrap_or_default();
        let hits = match map.shift_remove("hits") {
            None => String::new(),
            Some(Value::String(name)) => name,
            Some(_) => return Err("`hits` is a text".to_owned()),
        };
        let mut calls = map.into_iter();
        let (Some((tool, arguments)), None) = (calls.next(), calls.next()) else {
            return Err("a step is one tool with its arguments, `hits` and `on`".to_owned());
        };
        match arguments {
            Value::Object(arguments) => Ok(Self { tool, arguments, hits, on }),
            Value::Null => Ok(Self { tool, arguments: Object::new(), hits, on }),
            _ => Err(format!("the arguments of `{tool}` are a map, as in `tap_element: {{text: Sign in}}`")),
        }
    }
}

/// Tells whether a value is too long to stand in other texts by chance; a shorter one is a variable only where nothing stands beside it.
fn is_telling(value: &str) -> bool {
    value.chars().count() >= if value.is_ascii() { 3 } else { 2 }
}

impl StoredGoal {
    /// Puts variables in the place of what they hold; a `$` of a text's own is doubled, as in a testcase.
    pub(super) fn hide(&mut self, written: &WrittenGoal) {
        let mut variables: Vec<_> = written.variables.iter().filter(|(_, value)| !value.is_empty()).collect();
        variables.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        // What stood there before anything was done did not come of a variable.
        let first = self.steps.iter().find(|step| !step.on.texts.is_empty());
        let before: Vec<String> = first.map(|step| step.on.texts.clone()).unwrap_or_default();
        self.each_text(&|text: &mut String| {
            if let Some((name, _)) = variables.iter().find(|(_, value)| value == text && !before.contains(text)) {
                text.clone_from(name);
                return;
            }
            let usable = if before.contains(text) { &[][..] } else { &variables[..] };
            let mut out = String::new();
            let mut rest = text.as_str();
            while let Some(sign) = rest.chars().next() {
                let is_begun = |value: &str| rest.starts_with(value) && is_telling(value);
                let is_apart = |value: &str| {
                    let behind = rest[value.len()..].chars().next();
                    !joins(out.chars().next_back(), value.chars().next()) && !joins(value.chars().next_back(), behind)
                };
                if let Some((name, value)) = usable.iter().find(|(_, value)| is_begun(value) && is_apart(value)) {
                    out.push_str(name);
                    rest = &rest[value.len()..];
                    continue;
                }
                out.push(sign);
                if sign == '$' {
                    out.push(sign);
                }
                rest = &rest[sign.len_utf8()..];
            }
            *text = out;
        });
    }

    /// Puts what they hold in the place of variables.
    pub(super) fn fill(&mut self, written: &WrittenGoal) {
        let mut variables: Vec<_> = written.variables.iter().collect();
        variables.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        self.each_text(&|text: &mut String| {
            let mut out = String::new();
            let mut rest = text.as_str();
            while let Some(sign) = rest.chars().next() {
                if let Some(behind) = rest.strip_prefix("$$") {
                    out.push('$');
                    rest = behind;
                } else if let Some((name, value)) = variables.iter().find(|(name, _)| rest.starts_with(name.as_str())) {
                    out.push_str(value);
                    rest = &rest[name.len()..];
                } else {
                    out.push(sign);
                    rest = &rest[sign.len_utf8()..];
                }
            }
            *text = out;
        });
    }
}

/// Tells whether two signs stand in one word.
fn joins(before: Option<char>, behind: Option<char>) -> bool {
    let is_latin = |sign: Option<char>| sign.is_some_and(|sign| sign.is_ascii_alphanumeric());
    is_latin(before) && is_latin(behind)
}

impl StoredGoal {
    /// Checks that its steps are tools of the table that a goal may have, and gives each the name that stands there.
    pub fn check(&mut self, table: &Table) -> Result<(), String> {
        for step in &mut self.steps {
            let tool = &step.tool;
            let known = table.find(tool).ok_or_else(|| format!("`{tool}` is not a tool"))?;
            if !known.in_goals {
                let valid: Vec<&str> = table.all().filter(|tool| tool.in_goals).map(|tool| tool.name).collect();
                return Err(format!("`{tool}` cannot be a step of a goal; valid: {}", valid.join(", ")));
            }
            known.name.clone_into(&mut step.tool);
        }
        Ok(())
    }

    fn each_text(&mut self, change: &impl Fn(&mut String)) {
        for step in &mut self.steps {
            step.arguments.values_mut().for_each(|value| each_text(value, change));
            change(&mut step.hits);
            step.on.each_text(change);
        }
        self.end.each_text(change);
        change(&mut self.content);
    }
}

impl StoredGoal {
    /// Tells whether it may begin on a screen: on one with its heading or half of its texts, or anywhere.
    pub(super) fn begins_on(&self, shown: &ScreenContents) -> bool {
        let first = self.steps.first().map_or(&self.end, |step| &step.on);
        let gone = first.changes(shown).gone.len();
        let is_alike = !first.texts.is_empty() && gone * 2 <= first.texts.len();
        *first == ScreenContents::default() || (!first.page.is_empty() && first.is_page_of(shown)) || is_alike
    }
}

impl StoredStep {
    /// Returns the element that it waits for, as a target.
    pub(super) fn target(&self, table: &Table) -> Option<Target> {
        let place = ["into", "from"].iter().find_map(|key| self.arguments.get(*key));
        let has_own =
            || table.find(&self.tool).is_some_and(|tool| tool.schema().properties().any(|(name, _)| name == "regex"));
        let target = match place {
            Some(place) => serde_json::from_value::<Place>(place.clone()).ok()?.0,
            None if has_own() => serde_json::from_value(Value::Object(self.arguments.clone())).ok()?,
            None => return None,
        };
        target.check().is_ok().then_some(target)
    }

    /// Writes it as a testcase does.
    pub(super) fn words(&self) -> String {
        format!("{}: {}", self.tool, uixt_core::yaml::inline(&Value::Object(self.arguments.clone())))
    }
}

fn each_text(value: &mut Value, change: &impl Fn(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, change)),
        Value::Object(map) => map.values_mut().for_each(|item| each_text(item, change)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uixt_tools_device::elements::element;
    use uixt_tools_host::shell;

    use super::*;

    #[test]
    fn a_goal_is_stored_with_variables_in_the_place_of_what_they_hold() {
        let step = json!({"input": {"text": "alice", "into": {"id": "user_name"}}, "on": {"page": "Sign in", "texts": ["Users: alice"]}});
        let next =
            json!({"back": null, "on": {"texts": ["Users: alice", "Hello alice", "no", "malice", "$user costs $5"]}});
        let stored = json!({"goal": "Log in as $user", "platform": "android", "steps": [step, next], "end": {"title": "Orders of alice", "texts": ["alice", "no 7"]}});
        let filled: StoredGoal = serde_json::from_value(stored).expect("a goal");
        let written = WrittenGoal {
            goal: filled.goal.clone(),
            variables: vec![("$user".to_owned(), "alice".to_owned()), ("$n".to_owned(), "no".to_owned())],
        };
        let mut goal = filled.clone();
        goal.hide(&written);
        let json = serde_json::to_value(&goal).expect("JSON");
        assert_eq!(json["steps"][0]["input"]["text"], "$user");
        assert_eq!(
            json["steps"][1]["on"]["texts"],
            json!(["Users: alice", "Hello $user", "$n", "malice", "$$user costs $$5"])
        );
        assert_eq!(json["end"]["texts"], json!(["$user", "no 7"]));
        assert_eq!(json["end"]["title"], "Orders of $user");
        goal.fill(&written);
        assert_eq!(goal, filled);
        let table = Table::new(element::TOOLS.iter().chain(shell::TOOLS).map(|row| &**row));
        for (wrong, why) in [
            (json!({"tap_elment": {}}), "`tap_elment` is not a tool"),
            (json!({"shell": {}}), "`shell` cannot be a step of a goal; valid: "),
            (json!({"tap_element": {}, "back": {}}), "one tool"),
            (json!({"tap_element": "Sign in"}), "a map"),
        ] {
            let read = serde_json::from_value::<StoredStep>(wrong).map_err(|error| error.to_string());
            let checked = |step| StoredGoal { steps: vec![step], ..StoredGoal::default() }.check(&table);
            let error = read.and_then(checked).expect_err("refused");
            assert!(error.contains(why), "{error}");
        }
    }
}
