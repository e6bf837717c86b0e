//! What every device can do, in device words: points, keys, apps, elements. Knows nothing above it: no tools, no YAML, no MCP.

pub mod arrival;
pub mod beside;
pub mod element;
pub mod exit_mark;
pub mod film;
pub mod geometry;
pub mod json;
pub mod key;
pub mod keycodes;
pub mod log;
pub mod package;
pub mod pages;
pub mod person;
pub mod quote;
pub mod registry;
pub mod state;
pub mod tidy;

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

pub use arrival::Arrival;
pub use element::{Actionability, Element, Reach};
pub use film::{Manner, Reel};
pub use geometry::{PNG_SIGNATURE, Point, Rect, Size};
pub use log::{LogLevel, LogQuery};
pub use package::{AppInfo, Install, Permission, Reset};
pub use pages::{PageDialog, Pages};
pub use person::{Deed, Told, Way};
pub use quote::quote;
pub use registry::{Platform, Registry};
pub use state::{AppStart, Appearance, Details, Display, InputMethods, KeyPress, Location, Lock, Orientation, Turned};

/// Which device this is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceInfo {
    /// `android`, `ios`, `harmony` or `browser`.
    pub platform: &'static str,
    pub serial: String,
    /// What a person calls it: a model, "virtual phone".
    pub name: String,
    /// `online`, `offline`, `unauthorized`, …, in the platform's words.
    pub status: String,
}

/// A movement of one finger, in pixels of the screen as it is turned now.
#[derive(Clone, Debug, PartialEq)]
pub enum Gesture {
    /// Put down, held, lifted. `hold` of zero is an ordinary tap.
    Tap { at: Point, hold: Duration },
    /// Two taps, so soon after one another that the platform takes them for a double tap.
    DoubleTap { at: Point },
    /// Drawn from one point to another within `duration`, without resting first.
    Swipe { from: Point, to: Point, duration: Duration },
    /// Kept down as long as a long press needs, and then drawn from one point to another within `duration`.
    Drag { from: Point, to: Point, duration: Duration },
    /// Two fingers beside a point, drawn within `duration` from one distance to it to another, in pixels.
    Pinch { at: Point, from: f64, to: f64, duration: Duration },
    /// Put down at the first stop, drawn to each of the others in turn, lifted at the last.
    Path(Vec<Stop>),
}

/// A point that a finger comes by, and how long it rests there before it goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    pub at: Point,
    pub rest: Duration,
}

/// A piece of text as a person types it: at once, and then a pause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keystrokes {
    pub text: String,
    pub pause: Duration,
}

/// A hardware or software key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Home,
    Back,
    Enter,
    /// Takes away what stands before the cursor.
    Delete,
    /// Takes away what stands behind the cursor.
    ForwardDelete,
    Tab,
    Escape,
    Menu,
    AppSwitch,
    Power,
    VolumeUp,
    VolumeDown,
    Search,
    Up,
    Down,
    Left,
    Right,
}

/// The app in front.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Foreground {
    pub package: String,
    /// The activity, page or URL within it, where the platform tells.
    pub activity: String,
    /// What a person calls the app, where the platform tells; else empty.
    pub name: String,
}

/// A picture of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screenshot {
    pub png: Vec<u8>,
    pub size: Size,
}

/// The pixels of the screen, row by row from the top left: red, green, blue and alpha of 8 bits each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    pub size: Size,
    pub rgba: Vec<u8>,
}

/// What somebody who looks at the screen wants to know of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look<'a> {
    /// For how long a screen that cannot be read is tried again; none as long as the driver finds fit.
    pub timeout: Option<Duration>,
    /// Selectors that the platform's own engine evaluates, where it has one.
    pub selectors: &'a [String],
    /// Whether something is to be touched, so that it matters what moves and what lies over what.
    pub steady: bool,
    /// Whether something is to be acted on otherwise than by a touch, so that it matters only what lies over what.
    pub reach: bool,
    /// Whether what is merely present is told, too, with the reason why nobody sees it, where the platform knows of such.
    pub present: bool,
    /// Whether what the last input set going is to be seen, and is waited for where the platform knows how long that takes.
    pub settled: bool,
}

