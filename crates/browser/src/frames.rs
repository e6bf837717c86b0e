//! Frames of other sites, which the script of the page around them cannot look into → parts of one screen: each is looked at by
//! itself, and what stands in it is put where its frame is, in the coordinates of the viewport.
//!
//! One that does not answer, or that is too deep in others, stays what it is: a frame that nobody could look into. Where it is in
//! sight, the screen says that there is more than it tells.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::Value;

use super::page::{self, Hole, Seen, Turn};
use super::{Browser, TIMEOUT};
use crate::driver::{Element, Error, Look, Point, Reach, Rect, Screen};

/// Most frames of one look, and how deep they may lie in each other.
const MAX: usize = 24;
const DEEPEST: usize = 5;

/// How long a frame may take to answer: its page may be busy, and others wait for it.
const FRAME: Duration = Duration::from_secs(2);

/// For how long one that did not answer is not asked again.
const REST: Duration = Duration::from_secs(10);

/// Most documents that are remembered, and most elements of a frame that are looked at for what lies over them.
const DOCUMENTS: usize = 1000;
const POINTS: usize = 500;

/// Where documents in frames of other sites are.
#[derive(Default)]
pub(super) struct Frames {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// The keys of the elements that hold a document, from the outermost on, by its number.
    documents: HashMap<u32, Vec<u64>>,
    /// Frames that did not answer, by their keys, and when.
    deaf: HashMap<u64, Instant>,
}

impl Frames {
    /// Returns the frames that an element is in, from the outermost on, by its key.
    pub(super) fn of(&self, key: u64) -> Vec<u64> {
        self.inner.lock().documents.get(&page::document(key)).cloned().unwrap_or_default()
    }

    fn remember(&self, document: u32, frames: &[u64]) {
        let mut inner = self.inner.lock();
        if inner.documents.len() >= DOCUMENTS {
            inner.documents.clear();
        }
        inner.documents.insert(document, frames.to_vec());
    }

    fn is_deaf(&self, frame: u64) -> bool {
        self.inner.lock().deaf.get(&frame).is_some_and(|since| since.elapsed() < REST)
    }

    fn call_deaf(&self, frame: u64) {
        let mut inner = self.inner.lock();
        inner.deaf.retain(|_, since| since.elapsed() < REST);
        inner.deaf.insert(frame, Instant::now());
    }
}

impl Browser {
    /// Looks at the page and at all frames in it.
    pub(super) async fn look_through(&self, look: &Look<'_>, timeout: Duration) -> Result<Screen, Error> {
        let mut seen = self.look_at(&[], look, timeout).await?;
        self.open_frames(&[], &mut seen, look, &mut MAX.clone()).await;
        Ok(seen.screen)
    }

    async fn look_at(&self, frames: &[u64], look: &Look<'_>, timeout: Duration) -> Result<Seen, Error> {
        for _ in 0..DEEPEST {
            let answer = self.ask_script(frames, page::wanted(look), timeout).await?;
            let mut seen = page::seen(&answer, look.selectors)?;
            // What stands in one shadow root may have another.
            let is_known = match seen.is_closed {
                true => self.backend().await?.find_closed_roots(frames).await.map(|found| found == 0),
                false => Ok(true),
            };
            match is_known {
                Ok(true) if self.tell_roles(frames, &mut seen).await => return Ok(seen),
                Ok(_) => {}
                Err(error) => {
                    tracing::debug!("closed shadow roots were not looked into: {error}");
                    lack(&mut seen.screen, true);
                    return Ok(seen);
                }
            }
        }
        let answer = self.ask_script(frames, page::wanted(look), timeout).await?;
        page::seen(&answer, look.selectors)
    }

