//! The schemas of all tools, held to what hosts and validators take.

use serde_json::{Value, json};

/// Collects the keywords of a schema and of those in it.
fn keywords(schema: &Value, found: &mut std::collections::BTreeSet<String>) {
    for (key, value) in schema.as_object().into_iter().flatten() {
        found.insert(key.clone());
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                properties.values().for_each(|inner| keywords(inner, found));
            }
            ("enum" | "default" | "required", _) => {}
            (_, Value::Array(items)) => items.iter().for_each(|inner| keywords(inner, found)),
            (_, inner) => keywords(inner, found),
        }
    }
}

#[test]
fn schemas_mean_the_same_in_draft_7() {
    let common = [
        "type",
        "description",
        "properties",
        "required",
        "additionalProperties",
        "enum",
        "const",
        "default",
        "anyOf",
        "oneOf",
        "allOf",
        "items",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "pattern",
        // Where it stands alone.
        "$ref",
        "definitions",
        "place",
    ];
    let mut found = std::collections::BTreeSet::new();
    for tool in crate::groups::all() {
        keywords(&tool.schema().strict, &mut found);
        tool.schema().validator();
    }
    found.retain(|keyword| !common.contains(&keyword.as_str()));
    assert!(found.is_empty(), "other keywords, or the same with another meaning: {found:?}");
}

/// Tells what the strict hosts refuse in a schema: those of `OpenAI`, Gemini, Claude and Copilot, each of which drops a whole list of
/// tools for one.
fn refused(schema: &Value, at: &str, found: &mut Vec<String>) {
    let Some(object) = schema.as_object() else { return found.push(format!("{at}: no object")) };
    let has = |key: &str| object.contains_key(key);
    if !(has("type") || has("anyOf") || has("enum")) {
        found.push(format!("{at}: no type"));
    }
    if object.get("type").is_some_and(Value::is_array) {
        found.push(format!("{at}: a list of types"));
    }
    if schema["type"] == "array" && !has("items") {
        found.push(format!("{at}: a list without items"));
    }
    let keywords = ["$ref", "$defs", "definitions", "oneOf", "allOf", "not", "const", "patternProperties", "if"];
    found.extend(keywords.iter().filter(|key| has(key)).map(|key| format!("{at}: {key}")));
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        refused(inner, &format!("{at}/{name}"), found);
    }
    for (number, inner) in schema["anyOf"].as_array().into_iter().flatten().enumerate() {
        refused(inner, &format!("{at}|{number}"), found);
    }
    if let Some(items) = object.get("items").filter(|items| !items.is_boolean()) {
        refused(items, &format!("{at}[]"), found);
    }
}

#[test]
fn every_host_takes_every_tool() {
    let mut found = Vec::new();
    for tool in crate::groups::all().filter(|tool| tool.exposure == uixt_call::Exposure::Everyone) {
        let name = format!("{}{}", uixt_call::PREFIX, tool.name);
        let is_name = name.len() <= 64 && name.bytes().all(|sign| sign.is_ascii_alphanumeric() || sign == b'_');
        assert!(is_name, "{name}");
        let schema = tool.schema().published();
        assert_eq!(schema["type"], "object", "{name}");
        refused(&Value::Object((*schema).clone()), &name, &mut found);
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_call_is_held_to_more_than_is_published() {
    let tool = crate::groups::find("tap_abs_xy").unwrap();
    assert!(tool.schema().published()["properties"]["x"].get("minimum").is_none());
    assert!(!tool.schema().validator().is_valid(&json!({"x": -1, "y": 0})));
}
