//! Criteria and an instance → which hold, with what was found. Whether that is enough, the caller says.

use serde_json::{Value, json};

use super::condition::{Condition, is_same};
use super::path::{self, Path};
use super::reader::{Object, join, unknown};
use super::{Error, Instance};

/// The types of criteria, each with the keys beside `type`, `description` and `weight` that it takes.
pub const CRITERIA: &[(&str, &[&str])] = &[
    ("field_exists", &["path"]),
    ("field_filled", &["path"]),
    ("field_value", &["path", "value"]),
    ("state_value", &["path", "value"]),
    ("block_exists", &["id"]),
    ("block_count", &["count", "min", "max"]),
    ("action_exists", &["id"]),
    ("custom", &["condition"]),
];
/// Criteria at once.
const MOST: usize = 200;

/// What of some criteria holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    pub findings: Vec<Finding>,
    /// The weight of what holds, in parts of all weight: from 0 to 1. One criterion weighs 1 where it says nothing else.
    pub score: f64,
}

/// One criterion and what was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// As it came.
    pub criterion: Value,
    pub holds: bool,
    /// What is there; null where nothing is.
    pub found: Value,
    /// Why it could not be looked at. Such a criterion does not hold.
    pub error: Option<Error>,
    weight: f64,
}

impl Evaluation {
    /// Returns how many criteria hold.
    pub fn held(&self) -> usize {
        self.findings.iter().filter(|finding| finding.holds).count()
    }

    /// Returns the first criterion that does not hold.
    pub fn next(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| !finding.holds)
    }
}

impl Finding {
    /// Says what the criterion asks for: its description, else its type and what it is about.
    pub fn wanted(&self) -> String {
        let text = |key: &str| self.criterion.get(key).and_then(Value::as_str);
        if let Some(description) = text("description").filter(|description| !description.is_empty()) {
            return description.to_owned();
        }
        let about = ["path", "id", "condition"].into_iter().find_map(text).unwrap_or_default();
        let value = self.criterion.get("value").map(|value| format!(" is {value}")).unwrap_or_default();
        format!("{} {about}{value}", text("type").unwrap_or("criterion")).trim_end().to_owned()
    }
}

impl Instance {
    /// Looks at each criterion. Errors: too many of them.
    pub fn evaluate(&self, criteria: &[Value]) -> Result<Evaluation, Error> {
        if criteria.len() > MOST {
            return Err(Error::structure("completion_criteria", format!("more than {MOST} at once")));
        }
        let root = self.to_json();
        let findings: Vec<Finding> =
            criteria.iter().enumerate().map(|(at, one)| self.look_at(&root, at, one)).collect();
        let all: f64 = findings.iter().map(|finding| finding.weight).sum();
        let held: f64 = findings.iter().filter(|finding| finding.holds).fold(0.0, |sum, finding| sum + finding.weight);
        Ok(Evaluation { score: if all > 0.0 { held / all } else { 0.0 }, findings })
    }

    fn look_at(&self, root: &Value, at: usize, criterion: &Value) -> Finding {
        let weight = criterion.get("weight").and_then(Value::as_f64).filter(|weight| (0.0..=1e6).contains(weight));
        let finding = |holds, found, error| Finding {
            criterion: criterion.clone(),
            holds,
            found,
            error,
            weight: weight.unwrap_or(1.0),
        };
        match self.judge(root, &format!("completion_criteria.{at}"), criterion) {
            Ok((holds, found)) => finding(holds, found, None),
            Err(error) => finding(false, Value::Null, Some(error)),
        }
    }

