//! How a page is acted on, whichever protocol it is: scripts, pointers, keys, navigation, pictures.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde_json::Value;

use super::keyboard::Stroke;
use super::settings::Viewport;
use super::web::Web;
use crate::driver::pages::Transcript;
use crate::driver::{Error, PageDialog, Point, Reel, Told};

/// Something that a pointer does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Act {
    Move(Point),
    /// The main button, for the first or a later time in a row: a second press makes a double click.
    Press(u32),
    Release,
    Rest(Duration),
    /// The main button is down at a point, where earlier acts have left it; nothing is done.
    Held(Point),
}

/// Whose variables a script sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum World {
    /// The page's own: what it changed of the language's objects is changed here as well.
    Page,
    /// One of our own, where there is one, that nothing of the page's reaches.
    Own,
}

/// The kind of the dialog that asks whether a page may be left.
pub(super) const LEAVING: &str = "beforeunload";

/// A line of a page's console, or of what the browser says of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// `error`, `warning`, `info`, `log`, `debug`, …
    pub(super) level: String,
    pub(super) text: String,
    pub(super) at: SystemTime,
}

/// What a browser tells screen readers of an element.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AccessibilityNode {
    /// The role as WAI-ARIA calls it; empty where it is none.
    pub(super) role: String,
    pub(super) name: String,
    /// `true`, `false` or `mixed`; none where it cannot be checked, or nothing is told of it.
    pub(super) checked: Option<String>,
    pub(super) is_disabled: bool,
    pub(super) is_selected: bool,
}

/// A way to the page in front.
#[async_trait]
pub(super) trait Backend: Web {
    /// Calls a function, given as its text, with arguments, waits for what it returns or promises, and returns that as JSON.
    async fn call(&self, world: World, function: &str, arguments: &[Value], timeout: Duration) -> Result<Value, Error>;

    /// Does the same in our own world of a frame: the frames are named by the keys of the elements that hold them, from the outermost
    /// on. An error where one is not there any more.
    async fn call_within(
        &self,
        frames: &[u64],
        function: &str,
        arguments: &[Value],
        timeout: Duration,
    ) -> Result<Value, Error>;

    /// Finds the closed shadow roots of what a look could not see into, of the page or of a frame in it, and has later looks see them;
    /// returns how many there are.
    async fn find_closed_roots(&self, frames: &[u64]) -> Result<usize, Error>;

    /// Asks the browser for what it tells screen readers of elements, by their keys, in the page or in a frame in it.
    async fn accessibility(&self, frames: &[u64], keys: &[u64]) -> Result<Vec<AccessibilityNode>, Error>;

    /// Loads a page; returns the status of HTTP that its server answered with, where there is one and it is told.
    async fn open(&self, url: &str) -> Result<Option<u16>, Error>;

    /// Goes back (-1) or forward (1) in the page's history.
    async fn go(&self, delta: i32) -> Result<(), Error>;

    async fn reload(&self) -> Result<(), Error>;

    /// Waits, a moment at most, until a page is there that was on its way.
    async fn settle(&self) {}

    /// Waits, a moment at most, until what the page fetches has come and is shown; tells whether there was anything.
    async fn fetched(&self) -> bool {
        false
    }

    /// Returns the address of something that the page waits for and that it asked for since it was opened or acted on last; none
    /// where there is none, or where that is not known.
    fn awaited(&self) -> Option<String> {
        None
    }

    /// Says what this way cannot tell of what is under way; empty where it can.
    fn untold(&self) -> &'static str {
        ""
    }

    /// Tells whether a page is open, or nobody can tell.
    async fn has_page(&self) -> bool;

    /// Fails where the page can be asked for nothing: a dialog is open, or it has crashed.
    async fn held(&self) -> Result<(), Error>;

    /// Returns how often another page, or another part of it, has come, as far as that is told.
    fn arrivals(&self) -> u64 {
        0
    }

    /// Returns the status of HTTP that the page in front was answered with, where that is told.
    fn status(&self) -> Option<u16> {
        None
    }

    /// Tells whether another page is on its way, as far as that is told.
    fn is_leaving(&self) -> bool {
        false
    }

    async fn point(&self, acts: &[Act]) -> Result<(), Error>;

    /// Scrolls what is at a point, in CSS pixels: what was below comes up where `y` is positive.
    async fn scroll(&self, at: Point, x: f64, y: f64) -> Result<(), Error>;

    /// Puts text where the cursor is, after it has noted what stands there unless the text goes on from an earlier one.
    async fn insert(&self, text: &str, is_first: bool) -> Result<(), Error>;

    /// Puts one sign where the cursor is, by its key where it has one and keys are not the usual way.
    async fn type_sign(&self, sign: &str, is_first: bool) -> Result<(), Error> {
        self.insert(sign, is_first).await
    }

    /// Presses and releases keys.
    async fn strokes(&self, strokes: &[Stroke]) -> Result<(), Error>;

    /// Takes a picture of what is seen, as a PNG.
    async fn picture(&self) -> Result<Vec<u8>, Error>;

    /// Films the page in front until the film is to end, and returns true; false where the pages are gone before.
    async fn film(&self, _reel: &dyn Reel) -> Result<bool, Error> {
        Err(Error::Unsupported { driver: super::PLATFORM, operation: "film pages by WebDriver".to_owned() })
    }

    /// Keeps what a person does in the window from the pages, and tells it instead, until the last page is closed.
    async fn follow_person(&self, _told: Told<'_>) -> Result<(), Error> {
        let operation =
            "tell what a person does in its window by WebDriver: use Chromium or Chrome, which need none".to_owned();
        Err(Error::Unsupported { driver: super::PLATFORM, operation })
    }

    /// Returns the dialog that is open.
    async fn dialog(&self) -> Result<Option<PageDialog>, Error>;

    /// Answers the dialog that is open; `text` is what is entered into a prompt.
    async fn answer(&self, accept: bool, text: Option<&str>) -> Result<(), Error>;

    /// Returns the profile's cookies and local storage.
    async fn state(&self) -> Result<Value, Error> {
        Err(Error::Unsupported { driver: super::PLATFORM, operation: "tell a profile's state by WebDriver".to_owned() })
    }

    /// Returns what the pages' consoles say, the oldest line first.
    fn lines(&self) -> Result<Vec<Line>, Error> {
        Err(Error::Unsupported { driver: super::PLATFORM, operation: "tell a page's console by WebDriver".to_owned() })
    }

    /// Returns what the pages said and asked for.
    fn transcript(&self) -> Transcript {
        Transcript::default()
    }

    fn forget_lines(&self) -> Result<(), Error> {
        self.lines().map(drop)
    }

    /// Makes the part of a page that is seen as large as a viewport.
    async fn resize(&self, view: &Viewport) -> Result<(), Error>;

    /// Sets a permission, by its name in the Permissions API: `granted`, `denied` or `prompt`.
    async fn permit(&self, name: &str, state: &str) -> Result<(), Error>;

    /// Whether a finger moves the page, rather than a mouse.
    fn touches(&self) -> bool;

    /// Ends the session, not the browser.
    async fn close(&self);
}
