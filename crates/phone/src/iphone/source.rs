//! A tree → the sources of `GET /source`: XML as `FBXPath` writes it, JSON as `XCUIApplication+FBHelpers` does, and a description.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::element::{Element, is_field};
use uixt_canvas::geometry::Area;

/// How a source is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Writing {
    /// Pixels of a point.
    pub(super) scale: f64,
    /// Attributes that are left out.
    pub(super) excluded: Vec<String>,
    /// The element around all of the XML.
    pub(super) scope: Option<String>,
    /// Levels below the first element that are told.
    pub(super) depth: usize,
    pub(super) process: Option<(u32, String)>,
    /// What WDA learnt later is missing.
    pub(super) is_old: bool,
    pub(super) visible_wrong: bool,
    pub(super) stale_rects: bool,
    pub(super) swapped: bool,
    pub(super) hittable: bool,
    pub(super) native_frame: bool,
}

/// A rectangle in points: x, y, width, height.
pub(super) type Rect = [i64; 4];

impl Writing {
    /// Returns where an element lies, in whole points around it (`CGRectIntegral`).
    pub(super) fn rect(&self, area: Area) -> Rect {
        #[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
        let (low, high) = (
            |at: i32| (f64::from(at) / self.scale).floor() as i64,
            |at: i32| (f64::from(at) / self.scale).ceil() as i64,
        );
        let (x, y) = (low(area.left), low(area.top));
        let (width, height) = (high(area.right) - x, high(area.bottom) - y);
        if self.swapped { [x, y, height, width] } else { [x, y, width, height] }
    }

    fn told_rect(&self, element: &Element, in_cell: bool) -> Rect {
        let mut rect = self.rect(element.area);
        if self.stale_rects && in_cell {
            rect[1] = -527;
        }
        rect
    }

    pub(super) fn is_visible(&self, element: &Element) -> bool {
        element.is_visible && !(self.visible_wrong && matches!(element.kind, "StaticText" | "Image"))
    }

    fn has(&self, name: &str) -> bool {
        !self.excluded.iter().any(|excluded| excluded.eq_ignore_ascii_case(name))
    }
}

/// Writes the XML of a tree.
pub(super) fn xml(root: &Element, writing: &Writing) -> String {
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    match &writing.scope {
        Some(scope) => {
            let _ = write!(out, "<{scope}>");
            write_xml(&mut out, root, writing, (0, false));
            let _ = write!(out, "</{scope}>");
        }
        None => write_xml(&mut out, root, writing, (0, false)),
    }
    out.push('\n');
    out
}

fn write_xml(out: &mut String, element: &Element, writing: &Writing, (level, in_cell): (usize, bool)) {
    let tag = format!("XCUIElementType{}", element.kind);
    let _ = write!(out, "<{tag}");
    let mut put = |name: &str, value: Option<&str>| {
        if let Some(value) = value.filter(|_| writing.has(name)) {
            attribute(out, name, value);
        }
    };
    let truth = |is: bool| Some(if is { "true" } else { "false" });
    put("type", Some(&tag));
    put("value", element.value().as_deref());
    put("name", element.name().as_deref());
    put("label", element.label().as_deref());
    put("enabled", truth(element.is_enabled));
    put("visible", truth(writing.is_visible(element)));
    put("accessible", truth(element.is_accessible));
    let rect = writing.told_rect(element, in_cell);
    for (name, number) in ["x", "y", "width", "height"].into_iter().zip(rect) {
        put(name, Some(&number.to_string()));
    }
    put("index", Some(&element.index.to_string()));
    if writing.hittable {
        put("hittable", truth(element.is_visible));
    }
    put("placeholderValue", element.placeholder().as_deref());
    if !writing.is_old {
        put("traits", Some(&element.traits()));
    }
    if writing.native_frame {
        put("nativeFrame", Some(&frame(rect)));
    }
    if let (0, Some((pid, bundle))) = (level, &writing.process) {
        put("processId", Some(&pid.to_string()));
        put("bundleId", Some(bundle));
    }
    if element.children.is_empty() || level >= writing.depth {
        out.push_str("/>");
        return;
    }
    out.push('>');
    for child in &element.children {
        write_xml(out, child, writing, (level + 1, in_cell || element.kind == "Cell"));
    }
    let _ = write!(out, "</{tag}>");
}

