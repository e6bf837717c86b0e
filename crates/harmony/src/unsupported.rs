//! What a HarmonyOS phone cannot do by the programs of its shell, each as it follows "cannot", with what is done instead.

use crate::driver::Error;

/// Builds the error of such an operation.
pub(crate) fn error(operation: &str) -> Error {
    Error::Unsupported { driver: crate::PLATFORM, operation: operation.to_owned() }
}

pub(crate) const PINCH: &str = "perform gestures of two fingers: uitest touches with one; tap a button that zooms, `double_tap`, or name an agent (`config: {harmony: {agent: FILE}}`)";
pub(crate) const PATH: &str = "perform gestures along a path of several stops: uitest draws from one point to another; swipe or drag piece by piece, or name an agent (`config: {harmony: {agent: FILE}}`)";
pub(crate) const HOLD: &str = "perform gestures that hold a finger for longer than 2 s: uitest's long press takes 1.5 s; give a shorter `duration`, or name an agent (`config: {harmony: {agent: FILE}}`)";
pub(crate) const KEY_HOLD: &str = "press keys for long: `long_press` holds what is on the screen";
pub(crate) const CLIPBOARD: &str =
    "read the clipboard: its shell has no command for it; read the text where it was copied from";
pub(crate) const SET_CLIPBOARD: &str = "set the clipboard: its shell has no command for it; `input` types a text";
pub(crate) const TURN: &str = "turn its screen, or tell how it is turned: its shell has no command for it; turn the phone by hand, or name an agent (`config: {harmony: {agent: FILE}}`)";
pub(crate) const IME: &str =
    "tell or switch input methods: its shell has no command for it; choose the keyboard in Settings once";
pub(crate) const PERMIT: &str =
    "change permissions of apps: its shell has no command for it; answer the question when the app asks";
pub(crate) const GRANT: &str = "grant permissions to an app that is installed: `bm install` has no option for it; answer the question when the app asks";
pub(crate) const DOWNGRADE: &str =
    "replace an app by an older version: `bm install` has no option for it; `app_uninstall` the newer one before";
pub(crate) const MEDIA: &str = "take pictures into a gallery, or remove them: `push_file` brings a file to the phone";
pub(crate) const SENSOR: &str = "let its screen follow the sensor: name a way up";
