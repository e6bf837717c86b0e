//! A target that is not seen → whether it is there all the same, and why nobody sees it, where the platform tells.

use std::time::Duration;

use uixt_driver::{Element, Look, Screen};
use uixt_locate::target::{Place, Target};
use uixt_locate::wording::{describe, shown_text};
use uixt_locate::{Error, Kind, finder};

use crate::Context;

/// How long a look for it may take.
const TIMEOUT: Duration = Duration::from_secs(2);

/// How it is told that an element has no place on the page (look.js).
const OF_NO_SIZE: &str = "of no size";

/// Marks, in an error's details, why nobody sees what is there.
const UNSEEN: &str = "unseen";

/// Builds the error of a target that is there and that nobody sees; none where it is not there, or where that cannot be told.
pub(super) async fn error(cx: &Context, target: &Target, span: &str) -> Option<Error> {
    let screen = present(cx, target).await?;
    let refs = cx.refs();
    let found = finder::find_all(&merely_present(target), &screen, refs.as_ref()).ok()?;
    let (element, why) = found.iter().find_map(|element| Some((element, why(target, element)?)))?;
    let message = format!("{target}: is there, but {why} ({}); not seen {span}", describe(element));
    Some(Error::new(Kind::NotFound, message).with(UNSEEN, why).with("app", screen.package.as_str()))
}

/// Says how many more there are that nobody sees, and why the first of them is not; empty where there are none.
pub async fn others(cx: &Context, target: &Target) -> String {
    let Some(screen) = present(cx, target).await else { return String::new() };
    let refs = cx.refs();
    let found = finder::find_all(&merely_present(target), &screen, refs.as_ref()).unwrap_or_default();
    let whys: Vec<&str> = found.iter().filter_map(|element| why(target, element)).collect();
    match whys.first() {
        Some(first) => format!("; {} more there, but not seen: {first}", whys.len()),
        None => String::new(),
    }
}

/// Describes what a target means that comes and goes, or is there again.
pub(super) async fn flickers(cx: &Context, target: &Target) -> Option<String> {
    let screen = present(cx, target).await?;
    let refs = cx.refs();
    let found = finder::find_all(&merely_present(target), &screen, refs.as_ref()).ok()?;
    let is_there =
        |element: &&Element| element.told.as_ref().is_some_and(|told| told.flickers || told.hidden.is_empty());
    let found = found.into_iter().find(is_there)?;
    Some(format!("{}, which comes and goes", describe(found)))
}

/// Tells whether a target is one element that is of no size and holds no text.
pub async fn is_empty(cx: &Context, target: &Target) -> bool {
    let Some(screen) = present(cx, target).await else { return false };
    let refs = cx.refs();
    let found = finder::find_all(&merely_present(target), &screen, refs.as_ref()).unwrap_or_default();
    match found[..] {
        [element] => {
            let of_no_size = element.told.as_ref().is_some_and(|told| told.hidden == OF_NO_SIZE);
            let mut has_text = false;
            element.walk(&mut |inner| has_text |= !shown_text(inner).is_empty());
            of_no_size && !has_text
        }
        _ => false,
    }
}

/// Returns why nobody sees an element, or not all of it, or not what a target calls it by.
fn why<'a>(target: &Target, element: &'a Element) -> Option<&'a str> {
    let hidden = element.told.as_ref().map(|told| told.hidden.as_str()).filter(|why| !why.is_empty());
    hidden.or_else(|| finder::why_unread(target, element))
}

/// Looks at what is merely present; none where all of that was looked at already.
async fn present(cx: &Context, target: &Target) -> Option<Screen> {
    let has_pages = cx.driver().ok()?.pages("tell what is present").is_ok();
    if !has_pages || target.present {
        return None;
    }
    cx.look_with(Look { timeout: Some(TIMEOUT), present: true, ..Look::default() }).await.ok()
}

/// Returns the same target, wherever it stands, be it seen or not.
fn merely_present(target: &Target) -> Target {
    let within = |place: &Option<Box<Place>>| place.as_ref().map(|place| Box::new(Place(merely_present(&place.0))));
    Target { present: true, within: within(&target.within), near: within(&target.near), ..target.clone() }
}
