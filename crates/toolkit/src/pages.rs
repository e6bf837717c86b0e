//! Pages in browsers: what all groups of tools ask of them in the [words for pages](uixt_driver::Pages), which phones refuse.

pub mod address;
mod address_check;
pub mod addresses;
pub mod dialogs;
pub mod leaving;
pub(crate) mod page_faults;
pub mod place;
pub mod waiting;

use uixt_driver::pages::Part;
use uixt_driver::{Element, Pages, Screenshot};
use uixt_locate::finder::Purpose;
use uixt_locate::target::Target;
use uixt_locate::{Error, Kind};

use crate::{Context, wait};

/// Returns the words for pages; `operation` is what they are wanted for, as it follows "cannot".
pub fn pages<'a>(cx: &'a Context, operation: &str) -> Result<&'a dyn Pages, Error> {
    Ok(cx.driver()?.pages(operation)?)
}

/// Returns what the page knows an element by.
pub fn key(element: &Element) -> Result<u64, Error> {
    element.key().ok_or_else(|| {
        let what = uixt_locate::wording::describe(element);
        Error::new(Kind::Device, format!("{what} is known to no page"))
    })
}

/// Takes a picture of an element, once it is there.
pub async fn picture_of(cx: &Context, target: &Target) -> Result<Screenshot, Error> {
    let pages = pages(cx, "take a picture of one element")?;
    let ready = wait::ready(cx, target, Purpose::Read, wait::timeout(cx, None)).await?;
    Ok(pages.picture_of(Part::Element(key(&ready.element)?, ready.element.rect)).await?)
}

/// Takes a picture of all of the page.
pub async fn picture_of_all(cx: &Context) -> Result<Screenshot, Error> {
    Ok(pages(cx, "take a picture of more than its screen")?.picture_of(Part::Whole).await?)
}
