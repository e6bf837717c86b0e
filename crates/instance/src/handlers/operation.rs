//! The operation objects of the set handler: `{"operation": "append_to_list", "params": {"items": […]}}` → the new value.

use serde_json::{Map, Value, json};

use super::merge;
use crate::path::Path;
use crate::reader::{Object, join, unknown, wrong};
use crate::{Error, text_of};

const NAMES: &[&str] = &[
    "append_to_list",
    "prepend_to_list",
    "remove_from_list",
    "update_list_item",
    "clear_all_params",
    "append_block",
    "prepend_block",
    "remove_block",
    "update_block",
    "merge",
];

/// What is done to the value that stands at a path.
#[derive(Debug, PartialEq)]
pub(super) enum Operation {
    Append(Vec<Value>),
    Prepend(Vec<Value>),
    /// Removes what `chosen` means; `all` of it, or the match with this number (the first is 0).
    Remove {
        chosen: Chosen,
        which: Which,
    },
    Update {
        chosen: Chosen,
        updates: Map<String, Value>,
    },
    /// Resets every value to what is empty for its type.
    Clear,
    Merge(Map<String, Value>),
}

/// The elements whose `key` has this value; "5" and 5 are the same.
#[derive(Debug, PartialEq)]
pub(super) struct Chosen {
    key: String,
    value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Which {
    All,
    Match(usize),
}

impl Operation {
    /// Reads an operation object: an object with `operation` and perhaps `params`, and nothing else. Everything else is a plain
    /// value, for which this returns None.
    pub(super) fn read(place: &str, value: &Value) -> Result<Option<Self>, Error> {
        let Some(map) = value.as_object() else { return Ok(None) };
        let is_operation = map.get("operation").is_some_and(Value::is_string)
            && map.keys().all(|key| key == "operation" || key == "params");
        if !is_operation {
            return Ok(None);
        }
        let name = map.get("operation").and_then(Value::as_str).unwrap_or_default();
        let empty = json!({});
        let params = map.get("params").unwrap_or(&empty);
        let params = |valid: &[&str]| Object::read(params, &join(place, "params"), valid);
        read_named(place, name, &params).map(Some)
    }

    /// Returns what stands at the path afterwards.
    pub(super) fn run(&self, current: Option<&Value>, path: &Path) -> Result<Value, Error> {
        match self {
            Self::Append(items) => list(current, path).map(|old| [old, items.clone()].concat().into()),
            Self::Prepend(items) => list(current, path).map(|old| [items.clone(), old].concat().into()),
            Self::Remove { chosen, which } => chosen.remove(list(current, path)?, *which, path),
            Self::Update { chosen, updates } => chosen.update(list(current, path)?, updates, path),
            Self::Clear => Ok(emptied(&object(current, path)?)),
            Self::Merge(data) => {
                let mut merged = object(current, path)?;
                merge(&mut merged, data);
                Ok(Value::Object(merged))
            }
        }
    }
}

fn read_named<'a>(
    place: &str,
    name: &str,
    params: &dyn Fn(&[&str]) -> Result<Object<'a>, Error>,
) -> Result<Operation, Error> {
    if name.ends_with("_block") && place != "blocks" {
        return Err(Error::structure(place, format!("{name} works on `blocks`")));
    }
    match name {
        "append_to_list" => items(&params(&["items"])?).map(Operation::Append),
        "prepend_to_list" => items(&params(&["items"])?).map(Operation::Prepend),
        "remove_from_list" => {
            let params = params(&["key", "value", "index"])?;
            Ok(Operation::Remove { chosen: Chosen::read(&params)?, which: which(&params)? })
        }
        "update_list_item" => {
            let params = params(&["key", "value", "updates"])?;
            Ok(Operation::Update { chosen: Chosen::read(&params)?, updates: map(&params, "updates")? })
        }
        "clear_all_params" => params(&[]).map(|_| Operation::Clear),
        "append_block" => needed(&params(&["block"])?, "block").map(|block| Operation::Append(vec![block])),
        "prepend_block" => needed(&params(&["block"])?, "block").map(|block| Operation::Prepend(vec![block])),
        "remove_block" => {
            let chosen = Chosen { key: "id".to_owned(), value: needed(&params(&["block_id"])?, "block_id")? };
            Ok(Operation::Remove { chosen, which: Which::Match(0) })
        }
        "update_block" => {
            let params = params(&["block_id", "updates"])?;
            let chosen = Chosen { key: "id".to_owned(), value: needed(&params, "block_id")? };
            Ok(Operation::Update { chosen, updates: map(&params, "updates")? })
        }
        "merge" => map(&params(&["data"])?, "data").map(Operation::Merge),
        _ => Err(Error::structure(place, unknown("operation", name, NAMES))),
    }
}

