//! A target that is not on a screen → the error that says what is there instead: what comes nearest to it, which page, which dialog.

use serde_json::json;

use super::finder::{self, describe};
use super::target::Target;
use super::{Error, Kind, description, dialog, lit};
use crate::driver::Screen;

/// How many elements are named at most.
const NAMED: usize = 3;

/// Builds the error of a target that was not there in this time.
pub(super) fn error(target: &Target, span: &str, screen: &Screen) -> Error {
    if lit::is_blank(screen) {
        return lit::blank(&format!("{target}: not there {span}"), screen);
    }
    if let Some(description) = &target.description {
        return unlike(target, description, span, screen);
    }
    let near = finder::nearest_names(target, screen);
    let dialog = dialog::find(screen);
    let mut message = format!("{target}: not there {span}; {}", instead(target, &near, screen, dialog.is_some()));
    if near.is_empty() && scrolls(screen) {
        message.push_str(", which scrolls: swipe to what lies further on");
    }
    message.push_str(&others(target, screen));
    if let Some(dialog) = dialog {
        message.push_str(&format!("; {dialog} is in front"));
    }
    Error::new(Kind::NotFound, message).with("nearest", json!(near)).with("app", screen.package.as_str())
}

/// Says what comes nearest to the target, or on which page nothing does.
fn instead(target: &Target, near: &[String], screen: &Screen, has_dialog: bool) -> String {
    match near.first() {
        _ if let Some(what) = finder::literally(target, screen, None) => what,
        _ if let Some(alike) = finder::alike(target, screen) => format!("there is {alike}"),
        Some(first) if target.text.is_none() => format!("nearest id: {first}"),
        Some(first) => format!("nearest text: \"{first}\""),
        None => match finder::names_of("heading", screen).first() {
            Some(heading) if !has_dialog => {
                format!("nothing like it on the screen \"{heading}\" of {}", screen.package)
            }
            _ => format!("nothing like it on the screen of {}", screen.package),
        },
    }
}

/// Names what has the role of the target, and another text.
fn others(target: &Target, screen: &Screen) -> String {
    let Some(role) = target.role.as_deref().filter(|_| target.text.is_some()) else { return String::new() };
    let mut names = finder::names_of(role, screen);
    let more = if names.len() > NAMED { ", …" } else { "" };
    names.truncate(NAMED);
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    if names.is_empty() { format!("; no {role} is there") } else { format!("; {role}: {}{more}", names.join(", ")) }
}

/// Builds the error of a description that nothing fits well enough, with what comes nearest to it.
fn unlike(target: &Target, description: &str, span: &str, screen: &Screen) -> Error {
    let near = description::near_misses(description, screen);
    let listed: Vec<String> =
        near.iter().map(|(element, score)| format!("{} ({score:.2})", describe(element))).collect();
    let said = match &listed[..] {
        [] => format!("nothing like it on the screen of {}", screen.package),
        _ => format!("nearest, but too unlike: {}", listed.join(", ")),
    };
    let further = if scrolls(screen) { "; the screen scrolls" } else { "" };
    let message = format!("{target}: nothing fits {span}; {said}{further}");
    Error::new(Kind::NotFound, message).with("nearest", json!(listed)).with("app", screen.package.as_str())
}

fn scrolls(screen: &Screen) -> bool {
    let mut found = false;
    for root in &screen.roots {
        root.walk(&mut |element| found |= element.scrollable);
    }
    found
}
