//! A tool's JSON Schema: made from its argument struct, shortened for publication, compiled for checking.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};

use parking_lot::RwLock;
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Value, json};
use uixt_locate::Object;
use uixt_locate::target::Target;
use uixt_schema::{Draft, Validator};

use super::ToolRow;
use super::then::{self, THEN};

/// An argument of every tool that needs a device.
pub(super) const PLATFORM: &str = "platform";

/// What is known of a tool's arguments.
pub struct Schema {
    /// What the tool does, in a sentence.
    pub description: String,
    /// What an argument may be, bounds included.
    pub full: Object,
    /// Arguments that a model need not read of.
    unpublished: Vec<String>,
    /// The schema that arguments are checked against.
    pub strict: Value,
    /// Made at the first call, since whoever only lists tools needs none.
    validator: OnceLock<Validator>,
}

/// Makes the raw schema of a tool's argument struct.
pub fn generate<T: JsonSchema>() -> schemars::Schema {
    root(T::json_schema)
}

/// Makes a schema with all that it refers to. It is not generic, for there are more than a hundred tools.
fn root(of: fn(&mut SchemaGenerator) -> schemars::Schema) -> schemars::Schema {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let mut generator = settings.into_generator();
    let mut schema = of(&mut generator);
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        schema.ensure_object().insert("$defs".to_owned(), definitions.into());
    }
    schema
}

static SCHEMAS: LazyLock<RwLock<HashMap<&'static str, &'static Schema>>> = LazyLock::new(RwLock::default);

impl ToolRow {
    /// Returns the tool's schema and description, made at the first call and kept for good.
    pub fn schema(&'static self) -> &'static Schema {
        if let Some(known) = SCHEMAS.read().get(self.name) {
            return known;
        }
        let made = Schema::new(self);
        SCHEMAS.write().entry(self.name).or_insert_with(|| Box::leak(Box::new(made)))
    }
}

impl Schema {
    fn new(tool: &ToolRow) -> Self {
        let mut raw = (tool.schema)().to_value();
        let description = take_string(&mut raw, "description").replace('\n', " ");
        shorten(&mut raw);
        let mut full = into_object(raw);
        full.shift_remove("title");
        if tool.needs_device {
            add_device(&mut full);
        }
        if tool.takes_then() {
            full.entry("properties").or_insert_with(|| json!({}))[THEN] = then::property(tool);
        }
        let unpublished = take_unpublished(&mut full);
        let strict = strict(&full);
        Self { description, full, unpublished, strict, validator: OnceLock::new() }
    }

    /// Returns the description without the examples and what follows them.
    pub fn brief(&self) -> &str {
        self.description.split_once(" E.g. ").map_or(self.description.as_str(), |(told, _)| told)
    }

    /// Returns the schema as MCP publishes it: without what a model need not read, though a call is held to it.
    pub fn published(&self) -> Arc<Object> {
        let mut published = self.full.clone();
        // What must be given is always told.
        let is_told =
            |name: &String| !self.unpublished.contains(name) || self.required().any(|required| required == name);
        if let Some(properties) = published.get_mut("properties").and_then(Value::as_object_mut) {
            properties.retain(|name, _| is_told(name));
            properties.values_mut().filter_map(Value::as_object_mut).for_each(name_types);
        }
        drop_bounds(&mut published);
        // Some hosts refuse an object that does not say what it has, even nothing.
        published.entry("properties").or_insert_with(|| json!({}));
        spare_object(&mut published);
        Arc::new(published)
    }

    /// Returns what checks arguments.
    pub fn validator(&self) -> &Validator {
        // No tool uses what came after draft 7, whose own schema is read several times faster than those of later drafts.
        let make = || Validator::new(&self.strict, Draft::V7).expect("a schema that schemars made is a valid schema");
        self.validator.get_or_init(make)
    }

    /// Returns the arguments with their schemas, in the struct's order.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.keyword("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(key, value)| (key.as_str(), value))
    }

