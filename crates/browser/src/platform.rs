//! The browsers of this computer as a [`Platform`](crate::driver::Platform), which nothing but their names leads to.

use std::collections::BTreeMap;
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
    /// Further ones with profiles of their own, by their serials: `chrome:seller`.
    named: Arc<Mutex<BTreeMap<String, Arc<Browser>>>>,
    /// The one that was named last.
    usual: Arc<Mutex<Engine>>,
}

impl Default for Platform {
    fn default() -> Self {
        let browsers = Engine::ALL.map(|engine| Arc::new(Browser::new(engine, None)));
        Self { browsers, named: Arc::default(), usual: Arc::default() }
    }
}

impl Platform {
    /// Has the next call of each browser begin with a fresh profile, and of the one that they name with these settings.
    pub fn begin(&self, settings: Settings) {
        *self.usual.lock() = settings.launch.engine;
        for browser in self.all() {
            browser.begin(Settings::clone(&browser.settings()));
        }
        self.of(settings.launch.engine).begin(settings);
    }

    /// Has the next call of a further browser begin with a fresh profile, and with these settings.
    pub fn begin_named(&self, name: &str, settings: Settings) {
        self.named(settings.launch.engine, name).begin(settings);
    }

    /// Tells whether a further browser is there already.
    pub fn has_named(&self, name: &str, engine: Engine) -> bool {
        self.named.lock().contains_key(&serial_of(engine, name))
    }

    /// Returns a further browser, which is there once it is named, with the settings of the usual one.
    fn named(&self, engine: Engine, name: &str) -> Arc<Browser> {
        let make = || {
            let browser = Browser::new(engine, Some(name));
            browser.begin(Settings::clone(&self.of(engine).settings()));
            Arc::new(browser)
        };
        Arc::clone(self.named.lock().entry(serial_of(engine, name)).or_insert_with(make))
    }

    fn all(&self) -> Vec<Arc<Browser>> {
        self.browsers.iter().chain(self.named.lock().values()).map(Arc::clone).collect()
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
        for browser in self.all() {
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

/// Returns the serial of a further browser: `chrome:seller`.
#[must_use]
pub fn serial_of(engine: Engine, name: &str) -> String {
    format!("{engine}:{name}")
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

    fn seek(&self, serial: &str) {
        if let Some((engine, name)) = serial.split_once(':')
            && let Ok(engine) = engine.parse()
            && !name.is_empty()
        {
            self.named(engine, name);
        }
    }

    async fn list(&self) -> Result<Vec<DeviceInfo>, Error> {
        let usual = Engine::ALL.into_iter().filter_map(|engine| listed(engine, &self.of(engine).settings().launch));
        Ok(usual.chain(self.named.lock().values().map(|browser| browser.info.clone())).collect())
    }

    async fn open(&self, device: &DeviceInfo) -> Result<Arc<dyn Driver>, Error> {
        if let Some(browser) = self.named.lock().get(&device.serial) {
            return Ok(Arc::clone(browser) as Arc<dyn Driver>);
        }
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
