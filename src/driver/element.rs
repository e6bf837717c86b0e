//! One thing on a screen, the same on every platform.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;

use super::Rect;

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
    "group",
];

/// One thing on a screen. Text fields are empty where the platform tells nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Element {
    /// What it is, in one word: `button`, `textfield`, `checkbox`, `switch`, `radio`, `combobox`, `slider`, `progress`,
    /// `image`, `heading`, `text`, `list`, `tab`, `webview`, or `group` for what is none of these.
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
    pub children: Vec<Element>,
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

    /// Calls `visit` with this element and everything in it, in reading order.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Element)) {
        visit(self);
        for child in &self.children {
            child.walk(visit);
        }
    }
}
