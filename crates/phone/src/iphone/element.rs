//! One element as iOS tells it, and what is said of it. Source: `XCUIElement+FBWebDriverAttributes`.

use uixt_canvas::geometry::Area;

/// Bytes at which `XCTest` cuts texts.
const LONGEST: usize = 512;

/// An element.
#[derive(Clone, Debug, Default)]
pub(super) struct Element {
    /// `Button` of `XCUIElementTypeButton`.
    pub(super) kind: &'static str,
    /// What the app's maker calls it; empty where it has no such name.
    pub(super) id: String,
    pub(super) label: String,
    /// What it holds, as it is; what is told of it is [`Element::value`].
    pub(super) raw: String,
    pub(super) placeholder: String,
    /// In pixels of the turned screen.
    pub(super) area: Area,
    /// The part of it that is on the screen.
    pub(super) seen: Area,
    pub(super) is_enabled: bool,
    pub(super) is_visible: bool,
    pub(super) is_accessible: bool,
    pub(super) is_focused: bool,
    pub(super) is_selected: bool,
    pub(super) is_header: bool,
    /// Its place among its parent's children.
    pub(super) index: usize,
    /// By which it is known again.
    pub(super) uid: u64,
    pub(super) children: Vec<Element>,
}

impl Element {
    pub(super) fn new(kind: &'static str, area: Area) -> Self {
        Self { kind, area, is_enabled: true, ..Self::default() }
    }

    /// Returns its identifier, or else its label.
    pub(super) fn name(&self) -> Option<String> {
        some(&self.id).or_else(|| some(&self.label))
    }

    /// Returns its label; that of a text field may be empty.
    pub(super) fn label(&self) -> Option<String> {
        let is_field = matches!(self.kind, "TextField" | "SecureTextField");
        some(&self.label).or_else(|| is_field.then(String::new))
    }

    pub(super) fn value(&self) -> Option<String> {
        match self.kind {
            "StaticText" => some(&self.raw).or_else(|| some(&self.label)),
            "Button" => some(&self.raw).or_else(|| self.is_selected.then(|| "1".to_owned())),
            kind if is_field(kind) => some(&self.raw).or_else(|| some(&self.placeholder)),
            _ => some(&self.raw),
        }
    }

    /// Returns its placeholder, where it is of a kind that has one.
    pub(super) fn placeholder(&self) -> Option<String> {
        is_field(self.kind).then(|| cut(&self.placeholder).to_owned())
    }

    /// Returns what `text` tells: its value, or else its label.
    pub(super) fn text(&self) -> String {
        self.value().filter(|text| !text.is_empty()).or_else(|| self.label()).unwrap_or_default()
    }

    pub(super) fn traits(&self) -> String {
        let own = match self.kind {
            "Button" | "Icon" | "PopUpButton" => "Button",
            "Key" => "KeyboardKey",
            "StaticText" => "StaticText",
            "Image" => "Image",
            "SearchField" => "SearchField",
            "Switch" | "CheckBox" | "RadioButton" => "Button, ToggleButton",
            "Slider" => "Adjustable",
            "TabBar" => "TabBar",
            "ProgressIndicator" | "PageIndicator" => "UpdatesFrequently",
            _ => "",
        };
        let more = [(self.is_selected, "Selected"), (!self.is_enabled, "NotEnabled"), (self.is_header, "Header")];
        let more = more.into_iter().filter(|(is, _)| *is).map(|(_, name)| name);
        Some(own).filter(|own| !own.is_empty()).into_iter().chain(more).collect::<Vec<_>>().join(", ")
    }

    /// Calls `each` with it and everything in it, from the top on; parents come first.
    pub(super) fn walk<'a>(&'a self, each: &mut impl FnMut(&'a Element)) {
        each(self);
        for child in &self.children {
            child.walk(each);
        }
    }

    /// Returns everything below it, parents first.
    pub(super) fn descendants(&self) -> Vec<&Element> {
        let mut all = Vec::new();
        for child in &self.children {
            child.walk(&mut |element| all.push(element));
        }
        all
    }

    /// Tells that something lies over an area of the screen: what has its middle there is hit by no touch.
    pub(super) fn be_covered(&mut self, by: Area) {
        let middle =
            (f64::from(self.area.left + self.area.right) / 2.0, f64::from(self.area.top + self.area.bottom) / 2.0);
        let is_whole = matches!(self.kind, "Button" | "Cell" | "Switch" | "TextField") || self.children.is_empty();
        if is_whole && by.contains(middle.0, middle.1) {
            (self.is_visible, self.is_accessible) = (false, false);
        }
        self.children.iter_mut().for_each(|child| child.be_covered(by));
    }

    /// Returns the element of this id, here or below.
    pub(super) fn by_uid(&self, uid: u64) -> Option<&Element> {
        if self.uid == uid {
            return Some(self);
        }
        self.children.iter().find_map(|child| child.by_uid(uid))
    }
}

/// Tells whether texts can be put into elements of a kind (`FBDoesElementSupportInnerText`).
pub(super) fn is_field(kind: &str) -> bool {
    matches!(kind, "TextField" | "SecureTextField" | "SearchField" | "TextView")
}

/// Writes an id as WDA does.
pub(super) fn id_of(uid: u64) -> String {
    format!("{:08X}-0000-0000-{:04X}-000000000000", uid >> 16 & 0xffff_ffff, uid & 0xffff)
}

/// Reads such an id.
pub(super) fn uid_of(id: &str) -> Option<u64> {
    let mut parts = id.split('-');
    let high = u64::from_str_radix(parts.next()?, 16).ok()?;
    let low = u64::from_str_radix(parts.nth(2)?, 16).ok()?;
    Some(high << 16 | low)
}

/// Returns a text that is not empty, cut where it is too long.
fn some(text: &str) -> Option<String> {
    Some(cut(text)).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_of_elements_follows_their_kinds() {
        let field = Element { placeholder: "Email".into(), ..Element::new("TextField", Area::default()) };
        assert_eq!((field.value().as_deref(), field.label().as_deref(), field.name()), (Some("Email"), Some(""), None));
        let button = Element { label: "Go".into(), is_selected: true, ..Element::new("Button", Area::default()) };
        assert_eq!((button.value().as_deref(), button.traits().as_str()), (Some("1"), "Button, Selected"));
        let text = Element { label: "长".repeat(300), ..Element::new("StaticText", Area::default()) };
        assert_eq!(text.value().unwrap().len(), 510);
        assert_eq!(uid_of(&id_of(0xabcd_1234_5678)), Some(0xabcd_1234_5678));
    }
}