/// A text that was typed into a field.
#[derive(Clone, Copy, Debug)]
pub struct Typing<'a> {
    pub text: &'a str,
    /// Whether all that stood in the field was selected.
    pub replaces: bool,
    /// Whether it came in pieces, between which a page may give another field the focus.
    pub in_turn: bool,
}

/// What came of a text that was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// Something of it did, as far as the platform can tell.
    Arrived,
    /// The field had room for so many of its characters.
    Cut(usize),
    /// Nothing: the field holds what it held.
    Refused(String),
    /// Nothing: the field of this name got it.
    Astray(String),
    /// It did, beside what it was to replace: the field holds both.
    Beside(String),
    /// Its beginning: the page has cut the rest, and the field holds this.
    Kept(String),
}

/// What came of setting a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldSet {
    Done,
    /// Nothing yet: it is a field to type into.
    Typed,
    /// The field does not take such a text.
    Malformed,
    /// The field takes what lies within these limits.
    Outside(String),
    /// The field is disabled, or only to be read.
    Locked,
}

/// What came of emptying a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emptied {
    /// It held so many characters and holds none.
    Of(usize),
    /// It was emptied and holds so many characters all the same.
    Kept(usize),
    /// The field is disabled, or only to be read.
    Locked,
    /// Nothing yet: it is done by touches and keys.
    Touched,
}

/// What the platform's own engine found for a selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    pub selector: String,
    /// The keys of the elements; the error is the engine's own.
    pub found: Result<Vec<u64>, String>,
    /// Whether these are all of them, also where not all of the screen could be told.
    pub whole: bool,
}

/// What stands on the screen at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Screen {
    /// The app in front.
    pub package: String,
    /// Address of the page that it shows; empty where it shows none.
    pub page: String,
    /// Size of the screen as it is turned now, in pixels.
    pub size: Size,
    /// Whether the screen is lit; on one that is off stands nothing.
    pub lit: bool,
    /// The windows' top elements, from back to front.
    pub roots: Vec<Element>,
    /// Where the keyboard on the screen lies over the windows; none where none is open, or nothing is told of it.
    pub keyboard: Option<Rect>,
    /// Whether there was more than could be told, so that what is not here may be there all the same.
    pub cut: bool,
    /// The selectors that the platform evaluated.
    pub selected: Vec<Selected>,
    pub notes: Notes,
}

/// What a platform tells beside what stands on a screen, such as what makes a look prove less than it shows: two looks at the same are
/// equal whatever it says.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Title of the page that is shown; empty where none is.
    pub title: String,
    /// Why more may be on its way; empty where nothing says so.
    pub loading: String,
    /// What this way to the page cannot tell of what is under way, as a clause; empty where it can.
    pub untold: &'static str,
    /// What went away a while ago, and not in answer to what was done: it may be back.
    pub vanished: Vec<Vanished>,
    /// Whether something comes and goes.
    pub flickers: bool,
    /// Whether the page was watched for too short a time to tell that.
    pub is_new: bool,
}

/// What stood on a page a while ago, and may be back.
#[derive(Clone, Debug, Default)]
pub struct Vanished {
    pub text: String,
    /// Whether it had also come by itself, so that it is certain to be gone only after it has stayed away.
    pub is_sudden: bool,
}

impl PartialEq for Notes {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Screen {
    /// Returns the rectangle of the whole screen.
    pub fn bounds(&self) -> Rect {
        let side = |pixels: u32| i32::try_from(pixels).unwrap_or(i32::MAX);
        Rect { left: 0, top: 0, right: side(self.size.width), bottom: side(self.size.height) }
    }

