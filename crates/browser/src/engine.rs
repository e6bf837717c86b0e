//! Which browser it is: its name among devices, in WebDriver's sessions, and for people.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde_json::Value;

/// A kind of browser, by what draws its pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Chromium, Chrome, and their kin.
    #[default]
    Chrome,
    Firefox,
    /// `WebKitGTK`'s little browser, or Safari elsewhere.
    WebKit,
}

impl Engine {
    pub const ALL: [Self; 3] = [Self::Chrome, Self::Firefox, Self::WebKit];

    /// Returns its serial among devices: `chrome`, `firefox`, `webkit`.
    #[must_use]
    pub fn serial(self) -> &'static str {
        match self {
            Self::Chrome => "chrome",
            Self::Firefox => "firefox",
            Self::WebKit => "webkit",
        }
    }

    /// Returns what a session is asked for; nothing where remote ends of the kind have no common name.
    pub(super) fn browser_name(self) -> Option<&'static str> {
        match self {
            Self::Chrome => Some("chrome"),
            Self::Firefox => Some("firefox"),
            Self::WebKit => None,
        }
    }

    /// Returns the capability that holds the browser's own options.
    pub(super) fn options(self) -> &'static str {
        match self {
            Self::Chrome => "goog:chromeOptions",
            Self::Firefox => "moz:firefoxOptions",
            Self::WebKit => "webkitgtk:browserOptions",
        }
    }

    /// Tells which it is by what a session is, or is asked to be; nothing where that says nothing.
    pub(super) fn of_session(capabilities: &Value) -> Option<Self> {
        let name = capabilities["browserName"].as_str()?.to_ascii_lowercase();
        let is = |words: &[&str]| words.iter().any(|word| name.contains(word));
        match () {
            () if is(&["firefox"]) => Some(Self::Firefox),
            () if is(&["webkit", "minibrowser", "safari", "epiphany", "wpe"]) => Some(Self::WebKit),
            () if is(&["chrome", "chromium", "edge", "opera"]) => Some(Self::Chrome),
            () => None,
        }
    }

    /// Tells whose a program is, be it the browser's own or its WebDriver's; nothing where its name says nothing.
    #[must_use]
    pub fn of_program(program: &Path) -> Option<Self> {
        let name = program.file_name()?.to_str()?.to_ascii_lowercase();
        let is = |words: &[&str]| words.iter().any(|word| name.contains(word));
        match () {
            () if is(&["firefox", "gecko"]) => Some(Self::Firefox),
            () if is(&["webkit", "minibrowser"]) => Some(Self::WebKit),
            () if is(&["chrom", "edge"]) => Some(Self::Chrome),
            () => None,
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.serial())
    }
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = |engine: &Self| engine.serial() == text;
        Self::ALL
            .into_iter()
            .find(named)
            .ok_or_else(|| format!("there is no browser `{text}`; valid: chrome, firefox, webkit"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn browsers_are_known_by_their_names() {
        assert_eq!(Engine::ALL.map(|engine| engine.serial().parse()), Engine::ALL.map(Ok));
        assert!("lynx".parse::<Engine>().is_err_and(|told| told.contains("firefox")));
        let of = |name: &str| Engine::of_session(&json!({"browserName": name}));
        let known = [Some(Engine::WebKit), Some(Engine::WebKit), Some(Engine::Firefox), Some(Engine::Chrome), None];
        assert_eq!(["MiniBrowser", "Safari", "firefox", "chrome-headless-shell", "lynx"].map(of), known);
        let of = |program: &str| Engine::of_program(Path::new(program));
        assert_eq!(of("/usr/bin/firefox-esr"), Some(Engine::Firefox));
        assert_eq!((of("/opt/geckodriver"), of("WebKitWebDriver")), (Some(Engine::Firefox), Some(Engine::WebKit)));
        assert_eq!((of("/usr/bin/chromedriver"), of("/bin/x")), (Some(Engine::Chrome), None));
    }
}