    /// Puts the roles, names and states of elements in their places that a page's scripts have told the browser alone; false where it has
    /// only now become known which elements there is nothing to tell of, so that the page is to be looked at anew.
    async fn tell_roles(&self, frames: &[u64], seen: &mut Seen) -> bool {
        let keys = std::mem::take(&mut seen.own);
        if keys.is_empty() {
            return true;
        }
        let told = match self.backend().await {
            Ok(backend) => backend.accessibility(frames, &keys).await,
            Err(error) => Err(error),
        };
        let told = told.unwrap_or_else(|error| {
            tracing::debug!("the roles of elements were not told: {error}");
            Vec::new()
        });
        for (key, told) in keys.iter().zip(&told) {
            if let (Some(role), Some(element)) = (page::known_role(&told.role), owner(&mut seen.screen.roots, *key)) {
                element.role = role;
                if element.label.is_empty() && element.text != told.name {
                    element.label.clone_from(&told.name);
                }
                element.enabled &= !told.is_disabled;
                element.selected |= told.is_selected;
                if let Some(checked) = &told.checked {
                    (element.checkable, element.checked) = (true, checked == "true");
                    if let Some(own) = &mut element.told {
                        own.mixed = checked == "mixed";
                    }
                }
            }
        }
        let plain: Vec<u32> = keys
            .iter()
            .zip(&told)
            .filter(|(_, told)| page::known_role(&told.role).is_none())
            .map(|(key, _)| page::number(*key).0)
            .collect();
        plain.is_empty() || self.ask_within(frames, page::PLAIN, &[serde_json::json!(plain)], TIMEOUT).await.is_err()
    }

    /// Looks into the frames of what was seen, and puts what stands there into their places.
    fn open_frames<'a>(
        &'a self,
        frames: &'a [u64],
        seen: &'a mut Seen,
        look: &'a Look<'a>,
        left: &'a mut usize,
    ) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            for hole in std::mem::take(&mut seen.holes) {
                let is_in_sight = !hole.rect.intersect(&seen.screen.bounds()).is_empty();
                if *left == 0 || frames.len() >= DEEPEST || self.frames.is_deaf(hole.key) {
                    lack(&mut seen.screen, is_in_sight);
                    continue;
                }
                *left -= 1;
                let within: Vec<u64> = frames.iter().copied().chain([hole.key]).collect();
                // What is out of sight draws no frames that could be waited for.
                let (steady, reach) = (look.steady && is_in_sight, look.reach && is_in_sight);
                let asked = Look { steady, reach, ..*look };
                let began = Instant::now();
                match self.look_at(&within, &asked, FRAME).await {
                    Ok(mut inner) => {
                        self.frames.remember(inner.document, &within);
                        self.open_frames(&within, &mut inner, &asked, left).await;
                        put(&hole, inner, seen);
                        if steady || reach {
                            self.find_covers(frames, &hole, &mut seen.screen).await;
                        }
                    }
                    Err(error) => {
                        tracing::debug!("a frame was not looked into: {error}");
                        lack(&mut seen.screen, is_in_sight);
                        if began.elapsed() >= FRAME {
                            self.frames.call_deaf(hole.key);
                        }
                    }
                }
            }
        })
    }

    /// Asks the document around a frame what lies over what stands in the frame, where that is to be touched.
    async fn find_covers(&self, frames: &[u64], hole: &Hole, screen: &mut Screen) {
        let bounds = screen.bounds();
        let Some(frame) = owner(&mut screen.roots, hole.key) else { return };
        let mut points = Vec::new();
        each(frame, &mut |element| points.extend(point(element, &bounds)));
        points.truncate(POINTS);
        if points.is_empty() {
            return;
        }
        let told = self.ask_script(frames, page::over(hole.key, &points), TIMEOUT).await.unwrap_or_default();
        let mut covers = told.as_array().into_iter().flatten().filter_map(Value::as_str);
        each(frame, &mut |element| {
            let cover = point(element, &bounds).and_then(|_| covers.next()).filter(|cover| !cover.is_empty());
            if let (Some(cover), Some(told)) = (cover, &mut element.told) {
                told.reach = Reach::Covered(cover.to_owned());
            }
        });
    }
}

/// Returns where an element would be touched that can be acted on and is in sight.
fn point(element: &Element, bounds: &Rect) -> Option<Point> {
    let part = element.rect.intersect(bounds);
    if part.is_empty() || !(element.clickable || element.checkable || element.focusable) {
        return None;
    }
    match &element.told.as_ref()?.reach {
        Reach::Covered(_) | Reach::Missed(_) => None,
        Reach::At(point) => Some(*point),
        Reach::Middle => Some(part.center()),
    }
}

/// Calls a function with everything in an element.
fn each(element: &mut Element, act: &mut dyn FnMut(&mut Element)) {
    for child in &mut element.children {
        act(child);
        each(child, act);
    }
}

