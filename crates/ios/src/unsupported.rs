//! What an iPhone, or stock `WebDriverAgent` on it, cannot do, each as it follows "cannot", with what is done instead.

use crate::driver::Error;

/// Builds the error of such an operation.
pub(crate) fn error(operation: &str) -> Error {
    Error::Unsupported { driver: crate::PLATFORM, operation: operation.to_owned() }
}

/// Keys that no iPhone has.
pub(crate) const MENU: &str = "open a menu by a key: tap what opens it";
pub(crate) const SWITCH: &str = "show all apps by a key: start the one that is meant by `app_launch`";
pub(crate) const HOLD: &str = "hold a key: `long_press` holds what is on the screen";

/// What `WebDriverAgent` has no word for.
pub(crate) const SENSOR: &str = "let its screen follow the sensor: it does so by itself; name a way up";
pub(crate) const LOG: &str =
    "give its log: WebDriverAgent does not tell it; `idevicesyslog`, or Console on a Mac, shows it";
pub(crate) const RECORD: &str =
    "record its screen as an MP4 (of simulators, `sim:NAME`, simctl does it); evidence of a run may hold a film";

/// What only simulators can.
pub(crate) const LIST: &str =
    "list what is installed: WebDriverAgent does not tell it (of simulators, `sim:NAME`, simctl does)";
pub(crate) const INSTALL: &str = "install apps on a phone: `ideviceinstaller -i FILE`, `ios install --path FILE` or Xcode do (on `sim:NAME`, simctl)";
pub(crate) const UNINSTALL: &str =
    "uninstall apps from a phone: `ideviceinstaller -U BUNDLE` or `ios uninstall BUNDLE` do (on `sim:NAME`, simctl)";
pub(crate) const CLEAR: &str =
    "delete the data of apps on a phone: uninstall the app and install it again (on `sim:NAME`, simctl does it)";
pub(crate) const PERMIT: &str =
    "change permissions of apps on a phone: answer the question when the app asks (on `sim:NAME`, simctl does it)";
pub(crate) const MEDIA: &str = "take pictures into the gallery of a phone: only into that of a simulator (`sim:NAME`)";
