//! iPhones by stock `WebDriverAgent`: device words → its requests, and its answers → device words.
//!
//! Source of the protocol: appium/WebDriverAgent 16, whose older manners are borne. What only looks is asked again where a connection
//! breaks; what touches never is.

use uixt_driver as driver;

mod advice;
mod alert;
mod apps;
mod baseline;
mod clusters;
mod eyes;
mod fault;
mod film;
mod focus;
mod gesture;
mod installed;
mod keys;
mod lockdown;
mod options;
mod phone;
mod picture;
mod platform;
mod plist;
mod scale;
mod simctl;
mod source;
mod starter;
mod state;
mod stream;
mod surroundings;
mod tree_depth;
mod typing;
mod unsupported;
mod usbmux;
mod wda;

pub use self::options::{Alerts, DEPTH, MJPEG_PORT, MOST_DEPTH, Options, PORT};
pub use self::phone::Phone;
pub use self::platform::Platform;
pub use self::usbmux::Address;

pub(crate) const PLATFORM: &str = "ios";

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
