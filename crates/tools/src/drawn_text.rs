//! A picture of the screen → a screen of its own whose elements are the lines of text that are drawn.
//!
//! Whatever finds, waits for, asserts and touches elements does so with lines: `source: pixels` has a call read the screen so,
//! `source: auto` only where the tree of elements lacks what is meant.

use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_ocr::{Line, Picture, Place};

use super::ocr_engines::ScreenReader;
use super::{Context, Error, capture, controls, images};
use crate::driver::{Element, Rect, Screen, Size};
use crate::target::Target;

/// What the class of a line is called.
const CLASS: &str = "drawn text";

/// A line that is read with less confidence counts as no text: what was read is told.
pub(super) const CONFIDENCE: f32 = 0.6;

// Its variants have no comments of their own: a schema that is a plain list of words has errors that name them.
/// By what a screen is read: its elements, the text that is drawn, or the elements and where they lack what is meant, that text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Source {
    #[default]
    Tree,
    Pixels,
    Auto,
}

impl Source {
    pub(super) fn named(word: &str) -> Option<Self> {
        [("tree", Self::Tree), ("pixels", Self::Pixels), ("auto", Self::Auto)]
            .into_iter()
            .find_map(|(name, source)| (name == word).then_some(source))
    }
}

/// What a session has read of screens, the last first: of one device.
#[derive(Default)]
pub(super) struct DrawnText(Mutex<Option<(String, Arc<ScreenReader>)>>);

impl DrawnText {
    fn reader(&self, serial: &str) -> Arc<ScreenReader> {
        let mut readers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*readers {
            Some((known, reader)) if known == serial => Arc::clone(reader),
            _ => Arc::clone(&readers.insert((serial.to_owned(), Arc::default())).1),
        }
    }
}

/// Reads the texts that are drawn on a picture of the screen. Whatever breaks is an error: it says nothing of what is there.
pub(super) async fn look(cx: &Context, picture: Picture) -> Result<Screen, Error> {
    let size = size(&picture);
    let lines = lines(cx, picture).await?;
    let mut screen = bare(cx).await?;
    see(cx, &lines, size, screen.size);
    let certain = lines.iter().filter(|line| line.confidence >= CONFIDENCE);
    let children = certain.map(|line| element(line, size, screen.size)).collect();
    // All of them stand in one window, whatever windows there are.
    screen.roots.push(Element { role: "group", rect: screen.bounds(), enabled: true, children, ..Element::default() });
    Ok(screen)
}

/// Returns a screen of which nothing is known but its size and whose app is in front.
pub(super) async fn bare(cx: &Context) -> Result<Screen, Error> {
    let device = cx.driver()?;
    let display = device.display().await?;
    let package = device.foreground().await.map(|front| front.package).unwrap_or_default();
    Ok(Screen { package, size: display.size, lit: display.lit, ..Screen::default() })
}

/// Returns the texts that are drawn, each with its place on the screen and its confidence, however little that is.
pub(super) async fn told(cx: &Context) -> Result<Vec<(String, Rect, f32)>, Error> {
    let picture = capture::pixels(cx.driver()?).await?;
    let size = size(&picture);
    cx.options.used.look_at(&picture);
    let lines = lines(cx, picture).await?;
    let screen = cx.driver()?.screen_size().await?;
    see(cx, &lines, size, screen);
    Ok(lines.iter().map(|line| (line.text.clone(), placed(line.place, size, screen), line.confidence)).collect())
}

/// Lets the report frame what was read.
fn see(cx: &Context, lines: &[Line], picture: Size, screen: Size) {
    for line in lines {
        cx.options.used.see(&line.text, placed(line.place, picture, screen), screen, line.confidence);
    }
}

/// Returns the lines of text that are drawn on a picture.
async fn lines(cx: &Context, picture: Picture) -> Result<Vec<Line>, Error> {
    cx.session.state.drawn_text.reader(&cx.driver()?.info().serial).lines(picture).await
}

pub(super) fn size(picture: &Picture) -> Size {
    Size { width: picture.width(), height: picture.height() }
}

/// Returns where a place of a picture is on the screen, whose pixels may be others than the picture's.
pub(super) fn placed(place: Place, picture: Size, screen: Size) -> Rect {
    let scaled = |value: u32, from: u32, to: u32| {
        i32::try_from(u64::from(value) * u64::from(to) / u64::from(from.max(1))).unwrap_or(i32::MAX)
    };
    let x = |value| scaled(value, picture.width, screen.width);
    let y = |value| scaled(value, picture.height, screen.height);
    Rect { left: x(place.left), top: y(place.top), right: x(place.right), bottom: y(place.bottom) }
}

