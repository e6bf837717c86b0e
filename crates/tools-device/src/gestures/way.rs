//! Where a finger goes: a direction by its name, or four coordinates in a list.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use uixt_driver::{Gesture, Size};
use uixt_locate::Error;

use super::draw;
use super::swipe::Direction;

/// A way over the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    To(Direction),
    /// From x, from y, to x, to y: fractions, or pixels from 2 on.
    Line([f64; 4]),
}

impl Way {
    /// Checks what a schema cannot say.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            Self::To(_) => Ok(()),
            Self::Line(ends) if ends.iter().any(|end| *end < 0.0) => {
                Err("`direction`: coordinates must be at least 0".to_owned())
            }
            Self::Line(ends) => draw::check(*ends).map_err(|message| format!("direction: {message}")),
        }
    }

    /// Makes the swipe.
    pub(crate) fn gesture(&self, size: Size) -> Result<Gesture, Error> {
        let ends = match self {
            Self::To(direction) => direction.path(),
            Self::Line(ends) => *ends,
        };
        let (from, to) = draw::points(ends, size)?;
        Ok(Gesture::Swipe { from, to, duration: std::time::Duration::from_millis(500) })
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::To(direction) => f.write_str(direction.name()),
            Self::Line([from_x, from_y, to_x, to_y]) => write!(f, "from {from_x}, {from_y} to {to_x}, {to_y}"),
        }
    }
}

impl<'de> Deserialize<'de> for Way {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Way;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("up, down, left, right or a list of from x, from y, to x, to y")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Way, E> {
                let direction = [Direction::Up, Direction::Down, Direction::Left, Direction::Right]
                    .into_iter()
                    .find(|direction| direction.name() == text);
                direction.map(Way::To).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }

            fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Way, S::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = list.next_element::<f64>()? {
                    numbers.push(number);
                }
                let ends = <[f64; 4]>::try_from(numbers);
                ends.map(Way::Line).map_err(|numbers| de::Error::invalid_length(numbers.len(), &self))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl JsonSchema for Way {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Way".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "array"], "items": {"type": "number"}})
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_way_is_a_name_or_four_numbers() {
        let read = |value| serde_json::from_value::<Way>(value).map_err(|error| error.to_string());
        assert_eq!(read(json!("left")), Ok(Way::To(Direction::Left)));
        assert_eq!(read(json!([0.5, 0.8, 0.5, 0])), Ok(Way::Line([0.5, 0.8, 0.5, 0.0])));
        assert!(read(json!("lft")).is_err_and(|message| message.contains("expected up, down, left, right or a list")));
        assert!(read(json!([1, 2, 3])).is_err());
        assert!(read(json!([0.5, -1, 0.5, 0.2])).is_ok_and(|way| way.check().is_err()));
        assert!(read(json!([0.5, 1.5, 0.5, 0.2])).is_ok_and(|way| way.check().is_err()));
    }
}
