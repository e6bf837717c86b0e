//! A phone's screen → what of it nobody can see, and why, as far as its tree tells for certain. Pages tell it by themselves.
//!
//! A tree does not tell what can be seen through. What lies under something is therefore neither seen nor gone.

use std::collections::HashMap;
use std::fmt;

use super::pixel_elements;
use crate::driver::{Element, Rect, Screen};

/// Pixels of a side in which nothing can be read.
const SLIVER: i32 = 3;
/// How often a bar's height or width fits on a screen, at the least.
const BARS: i32 = 10;

/// Why nobody sees an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// It has no place.
    Empty,
    /// It lies off the screen.
    Off,
    /// It lies outside of the list or page that scrolls it.
    Scrolled,
    /// Only so many pixels of it are on the screen.
    Sliver { width: i32, height: i32 },
    /// It lies under the keyboard.
    Keyboard,
    /// It lies under what stands in another window, of this package.
    Window(String),
}

impl Hidden {
    /// Tells whether it is certain: what lies under something may come back, or be seen through it.
    pub fn is_certain(&self) -> bool {
        !matches!(self, Self::Keyboard | Self::Window(_))
    }
}

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "nothing of it is on the screen"),
            Self::Off => write!(f, "it lies off the screen"),
            Self::Scrolled => write!(f, "it is scrolled out of what it stands in: `scroll_to` brings it back"),
            Self::Sliver { width, height } => {
                write!(f, "only {width}×{height} pixels of it are on the screen: `scroll_to` brings the rest there")
            }
            Self::Keyboard => {
                write!(f, "it lies under the keyboard: `back` closes that, `scroll_to` may bring it above")
            }
            Self::Window(package) => write!(f, "a window of {package} lies over it"),
        }
    }
}

/// Returns the elements that nobody sees; those of pages are left to what pages tell.
pub fn hidden(screen: &Screen) -> HashMap<*const Element, Hidden> {
    let whole = screen.bounds();
    let contents: Vec<Option<Rect>> = screen.roots.iter().map(|root| content(root, whole)).collect();
    let mut found = HashMap::new();
    for (place, root) in screen.roots.iter().enumerate() {
        let over = screen.roots.iter().zip(&contents).skip(place + 1);
        let over = over.filter_map(|(window, content)| Some(((*content)?, window.package.as_str()))).collect();
        // The keyboard's own window does not lie under it.
        let is_keys = |keys: &Rect| {
            pixel_elements::is_window(root) || contents[place].is_some_and(|content| is_within(content, *keys))
        };
        let observation = Observation { whole, keyboard: screen.keyboard.filter(|keys| !is_keys(keys)), over };
        observation.visit(root, whole, &mut found);
    }
    found
}

/// Returns the part of an element that is to be seen, as far as the tree tells: on the screen and above the keyboard.
pub fn part(element: &Element, screen: &Screen) -> Rect {
    let part = element.rect.intersect(&screen.bounds());
    match screen.keyboard {
        Some(keys) if keys.left <= part.left && part.right <= keys.right && part.top < keys.top => {
            Rect { bottom: part.bottom.min(keys.top), ..part }
        }
        _ => part,
    }
}

/// What one window's elements are seen past.
struct Observation<'a> {
    whole: Rect,
    keyboard: Option<Rect>,
    /// Where something stands in the windows over it, and whose they are.
    over: Vec<(Rect, &'a str)>,
}

impl Observation<'_> {
    fn visit(&self, element: &Element, clip: Rect, found: &mut HashMap<*const Element, Hidden>) {
        if element.told.is_some() {
            return;
        }
        if let Some(why) = self.why(element, clip) {
            found.insert(std::ptr::from_ref(element), why);
        }
        let clip = if element.scrollable { clip.intersect(&element.rect) } else { clip };
        element.children.iter().for_each(|child| self.visit(child, clip, found));
    }

    fn why(&self, element: &Element, clip: Rect) -> Option<Hidden> {
        let on_screen = element.rect.intersect(&self.whole);
        let part = on_screen.intersect(&clip);
        let (width, height) = (part.right - part.left, part.bottom - part.top);
        match () {
            () if element.rect.is_empty() => Some(Hidden::Empty),
            () if on_screen.is_empty() => Some(Hidden::Off),
            () if part.is_empty() => Some(Hidden::Scrolled),
            () if width.min(height) < SLIVER && !element.name().is_empty() => Some(Hidden::Sliver { width, height }),
            () if self.keyboard.is_some_and(|keys| is_within(part, keys)) => Some(Hidden::Keyboard),
            () => {
                let (_, package) = self.over.iter().find(|(content, _)| is_within(part, *content))?;
                Some(Hidden::Window((*package).to_owned()))
            }
        }
    }
}

/// Returns where something stands in a window that can be read or looked at: a window itself may be larger, and transparent there.
/// A bar has nothing of the kind: what lies under it shines through.
fn content(root: &Element, whole: Rect) -> Option<Rect> {
    let is_bar = |side: i32, of: i32| side * BARS < of;
    let rect = root.rect;
    if pixel_elements::is_window(root)
        || is_bar(rect.bottom - rect.top, whole.bottom)
        || is_bar(rect.right - rect.left, whole.right)
    {
        return None;
    }
    let mut content: Option<Rect> = None;
    root.walk(&mut |element| {
        let part = element.rect.intersect(&whole);
        if element.children.is_empty() && !element.name().is_empty() && !part.is_empty() {
            content = Some(content.map_or(part, |content| content.union(&part)));
        }
    });
    content
}

fn is_within(part: Rect, of: Rect) -> bool {
    part.intersect(&of) == part
}

#[cfg(test)]
mod tests {
    use super::super::test_screens;
    use super::*;

