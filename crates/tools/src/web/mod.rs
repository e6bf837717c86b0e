//! Tools for pages: what they ask of a device are the [words for pages](crate::driver::Pages), which phones refuse.

pub(super) mod attribute;
pub(super) mod cookies;
pub(super) mod dialogs;
pub(super) mod form;
pub(super) mod login;
pub(super) mod mouse;
pub(super) mod navigation;
pub(super) mod pattern;
pub(super) mod place;
pub(super) mod script;
pub(super) mod tabs;
pub(super) mod waiting;

use super::finder::Purpose;
use super::target::Target;
use super::{Context, Error, Kind, wait};
use crate::driver::pages::Part;
use crate::driver::{Element, Pages, Screenshot};

/// Returns the words for pages; `operation` is what they are wanted for, as it follows "cannot".
fn pages<'a>(cx: &'a Context, operation: &str) -> Result<&'a dyn Pages, Error> {
    Ok(cx.driver()?.pages(operation)?)
}

/// Returns what the page knows an element by.
pub(super) fn key(element: &Element) -> Result<u64, Error> {
    element.key().ok_or_else(|| {
        let what = super::wording::describe(element);
        Error::new(Kind::Device, format!("{what} is known to no page"))
    })
}

/// Takes a picture of an element, once it is there.
pub(super) async fn picture_of(cx: &Context, target: &Target) -> Result<Screenshot, Error> {
    let pages = pages(cx, "take a picture of one element")?;
    let ready = wait::ready(cx, target, Purpose::Read, wait::timeout(cx, None)).await?;
    Ok(pages.picture_of(Part::Element(key(&ready.element)?, ready.element.rect)).await?)
}

/// Takes a picture of all of the page.
pub(super) async fn picture_of_all(cx: &Context) -> Result<Screenshot, Error> {
    Ok(pages(cx, "take a picture of more than its screen")?.picture_of(Part::Whole).await?)
}