impl Chosen {
    fn read(params: &Object) -> Result<Self, Error> {
        Ok(Self { key: params.required_text("key")?, value: needed(params, "value")? })
    }

    fn matches(&self, element: &Value) -> bool {
        element.get(&self.key).is_some_and(|value| alike(value, &self.value))
    }

    fn remove(&self, mut list: Vec<Value>, which: Which, path: &Path) -> Result<Value, Error> {
        let before = list.len();
        match which {
            Which::All => list.retain(|element| !self.matches(element)),
            Which::Match(number) => {
                let index = list.iter().enumerate().filter(|(_, element)| self.matches(element)).nth(number);
                if let Some(index) = index.map(|(index, _)| index) {
                    list.remove(index);
                }
            }
        }
        if list.len() == before { Err(self.nothing(path)) } else { Ok(list.into()) }
    }

    fn update(&self, mut list: Vec<Value>, updates: &Map<String, Value>, path: &Path) -> Result<Value, Error> {
        let element = list.iter_mut().find(|element| self.matches(element)).and_then(Value::as_object_mut);
        merge(element.ok_or_else(|| self.nothing(path))?, updates);
        Ok(list.into())
    }

    fn nothing(&self, path: &Path) -> Error {
        path.not_found(format!("no element whose `{}` is {}", self.key, self.value))
    }
}

/// Tells whether two values are the same to a person: equal, or a number and the text of that number.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(_), Value::String(_)) | (Value::String(_), Value::Number(_)) => text_of(a) == text_of(b),
        (Value::Number(x), Value::Number(y)) => x == y || x.as_f64() == y.as_f64(),
        _ => a == b,
    }
}

fn emptied(params: &Map<String, Value>) -> Value {
    params.iter().map(|(key, value)| (key.clone(), empty_of(value))).collect()
}

fn empty_of(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) => json!(false),
        Value::Number(_) => json!(0),
        Value::String(_) => json!(""),
        Value::Array(_) => json!([]),
        Value::Object(_) => json!({}),
    }
}

fn list(current: Option<&Value>, path: &Path) -> Result<Vec<Value>, Error> {
    match current {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) => Ok(list.clone()),
        Some(_) => Err(path.invalid("is not an array")),
    }
}

fn object(current: Option<&Value>, path: &Path) -> Result<Map<String, Value>, Error> {
    match current {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(map)) => Ok(map.clone()),
        Some(_) => Err(path.invalid("is not an object")),
    }
}

fn items(params: &Object) -> Result<Vec<Value>, Error> {
    let value = needed(params, "items")?;
    value.as_array().cloned().ok_or_else(|| wrong(&params.path_to("items"), "an array", &value))
}

fn map(params: &Object, key: &str) -> Result<Map<String, Value>, Error> {
    params.object(key)?.cloned().ok_or_else(|| params.missing(key))
}

fn needed(params: &Object, key: &str) -> Result<Value, Error> {
    params.get(key).cloned().ok_or_else(|| params.missing(key))
}

