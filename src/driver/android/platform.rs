//! The devices of an adb server as a [`Platform`](crate::driver::Platform).

use std::sync::Arc;

use async_trait::async_trait;

use super::{Android, PLATFORM, list};
use crate::adb::Server;
use crate::driver::{self, DeviceInfo, Driver, Error};

/// The way to Android devices behind an adb server.
pub struct Platform {
    server: Server,
    /// What to call its devices, where their own names would mislead: "virtual phone".
    name: Option<String>,
}

impl Platform {
    pub fn new(server: Server, name: Option<String>) -> Self {
        Self { server, name }
    }
}

#[async_trait]
impl driver::Platform for Platform {
    fn name(&self) -> &'static str {
        PLATFORM
    }

    async fn list(&self) -> Result<Vec<DeviceInfo>, Error> {
        let mut devices = list(&self.server).await?;
        if let Some(name) = &self.name {
            devices.iter_mut().for_each(|device| device.name.clone_from(name));
        }
        Ok(devices)
    }

    async fn open(&self, device: &DeviceInfo) -> Result<Arc<dyn Driver>, Error> {
        Ok(Arc::new(Android::open(self.server.clone(), &device.serial, self.name.as_deref()).await?))
    }
}
