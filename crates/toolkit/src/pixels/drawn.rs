//! Elements with a text → whether anything is drawn where they stand, by a picture of the screen.
//!
//! A phone's tree also tells a text that is transparent or has the colour of its ground. Where the picture shows one single colour,
//! nobody reads anything. One picture serves every assertion on the same screen until something is done on the device.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use uixt_driver::{Element, Rect, Screen};
use uixt_locate::{finder, pixel_elements, visibility};
use uixt_pictures::Picture as Pixels;

use super::capture;
use crate::{Context, State};

/// How long a picture stands for a screen whose tree stays the same.
const FRESH: Duration = Duration::from_secs(2);
/// How long a picture is waited for.
const TIMEOUT: Duration = Duration::from_secs(5);
/// By how much the parts of one colour may differ, of 255.
const LEVELS: u8 = 4;
/// Texts that one picture is looked at for beside those that are asked for.
const MAX: usize = 200;
/// Pictures that must agree that nothing is drawn.
const PICTURES: u32 = 2;

/// What the last picture of a session showed.
#[derive(Default)]
pub(crate) struct Drawn(Mutex<Option<Shown>>);

impl State for Drawn {}

struct Shown {
    serial: String,
    /// Whether the device takes no pictures.
    is_refused: bool,
    tree: u64,
    at: Instant,
    /// Where something is drawn.
    places: Vec<Rect>,
}

impl Drawn {
    /// Takes in that something was done on the device: what was drawn may be gone.
    pub(crate) fn forget(&self) {
        let mut shown = self.0.lock();
        *shown = shown.take().filter(|shown| shown.is_refused);
    }

    fn keep(&self, shown: Shown) {
        *self.0.lock() = Some(shown);
    }

    /// Tells whether no picture is needed: none is to be had, or the last one showed something in each of these places.
    fn tells(&self, serial: &str, tree: u64, places: &[Option<Rect>]) -> bool {
        let shown = self.0.lock();
        let Some(shown) = shown.as_ref().filter(|shown| shown.serial == serial) else { return false };
        let is_known = |place: &Rect| shown.places.contains(place);
        shown.is_refused || (shown.tree == tree && shown.at.elapsed() < FRESH && places.iter().flatten().all(is_known))
    }
}

/// What a picture says of elements.
pub(crate) enum Picture {
    /// Of each, whether it shows nothing; never of what a picture cannot tell of.
    Blank(Vec<bool>),
    /// The screen was not the same before and after it.
    Late,
}

/// Looks at a picture of the screen that these elements stand on.
pub(crate) async fn look(cx: &Context, screen: &Screen, elements: &[Element]) -> Picture {
    let places: Vec<Option<Rect>> = elements.iter().map(|element| place(element, screen)).collect();
    let untold = || Picture::Blank(vec![false; places.len()]);
    let Some(device) = cx.device.as_deref().filter(|_| places.iter().any(Option::is_some)) else { return untold() };
    let (serial, tree) = (device.info().serial.as_str(), fingerprint(screen));
    if cx.session.state::<Drawn>().tells(serial, tree, &places) {
        return untold();
    }
    // An iPhone draws its own bars over every app: a picture without them is one of no screen.
    let has_bars = device.info().platform == "ios";
    let mut blank = vec![true; places.len()];
    for _ in 0..PICTURES {
        let at = Instant::now();
        let taken = tokio::time::timeout(TIMEOUT, capture::pixels(device)).await;
        let shown = |is_refused, places| Shown { serial: serial.to_owned(), is_refused, tree, at, places };
        let Some(pixels) = taken.ok().and_then(Result::ok) else {
            cx.session.state::<Drawn>().keep(shown(true, Vec::new()));
            return untold();
        };
        match (screen.size.width, screen.size.height) {
            size if size == (pixels.width(), pixels.height()) => {}
            // The screen was turned meanwhile.
            size if size == (pixels.height(), pixels.width()) => return Picture::Late,
            // One of another size shows the elements elsewhere.
            _ => {
                cx.session.state::<Drawn>().keep(shown(true, Vec::new()));
                return untold();
            }
        }
        for (blank, place) in blank.iter_mut().zip(&places) {
            *blank &= place.is_some_and(|place| is_blank(&pixels, place, screen, has_bars));
        }
        // What is asserted next on this screen needs no other picture.
        let mut drawn = texts(screen);
        drawn.retain(|place| !is_blank(&pixels, *place, screen, has_bars));
        cx.session.state::<Drawn>().keep(shown(false, drawn));
        if !blank.contains(&true) {
            break;
        }
        // What has left its place meanwhile is not missing there.
        match cx.look(Some(Duration::ZERO), false).await {
            Ok(after) if fingerprint(&after) == tree => {}
            _ => return Picture::Late,
        }
    }
    Picture::Blank(blank)
}

