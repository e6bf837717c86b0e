//! A target that is not on a screen → the error that says what is there instead: what comes nearest to it, which page, which dialog.

use serde_json::json;

use super::finder;
use super::refs::is_ref;
use super::target::Target;
use super::visibility::Hidden;
use super::wording::{clip, describe};
use super::{Error, Kind, description, dialog, screen_power};
use crate::driver::{Screen, Size};

/// Pixels beyond which nothing lies.
const FAR: u32 = 1_000_000;
/// How many elements are named at most.
const NAMED: usize = 3;
/// How many candidates are told at most.
const MOST_CONSIDERED: usize = 6;

/// Names, in an error's details, the candidates that come near to the target, each with why it is not it.
pub const CONSIDERED: &str = "considered";

/// Builds the error of a target that was not there in this time.
pub fn error(target: &Target, span: &str, screen: &Screen) -> Error {
    if screen_power::is_blank(screen) {
        return screen_power::blank(&format!("{target}: not there {span}"), screen);
    }
    if let Some(description) = &target.description {
        return unlike(target, description, span, screen);
    }
    if let Some(hidden) = hidden(target, span, screen) {
        return hidden;
    }
    let near = finder::nearest_names(target, screen);
    let dialog = dialog::find(screen);
    let mut message = format!("{target}: not there {span}; {}", instead(target, &near, screen, dialog.is_some()));
    if near.is_empty() && scrolls(screen) {
        message.push_str(", which scrolls: swipe to what lies further on");
    }
    message.push_str(&others(target, screen));
    if has_closed(screen) {
        message.push_str("; the page holds a frame of another site that this driver could not look into");
    }
    // Selectors are of all of the page.
    if screen.cut && target.selector.is_none() {
        message.push_str(
            "; the page holds more than was told of it, so that it may be there all the same: name it by `selector`",
        );
    }
    if target.text.as_deref().is_some_and(is_ref) {
        message.push_str("; if a ref is meant: no snapshot of this session gave it, take one");
    }
    if let Some(dialog) = dialog {
        message.push_str(&format!("; {dialog} is in front"));
    }
    let considered = considered(target, &near, screen);
    let error = Error::new(Kind::NotFound, message).with("nearest", json!(near)).with("app", screen.package.as_str());
    if considered.is_empty() { error } else { error.with(CONSIDERED, json!(considered)) }
}

/// Tells what comes near to the target, and why each is not it.
fn considered(target: &Target, near: &[String], screen: &Screen) -> Vec<String> {
    let hidden = finder::hidden(target, screen, None);
    let hidden = hidden.iter().map(|(element, why)| format!("{}: {why}", describe(element)));
    let alike = finder::alike(target, screen).map(|alike| format!("{alike}: another role, id or place"));
    let what = if target.text.is_some() { "another text" } else { "another id" };
    let others = near.iter().map(|name| format!("\"{name}\": {what}"));
    hidden.chain(alike).chain(others).take(MOST_CONSIDERED).collect()
}

/// Builds the error of a target that is there and that nobody sees; what lies further on is none.
fn hidden(target: &Target, span: &str, screen: &Screen) -> Option<Error> {
    let unseen = finder::hidden(target, screen, None);
    let (element, why) = unseen.into_iter().find(|(_, why)| *why != Hidden::Off)?;
    let message = format!("{target}: is there, but {why} ({}); not seen {span}", describe(element));
    Some(Error::new(Kind::NotFound, message).with("hidden", why.to_string()).with("app", screen.package.as_str()))
}

/// Says what comes nearest to the target, or on which page nothing does.
fn instead(target: &Target, near: &[String], screen: &Screen, has_dialog: bool) -> String {
    match near.first() {
        _ if let Some(what) = beyond(target, screen) => what,
        _ if let Some(what) = finder::literally(target, screen, None) => what,
        _ if let Some(alike) = finder::alike(target, screen) => format!("there is {alike}"),
        Some(first) if target.text.is_none() => format!("nearest id: {first}"),
        Some(first) => format!("nearest text: \"{first}\""),
        None => {
            let heading = finder::names_of("heading", screen).into_iter().next().filter(|_| !has_dialog);
            format!("nothing like it {}", whereabouts(screen, heading.as_deref()))
        }
    }
}

/// Says what was looked at: the screen of an app, or a page by its title and address.
pub fn whereabouts(screen: &Screen, heading: Option<&str>) -> String {
    let title = Some(screen.notes.title.as_str()).filter(|title| !title.is_empty()).or(heading);
    let title = title.map(|title| format!(" \"{}\"", clip(title))).unwrap_or_default();
    match screen.page.is_empty() {
        true => format!("on the screen{title} of {}", screen.package),
        false => format!("on the page{title} ({})", clip(&screen.page)),
    }
}

/// Says where the target is that is told of and lies beside the screen.
fn beyond(target: &Target, screen: &Screen) -> Option<String> {
    let endless = Screen { size: Size { width: FAR, height: FAR }, ..screen.clone() };
    let element = *finder::find_all(target, &endless, None).ok()?.first()?;
    let (rect, all) = (element.rect, screen.bounds());
    let side = match () {
        () if rect.top >= all.bottom => "below",
        () if rect.left >= all.right => "to the right of",
        () => return None,
    };
    Some(format!("{} lies {side} the screen: `scroll_to` brings it there", describe(element)))
}

fn has_closed(screen: &Screen) -> bool {
    let mut found = false;
    screen.roots.iter().for_each(|root| root.walk(&mut |element| found |= element.is_closed()));
    found
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
        [] => format!("nothing like it {}", whereabouts(screen, None)),
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

#[cfg(test)]
mod tests {
    use super::super::test_screens;
    use super::*;

    fn said(target: &Target, screen: &Screen) -> String {
        error(target, "within 1 s", screen).message
    }

    #[test]
    fn what_lies_beside_the_screen_is_said_to() {
        let page = test_screens::screen(vec![
            test_screens::element("text", "Top", 0),
            test_screens::element("button", "Below", 5000),
        ]);
        assert_eq!(
            said(&Target::text("Below"), &page),
            "\"Below\": not there within 1 s; button \"Below\" lies below the screen: `scroll_to` brings it there"
        );
    }

    #[test]
    fn what_is_there_instead_is_named() {
        let page = test_screens::screen(vec![
            test_screens::element("heading", "购物车", 0),
            test_screens::element("button", "Pay", 100),
            test_screens::element("button", "Remove", 200),
        ]);
        let nowhere = "\"Thank you\": not there within 1 s; nothing like it on the screen \"购物车\" of com.uixt.shop";
        assert_eq!(said(&Target::text("Thank you"), &page), nowhere);
        let reference = said(&Target::text("e2"), &page);
        assert!(
            reference.ends_with("; if a ref is meant: no snapshot of this session gave it, take one"),
            "{reference}"
        );
        let button = Target { role: Some("button".to_owned()), ..Target::text("Thank you") };
        assert_eq!(said(&button, &page), format!("role button, {nowhere}; button: \"Pay\", \"Remove\""));
        let slider = Target { role: Some("slider".to_owned()), ..Target::text("Pay") };
        assert!(
            said(&slider, &page).ends_with("there is button \"Pay\"; no slider is there"),
            "{}",
            said(&slider, &page)
        );
    }
}
