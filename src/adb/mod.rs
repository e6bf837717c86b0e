//! The adb protocols, as bytes on any stream: smart socket, `shell_v2`, sync; and a client of an adb server.
//!
//! Knows nothing of devices' commands or screens: it carries bytes to a service and back. The protocols are Android's own
//! (`packages/modules/adb`: OVERVIEW.TXT, SERVICES.TXT, SYNC.TXT, `shell_protocol.h`).

pub mod server;
pub mod shell;
pub mod sync;
pub mod wire;
