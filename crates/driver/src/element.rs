//! One thing on a screen, the same on every platform.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;

use super::{Point, Rect};

/// Writes letters with their accents as one sign each, where there is one (Unicode's form C): é and e with an accent look alike.
pub fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { ComposingNormalizerBorrowed::new_nfc().normalize(text) }
}

/// Every [role](Element::role).
pub const ROLES: &[&str] = &[
    "button",
    "textfield",
    "checkbox",
    "switch",
    "radio",
    "combobox",
    "slider",
    "progress",
    "image",
    "heading",
    "text",
    "list",
    "tab",
    "webview",
    "link",
    "option",
    "listitem",
    "table",
    "row",
    "cell",
    "menu",
    "menuitem",
    "navigation",
    "form",
    "dialog",
    "alert",
    "status",
    "tooltip",
    "group",
];

/// One thing on a screen. Text fields are empty where the platform tells nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Element {
    /// What it is, in one word of [`ROLES`]; `group` for what is none of the others.
    pub role: &'static str,
    /// The platform's own class.
    pub class: String,
    /// What it shows. An empty text field's hint is not its text.
    pub text: String,
    /// What a screen reader calls it (Android: content-desc).
    pub label: String,
    /// What an empty text field shows.
    pub hint: String,
    /// The platform's identifier, whole (Android: `com.uixt.shop:id/user`).
    pub id: String,
    pub package: String,
    /// Which child of its parent the platform calls it, from 0; children that are not shown are counted.
    pub index: u32,
    pub rect: Rect,
    pub enabled: bool,
    pub clickable: bool,
    pub long_clickable: bool,
    pub focusable: bool,
    pub focused: bool,
    pub checkable: bool,
    pub checked: bool,
    pub selected: bool,
    pub password: bool,
    pub scrollable: bool,
    /// Whether what it stands in says the same in its own name, so that a list of what is there need not.
    pub repeats: bool,
    /// What the platform itself knows of it; none where the platform tells no more than its tree.
    pub told: Option<Box<Actionability>>,
    pub children: Vec<Element>,
}

/// What stands between the texts that React Native joins to one name.
pub const JOINT: &str = ", ";

/// Returns a text without the parts that are signs of an icon font alone, which are letters to a platform and pictures to people; none
/// where there are no such parts.
pub fn without_glyphs(text: &str) -> Option<String> {
    let is_glyph = |sign: char| matches!(sign, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10fffd}');
    if !text.contains(is_glyph) {
        return None;
    }
    let is_picture =
        |part: &&str| part.contains(is_glyph) && part.chars().all(|sign| is_glyph(sign) || sign.is_whitespace());
    let told: Vec<&str> = text.split(JOINT).filter(|part| !is_picture(part)).collect();
    let told = told.join(JOINT);
    (told != text).then_some(told)
}

/// What a platform knows of an element that a tree does not show, such as a page of its own parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Actionability {
    /// Its own for as long as it lives; no other element ever has it.
    pub key: u64,
    /// What tests call it (`data-testid`).
    pub test_id: String,
    /// The element whose name or text this one is a part of, by its key: it says nothing more.
    pub part_of: Option<u64>,
    /// Whether it stood still just now; none where that was not looked at.
    pub still: Option<bool>,
    pub reach: Reach,
    /// What may be chosen of a closed list: how many there are, and the first of them.
    pub options: Option<(usize, Vec<String>)>,
    /// What a field holds where that is no text as it is typed: `date`, `time`, `number`, `color`, …; else empty.
    pub holds: String,
    /// How far the text of a field is scrolled, to the right and down.
    pub scrolled: (i32, i32),
    /// All that stands in it, where its text is only that of its own lines.
    pub whole: String,
    /// Whether it is checked in part, as the box of a list of which some is checked.
    pub mixed: bool,
    /// What it may also be called where something is drawn beside its text: its text alone, and each of what is drawn.
    pub also: Vec<String>,
    /// The lines that are made of what stands in several elements in it, where none of them is its own: "Sold out" of "Sold" and "out".
    pub joined: Vec<String>,
    /// Which of its names nobody sees, though it is seen itself, each with the reason: a value that is transparent, a placeholder behind a
    /// value, a name for screen readers beside another that is drawn.
    pub unseen: Vec<(String, String)>,
    /// Why nobody sees it, or not all of it, as it follows "is there, but"; empty of what is seen. Told only where what is merely
    /// present was asked for.
    pub hidden: String,
    /// Whether it comes and goes, as what an endless animation or a script shows and hides in turn.
    pub flickers: bool,
}

/// Where touches reach an element.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Reach {
    /// In its middle, as far as is known.
    #[default]
    Middle,
    /// Not in its middle, but at this point.
    At(Point),
    /// Nowhere that was tried: what lies over it takes them.
    Covered(String),
    /// Nowhere, and nothing lies over it: why, as it follows "there, but".
    Missed(String),
}

impl Element {
    /// Returns what a person would call it: its text, else its label, else its hint.
    pub fn name(&self) -> &str {
        [&self.text, &self.label, &self.hint].into_iter().find(|name| !name.is_empty()).map_or("", String::as_str)
    }

    /// Returns the identifier without its package: `user` of `com.uixt.shop:id/user`.
    pub fn short_id(&self) -> &str {
        self.id.rsplit_once('/').map_or(self.id.as_str(), |(_, short)| short)
    }

    /// Tells whether it is a frame whose page the driver could not look into.
    pub fn is_closed(&self) -> bool {
        self.role == "webview" && self.told.is_some()
    }

    /// Returns why nobody sees a name of it, though the element is seen; none of what is seen.
    pub fn why_unseen(&self, name: &str) -> Option<&str> {
        let mut unseen = self.told.iter().flat_map(|told| &told.unseen);
        unseen.find(|(one, _)| one == name).map(|(_, why)| why.as_str())
    }

    /// Tells whether it is neither checked nor unchecked.
    pub fn is_mixed(&self) -> bool {
        self.told.as_ref().is_some_and(|told| told.mixed)
    }

    /// Returns its key, where the platform gives its elements such.
    pub fn key(&self) -> Option<u64> {
        self.told.as_ref().map(|told| told.key)
    }

    /// Calls `visit` with this element and everything in it, in reading order.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Element)) {
        visit(self);
        for child in &self.children {
            child.walk(visit);
        }
    }
}
