//! Frames of other sites, which the script of the page around them cannot look into → parts of one screen: each is looked at by
//! itself, and what stands in it is put where its frame is, in the coordinates of the viewport.
//!
//! One that does not answer, or that is too deep in others, stays what it is: a frame that nobody could look into. Where it is in
//! sight, the screen says that there is more than it tells.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::page::{self, Hole, Seen};
use super::{Browser, PATIENCE};
use crate::driver::{Element, Error, Look, Point, Reach, Rect, Screen};

/// Most frames of one look, and how deep they may lie in each other.
const MOST: usize = 24;
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
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the frames that an element is in, from the outermost on, by its key.
    pub(super) fn of(&self, key: u64) -> Vec<u64> {
        self.inner().documents.get(&page::document(key)).cloned().unwrap_or_default()
    }

    fn remember(&self, document: u32, frames: &[u64]) {
        let mut inner = self.inner();
        if inner.documents.len() >= DOCUMENTS {
            inner.documents.clear();
        }
        inner.documents.insert(document, frames.to_vec());
    }

    fn is_deaf(&self, frame: u64) -> bool {
        self.inner().deaf.get(&frame).is_some_and(|since| since.elapsed() < REST)
    }

    fn call_deaf(&self, frame: u64) {
        let mut inner = self.inner();
        inner.deaf.retain(|_, since| since.elapsed() < REST);
        inner.deaf.insert(frame, Instant::now());
    }
}

impl Browser {
    /// Looks at the page and at all frames in it.
    pub(super) async fn look_through(&self, look: &Look<'_>, patience: Duration) -> Result<Screen, Error> {
        let mut seen = self.look_at(&[], look, patience).await?;
        self.open_frames(&[], &mut seen, look, &mut MOST.clone()).await;
        Ok(seen.screen)
    }

    async fn look_at(&self, frames: &[u64], look: &Look<'_>, patience: Duration) -> Result<Seen, Error> {
        let answer = self.ask_script(frames, page::wanted(look), patience).await?;
        page::seen(&answer, look.selectors)
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
                    seen.screen.cut |= is_in_sight;
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
                        seen.screen.cut |= is_in_sight;
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
        let told = self.ask_script(frames, page::over(hole.key, &points), PATIENCE).await.unwrap_or_default();
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
        Reach::Covered(_) => None,
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
    let Some(frame) = owner(&mut seen.screen.roots, hole.key) else { return };
    frame.role = "group";
    let (is_focused, still) = (frame.focused, frame.told.as_ref().and_then(|told| told.still));
    frame.children = inner.screen.roots;
    each(frame, &mut |element| {
        element.rect = moved(element.rect, hole);
        // A page keeps what had its focus, also while another has it.
        element.focused &= is_focused;
        if let Some(told) = &mut element.told {
            // What stands still in a frame that moves does not.
            told.still = still.and_then(|still| told.still.map(|own| own && still));
            if let Reach::At(point) = &mut told.reach {
                *point = Point { x: point.x + f64::from(hole.left), y: point.y + f64::from(hole.top) };
            }
        }
    });
    seen.screen.cut |= inner.screen.cut;
    for (all, more) in seen.screen.selected.iter_mut().zip(inner.screen.selected) {
        if let (Ok(found), Ok(more)) = (&mut all.found, more.found) {
            found.extend(more);
        }
    }
}

/// Returns where a rectangle of a frame's page is around it, as far as the frame shows it.
fn moved(rect: Rect, hole: &Hole) -> Rect {
    let (left, top) = (rect.left.saturating_add(hole.left), rect.top.saturating_add(hole.top));
    let right = rect.right.saturating_add(hole.left);
    let there = Rect { left, top, right, bottom: rect.bottom.saturating_add(hole.top) };
    let shown = there.intersect(&hole.rect);
    if shown.is_empty() { Rect { left, top, right: left, bottom: top } } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::element::Told;

    fn element(key: u64, rect: [i32; 4]) -> Element {
        let [left, top, right, bottom] = rect;
        let told = Told { key, still: Some(true), ..Told::default() };
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
        put(&Hole { key: 1, left: 102, top: 52, rect }, inner, &mut seen);
        let [frame] = &seen.screen.roots[..] else { panic!("one frame") };
        assert_eq!((frame.role, frame.children.len()), ("group", 2));
        assert_eq!(frame.children[0].rect, Rect { left: 112, top: 62, right: 298, bottom: 82 });
        assert!(frame.children[1].rect.is_empty(), "it is scrolled out of the frame");
        assert!(!frame.children[0].focused, "the frame has not the focus");
        assert_eq!(frame.children[0].told.as_ref().and_then(|told| told.still), Some(true));
    }
}
