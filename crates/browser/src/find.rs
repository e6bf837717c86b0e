//! Names and usual places → the programs of browsers and of their WebDrivers, or how to get them.

use std::path::{Path, PathBuf};

use super::engine::Engine;
use super::settings::Launch;
use crate::driver::Error;

/// Names the browser's program, or is `none` where no browser is to be used.
pub const VARIABLE: &str = "UIXT_BROWSER";

/// What the variable says where no browser is to be used.
const NONE: &str = "none";

const BROWSERS: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "google-chrome-beta",
    "chrome",
    "microsoft-edge",
    "chrome-headless-shell",
    "chromium-headless-shell",
];

/// Where browsers lie that are not on the PATH.
const PLACES: &[&str] = &[
    "/usr/lib/chromium/chromium",
    "/usr/lib/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
    "/snap/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
];

const DRIVERS: &[&str] = &["chromedriver", "/usr/lib/chromium/chromedriver", "/usr/lib/chromium-browser/chromedriver"];

const HOW: &str = "install one (Debian, Ubuntu: `apt-get install chromium`; Fedora: `dnf install chromium`; macOS: `brew install \
                   --cask chromium`), or name its program: `binary` in the config's `browser`, or UIXT_BROWSER";

const FIREFOXES: &[&str] = &[
    "firefox",
    "firefox-esr",
    "/usr/lib/firefox/firefox",
    "/usr/lib/firefox-esr/firefox-esr",
    "/snap/bin/firefox",
    "/Applications/Firefox.app/Contents/MacOS/firefox",
    r"C:\Program Files\Mozilla Firefox\firefox.exe",
];

const HOW_FIREFOX: &str = "install it (Debian: `apt-get install firefox-esr`; Fedora: `dnf install firefox`; macOS: `brew install --cask \
                           firefox`), or name its program: `binary` in the config's `browser`";

const GECKODRIVERS: &[&str] = &["geckodriver", "/snap/bin/geckodriver"];

const HOW_GECKODRIVER: &str = "Firefox is driven by it: install it (`cargo install geckodriver --locked`; macOS: `brew install \
                               geckodriver`; or from github.com/mozilla/geckodriver/releases), or name its program with `driver`";

const WEBKIT_DRIVERS: &[&str] = &["WebKitWebDriver", "/usr/libexec/webkit2gtk-4.1/WebKitWebDriver"];

const HOW_WEBKIT: &str = "WebKit is driven by it, and brings its browser: install it (Debian, Ubuntu: `apt-get install \
                          webkit2gtk-driver xvfb`), or name its program with `driver`";

const HOW_SCREEN: &str =
    "WebKit has no mode without a screen: install one (Debian, Ubuntu: `apt-get install xvfb`), or use `headed: true`";

const HOW_DRIVER: &str = "install it (Debian, Ubuntu: `apt-get install chromium-driver`), name its program with `driver`, or leave \
                          `driver` out: Chromium and Chrome need none";

/// Tells whether the variable names a program.
pub(super) fn is_named_by_variable() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty() && value != NONE)
}

/// Chromium without its windows: it starts in half the time, and shows pages the same.
const SHELLS: &[&str] =
    &["/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell", "chrome-headless-shell"];

/// Tells whether a program is such a shell, by its name.
pub(super) fn is_shell(program: &Path) -> bool {
    program.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("headless-shell"))
}

/// Returns the program that shows pages where nobody looks: the one that was named, or else the first that is found.
pub(super) fn headless(named: Option<&Path>) -> Result<PathBuf, Error> {
    let is_named = named.is_some() || std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty());
    match first(SHELLS).filter(|_| !is_named) {
        Some(shell) => Ok(shell),
        None => browser(named),
    }
}

/// Returns the browser's program: the one that was named, or else the first that is found.
pub(super) fn browser(named: Option<&Path>) -> Result<PathBuf, Error> {
    let variable = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    match (named, variable) {
        (Some(named), _) => program(named).ok_or_else(|| absent(&format!("there is no program {}", named.display()))),
        (None, Some(off)) if off == Path::new(NONE) => {
            Err(absent(&format!("no browser is to be used: {VARIABLE} is `{NONE}`")))
        }
        (None, Some(named)) => {
            program(&named).ok_or_else(|| absent(&format!("{VARIABLE}: there is no program {}", named.display())))
        }
        (None, None) => {
            first(BROWSERS.iter().chain(PLACES)).ok_or_else(|| absent("neither Chromium nor Chrome is there"))
        }
    }
}

/// Returns the program of Firefox: the one that was named, or else the first that is found.
pub(super) fn firefox(named: Option<&Path>) -> Result<PathBuf, Error> {
    refuse_where_none()?;
    let usual = || first(FIREFOXES);
    let found = named.map_or_else(usual, program);
    let what = named.map_or_else(|| "Firefox is not there".to_owned(), no_program);
    found.ok_or_else(|| missing(&what, HOW_FIREFOX))
}