    /// Returns what a finger meets.
    pub fn display(&self) -> Display {
        Display { size: self.size, lit: self.lit }
    }
}

/// The code of [`Error::Rejected`] where a dialog of the page's script keeps everything else from it, as WebDriver calls it.
pub const DIALOG_OPEN: &str = "unexpected alert open";

/// The code of [`Error::Rejected`] where the page asks whether it may be left (`beforeunload`) that was to be left just now.
pub const LEAVE_ASKED: &str = "unexpected beforeunload";

/// The codes where a page does not take what it is given, in either way, a script of the caller's own threw in it, and its history goes
/// no further: the first three as WebDriver calls them.
pub const NOT_TAKEN: &str = "invalid element state";
pub const NOT_INTERACTABLE: &str = "element not interactable";
pub const THREW: &str = "javascript error";
pub const NO_PAGE: &str = "no such page";

/// What is said of an app that was started last and is gone, though nothing has ended it.
pub const CRASHED: &str = "the app that was started last is not running any more: it crashed, or ended by itself";

/// The code where a page has changed what was typed, before what was to be done next; the message is what the field holds.
pub const TAKEN_BACK: &str = "typed text changed";

/// Why a device did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("{driver} cannot {operation}")]
    Unsupported { driver: &'static str, operation: String },
    /// An app, a file or a device that is not there.
    #[error("{what} not found")]
    NotFound { what: String },
    /// Several devices are there and none was named.
    #[error("{message}")]
    Ambiguous { message: String },
    /// The way to the device is gone: no server, offline, unauthorized, unplugged. The message says which and what to do.
    #[error("{message}")]
    Disconnected { message: String },
    /// The device answered, and it was not what was asked for.
    #[error("{message}")]
    Device { message: String },
    /// The device refused by a code of its own, such as `INSTALL_FAILED_ALREADY_EXISTS`.
    #[error("{message}")]
    Rejected { code: String, message: String },
}

/// A device. Dropping a call's future ends the call on the wire.
#[async_trait]
pub trait Driver: Send + Sync {
    fn info(&self) -> &DeviceInfo;

    /// Returns the size of the screen as it is turned now, never from a memory.
    async fn screen_size(&self) -> Result<Size, Error> {
        Err(self.unsupported("tell the screen's size"))
    }

    /// Returns the screen's size as it is turned now and whether it is lit, by one look.
    async fn display(&self) -> Result<Display, Error> {
        Ok(Display { size: self.screen_size().await?, lit: true })
    }

    /// Moves a finger, whether or not the screen is lit: the caller looks first.
    async fn perform(&self, _gesture: Gesture) -> Result<(), Error> {
        Err(self.unsupported("perform gestures"))
    }

    /// Types into the element that has the focus; the text arrives as written.
    async fn type_text(&self, _text: &str) -> Result<(), Error> {
        Err(self.unsupported("type text"))
    }

    /// Types pieces one after the other into the element that has the focus, each followed by its pause.
    async fn type_in_turn(&self, _pieces: &[Keystrokes]) -> Result<(), Error> {
        Err(self.unsupported("type text with pauses"))
    }

    async fn press(&self, _key: Key) -> Result<(), Error> {
        Err(self.unsupported("press keys"))
    }

    /// Presses a key if the screen is lit, and tells whether it is.
    async fn press_where_lit(&self, key: Key) -> Result<bool, Error> {
        let lit = self.display().await?.lit;
        if lit {
            self.press(key).await?;
        }
        Ok(lit)
    }

    /// Presses keys one after the other.
    async fn press_all(&self, keys: &[Key]) -> Result<(), Error> {
        for key in keys {
            self.press(*key).await?;
        }
        Ok(())
    }

    /// Presses a key by its number.
    async fn press_code(&self, _press: &KeyPress) -> Result<(), Error> {
        Err(self.unsupported("press keys by number"))
    }

    /// Presses a key by its number if the screen is lit, and tells whether it is.
    async fn press_code_where_lit(&self, press: &KeyPress) -> Result<bool, Error> {
        let lit = self.display().await?.lit;
        if lit {
            self.press_code(press).await?;
        }
        Ok(lit)
    }

    async fn input_methods(&self) -> Result<InputMethods, Error> {
        Err(self.unsupported("tell its input methods"))
    }

