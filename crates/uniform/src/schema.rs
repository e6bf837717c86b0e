//! A remote server's JSON Schema → a definition, and the check of what the definition alone cannot say.
//!
//! The schema is a stranger's: one that is too large, that no validator takes, or that may never end is used for its names and types only.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use uixt_schema::{Draft, Rule, Validator, Violation};

use super::Object;
use super::definition::{Definition, Parameter};
use super::json::shown;
use super::kind::Kind;
use super::problem::Problem;

/// Most values in a schema that is checked in full.
const MOST_NODES: usize = 20_000;
/// Deepest nesting of one, in lists and maps.
const DEEPEST: usize = 64;
/// Most of a schema's arguments that are read.
const MOST_PARAMETERS: usize = 1_000;
/// Most complaints of the validator that are passed on.
const MOST_ERRORS: usize = 10;

/// A stranger's schema, compiled at the first check.
#[derive(Clone)]
pub struct Schema {
    schema: Arc<Value>,
    validator: Arc<OnceLock<Option<Validator>>>,
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schema").field(&self.schema).finish()
    }
}

pub(super) fn read(name: &str, schema: &Value) -> Definition {
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut parameters: Vec<Parameter> =
        properties.into_iter().flatten().take(MOST_PARAMETERS).map(|(name, schema)| parameter(name, schema)).collect();
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str).take(MOST_PARAMETERS) {
        match parameters.iter_mut().find(|parameter| parameter.name == name) {
            Some(parameter) => parameter.required = true,
            None => parameters.push(Parameter { name: name.to_owned(), required: true, ..Parameter::default() }),
        }
    }
    Definition {
        name: name.to_owned(),
        description: text(schema, "description"),
        open: is_open(schema, properties.is_none() && parameters.is_empty()),
        parameters,
        whole: Schema::of(schema),
    }
}

fn parameter(name: &str, schema: &Value) -> Parameter {
    let mut parameter = Parameter {
        name: name.to_owned(),
        kinds: kinds(schema).unwrap_or_default(),
        description: text(schema, "description"),
        ..Parameter::default()
    };
    // A default of null says that there is none, and one of a wrong type is the server's own matter.
    parameter.default = schema.get("default").filter(|value| !value.is_null() && parameter.takes(value)).cloned();
    parameter
}

