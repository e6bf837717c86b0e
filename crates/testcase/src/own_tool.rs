//! A tool that a project made of steps: what its file says of it; the arguments of a call → what is wrong with them, or what its steps
//! see. Knows neither YAML nor steps.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use uixt_core::written;

use super::nearest;
use crate::action::{Diagnostic, Span};

/// What a tool's name begins with in MCP.
const PREFIX: &str = "uixt__";

/// A tool of a project.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnTool {
    /// With its group before it: `shop__log_in`.
    pub name: String,
    pub description: String,
    pub parameters: Vec<Parameter>,
    /// Whether agents are offered it.
    pub for_agents: bool,
    /// The tools that its steps may call whoever calls it, as a testcase calls them.
    pub allowed: Vec<&'static str>,
    /// What a call returns; may hold expressions.
    pub returned: Option<Value>,
    /// Where `return` stands.
    pub returned_at: Span,
    pub path: PathBuf,
    /// The file as it is shown, with `/`.
    pub file: String,
    /// Where its name stands.
    pub place: Span,
}

/// A parameter of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub kind: ValueKind,
    pub description: String,
    /// Whether its values are masked wherever they turn up.
    pub is_secret: bool,
    pub is_required: bool,
    pub default: Option<Value>,
    pub minimum: Option<Value>,
    pub maximum: Option<Value>,
    /// The only values that it may have; none where it may have any.
    pub choices: Vec<Value>,
}

/// What kind of value a parameter takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueKind {
    #[default]
    String,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
}

impl ValueKind {
    /// Every kind, by the name that JSON Schema has for it, and in words.
    pub(super) const NAMES: [(&str, Self, &str); 6] = [
        ("string", Self::String, "a text"),
        ("integer", Self::Integer, "a whole number"),
        ("number", Self::Number, "a number"),
        ("boolean", Self::Boolean, "true or false"),
        ("array", Self::Array, "a list"),
        ("object", Self::Object, "a map"),
    ];

    fn row(self) -> (&'static str, Self, &'static str) {
        Self::NAMES.into_iter().find(|(_, kind, _)| *kind == self).unwrap_or(Self::NAMES[0])
    }

    fn takes(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Array => value.is_array(),
            Self::Object => value.is_object(),
        }
    }
}

impl Parameter {
    /// Returns the value as this kind is meant to have it: a number where a text holds one, a text where a number stands.
    pub(super) fn fitted(&self, value: Value) -> Value {
        let value = match written::text(&value) {
            Some(text) if self.kind == ValueKind::String => text.into(),
            _ => written::meanings(value),
        };
        match (self.kind, &value) {
            (ValueKind::String, Value::Number(_) | Value::Bool(_)) => value.to_string().into(),
            (ValueKind::String, _) => value,
            (kind, Value::String(text)) => {
                serde_json::from_str(text).ok().filter(|read| kind.takes(read)).unwrap_or(value)
            }
            _ => value,
        }
    }

    /// Says what is wrong with a value that is fitted.
    pub(super) fn problem(&self, value: &Value) -> Option<String> {
        let given = if self.is_secret { String::new() } else { format!(", not {value}") };
        let must = |what: String| Some(format!("`{}` must be {what}{given}", self.name));
        let beyond = |limit: &Option<Value>, is_beyond: fn(f64, f64) -> bool| {
            let (limit, number) = (limit.as_ref()?, value.as_f64()?);
            is_beyond(number, limit.as_f64()?).then(|| limit.clone())
        };
        if !self.kind.takes(value) {
            return must(self.kind.row().2.to_owned());
        }
        if !self.choices.is_empty() && !self.choices.contains(value) {
            let choices: Vec<String> = self.choices.iter().map(plain).collect();
            return must(format!("one of {}", choices.join(", ")));
        }
        if let Some(limit) = beyond(&self.minimum, |number, limit| number < limit) {
            return must(format!("at least {limit}"));
        }
        beyond(&self.maximum, |number, limit| number > limit).and_then(|limit| must(format!("at most {limit}")))
    }

