//! One node of the phone → one of `uitest dumpLayout`: ArkUI's types, and every attribute as a text.

use std::fmt::Write as _;

use super::super::dump::shown_text;
use super::super::node::{Flags, Node};
use super::super::node_action::Tap;
use crate::instance::FieldType;
use uixt_canvas::geometry::Area;

/// What lies around a node.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// The part of the screen that it can be seen in.
    pub(super) seen: Area,
    /// What lies before it.
    pub(super) covers: &'a [Area],
    /// Number of its window.
    pub(super) window: u32,
    pub(super) in_list: bool,
}

/// A node as it is written.
#[derive(Default)]
pub(super) struct Element<'a> {
    pub(super) kind: &'a str,
    pub(super) text: &'a str,
    pub(super) hint: &'a str,
    pub(super) description: &'a str,
    pub(super) id: &'a str,
    pub(super) whole: Area,
    pub(super) seen: Area,
    pub(super) flags: Flags,
    /// Of a window: its bundle, its ability, its page.
    pub(super) owner: Option<[&'a str; 3]>,
}

/// The dump as it is written.
pub(super) struct Writer {
    pub(super) out: String,
    /// Nodes that were written.
    count: u64,
    /// Whether what is not seen is written, too (`-i`).
    pub(super) is_whole: bool,
    /// Whether texts are written as extra attributes, too (`-a`).
    pub(super) has_extra: bool,
}

impl Writer {
    pub(super) fn new(is_whole: bool, has_extra: bool) -> Self {
        Self { out: String::with_capacity(64 << 10), count: 0, is_whole, has_extra }
    }

    /// Begins a node, up to its children.
    pub(super) fn begin(&mut self, element: &Element, window: u32, hierarchy: &str) {
        self.count += 1;
        let number = self.count.to_string();
        let flag = |flag: Flags| if element.flags.has(flag) { "true" } else { "false" };
        let enabled = if element.flags.has(Flags::DISABLED) { "false" } else { "true" };
        let visible = if element.seen.is_empty() { "false" } else { "true" };
        let (bounds, whole, host) = (shown(element.seen), shown(element.whole), window.to_string());
        self.out.push_str("{\"attributes\":{");
        let [bundle, ability, page] = element.owner.unwrap_or_default();
        let own = [("abilityName", ability), ("bundleName", bundle), ("pagePath", page)];
        let clip = flag(Flags::SCROLLABLE);
        let rest = [
            ("accessibilityId", number.as_str()),
            ("backgroundColor", "#00000000"),
            ("backgroundImage", ""),
            ("blur", "0.000000"),
            ("bounds", &bounds),
            ("checkable", flag(Flags::CHECKABLE)),
            ("checked", flag(Flags::CHECKED)),
            ("clickable", flag(Flags::CLICKABLE)),
            ("clip", clip),
            ("description", element.description),
            ("displayId", "0"),
            ("enabled", enabled),
            ("focused", flag(Flags::FOCUSED)),
            ("hashcode", &number),
            ("hierarchy", hierarchy),
            ("hint", element.hint),
            ("hitTestBehavior", "HitTestMode.Default"),
            ("hostWindowId", &host),
            ("id", element.id),
            ("key", element.id),
            ("longClickable", flag(Flags::LONG_CLICKABLE)),
            ("opacity", "1.000000"),
            ("origBounds", &whole),
            ("originalText", element.text),
            ("scrollable", flag(Flags::SCROLLABLE)),
            ("selected", flag(Flags::SELECTED)),
            ("text", element.text),
            ("type", element.kind),
            ("visible", visible),
            ("zIndex", "0"),
        ];
        for (name, value) in own.iter().filter(|_| element.owner.is_some()).chain(&rest) {
            self.attribute(name, value);
        }
        self.out.pop();
        self.out.push_str("},\"children\":[");
    }

    /// Ends a node's children, and the node.
    pub(super) fn end(&mut self, text: &str) {
        self.end_list();
        self.out.push(']');
        if self.has_extra && !text.is_empty() {
            self.out.push_str(",\"extraAttrs\":{");
            self.attribute("Content", text);
            self.out.pop();
            self.out.push('}');
        }
        self.out.push_str("},");
    }

    /// Takes away the comma behind the last of a list.
    pub(super) fn end_list(&mut self) {
        if self.out.ends_with(',') {
            self.out.pop();
        }
    }

