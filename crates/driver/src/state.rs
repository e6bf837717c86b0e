//! A device's state in device words: how its screen is turned and locked, what it types with, what it is.

use super::Size;

/// A key that is pressed by its number, with the keys that are held down meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyPress {
    /// Android's number of the key (`android.view.KeyEvent`).
    pub code: u32,
    /// Numbers of shift, ctrl, alt, meta.
    pub held: Vec<u32>,
    /// Whether it is held down for as long as a long press takes.
    pub long: bool,
}

/// What a device can be typed into with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputMethods {
    /// Identifier of the one in use; empty where there is none.
    pub current: String,
    /// Identifiers of all that are installed, whether switched on or not.
    pub installed: Vec<String>,
}

/// The screen as a finger meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Display {
    /// Its size as it is turned now, in pixels.
    pub size: Size,
    /// Whether it is lit: one that is off shows nothing and takes no touch. True where the device does not tell.
    pub lit: bool,
}

/// Whether the screen is lit and locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock {
    pub awake: bool,
    /// Whether the lock screen is, or would be, in front.
    pub locked: bool,
    /// Whether it asks for a PIN, a pattern or a password.
    pub secure: bool,
}

/// How the screen's content is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orientation {
    Portrait,
    /// The top of the device points to the left.
    Landscape,
    ReversePortrait,
    ReverseLandscape,
}

/// How the screen is turned, and who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turned {
    pub orientation: Orientation,
    /// Whether the screen follows the device's sensor.
    pub auto: bool,
}

/// What a device says of itself; what it does not tell is empty or absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    pub manufacturer: String,
    pub model: String,
    /// Version of the operating system: "14".
    pub version: String,
    /// Number of its programming interface, on Android.
    pub api_level: Option<u32>,
    /// Size of the screen as it is turned now, in pixels.
    pub screen: Size,
    /// Dots per inch.
    pub density: Option<u32>,
    /// Charge in percent.
    pub battery: Option<u32>,
    /// Whether it is connected to power.
    pub powered: Option<bool>,
}

/// What an app is started with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppStart {
    pub arguments: Vec<String>,
    /// Variables by their names.
    pub environment: Vec<(String, String)>,
}

/// How a system shows everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appearance {
    Light,
    Dark,
}

/// A place on the earth, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Location {
    /// From -90 in the south to 90.
    pub latitude: f64,
    /// From -180 in the west to 180.
    pub longitude: f64,
}