    /// Tells whether a criterion holds, and what was found.
    fn judge(&self, root: &Value, place: &str, raw: &Value) -> Result<(bool, Value), Error> {
        let name = raw.get("type").and_then(Value::as_str).unwrap_or_default();
        let names: Vec<&str> = CRITERIA.iter().map(|(name, _)| *name).collect();
        let Some((_, keys)) = CRITERIA.iter().find(|(known, _)| *known == name) else {
            let message = match raw.get("type") {
                Some(_) => unknown("criterion type", name, &names),
                None => format!("`type` is missing; valid: {}", names.join(", ")),
            };
            return Err(Error::InvalidCriterionType { path: place.to_owned(), message });
        };
        let valid: Vec<&str> = ["type", "description", "weight"].iter().chain(*keys).copied().collect();
        let criterion = Object::read(raw, place, &valid)?;
        match name {
            "field_exists" => {
                let found = self.field_at(&criterion)?;
                Ok((found.is_some(), found.map_or(Value::Null, |(field, _)| field)))
            }
            "field_filled" => {
                let (_, value) = self.field_at(&criterion)?.ok_or_else(|| no_field(&criterion))?;
                Ok((!is_empty(&value), value))
            }
            "field_value" => {
                let (_, value) = self.field_at(&criterion)?.ok_or_else(|| no_field(&criterion))?;
                Ok((is_same(&value, wanted(raw, place)?), value))
            }
            "state_value" => {
                let path = path_of(&criterion)?;
                let value = path::lookup(root, &path).cloned().unwrap_or(Value::Null);
                Ok((is_same(&value, wanted(raw, place)?), value))
            }
            "block_exists" => Ok(named(&criterion, self.blocks().iter().map(|block| block.id.as_str()))?),
            "action_exists" => Ok(named(&criterion, self.actions().iter().map(|action| action.id.as_str()))?),
            "block_count" => counted(&criterion, self.blocks().len()),
            _ => Ok(Condition::read(&criterion.required_text("condition")?)?.on_json(root)),
        }
    }

    /// Finds a field by `state.params.KEY`, its key alone, or `blocks.0.props.fields.1`, with its value.
    fn field_at(&self, criterion: &Object<'_>) -> Result<Option<(Value, Value)>, Error> {
        let path = path_of(criterion)?;
        let found = self.blocks().iter().enumerate().find_map(|(number, block)| {
            let field = block.props.fields.iter().enumerate().find(|(index, field)| {
                field.key == path
                    || block.path_of(field) == path
                    || format!("blocks.{number}.props.fields.{index}") == path
            })?;
            Some((json!(field.1), self.given(block, field.1)))
        });
        Ok(found)
    }
}

fn no_field(criterion: &Object<'_>) -> Error {
    let path = criterion.text("path").ok().flatten().unwrap_or_default();
    Error::FieldNotFound { path: criterion.path().to_owned(), reason: format!("no block has the field `{path}`") }
}

fn path_of(criterion: &Object<'_>) -> Result<String, Error> {
    let text = criterion.required_text("path")?;
    match Path::parse(&text) {
        Ok(_) => Ok(text),
        Err(Error::InvalidPath { path, reason }) => Err(Error::InvalidJsonPath { path, reason }),
        Err(other) => Err(other),
    }
}

fn wanted<'a>(criterion: &'a Value, place: &str) -> Result<&'a Value, Error> {
    criterion.get("value").ok_or_else(|| Error::MissingValue { path: place.to_owned(), key: "value" })
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn named<'a>(criterion: &Object<'_>, mut ids: impl Iterator<Item = &'a str>) -> Result<(bool, Value), Error> {
    let id = criterion.required_text("id")?;
    Ok(match ids.any(|known| known == id) {
        true => (true, json!(id)),
        false => (false, Value::Null),
    })
}

