//! The adb protocols, as bytes on any stream: smart socket, transport, `shell_v2`, sync; a client of an adb server and of an
//! adbd, and an adb server and an adbd themselves.
//!
//! Knows nothing of devices' commands or screens: it carries bytes to a service and back. The protocols are Android's own
//! (`packages/modules/adb`: OVERVIEW.TXT, SERVICES.TXT, SYNC.TXT, `shell_protocol.h`).

mod changes;
pub mod client;
pub mod daemon;
pub mod device;
mod device_error;
mod device_list;
pub mod direct;
pub mod error;
mod forwards;
pub mod listing;
pub mod packet;
pub mod port;
mod public_key;
pub mod server;
pub mod service;
pub mod shell;
pub mod sync;
pub mod sync2;
pub mod transport;
pub mod wire;

pub use uixt_driver::keycodes;
pub use uixt_driver::quote::quote;

pub use client::{DEFAULT_ADDRESS, Limits, Server};
pub use device::{Device, Output};
pub use direct::{Direct, KeyPlaces};
pub use error::Error;
pub use listing::Listed;
pub use transport::Transport;

#[doc(hidden)]
#[allow(clippy::unwrap_used, reason = "of tests")]
pub mod fake;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod misbehaviour;
#[doc(hidden)]
#[allow(clippy::unwrap_used, reason = "of tests")]
pub mod mutation;
#[cfg(test)]
mod script;
