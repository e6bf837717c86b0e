//! The virtual phone: a small program that looks like an Android device to every adb client.
//!
//! [`system::System`] is the phone itself (its screen, apps and settings); `face` and what lies under it (`services`, `session`,
//! `transfer`, `shell`, `commands`, `files`) make it an adb server. Nothing above knows that this phone is not a real one.

mod commands;
pub mod face;
mod files;
mod handset;
mod log;
mod properties;
mod services;
mod session;
mod settings;
mod shell;
pub mod system;
mod terminal;
mod transfer;

pub use face::Phone;