fn which(params: &Object) -> Result<Which, Error> {
    match params.get("index").map(|index| (index, index.as_i64())) {
        None => Ok(Which::Match(0)),
        Some((_, Some(-1))) => Ok(Which::All),
        Some((_, Some(number @ 0..=1_000_000))) => Ok(Which::Match(usize::try_from(number).unwrap_or_default())),
        Some((index, _)) => Err(wrong(&params.path_to("index"), "-1 (all) or the number of the match, from 0", index)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(current: &Value, operation: &str, params: &Value) -> Result<Value, Error> {
        let place = if operation.ends_with("_block") { "blocks" } else { "state.params.users" };
        let read = Operation::read(place, &json!({"operation": operation, "params": params}))?.unwrap();
        read.run(Some(current), &Path::parse(place).unwrap())
    }

    #[test]
    fn lists_grow_at_both_ends() {
        let new = json!({"items": [{"id": 6, "name": "赵六"}]});
        assert_eq!(
            run(&json!([{"id": 5}]), "append_to_list", &new).unwrap(),
            json!([{"id": 5}, {"id": 6, "name": "赵六"}])
        );
        assert_eq!(
            run(&json!([{"id": 5}]), "prepend_to_list", &new).unwrap(),
            json!([{"id": 6, "name": "赵六"}, {"id": 5}])
        );
        assert_eq!(run(&Value::Null, "append_to_list", &new).unwrap(), new["items"]);
        assert!(run(&json!("text"), "append_to_list", &new).is_err());
    }

    #[test]
    fn removes_one_some_or_all() {
        let todo = json!([{"n": 1, "completed": true}, {"n": 2, "completed": false}, {"n": 3, "completed": true}]);
        let remove = |index: Value| {
            run(&todo, "remove_from_list", &json!({"key": "completed", "value": true, "index": index})).unwrap()
        };
        assert_eq!(remove(json!(-1)), json!([{"n": 2, "completed": false}]));
        assert_eq!(remove(json!(1)), json!([{"n": 1, "completed": true}, {"n": 2, "completed": false}]));
        assert_eq!(remove(Value::Null).as_array().unwrap().len(), 2);
        assert_eq!(
            run(&json!([{"id": 5}]), "remove_from_list", &json!({"key": "id", "value": "5"})).unwrap(),
            json!([])
        );
        let nothing = run(&json!([{"id": 5}]), "remove_from_list", &json!({"key": "id", "value": "50"}));
        assert_eq!(nothing.unwrap_err().code(), "PATH_NOT_FOUND");
    }

    #[test]
    fn updates_an_item() {
        let users = json!([{"id": 5, "status": "pending", "name": "a"}]);
        let params = json!({"key": "id", "value": "5", "updates": {"status": "active"}});
        assert_eq!(
            run(&users, "update_list_item", &params).unwrap(),
            json!([{"id": 5, "status": "active", "name": "a"}])
        );
    }

    #[test]
    fn clears_by_type() {
        let params = json!({"a": "x", "b": 5, "c": true, "d": [1], "e": {"f": 1}, "g": null});
        let cleared = run(&params, "clear_all_params", &json!({})).unwrap();
        assert_eq!(cleared, json!({"a": "", "b": 0, "c": false, "d": [], "e": {}, "g": null}));
    }

    #[test]
    fn blocks_come_change_and_go() {
        let old = json!([{"id": "a", "props": {"fields": [], "showTable": true}}]);
        let block = json!({"block": {"id": "b"}});
        assert_eq!(run(&old, "append_block", &block).unwrap()[1]["id"], "b");
        assert_eq!(run(&old, "prepend_block", &block).unwrap()[0]["id"], "b");
        assert_eq!(run(&old, "remove_block", &json!({"block_id": "a"})).unwrap(), json!([]));
        let updated =
            run(&old, "update_block", &json!({"block_id": "a", "updates": {"props": {"showTable": false}}})).unwrap();
        assert_eq!(updated, json!([{"id": "a", "props": {"fields": [], "showTable": false}}]));
    }

    #[test]
    fn merges() {
        let merged = run(&json!({"a": 1, "b": {"c": 2}}), "merge", &json!({"data": {"b": {"d": 3}, "e": 4}})).unwrap();
        assert_eq!(merged, json!({"a": 1, "b": {"c": 2, "d": 3}, "e": 4}));
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |value: Value| Operation::read("state.params.x", &value).unwrap_err().to_string();
        assert!(error(json!({"operation": "append_list", "params": {}})).contains("did you mean `append_to_list`?"));
        assert!(error(json!({"operation": "merge", "params": {"date": {}}})).contains("did you mean `data`?"));
        assert!(error(json!({"operation": "merge"})).contains("`data` is missing"));
        assert!(error(json!({"operation": "remove_block", "params": {"block_id": "a"}})).contains("works on `blocks`"));
        assert_eq!(Operation::read("x", &json!({"operation": "add", "left": 1})).unwrap(), None);
    }
}