    /// Types with another installed input method from here on.
    async fn set_input_method(&self, _id: &str) -> Result<(), Error> {
        Err(self.unsupported("switch input methods"))
    }

    /// Returns the text of the clipboard, empty where there is none.
    async fn clipboard(&self) -> Result<String, Error> {
        Err(self.unsupported("read the clipboard"))
    }

    async fn set_clipboard(&self, _text: &str) -> Result<(), Error> {
        Err(self.unsupported("set the clipboard"))
    }

    /// Opens a link with the app that takes it, or with the one of `package`; returns the app where the device tells.
    async fn open_url(&self, _url: &str, _package: Option<&str>) -> Result<Option<String>, Error> {
        Err(self.unsupported("open links"))
    }

    /// Goes back (-1) or forward (1) in the history of the page in front.
    async fn go(&self, _delta: i32) -> Result<(), Error> {
        Err(self.unsupported("go through a page's history"))
    }

    /// Loads the page in front again.
    async fn reload(&self) -> Result<(), Error> {
        Err(self.unsupported("load pages again"))
    }

    /// Calls a function, given as its text in JavaScript, in the page in front, waits for what it promises, and returns that.
    async fn evaluate(&self, _function: &str, _arguments: &[Value], _patience: Duration) -> Result<Value, Error> {
        Err(self.unsupported("run scripts in pages"))
    }

    /// Returns the words for pages, of a device whose screens are such; `operation` is what they are wanted for.
    fn pages(&self, operation: &str) -> Result<&dyn Pages, Error> {
        Err(self.unsupported(operation))
    }

    /// Returns the dialog that the script of the page in front has opened.
    async fn page_dialog(&self) -> Result<Option<PageDialog>, Error> {
        Err(self.unsupported("tell dialogs of pages"))
    }

    /// Accepts or dismisses that dialog; `text` is entered into a prompt.
    async fn answer_page_dialog(&self, _accept: bool, _text: Option<&str>) -> Result<(), Error> {
        Err(self.unsupported("answer dialogs of pages"))
    }

    /// Returns cookies and local storage, as Playwright's `storageState` has them.
    async fn storage_state(&self) -> Result<Value, Error> {
        Err(self.unsupported("tell what its pages have stored"))
    }

    async fn lock_state(&self) -> Result<Lock, Error> {
        Err(self.unsupported("tell whether it is locked"))
    }

    /// Puts the screen out, which locks it where it has a lock; returns what came of it.
    async fn lock(&self) -> Result<Lock, Error> {
        Err(self.unsupported("lock"))
    }

    /// Lights the screen and takes the lock screen away; fails where that asks for a PIN.
    async fn unlock(&self) -> Result<Lock, Error> {
        Err(self.unsupported("unlock"))
    }

    async fn orientation(&self) -> Result<Turned, Error> {
        Err(self.unsupported("tell how its screen is turned"))
    }

    /// Turns the screen and holds it so; `None` lets it follow the device's sensor.
    async fn set_orientation(&self, _orientation: Option<Orientation>) -> Result<(), Error> {
        Err(self.unsupported("turn its screen"))
    }

    /// Shows everything light, or dark.
    async fn set_appearance(&self, _appearance: Appearance) -> Result<(), Error> {
        Err(self.unsupported("set the appearance"))
    }

    /// Has apps believe that it is at a place; `None` tells them again where it is.
    async fn set_location(&self, _location: Option<Location>) -> Result<(), Error> {
        Err(self.unsupported("set the location"))
    }

    /// Says something to the system's assistant, as if it had been spoken.
    async fn ask_assistant(&self, _text: &str) -> Result<(), Error> {
        Err(self.unsupported("ask an assistant"))
    }

    async fn details(&self) -> Result<Details, Error> {
        Err(self.unsupported("describe itself"))
    }

    /// Starts an app or brings it to the front.
    async fn launch(&self, _package: &str) -> Result<(), Error> {
        Err(self.unsupported("launch apps"))
    }

