//! Looks at a screen that follow one another → whether it stands still, but perhaps for a place that never rests, such as a
//! carousel: who waits for that waits in vain.

use std::collections::HashMap;
use std::ops::Deref;
use std::time::{Duration, Instant};

use super::stability::{Stability, Stable};
use crate::driver::{Element, Rect, Screen};

/// The largest part of a screen that may go on moving while the screen counts as still: pages that come and lists that are
/// thrown move more.
const LARGEST: i64 = 3;

/// A screen that stands still, or was looked at for long enough.
#[derive(Clone, Debug)]
pub struct Settled {
    pub screen: Screen,
    /// Whether it was still moving, be it a small place alone.
    pub moving: bool,
    /// The place that did not rest.
    restless: Option<Rect>,
}

impl Deref for Settled {
    type Target = Screen;

    fn deref(&self) -> &Screen {
        &self.screen
    }
}

impl Settled {
    /// Returns a screen that is known to stand still.
    pub fn whole(screen: Screen) -> Self {
        Self { screen, moving: false, restless: None }
    }

    /// Tells whether something else than what never rests is another than on an earlier screen.
    pub fn differs_from(&self, before: &Settled) -> bool {
        let Some(stirred) = stirred(&before.screen, &self.screen) else { return false };
        let restless = [before.restless, self.restless].into_iter().flatten().reduce(|one, other| one.union(&other));
        restless.is_none_or(|restless| restless.union(&stirred) != restless)
    }
}

/// Compares each look with the one before.
pub struct MotionDetector {
    stability: Stability<Screen>,
    restless: Restless,
}

/// What keeps moving on a screen.
struct Restless {
    /// The place that has not rested, and since when nothing else has moved.
    place: Option<(Rect, Instant)>,
    /// For how long nothing else may have moved.
    calm: Duration,
}

impl MotionDetector {
    /// `calm`: for how long nothing else than a small place may have moved; `patience`: how long any motion is borne, none bears it
    /// as long as somebody looks.
    pub fn new(calm: Duration, timeout: Option<Duration>) -> Self {
        Self { stability: Stability::new(timeout), restless: Restless { place: None, calm } }
    }

    /// Takes a look; returns it once nothing more is to be waited for.
    pub fn look(&mut self, screen: Screen) -> Option<Settled> {
        let restless = &mut self.restless;
        let mut moving = false;
        let Stable { seen: screen, .. } = self.stability.look_by(screen, |before, after| {
            let stirred = stirred(before, after);
            moving = stirred.is_some();
            stirred.is_none_or(|stirred| restless.is_all_that_moves(stirred, after))
        })?;
        Some(Settled { screen, moving, restless: restless.place.take().map(|(place, _)| place) })
    }

    /// Forgets the looks before.
    pub fn forget(&mut self) {
        self.stability.forget();
        self.restless.place = None;
    }

    /// Tells whether the next look is compared with one before.
    pub fn has_begun(&self) -> bool {
        self.stability.has_begun()
    }
}

impl Restless {
    /// Notes what has moved; whether nothing else has for long enough.
    fn is_all_that_moves(&mut self, stirred: Rect, screen: &Screen) -> bool {
        let (place, since) = match self.place {
            Some((place, since)) => (place.union(&stirred), since),
            None => (stirred, Instant::now()),
        };
        let is_small = size(place) * LARGEST <= size(screen.bounds());
        self.place = is_small.then_some((place, since));
        is_small && since.elapsed() >= self.calm
    }
}

fn size(rect: Rect) -> i64 {
    if rect.is_empty() { 0 } else { i64::from(rect.right - rect.left) * i64::from(rect.bottom - rect.top) }
}

