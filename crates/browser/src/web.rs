//! What a page in front can do beyond [`Backend`](super::backend::Backend), whichever protocol it is: tabs, a mouse, cookies, files, pictures
//! of parts.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Map, Value};

use super::cdp_errors::not_taken;
use crate::driver::Error;
use crate::driver::pages::{Answered, Download, Mouse, Part, Tab, Traffic};

/// Finds the field for files that an element is, holds or labels.
pub(super) const FILE_FIELD: &str = "(element) => { const is = (one) => one && one.localName === \"input\" && one.type === \"file\"; \
                                     const near = [element, element.control, element.closest?.(\"label\")?.control, \
                                     element.querySelector?.(\"input[type=file]\")]; return near.find(is) ?? null; }";

/// Where everything begins in a page that is scrolled, and how large all of it is.
pub(super) const EXTENT: &str = "() => [scrollX, scrollY, Math.max(document.documentElement.scrollWidth, innerWidth), \
                                 Math.max(document.documentElement.scrollHeight, document.body?.scrollHeight ?? 0)]";

/// Largest side of a picture, in pixels: what browsers draw at most.
pub(super) const LARGEST_SIDE: f64 = 16_384.0;

/// A function that returns an element, and its arguments.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    pub(super) function: &'a str,
    pub(super) arguments: &'a [Value],
}

/// The way to the pages of a profile.
#[async_trait]
pub(super) trait Web: Send + Sync {
    async fn tabs(&self) -> Result<Vec<Tab>, Error>;

    async fn open_tab(&self) -> Result<(), Error>;

    async fn show_tab(&self, index: usize) -> Result<(), Error>;

    async fn close_tab_at(&self, index: usize) -> Result<(), Error>;

    async fn mouse(&self, act: Mouse) -> Result<(), Error>;

    /// Chooses files in the element that a function returns, in a frame.
    async fn choose_files(&self, frames: &[u64], found: Found<'_>, files: &[PathBuf]) -> Result<(), Error>;

    /// Forgets the choosers for files that pages have opened.
    async fn forget_choosers(&self) -> Result<(), Error>;

    /// Chooses files in the chooser that a page opens, or has just opened.
    async fn fill_chooser(&self, files: &[PathBuf], timeout: Duration) -> Result<(), Error>;

    async fn cookies(&self) -> Result<Vec<Value>, Error>;

    async fn set_cookie(&self, cookie: Map<String, Value>) -> Result<(), Error>;

    async fn remove_cookie(&self, cookie: &Value) -> Result<(), Error>;

    /// Takes a picture, as a PNG; a function returns the element of a part, in a frame.
    async fn picture_of(&self, part: Part, frames: &[u64], found: Found<'_>) -> Result<Vec<u8>, Error>;

    /// Prints the page in front, as a PDF.
    async fn pdf(&self) -> Result<Vec<u8>, Error>;

    async fn take_answered(&self, text: &str, since: Option<Instant>) -> Result<Option<Answered>, Error>;

    /// Returns the downloads that pages began, the oldest first.
    fn downloads(&self) -> Result<Vec<Download>, Error>;

    async fn traffic(&self) -> Result<Traffic, Error>;

    /// Returns what went wrong in pages for some time, and in the page in front since it was opened.
    async fn faults(&self, within: Duration) -> Result<Vec<String>, Error>;

    /// Returns the downloads that came to nothing, each once, as far as that is told.
    fn take_failed_downloads(&self) -> Vec<Download> {
        Vec::new()
    }

    /// Returns what went wrong in pages for some time only.
    async fn new_faults(&self, within: Duration) -> Result<Vec<String>, Error>;
}

/// Says that there is no tab of a number.
pub(super) fn no_tab(index: usize, count: usize) -> Error {
    let noun = if count == 1 { "tab is" } else { "tabs are" };
    Error::NotFound { what: format!("tab {index} ({count} {noun} open, counted from 0)") }
}

/// Says that nothing for files is there.
pub(super) fn no_file_field() -> Error {
    not_taken(
        "the element is not a file input, and neither labels nor holds one: name the `input` of type file, such as \
         `into: {selector: input[type=file]}`",
    )
}

/// Says that no chooser was opened.
pub(super) fn no_chooser(timeout: Duration) -> Error {
    let message = format!(
        "it is not a file input, and touching it opened no file chooser within {} s: name the `input` of type file, such as \
         `into: {{selector: input[type=file]}}`",
        timeout.as_secs()
    );
    not_taken(message)
}

/// Says that a page is too large for a picture.
pub(super) fn too_large(width: f64, height: f64) -> Error {
    let message = format!(
        "{width:.0}×{height:.0} pixels are more than a picture holds, {LARGEST_SIDE:.0} a side; take it of an element with `of`"
    );
    Error::Device { message }
}
