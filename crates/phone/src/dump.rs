//! A window's nodes → the XML that `uiautomator dump` writes (AOSP, `AccessibilityNodeInfoDumper`).

use std::fmt::Write as _;

use super::node::{Flags, Node};
use uixt_canvas::geometry::Area;

/// Writes a window's nodes; what is not seen on the screen is left out, what is seen in part is clipped.
pub(super) fn xml(root: Option<&Node>, package: &str, rotation: u8, screen: Area) -> String {
    let mut out =
        format!("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"{rotation}\">");
    if let Some(root) = root {
        write_node(&mut out, root, (0, package), screen);
    }
    out.push_str("</hierarchy>");
    out
}

/// A window that is shown.
pub(super) struct Shown<'a> {
    pub(super) root: &'a Node,
    pub(super) package: String,
    pub(super) kind: &'static str,
    /// Whether it has the touches.
    pub(super) is_active: bool,
}

/// Writes all windows, from front to back, as `--windows` does.
pub(super) fn windows_xml(windows: &[Shown], rotation: u8, screen: Area) -> String {
    let mut out = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><displays><display id=\"0\">".to_owned();
    for (index, window) in windows.iter().enumerate() {
        let Area { left, top, right, bottom } = window.root.area.intersect(&screen);
        let (active, layer) = (window.is_active, windows.len() - index);
        let _ = write!(
            out,
            "<window index=\"{index}\" title=\"\" bounds=\"[{left},{top}][{right},{bottom}]\" active=\"{active}\""
        );
        let _ = write!(out, " focused=\"{active}\" accessibility-focused=\"false\" id=\"{layer}\" layer=\"{layer}\"");
        let _ = write!(out, " type=\"{}\"><hierarchy rotation=\"{rotation}\">", window.kind);
        write_node(&mut out, window.root, (0, &window.package), screen);
        out.push_str("</hierarchy></window>");
    }
    out.push_str("</display></displays>");
    out
}

fn write_node(out: &mut String, node: &Node, (index, package): (usize, &str), seen: Area) {
    let area = node.area.intersect(&seen);
    if area.is_empty() {
        return;
    }
    out.push_str("<node");
    attribute(out, "index", &index.to_string());
    attribute(out, "text", &shown_text(node));
    attribute(out, "resource-id", &node.id);
    attribute(out, "class", node.class);
    attribute(out, "package", package);
    attribute(out, "content-desc", &node.label);
    write_flags(out, node.flags);
    let Area { left, top, right, bottom } = area;
    attribute(out, "bounds", &format!("[{left},{top}][{right},{bottom}]"));
    if !node.hint.is_empty() {
        attribute(out, "hint", &node.hint);
    }
    if node.children.is_empty() {
        out.push_str(" />");
        return;
    }
    out.push('>');
    let inner = if node.clips { area } else { seen };
    for (index, child) in node.children.iter().enumerate() {
        write_node(out, child, (index, package), inner);
    }
    out.push_str("</node>");
}

/// Returns a node's text; an empty text field gives its hint, a password its bullets, as Android does.
pub(super) fn shown_text(node: &Node) -> String {
    if node.text.is_empty() {
        node.hint.clone()
    } else if node.flags.has(Flags::PASSWORD) {
        "•".repeat(node.text.chars().count())
    } else {
        node.text.clone()
    }
}

fn write_flags(out: &mut String, flags: Flags) {
    for (name, value) in [
        ("checkable", flags.has(Flags::CHECKABLE)),
        ("checked", flags.has(Flags::CHECKED)),
        ("clickable", flags.has(Flags::CLICKABLE)),
        ("enabled", !flags.has(Flags::DISABLED)),
        ("focusable", flags.has(Flags::FOCUSABLE)),
        ("focused", flags.has(Flags::FOCUSED)),
        ("scrollable", flags.has(Flags::SCROLLABLE)),
        ("long-clickable", flags.has(Flags::LONG_CLICKABLE)),
        ("password", flags.has(Flags::PASSWORD)),
        ("selected", flags.has(Flags::SELECTED)),
    ] {
        attribute(out, name, if value { "true" } else { "false" });
    }
}

/// Writes an attribute; characters that XML does not allow become dots, as in AOSP.
pub(super) fn attribute(out: &mut String, name: &str, value: &str) {
    let _ = write!(out, " {name}=\"");
    for sign in value.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(sign));
            }
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.push('.'),
            _ => out.push(sign),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_outside_is_clipped_or_left_out() {
        let row =
            |top: i32, text: &str| Node::new("android.widget.TextView", Area::new(0, top, 10, top + 10)).text(text);
        let list = Node::new("android.widget.ScrollView", Area::new(0, 0, 10, 15)).clipping().children([
            row(0, "a<b"),
            row(10, "half"),
            row(20, "gone"),
        ]);
        let xml = xml(Some(&list), "p", 0, Area::new(0, 0, 100, 100));
        assert!(xml.contains("text=\"a&lt;b\""), "{xml}");
        assert!(xml.contains("index=\"1\" text=\"half\"") && xml.contains("bounds=\"[0,10][10,15]\""), "{xml}");
        assert!(!xml.contains("gone"));
        assert!(roxmltree::Document::parse(&xml).is_ok());
    }

    #[test]
    fn an_empty_field_dumps_its_hint_and_a_password_its_bullets() {
        let area = Area::new(0, 0, 10, 10);
        let field = Node::new("android.widget.EditText", area).hint("Password").flag(Flags::PASSWORD);
        assert!(xml(Some(&field), "p", 0, area).contains("text=\"Password\""));
        let filled = xml(Some(&field.text("geheim")), "p", 0, area);
        assert!(filled.contains("text=\"••••••\"") && filled.contains("hint=\"Password\""), "{filled}");
        assert!(!filled.contains("geheim"));
    }
}