/// Returns the program of a WebDriver for a kind of browser: the one that was named, or else the first that is found.
pub(super) fn webdriver(engine: Engine, named: Option<&Path>) -> Result<PathBuf, Error> {
    let (usual, how) = match engine {
        Engine::Chrome => (DRIVERS, HOW_DRIVER),
        Engine::Firefox => (GECKODRIVERS, HOW_GECKODRIVER),
        Engine::WebKit => (WEBKIT_DRIVERS, HOW_WEBKIT),
    };
    let named = named.unwrap_or_else(|| Path::new(usual[0]));
    let elsewhere = || first(usual).filter(|_| named == Path::new(usual[0]));
    program(named).or_else(elsewhere).ok_or_else(|| missing(&no_program(named), how))
}

/// Returns the program that is a screen nobody sees.
pub(super) fn screen() -> Result<PathBuf, Error> {
    program(Path::new("Xvfb")).ok_or_else(|| missing("there is no program Xvfb", HOW_SCREEN))
}

/// Says why a browser of this computer cannot be started with these settings; nothing where it can.
pub(super) fn lacking(launch: &Launch) -> Option<Error> {
    let driver = || webdriver(launch.engine, launch.driver.as_deref()).err();
    match launch.engine {
        Engine::Chrome => {
            browser(launch.binary.as_deref()).err().or_else(|| launch.driver.as_ref().and_then(|_| driver()))
        }
        Engine::Firefox => firefox(launch.binary.as_deref()).err().or_else(driver),
        Engine::WebKit => {
            let no_screen = || (!launch.headed).then(|| screen().err()).flatten();
            refuse_where_none().err().or_else(driver).or_else(no_screen)
        }
    }
}

/// Fails where no browser is to be used.
fn refuse_where_none() -> Result<(), Error> {
    let is_off = std::env::var_os(VARIABLE).is_some_and(|value| value == NONE);
    if is_off { Err(absent(&format!("no browser is to be used: {VARIABLE} is `{NONE}`"))) } else { Ok(()) }
}

fn no_program(named: &Path) -> String {
    format!("there is no program {}", named.display())
}

fn missing(what: &str, how: &str) -> Error {
    Error::Disconnected { message: format!("{what}\n  = {how}") }
}

fn absent(what: &str) -> Error {
    missing(what, HOW)
}

fn first<'a>(names: impl IntoIterator<Item = &'a &'a str>) -> Option<PathBuf> {
    names.into_iter().find_map(|name| program(Path::new(name)))
}

/// Finds a program by its path, or on the PATH where it is a bare name.
fn program(named: &Path) -> Option<PathBuf> {
    if named.components().count() > 1 || named.is_absolute() {
        return named.is_file().then(|| named.to_owned());
    }
    let path = std::env::var_os("PATH")?;
    let suffix = std::env::consts::EXE_SUFFIX;
    std::env::split_paths(&path)
        .flat_map(|folder| [folder.join(named), folder.join(format!("{}{suffix}", named.display()))])
        .find(|path| path.is_file())
}

/// Returns what a person calls a browser of this computer.
pub(super) fn called(engine: Engine, named: Option<&Path>) -> String {
    let name = match engine {
        Engine::Chrome => browser(named).map_or("Chrome", |program| name_of(&program)),
        Engine::Firefox => "Firefox",
        Engine::WebKit => "WebKit",
    };
    name.to_owned()
}

/// Returns what a person calls a browser, by its program: `Chromium`, `Google Chrome`.
pub(super) fn name_of(program: &Path) -> &'static str {
    let file = program.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    match file.as_str() {
        file if file.contains("chromium") => "Chromium",
        file if file.contains("edge") => "Microsoft Edge",
        file if file.contains("headless") => "Chrome headless shell",
        _ => "Google Chrome",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_by_name_and_path_and_what_is_missing_says_what_to_do() {
        assert!(program(Path::new("sh")).is_some_and(|path| path.is_absolute()));
        assert!(SHELLS.iter().all(|shell| is_shell(Path::new(shell))) && !is_shell(Path::new("/usr/bin/chromium")));
        assert!(program(Path::new("/bin/sh")).is_some() && program(Path::new("no-such-program")).is_none());
        let error = browser(Some(Path::new("/nowhere/chrome"))).expect_err("nothing is there").to_string();
        assert!(error.contains("/nowhere/chrome") && error.contains("apt-get install chromium"), "{error}");
        let nowhere = Some(Path::new("/nowhere/driver"));
        for (engine, how) in [
            (Engine::Chrome, "apt-get install chromium-driver"),
            (Engine::Firefox, "cargo install geckodriver"),
            (Engine::WebKit, "apt-get install webkit2gtk-driver"),
        ] {
            let error = webdriver(engine, nowhere).expect_err("nothing is there").to_string();
            assert!(error.contains(how) && error.contains("/nowhere/driver"), "{error}");
        }
        let error = firefox(nowhere).expect_err("nothing is there").to_string();
        assert!(error.contains("apt-get install firefox-esr"), "{error}");
    }

    #[test]
    fn a_browser_is_called_by_its_program() {
        assert_eq!(name_of(Path::new("/usr/bin/chromium")), "Chromium");
        assert_eq!(name_of(Path::new("/opt/google/chrome/chrome")), "Google Chrome");
    }
}
