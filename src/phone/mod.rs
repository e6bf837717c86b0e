//! The virtual phone: a small program that looks like an Android device to every adb client.
//!
//! [`system::System`] is the phone itself (its screen, apps and settings); `face` and what lies under it (`shell`, `commands`,
//! `files`) make it an adb server. Nothing above knows that this phone is not a real one.
//!
//! From an app's page to the screen: `page` and `fields` make nodes (`node`) of an instance, `scene` puts the windows together,
//! `dump` writes them as XML and `canvas` draws them. `touch` and `keys` are the way back.

mod acts;
pub mod apps;
mod bars;
mod calendar;
mod canvas;
mod clock;
mod dialog;
mod dump;
mod edit;
mod fields;
mod geometry;
mod glyphs;
mod icon;
mod illustration;
mod keyboard;
mod keys;
mod launcher;
mod look;
mod node;
mod page;
mod picture;
mod process;
mod scene;
mod sidecar;
pub mod system;
mod tap;
#[cfg(test)]
mod tests;
mod theme;
mod touch;

pub use clock::Clock;
