//! HarmonyOS phones by hdc and the programs of their own shell: device words → command lines, and what they print → device words.
//!
//! The screen is read and touched by `uitest`, which takes one call at a time and tells by its words, not by its exit code, whether it did
//! what it was asked. What only looks is asked again where a connection breaks; what touches never is.
//! Source: `openharmony/testfwk_arkxtest` (uitest 7), and what their users report.

use uixt_driver as driver;

mod agent;
mod answer;
mod apps;
mod baseline;
mod details;
mod dump;
mod elements;
mod files;
mod film;
mod gesture;
mod keys;
mod log;
mod options;
mod phone;
mod picture;
mod platform;
mod power;
mod role;
mod settle;
mod shell;
mod typing;
mod unsupported;
mod windows;

pub use self::options::Options;
pub use self::phone::Phone;
pub use self::platform::Platform;
pub use uixt_hdc::usual_address;

pub(crate) const PLATFORM: &str = "harmony";

#[cfg(test)]
mod found;
