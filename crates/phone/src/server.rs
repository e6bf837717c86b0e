//! One virtual phone on a TCP port of loopback that any adb client takes for an adb server with this phone attached.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::sync::Mutex;

use super::options::Options;
use super::phones::{Phones, Ports};
use super::system::System;

/// A running virtual phone; dropping it ends it and everything that its clients run on it.
pub struct Phone {
    phones: Phones,
    system: Arc<Mutex<System>>,
}

impl Phone {
    /// Starts a phone that listens on a port of 127.0.0.1; 0 stands for any free one.
    ///
    /// Fails where the port is taken or the phone's own files cannot be read.
    pub async fn start(options: Options, port: u16) -> io::Result<Self> {
        let phones = Phones::start(vec![options], Ports { server: port, ..Ports::default() }).await?;
        let system = phones.systems().first().cloned().ok_or(io::ErrorKind::NotFound)?;
        Ok(Self { phones, system })
    }

    /// Returns where adb clients reach it: `adb -P PORT`.
    pub fn address(&self) -> SocketAddr {
        self.phones.address()
    }

    /// Returns the phone itself, shared with its servers; no command goes on while it is locked.
    pub fn system(&self) -> Arc<Mutex<System>> {
        self.system.clone()
    }

    /// Ends the phone and waits until its port is free again.
    pub async fn stop(self) {
        self.phones.stop().await;
    }
}
