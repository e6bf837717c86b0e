//! Harmony phones behind one hdc server: started, reached, told what goes wrong, ended.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use parking_lot::Mutex as Lock;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, Notify};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::super::handset::Handset;
use super::super::options::{Face, Options};
use super::super::phones::bind;
use super::super::system::System;
use super::options::HarmonyOptions;
use super::server::{self, Server};
use super::targets::Target;
use crate::jobs::{self, Jobs};

/// Three pixels to a vp.
const DENSITY: u32 = 480;

/// Running phones with their server; dropping it ends them.
pub struct HarmonyPhone {
    address: SocketAddr,
    server: Arc<Server>,
    /// Told when a fault of the server's was set.
    changed: Arc<Notify>,
    serving: Jobs,
    _off: DropGuard,
}

impl HarmonyPhone {
    /// Starts a phone for each of `phones`, whose keys must differ, behind one hdc server on 127.0.0.1.
    ///
    /// Fails where the port is taken, a key is there twice or cannot be one, or a fault has no such name.
    pub async fn start(phones: Vec<HarmonyOptions>) -> io::Result<Self> {
        let refuse = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        let off = CancellationToken::new();
        let listener = bind(phones.first().map_or(0, |phone| phone.port)).await?;
        let address = listener.local_addr()?;
        let mut targets: Vec<Arc<Target>> = Vec::new();
        for phone in phones {
            let is_key = (1..=32).contains(&phone.key.len()) && phone.key.bytes().all(|byte| byte.is_ascii_graphic());
            if !is_key || phone.key == "any" || targets.iter().any(|target| target.key == phone.key) {
                let why =
                    "a connect key has 1 to 32 ASCII characters without blanks, is not `any`, and no other phone's";
                return Err(refuse(format!("{:?}: {why}", phone.key)));
            }
            let options = Options {
                size: phone.size,
                density: DENSITY,
                serial: phone.key.clone(),
                clock: phone.clock,
                keeper: phone.keeper,
                face: Face::Harmony,
            };
            let handset = Arc::new(Handset::new(System::start(options).await?, off.clone()));
            for (name, value) in phone.faults {
                handset.set_harmony_fault(&name, value).await.map_err(refuse)?;
            }
            targets.push(Arc::new(Target { key: phone.key, handset, forwards: Lock::default() }));
        }
        let server = Arc::new(Server { targets, channels: AtomicU32::new(101), off: off.clone() });
        let changed = Arc::new(Notify::new());
        let mut serving = Jobs::new();
        jobs::begin(&mut serving, Box::pin(serve(server.clone(), listener, address, changed.clone())));
        Ok(Self { address, server, changed, serving, _off: off.drop_guard() })
    }

    /// Returns where hdc's clients reach all phones: `hdc -s ADDRESS`.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the phones' connect keys, in their order.
    pub fn keys(&self) -> Vec<String> {
        self.server.targets.iter().map(|target| target.key.clone()).collect()
    }

    /// Returns each phone itself, shared with the server; no command goes on while it is locked.
    pub fn systems(&self) -> Vec<Arc<Mutex<System>>> {
        self.server.targets.iter().map(|target| target.handset.system.clone()).collect()
    }

    fn target(&self, key: &str) -> Option<&Arc<Target>> {
        self.server.targets.iter().find(|target| target.key == key)
    }

    /// Sets a fault of a phone, or ends it by `null`. Errors: there is no such phone, or no fault of this name.
    pub async fn set_fault(&self, key: &str, name: &str, value: Value) -> Result<(), String> {
        let target = self.target(key).ok_or_else(|| format!("no phone `{key}`"))?;
        target.handset.set_harmony_fault(name, value).await?;
        self.changed.notify_one();
        Ok(())
    }

    /// Returns how often each thing was really done on a phone; null where there is no such phone.
    pub fn acts(&self, key: &str) -> Value {
        self.target(key).map_or(Value::Null, |target| target.handset.harmony_acts())
    }

    /// Returns the messages of a phone's log, a line each.
    pub async fn log(&self, key: &str) -> String {
        match self.target(key) {
            Some(target) => target.handset.messages().await,
            None => String::new(),
        }
    }

    /// Ends the phones and waits until the port is free again.
    pub async fn stop(mut self) {
        self.serving.shutdown().await;
    }
}

async fn serve(server: Arc<Server>, listener: TcpListener, address: SocketAddr, changed: Arc<Notify>) {
    let mut listener = Some(listener);
    let mut clients = Jobs::new();
    loop {
        if server.is("server_down") {
            drop(listener.take());
            clients.shutdown().await;
            until_up(&server, &changed).await;
            continue;
        }
        let Some(listening) = &listener else {
            // Whoever took the port meanwhile may let it go again.
            match TcpListener::bind(address).await {
                Ok(bound) => listener = Some(bound),
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
            continue;
        };
        tokio::select! {
            accepted = listening.accept() => match accepted {
                Ok((stream, _)) => jobs::begin(&mut clients, Box::pin(server::talk(server.clone(), stream))),
                // Too many files are open; those that are answered meanwhile are closed.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            () = changed.notified() => {}
            Some(_) = clients.join_next() => {}
        }
    }
}

/// Waits until the server is to be there again: until the fault ends, or for the time that it says.
async fn until_up(server: &Server, changed: &Notify) {
    let mut down = server.targets.iter().filter(|target| target.is("server_down"));
    let ms = down.find_map(|target| target.handset.harmony.faults.number("server_down"));
    let Some(ms) = ms else { return changed.notified().await };
    tokio::time::sleep(Duration::from_secs_f64((ms / 1000.0).clamp(0.0, 600.0))).await;
    for target in &server.targets {
        target.handset.harmony.faults.end("server_down");
    }
}
