//! What narrows a target down beside its own fields: `HttpRunner`'s `scope`, `abs_scope` and `match_one`.
//!
//! They are options of a call and stand in no published schema, so that agents need not read them.

use std::fmt;

use serde::Deserialize;

use crate::driver::{Rect, Size};

/// Which of the elements that a target names are meant.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// Left, top, right, bottom in fractions of the screen: an element lies in it as a whole.
    pub scope: Option<[f64; 4]>,
    /// The same in pixels.
    pub abs_scope: Option<[i32; 4]>,
    /// The first of several will do.
    pub match_one: bool,
    /// Whoever has the very text is meant before those in which a pattern is found.
    #[serde(skip)]
    pub same_text_first: bool,
}

impl Filter {
    /// Tells whether an element at `rect` on a screen of this size may be meant.
    pub(super) fn holds(&self, rect: Rect, size: Size) -> bool {
        let (width, height) = (f64::from(size.width), f64::from(size.height));
        let fractions =
            self.scope.map(|[left, top, right, bottom]| [left * width, top * height, right * width, bottom * height]);
        let areas = [fractions, self.abs_scope.map(|area| area.map(f64::from))];
        areas.into_iter().flatten().all(|area| is_within(rect, area))
    }
}

fn is_within(rect: Rect, [left, top, right, bottom]: [f64; 4]) -> bool {
    f64::from(rect.left) >= left
        && f64::from(rect.top) >= top
        && f64::from(rect.right) <= right
        && f64::from(rect.bottom) <= bottom
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        let mut part = |name: &str, area: String| {
            let comma = if std::mem::take(&mut first) { "" } else { ", " };
            write!(f, "{comma}{name} {area}")
        };
        self.scope.map_or(Ok(()), |area| part("scope", format!("{area:?}")))?;
        self.abs_scope.map_or(Ok(()), |area| part("abs_scope", format!("{area:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Size = Size { width: 1000, height: 2000 };

    fn rect(left: i32, top: i32, right: i32, bottom: i32) -> Rect {
        Rect { left, top, right, bottom }
    }

    #[test]
    fn an_element_lies_in_a_scope_as_a_whole() {
        let upper = Filter { scope: Some([0.0, 0.0, 1.0, 0.5]), ..Filter::default() };
        assert!(upper.holds(rect(0, 900, 1000, 1000), SCREEN));
        assert!(!upper.holds(rect(0, 900, 1000, 1001), SCREEN));
        let both = Filter { abs_scope: Some([100, 0, 1000, 2000]), ..upper };
        assert!(both.holds(rect(100, 0, 200, 10), SCREEN) && !both.holds(rect(99, 0, 200, 10), SCREEN));
        assert_eq!(both.to_string(), "scope [0.0, 0.0, 1.0, 0.5], abs_scope [100, 0, 1000, 2000]");
        assert!(Filter::default().holds(rect(-5, -5, 5000, 5000), SCREEN));
    }
}
