//! Elements that are known by their pixels: lines of text that were read, places that look like a picture, controls by their look.
//!
//! They stand on a screen like any other element, and are told from those by their class.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_pictures::ControlKind;

use crate::driver::Element;

/// The class of a line of text that was read.
pub const TEXT: &str = "drawn text";
/// The class of a place that looks like a picture.
pub const IMAGE: &str = "image match";
/// The class of a control that was found by its look.
pub const CONTROL: &str = "drawn control";
/// The class of a window that holds what was found in pixels.
pub const WINDOW: &str = "drawn";

// Its variants have no comments of their own: a schema that is a plain list of words has errors that name them.
/// By what a screen is read: its elements, the text that is drawn, or the elements and where they lack what is meant, that text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    #[default]
    Tree,
    Pixels,
    Auto,
}

impl Source {
    /// Returns the source of this name.
    pub fn named(word: &str) -> Option<Self> {
        [("tree", Self::Tree), ("pixels", Self::Pixels), ("auto", Self::Auto)]
            .into_iter()
            .find_map(|(name, source)| (name == word).then_some(source))
    }
}

/// Other words for the kinds.
const SYNONYMS: &[(&str, ControlKind)] = &[
    ("textfield", ControlKind::TextField),
    ("input", ControlKind::TextField),
    ("toggle", ControlKind::Switch),
    ("cross", ControlKind::Close),
    ("arrow", ControlKind::Back),
    ("hamburger", ControlKind::Menu),
    ("magnifier", ControlKind::Search),
];

/// Returns the kind that a word means; the error says which there are.
pub(crate) fn control_kind(word: &str) -> Result<ControlKind, String> {
    let plain = word.trim().to_lowercase().replace(['-', ' '], "_");
    let synonym = || SYNONYMS.iter().find(|(name, _)| *name == plain).map(|(_, kind)| *kind);
    ControlKind::named(&plain).or_else(synonym).ok_or_else(|| {
        let valid: Vec<&str> = ControlKind::ALL.into_iter().map(ControlKind::name).collect();
        format!(
            "unknown control `{word}`; valid: {}; find anything else by a picture of it (`image`)",
            valid.join(", ")
        )
    })
}

/// Tells whether an element's text was read from pixels.
pub fn is_line(element: &Element) -> bool {
    is_text(element) || is_control(element)
}

/// Tells whether an element is known by its pixels: a text, a control or the place of a picture.
pub fn is_by_pixels(element: &Element) -> bool {
    is_line(element) || is_match(element)
}

/// Tells whether an element is a text that was read, and nothing else.
pub(crate) fn is_text(element: &Element) -> bool {
    element.class == TEXT
}

/// Checks what can be told of a picture's path by itself.
pub(crate) fn check_image(path: &str) -> Result<(), String> {
    match Path::new(path).extension().is_some_and(|kind| kind.eq_ignore_ascii_case("png")) {
        true => Ok(()),
        false => Err(format!(
            "`image` is a PNG file beside the testcase or in the project, such as images/cart.png, not `{path}`"
        )),
    }
}

/// Tells whether an element is where a picture is seen.
pub(crate) fn is_match(element: &Element) -> bool {
    element.class == IMAGE
}

/// Tells whether an element is where this picture is seen.
pub(crate) fn shows(element: &Element, image: &str) -> bool {
    is_match(element) && element.label == image
}

/// Tells whether a window holds what was found in pixels.
pub(crate) fn is_window(root: &Element) -> bool {
    root.class == WINDOW
}

/// Tells whether an element is a control that was found by its look.
pub fn is_control(element: &Element) -> bool {
    element.class == CONTROL
}

/// Tells whether it is one of this kind.
pub fn is_of_kind(element: &Element, kind: ControlKind) -> bool {
    is_control(element) && element.id == kind.name()
}

/// Tells whether a line that was read says a text, but for what recognition confuses: at most case and signs of one shape, and where
/// that is asked for, signs that only look alike.
pub(crate) fn reads_as(line: &str, text: &str, is_fuzzy: bool) -> bool {
    let fold = |text: &str| if is_fuzzy { blurred(&folded(text)) } else { folded(text) };
    fold(line) == fold(text)
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
    fn what_cannot_be_told_by_its_look_is_an_error_that_says_what_can() {
        assert_eq!(control_kind("Text-Field"), Ok(ControlKind::TextField));
        assert_eq!(control_kind("hamburger"), Ok(ControlKind::Menu));
        assert!(control_kind("dyhouse").is_err_and(|said| said.contains("close, back, menu, search")));
    }
}
