//! A target → the map that a testcase writes of it.

use serde_json::Value;

use crate::Object;
use crate::pixel_elements::Source;
use crate::selector::looks_like_selector;
use crate::target::{Place, Target};

/// Writes what a target says, without what its tool says of it by other arguments.
pub(super) fn written(target: &Target) -> Object {
    let mut map = Object::new();
    let mut put = |key: &str, value: Option<Value>| _ = value.map(|value| map.insert(key.to_owned(), value));
    let text = |value: &Option<String>| value.clone().map(Value::String);
    put("role", text(&target.role));
    put("text", text(&target.text));
    put("id", text(&target.id));
    put("selector", text(&target.selector));
    put("test_id", text(&target.test_id));
    put("label", text(&target.label));
    put("placeholder", text(&target.placeholder));
    put("description", text(&target.description));
    put("index", target.index.map(Value::from));
    put("within", place(target.within.as_deref()));
    put("near", place(target.near.as_deref()));
    for (key, is_said) in
        [("regex", target.regex), ("exact", target.exact), ("fuzzy", target.fuzzy), ("present", target.present)]
    {
        put(key, is_said.then_some(Value::Bool(true)));
    }
    put("source", target.source.filter(|source| *source == Source::Auto).map(|_| "auto".into()));
    map
}

fn place(place: Option<&Place>) -> Option<Value> {
    let map = written(&place?.0);
    let bare = map.get("text").filter(|text| map.len() == 1 && !text.as_str().is_some_and(looks_like_selector));
    Some(bare.cloned().unwrap_or(Value::Object(map)))
}