fn owner(elements: &mut [Element], key: u64) -> Option<&mut Element> {
    elements
        .iter_mut()
        .find_map(|element| if element.key() == Some(key) { Some(element) } else { owner(&mut element.children, key) })
}

/// Puts what stands in a frame into its place.
fn put(hole: &Hole, inner: Seen, seen: &mut Seen) {
    let (viewport, around) = (inner.screen.bounds(), seen.screen.bounds());
    let Some(frame) = owner(&mut seen.screen.roots, hole.key) else { return };
    frame.role = "group";
    let (is_focused, still) = (frame.focused, frame.told.as_ref().and_then(|told| told.still));
    frame.children = inner.screen.roots;
    each(frame, &mut |element| {
        let reach = element.told.as_ref().map(|told| told.reach.clone()).unwrap_or_default();
        let reach = reached(element.rect.intersect(&viewport), reach, hole, &around);
        element.rect = moved(element.rect, hole, &viewport);
        // A page keeps what had its focus, also while another has it.
        element.focused &= is_focused;
        if let Some(told) = &mut element.told {
            // What stands still in a frame that moves does not.
            told.still = still.and_then(|still| told.still.map(|own| own && still));
            told.reach = reach;
        }
    });
    seen.screen.cut |= inner.screen.cut;
    seen.screen.notes.flickers |= inner.screen.notes.flickers;
    if seen.screen.notes.loading.is_empty() {
        seen.screen.notes.loading = inner.screen.notes.loading;
    }
    for (all, more) in seen.screen.selected.iter_mut().zip(inner.screen.selected) {
        all.whole &= more.whole;
        if let (Ok(found), Ok(more)) = (&mut all.found, more.found) {
            found.extend(more);
        }
    }
}

/// Notes that a frame was not looked into: what is in it may be seen, or be what a selector selects.
fn lack(screen: &mut Screen, is_in_sight: bool) {
    screen.cut |= is_in_sight;
    screen.selected.iter_mut().for_each(|selected| selected.whole = false);
}

/// Returns where a rectangle of a frame's page is around it, as far as the frame shows it.
fn moved(rect: Rect, hole: &Hole, viewport: &Rect) -> Rect {
    let there = match &hole.turn {
        Turn::Flat(_) => match rect.intersect(viewport) {
            shown if shown.is_empty() => Rect { right: rect.left, bottom: rect.top, ..rect },
            shown => spanned(shown, hole),
        },
        Turn::None | Turn::Bent(_) => Rect {
            left: rect.left.saturating_add(hole.left),
            top: rect.top.saturating_add(hole.top),
            right: rect.right.saturating_add(hole.left),
            bottom: rect.bottom.saturating_add(hole.top),
        },
    };
    let shown = there.intersect(&hole.rect);
    let (left, top) = (there.left, there.top);
    if shown.is_empty() { Rect { left, top, right: left, bottom: top } } else { shown }
}

/// Returns all that a rectangle of a turned frame's page spans around it.
#[expect(clippy::cast_possible_truncation, reason = "whole pixels; what is larger than they count is cut")]
fn spanned(rect: Rect, hole: &Hole) -> Rect {
    let (left, top) = (f64::from(rect.left), f64::from(rect.top));
    let (right, bottom) = (f64::from(rect.right), f64::from(rect.bottom));
    let corners =
        [(left, top), (right, top), (left, bottom), (right, bottom)].map(|(x, y)| there(Point { x, y }, hole));
    let least = |side: fn(&Point) -> f64| corners.iter().map(side).fold(f64::INFINITY, f64::min).round() as i32;
    let most = |side: fn(&Point) -> f64| corners.iter().map(side).fold(f64::NEG_INFINITY, f64::max).round() as i32;
    Rect { left: least(|at| at.x), top: least(|at| at.y), right: most(|at| at.x), bottom: most(|at| at.y) }
}

/// Returns where a point of a frame's page is around it.
fn there(point: Point, hole: &Hole) -> Point {
    let parts = if let Turn::Flat(parts) = &hole.turn { *parts } else { [1.0, 0.0, 0.0, 1.0] };
    let x = parts[0] * point.x + parts[2] * point.y;
    let y = parts[1] * point.x + parts[3] * point.y;
    Point { x: x + f64::from(hole.left), y: y + f64::from(hole.top) }
}