/// Returns where a rectangle of the screen is on a picture of it; what lies outside is cut off.
pub(super) fn part(rect: Rect, screen: Size, picture: Size) -> Place {
    let scaled = |value: i32, from: u32, to: u32| {
        let value = u64::from(u32::try_from(value).unwrap_or(0)) * u64::from(to) / u64::from(from.max(1));
        u32::try_from(value).unwrap_or(to).min(to)
    };
    let x = |value| scaled(value, screen.width, picture.width);
    let y = |value| scaled(value, screen.height, picture.height);
    Place { left: x(rect.left), top: y(rect.top), right: x(rect.right), bottom: y(rect.bottom) }
}

fn element(line: &Line, picture: Size, screen: Size) -> Element {
    Element {
        role: "text",
        class: CLASS.to_owned(),
        text: line.text.clone(),
        rect: placed(line.place, picture, screen),
        enabled: true,
        ..Element::default()
    }
}

/// Tells whether an element's text was read from pixels.
pub(super) fn is_line(element: &Element) -> bool {
    is_text(element) || controls::is_drawn(element)
}

/// Tells whether an element is known by its pixels: a text, a control or the place of a picture.
pub(super) fn is_by_pixels(element: &Element) -> bool {
    is_line(element) || images::is_match(element)
}

/// Tells whether an element is a text that was read, and nothing else.
pub(super) fn is_text(element: &Element) -> bool {
    element.class == CLASS
}

/// Keeps the lines that say a text but for what recognition confuses.
pub(super) fn alike<'a>(text: &str, target: &Target, candidates: &[&'a Element]) -> Vec<&'a Element> {
    if target.regex || (target.exact && !target.forgives) {
        return Vec::new();
    }
    let fold = |text: &str| if target.fuzzy { blurred(&folded(text)) } else { folded(text) };
    let wanted = fold(text);
    candidates.iter().copied().filter(|element| is_line(element) && fold(&element.text) == wanted).collect()
}

/// Folds what recognition does not tell apart: arrows at the ends, which are icons, full and half width, spaces, small and capital letters of one shape (C and c, but not A
/// and a), signs that look alike.
fn folded(text: &str) -> String {
    let is_arrow = |sign: char| "‹›〈〉←→".contains(sign);
    let bare = text.trim_matches(|sign: char| is_arrow(sign) || sign.is_whitespace());
    let text = if bare.is_empty() { text } else { bare };
    text.chars()
        .filter(|sign| !sign.is_whitespace())
        .map(|sign| {
            let narrow = match sign {
                '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(sign) - 0xfee0).unwrap_or(sign),
                '×' | '✕' => 'x',
                '…' | '。' => '.',
                '、' => ',',
                '“' | '”' => '"',
                '‘' | '’' => '\'',
                '—' | '–' => '-',
                '￥' => '¥',
                other => other,
            };
            match narrow {
                'C' | 'O' | 'S' | 'V' | 'W' | 'X' | 'Z' => narrow.to_ascii_lowercase(),
                other => other,
            }
        })
        .fold(String::new(), |mut text, sign| {
            // As many dots as there are: `…` is three of them.
            if !(sign == '.' && text.ends_with('.')) {
                text.push(sign);
            }
            text
        })
}

/// Folds signs that only look alike, and mean something else: with them told apart, `B00K` is no `BOOK`.
fn blurred(folded: &str) -> String {
    let blur = |sign: char| match sign {
        '0' | 'Q' | 'D' => 'o',
        '1' | 'I' | 'i' | '|' | '!' => 'l',
        '2' => 'z',
        '5' => 's',
        '8' => 'B',
        other => other,
    };
    folded.chars().map(blur).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_recognition_confuses_is_the_same() {
        for (read, meant) in [
            ("V5.12.2", "v5.12.2"),
            ("X3", "×3"),
            ("订单号:82", "订单号：82"),
            ("Loading..", "Loading…"),
            ("共 3 件", "共3件"),
            ("‹←登录", "登录"),
            ("Settings ›", "Settings"),
            ("T—shirt", "T–shirt"),
        ] {
            assert_eq!(folded(read), folded(meant), "{read}");
        }
        for (read, meant) in [("B00K-1l", "BOOK-I1"), ("订单 5O8", "订单S08")] {
            assert_ne!(folded(read), folded(meant));
            assert_eq!(blurred(&folded(read)), blurred(&folded(meant)), "{read}");
        }
        for (read, other) in [
            ("确定", "确认"),
            ("10", "1O"),
            ("Save", "Saved"),
            ("-5", "5"),
            ("Display", "DISPLAY"),
            ("<5", "5"),
            ("›", ""),
        ] {
            assert_ne!(folded(read), folded(other), "{read}");
        }
    }

    #[test]
    fn a_line_stands_where_the_screen_counts() {
        let place = Place { left: 100, top: 200, right: 300, bottom: 240 };
        let line = Line { text: "OK".to_owned(), place, confidence: 0.9 };
        let picture = Size { width: 1000, height: 2000 };
        let made = element(&line, picture, Size { width: 500, height: 1000 });
        assert_eq!(made.rect, Rect { left: 50, top: 100, right: 150, bottom: 120 });
        assert!(is_line(&made) && made.enabled);
    }
}