/// Returns where an element's text is drawn; none for what shows no text of its own, and for pages' elements.
fn place(element: &Element, screen: &Screen) -> Option<Rect> {
    let is_text =
        element.told.is_none() && !pixel_elements::is_line(element) && !finder::seen(&element.text).trim().is_empty();
    Some(visibility::part(element, screen)).filter(|part| is_text && !part.is_empty())
}

/// Returns where the texts of a screen are drawn, as far as one picture is looked at for them.
fn texts(screen: &Screen) -> Vec<Rect> {
    let mut texts = Vec::new();
    screen.roots.iter().for_each(|root| root.walk(&mut |element| texts.extend(place(element, screen))));
    texts.truncate(MAX);
    texts
}

/// Tells whether nothing is drawn in a place. A window that forbids pictures is black as a whole, which tells nothing; nor does a picture of
/// one colour to its very edges, where the system has bars of its own on every screen.
fn is_blank(pixels: &Pixels, place: Rect, screen: &Screen, has_bars: bool) -> bool {
    let Some(color) = single_color(pixels, place) else { return false };
    let is_black = color.iter().all(|part| *part <= LEVELS);
    let whole = screen.bounds();
    let middle = Rect { top: whole.bottom / 10, bottom: whole.bottom * 9 / 10, ..whole };
    let tells_nothing =
        (is_black && single_color(pixels, middle).is_some()) || (has_bars && single_color(pixels, whole).is_some());
    !tells_nothing
}

/// Returns the one colour of a place; none where there are several, and of a place that is not all in the picture.
fn single_color(pixels: &Pixels, place: Rect) -> Option<[u8; 3]> {
    let side = |side: i32, most: u32| u32::try_from(side).ok().filter(|side| *side <= most);
    let (left, right) = (side(place.left, pixels.width())?, side(place.right, pixels.width())?);
    let (top, bottom) = (side(place.top, pixels.height())?, side(place.bottom, pixels.height())?);
    if left >= right || top >= bottom {
        return None;
    }
    let [red, green, blue, _] = pixels.pixel(left, top);
    let first = [red, green, blue];
    let is_same = |pixel: &[u8]| pixel.iter().zip(first).all(|(part, of_first)| part.abs_diff(of_first) <= LEVELS);
    let line = pixels.row(top, left, right);
    let mut rows = (top..bottom).map(|y| pixels.row(y, left, right));
    let is_single =
        line.chunks_exact(4).all(is_same) && rows.all(|row| row == line || row.chunks_exact(4).all(is_same));
    is_single.then_some(first)
}