    pub fn property(&self, name: &str) -> Option<&Value> {
        self.properties().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Returns what stands under a keyword of the whole. There are few, and few arguments: to look through them is faster than
    /// to hash a name, and every call looks many times.
    fn keyword(&self, name: &str) -> Option<&Value> {
        self.full.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Returns the names of arguments that must be given.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        self.keyword("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }
}

fn into_object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

fn take_string(value: &mut Value, key: &str) -> String {
    match value.as_object_mut().and_then(|object| object.shift_remove(key)) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

/// Takes out what tells nothing: titles, formats, null among the types, null defaults.
fn shorten(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.shift_remove("format");
            object.retain(|key, value| !(key == "default" && (value.is_null() || *value == json!(false))));
            drop_null(object);
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            inner_schemas(object).for_each(shorten);
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        _ => {}
    }
}

/// Returns the schemas in a schema; the keys of `properties` are arguments' names, whatever keyword they look like.
fn inner_schemas(object: &mut Object) -> impl Iterator<Item = &mut Value> {
    object.iter_mut().flat_map(|(key, value)| match (key.as_str(), value) {
        ("properties", Value::Object(properties)) => properties.values_mut().collect(),
        (_, value) => vec![value],
    })
}

/// Takes out what costs a model tokens and helps it nothing: that a count is not below 0 and a text not empty, that
/// nothing is the default of a list, that anything is allowed.
fn spare(value: &mut Value) {
    match value {
        Value::Object(object) => spare_object(object),
        Value::Array(items) => items.iter_mut().for_each(spare),
        _ => {}
    }
}

fn spare_object(object: &mut Object) {
    object.retain(|key, value| match key.as_str() {
        "minimum" => value.as_f64() != Some(0.0),
        "minLength" | "minItems" => value.as_u64() != Some(1),
        "default" => *value != json!([]) && *value != json!({}),
        "additionalProperties" => *value != json!(true),
        _ => true,
    });
    for bound in ["minimum", "maximum"] {
        if let Some(value) = object.get_mut(bound) {
            *value = without_fraction(value);
        }
    }
    spell_out_types(object);
    inner_schemas(object).for_each(spare);
}

/// Names the types of an argument that takes any value: some hosts refuse all tools where one of them has an argument without.
fn name_types(property: &mut Object) {
    if !["type", "anyOf", "enum"].iter().any(|key| property.contains_key(*key)) {
        property.shift_insert(0, "type".to_owned(), json!(["string", "number", "boolean", "object", "array"]));
    }
}

/// Tells whether a schema names a type, alone or among others.
pub(super) fn takes(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|known| known == kind),
        Some(known) => known == kind,
        None => schema.get("anyOf").and_then(Value::as_array).is_some_and(|all| all.iter().any(|one| takes(one, kind))),
    }
}

/// Writes `"type": ["string", "object"]` as `anyOf`: some hosts refuse tools whose arguments have a list of types.
fn spell_out_types(object: &mut Object) {
    let Some(types) = object.get_mut("type").and_then(Value::as_array_mut).map(std::mem::take) else { return };
    object.shift_remove("type");
    let items = object.shift_remove("items");
    let choice = |kind: Value| match &items {
        Some(items) if kind == "array" => json!({"type": kind, "items": items}),
        // Some hosts refuse all tools where a list of one of them has no items.
        None if kind == "array" => json!({"type": kind, "items": {"type": "string"}}),
        _ => json!({"type": kind}),
    };
    object.shift_insert(0, "anyOf".to_owned(), types.into_iter().map(choice).collect());
}

/// Returns 3600 for 3600.0.
fn without_fraction(number: &Value) -> Value {
    let whole = number.as_f64().map(|number| format!("{number:.0}"));
    let whole = whole.and_then(|text| text.parse::<i64>().ok()).map(Value::from);
    whole.filter(|whole| whole.as_f64() == number.as_f64()).unwrap_or_else(|| number.clone())
}

/// An optional argument is left out rather than null.
fn drop_null(object: &mut Object) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if types.len() == 1 {
            let only = types.remove(0);
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice != &json!({"type": "null"}));
        if choices.len() == 1 {
            let only = into_object(choices.remove(0));
            object.shift_remove("anyOf");
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
}

/// Makes the schema for checking. What a model need not read is added here: `platform` (a serial says enough), and that
/// there are no other arguments (whoever sends one is told which there are).
fn strict(full: &Object) -> Value {
    let mut schema = full.clone();
    schema.insert("additionalProperties".to_owned(), false.into());
    let mut holds_places = false;
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        holds_places = hold_places(properties);
        properties.entry(PLATFORM).or_insert_with(|| json!({"type": "string"}));
    }
    if holds_places {
        schema.insert("definitions".to_owned(), json!({"place": PLACE.clone()}));
    }
    Value::Object(schema)
}

