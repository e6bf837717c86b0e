//! Phones side by side: one adb server that lists them all, and an adbd of its own for each where that is wanted.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::handset::Handset;
use super::options::Options;
use super::services::Services;
use super::system::System;
use crate::adb::daemon::{self, Admission};
use crate::adb::server;
use crate::adb::service::Device;

/// Where phones listen, on 127.0.0.1; 0 stands for any free port.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ports {
    /// Acts as an adb server.
    pub server: u16,
    /// Acts as the first phone's adbd; the next phone's is the next port.
    pub adbd: Option<u16>,
    /// Whom each adbd lets in.
    pub admission: Admission,
}

/// Running phones; dropping it ends them and everything that their clients run on them.
pub struct Phones {
    address: SocketAddr,
    adbds: Vec<SocketAddr>,
    systems: Vec<Arc<Mutex<System>>>,
    servers: JoinSet<io::Result<()>>,
    /// Ends what the phones themselves still do.
    _off: DropGuard,
}

impl Phones {
    /// Starts a phone for each of `phones`, whose serials must differ.
    ///
    /// Fails where a port is taken or the phones' own files cannot be read; the message names the port.
    pub async fn start(phones: Vec<Options>, ports: Ports) -> io::Result<Self> {
        let off = CancellationToken::new();
        let listener = bind(ports.server).await?;
        let adbds = adbd_listeners(ports.adbd, phones.len()).await?;
        let mut started = Self {
            address: listener.local_addr()?,
            adbds: adbds.iter().map(TcpListener::local_addr).collect::<io::Result<_>>()?,
            systems: Vec::new(),
            servers: JoinSet::new(),
            _off: off.clone().drop_guard(),
        };
        let mut devices: Vec<Arc<dyn Device>> = Vec::new();
        for options in phones {
            let handset = Arc::new(Handset::new(System::start(options).await?, off.clone()));
            started.systems.push(handset.system.clone());
            devices.push(Arc::new(Services::new(handset)));
        }
        for (listener, device) in adbds.into_iter().zip(&devices) {
            started.servers.spawn(daemon::serve(listener, device.clone(), ports.admission, off.clone()));
        }
        started.servers.spawn(server::serve(listener, devices));
        Ok(started)
    }

    /// Returns where adb clients reach all phones: `adb -P PORT`.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns where adb servers reach each phone, in their order: `adb connect 127.0.0.1:PORT`. Empty where no adbd is wanted.
    pub fn adbd_addresses(&self) -> &[SocketAddr] {
        &self.adbds
    }

    /// Returns each phone itself, shared with its servers; no command goes on while it is locked.
    pub fn systems(&self) -> &[Arc<Mutex<System>>] {
        &self.systems
    }

    /// Ends the phones and waits until their ports are free again.
    pub async fn stop(mut self) {
        self.servers.shutdown().await;
    }
}

pub(super) async fn bind(port: u16) -> io::Result<TcpListener> {
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
    bound.map_err(|error| io::Error::new(error.kind(), format!("127.0.0.1:{port}: {error}")))
}

/// Binds one port for each phone, one behind the other; any free ones where the first is 0.
async fn adbd_listeners(first: Option<u16>, phones: usize) -> io::Result<Vec<TcpListener>> {
    let Some(first) = first else { return Ok(Vec::new()) };
    let mut listeners = Vec::new();
    for number in 0..phones {
        let number = u16::try_from(number).unwrap_or(u16::MAX);
        let port = if first == 0 { Some(0) } else { first.checked_add(number) };
        let beyond =
            || io::Error::new(io::ErrorKind::InvalidInput, format!("{phones} ports from {first} on end beyond 65535"));
        listeners.push(bind(port.ok_or_else(beyond)?).await?);
    }
    Ok(listeners)
}
