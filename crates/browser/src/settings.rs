//! What a user may say of a browser, as plain data. Knows nothing of how it is done.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::engine::Engine;
use super::find;
use crate::driver::Error;

/// The viewport where nobody says another, in CSS pixels.
const USUAL: (u32, u32) = (1280, 800);

/// How a browser is started, and what its pages meet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    pub launch: Launch,
    pub viewport: Viewport,
    /// What pages are told of languages, such as `zh-CN`.
    pub locale: Option<String>,
    /// A name of the IANA time zone database, such as `Asia/Shanghai`.
    pub timezone: Option<String>,
    /// `http://HOST:PORT`, `https://…`, `socks4://…`, `socks5://HOST:PORT`, or `direct://`.
    pub proxy: Option<String>,
    /// What pages may do without asking, by the names of the Permissions API, such as `geolocation`.
    pub permissions: Vec<String>,
    /// Where downloads go; without a folder they are refused.
    pub downloads: Option<PathBuf>,
    /// A file of cookies and local storage that a fresh profile begins with.
    pub storage_state: Option<PathBuf>,
    /// Name and password for servers that ask for them.
    pub http_credentials: Option<(String, String)>,
    /// Whether certificates that nobody vouches for are taken.
    pub insecure: bool,
}

/// How a browser is started: what has other settings here needs another process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launch {
    pub engine: Engine,
    /// Whether it has a window that a person sees.
    pub headed: bool,
    /// The browser's program.
    pub binary: Option<PathBuf>,
    /// The program of its WebDriver, where it is driven by one: a path, or `chromedriver`.
    pub driver: Option<PathBuf>,
    /// More arguments of the browser.
    pub args: Vec<String>,
    /// Whether nothing but WebDriver is spoken, although a session offers a faster way as well.
    pub plain_webdriver: bool,
    /// Address of a WebDriver that runs already; then nothing is started here.
    pub webdriver_url: Option<String>,
    /// What is asked of that WebDriver beyond the usual.
    pub capabilities: Map<String, Value>,
}

/// The part of a page that is seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Viewport {
    /// CSS pixels.
    pub width: u32,
    pub height: u32,
    /// Pixels of the screen in one CSS pixel.
    pub scale: f64,
    /// Whether it is a phone's: touched, and with a phone's own idea of widths.
    pub mobile: bool,
    pub user_agent: Option<String>,
}

impl Default for Viewport {
    fn default() -> Self {
        Self { width: USUAL.0, height: USUAL.1, scale: 1.0, mobile: false, user_agent: None }
    }
}

impl Settings {
    /// Says why there is no browser that they could be for; nothing where there is one, or it is somebody else's.
    pub fn missing(&self) -> Option<Error> {
        if self.launch.webdriver_url.is_some() { None } else { find::lacking(&self.launch) }
    }

    /// Tells whether the user's environment names a browser's program.
    pub fn is_named_by_variable() -> bool {
        find::is_named_by_variable()
    }

    /// Tells whether downloads can be followed and kept: in Chromium, where it is driven without a WebDriver.
    pub fn keeps_downloads(&self) -> bool {
        let launch = &self.launch;
        launch.engine == Engine::Chrome && launch.driver.is_none() && launch.webdriver_url.is_none()
    }

    /// Names what is asked for that WebDriver alone has no word for in a kind of browser.
    pub(super) fn beyond_webdriver(&self, engine: Engine) -> Vec<&'static str> {
        let is_firefox = engine == Engine::Firefox;
        // A folder is one of the computer where the browser runs.
        let downloads_itself = is_firefox && self.launch.webdriver_url.is_none();
        let asked = [
            ("locale", self.locale.is_some() && !is_firefox),
            ("timezone", self.timezone.is_some()),
            ("permissions", !self.permissions.is_empty()),
            ("downloads", self.downloads.is_some() && !downloads_itself),
            ("storage_state", self.storage_state.is_some()),
            ("http_credentials", self.http_credentials.is_some()),
            ("user_agent", self.viewport.user_agent.is_some() && !is_firefox),
            ("mobile", self.viewport.mobile && engine != Engine::Chrome),
        ];
        asked.into_iter().filter(|(_, is_asked)| *is_asked).map(|(name, _)| name).collect()
    }
}