    fn schema(&self) -> Value {
        let mut schema = json!({"type": self.kind.row().0, "description": self.description});
        let mut put = |key: &str, value: Value| schema[key] = value;
        if !self.choices.is_empty() {
            put("enum", self.choices.clone().into());
        }
        // A password that stands in the file is nobody else's business.
        let default = self.default.as_ref().filter(|_| !self.is_secret);
        for (key, value) in
            [("default", default), ("minimum", self.minimum.as_ref()), ("maximum", self.maximum.as_ref())]
        {
            if let Some(value) = value {
                put(key, value.clone());
            }
        }
        if self.is_secret {
            put("writeOnly", true.into());
        }
        schema
    }
}

/// Shows a text without quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl OwnTool {
    /// Tells whether a name means this tool, with or without `uixt__`.
    pub fn is_named(&self, name: &str) -> bool {
        name.strip_prefix(PREFIX).unwrap_or(name) == self.name
    }

    /// Tells whether its steps may call a tool whoever calls them.
    pub fn allows(&self, tool: &str) -> bool {
        self.allowed.contains(&tool)
    }

    /// Returns the JSON Schema of its arguments.
    pub fn schema(&self) -> Map<String, Value> {
        let properties = self.parameters.iter().map(|parameter| (parameter.name.clone(), parameter.schema()));
        let required = self.parameters.iter().filter(|parameter| parameter.is_required);
        let required: Vec<&str> = required.map(|parameter| parameter.name.as_str()).collect();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), Value::Object(properties.collect()));
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        schema.insert("additionalProperties".to_owned(), false.into());
        schema
    }

    /// Returns everything that is wrong with the arguments of a call, each with its place below `/params`; `holds` tells whether a value
    /// is known only when the step runs.
    pub fn check(&self, arguments: &Value, holds: &dyn Fn(&Value) -> bool) -> Vec<Diagnostic> {
        let is_bare = !matches!(arguments, Value::Object(_) | Value::Null);
        let named = self.named(arguments.clone());
        let mut wrong: Vec<Diagnostic> = named.iter().filter_map(|(name, _)| self.unknown(name, is_bare)).collect();
        for parameter in &self.parameters {
            let path = if is_bare { "/params".to_owned() } else { format!("/params/{}", parameter.name) };
            match named.get(&parameter.name).filter(|value| !value.is_null()) {
                None if parameter.is_required => wrong.push(self.missing(&parameter.name)),
                Some(value) if !holds(value) => {
                    let problem = parameter.problem(&parameter.fitted(value.clone()));
                    wrong.extend(problem.map(|message| diagnostic(path, message)));
                }
                _ => {}
            }
        }
        wrong
    }

    /// Returns the arguments as the steps see them: all that there are, those that are not given with their defaults, or null.
    pub fn settle(&self, arguments: Value) -> Result<Map<String, Value>, Vec<Diagnostic>> {
        let wrong = self.check(&arguments, &|_| false);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let mut named = self.named(arguments);
        let settled = self.parameters.iter().map(|parameter| {
            let given = named.remove(&parameter.name).filter(|value| !value.is_null());
            let value = given.map(|value| parameter.fitted(value)).or_else(|| parameter.default.clone());
            (parameter.name.clone(), value.unwrap_or_default())
        });
        Ok(settled.collect())
    }

    /// Names its parameters.
    pub fn names(&self) -> Vec<&str> {
        self.parameters.iter().map(|parameter| parameter.name.as_str()).collect()
    }

    /// Returns the arguments by their names: a bare value is the first.
    fn named(&self, arguments: Value) -> Map<String, Value> {
        match arguments {
            Value::Object(named) => named,
            Value::Null => Map::new(),
            bare => {
                let name = self.parameters.first().map_or("", |parameter| parameter.name.as_str());
                Map::from_iter([(name.to_owned(), bare)])
            }
        }
    }

    fn unknown(&self, name: &str, is_bare: bool) -> Option<Diagnostic> {
        if self.parameters.iter().any(|parameter| parameter.name == name) {
            return None;
        }
        if is_bare {
            return Some(diagnostic("/params".to_owned(), format!("{} takes no arguments", self.name)));
        }
        let path = format!("/params/{}", name.replace('~', "~0").replace('/', "~1"));
        let hint = nearest::hint(name, self.names());
        let message = format!("unknown argument `{name}` of {}", self.name);
        Some(Diagnostic { at_key: true, hint, help: Some(self.valid()), ..diagnostic(path, message) })
    }

    fn missing(&self, name: &str) -> Diagnostic {
        let message = format!("`{}` needs `{name}`", self.name);
        Diagnostic { at_key: true, help: Some(self.valid()), ..diagnostic("/method".to_owned(), message) }
    }

    /// Lists what it takes.
    pub fn valid(&self) -> String {
        match self.parameters.is_empty() {
            true => "it takes no arguments".to_owned(),
            false => format!("valid: {}", self.names().join(", ")),
        }
    }
}

