//! The keyboard that takes text by broadcast: found, put in place, waited for, and the user's own put back.
//!
//! The user's keyboard comes back after each text and not at the end of a run, so that a run that is killed leaves the phone as
//! it was, and screens look as they look to the user.

use std::time::Duration;

use super::answer::{checked, own_lines, text};
use super::input_method;
use super::until::until;
use crate::adb::{Device, quote};
use crate::driver::{Error, InputMethods, tidy};

/// `ADBKeyboard`, <https://github.com/senzhk/ADBKeyBoard>.
const KEYBOARD: &str = "com.android.adbkeyboard/.AdbIME";
/// How long the keyboard may take to come up.
const TIMEOUT: Duration = Duration::from_secs(8);

const STATE: &str = "settings get secure default_input_method; dumpsys input_method | grep -E 'mCurId=|m(Cur|Selected)MethodId=|mHaveConnect|mHasMainConnection='; \
                     dumpsys activity broadcasts | grep -E 'ADB_INPUT_B64:|Receiver Resolver Table'";

/// How devices say that a chosen keyboard does not run yet: the first until Android 13, the last since 14.
const UNCONNECTED: [&str; 3] = ["mHaveConnection=false", "mHaveConnect=false", "mHasMainConnection=false"];

/// The broadcast keyboard, in place until this is given back or dropped.
pub(super) struct Keyboard {
    device: Device,
    /// The user's own; `None` where nothing is to be put back.
    former: Option<String>,
}

impl Keyboard {
    /// Puts the keyboard in place and waits until it takes text.
    pub(super) async fn take(device: &Device) -> Result<Self, Error> {
        let former = former(&input_method::list(device).await?)?;
        let keyboard = Self::put(device, KEYBOARD, former).await?;
        let state = || async { Ok(text(&device.shell(STATE).await?.stdout)) };
        let seen = until(TIMEOUT, state, |state| is_up(state)).await?;
        if seen.reached { Ok(keyboard) } else { Err(Error::Device { message: not_up() }) }
    }

    /// Puts another app's input method in place of `current`, as an app must be in place to see the clipboard.
    pub(super) async fn borrow(device: &Device, id: &str, current: &str) -> Result<Self, Error> {
        let former = if current.is_empty() { id } else { current };
        Self::put(device, id, (current != id).then(|| former.to_owned())).await
    }

    async fn put(device: &Device, id: &str, former: Option<String>) -> Result<Self, Error> {
        // Built before the switch: should this be dropped on the way, the user's keyboard comes back all the same.
        let keyboard = Self { device: device.clone(), former };
        if keyboard.former.is_some() {
            input_method::choose(device, id).await?;
        }
        Ok(keyboard)
    }

    /// Puts the user's keyboard back.
    pub(super) async fn give_back(mut self) -> Result<(), Error> {
        let Some(former) = self.former.take() else { return Ok(()) };
        let output = self.device.shell(&set(&former)).await?;
        checked("ime set", &output).map(drop)
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        let Some(former) = self.former.take() else { return };
        let device = self.device.clone();
        tidy::begin(async move {
            if let Err(error) = device.shell(&set(&former)).await {
                tracing::warn!(%error, keyboard = former, "the user's keyboard was not put back");
            }
        });
    }
}

fn set(keyboard: &str) -> String {
    format!("ime set {}", quote(keyboard))
}

/// Returns the keyboard to put back; an error where ours is not installed.
fn former(methods: &InputMethods) -> Result<Option<String>, Error> {
    if methods.current == KEYBOARD {
        return Ok(None);
    }
    if !methods.installed.iter().any(|id| id == KEYBOARD) {
        let operation =
            "type characters beyond ASCII: install the APK of ADBKeyboard (com.android.adbkeyboard, on F-Droid)";
        return Err(Error::Unsupported { driver: "android", operation: operation.to_owned() });
    }
    // Without a keyboard of its own, the phone gets none back: `ime set` takes no empty name.
    Ok(Some(if methods.current.is_empty() { KEYBOARD } else { &methods.current }.to_owned()))
}

/// Reads the answer to [`STATE`]: chosen, bound, and listening where the device tells who listens to broadcasts.
pub(super) fn is_up(text: &str) -> bool {
    let mut lines = own_lines(text);
    let chosen = lines.next() == Some(KEYBOARD);
    let words = || text.split_whitespace();
    let id = |label: &'static str| words().find_map(|word| word.strip_prefix(label));
    let bound = id("mCurId=").or_else(|| id("mCurMethodId=")).or_else(|| id("mSelectedMethodId=")) == Some(KEYBOARD);
    let unconnected = words().any(|word| UNCONNECTED.contains(&word));
    let told = text.contains("Receiver Resolver Table");
    let listening = lines.any(|line| line == "ADB_INPUT_B64:");
    chosen && bound && !unconnected && (listening || !told)
}

fn not_up() -> String {
    format!("the keyboard {KEYBOARD} did not come up within {} s: has a text field the focus?", TIMEOUT.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_keyboard_is_remembered() {
        let gboard = "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME";
        let methods = |current: &str, installed: &[&str]| InputMethods {
            current: current.to_owned(),
            installed: installed.iter().map(ToString::to_string).collect(),
        };
        assert_eq!(former(&methods(gboard, &[gboard, KEYBOARD])), Ok(Some(gboard.to_owned())));
        assert_eq!(former(&methods(KEYBOARD, &[gboard, KEYBOARD])), Ok(None));
        assert_eq!(former(&methods("", &[KEYBOARD])), Ok(Some(KEYBOARD.to_owned())));
        assert!(matches!(former(&methods(gboard, &[gboard])), Err(Error::Unsupported { .. })));
    }

    #[test]
    fn it_is_up_when_chosen_bound_and_listening() {
        let bound = format!(
            "{KEYBOARD}\n  mCurMethodId={KEYBOARD}\n  mCurId={KEYBOARD} mHaveConnection=true mBoundToMethod=true"
        );
        assert!(is_up(&bound));
        assert!(is_up(&format!("{bound}\n  Receiver Resolver Table:\n      ADB_INPUT_B64:\n")));
        assert!(!is_up(&format!("{bound}\n  Receiver Resolver Table:\n")));
        assert!(!is_up(&bound.replace("Connection=true", "Connection=false")));
        assert!(!is_up(&format!("{KEYBOARD}\n  mCurMethodId={KEYBOARD}\n  mCurId=com.x/.Y mHaveConnect=true")));
        let android_15 = format!(
            "{KEYBOARD}\n    mSelectedMethodId={KEYBOARD}\n    mCurId={KEYBOARD}\n    mHasMainConnection=true\n"
        );
        assert!(is_up(&android_15) && !is_up(&android_15.replace("Connection=true", "Connection=false")));
        assert!(!is_up("com.x/.Y\n"));
        assert!(!is_up(""));
    }
}