/// Returns where touches reach what a frame's page shows in a rectangle. The middle of a turned one that is cut off is not the middle
/// of what is left of it.
fn reached(shown: Rect, reach: Reach, hole: &Hole, around: &Rect) -> Reach {
    match (reach, &hole.turn) {
        (_, Turn::Bent(why)) => Reach::Missed(why.clone()),
        (Reach::At(point), _) => Reach::At(there(point, hole)),
        (Reach::Middle, Turn::Flat([_, b, c, _])) if (*b != 0.0 || *c != 0.0) && !shown.is_empty() => {
            let visible = hole.rect.intersect(around);
            let spanned = spanned(shown, hole);
            let seen = spanned.intersect(&visible);
            let middle = there(shown.center(), hole);
            if seen == spanned || seen.is_empty() {
                Reach::Middle
            } else if visible.contains(middle) {
                Reach::At(middle)
            } else {
                Reach::Missed("its frame is turned, and its middle does not show".to_owned())
            }
        }
        (reach, _) => reach,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::element::Actionability;

    fn element(key: u64, rect: [i32; 4]) -> Element {
        let [left, top, right, bottom] = rect;
        let told = Actionability { key, still: Some(true), ..Actionability::default() };
        let rect = Rect { left, top, right, bottom };
        Element { rect, focused: true, told: Some(Box::new(told)), ..Element::default() }
    }

    #[test]
    fn what_stands_in_a_frame_is_where_the_frame_is_and_no_larger() {
        let frame = Element { role: "webview", focused: false, ..element(1, [100, 50, 300, 150]) };
        let mut seen = Seen { screen: Screen { roots: vec![frame], ..Screen::default() }, ..Seen::default() };
        let inner = vec![element(2, [10, 10, 400, 30]), element(3, [0, 500, 20, 520])];
        let inner = Seen { screen: Screen { roots: inner, ..Screen::default() }, ..Seen::default() };
        let rect = Rect { left: 102, top: 52, right: 298, bottom: 148 };
        put(&Hole { key: 1, left: 102, top: 52, rect, turn: Turn::None }, inner, &mut seen);
        let [frame] = &seen.screen.roots[..] else { panic!("one frame") };
        assert_eq!((frame.role, frame.children.len()), ("group", 2));
        assert_eq!(frame.children[0].rect, Rect { left: 112, top: 62, right: 298, bottom: 82 });
        assert!(frame.children[1].rect.is_empty(), "it is scrolled out of the frame");
        assert!(!frame.children[0].focused, "the frame has not the focus");
        assert_eq!(frame.children[0].told.as_ref().and_then(|told| told.still), Some(true));
    }

    #[test]
    fn what_stands_in_a_turned_frame_is_where_its_middle_is() {
        let rect = Rect { left: 0, top: 0, right: 500, bottom: 500 };
        // A quarter to the right, and half as large.
        let mut hole = Hole { key: 1, left: 300, top: 100, rect, turn: Turn::Flat([0.0, 0.5, -0.5, 0.0]) };
        let inner = Rect { left: 20, top: 40, right: 120, bottom: 80 };
        let viewport = Rect { left: 0, top: 0, right: 400, bottom: 300 };
        assert_eq!(moved(inner, &hole, &viewport), Rect { left: 260, top: 110, right: 280, bottom: 160 });
        assert_eq!(reached(inner, Reach::Middle, &hole, &rect), Reach::Middle);
        let middle = Reach::At(Point { x: 270.0, y: 135.0 });
        assert_eq!(reached(inner, Reach::At(Point { x: 70.0, y: 60.0 }), &hole, &rect), middle);
        let cut = Rect { right: 275, ..rect };
        assert_eq!(reached(inner, Reach::Middle, &hole, &cut), middle, "the middle of all of it, not of what is left");
        let cut = Rect { right: 265, ..rect };
        assert!(matches!(reached(inner, Reach::Middle, &hole, &cut), Reach::Missed(_)));
        hole.turn = Turn::Bent("why".to_owned());
        assert_eq!(reached(inner, Reach::Middle, &hole, &rect), Reach::Missed("why".to_owned()));
    }
}