/// Returns a number that another screen hardly has.
fn fingerprint(screen: &Screen) -> u64 {
    let mut hasher = DefaultHasher::new();
    for root in &screen.roots {
        root.walk(&mut |element| {
            let Element { text, label, id, rect, checked, selected, enabled, focused, .. } = element;
            (text, label, id, rect, checked, selected, enabled, focused).hash(&mut hasher);
        });
    }
    screen.package.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use uixt_driver::Size;
    use uixt_locate::test_screens;

    const SIZE: Size = Size { width: 40, height: 40 };

    /// Makes a picture of one colour with another one in a few pixels of its rows 20 to 24.
    fn picture(ground: [u8; 3], ink: [u8; 3]) -> Pixels {
        let shown =
            |at: usize| if (20..24).contains(&(at / 40)) && (10..12).contains(&(at % 40)) { ink } else { ground };
        let rgba = (0..40 * 40).flat_map(|at| [shown(at)[0], shown(at)[1], shown(at)[2], 255]);
        Pixels::new(40, 40, rgba.collect()).expect("a picture")
    }

    fn blank_on(pixels: &Pixels, top: i32, bottom: i32, has_bars: bool) -> bool {
        let screen = Screen { size: SIZE, ..test_screens::screen(Vec::new()) };
        is_blank(pixels, Rect { left: 0, top, right: 40, bottom }, &screen, has_bars)
    }

    fn blank(pixels: &Pixels, top: i32, bottom: i32) -> bool {
        blank_on(pixels, top, bottom, false)
    }

    #[test]
    fn what_has_one_colour_is_blank() {
        let written = picture([255; 3], [0; 3]);
        assert!(blank(&written, 5, 15) && !blank(&written, 15, 30));
        assert!(blank(&picture([200, 210, 220], [203, 207, 222]), 15, 30), "nobody sees a difference of 4");
        assert!(!blank(&picture([200, 210, 220], [206, 210, 220]), 15, 30));
    }

    #[test]
    fn a_window_that_forbids_pictures_is_not_called_blank() {
        assert!(!blank(&picture([0; 3], [0; 3]), 5, 15), "all of it is black");
        assert!(blank(&picture([0; 3], [255; 3]), 5, 15), "a dark page");
        assert!(blank(&picture([255; 3], [255; 3]), 5, 15), "a white page on which nothing is drawn");
        assert!(
            !blank_on(&picture([255; 3], [255; 3]), 5, 15, true),
            "not even bars are drawn: it is one of no screen"
        );
        assert!(blank_on(&picture([255; 3], [0; 3]), 5, 15, true));
    }

    #[test]
    fn only_a_text_of_a_phone_stands_in_a_place_that_can_be_blank() {
        let screen = test_screens::screen(Vec::new());
        let text = test_screens::element("text", "Total", 10);
        assert_eq!(place(&text, &screen), Some(text.rect));
        assert_eq!(place(&test_screens::element("text", " \u{200b}", 10), &screen), None);
        let image = Element { label: "Logo".to_owned(), text: String::new(), ..text.clone() };
        assert_eq!(place(&image, &screen), None);
        assert_eq!(place(&Element { told: Some(Box::default()), ..text }, &screen), None);
    }

    #[test]
    fn a_picture_serves_the_same_screen_for_a_while() {
        let (drawn, place) = (Drawn::default(), Rect { left: 0, top: 0, right: 9, bottom: 9 });
        let other = Rect { left: 1, ..place };
        let shown = |at, is_refused| Shown { serial: "1".to_owned(), is_refused, tree: 7, at, places: vec![place] };
        assert!(!drawn.tells("1", 7, &[Some(place)]));
        drawn.keep(shown(Instant::now(), false));
        assert!(drawn.tells("1", 7, &[Some(place), None]));
        assert!(!drawn.tells("1", 8, &[Some(place)]) && !drawn.tells("2", 7, &[Some(place)]));
        assert!(!drawn.tells("1", 7, &[Some(place), Some(other)]));
        drawn.forget();
        assert!(!drawn.tells("1", 7, &[Some(place)]));
        drawn.keep(shown(Instant::now().checked_sub(FRESH).expect("a clock"), false));
        assert!(!drawn.tells("1", 7, &[Some(place)]), "it is too old");
        drawn.keep(shown(Instant::now(), true));
        drawn.forget();
        assert!(drawn.tells("1", 9, &[Some(other)]), "no picture is to be had");
        assert!(!drawn.tells("2", 9, &[Some(other)]), "of another device it is");
    }
}
