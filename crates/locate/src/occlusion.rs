//! An element and its screen → the part of it that a finger reaches: what lies on the screen, beside what lies over its middle.
//!
//! A tree does not tell which of two elements lies over the other, but what only one of them takes is certain.

use crate::driver::{Element, Point, Reach, Rect, Screen};

/// Pieces that are looked at, at most.
const MAX: usize = 64;

/// Returns the part of an element to touch. Where something else that can be touched covers its middle, the largest piece
/// that nothing covers; all of it where there is none.
pub fn reachable(element: &Element, screen: &Screen) -> Rect {
    let part = element.rect.intersect(&screen.bounds());
    if part.is_empty() {
        return element.rect;
    }
    if let Some(told) = &element.told {
        return match &told.reach {
            Reach::At(point) => pixel(*point),
            Reach::Middle | Reach::Covered(_) | Reach::Missed(_) => part,
        };
    }
    // What takes no touch itself may be there only to be seen, under what takes them for it.
    let covers = if element.clickable { covers(element, part, screen) } else { Vec::new() };
    if !covers.iter().any(|cover| cover.contains(part.center())) {
        return part;
    }
    let mut pieces = vec![part];
    for cover in &covers {
        pieces = pieces.iter().flat_map(|piece| without(*piece, *cover)).collect();
        pieces.sort_by_key(|piece| std::cmp::Reverse(shorter_side(*piece)));
        pieces.truncate(MAX);
    }
    pieces.first().copied().unwrap_or(part)
}

/// Returns the pixel that a point lies in.
#[expect(clippy::cast_possible_truncation, reason = "a point of the screen")]
fn pixel(point: Point) -> Rect {
    let (left, top) = (point.x as i32, point.y as i32);
    Rect { left, top, right: left + 1, bottom: top + 1 }
}

/// Returns where else touches go within a part of the screen: neither to the element nor to what it stands in or holds.
fn covers(element: &Element, part: Rect, screen: &Screen) -> Vec<Rect> {
    /// Collects them; tells whether the element is this one or in it.
    fn visit(at: &Element, element: &Element, part: Rect, found: &mut Vec<Rect>) -> bool {
        if at.rect == element.rect && at == element {
            return true;
        }
        let holds = at.children.iter().filter(|child| visit(child, element, part, found)).count() > 0;
        let rect = at.rect.intersect(&part);
        if !holds && at.clickable && !rect.is_empty() {
            found.push(rect);
        }
        holds
    }
    let mut found = Vec::new();
    for root in &screen.roots {
        visit(root, element, part, &mut found);
    }
    found
}

/// Returns what is left of a piece: above, below, left and right of a cover.
fn without(piece: Rect, cover: Rect) -> Vec<Rect> {
    let cover = cover.intersect(&piece);
    if cover.is_empty() {
        return vec![piece];
    }
    let sides = [
        Rect { bottom: cover.top, ..piece },
        Rect { top: cover.bottom, ..piece },
        Rect { right: cover.left, ..piece },
        Rect { left: cover.right, ..piece },
    ];
    sides.into_iter().filter(|side| !side.is_empty()).collect()
}

fn shorter_side(rect: Rect) -> i32 {
    (rect.right - rect.left).min(rect.bottom - rect.top)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Size;

    fn rect(left: i32, top: i32, right: i32, bottom: i32) -> Rect {
        Rect { left, top, right, bottom }
    }

    fn button(id: &str, rect: Rect) -> Element {
        Element { id: id.to_owned(), rect, clickable: true, ..Element::default() }
    }

    /// Where a button of 100×40 is touched that has these beside it.
    fn touched(element: &Element, others: &[Element]) -> Rect {
        let children = [element.clone()].into_iter().chain(others.iter().cloned()).collect();
        let root = Element { rect: rect(0, 0, 100, 200), clickable: true, children, ..Element::default() };
        let size = Size { width: 100, height: 200 };
        let screen = Screen { package: String::new(), size, lit: true, roots: vec![root], ..Screen::default() };
        reachable(element, &screen)
    }

    #[test]
    fn a_covered_middle_is_avoided() {
        let row = button("row", rect(0, 0, 100, 40));
        assert_eq!(touched(&row, &[button("a", rect(40, 5, 90, 35))]), rect(0, 0, 40, 40));
        let two = [button("a", rect(40, 0, 100, 40)), button("b", rect(0, 0, 20, 40))];
        assert_eq!(touched(&row, &two), rect(20, 0, 40, 40));
    }

    #[test]
    fn what_covers_no_middle_or_all_of_it_changes_nothing() {
        let row = button("row", rect(0, 0, 100, 40));
        for other in [rect(70, 0, 100, 40), rect(0, 0, 100, 40), rect(0, 20, 100, 40).intersect(&rect(0, 30, 100, 90))]
        {
            assert_eq!(touched(&row, &[button("a", other)]), row.rect, "{other:?}");
        }
        let seen = Element { clickable: false, ..row.clone() };
        assert_eq!(
            touched(&seen, &[button("a", rect(10, 0, 100, 40))]),
            row.rect,
            "a text under what takes its touches"
        );
        let inner = Element { children: vec![button("in", rect(30, 0, 90, 40))], ..row.clone() };
        assert_eq!(touched(&inner, &[]), row.rect);
        let cut = button("row", rect(0, 180, 100, 220));
        assert_eq!(touched(&cut, &[]), rect(0, 180, 100, 200));
    }
}