    /// Starts an app with arguments and an environment of its own, afresh: one that runs takes none.
    async fn launch_with(&self, _package: &str, _start: &AppStart) -> Result<(), Error> {
        Err(self.unsupported("launch apps with arguments or an environment: `open_url` hands them over in a deep link"))
    }

    /// Ends an app; tells whether it was running.
    async fn terminate(&self, _package: &str) -> Result<bool, Error> {
        Err(self.unsupported("terminate apps"))
    }

    async fn packages(&self) -> Result<Vec<String>, Error> {
        Err(self.unsupported("list packages"))
    }

    async fn foreground(&self) -> Result<Foreground, Error> {
        Err(self.unsupported("tell the app in front"))
    }

    async fn screenshot(&self) -> Result<Screenshot, Error> {
        Err(self.unsupported("take screenshots"))
    }

    /// Takes a picture that nobody packs; none where a [screenshot](Driver::screenshot) is the quicker way to the pixels.
    async fn pixels(&self) -> Result<Option<Pixels>, Error> {
        Ok(None)
    }

    /// Reads what stands on the screen.
    async fn screen(&self) -> Result<Screen, Error> {
        Err(self.unsupported("read the screen's elements"))
    }

    /// Reads what stands on the screen; one that cannot be read, as while it changes, is tried again for `patience` at most.
    async fn screen_within(&self, _patience: Duration) -> Result<Screen, Error> {
        self.screen().await
    }

    /// Reads what stands on the screen, for somebody who wants to know more of it; what the platform does not tell is left out.
    async fn look(&self, look: &Look<'_>) -> Result<Screen, Error> {
        match look.timeout {
            Some(timeout) => self.screen_within(timeout).await,
            None => self.screen().await,
        }
    }

    /// Says, as a clause, what is shown now that the tree of a screen does not tell of; empty where nothing is known to be.
    async fn untold(&self, _screen: &Screen) -> Result<&'static str, Error> {
        Ok("")
    }

    /// Performs a gesture that is meant for an element, by what the platform [told](Element::told) as its key. Returns what it met in
    /// the element's place, and was kept from, where the platform can tell.
    async fn perform_on(&self, _key: u64, gesture: Gesture) -> Result<Option<String>, Error> {
        self.perform(gesture).await.map(|()| None)
    }

    /// Brings an element into view by what the platform [told](Element::told) as its key; tells whether it did. Where elements
    /// have no keys, nothing is brought.
    async fn reveal(&self, _key: u64) -> Result<bool, Error> {
        Ok(false)
    }

    /// Gives a text field the focus without touching it, by what the platform [told](Element::told) as its key, and selects all
    /// that stands in it, or else puts the cursor behind it; tells whether that is so now. Where it is not, a touch may do it.
    async fn focus(&self, _key: u64, _selects: bool) -> Result<bool, Error> {
        Ok(false)
    }

    /// Sets what a field holds that is not typed into, such as one for a date, by what the platform [told](Element::told) as its key.
    async fn set_field(&self, _key: u64, _text: &str) -> Result<FieldSet, Error> {
        Ok(FieldSet::Typed)
    }

    /// Tells what came of a text that was just typed into a field, by its key, where the platform can look into its fields.
    async fn typed(&self, _key: u64, _typing: &Typing<'_>) -> Result<Typed, Error> {
        Ok(Typed::Arrived)
    }

    /// Empties a text field by its key, however long it is and whatever it shows, and looks whether anything is left in it.
    async fn empty_field(&self, _key: u64) -> Result<Emptied, Error> {
        Ok(Emptied::Touched)
    }

    /// Returns the element tree in the platform's own format (Android: the XML of uiautomator), and the app in front where
    /// the same look tells it.
    async fn source(&self) -> Result<(String, Option<Foreground>), Error> {
        Err(self.unsupported("give the screen's source"))
    }

    /// Tells whether a process of an app runs.
    async fn is_running(&self, _package: &str) -> Result<bool, Error> {
        Err(self.unsupported("tell whether an app runs"))
    }