fn diagnostic(path: String, message: String) -> Diagnostic {
    Diagnostic { path, at_key: false, message, hint: None, help: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> OwnTool {
        let text = |name: &str| Parameter { name: name.to_owned(), is_required: true, ..Parameter::default() };
        let tries = Parameter {
            kind: ValueKind::Integer,
            is_required: false,
            default: Some(json!(1)),
            minimum: Some(json!(1)),
            maximum: Some(json!(5)),
            ..text("tries")
        };
        let way = Parameter { choices: vec![json!("card"), json!("cash")], is_required: false, ..text("way") };
        let (allowed, returned, returned_at, path, place) = Default::default();
        OwnTool {
            name: "shop__pay".to_owned(),
            description: "Pays.".to_owned(),
            parameters: vec![text("user"), tries, way],
            for_agents: true,
            allowed,
            returned,
            returned_at,
            path,
            file: "tools/pay.yaml".to_owned(),
            place,
        }
    }

    #[test]
    fn arguments_are_fitted_or_refused_with_their_place() {
        let settled = |arguments: Value| tool().settle(arguments).map(Value::Object);
        let all = json!({"user": "小明", "tries": 1, "way": null});
        assert_eq!(settled(json!("小明")), Ok(all.clone()));
        assert_eq!(settled(json!({"user": "小明", "way": null})), Ok(all));
        assert_eq!(
            settled(json!({"user": 7, "tries": "3", "way": "cash"})),
            Ok(json!({"user": "7", "tries": 3, "way": "cash"}))
        );
        assert_eq!(settled(json!({"user": written::value("007")})).expect("arguments")["user"], json!("007"));
        for (arguments, expected) in [
            (json!({}), "/method `shop__pay` needs `user`"),
            (json!({"user": "a", "trie": 1}), "/params/trie unknown argument `trie` of shop__pay"),
            (json!({"user": "a", "tries": "x"}), "/params/tries `tries` must be a whole number, not \"x\""),
            (json!({"user": "a", "tries": 6}), "/params/tries `tries` must be at most 5, not 6"),
            (json!({"user": "a", "tries": 0}), "/params/tries `tries` must be at least 1, not 0"),
            (json!({"user": "a", "way": "gold"}), "/params/way `way` must be one of card, cash, not \"gold\""),
            (json!([1]), "/params `user` must be a text, not [1]"),
        ] {
            let wrong = settled(arguments).expect_err("refused");
            let told: Vec<String> = wrong.iter().map(|one| format!("{} {}", one.path, one.message)).collect();
            assert_eq!(told, [expected]);
        }
        assert_eq!(tool().check(&json!({"user": "$a", "tries": "$b"}), &|value| value.to_string().contains('$')), []);
    }

    #[test]
    fn the_schema_says_what_the_file_says() {
        let schema = Value::Object(tool().schema());
        assert_eq!(schema["required"], json!(["user"]));
        assert_eq!(
            schema["properties"]["tries"],
            json!({"type": "integer", "description": "", "default": 1, "minimum": 1, "maximum": 5})
        );
        assert_eq!(schema["properties"]["way"]["enum"], json!(["card", "cash"]));
    }
}
