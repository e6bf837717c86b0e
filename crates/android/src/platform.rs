//! The devices of an adb server, or of no adb server, as a [`Platform`](crate::driver::Platform).

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use tokio::sync::watch;

use super::{Android, PLATFORM, list, uia2};
use crate::adb::{self, Direct, Server, Transport};
use crate::driver::{self, DeviceInfo, Driver, Error};

/// The way to Android devices.
pub struct Platform {
    access: Access,
    /// What to call its devices, where their own names would mislead: "virtual phone".
    name: Option<String>,
    /// The server that its devices' screens are looked at and touched by, where the user wants one.
    server: Option<uia2::Options>,
    /// How often the adb server's devices changed, from when somebody first asked.
    changes: OnceLock<watch::Receiver<u64>>,
}

enum Access {
    Server(Server),
    /// Straight to the phones.
    Direct(Direct),
    /// Through the server, or straight to the phones where neither it nor an adb program that could start it is there.
    Either {
        server: Server,
        direct: Direct,
        without: AtomicBool,
    },
}

impl Platform {
    /// Reaches devices through an adb server.
    pub fn new(server: Server, name: Option<String>) -> Self {
        Self { access: Access::Server(server), name, server: None, changes: OnceLock::new() }
    }

    /// Reaches phones without an adb server.
    pub fn direct(direct: Direct) -> Self {
        Self { access: Access::Direct(direct), name: None, server: None, changes: OnceLock::new() }
    }

    /// Reaches devices through an adb server, or directly on a computer that has neither a server nor an adb program.
    pub fn either(server: Server, direct: Direct) -> Self {
        Self {
            access: Access::Either { server, direct, without: AtomicBool::new(false) },
            name: None,
            server: None,
            changes: OnceLock::new(),
        }
    }

    /// Has its devices' screens looked at and touched by Appium's UiAutomator2 server, where the user wants that.
    #[must_use]
    pub fn by_server(self, server: Option<uia2::Options>) -> Self {
        Self { server, ..self }
    }

    async fn listed(&self) -> Result<Vec<DeviceInfo>, Error> {
        match &self.access {
            Access::Server(server) => list(server).await,
            Access::Direct(direct) => list(direct).await,
            Access::Either { server, direct, without } => {
                let answer = Transport::devices(server).await;
                let is_alone = matches!(answer, Err(adb::Error::NoServer { .. })) && !has_adb_program();
                without.store(is_alone, Ordering::Relaxed);
                if !is_alone {
                    return Ok(super::described(&answer?));
                }
                let found = list(direct).await?;
                if found.is_empty() { Err(Error::Disconnected { message: ALONE.to_owned() }) } else { Ok(found) }
            }
        }
    }
}

/// What to do where there is neither adb nor a phone.
const ALONE: &str = "no phone is there, and neither an adb server nor an adb program: connect one by USB with `USB debugging` \
                     switched on, name one on the network by `--device android:HOST:PORT`, or use `--device phone`";

#[async_trait]
impl driver::Platform for Platform {
    fn name(&self) -> &'static str {
        PLATFORM
    }

    fn seek(&self, serial: &str) {
        if let Access::Direct(direct) | Access::Either { direct, .. } = &self.access {
            direct.add(serial);
        }
    }

    async fn list(&self) -> Result<Vec<DeviceInfo>, Error> {
        let mut devices = self.listed().await?;
        if let Some(name) = &self.name {
            devices.iter_mut().for_each(|device| device.name.clone_from(name));
        }
        Ok(devices)
    }

    async fn open(&self, device: &DeviceInfo) -> Result<Arc<dyn Driver>, Error> {
        let (serial, name) = (device.serial.as_str(), self.name.as_deref());
        let opened = match &self.access {
            Access::Direct(direct) => straight(direct, serial).await?,
            Access::Either { direct, without, .. } if without.load(Ordering::Relaxed) => {
                straight(direct, serial).await?
            }
            Access::Server(server) | Access::Either { server, .. } => {
                Android::open(server.clone(), serial, name).await?
            }
        };
        match &self.server {
            Some(options) => Ok(Arc::new(opened.by_server(options).await?)),
            None => Ok(Arc::new(opened)),
        }
    }

    fn changes(&self) -> Option<watch::Receiver<u64>> {
        match &self.access {
            Access::Direct(_) => None,
            Access::Server(server) | Access::Either { server, .. } => {
                Some(self.changes.get_or_init(|| server.changes()).clone())
            }
        }
    }
}

async fn straight(direct: &Direct, serial: &str) -> Result<Android, Error> {
    // What stands in the way of a phone is told in more than the word of a list.
    direct.features(serial).await?;
    Android::open(direct.clone(), serial, None).await
}

/// Tells whether this computer has an adb program, by which its user could start a server.
fn has_adb_program() -> bool {
    let name = if cfg!(windows) { "adb.exe" } else { "adb" };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let of_sdk = ["ANDROID_HOME", "ANDROID_SDK_ROOT"].into_iter().filter_map(std::env::var_os);
    let mut folders =
        std::env::split_paths(&path).chain(of_sdk.map(|folder| PathBuf::from(folder).join("platform-tools")));
    folders.any(|folder| folder.join(name).is_file())
}
