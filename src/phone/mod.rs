//! The virtual phone: a small program that looks like an Android device to every adb client.
//!
//! [`system::System`] is the phone itself (its screen, apps and settings); `face` and what lies under it (`shell`, `commands`,
//! `files`) make it an adb server. Nothing above knows that this phone is not a real one.

pub mod apps;
pub mod system;
