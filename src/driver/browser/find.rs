//! Names and usual places → the programs of browsers and of their WebDrivers, or how to get them.

use std::path::{Path, PathBuf};

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

const HOW_DRIVER: &str = "install it (Debian, Ubuntu: `apt-get install chromium-driver`), name its program with `driver`, or leave \
                          `driver` out: Chromium and Chrome need none";

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

/// Returns the program of a WebDriver.
pub(super) fn webdriver(named: &Path) -> Result<PathBuf, Error> {
    let usual = || first(DRIVERS).filter(|_| named == Path::new(DRIVERS[0]));
    program(named).or_else(usual).ok_or_else(|| Error::Disconnected {
        message: format!("there is no program {}\n  = {HOW_DRIVER}", named.display()),
    })
}

fn absent(what: &str) -> Error {
    Error::Disconnected { message: format!("{what}\n  = {HOW}") }
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
        assert!(program(Path::new("/bin/sh")).is_some() && program(Path::new("no-such-program")).is_none());
        let error = browser(Some(Path::new("/nowhere/chrome"))).expect_err("nothing is there").to_string();
        assert!(error.contains("/nowhere/chrome") && error.contains("apt-get install chromium"), "{error}");
        let error = webdriver(Path::new("/nowhere/driver")).expect_err("nothing is there").to_string();
        assert!(error.contains("apt-get install chromium-driver"), "{error}");
    }

    #[test]
    fn a_browser_is_called_by_its_program() {
        assert_eq!(name_of(Path::new("/usr/bin/chromium")), "Chromium");
        assert_eq!(name_of(Path::new("/opt/google/chrome/chrome")), "Google Chrome");
    }
}
