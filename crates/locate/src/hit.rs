//! A screen and a point → what a finger meets there, as the platform hands touches on: from the front to the back, from the
//! innermost to what it stands in. Knows nothing of targets.

use crate::driver::{Element, Point, Rect, Screen};

/// The part of the screen from which on it may matter where on an element it is touched: a map, a picture to draw on.
const LARGE: f64 = 0.25;
/// How far from the middle of it a finger is off, in parts of its sides.
const OFF: f64 = 0.1;

/// What lies at a point.
#[derive(Clone, Copy, Debug)]
pub struct Hit<'a> {
    /// What takes the touch; where nothing says that it does, the innermost element that is there.
    pub element: &'a Element,
    /// Whether it says that it takes touches.
    pub takes: bool,
}

/// Finds what a finger meets at a point; none beside the window in front, which may close it.
pub fn at(screen: &Screen, point: Point) -> Option<Hit<'_>> {
    let front = screen.roots.iter().rev().find(|root| !root.rect.is_empty())?;
    let found = taker(front, point).map(|element| Hit { element, takes: true });
    found.or_else(|| innermost(front, point).map(|element| Hit { element, takes: false }))
}

/// Returns what takes touches at a point: what stands later in the tree lies over what stands before.
fn taker(element: &Element, point: Point) -> Option<&Element> {
    if !element.rect.contains(point) {
        return None;
    }
    let inner = element.children.iter().rev().find_map(|child| taker(child, point));
    inner.or_else(|| (element.clickable || element.long_clickable || element.checkable).then_some(element))
}

fn innermost(element: &Element, point: Point) -> Option<&Element> {
    if !element.rect.contains(point) {
        return None;
    }
    element.children.iter().rev().find_map(|child| innermost(child, point)).or(Some(element))
}

/// Tells whether it matters where on an element a finger goes down: on a slider, a canvas, a page of the web, and off the middle of
/// something large, which may be a map.
pub fn is_surface(element: &Element, screen: &Screen, at: Point) -> bool {
    let part = element.rect.intersect(&screen.bounds());
    let whole = screen.bounds();
    let area = |rect: &Rect| f64::from(rect.right - rect.left) * f64::from(rect.bottom - rect.top);
    let (middle, most) = (part.center(), |from: i32, to: i32| f64::from(to - from) * OFF);
    let is_off =
        (at.x - middle.x).abs() > most(part.left, part.right) || (at.y - middle.y).abs() > most(part.top, part.bottom);
    let is_drawn_on = matches!(element.role, "slider" | "webview") || element.class == "canvas";
    is_drawn_on || is_off && area(&part) > area(&whole) * LARGE
}

#[cfg(test)]
mod tests {
    use super::super::test_screens::{element, group, screen};
    use super::*;

    #[test]
    fn the_innermost_that_takes_touches_is_met_and_what_lies_over_it_goes_first() {
        let row = Element { clickable: true, ..group(0, vec![element("text", "Tea", 0), element("button", "Add", 0)]) };
        let screen = screen(vec![
            row,
            element("text", "plain", 40),
            element("button", "under", 80),
            element("button", "over", 90),
        ]);
        let met = |x, y| at(&screen, Point { x, y }).map(|hit| (hit.element.name().to_owned(), hit.takes));
        assert_eq!(met(5.0, 5.0), Some(("Add".to_owned(), true)));
        assert_eq!(met(5.0, 45.0), Some(("plain".to_owned(), false)));
        assert_eq!(met(5.0, 95.0), Some(("over".to_owned(), true)));
        assert_eq!(met(5.0, 85.0), Some(("under".to_owned(), true)));
        assert!(met(2000.0, 5.0).is_none());
    }
}
