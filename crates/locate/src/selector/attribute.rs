//! The attributes that selectors compare: their names, ours and Android's, and what an element has under them.

use std::borrow::Cow;

use crate::driver::Element;

/// An attribute of every element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute {
    pub name: &'static str,
    /// Whether it is true or false.
    pub is_flag: bool,
    read: for<'a> fn(&'a Element) -> Cow<'a, str>,
}

impl PartialEq for Attribute {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

macro_rules! flag {
    ($name:literal, $field:ident) => {
        Attribute { name: $name, is_flag: true, read: |element| flag(element.$field) }
    };
}

macro_rules! text {
    ($name:literal, $field:ident) => {
        Attribute { name: $name, is_flag: false, read: |element| Cow::Borrowed(&element.$field) }
    };
}

const ATTRIBUTES: &[Attribute] = &[
    text!("text", text),
    text!("label", label),
    text!("hint", hint),
    text!("id", id),
    text!("class", class),
    text!("package", package),
    Attribute { name: "role", is_flag: false, read: |element| Cow::Borrowed(element.role) },
    Attribute { name: "index", is_flag: false, read: |element| Cow::Owned(element.index.to_string()) },
    Attribute { name: "bounds", is_flag: false, read: bounds },
    flag!("enabled", enabled),
    flag!("checkable", checkable),
    flag!("checked", checked),
    flag!("selected", selected),
    flag!("focusable", focusable),
    flag!("focused", focused),
    flag!("clickable", clickable),
    flag!("long-clickable", long_clickable),
    flag!("password", password),
    flag!("scrollable", scrollable),
    // What is not displayed is not among the elements.
    Attribute { name: "displayed", is_flag: true, read: |_| flag(true) },
];

/// Android's names, and how `Appium` and browsers call the same.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("content-desc", "label"),
    ("content-description", "label"),
    ("contentdescription", "label"),
    ("accessibility-id", "label"),
    ("aria-label", "label"),
    ("resource-id", "id"),
    ("resourceid", "id"),
    ("placeholder", "hint"),
    ("longclickable", "long-clickable"),
    ("long_clickable", "long-clickable"),
    ("visible-to-user", "displayed"),
    ("visible", "displayed"),
];

fn flag(value: bool) -> Cow<'static, str> {
    Cow::Borrowed(if value { "true" } else { "false" })
}

fn bounds(element: &Element) -> Cow<'_, str> {
    let rect = element.rect;
    Cow::Owned(format!("[{},{}][{},{}]", rect.left, rect.top, rect.right, rect.bottom))
}

impl Attribute {
    /// Finds an attribute by any of its names; the error lists them.
    pub(super) fn named(name: &str) -> Result<Self, String> {
        let lower = name.to_ascii_lowercase();
        let own = OTHER_NAMES.iter().find(|(other, _)| *other == lower).map_or(lower.as_str(), |(_, own)| own);
        ATTRIBUTES.iter().find(|attribute| attribute.name == own).copied().ok_or_else(|| {
            let names: Vec<&str> = ATTRIBUTES.iter().map(|attribute| attribute.name).collect();
            let hint = uixt_schema::nearest(&lower, names.iter().copied());
            let hint = hint.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
            format!("unknown attribute `{name}`{hint}; valid: {}, content-desc, resource-id", names.join(", "))
        })
    }

    /// Returns every attribute.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        ATTRIBUTES.iter().copied()
    }

    /// Returns every name of every attribute.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        ATTRIBUTES.iter().map(|attribute| attribute.name).chain(OTHER_NAMES.iter().map(|(other, _)| *other))
    }

    /// Returns what an element has; empty where it has nothing.
    pub(super) fn read<'a>(&self, element: &'a Element) -> Cow<'a, str> {
        (self.read)(element)
    }
}
