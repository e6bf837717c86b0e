//! The virtual phone: a small program that looks like an Android device to every adb client.
//!
//! [`system::System`] is the phone itself (its screen, apps and settings); `server` and what lies under it (`services`, `session`,
//! `transfer`, `shell`, `commands`, `files`) make it an adb server and an adbd. Nothing above knows that this phone is not a real one.
//!
//! From an app's page to the screen: `page` and `fields` make nodes (`node`) of an instance, `scene` puts the windows together,
//! `dump` writes them as XML and [`uixt_canvas`] draws them. `touch` and `keys` are the way back.

use uixt_adb as adb;
#[cfg(test)]
use uixt_core::http;
use uixt_instance as instance;

mod acts;
mod app;
pub mod apps;
mod automator;
mod bars;
mod binary_manifest;
mod calendar;
mod cap;
mod clock;
mod commands;
mod counts;
mod debugging;
mod dialog;
mod dialog_window;
mod dump;
mod edit;
mod evdev;
mod external_instances;
mod faults;
mod fields;
mod files;
mod films;
mod fingers;
mod floating;
mod framebuffer;
mod handset;
mod harmony;
mod install;
pub mod iphone;
mod jobs;
mod keeper;
mod keyboard;
mod keys;
mod launcher;
mod links;
mod live_acts;
mod live_page;
mod lock_screen;
mod log;
mod marks;
mod media;
mod node;
mod node_action;
mod options;
mod package;
mod page;
mod phones;
mod place;
mod process;
mod properties;
mod reboot;
mod refused;
mod reverse;
mod scene;
mod screenshot;
pub mod server;
mod services;
mod session;
mod settings;
mod shell;
mod sidecar;
#[cfg(test)]
mod socket_tests;
mod sockets;
mod stroke;
mod switches;
pub mod system;
mod terminal;
#[cfg(test)]
mod tests;
mod touch;
mod transfer;
mod tty;
mod views;
mod widgets;
mod window;
mod zip;

pub use clock::Clock;
pub use harmony::{HarmonyOptions, HarmonyPhone};
pub use iphone::{Iphone, IphoneOptions, Manners, Usbmuxd};
pub use keeper::{Acted, Keeper};
pub use phones::{Phones, Ports};
pub use server::Phone;
