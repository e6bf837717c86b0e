//! The adb protocols, as bytes on any stream: smart socket, `shell_v2`, sync; a client of an adb server, and an adb server
//! itself.
//!
//! Knows nothing of devices' commands or screens: it carries bytes to a service and back. The protocols are Android's own
//! (`packages/modules/adb`: OVERVIEW.TXT, SERVICES.TXT, SYNC.TXT, `shell_protocol.h`).

pub mod client;
pub mod device;
pub mod error;
pub mod keycodes;
pub mod listing;
pub mod quote;
pub mod server;
pub mod shell;
pub mod sync;
pub mod wire;

pub use client::{DEFAULT_ADDRESS, Limits, Server};
pub use device::{Device, Output};
pub use error::Error;
pub use listing::Listed;
pub use quote::quote;

#[cfg(test)]
pub(crate) mod fake;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod misbehaviour;
#[cfg(test)]
pub(crate) mod mutation;
