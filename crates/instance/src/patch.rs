//! Patches: the only way in which an instance changes. Each is applied whole or not at all.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::path::Path;
use super::reader::{Object, unknown};
use super::{Error, Instance, limits};

/// What a patch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Sets a value; makes what is missing on the way.
    Set,
    /// Adds an element at the end of an array.
    Add,
    /// Removes an element from an array: the one with the same `id` (blocks, actions, objects) or `key` (fields), or the same value.
    Remove,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Patch {
    pub op: Op,
    /// `state.params.count`, `blocks.0.props.fields`, `actions`, …
    pub path: String,
    pub value: Value,
}

/// A patch that was not applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Skipped {
    /// The patch as it came.
    pub patch: Value,
    pub error: Error,
}

/// What became of some patches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatchReport {
    pub applied: Vec<Patch>,
    pub skipped: Vec<Skipped>,
}

impl Patch {
    pub fn set(path: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { op: Op::Set, path: path.into(), value: value.into() }
    }

    pub fn add(path: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { op: Op::Add, path: path.into(), value: value.into() }
    }

    pub fn remove(path: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { op: Op::Remove, path: path.into(), value: value.into() }
    }

    /// Reads `{"op": …, "path": …, "value": …}`.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let object = Object::read(value, "(patch)", &["op", "path", "value"])?;
        let missing = |key| Error::MissingValue { path: "(patch)".to_owned(), key };
        let op = match object.text("op")?.ok_or_else(|| missing("op"))?.as_str() {
            "set" => Op::Set,
            "add" => Op::Add,
            "remove" => Op::Remove,
            other => return Err(Error::InvalidOp { op: other.chars().take(limits::NAME).collect() }),
        };
        let path = object.text("path")?.ok_or_else(|| missing("path"))?;
        let found = value.get("value").ok_or(Error::MissingValue { path: path.clone(), key: "value" })?;
        Ok(Self { op, path, value: found.clone() })
    }
}

impl Instance {
    /// Applies patches one after the other; those that cannot be applied change nothing and are reported.
    pub fn apply(&mut self, patches: &[Patch]) -> PatchReport {
        let mut report = PatchReport::default();
        for patch in patches {
            match self.apply_one(patch) {
                Ok(()) => report.applied.push(patch.clone()),
                Err(error) => report.skipped.push(Skipped { patch: json!(patch), error }),
            }
        }
        report
    }

    /// Like [`Instance::apply`], for patches as they come from outside: at most 1000 at once, those beyond are skipped.
    pub fn apply_values(&mut self, patches: &[Value]) -> PatchReport {
        let mut report = PatchReport::default();
        for value in &patches[..patches.len().min(limits::PATCHES)] {
            match Patch::from_value(value).and_then(|patch| self.apply_one(&patch).map(|()| patch)) {
                Ok(patch) => report.applied.push(patch),
                Err(error) => report.skipped.push(Skipped { patch: value.clone(), error }),
            }
        }
        for value in patches.iter().skip(limits::PATCHES) {
            let error = Error::structure("(patches)", format!("more than {} at once", limits::PATCHES));
            report.skipped.push(Skipped { patch: value.clone(), error });
        }
        report
    }

    /// Returns the patch that changes some properties of a field of a block, or takes the field out where there are none.
    pub fn field_patch(&self, block: usize, key: &str, updates: Option<&Map<String, Value>>) -> Result<Patch, Error> {
        let path = format!("blocks.{block}.props.fields");
        let blocks = self.blocks().len();
        let found = self.blocks().get(block).ok_or_else(|| Error::PathNotFound {
            path: format!("blocks.{block}"),
            reason: format!("there are {blocks} blocks, the first is 0"),
        })?;
        let fields = &found.props.fields;
        let index = fields.iter().position(|field| field.key == key).ok_or_else(|| {
            let keys: Vec<&str> = fields.iter().map(|field| field.key.as_str()).collect();
            Error::FieldNotFound { path: path.clone(), reason: unknown("field", key, &keys) }
        })?;
        let Some(updates) = updates else { return Ok(Patch::remove(path, json!({"key": key}))) };
        let mut field = json!(fields[index]);
        if let Value::Object(field) = &mut field {
            field.extend(updates.iter().map(|(name, value)| (name.clone(), value.clone())));
            field.retain(|_, value| !value.is_null());
        }
        Ok(Patch::set(format!("{path}.{index}"), field))
    }

