//! A YAML text → values that know their places. Knows nothing of what they mean.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_saphyr::{Location, Options, Spanned};

use super::definitions::Malformed;

/// Where something stands, counted from 1, in lines and characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: u64,
    pub(super) column: u64,
}

impl Place {
    const START: Self = Self { line: 1, column: 1 };

    fn of(location: Location) -> Self {
        Self { line: location.line().max(1), column: location.column().max(1) }
    }

    /// Returns what is wrong here.
    pub(super) fn wrong(self, message: impl Into<String>) -> Malformed {
        Malformed { line: self.line, column: self.column, message: message.into() }
    }
}

/// A value, and where it begins.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) data: Data,
    pub(super) place: Place,
}

#[derive(Clone, Debug)]
pub(super) enum Data {
    Scalar(Value),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// One key of a map with its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) place: Place,
    pub(super) value: Node,
}

impl Node {
    /// Returns the value without its places.
    pub(super) fn to_value(&self) -> Value {
        match &self.data {
            Data::Scalar(value) => value.clone(),
            Data::List(items) => items.iter().map(Self::to_value).collect(),
            Data::Map(entries) => {
                Value::Object(entries.iter().map(|entry| (entry.key.clone(), entry.value.to_value())).collect())
            }
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.data, Data::Scalar(Value::Null))
    }
}

/// Reads a text, strictly and within limits.
pub(super) fn read(text: &str) -> Result<Node, Malformed> {
    serde_saphyr::from_str_with_options(text, options()).map_err(|error| {
        let place = error.location().map_or(Place::START, Place::of);
        let message = error.without_snippet().to_string();
        // The place is told before the message.
        let message = message.split(" at line ").next().unwrap_or_default();
        place.wrong(message.lines().next().unwrap_or_default())
    })
}

fn options() -> Options {
    serde_saphyr::options! {
        strict_booleans: true,
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::Error,
        with_snippet: false,
        budget: serde_saphyr::budget! {
            max_depth: 16,
            max_nodes: 100_000,
            max_aliases: 100,
        },
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Data>::deserialize(deserializer)?;
        Ok(Self { data: spanned.value, place: Place::of(spanned.defined) })
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DataVisitor)
    }
}

struct DataVisitor;

impl<'de> Visitor<'de> for DataVisitor {
    type Value = Data;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Data, E> {
        Ok(Data::Scalar(Value::Null))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Data, E> {
        Ok(Data::Scalar(flag.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Data, E> {
        Ok(Data::Scalar(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Data, E> {
        Ok(Data::Scalar(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Data, E> {
        Ok(Data::Scalar(number.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Data, E> {
        Ok(Data::Scalar(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Data, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Data::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Data, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = access.next_entry::<Spanned<String>, Node>()? {
            entries.push(Entry { key: key.value, place: Place::of(key.defined), value });
        }
        Ok(Data::Map(entries))
    }
}
