//! The protocol of an hdc server's clients: requests as text and files as messages → answers, on a TCP socket, without a process.
//!
//! The server owns the phones and their keys; it is asked one thing a connection. Source: `openharmony/developtools_hdc`
//! (`src/common/channel.cpp`, `src/host/client.cpp`, `server_for_client.cpp`).

mod channel;
mod error;
mod files;
mod protobuf;
mod server;
mod starter;
mod targets;

pub use error::Error;
pub use server::{Coming, Server};
pub use starter::usual_address;
pub use targets::{State, Target};

#[cfg(test)]
mod tests;
