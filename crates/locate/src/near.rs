//! Elements and an anchor → which of them is nearest. Knows rectangles and nothing of targets.

use crate::driver::{Element, Rect};

/// The square of the gap as a reader sees it, whether they share nothing of the screen, and whether the gap is a diagonal one.
type Distance = (i64, bool, bool);

/// Sorts elements by their distance to an anchor, which is left out itself; of two that are as far, what stands in it comes first,
/// and then what stands in its row or column.
pub(super) fn by_distance<'a>(elements: Vec<&'a Element>, anchor: &Element) -> Vec<(Distance, &'a Element)> {
    let others = elements.into_iter().filter(|element| !std::ptr::eq(*element, anchor));
    let measure = |rect: &Rect| {
        (read_apart(rect, &anchor.rect), rect.intersect(&anchor.rect).is_empty(), is_diagonal(rect, &anchor.rect))
    };
    let mut measured: Vec<_> = others.map(|element| (measure(&element.rect), element)).collect();
    measured.sort_by_key(|(distance, _)| *distance);
    measured
}

/// Returns the nearest; several where they are equally near.
pub(super) fn nearest(measured: Vec<(Distance, &Element)>) -> Vec<&Element> {
    let least = measured.first().map(|(distance, _)| *distance);
    measured.into_iter().take_while(|(distance, _)| Some(*distance) == least).map(|(_, element)| element).collect()
}

/// Gaps that still count as beside, in heights of the larger of two elements, and the least height that is reckoned with.
const HEIGHTS: i64 = 2;
const LEAST_HEIGHT: i32 = 40;

/// Tells whether a person would say that one element stands next to another: in the same row, or only a little away.
pub(super) fn is_beside(element: &Element, anchor: &Element) -> bool {
    let (a, b) = (&element.rect, &anchor.rect);
    let middle = |rect: &Rect| i32::midpoint(rect.top, rect.bottom);
    let holds_middle = |outer: &Rect, inner: &Rect| (outer.top..outer.bottom).contains(&middle(inner));
    let height = i64::from((a.bottom - a.top).max(b.bottom - b.top).max(LEAST_HEIGHT));
    let reach = height.saturating_mul(HEIGHTS);
    holds_middle(a, b) || holds_middle(b, a) || distance(a, b) <= reach.saturating_mul(reach)
}

/// How much farther a line is than what stands in the same one, at the same gap.
const LINE: i64 = 4;

/// Returns the gaps between two rectangles in pixels, across and down; less than 0 where they overlap.
fn gaps(a: &Rect, b: &Rect) -> (i64, i64) {
    let gap =
        |near: i32, far: i32, other_near: i32, other_far: i32| i64::from((other_near - far).max(near - other_far));
    (gap(a.left, a.right, b.left, b.right), gap(a.top, a.bottom, b.top, b.bottom))
}

/// Returns the square of the gap between two rectangles in pixels; 0 where they touch.
fn distance(a: &Rect, b: &Rect) -> i64 {
    let (x, y) = gaps(a, b);
    x.max(0).pow(2) + y.max(0).pow(2)
}

/// Does the same as a reader sees it, who reads along a line: what overlaps by less than half of the lower one's height stands in
/// another line, however close the lines are.
fn read_apart(a: &Rect, b: &Rect) -> i64 {
    let (x, y) = gaps(a, b);
    let half = i64::from((a.bottom - a.top).min(b.bottom - b.top)) / 2;
    x.max(0).pow(2) + ((y + half).max(0) * LINE).pow(2)
}

/// Tells whether two rectangles share no row and no column: cells of a table that meet at a corner.
fn is_diagonal(a: &Rect, b: &Rect) -> bool {
    let shares = |near: i32, far: i32, other_near: i32, other_far: i32| near < other_far && other_near < far;
    !shares(a.left, a.right, b.left, b.right) && !shares(a.top, a.bottom, b.top, b.bottom)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(left: i32, top: i32) -> Element {
        Element { rect: Rect { left, top, right: left + 10, bottom: top + 10 }, ..Element::default() }
    }

    #[test]
    fn the_button_of_a_line_is_nearer_than_that_of_the_next() {
        let rect = |left, top, right, bottom| Element { rect: Rect { left, top, right, bottom }, ..Element::default() };
        let of = |elements: [&Element; 2], anchor: &Element| {
            nearest(by_distance(elements.to_vec(), anchor)).iter().map(|element| element.rect.left).collect::<Vec<_>>()
        };
        // Two lines of a name and a button, which is higher than the name.
        let (name, own, other) = (rect(8, 32, 48, 50), rect(53, 30, 117, 51), rect(41, 8, 105, 29));
        for other in [other, rect(41, 13, 105, 34)] {
            assert_eq!(of([&other, &own], &name), [53]);
        }
        // A field under its label, and one of the next column.
        let (label, field, beside) = (rect(0, 0, 40, 18), rect(0, 22, 200, 44), rect(220, 22, 420, 44));
        assert_eq!(of([&beside, &field], &label), [0]);
    }

    #[test]
    fn the_smallest_gap_wins_and_equal_gaps_tie() {
        let (anchor, right, below, far) = (at(0, 0), at(30, 0), at(0, 30), at(30, 30));
        let left = at(-30, 0);
        let of = |elements: Vec<&Element>| {
            nearest(by_distance(elements, &anchor)).iter().map(|element| element.rect.top).collect::<Vec<_>>()
        };
        assert_eq!(of(vec![&anchor, &far, &right]), [0]);
        assert_eq!(of(vec![&far, &below, &right]), [0], "what stands in the line");
        assert_eq!(of(vec![&left, &right]), [0, 0]);
        assert_eq!(of(vec![&anchor]), Vec::<i32>::new());
        let (corner, cell) = (at(10, 10), at(10, 0));
        assert_eq!(of(vec![&corner, &cell]), [0], "cells of a table: the one in the row, not the one at the corner");
        assert_eq!(of(vec![&corner]), [10]);
        let inside = Element { rect: Rect { left: 5, top: 0, right: 10, bottom: 10 }, ..Element::default() };
        assert_eq!(of(vec![&at(0, 10), &inside]), [0], "the button of a row, not that of the next one");
        let touching = at(10, 5);
        assert_eq!(distance(&anchor.rect, &touching.rect), 0);
    }
}