    /// Returns the app that was started last where it does not run any more, though nothing has ended it; none where the device tells of
    /// crashes by its log.
    async fn crashed(&self) -> Result<Option<String>, Error> {
        Ok(None)
    }

    /// Installs an app from a file of the host.
    async fn install(&self, _file: &Path, _how: Install) -> Result<(), Error> {
        Err(self.unsupported("install apps"))
    }

    async fn uninstall(&self, _package: &str) -> Result<(), Error> {
        Err(self.unsupported("uninstall apps"))
    }

    /// Ends an app and deletes its data and what it was permitted.
    async fn clear_app(&self, _package: &str) -> Result<(), Error> {
        Err(self.unsupported("clear the data of apps"))
    }

    async fn app_info(&self, _package: &str) -> Result<AppInfo, Error> {
        Err(self.unsupported("tell about apps"))
    }

    /// Grants a permission or revokes it, named in full.
    async fn set_permission(&self, _package: &str, _permission: &str, _granted: bool) -> Result<(), Error> {
        Err(self.unsupported("change permissions"))
    }

    /// Copies a file of the host to a path on the device; makes the folders above it. Returns its size in bytes.
    async fn push_file(&self, _from: &Path, _to: &str) -> Result<u64, Error> {
        Err(self.unsupported("take files"))
    }

    /// Copies a file of the device to the host, whose folder is there. Returns its size in bytes.
    async fn pull_file(&self, _from: &str, _to: &Path) -> Result<u64, Error> {
        Err(self.unsupported("give files"))
    }

    /// Tells whether a path on the device is a folder; false where nothing is there.
    async fn is_folder(&self, _path: &str) -> Result<bool, Error> {
        Err(self.unsupported("tell about files"))
    }

    /// Copies a picture or a video into the device's gallery under this name; returns its path on the device once the
    /// gallery knows it.
    async fn add_media(&self, _file: &Path, _name: &str) -> Result<String, Error> {
        Err(self.unsupported("take pictures into a gallery"))
    }

    /// Removes everything that [`add_media`](Self::add_media) brought, and nothing else; returns how many files that were.
    async fn clear_media(&self) -> Result<usize, Error> {
        Err(self.unsupported("remove pictures from a gallery"))
    }

    /// Returns lines of the device's log, the oldest first.
    async fn log(&self, _query: &LogQuery) -> Result<Vec<String>, Error> {
        Err(self.unsupported("give its log"))
    }

    /// Returns the time by the device's clock, as its log writes it: `11-26 10:20:30.400`.
    async fn clock(&self) -> Result<String, Error> {
        Err(self.unsupported("tell the time of its log"))
    }

    async fn clear_log(&self) -> Result<(), Error> {
        Err(self.unsupported("clear its log"))
    }

    /// Records the screen for a while, in whole seconds up to 180, into an MP4 file of the host, whose folder is there.
    async fn record(&self, _duration: Duration, _to: &Path) -> Result<(), Error> {
        Err(self.unsupported("record the screen"))
    }

    /// Films the screen until that is to end, beside whatever else the device is asked.
    async fn film(&self, _reel: &dyn Reel) -> Result<(), Error> {
        Err(self.unsupported("film the screen"))
    }

    /// Tells what a person does until the device is gone: in a browser's own window, from whose pages it is kept, until the last of them is
    /// closed; on a phone, which does it all the same. What is done by other methods meanwhile is not told.
    async fn follow_person(&self, _told: Told<'_>) -> Result<(), Error> {
        Err(self.unsupported("tell what a person does on it"))
    }

    /// Makes the device as a run found it before a case: closes what the system itself shows, puts back how it is set, and does to the apps
    /// that were used what `reset` says; returns what was done, as sentences. Nothing on devices whose cases have nothing in common.
    async fn renew(&self, _reset: Reset) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }

    /// Ends what the driver has running on the device; what is asked afterwards starts it anew.
    async fn close(&self) {}

    /// Builds the error of an operation that this driver does not have.
    fn unsupported(&self, operation: &str) -> Error {
        Error::Unsupported { driver: self.info().platform, operation: operation.to_owned() }
    }
}