/// Returns the place where two screens differ; nothing where they are the same.
fn stirred(before: &Screen, after: &Screen) -> Option<Rect> {
    if before == after {
        return None;
    }
    let is_the_same_page = before.package == after.package && before.size == after.size && before.lit == after.lit;
    if !is_the_same_page || before.roots.len() != after.roots.len() {
        return Some(after.bounds());
    }
    let mut counts: HashMap<Look, (i32, Rect)> = HashMap::new();
    for (screen, by) in [(before, 1), (after, -1)] {
        for root in &screen.roots {
            root.walk(&mut |element| counts.entry(Look::of(element)).or_insert((0, element.rect)).0 += by);
        }
    }
    let places = counts.into_values().filter(|(count, _)| *count != 0).map(|(_, rect)| rect.intersect(&after.bounds()));
    // What differs in a way that has no place, such as the order, may be anywhere.
    places.filter(|place| !place.is_empty()).reduce(|one, other| one.union(&other)).or(Some(after.bounds()))
}

/// What is seen of an element.
#[derive(PartialEq, Eq, Hash)]
struct Look<'a> {
    names: [&'a str; 5],
    rect: Rect,
    flags: [bool; 10],
    scrolled: (i32, i32),
}

impl<'a> Look<'a> {
    fn of(element: &'a Element) -> Self {
        let Element { class, text, label, hint, id, .. } = element;
        Self {
            names: [class, text, label, hint, id],
            rect: element.rect,
            scrolled: element.told.as_ref().map(|told| told.scrolled).unwrap_or_default(),
            flags: [
                element.enabled,
                element.clickable,
                element.long_clickable,
                element.focusable,
                element.focused,
                element.checkable,
                element.checked,
                element.selected,
                element.password,
                element.scrollable,
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Size;

    /// A banner that stands somewhere, over rows that are scrolled somewhere.
    fn screen(banner: i32, scroll: i32) -> Screen {
        let element = |text: String, rect| Element { text, rect, ..Element::default() };
        let rect = |left, top, right, bottom| Rect { left, top, right, bottom };
        let mut children = vec![element("Sale".to_owned(), rect(banner, 0, banner + 40, 20))];
        for number in 0..8 {
            let top = 20 + number * 10 - scroll;
            children.push(element(format!("Row {number}"), rect(0, top, 100, top + 10)));
        }
        let root = Element { rect: rect(0, 0, 100, 100), children, ..Element::default() };
        Screen {
            package: "a".to_owned(),
            size: Size { width: 100, height: 100 },
            lit: true,
            roots: vec![root],
            ..Screen::default()
        }
    }

    fn looks(calm: Duration, screens: &[Screen]) -> Option<Settled> {
        let mut motion = MotionDetector::new(calm, None);
        screens.iter().find_map(|screen| motion.look(screen.clone()))
    }

    #[test]
    fn a_screen_is_still_where_only_a_small_place_moves_for_long_enough() {
        let banners = [screen(0, 0), screen(10, 0), screen(20, 0)];
        assert!(looks(Duration::from_hours(1), &banners).is_none());
        let settled = looks(Duration::ZERO, &banners).expect("calm but for the banner");
        assert_eq!(settled.restless, Some(Rect { left: 0, top: 0, right: 50, bottom: 20 }));
        assert!(
            looks(Duration::from_hours(1), &[screen(0, 0), screen(0, 0)]).is_some_and(|still| still.restless.is_none())
        );
    }

    #[test]
    fn a_list_that_scrolls_is_never_calm() {
        assert!(looks(Duration::ZERO, &[screen(0, 0), screen(0, 3), screen(0, 6)]).is_none());
        let mut hasty = MotionDetector::new(Duration::ZERO, Some(Duration::ZERO));
        assert!(hasty.look(screen(0, 0)).is_none() && hasty.look(screen(0, 3)).is_some());
    }

    #[test]
    fn only_what_moves_elsewhere_is_a_difference() {
        let settled = |banner, scroll, restless| Settled { screen: screen(banner, scroll), moving: false, restless };
        let top = Some(Rect { left: 0, top: 0, right: 100, bottom: 20 });
        assert!(!settled(30, 0, top).differs_from(&settled(0, 0, None)));
        assert!(settled(30, 0, None).differs_from(&settled(0, 0, None)));
        assert!(settled(30, 5, top).differs_from(&settled(0, 0, top)));
        assert!(!settled(0, 0, None).differs_from(&settled(0, 0, None)));
        let mut other = settled(0, 0, top);
        other.screen.package = "b".to_owned();
        assert!(other.differs_from(&settled(0, 0, top)));
    }
}
