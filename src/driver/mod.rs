//! What every device can do, in device words: points, keys, apps, elements. Knows nothing above it: no tools, no YAML, no MCP.

pub mod android;
pub mod element;
pub mod geometry;
pub mod registry;

use std::time::Duration;

use async_trait::async_trait;

pub use element::Element;
pub use geometry::{Point, Rect, Size};
pub use registry::{Platform, Registry};

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
    Delete,
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
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// What stands on the screen at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Screen {
    /// The app in front.
    pub package: String,
    /// Size of the screen as it is turned now, in pixels.
    pub size: Size,
    /// The windows' top elements, from back to front.
    pub roots: Vec<Element>,
}

impl Screen {
    /// Returns the rectangle of the whole screen.
    pub fn bounds(&self) -> Rect {
        let side = |pixels: u32| i32::try_from(pixels).unwrap_or(i32::MAX);
        Rect { left: 0, top: 0, right: side(self.size.width), bottom: side(self.size.height) }
    }
}

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
    #[error("no answer within {} s", after.as_secs_f64())]
    Timeout { after: Duration },
    /// The way to the device is gone: no server, offline, unauthorized, unplugged. The message says which and what to do.
    #[error("{message}")]
    Disconnected { message: String },
    /// The device answered, and it was not what was asked for.
    #[error("{message}")]
    Device { message: String },
}

/// A device. Dropping a call's future ends the call on the wire.
#[async_trait]
pub trait Driver: Send + Sync {
    fn info(&self) -> &DeviceInfo;

    /// Returns the size of the screen as it is turned now, never from a memory.
    async fn screen_size(&self) -> Result<Size, Error> {
        Err(self.unsupported("tell the screen's size"))
    }

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

    /// Starts an app or brings it to the front.
    async fn launch(&self, _package: &str) -> Result<(), Error> {
        Err(self.unsupported("launch apps"))
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

    /// Reads what stands on the screen.
    async fn screen(&self) -> Result<Screen, Error> {
        Err(self.unsupported("read the screen's elements"))
    }

    /// Returns the element tree in the platform's own format (Android: the XML of uiautomator).
    async fn source(&self) -> Result<String, Error> {
        Err(self.unsupported("give the screen's source"))
    }

    /// Builds the error of an operation that this driver does not have.
    fn unsupported(&self, operation: &str) -> Error {
        Error::Unsupported { driver: self.info().platform, operation: operation.to_owned() }
    }
}
