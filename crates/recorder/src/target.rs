//! The part of a call's arguments that says which element is meant: taken, replaced, held against another.

use std::collections::HashMap;

use serde_json::Value;
use uixt_locate::Object;
use uixt_locate::selector::looks_like_selector;

/// The arguments that name an element, as every element tool has them.
const KEYS: [&str; 13] = [
    "text",
    "id",
    "role",
    "ref",
    "selector",
    "test_id",
    "label",
    "placeholder",
    "description",
    "index",
    "within",
    "near",
    "regex",
];
/// What else narrows it.
const EXACT: &str = "exact";
/// Arguments that are places of their own.
const PLACES: [&str; 5] = ["into", "from", "to", "within", "near"];

fn is_key(key: &str) -> bool {
    KEYS.contains(&key) || key == EXACT
}

/// Returns the arguments that name an element.
pub(super) fn of(arguments: &Object) -> Object {
    let named =
        arguments.iter().filter(|(key, value)| is_key(key) && **value != Value::Bool(false) && !value.is_null());
    named.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Puts another target in the place of the one that arguments name, before all else.
pub(super) fn replace(arguments: &Object, target: &Object) -> Object {
    let rest = arguments.iter().filter(|(key, _)| !is_key(key)).map(|(key, value)| (key.clone(), value.clone()));
    target.iter().map(|(key, value)| (key.clone(), value.clone())).chain(rest).collect()
}

/// Puts targets in the place of refs wherever they stand; the error is a ref of which nobody knows what it meant.
pub(super) fn without_refs(arguments: &Object, refs: &HashMap<String, Object>) -> Result<Object, String> {
    let mut done = arguments.clone();
    if let Some(reference) = arguments.get("ref").and_then(Value::as_str) {
        let target = refs.get(reference).ok_or_else(|| reference.to_owned())?;
        done = replace(&done, target);
    }
    for key in PLACES {
        if let Some(Value::Object(place)) = done.get(key) {
            let named = without_refs(place, refs)?;
            done.insert(key.to_owned(), short(&named));
        }
    }
    Ok(done)
}

/// Writes a place as a bare text where nothing else is said of it, and none that would be taken for a selector.
pub(super) fn short(target: &Object) -> Value {
    match (target.len(), target.get("text").and_then(Value::as_str)) {
        (1, Some(text)) if text.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_')) => text.into(),
        _ => Value::Object(target.clone()),
    }
}

/// Returns a place as a target, as the call itself reads it: a bare text may be a selector.
pub(super) fn long(place: &Value) -> Object {
    let key = if place.as_str().is_some_and(looks_like_selector) { "selector" } else { "text" };
    match place {
        Value::Object(target) => target.clone(),
        other => Object::from_iter([(key.to_owned(), other.clone())]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: &Value) -> Object {
        value.as_object().expect("a map").clone()
    }

    #[test]
    fn a_bare_place_is_what_the_call_takes_it_for() {
        for (place, target) in [
            (json!("User name"), json!({"text": "User name"})),
            (json!("#password"), json!({"selector": "#password"})),
            (json!("//EditText[2]"), json!({"selector": "//EditText[2]"})),
            (json!({"text": "#1"}), json!({"text": "#1"})),
        ] {
            assert_eq!(Value::Object(long(&place)), target);
        }
    }

    #[test]
    fn refs_become_targets_wherever_they_stand() {
        let refs = HashMap::from([
            ("e1".to_owned(), object(&json!({"id": "ok"}))),
            ("e2".to_owned(), object(&json!({"text": "Tea"}))),
        ]);
        let done = |value: Value| without_refs(&object(&value), &refs).map(Value::Object);
        assert_eq!(done(json!({"ref": "e1", "timeout": 5})), Ok(json!({"id": "ok", "timeout": 5})));
        assert_eq!(done(json!({"text": "Add", "near": {"ref": "e2"}})), Ok(json!({"text": "Add", "near": "Tea"})));
        assert_eq!(done(json!({"text": "x", "into": {"ref": "e1"}})), Ok(json!({"text": "x", "into": {"id": "ok"}})));
        assert_eq!(done(json!({"ref": "e9"})), Err("e9".to_owned()));
    }
}