fn counted(criterion: &Object<'_>, there: usize) -> Result<(bool, Value), Error> {
    let mut said = Vec::new();
    for key in ["count", "min", "max"] {
        if let Some(value) = criterion.get(key) {
            let number = value.as_u64().ok_or_else(|| {
                Error::structure(&join(criterion.path(), key), format!("must be a whole number, not {value}"))
            })?;
            said.push((key, number));
        }
    }
    if said.is_empty() {
        return Err(Error::MissingValue { path: criterion.path().to_owned(), key: "count" });
    }
    let holds = said.iter().all(|(key, number)| match *key {
        "count" => there as u64 == *number,
        "min" => there as u64 >= *number,
        _ => there as u64 <= *number,
    });
    Ok((holds, json!(there)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Instance {
        Instance::from_value(&json!({
            "instance_id": "p", "state": {"params": {"name": "小明", "count": 3, "note": ""}, "runtime": {"status": "idle"}},
            "blocks": [{"id": "form", "type": "form", "bind": "state.params", "props": {"fields": [
                {"key": "name", "label": "Name", "type": "text"}, {"key": "note", "label": "Note", "type": "textarea"},
                {"key": "count", "label": "Count", "type": "number"}]}}],
            "actions": [{"id": "go", "label": "Go", "style": "primary"}]
        }))
        .unwrap()
    }

    #[test]
    fn each_type_holds_and_does_not() {
        for (criterion, holds) in [
            (json!({"type": "field_exists", "path": "name"}), true),
            (json!({"type": "field_exists", "path": "blocks.0.props.fields.1"}), true),
            (json!({"type": "field_exists", "path": "state.params.other"}), false),
            (json!({"type": "field_filled", "path": "name"}), true),
            (json!({"type": "field_filled", "path": "note"}), false),
            (json!({"type": "field_value", "path": "state.params.count", "value": 3.0}), true),
            (json!({"type": "field_value", "path": "count", "value": "3"}), false),
            (json!({"type": "state_value", "path": "state.runtime.status", "value": "idle"}), true),
            (json!({"type": "state_value", "path": "state.runtime.error", "value": null}), true),
            (json!({"type": "block_exists", "id": "form"}), true),
            (json!({"type": "block_count", "min": 2}), false),
            (json!({"type": "action_exists", "id": "stop"}), false),
            (json!({"type": "custom", "condition": "state.params.count >= 3 and state.params.name == '小明'"}), true),
            (json!({"type": "custom", "condition": "state.params.missing.deep == 1 or not state.params.name"}), false),
            (json!({"type": "custom", "condition": "blocks[0].props.fields | length == 3"}), true),
        ] {
            let evaluation = page().evaluate(std::slice::from_ref(&criterion)).unwrap();
            assert_eq!((evaluation.findings[0].holds, &evaluation.findings[0].error), (holds, &None), "{criterion}");
        }
    }

    #[test]
    fn what_cannot_be_looked_at_has_its_code_and_does_not_hold() {
        for (criterion, code) in [
            (json!({"type": "field_value", "path": "nam", "value": 1}), "FIELD_NOT_FOUND"),
            (json!({"type": "field_exist", "path": "name"}), "INVALID_CRITERION_TYPE"),
            (json!({"path": "name"}), "INVALID_CRITERION_TYPE"),
            (json!({"type": "custom", "condition": "state.params.count >="}), "INVALID_CONDITION"),
            (json!({"type": "custom", "condition": ""}), "INVALID_CONDITION"),
            (json!({"type": "custom", "condition": "range(100000) | list | length > 3"}), "INVALID_CONDITION"),
            (json!({"type": "custom", "condition": "('a' * 1000000000) | length > 3"}), "INVALID_CONDITION"),
            (json!({"type": "field_exists", "path": "blocks[0]"}), "INVALID_JSON_PATH"),
            (json!({"type": "field_value", "path": "name"}), "MISSING_VALUE"),
            (json!({"type": "block_count"}), "MISSING_VALUE"),
            (json!({"type": "block_count", "count": "two"}), "INVALID_STRUCTURE"),
            (json!({"type": "field_exists", "path": "name", "vale": 1}), "INVALID_STRUCTURE"),
        ] {
            let evaluation = page().evaluate(std::slice::from_ref(&criterion)).unwrap();
            let error = evaluation.findings[0].error.as_ref().map(Error::code);
            assert_eq!((error, evaluation.score), (Some(code), 0.0), "{criterion} {:?}", evaluation.findings[0]);
        }
    }

    #[test]
    fn the_score_weighs_and_the_next_step_is_the_first_that_does_not_hold() {
        let criteria = [
            json!({"type": "field_filled", "path": "name", "weight": 3}),
            json!({"type": "field_filled", "path": "note", "description": "Write a note"}),
            json!({"type": "action_exists", "id": "x"}),
        ];
        let evaluation = page().evaluate(&criteria).unwrap();
        assert!((evaluation.score - 0.6).abs() < 1e-9 && evaluation.held() == 1);
        assert_eq!(evaluation.next().map(Finding::wanted).as_deref(), Some("Write a note"));
        assert_eq!(evaluation.findings[2].wanted(), "action_exists x");
        assert!(page().evaluate(&[]).unwrap().score.abs() < f64::EPSILON);
    }
}