fn text(schema: &Value, key: &str) -> String {
    schema.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns the types that a schema names, itself or in a plain choice; none where that is not certain.
fn kinds(schema: &Value) -> Option<Vec<Kind>> {
    if let Some(choices) = schema.get("anyOf").or_else(|| schema.get("oneOf")) {
        let each: Option<Vec<Vec<Kind>>> = choices.as_array()?.iter().take(16).map(kinds_named).collect();
        return each.map(|kinds| kinds.concat());
    }
    kinds_named(schema)
}

fn kinds_named(schema: &Value) -> Option<Vec<Kind>> {
    match schema.get("type")? {
        Value::String(name) => Kind::of_name(name).map(|kind| vec![kind]),
        Value::Array(names) => names.iter().take(16).map(|name| Kind::of_name(name.as_str()?)).collect(),
        _ => None,
    }
}

/// Tells whether a schema takes what it does not name: it says so, names nothing, or names it where only a validator looks.
fn is_open(schema: &Value, names_nothing: bool) -> bool {
    let composed = ["allOf", "anyOf", "oneOf"].iter().filter_map(|key| schema.get(*key)?.as_array()).flatten();
    let names_elsewhere = |part: &Value| part.get("properties").is_some() || part.get("$ref").is_some();
    if schema.get("patternProperties").is_some()
        || schema.get("$ref").is_some()
        || composed.into_iter().any(names_elsewhere)
    {
        return true;
    }
    match schema.get("additionalProperties") {
        Some(Value::Bool(open)) => *open,
        Some(_) => true,
        None => names_nothing,
    }
}

/// Tells whether a schema is small enough, and no reference in it leads to nothing but references.
fn is_bounded(schema: &Value) -> bool {
    let mut left = vec![(schema, 0)];
    let mut seen = 0;
    while let Some((value, depth)) = left.pop() {
        seen += 1;
        if seen > MOST_NODES || depth > DEEPEST {
            return false;
        }
        match value {
            Value::Array(items) => left.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => left.extend(map.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    true
}

impl Schema {
    /// Takes a schema; none where it is no map, or too large to be held to.
    pub fn of(schema: &Value) -> Option<Self> {
        let fits = schema.is_object() && is_bounded(schema);
        fits.then(|| Self { schema: Arc::new(schema.clone()), validator: Arc::default() })
    }

    /// Returns what is wrong with a value, in sentences: nothing where it is as the schema has it, and also where no validator takes
    /// the schema.
    pub fn errors(&self, value: &Value) -> Vec<String> {
        let Some(validator) = self.validator() else { return Vec::new() };
        validator.violations(value).iter().take(MOST_ERRORS).map(sentence).collect()
    }

    fn validator(&self) -> Option<&Validator> {
        self.validator.get_or_init(|| compile(&self.schema)).as_ref()
    }

    /// Adds what the schema says beyond names and types of the arguments: ranges, choices, what stands in lists and maps.
    pub(super) fn check(&self, arguments: &Object, complaint: &mut Problem) {
        let Some(validator) = self.validator() else { return };
        let instance = Value::Object(arguments.clone());
        let told: Vec<String> = complaint.invalid.iter().map(|invalid| invalid.name.clone()).collect();
        let violations = validator.violations(&instance);
        let news = violations.iter().filter(|violation| !is_told(violation, &told));
        complaint.other.extend(news.take(MOST_ERRORS).map(sentence));
    }
}

fn compile(schema: &Value) -> Option<Validator> {
    Validator::new(schema, Draft::V2020_12).ok()
}

fn is_told(violation: &Violation, told: &[String]) -> bool {
    let path = violation.pointer.as_str();
    let at_root = matches!(violation.rule, Rule::Required(_) | Rule::AdditionalProperties(_) | Rule::Type(_));
    (path.is_empty() && at_root) || path.strip_prefix('/').is_some_and(|name| told.iter().any(|known| known == name))
}

fn sentence(violation: &Violation) -> String {
    let path = violation.pointer.trim_start_matches('/').replace('/', ".").replace("~1", "/").replace("~0", "~");
    let name = if path.is_empty() { "it".to_owned() } else { format!("`{}`", shown(&path)) };
    let value = shown(&violation.value.to_string());
    match &violation.rule {
        Rule::Type(wanted) => {
            let words =
                |name: &String| Kind::of_name(name).map_or_else(|| name.clone(), |kind| kind.words().to_owned());
            let wanted: Vec<String> = wanted.iter().map(words).collect();
            format!("{name} must be {}, not {value}", wanted.join(" or "))
        }
        Rule::Minimum(limit) => format!("{name} must be at least {limit}, not {value}"),
        Rule::Maximum(limit) => format!("{name} must be at most {limit}, not {value}"),
        Rule::Enum(options) => format!("{name} must be one of {}, not {value}", choices(options)),
        Rule::Required(keys) => format!("{name} needs {}", listed(keys.iter().map(|key| format!("{key:?}")))),
        Rule::AdditionalProperties(keys) => {
            format!("unknown in {name}: {}", listed(keys.iter().map(|key| shown(key))))
        }
        Rule::Other(message) if path.is_empty() => shorter(message),
        Rule::Other(message) => format!("{name}: {}", shorter(message)),
    }
}

fn listed(names: impl Iterator<Item = String>) -> String {
    names.take(10).collect::<Vec<_>>().join(", ")
}

fn choices(options: &[Value]) -> String {
    let named = options.iter().take(40);
    named.map(|item| item.as_str().map_or_else(|| shown(&item.to_string()), shown)).collect::<Vec<_>>().join(", ")
}

fn shorter(text: &str) -> String {
    if text.chars().nth(200).is_some() { text.chars().take(200).collect::<String>() + "…" } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(schema: &Value, given: Value) -> String {
        Definition::from_schema("t", schema).check(given).expect_err("refused").to_string()
    }

    #[test]
    fn a_schema_gives_names_types_defaults_and_what_must_be_there() {
        let schema = json!({"type": "object", "required": ["code", "hidden"], "properties": {
            "code": {"type": "string"}, "timeout": {"type": "integer", "default": 30, "minimum": 1},
            "session": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null},
            "bad": {"type": "integer", "default": "x"}}});
        let definition = Definition::from_schema("t", &schema);
        let checked = definition.check(json!({"code": "1", "hidden": 1})).map(Value::Object);
        assert_eq!(checked, Ok(json!({"code": "1", "hidden": 1, "timeout": 30})));
        assert!(definition.check(json!({"code": "1", "hidden": 1, "session": null})).is_ok());
        assert_eq!(
            refused(&schema, json!({"coed": "1", "timeout": 0})),
            "t: missing: code, hidden; unknown: coed (did you mean code?); `timeout` must be at least 1, not 0; \
             valid: code, timeout, session, bad, hidden"
        );
    }

    #[test]
    fn what_lies_deeper_is_checked_too() {
        let schema = json!({"properties": {
            "list": {"type": "array", "items": {"$ref": "#/$defs/item"}}, "how": {"enum": ["fast", "slow"]}},
            "$defs": {"item": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false}}});
        for (given, words) in [
            (json!({"list": [{"n": "x"}]}), "`list.0.n` must be a whole number, not \"x\""),
            (json!({"list": [{}]}), "`list.0` needs \"n\""),
            (json!({"list": [{"n": 1, "m": 2}]}), "unknown in `list.0`: m"),
            (json!({"how": "quick"}), "`how` must be one of fast, slow, not \"quick\""),
        ] {
            let message = refused(&schema, given);
            assert!(message.contains(words), "{message}");
        }
    }

    #[test]
    fn a_value_is_held_to_a_schema() {
        let schema =
            Schema::of(&json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}));
        let errors = |value: Value| schema.as_ref().expect("a schema").errors(&value).join("; ");
        assert_eq!(errors(json!({"n": 1})), "");
        assert_eq!(errors(json!({"n": "x"})), "`n` must be a whole number, not \"x\"");
        assert_eq!(errors(json!({})), "it needs \"n\"");
        assert_eq!(errors(json!([1])), "it must be a map, not [1]");
    }

    #[test]
    fn only_a_schema_that_says_so_takes_more() {
        let one = |more: Value| {
            let mut schema = json!({"properties": {"a": {"type": "string"}}});
            schema.as_object_mut().expect("a map").extend(more.as_object().expect("a map").clone());
            Definition::from_schema("t", &schema).check(json!({"a": "x", "b": 1})).is_ok()
        };
        assert!(!one(json!({})) && !one(json!({"additionalProperties": false})));
        assert!(
            one(json!({"additionalProperties": true})) && one(json!({"additionalProperties": {"type": "integer"}}))
        );
        assert!(!one(json!({"additionalProperties": {"type": "string"}})));
        assert!(!one(json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]})));
        assert!(one(json!({"allOf": [{"properties": {"b": {"type": "integer"}}}]})));
        assert!(Definition::from_schema("t", &json!({"properties": {}})).check(json!({"b": 1})).is_err());
        for bare in [json!({"type": "object"}), json!({}), json!(true), json!(null)] {
            assert!(Definition::from_schema("t", &bare).check(json!({"b": 1})).is_ok(), "{bare}");
        }
        assert!(
            Definition::from_schema("t", &json!({"properties": {}, "additionalProperties": false}))
                .check(json!({"b": 1}))
                .is_err()
        );
    }

    #[test]
    fn a_hostile_schema_does_no_harm() {
        let mut deep = json!({"type": "object"});
        for _ in 0..100 {
            deep = json!({"allOf": [deep]});
        }
        let wide = json!({"enum": vec![1; MOST_NODES + 1]});
        let circle = json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "properties": {"b": {"$ref": "#/$defs/a"}}});
        let patterns = json!({"properties": {"b": {"type": "string", "pattern": "^(a+)+$"}}});
        let elsewhere = json!({"properties": {"b": {"$ref": "http://127.0.0.1:1/x.json"}}});
        let nonsense =
            json!({"properties": {"b": {"type": "strnig", "pattern": "(", "minimum": "x"}}, "required": "b"});
        for schema in
            [deep, wide, circle, patterns, elsewhere, nonsense, json!({"$ref": "#"}), json!({"allOf": [{"$ref": "#"}]})]
        {
            let _ = Definition::from_schema("t", &schema).check(json!({"b": "a".repeat(40) + "!"}));
        }
    }
}
