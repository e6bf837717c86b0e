//! A window's nodes → the XML of the server: tags are classes, attributes stand in its order, and what is empty is left out.

use std::fmt::Write as _;
use std::time::Duration;

use super::super::dump::{attribute, shown_text};
use super::super::handset::Handset;
use super::super::node::{Flags, Node};
use super::super::system::System;
use super::refusal::Refusal;
use uixt_canvas::geometry::Area;

/// How long the window in front may take until it tells what is in it.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// Reads the screen once its app tells what is in it.
pub(super) async fn source(handset: &Handset) -> Result<String, Refusal> {
    handset.now_ms().await;
    let is_told = handset.until_it_answers(TIMEOUT).await || handset.system.lock().await.has_alert();
    if !is_told {
        let message = "Timed out after 10000ms waiting for the root AccessibilityNodeInfo in the active window.";
        return Err(Refusal::unknown(message));
    }
    let is_whole =
        handset.automator.session(|session| session.settings.get("enableMultiWindows") == Some(&true.into()));
    Ok(handset.system.lock().await.source(is_whole == Some(true)))
}

impl System {
    /// Writes the screen: the window that has the touches, or all of them, from front to back.
    fn source(&self, is_whole: bool) -> String {
        let (width, height) = self.size();
        let mut out = String::from("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n");
        let _ = write!(
            out,
            "<hierarchy index=\"0\" class=\"hierarchy\" rotation=\"{}\" width=\"{width}\" height=\"{height}\">",
            self.rotation()
        );
        self.with_windows(|windows, screen| {
            for (index, window) in windows.iter().filter(|window| is_whole || window.is_active).enumerate() {
                write_node(&mut out, window.root, (index, 1, &window.package), screen);
            }
        });
        out.push_str("\n</hierarchy>");
        out
    }
}

fn write_node(out: &mut String, node: &Node, (index, depth, package): (usize, usize, &str), seen: Area) {
    let area = node.area.intersect(&seen);
    if area.is_empty() {
        return;
    }
    let tag = node.class.replace('$', ".");
    let _ = write!(out, "\n{}<{tag}", "  ".repeat(depth));
    for (name, value) in [("index", index.to_string().as_str()), ("package", package), ("class", node.class)] {
        attribute(out, name, value);
    }
    attribute(out, "text", &shown_text(node));
    for (name, value) in [("content-desc", &node.label), ("resource-id", &node.id)] {
        if !value.is_empty() {
            attribute(out, name, value);
        }
    }
    write_flags(out, node.flags);
    let Area { left, top, right, bottom } = area;
    attribute(out, "bounds", &format!("[{left},{top}][{right},{bottom}]"));
    attribute(out, "displayed", "true");
    if !node.hint.is_empty() {
        attribute(out, "hint", &node.hint);
    }
    attribute(out, "a11y-important", "true");
    attribute(out, "screenReaderFocusable", "false");
    attribute(out, "drawing-order", "0");
    attribute(out, "showing-hint", if node.text.is_empty() && !node.hint.is_empty() { "true" } else { "false" });
    if node.children.is_empty() {
        out.push_str(" />");
        return;
    }
    out.push('>');
    let inner = if node.clips { area } else { seen };
    for (index, child) in node.children.iter().enumerate() {
        write_node(out, child, (index, depth + 1, package), inner);
    }
    let _ = write!(out, "\n{}</{tag}>", "  ".repeat(depth));
}

fn write_flags(out: &mut String, flags: Flags) {
    for (name, value) in [
        ("checkable", flags.has(Flags::CHECKABLE)),
        ("checked", flags.has(Flags::CHECKED)),
        ("clickable", flags.has(Flags::CLICKABLE)),
        ("enabled", !flags.has(Flags::DISABLED)),
        ("focusable", flags.has(Flags::FOCUSABLE)),
        ("focused", flags.has(Flags::FOCUSED)),
        ("long-clickable", flags.has(Flags::LONG_CLICKABLE)),
        ("password", flags.has(Flags::PASSWORD)),
        ("scrollable", flags.has(Flags::SCROLLABLE)),
        ("selected", flags.has(Flags::SELECTED)),
    ] {
        attribute(out, name, if value { "true" } else { "false" });
    }
}