    /// Makes a text at this place.
    fn text(text: &str, (left, top, right, bottom): (i32, i32, i32, i32)) -> Element {
        Element { rect: Rect { left, top, right, bottom }, ..test_screens::element("text", text, top) }
    }

    fn window(package: &str, place: (i32, i32, i32, i32), children: Vec<Element>) -> Element {
        Element { package: package.to_owned(), children, ..text("", place) }
    }

    /// Says why the text of this name is not seen.
    fn why(screen: &Screen, name: &str) -> Option<Hidden> {
        let mut found = None;
        for root in &screen.roots {
            root.walk(&mut |element| {
                if element.text == name {
                    found = Some(hidden(screen).remove(&std::ptr::from_ref(element)));
                }
            });
        }
        found.expect("a text of this name")
    }

    #[test]
    fn what_has_no_place_or_lies_off_the_screen_is_not_seen() {
        let screen = test_screens::screen(vec![
            text("seen", (0, 0, 100, 40)),
            text("flat", (0, 40, 100, 40)),
            text("inverted", (66, 1777, 1014, 1664)),
            text("below", (0, 2400, 100, 2440)),
            text("left", (-100, 0, 0, 40)),
        ]);
        assert_eq!(why(&screen, "seen"), None);
        assert_eq!(why(&screen, "flat"), Some(Hidden::Empty));
        assert_eq!(why(&screen, "inverted"), Some(Hidden::Empty));
        assert_eq!(why(&screen, "below"), Some(Hidden::Off));
        assert_eq!(why(&screen, "left"), Some(Hidden::Off));
    }

    #[test]
    fn nothing_is_read_in_a_sliver() {
        let screen = test_screens::screen(vec![
            text("half", (0, 2380, 1080, 2430)),
            text("three", (0, 2397, 1080, 2450)),
            text("one", (0, 2399, 1080, 2450)),
            text("narrow", (1078, 0, 1300, 50)),
            text("", (0, 100, 1080, 101)),
        ]);
        assert_eq!(why(&screen, "half"), None);
        assert_eq!(why(&screen, "three"), None);
        assert_eq!(why(&screen, "one"), Some(Hidden::Sliver { width: 1080, height: 1 }));
        assert_eq!(why(&screen, "narrow"), Some(Hidden::Sliver { width: 2, height: 50 }));
        assert!(hidden(&screen).values().all(|why| matches!(why, Hidden::Sliver { .. })), "a line is whole");
        assert_eq!(hidden(&screen).len(), 2);
    }

    #[test]
    fn a_list_shows_nothing_beside_itself() {
        let rows = || vec![text("in", (0, 500, 1080, 600)), text("out", (0, 900, 1080, 1000))];
        let list = |scrollable| Element { scrollable, children: rows(), ..text("", (0, 400, 1080, 800)) };
        assert_eq!(why(&test_screens::screen(vec![list(true)]), "in"), None);
        assert_eq!(why(&test_screens::screen(vec![list(true)]), "out"), Some(Hidden::Scrolled));
        // What does not scroll may let its children out.
        assert_eq!(why(&test_screens::screen(vec![list(false)]), "out"), None);
    }

    #[test]
    fn what_lies_under_the_keyboard_as_a_whole_is_not_seen() {
        let page = vec![
            text("above", (0, 1400, 1080, 1500)),
            text("half", (0, 1450, 1080, 1550)),
            text("under", (0, 1500, 1080, 1600)),
        ];
        let keyboard = Some(Rect { left: 0, top: 1500, right: 1080, bottom: 2400 });
        let keys = window("com.keys", (0, 0, 1080, 2400), vec![text("q", (0, 1500, 90, 1700))]);
        let mut screen = Screen { keyboard, ..test_screens::screen(page) };
        assert_eq!((why(&screen, "above"), why(&screen, "half")), (None, None));
        assert_eq!(why(&screen, "under"), Some(Hidden::Keyboard));
        assert_eq!(part(&text("", (0, 1450, 1080, 1550)), &screen).bottom, 1500);
        screen.roots.push(keys);
        assert_eq!((why(&screen, "under"), why(&screen, "q")), (Some(Hidden::Keyboard), None));
        screen.keyboard = None;
        assert_eq!(why(&screen, "under"), None);
    }

    #[test]
    fn what_lies_under_another_window_s_content_is_not_seen() {
        let app = window(
            "com.app",
            (0, 0, 1080, 2400),
            vec![
                text("Total", (100, 1300, 900, 1400)),
                text("Title", (100, 100, 900, 200)),
                text("12 o'clock", (100, 10, 200, 50)),
            ],
        );
        // A window that fills the screen, of which only the sheet at its lower end can be seen.
        let sheet = window(
            "com.other",
            (0, 0, 1080, 2400),
            vec![
                text("", (0, 0, 1080, 2400)),
                text("Share", (40, 1200, 500, 1300)),
                text("Cancel", (40, 2200, 1040, 2300)),
            ],
        );
        let bar = window("com.android.systemui", (0, 0, 1080, 80), vec![text("12:00", (0, 0, 1080, 80))]);
        let screen = Screen { roots: vec![app.clone(), sheet.clone(), bar], ..test_screens::screen(Vec::new()) };
        assert_eq!(why(&screen, "Total"), Some(Hidden::Window("com.other".to_owned())));
        assert_eq!((why(&screen, "Title"), why(&screen, "12 o'clock"), why(&screen, "Share")), (None, None, None));
        assert!(!Hidden::Window(String::new()).is_certain() && Hidden::Off.is_certain());
        // The window in front is seen, whichever it is.
        let turned = Screen { roots: vec![sheet, app], ..test_screens::screen(Vec::new()) };
        assert_eq!(why(&turned, "Total"), None);
    }
}
