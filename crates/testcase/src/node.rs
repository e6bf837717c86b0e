//! A file as a tree in which every key and value knows its place. Knows neither testcases nor how the tree is read.

use crate::action::Span;
use serde_json::{Map, Number, Value};
use std::ops::Range;
use uixt_core::written;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) data: Data,
    pub(super) place: Place,
    /// A number or boolean as it is written, where it would be written otherwise: `8.90`, `+86`, `True`.
    pub(super) written: Option<Box<str>>,
}

/// A stretch of a file, for people and as byte offsets into the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) span: Span,
    start: u32,
    end: u32,
}

impl Place {
    /// A place between two offsets in bytes.
    pub(super) fn new(span: Span, bytes: Range<usize>) -> Self {
        let offset = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { span, start: offset(bytes.start), end: offset(bytes.end) }
    }

    /// Returns where it stands in the text, in bytes.
    pub(super) fn bytes(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Data {
    Null,
    Bool(bool),
    Number(Number),
    Str(String),
    Seq(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) place: Place,
    pub(super) value: Node,
}

impl Node {
    /// Returns the value without its places.
    ///
    /// What is written otherwise than the number or boolean that it means stays a text: whoever wants a number reads it as
    /// one, and whoever wants a text gets what its author wrote.
    pub(super) fn to_value(&self) -> Value {
        self.value(&|data, written| match data {
            Data::Number(number) if number.to_string() == written => Value::Number(number.clone()),
            _ => Value::String(written.to_owned()),
        })
    }

    /// Returns the value without its places, in which what is written otherwise is [both](written), its text and its meaning.
    pub(super) fn to_written(&self) -> Value {
        self.value(&|_, text| written::value(text))
    }

    fn value(&self, otherwise: &impl Fn(&Data, &str) -> Value) -> Value {
        if let Some(written) = &self.written {
            return otherwise(&self.data, written);
        }
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(flag) => Value::Bool(*flag),
            Data::Number(number) => Value::Number(number.clone()),
            Data::Str(text) => Value::String(text.clone()),
            Data::Seq(items) => items.iter().map(|item| item.value(otherwise)).collect(),
            Data::Map(entries) => {
                let values = entries.iter().map(|entry| (entry.key.clone(), entry.value.value(otherwise)));
                Value::Object(values.collect())
            }
        }
    }

    /// Returns what kind of value this is, with its article.
    pub(super) fn kind(&self) -> &'static str {
        match &self.data {
            Data::Null => "nothing",
            Data::Bool(_) => "a boolean",
            Data::Number(_) => "a number",
            Data::Str(_) => "a string",
            Data::Seq(_) => "a list",
            Data::Map(_) => "a map",
        }
    }

    pub(super) fn is_null(&self) -> bool {
        self.data == Data::Null
    }

    /// Returns the entry of a map with this key.
    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.data {
            Data::Map(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }

    /// Returns the place that a JSON pointer leads to, or as far on the way as there is one.
    pub(super) fn locate(&self, pointer: &str, at_key: bool) -> Span {
        let mut node = self;
        let mut span = self.place.span;
        for segment in pointer.split('/').skip(1) {
            let segment = segment.replace("~1", "/").replace("~0", "~");
            match &node.data {
                Data::Map(entries) => {
                    let Some(entry) = entries.iter().find(|entry| entry.key == segment) else { break };
                    node = &entry.value;
                    span = if at_key { entry.place.span } else { entry.shown_place() };
                }
                Data::Seq(items) => {
                    let Some(item) = segment.parse().ok().and_then(|index: usize| items.get(index)) else { break };
                    node = item;
                    span = item.place.span;
                }
                _ => break,
            }
        }
        span
    }
}

impl Entry {
    /// Returns the value's place, or the key's where the value is not written.
    pub(super) fn shown_place(&self) -> Span {
        if self.value.is_null() && self.value.place.span.length == 0 { self.place.span } else { self.value.place.span }
    }
}

/// Returns a map's entries without their places.
pub(super) fn to_map(entries: &[Entry]) -> Map<String, Value> {
    entries.iter().map(|entry| (entry.key.clone(), entry.value.to_value())).collect()
}
