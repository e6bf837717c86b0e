//! The browsers of this computer as a [`Platform`](crate::driver::Platform), which nothing but their names leads to.

use std::sync::Arc;

use async_trait::async_trait;

use super::settings::Settings;
use super::{Browser, PLATFORM, SERIAL, find};
use crate::driver::{self, DeviceInfo, Driver, Error};

/// What is said of a browser that could be started.
const INSTALLED: &str = "installed";

/// The way to browsers; clones lead to the same ones.
#[derive(Clone, Default)]
pub struct Platform {
    chrome: Arc<Browser>,
}

impl Platform {
    /// Has the next call begin with a fresh profile, and with these settings.
    pub fn begin(&self, settings: Settings) {
        self.chrome.begin(settings);
    }

    /// Returns the browser, whether or not it can be started.
    pub fn browser(&self) -> Arc<dyn Driver> {
        Arc::clone(&self.chrome) as Arc<dyn Driver>
    }
}

/// Says why there is no browser on this computer; nothing where there is one.
pub fn missing() -> Option<Error> {
    find::browser(None).err()
}

#[async_trait]
impl driver::Platform for Platform {
    fn name(&self) -> &'static str {
        PLATFORM
    }

    fn is_chosen_by_name(&self) -> bool {
        true
    }

    fn absent(&self) -> Option<Error> {
        missing()
    }

    async fn list(&self) -> Result<Vec<DeviceInfo>, Error> {
        let settings = self.chrome.settings();
        let listed = |name: &str| DeviceInfo {
            platform: PLATFORM,
            serial: SERIAL.to_owned(),
            name: name.to_owned(),
            status: INSTALLED.to_owned(),
        };
        let named = settings.launch.binary.as_deref();
        Ok(match (&settings.launch.webdriver_url, find::browser(named)) {
            (Some(url), _) => vec![listed(url)],
            (None, Ok(program)) => vec![listed(find::name_of(&program))],
            (None, Err(_)) => Vec::new(),
        })
    }

    async fn open(&self, _: &DeviceInfo) -> Result<Arc<dyn Driver>, Error> {
        Ok(self.browser())
    }
}