    pub(super) fn attribute(&mut self, name: &str, value: &str) {
        // Texts are always written.
        let value = serde_json::to_string(value).unwrap_or_default();
        let _ = write!(self.out, "\"{name}\":{value},");
    }

    /// Writes a node and what is in it; what is not seen is left out.
    pub(super) fn node(&mut self, node: &Node, around: Around, hierarchy: &str) {
        let mut seen = node.area.intersect(&around.seen);
        if around.covers.iter().any(|cover| seen.intersect(cover) == seen) {
            seen = Area::default();
        }
        let inner = Around { seen: if node.clips { seen } else { around.seen }, ..around };
        let is_seen = self.is_whole || !seen.is_empty();
        let (kind, holds_text) = kind_of(node, around.in_list);
        let text = if node.text.is_empty() { String::new() } else { shown_text(node) };
        let (own, within) = if holds_text { (text.as_str(), "") } else { ("", text.as_str()) };
        let hint = if kind == "Toggle" { "Switch" } else { &node.hint };
        let element = Element {
            kind,
            text: own,
            hint,
            description: if node.label == text { "" } else { &node.label },
            id: short(&node.id),
            whole: node.area,
            seen,
            flags: node.flags,
            owner: None,
        };
        let before = (self.out.len(), self.count);
        self.begin(&element, around.window, hierarchy);
        let mut number = 0;
        let start = self.out.len();
        if is_seen && !within.is_empty() {
            let element = Element {
                kind: "Text",
                text: within,
                whole: node.area,
                seen,
                flags: if node.flags.has(Flags::DISABLED) { Flags::DISABLED } else { Flags::default() },
                ..Element::default()
            };
            self.begin(&element, around.window, &format!("{hierarchy},0"));
            self.end(within);
            number += 1;
        }
        for child in &node.children {
            let in_list = kind == "List";
            self.node(child, Around { in_list, ..inner }, &format!("{hierarchy},{number}"));
            number += 1;
        }
        if !is_seen && self.out.len() == start {
            self.out.truncate(before.0);
            self.count = before.1;
            return;
        }
        self.end(own);
    }
}

/// Returns ArkUI's type of a node, and whether its text is its own rather than that of a child.
fn kind_of(node: &Node, in_list: bool) -> (&'static str, bool) {
    let is_tapped = node.tap.as_ref().is_some_and(|tap| !matches!(tap, Tap::Swallow));
    match node.class {
        // Both are to be seen in real dumps.
        "android.widget.Button" => ("Button", !node.id.is_empty()),
        "android.widget.ImageButton" => ("Button", false),
        "android.widget.EditText" => (field_kind(node), true),
        "android.widget.Switch" => ("Toggle", true),
        "android.widget.CheckBox" | "android.widget.CheckedTextView" => ("Checkbox", true),
        "android.widget.RadioButton" => ("Radio", true),
        "android.widget.Spinner" => ("Select", true),
        "android.widget.NumberPicker" => ("TextPicker", true),
        "android.widget.ProgressBar" if node.text.is_empty() => ("LoadingProgress", true),
        "android.widget.ProgressBar" => ("Progress", true),
        "android.widget.ImageView" => ("Image", true),
        "android.widget.ScrollView" => ("Scroll", false),
        "android.widget.ListView" | "androidx.recyclerview.widget.RecyclerView" | "android.widget.TableLayout" => {
            ("List", false)
        }
        "android.widget.TableRow" => ("ListItem", false),
        "android.widget.Toolbar" => ("NavBar", false),
        _ if in_list => ("ListItem", false),
        "android.widget.TextView" => ("Text", true),
        "android.widget.LinearLayout" | "android.widget.RadioGroup" => ("Column", false),
        _ if is_tapped && !node.text.is_empty() => ("Row", false),
        _ => ("Stack", false),
    }
}

fn field_kind(node: &Node) -> &'static str {
    match &node.tap {
        Some(Tap::Focus(place)) if matches!(place.kind, FieldType::Textarea | FieldType::Json) => "TextArea",
        _ if node.id.contains("search") || node.id.contains("query") => "Search",
        _ => "TextInput",
    }
}

/// Returns the short form of an Android resource's name; the system's own names are none here.
fn short(id: &str) -> &str {
    if id.starts_with("android:") { "" } else { id.rsplit('/').next().unwrap_or(id) }
}

/// Writes an area as uitest does.
pub(super) fn shown(area: Area) -> String {
    let Area { left, top, right, bottom } = area;
    format!("[{left},{top}][{right},{bottom}]")
}
