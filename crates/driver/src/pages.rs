//! What pages can do and screens of phones cannot, in device words: tabs, a mouse, cookies, files of a form, requests.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Map, Value};

use super::{Error, Point, Rect, Screenshot};

/// A tab, or a window: what holds one page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tab {
    pub url: String,
    pub title: String,
    /// Whether it is the one that is acted on.
    pub is_front: bool,
}

/// What the page in front is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub url: String,
    pub title: String,
}

/// What a mouse does beyond what a finger can.
#[derive(Clone, Debug, PartialEq)]
pub enum Mouse {
    /// Moves to a point and stays there.
    Hover(Point),
    /// Presses and releases the button that opens context menus.
    SecondaryClick(Point),
    /// Presses and releases its first button while keys are held, by their [numbers](crate::key::modifier).
    ClickHolding(Point, Vec<u32>),
}

/// A part of a page that a picture is taken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it, also what is not in view.
    Whole,
    /// An element, by its [key](super::element::Actionability::key), and where it lies in the viewport.
    Element(u64, Rect),
}

/// A request of a page that was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    pub url: String,
    pub method: String,
    /// Status of HTTP; 0 where it failed or came from no server.
    pub status: u16,
}

/// A download that a page began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    pub began: Instant,
    pub url: String,
    /// What the file is called, without its folder.
    pub name: String,
    pub became: Downloaded,
}

/// What became of a download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Downloaded {
    /// So many bytes have come, of so many where that is known.
    UnderWay {
        bytes: u64,
        of: Option<u64>,
    },
    Whole {
        path: PathBuf,
        bytes: u64,
    },
    /// Nothing came of it; the text says why.
    Failed(String),
}

/// How busy a page is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Addresses of requests that are not answered yet.
    pub pending: Vec<String>,
    /// For how long nothing was asked or answered.
    pub quiet: Duration,
    /// Whether the page and what it refers to has come.
    pub is_loaded: bool,
}

/// What pages said and asked for, the newest of it; the oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// Lines of the consoles, each with its time and level before it.
    pub console: Vec<String>,
    /// Requests, each as an object: `began`, `method`, `url`, `type`, `status`, `mime`, `bytes`, `ms`, `error`; without what is not known.
    pub network: Vec<Value>,
}

/// A device whose screens are pages.
#[async_trait]
pub trait Pages: Send + Sync {
    /// Returns the address and the title of the page in front.
    async fn place(&self) -> Result<Place, Error>;

    /// Returns the status of HTTP that the page was answered with which was opened last; none where no server answered, or nobody tells.
    fn status(&self) -> Option<u16>;

    /// Leaves the page that asks whether it may be, and waits for what was asked for; returns the status of HTTP that it was answered with.
    async fn leave(&self) -> Result<Option<u16>, Error>;

    /// Returns the tabs, the oldest first.
    async fn tabs(&self) -> Result<Vec<Tab>, Error>;

    /// Opens an empty tab, which is in front then.
    async fn open_tab(&self) -> Result<(), Error>;

    /// Brings a tab to the front, by its position.
    async fn show_tab(&self, index: usize) -> Result<(), Error>;

    /// Closes a tab, by its position; where it was in front, the newest of the others is then.
    async fn close_tab(&self, index: usize) -> Result<(), Error>;

    async fn mouse(&self, act: Mouse) -> Result<(), Error>;

    /// Does the same on an element by its [key](super::element::Actionability::key); where something else met it in the element's place and was kept
    /// from it, returns what.
    async fn mouse_on(&self, key: u64, act: Mouse) -> Result<Option<String>, Error>;

    /// Calls a function, given as its text in JavaScript, with an element by its [key](super::element::Actionability::key), and with arguments;
    /// waits for what it promises, and returns that.
    async fn ask_element(&self, key: u64, function: &str, arguments: &[Value]) -> Result<Value, Error>;

    /// Chooses files in a field for files, by its key; they must be there.
    async fn choose_files(&self, key: u64, files: &[PathBuf]) -> Result<(), Error>;

    /// Forgets the choosers for files that pages have opened so far.
    async fn forget_choosers(&self) -> Result<(), Error>;

    /// Chooses files in the chooser that a page opens within this time, or has just opened.
    async fn fill_chooser(&self, files: &[PathBuf], timeout: Duration) -> Result<(), Error>;

    /// Returns the cookies that the page in front would send.
    async fn cookies(&self) -> Result<Vec<Value>, Error>;

    /// Sets a cookie as WebDriver writes it, of the page in front where it names no `domain`.
    async fn set_cookie(&self, cookie: Map<String, Value>) -> Result<(), Error>;

    /// Removes the cookies that the page in front would send, or only those of one name; returns how many that were.
    async fn remove_cookies(&self, name: Option<&str>) -> Result<usize, Error>;

    async fn picture_of(&self, part: Part) -> Result<Screenshot, Error>;

    /// Returns the page in front as it would be printed, as a PDF.
    async fn pdf(&self) -> Result<Vec<u8>, Error>;

    /// Takes out the oldest request whose address holds a text and that was answered; only of those that began since a moment, where one
    /// is given.
    async fn take_answered(&self, text: &str, since: Option<Instant>) -> Result<Option<Answered>, Error>;

    /// Returns the downloads that pages began in the profile that is in use, the oldest first.
    async fn downloads(&self) -> Result<Vec<Download>, Error>;

    async fn traffic(&self) -> Result<Traffic, Error>;

    /// Returns what went wrong in pages for some time, and in the page in front since it was opened: errors on consoles and requests
    /// that failed, a line each, the oldest first. Begins nothing and waits for no page.
    async fn faults(&self, within: Duration) -> Result<Vec<String>, Error>;

    /// Returns what went wrong in pages for some time only.
    async fn new_faults(&self, within: Duration) -> Result<Vec<String>, Error>;

    /// Returns what pages said and asked for in the profile that is in use. Begins nothing and waits for no page; empty where it is not told.
    async fn transcript(&self) -> Result<Transcript, Error> {
        Ok(Transcript::default())
    }

    /// Fails where the page has changed what was typed last, and nothing was done since; asked once. With `waits`, what was typed just now
    /// is watched a moment.
    async fn still_typed(&self, waits: bool) -> Result<(), Error>;

    /// Returns the downloads that came to nothing, each once.
    async fn take_failed_downloads(&self) -> Vec<Download>;

    /// Returns what went wrong in pages since a moment, once what was done last has led to what it leads to: a page that is on its way is
    /// waited for, and where `waits` also what is drawn or fetched next, each a moment at most. Fails as what is done next would: where a
    /// dialog is open, or the page has crashed. Begins nothing; a page that was closed is fine.
    async fn after_last_act(&self, since: Instant, waits: bool) -> Result<Vec<String>, Error>;
}

/// A dialog that a page has opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageDialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    pub message: String,
    /// What a prompt holds where nobody writes into it.
    pub initial: String,
}
