//! The virtual phone's face: a TCP port on loopback that any adb client takes for an adb server with one phone attached.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::handset::Handset;
use super::services::Services;
use super::system::{Options, System};
use crate::adb::server;

/// A running virtual phone; dropping it ends it and everything that its clients run on it.
pub struct Phone {
    address: SocketAddr,
    system: Arc<Mutex<System>>,
    server: JoinHandle<io::Result<()>>,
    /// Ends what the phone itself still does.
    _off: DropGuard,
}

impl Phone {
    /// Starts a phone that listens on a port of 127.0.0.1; 0 stands for any free one.
    ///
    /// Fails where the port is taken or the phone's own files cannot be read.
    pub async fn start(options: Options, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let off = CancellationToken::new();
        let handset = Arc::new(Handset::new(System::start(options).await?, off.clone()));
        let system = handset.system.clone();
        let server = tokio::spawn(server::serve(listener, Arc::new(Services::new(handset))));
        Ok(Self { address, system, server, _off: off.drop_guard() })
    }

    /// Returns where adb clients reach it: `adb -P PORT`.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the phone itself, shared with its face; no command goes on while it is locked.
    pub fn system(&self) -> Arc<Mutex<System>> {
        self.system.clone()
    }

    /// Ends the phone and waits until its port is free again.
    pub async fn stop(mut self) {
        self.server.abort();
        // The outcome of a task that was just aborted says nothing.
        let _ = (&mut self.server).await;
    }
}

impl Drop for Phone {
    fn drop(&mut self) {
        self.server.abort();
    }
}
