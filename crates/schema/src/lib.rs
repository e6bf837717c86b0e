//! A JSON Schema and a value → what the value breaks, each with its place; a wrong name → the one that was meant.
//!
//! Knows schemas, values and names only. References lead nowhere outside of the schema, and a pattern takes time linear in the text.

mod nearest;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use boon::{Compiler, ErrorKind, SchemaIndex, Schemas, Type, ValidationError};
use serde_json::{Number, Value};

pub use boon::Draft;

pub use self::nearest::nearest;

/// Under this the schema stands among those of the drafts; nobody sees it.
const HERE: &str = "urn:schema";

/// A compiled schema.
pub struct Validator {
    schemas: Schemas,
    index: SchemaIndex,
}

/// Why there is no validator.
#[derive(Debug)]
pub struct InvalidSchema(String);

impl fmt::Display for InvalidSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for InvalidSchema {}

/// One thing that a value breaks.
#[derive(Debug)]
pub struct Violation<'a> {
    /// Leads to the value that is wrong, as a JSON Pointer; empty for the whole.
    pub pointer: String,
    /// What stands there.
    pub value: &'a Value,
    pub rule: Rule<'a>,
}

/// What was broken.
#[derive(Debug)]
pub enum Rule<'a> {
    /// The value has none of these types, named as JSON Schema names them.
    Type(Vec<String>),
    Minimum(&'a Number),
    Maximum(&'a Number),
    Enum(&'a [Value]),
    /// These keys are missing.
    Required(Vec<&'a str>),
    /// These keys are not allowed.
    AdditionalProperties(Vec<String>),
    /// Any other keyword, in words.
    Other(String),
}

/// Refuses what is not in the schema itself, or among the drafts that ship with the library.
struct NothingElsewhere;

impl boon::UrlLoader for NothingElsewhere {
    fn load(&self, url: &str) -> Result<Value, Box<dyn Error>> {
        Err(format!("nothing is fetched: {url}").into())
    }
}

impl Validator {
    /// Compiles a schema; `draft` is meant where the schema names none by `$schema`.
    ///
    /// # Errors
    ///
    /// Fails where the schema is none, or refers to another.
    pub fn new(schema: &Value, draft: Draft) -> Result<Self, InvalidSchema> {
        let mut schemas = Schemas::new();
        let mut compiler = Compiler::new();
        compiler.use_loader(Box::new(NothingElsewhere));
        compiler.set_default_draft(draft);
        let added = compiler.add_resource(HERE, schema.clone());
        let index = added.and_then(|()| compiler.compile(HERE, &mut schemas));
        index.map(|index| Self { schemas, index }).map_err(|error| InvalidSchema(format!("{error:#}")))
    }

    pub fn is_valid(&self, value: &Value) -> bool {
        self.schemas.validate(value, self.index).is_ok()
    }

    /// Returns everything that a value breaks; of a choice between schemas only that none fits.
    pub fn violations<'a>(&'a self, value: &'a Value) -> Vec<Violation<'a>> {
        let mut violations = Vec::new();
        if let Err(error) = self.schemas.validate(value, self.index) {
            collect(error, value, &mut violations);
        }
        violations
    }
}

fn collect<'a>(error: ValidationError<'a, 'a>, whole: &'a Value, violations: &mut Vec<Violation<'a>>) {
    let ValidationError { instance_location, kind, causes, .. } = error;
    let is_group =
        matches!(kind, ErrorKind::Group | ErrorKind::Schema { .. } | ErrorKind::Reference { .. } | ErrorKind::AllOf);
    if is_group {
        return causes.into_iter().for_each(|cause| collect(cause, whole, violations));
    }
    let pointer = instance_location.to_string();
    let value = whole.pointer(&pointer).unwrap_or(whole);
    violations.push(Violation { pointer, value, rule: rule(kind) });
}

fn rule<'a>(kind: ErrorKind<'a, 'a>) -> Rule<'a> {
    match kind {
        ErrorKind::Type { want, .. } => Rule::Type(want.iter().map(|kind: Type| kind.to_string()).collect()),
        ErrorKind::Minimum { want, .. } => Rule::Minimum(want),
        ErrorKind::Maximum { want, .. } => Rule::Maximum(want),
        ErrorKind::Enum { want } => Rule::Enum(want),
        ErrorKind::Required { want } => Rule::Required(want),
        ErrorKind::AdditionalProperties { got } => {
            Rule::AdditionalProperties(got.into_iter().map(Cow::into_owned).collect())
        }
        ErrorKind::AnyOf | ErrorKind::OneOf(None) => Rule::Other("fits none of the choices".to_owned()),
        ErrorKind::MinItems { got, want } => Rule::Other(counted("at least", want, "item", got)),
        ErrorKind::MaxItems { got, want } => Rule::Other(counted("at most", want, "item", got)),
        ErrorKind::MinLength { got, want } => Rule::Other(counted("at least", want, "character", got)),
        ErrorKind::MaxLength { got, want } => Rule::Other(counted("at most", want, "character", got)),
        other => Rule::Other(other.to_string()),
    }
}

/// Says how many there must be: `at least 1 item, not 0`.
fn counted(bound: &str, want: usize, what: &str, got: usize) -> String {
    format!("{bound} {want} {what}{}, not {got}", if want == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_violation_has_its_place() {
        let schema = json!({"type": "object", "required": ["a"], "additionalProperties": false, "properties": {
            "a": {"type": "integer"}, "list": {"items": {"$ref": "#/$defs/small"}}}, "$defs": {"small": {"maximum": 3}}});
        let validator = Validator::new(&schema, Draft::V2020_12).expect("a schema");
        assert!(validator.is_valid(&json!({"a": 1, "list": [3]})));
        let value = json!({"b": 1, "list": [1, 4]});
        let mut told: Vec<String> = validator
            .violations(&value)
            .iter()
            .map(|it| format!("{} {} {:?}", it.pointer, it.value, it.rule))
            .collect();
        told.sort();
        let whole = value.to_string();
        assert_eq!(
            told,
            [
                format!(" {whole} AdditionalProperties([\"b\"])"),
                format!(" {whole} Required([\"a\"])"),
                "/list/1 4 Maximum(Number(3))".to_owned()
            ]
        );
    }

    #[test]
    fn a_reference_to_elsewhere_is_refused() {
        for url in ["http://127.0.0.1:1/x.json", "file:///etc/hostname"] {
            let error = Validator::new(&json!({"$ref": url}), Draft::V7).err().expect("refused");
            assert!(error.to_string().contains(url), "{error}");
        }
    }
}
