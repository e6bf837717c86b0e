//! Settings → the command line of Chromium and its kin.

use std::ffi::OsString;
use std::path::Path;

use super::settings::Launch;

/// What keeps a browser to the pages it is told to show, and its answers the same every time.
const USUAL: &[&str] = &[
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-breakpad",
    "--disable-hang-monitor",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-search-engine-choice-screen",
    "--disable-infobars",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    // Pages behind others, and those that nobody moves the mouse over, are as quick as the one in front.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    // A page that is shown again is loaded again, and a scrolled one is where it was scrolled to.
    "--disable-back-forward-cache",
    "--disable-smooth-scrolling",
    // An input that comes before the first picture counts.
    "--allow-pre-commit-input",
    // Where shared memory is scarce, as in containers, pages would crash.
    "--disable-dev-shm-usage",
    "--force-color-profile=srgb",
    // The last two draw suggestions of the address bar, by pages of their own that each window loads anew.
    "--disable-features=Translate,MediaRouter,OptimizationHints,HttpsUpgrades,PaintHolding,DialMediaRouteProvider,\
     WebUIOmniboxPopup,WebUIOmniboxAimPopup",
];

const HEADLESS: &[&str] = &[
    "--headless=new",
    "--disable-gpu",
    "--hide-scrollbars",
    "--mute-audio",
    // Each site has a process of its own, in a headless shell as in the browser.
    "--site-per-process",
    // A computer without a mouse would tell pages that nothing can be hovered over; emulation of a phone says so all the same.
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
];

/// Returns the arguments; one that the user gives stands behind ours, where it wins.
pub(super) fn of(launch: &Launch, profile: &Path, is_root: bool) -> Vec<OsString> {
    let mut user_data = OsString::from("--user-data-dir=");
    user_data.push(profile);
    let mut flags: Vec<OsString> = USUAL.iter().map(OsString::from).collect();
    if !launch.headed {
        flags.extend(HEADLESS.iter().map(OsString::from));
    }
    // Chromium refuses to run as root with a sandbox.
    if is_root {
        flags.push("--no-sandbox".into());
    }
    flags.push(user_data);
    flags.extend(launch.args.iter().map(OsString::from));
    flags
}

/// Tells whether this program runs as root.
pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_says_stands_last() {
        let launch = Launch { args: vec!["--lang=de".into()], headed: true, ..Launch::default() };
        let flags = of(&launch, Path::new("/p"), true);
        assert_eq!(flags.last(), Some(&OsString::from("--lang=de")));
        assert!(flags.contains(&"--user-data-dir=/p".into()) && flags.contains(&"--no-sandbox".into()));
        assert!(!flags.contains(&"--headless=new".into()));
        assert!(of(&Launch::default(), Path::new("/p"), false).contains(&"--headless=new".into()));
    }
}