/// Writes an attribute as libxml2 does; characters that XML forbids are left out.
fn attribute(out: &mut String, name: &str, value: &str) {
    let _ = write!(out, " {name}=\"");
    for sign in value.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            _ => out.push(sign),
        }
    }
    out.push('"');
}

/// Makes the JSON of a tree.
pub(super) fn json(root: &Element, writing: &Writing) -> Value {
    json_of(root, writing, (0, false))
}

fn json_of(element: &Element, writing: &Writing, (level, in_cell): (usize, bool)) -> Value {
    let rect = writing.told_rect(element, in_cell);
    let [x, y, width, height] = rect;
    let digit = |is: bool| json!(if is { "1" } else { "0" });
    let mut told = Map::new();
    let mut put = |name: &str, value: Value| told.insert(name.to_owned(), value);
    put("type", json!(element.kind));
    put("rawIdentifier", Some(element.id.as_str()).filter(|id| !id.is_empty()).into());
    put("name", element.name().into());
    put("value", element.value().into());
    put("label", element.label().into());
    put("rect", json!({"x": x, "y": y, "width": width, "height": height}));
    let optional = [
        ("frame", "frame", json!(frame(rect))),
        ("nativeFrame", "nativeFrame", json!(frame(rect))),
        ("enabled", "isEnabled", digit(element.is_enabled)),
        ("visible", "isVisible", digit(writing.is_visible(element))),
        ("accessible", "isAccessible", digit(element.is_accessible)),
        ("focused", "isFocused", digit(element.is_focused)),
        ("traits", "traits", json!(element.traits())),
        ("placeholderValue", "placeholderValue", element.placeholder().filter(|text| !text.is_empty()).into()),
    ];
    for (excluded, name, value) in optional {
        let is_missing = match excluded {
            "placeholderValue" => !is_field(element.kind) || writing.is_old,
            "traits" | "nativeFrame" => writing.is_old,
            _ => false,
        };
        if writing.has(excluded) && !is_missing {
            put(name, value);
        }
    }
    if !writing.is_old {
        put("customActions", Value::Null);
    }
    if !element.children.is_empty() && level < writing.depth {
        let in_cell = in_cell || element.kind == "Cell";
        let children = element.children.iter().map(|child| json_of(child, writing, (level + 1, in_cell)));
        told.insert("children".to_owned(), children.collect());
    }
    Value::Object(told)
}

fn frame([x, y, width, height]: Rect) -> String {
    format!("{{{{{x}, {y}}}, {{{width}, {height}}}}}")
}

/// Describes a tree line by line, as `debugDescription` does.
pub(super) fn description(root: &Element, writing: &Writing) -> String {
    let mut out = String::new();
    for child in &root.children {
        describe(&mut out, child, writing, 0);
    }
    out
}

fn describe(out: &mut String, element: &Element, writing: &Writing, level: usize) {
    let [x, y, width, height] = writing.rect(element.area);
    let _ = write!(
        out,
        "{}{}, {:#x}, {{{{{x}.0, {y}.0}}, {{{width}.0, {height}.0}}}}",
        "  ".repeat(level),
        element.kind,
        element.uid
    );
    let texts = [
        ("identifier", Some(element.id.clone()).filter(|id| !id.is_empty())),
        ("label", element.label().filter(|label| !label.is_empty())),
        ("placeholderValue", element.placeholder().filter(|text| !text.is_empty())),
        ("value", Some(element.raw.clone()).filter(|raw| !raw.is_empty())),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            let _ = write!(out, ", {name}: '{text}'");
        }
    }
    for (is, word) in
        [(!element.is_enabled, "Disabled"), (element.is_selected, "Selected"), (element.is_focused, "Keyboard Focused")]
    {
        if is {
            let _ = write!(out, ", {word}");
        }
    }
    out.push('\n');
    if level < writing.depth {
        for child in &element.children {
            describe(out, child, writing, level + 1);
        }
    }
}