    fn apply_one(&mut self, patch: &Patch) -> Result<(), Error> {
        let place = Path::parse(&patch.path)?;
        match place.segments().as_slice() {
            ["instance_id", ..] => Err(Error::SchemaMutation { path: patch.path.clone() }),
            [list @ ("blocks" | "actions"), index, "id"] if self.has(list, index) => {
                Err(Error::SchemaMutation { path: patch.path.clone() })
            }
            ["state", "params" | "runtime", ..] => self.change_state(&place, patch),
            ["state" | "title" | "on_open"] | ["blocks" | "actions", ..] => self.change_structure(&place, patch),
            ["state", ..] => Err(place.invalid("state holds `params` and `runtime`")),
            _ => Err(place.invalid("must begin with state.params, state.runtime, blocks or actions")),
        }
    }

    fn has(&self, list: &str, index: &str) -> bool {
        let len = if list == "blocks" { self.blocks.len() } else { self.actions.len() };
        index.parse::<usize>().is_ok_and(|index| index < len)
    }

    fn change_state(&mut self, place: &Path, patch: &Patch) -> Result<(), Error> {
        let mut root = json!({"state": self.state});
        change(&mut root, place, patch)?;
        limits::check(&root, "state")?;
        let mut part = |key: &str| match root["state"][key].take() {
            Value::Object(map) => Ok(map),
            _ => Err(Error::structure(&format!("state.{key}"), "must be an object")),
        };
        let (params, runtime) = (part("params")?, part("runtime")?);
        (self.state.params, self.state.runtime) = (params, runtime);
        Ok(())
    }

    /// Changes the page's JSON and reads it again, so that nothing gets in that could not have been read.
    fn change_structure(&mut self, place: &Path, patch: &Patch) -> Result<(), Error> {
        let mut root = self.to_json();
        change(&mut root, place, patch)?;
        *self = Self::from_value(&root)?;
        Ok(())
    }
}

fn change(root: &mut Value, place: &Path, patch: &Patch) -> Result<(), Error> {
    let found = place.make(root)?;
    if patch.op == Op::Set {
        *found = patch.value.clone();
        return Ok(());
    }
    if found.is_null() && patch.op == Op::Add {
        *found = json!([]);
    }
    let list = match found {
        Value::Array(list) => list,
        Value::Null => return Err(place.not_found("nothing is there")),
        _ => return Err(place.invalid("is not an array: add and remove need one")),
    };
    if patch.op == Op::Add {
        list.push(patch.value.clone());
        return Ok(());
    }
    let index = position(list, &patch.value, place).ok_or_else(|| place.not_found("no element matches"))?;
    list.remove(index);
    Ok(())
}

