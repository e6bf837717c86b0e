//! Coordinates as testcases write them → pixels: up to 1 they are fractions of the screen, from 2 on pixels.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_driver::{Point, Size};
use uixt_locate::target::Target;
use uixt_locate::{Error, Kind};

use crate::Reply;
use crate::wait::Waited;

/// A point: the arguments of tools that touch one.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
pub struct Spot {
    /// 0 to 1 of the width, or pixels from 2 on.
    #[schemars(range(min = 0.0))]
    x: f64,
    /// 0 to 1 of the height, or pixels.
    #[schemars(range(min = 0.0))]
    y: f64,
}

impl Spot {
    /// Checks what a schema cannot say.
    pub fn check(self) -> Result<(), String> {
        check(&[("x", self.x), ("y", self.y)])
    }

    /// Returns its pixel, as [`point`] does.
    pub fn point(self, size: Size) -> Result<Point, Error> {
        point(self.x, self.y, size)
    }

    /// Begins the reply: what was done there, `Tapped twice`.
    pub fn reply(self, done: &str) -> Reply {
        Reply::new(format!("{done} at {self}")).with("x", self.x).with("y", self.y)
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.x, self.y)
    }
}

/// A point, or an element: the arguments of tools that take either.
#[derive(Deserialize, JsonSchema)]
pub struct PointOrElement {
    #[serde(flatten)]
    pub waited: Waited,
    /// Instead of an element: 0 to 1 of the width, or pixels from 2 on.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    x: Option<f64>,
    /// 0 to 1 of the height, or pixels.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    y: Option<f64>,
}

impl PointOrElement {
    /// Checks that one of both is named.
    pub fn check(&self) -> Result<(), String> {
        let names_element = self.waited.target != Target::default();
        match (self.x, self.y) {
            (None, None) if names_element => self.waited.check(),
            (None, None) => Err("give a point (x and y), or an element by text, id, role, ref or selector".to_owned()),
            _ if names_element => Err("give either a point (x and y) or an element, not both".to_owned()),
            (Some(x), Some(y)) => check(&[("x", x), ("y", y)]),
            _ => Err("a point has both x and y".to_owned()),
        }
    }

    /// Tells whether neither a point nor an element is named.
    pub fn is_unnamed(&self) -> bool {
        self.x.is_none() && self.y.is_none() && self.waited.target == Target::default()
    }

    /// Returns the point; none where an element is named.
    pub fn spot(&self) -> Option<Spot> {
        Some(Spot { x: self.x?, y: self.y? })
    }
}

/// Checks coordinates by their names.
pub fn check(coordinates: &[(&str, f64)]) -> Result<(), String> {
    match coordinates.iter().find(|(_, value)| *value > 1.0 && *value < 2.0) {
        None => Ok(()),
        Some((name, value)) => Err(format!(
            "`{name}` is {value}: up to 1 it is a fraction of the screen, from 2 on pixels, and between them most likely a mistake"
        )),
    }
}

/// Returns the pixel that two coordinates name; an error where it lies outside of the screen, which would take it without
/// a word and do nothing.
pub fn point(x: f64, y: f64, size: Size) -> Result<Point, Error> {
    Ok(Point { x: pixel(x, size.width, "wide")?, y: pixel(y, size.height, "high")? })
}

fn pixel(value: f64, side: u32, what: &str) -> Result<f64, Error> {
    let side = f64::from(side);
    if value <= 1.0 {
        // The right and bottom edges belong to the last pixel.
        return Ok((value * side).min(side - 1.0));
    }
    if value < side {
        return Ok(value);
    }
    Err(Error::new(Kind::BadArgument, format!("{value} lies outside of the screen, which is {side} pixels {what}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_fractions_or_pixels() {
        let size = Size { width: 1080, height: 2400 };
        let at = |x, y| point(x, y, size).map(|point| (point.x, point.y)).map_err(|error| error.message);
        assert_eq!(at(0.5, 1200.0), Ok((540.0, 1200.0)));
        assert_eq!((at(0.0, 0.0), at(1.0, 1.0)), (Ok((0.0, 0.0)), Ok((1079.0, 2399.0))));
        assert_eq!(at(1080.0, 2.0).unwrap_err(), "1080 lies outside of the screen, which is 1080 pixels wide");
        assert!(check(&[("x", 0.0), ("y", 2.0), ("to_x", 1.0)]).is_ok());
        assert!(check(&[("x", 0.5), ("y", 1.5)]).is_err_and(|message| message.starts_with("`y` is 1.5: up to 1")));
    }
}
