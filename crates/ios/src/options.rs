//! What a user says of the way to iPhones and of how `WebDriverAgent` behaves on them.

use crate::usbmux::Address;

/// The port of `WebDriverAgent` on a phone, and that of its pictures.
pub const PORT: u16 = 8100;
pub const MJPEG_PORT: u16 = 9100;
/// Levels of elements that `WebDriverAgent` tells by itself, and at most: it fails beyond.
pub const DEPTH: u32 = 50;
pub const MOST_DEPTH: u32 = 62;

/// How iPhones are reached, and what `WebDriverAgent` is asked to do by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Addresses of phones that are reached over the network: `http://HOST:PORT`.
    pub urls: Vec<String>,
    /// What those are called; none as they call themselves.
    pub name: Option<String>,
    /// Where the multiplexer of phones on USB listens.
    pub usbmux: Address,
    /// The port of `WebDriverAgent` on the phones, and of its pictures.
    pub port: u16,
    pub mjpeg_port: u16,
    /// Levels of elements to tell, up to [`MOST_DEPTH`].
    pub max_depth: u32,
    /// What is done with alerts as they come up; none leaves them to the test.
    pub alerts: Alerts,
    /// Class chains of the button that accepts an alert, and of the one that dismisses it; none leaves the choice to `WebDriverAgent`.
    pub accept_button: Option<String>,
    pub dismiss_button: Option<String>,
    /// Whether a run begins on the home screen.
    pub reset_home_on_startup: bool,
    /// The command of a shell that starts `WebDriverAgent` where it does not answer, on the phone whose UDID is in `UDID`.
    pub start: Option<String>,
    /// The program that drives simulators: `xcrun`, or its path.
    pub xcrun: String,
}

/// What `WebDriverAgent` does with alerts by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Alerts {
    #[default]
    Leave,
    Accept,
    Dismiss,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            urls: Vec::new(),
            name: None,
            usbmux: Address::of_environment(),
            port: PORT,
            mjpeg_port: MJPEG_PORT,
            max_depth: DEPTH,
            alerts: Alerts::default(),
            accept_button: None,
            dismiss_button: None,
            reset_home_on_startup: false,
            start: None,
            xcrun: "xcrun".to_owned(),
        }
    }
}
