//! The browsers of this computer as a [`Platform`](crate::driver::Platform), which nothing but their names leads to.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;

use super::engine::Engine;
use super::settings::{Launch, Settings};
use super::{Browser, PLATFORM, find, webdriver_protocol};
use crate::driver::{self, DeviceInfo, Driver, Error};

/// What is said of a browser that could be started.
const INSTALLED: &str = "installed";

/// The way to browsers; clones lead to the same ones.
#[derive(Clone)]
pub struct Platform {
    browsers: [Arc<Browser>; 3],
    /// The one that was named last.
    usual: Arc<Mutex<Engine>>,
}

impl Default for Platform {
    fn default() -> Self {
        let browsers = Engine::ALL.map(|engine| Arc::new(Browser::new(engine)));
        Self { browsers, usual: Arc::default() }
    }
}

impl Platform {
    /// Has the next call of the browser that they name begin with a fresh profile, and with these settings.
    pub fn begin(&self, settings: Settings) {
        *self.usual.lock() = settings.launch.engine;
        self.of(settings.launch.engine).begin(settings);
    }

    fn named_last(&self) -> Engine {
        *self.usual.lock()
    }

    /// Returns a browser, whether or not it can be started.
    pub fn browser(&self, engine: Engine) -> Arc<dyn Driver> {
        Arc::clone(self.of(engine)) as Arc<dyn Driver>
    }

    /// Ends the browsers that were started.
    pub async fn close(&self) {
        for browser in &self.browsers {
            browser.close().await;
        }
    }

    fn of(&self, engine: Engine) -> &Arc<Browser> {
        let [chrome, firefox, webkit] = &self.browsers;
        match engine {
            Engine::Chrome => chrome,
            Engine::Firefox => firefox,
            Engine::WebKit => webkit,
        }
    }
}

/// Returns the program that shows pages in a browser of a kind; an error says why it cannot be started, and what to do.
pub fn found(engine: Engine) -> Result<std::path::PathBuf, Error> {
    if let Some(error) = find::lacking(&Launch { engine, ..Launch::default() }) {
        return Err(error);
    }
    match engine {
        Engine::Chrome => find::headless(None),
        Engine::Firefox => find::firefox(None),
        Engine::WebKit => find::webdriver(engine, None),
    }
}

/// Says why there is no browser on this computer; nothing where there is one of any kind.
pub fn missing() -> Option<Error> {
    let of = |engine: Engine| find::lacking(&Launch { engine, ..Launch::default() });
    let usual = of(Engine::Chrome)?;
    if Engine::ALL.into_iter().all(|engine| of(engine).is_some()) { Some(usual) } else { None }
}

#[async_trait]
impl driver::Platform for Platform {
    fn name(&self) -> &'static str {
        PLATFORM
    }

    fn is_chosen_by_name(&self) -> bool {
        true
    }

    fn usual(&self) -> Option<&'static str> {
        Some(self.named_last().serial())
    }

    fn absent(&self) -> Option<Error> {
        self.of(self.named_last()).settings().missing()
    }

    async fn list(&self) -> Result<Vec<DeviceInfo>, Error> {
        Ok(Engine::ALL.into_iter().filter_map(|engine| listed(engine, &self.of(engine).settings().launch)).collect())
    }

    async fn open(&self, device: &DeviceInfo) -> Result<Arc<dyn Driver>, Error> {
        let engine = device.serial.parse().map_err(|message| Error::Disconnected { message })?;
        Ok(self.browser(engine))
    }
}

/// Returns a browser as it stands among devices, where it can be started or runs elsewhere.
fn listed(engine: Engine, launch: &Launch) -> Option<DeviceInfo> {
    let name = match &launch.webdriver_url {
        Some(url) => webdriver_protocol::host(url),
        None if find::lacking(launch).is_some() => return None,
        None => find::called(engine, launch.binary.as_deref()),
    };
    let serial = engine.serial().to_owned();
    Some(DeviceInfo { platform: PLATFORM, serial, name, status: INSTALLED.to_owned() })
}
