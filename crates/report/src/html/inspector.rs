//! The evidence of a failed step → the screen before and after side by side, the elements as an inspector, the log beside them.

use std::collections::HashSet;
use std::fs;

use serde_json::Value;

use super::super::evidence;
use super::super::picture::{inside, push_address};
use super::case::put;
use super::{Folder, escape};
use crate::result::ActionResult;

/// The arguments that name a target as the tree names it.
const SELECTORS: [&str; 5] = ["text", "id", "label", "placeholder", "target"];
/// Most elements of a tree that the page shows; the file holds all of them.
const MOST: usize = 400;
/// Most bytes of the log that the page shows, the last ones.
const MOST_LOG: usize = 12_000;

/// Appends what was kept of an action's failure; nothing where nothing was.
pub(super) fn push(out: &mut String, action: &ActionResult, folder: &Folder) {
    let Some(kept) = evidence::of_action(action) else { return };
    let file = |key: &str| fs::read_to_string(folder.dir.join(inside(kept.get(key)?.as_str()?)?)).ok();
    let tree = |key: &str| file(key).and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let (before, after) = (tree("before"), tree("tree"));
    if before.is_some() || after.is_some() {
        out.push_str("<details class=evidence><summary>elements before and after</summary><div class=both>");
        // A picture that is in the page already is not written into it once more.
        let picture = kept.get("after").and_then(Value::as_str).filter(|path| inside(path).is_some() && !folder.embed);
        let meant = meant(action);
        for (word, tree, picture) in [("before the last touch", &before, None), ("at the failure", &after, picture)] {
            if let Some(tree) = tree {
                push_tree(out, word, tree, picture, &meant);
            }
        }
        out.push_str("</div></details>");
    }
    for (key, word) in [("log", "log"), ("console", "console")] {
        if let Some(text) = file(key) {
            push_text(out, word, &text, key == "log");
        }
    }
    let requests = file("network").and_then(|text| serde_json::from_str::<Vec<Value>>(&text).ok());
    if let Some(requests) = requests {
        let lines: Vec<String> = requests.iter().map(request).collect();
        push_text(out, "network", &lines.join("\n"), false);
    }
}

/// Appends the end of a text, to be opened where it is not of the first interest.
fn push_text(out: &mut String, word: &str, text: &str, is_open: bool) {
    let cut = text.len().saturating_sub(MOST_LOG);
    let start = (cut..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let open = if is_open { " open" } else { "" };
    put(out, format_args!("<details class=evidence{open}><summary>{word}</summary><pre>"));
    escape::push(out, &text[start..]);
    out.push_str("</pre></details>");
}

/// Writes a request on one line: `500 GET http://shop.test/api/cart 12 ms 812 B application/json`.
fn request(request: &Value) -> String {
    let text = |key: &str| request[key].as_str().unwrap_or_default();
    let number = |key: &str| request[key].as_f64();
    let status = number("status").map_or_else(|| "–".to_owned(), |status| format!("{status:.0}"));
    let mut line = format!("{status} {} {}", text("method"), text("url"));
    if let Some(ms) = number("ms") {
        line.push_str(&format!(" {ms:.0} ms"));
    }
    if let Some(bytes) = number("bytes") {
        line.push_str(&format!(" {bytes:.0} B"));
    }
    for more in [text("mime"), text("error")].into_iter().filter(|more| !more.is_empty()) {
        line.push(' ');
        line.push_str(more);
    }
    line
}

/// Returns the names and ids of what a failed call looked for, or was told is near.
fn meant(action: &ActionResult) -> HashSet<&str> {
    let asked = SELECTORS.iter().filter_map(|key| action.arguments.get(*key)?.as_str());
    let facts = action.error.as_ref().and_then(|error| error.details.as_ref());
    let near = facts.and_then(|facts| facts.get("nearest")?.as_array()).into_iter().flatten().filter_map(Value::as_str);
    asked.chain(near).filter(|name| !name.is_empty()).collect()
}

/// Appends a screen as outlines, and its elements as a list in which each, hovered, lights up its own outline.
fn push_tree(out: &mut String, word: &str, tree: &Value, picture: Option<&str>, meant: &HashSet<&str>) {
    let size = |at: usize| tree["size"][at].as_u64().unwrap_or(0).max(1);
    let (width, height) = (size(0), size(1));
    put(out, format_args!("<div class=inspector><h4>{word}</h4><ul class=tree style=\"--w:{width};--h:{height}\">"));
    if let Some(picture) = picture {
        out.push_str("<img loading=lazy alt=\"\" src=\"");
        let mut address = String::new();
        push_address(&mut address, picture);
        escape::push(out, &address);
        out.push_str("\">");
    }
    let mut left = MOST;
    for element in tree["elements"].as_array().into_iter().flatten() {
        push_element(out, element, (width, height), meant, &mut left);
    }
    out.push_str("</ul></div>");
}

fn push_element(out: &mut String, element: &Value, size: (u64, u64), meant: &HashSet<&str>, left: &mut usize) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    let text = |key: &str| element[key].as_str().unwrap_or_default();
    let is_meant = ["name", "id"].into_iter().any(|key| meant.contains(text(key)));
    out.push_str(if is_meant { "<li class=meant><span>" } else { "<li><span>" });
    escape::push(out, text("role"));
    for (before, key) in [(" ", "name"), (" #", "id")] {
        if !text(key).is_empty() {
            out.push_str(before);
            escape::push(out, text(key));
        }
    }
    if element["disabled"] == true {
        out.push_str(" (disabled)");
    }
    out.push_str("</span>");
    push_outline(out, &element["rect"], size);
    let children = element["children"].as_array().into_iter().flatten();
    let mut inner = String::new();
    children.for_each(|child| push_element(&mut inner, child, size, meant, left));
    if !inner.is_empty() {
        put(out, format_args!("<ul>{inner}</ul>"));
    }
}

/// Appends the outline of an element, in fractions of the screen.
#[expect(clippy::cast_precision_loss, reason = "a screen has fewer pixels than that")]
fn push_outline(out: &mut String, rect: &Value, (width, height): (u64, u64)) {
    let part = |at: usize, whole: u64| (rect[at].as_f64().unwrap_or(0.0) / whole as f64).clamp(0.0, 1.0);
    let (left, top, right, bottom) = (part(0, width), part(1, height), part(2, width), part(3, height));
    let (wide, high) = ((right - left).max(0.0), (bottom - top).max(0.0));
    put(out, format_args!("<u style=\"--l:{left:.3};--t:{top:.3};--x:{wide:.3};--y:{high:.3}\"></u>"));
}