/// Finds the element that is meant: the equal one, else the one of the same name.
fn position(list: &[Value], wanted: &Value, place: &Path) -> Option<usize> {
    let key = if place.segments().last() == Some(&"fields") { "key" } else { "id" };
    let name = if place.in_state() { wanted.get(key) } else { wanted.get(key).or(wanted.as_str().map(|_| wanted)) };
    let equal = list.iter().position(|element| element == wanted);
    equal.or_else(|| name.and_then(|name| list.iter().position(|element| element.get(key) == Some(name))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page() -> Instance {
        let value = json!({
            "instance_id": "page",
            "state": {"params": {"count": 1, "tags": ["a", "b"], "users": [{"id": 5, "name": "王五"}]}, "runtime": {}},
            "blocks": [{"id": "form", "type": "form", "bind": "state.params", "props": {"fields": [
                {"key": "name", "label": "Name", "type": "text"}]}}],
            "actions": [{"id": "go", "label": "Go", "style": "primary"}]
        });
        Instance::from_value(&value).unwrap()
    }

    fn code(patch: &Patch) -> &'static str {
        let mut page = page();
        let before = page.clone();
        let report = page.apply(std::slice::from_ref(patch));
        assert_eq!(page, before, "a skipped patch changed something");
        report.skipped[0].error.code()
    }

    #[test]
    fn sets_state_and_structure() {
        let mut page = page();
        let report = page.apply(&[
            Patch::set("state.params.count", 2),
            Patch::set("state.runtime.a.b", true),
            Patch::set("blocks.0.props.fields.0.label", "姓名"),
            Patch::set("blocks.0.props.fields.1", json!({"key": "age", "label": "Age", "type": "number"})),
        ]);
        assert_eq!((report.applied.len(), report.skipped.len()), (4, 0), "{:?}", report.skipped);
        assert_eq!(page.state().params["count"], 2);
        assert_eq!(page.state().runtime["a"]["b"], true);
        assert_eq!(page.blocks()[0].props.fields[0].label, "姓名");
        assert_eq!(page.blocks()[0].props.fields[1].key, "age");
    }

    #[test]
    fn adds_at_the_end() {
        let mut page = page();
        let report = page.apply(&[
            Patch::add("state.params.tags", "c"),
            Patch::add("state.params.fresh", 1),
            Patch::add("blocks", json!({"id": "more", "type": "form"})),
            Patch::add("blocks.1.props.fields", json!({"key": "x", "label": "X", "type": "html"})),
        ]);
        assert!(report.skipped.is_empty(), "{:?}", report.skipped);
        assert_eq!(page.state().params["tags"], json!(["a", "b", "c"]));
        assert_eq!(page.state().params["fresh"], json!([1]));
        assert_eq!(page.blocks()[1].props.fields.len(), 1);
    }

    #[test]
    fn removes_by_value_id_or_key() {
        let mut page = page();
        let report = page.apply(&[
            Patch::remove("state.params.tags", "a"),
            Patch::remove("state.params.users", json!({"id": 5})),
            Patch::remove("blocks.0.props.fields", json!({"key": "name"})),
            Patch::remove("actions", "go"),
            Patch::remove("blocks", json!({"id": "form", "anything": 1})),
        ]);
        assert!(report.skipped.is_empty(), "{:?}", report.skipped);
        assert_eq!(page.state().params["tags"], json!(["b"]));
        assert_eq!(page.state().params["users"], json!([]));
        assert!(page.blocks().is_empty() && page.actions().is_empty());
    }

    #[test]
    fn refuses_with_the_code_and_changes_nothing() {
        assert_eq!(code(&Patch::set("instance_id", "other")), "SCHEMA_MUTATION");
        assert_eq!(code(&Patch::set("nonsense.x", 1)), "INVALID_PATH");
        assert_eq!(code(&Patch::set("state.other", 1)), "INVALID_PATH");
        assert_eq!(code(&Patch::add("blocks/-", 1)), "INVALID_PATH");
        assert_eq!(code(&Patch::add("state.params.count", 1)), "INVALID_PATH");
        assert_eq!(code(&Patch::set("blocks.4.id", "x")), "PATH_NOT_FOUND");
        assert_eq!(code(&Patch::remove("state.params.tags", "z")), "PATH_NOT_FOUND");
        assert_eq!(code(&Patch::remove("state.params.nothing", "z")), "PATH_NOT_FOUND");
        assert_eq!(code(&Patch::add("blocks", json!({"id": "form", "type": "form"}))), "DUPLICATE_ID");
        assert_eq!(code(&Patch::add("blocks", json!({"id": "x", "type": "chart"}))), "INVALID_STRUCTURE");
        assert_eq!(code(&Patch::set("blocks.0.props.fields.0.type", "select")), "INVALID_STRUCTURE");
        assert_eq!(code(&Patch::set("state.params", "text")), "INVALID_STRUCTURE");
        assert_eq!(code(&Patch::set("state.params.long", "x".repeat(2 << 20))), "INVALID_STRUCTURE");
    }

    #[test]
    fn reads_patches_from_outside() {
        let mut page = page();
        let report = page.apply_values(&[
            json!({"op": "set", "path": "state.params.count", "value": null}),
            json!({"op": "replace", "path": "state.params.count", "value": 1}),
            json!({"op": "set", "path": "state.params.count"}),
            json!("text"),
        ]);
        let codes: Vec<_> = report.skipped.iter().map(|skipped| skipped.error.code()).collect();
        assert_eq!(codes, ["INVALID_OP", "MISSING_VALUE", "INVALID_STRUCTURE"]);
        assert_eq!(report.applied.len(), 1);
    }
}
