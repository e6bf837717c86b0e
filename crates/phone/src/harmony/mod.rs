//! The virtual Harmony phone: the virtual phone with another face, behind an hdc server of its own.
//!
//! [`HarmonyPhone`] is the server with its phones. `frames` reads and writes the messages of a connection, `server` finds the phone
//! and what is asked of it: `shell` (the phone's own shell with this face's `commands`), `forward`, `transfer`, `install`. What
//! clients see of the screen is `tree`, made of the phone's own nodes. `agent` is what listens within the phone once `uitest
//! start-daemon` runs. `unit` is what a phone keeps of all that: its faults (`faults`, `wishes`), and what was really done.
//!
//! Messages, commands and answers follow `developtools_hdc` 3.2 and `testfwk_arkxtest` 7.0 of OpenHarmony.

mod acts;
mod agent;
pub(super) mod commands;
mod element;
mod faults;
mod forward;
mod frames;
mod install;
mod keys;
mod options;
mod running;
mod serial;
mod server;
mod shell;
mod targets;
#[cfg(test)]
mod tests;
mod transfer;
mod tree;
pub(super) mod unit;
mod wishes;

pub use options::HarmonyOptions;
pub use running::HarmonyPhone;