/// The schema of an argument that is a text or a target, in full: a misspelt key would widen the target without a word.
static PLACE: LazyLock<Value> = LazyLock::new(|| {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let mut target = settings.into_generator().into_root_schema_for::<Target>().to_value();
    shorten(&mut target);
    let mut properties = target.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    properties
        .values_mut()
        .filter_map(Value::as_object_mut)
        .for_each(|property| property.retain(|key, _| key == "type"));
    hold_places(&mut properties);
    json!({"type": ["string", "object"], "properties": properties, "additionalProperties": false})
});

/// Returns the keys of an argument that is a target.
pub fn place_keys() -> impl Iterator<Item = &'static str> {
    PLACE["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str())
}

/// Writes the arguments that are places out by reference; tells whether there are any.
fn hold_places(properties: &mut Object) -> bool {
    let mut any = false;
    for property in properties.values_mut().filter(|property| property["type"] == json!(["string", "object"])) {
        *property = json!({"$ref": "#/definitions/place"});
        any = true;
    }
    any
}

/// Marks an argument that is taken, and that a model need not read of.
pub(super) const UNPUBLISHED: &str = "x-unpublished";

/// Takes the marks away; returns the names of the marked arguments.
fn take_unpublished(schema: &mut Object) -> Vec<String> {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    let mut marked = Vec::new();
    for (name, property) in properties.into_iter().flatten() {
        if property.as_object_mut().is_some_and(|property| property.shift_remove(UNPUBLISHED).is_some()) {
            marked.push(name.clone());
        }
    }
    marked
}

/// Times and sizes.
const UNBOUND: [&str; 10] = [
    "timeout",
    "duration",
    "press_duration",
    "interval",
    "max_tokens",
    "max_image_px",
    "max_swipes",
    "page",
    "count",
    "tab_index",
];

/// Takes out the bounds of times and sizes, which nobody reaches by mistake; a call is still held to them.
fn drop_bounds(schema: &mut Object) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (_, property) in properties.into_iter().flatten().filter(|(name, _)| UNBOUND.contains(&name.as_str())) {
        if let Value::Object(property) = property {
            property.retain(|key, _| key != "minimum" && key != "maximum");
        }
    }
}

fn add_device(schema: &mut Object) {
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if properties.get("serial").is_none() {
        properties["serial"] = json!({"type": "string", "description": "Another device."});
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_types_are_spelt_out() {
        let mut schema =
            json!({"type": ["string", "array"], "items": {"type": ["string", "number"]}, "description": "x"});
        spare(&mut schema);
        let items = json!({"anyOf": [{"type": "string"}, {"type": "number"}]});
        let spelt = json!({"anyOf": [{"type": "string"}, {"type": "array", "items": items}], "description": "x"});
        assert_eq!(schema, spelt);
    }

    #[test]
    fn arguments_may_be_called_like_keywords() {
        let mut schema = json!({"format": "x", "properties": {
            "format": {"type": "string"},
            "description": {"type": ["string", "null"], "default": null},
        }});
        shorten(&mut schema);
        let wanted = json!({"properties": {"format": {"type": "string"}, "description": {"type": "string"}}});
        assert_eq!(schema, wanted);
    }

    #[test]
    fn less_is_published_than_calls_are_held_to() {
        let mut schema = json!({"minimum": 0.0, "maximum": 3600.0, "minLength": 1, "default": []});
        spare(&mut schema);
        assert_eq!(schema, json!({"maximum": 3600}));
        schema = json!({"minimum": 0.05, "minLength": 3, "default": 0});
        spare(&mut schema);
        assert_eq!(schema, json!({"minimum": 0.05, "minLength": 3, "default": 0}));
    }
}
