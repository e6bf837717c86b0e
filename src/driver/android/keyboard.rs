//! The keyboard that takes text by broadcast: found, put in place, waited for, and the user's own put back.
//!
//! The user's keyboard comes back after each text and not at the end of a run, so that a run that is killed leaves the phone as
//! it was, and screens look as they look to the user.

use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

use super::answer::{checked, text};
use crate::adb::{Device, quote};
use crate::driver::Error;

/// `ADBKeyboard`, <https://github.com/senzhk/ADBKeyBoard>.
const KEYBOARD: &str = "com.android.adbkeyboard/.AdbIME";
/// How long the keyboard may take to come up.
const PATIENCE: Duration = Duration::from_secs(8);
/// How often is looked whether it is up.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long putting the user's keyboard back may take when a call was given up.
const RESTORE: Duration = Duration::from_secs(5);

const KEYBOARDS: &str = "settings get secure default_input_method; ime list -s -a";
const STATE: &str = "settings get secure default_input_method; dumpsys input_method | grep -E 'mCurId=|mCurMethodId='; \
                     dumpsys activity broadcasts | grep -E 'ADB_INPUT_B64:|Receiver Resolver Table'";

/// The broadcast keyboard, in place until this is given back or dropped.
pub(super) struct Keyboard {
    device: Device,
    /// The user's own; `None` where nothing is to be put back.
    former: Option<String>,
}

impl Keyboard {
    /// Puts the keyboard in place and waits until it takes text.
    pub(super) async fn take(device: &Device) -> Result<Self, Error> {
        let former = former(&text(&device.shell(KEYBOARDS).await?.stdout))?;
        let keyboard = Self::put(device, KEYBOARD, former).await?;
        let before = Instant::now();
        while !is_up(&text(&device.shell(STATE).await?.stdout)) {
            if before.elapsed() > PATIENCE {
                return Err(Error::Device { message: not_up() });
            }
            sleep(LOOK_EVERY).await;
        }
        Ok(keyboard)
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
            let output = device.shell(&format!("ime enable {id} && ime set {id}")).await?;
            checked("ime set", &output)?;
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
        let (Some(former), Ok(runtime)) = (self.former.take(), Handle::try_current()) else { return };
        let device = self.device.with_deadline(RESTORE);
        runtime.spawn(async move {
            if let Err(error) = device.shell(&set(&former)).await {
                tracing::warn!(%error, keyboard = former, "the user's keyboard was not put back");
            }
        });
    }
}

fn set(keyboard: &str) -> String {
    format!("ime set {}", quote(keyboard))
}

/// Reads the answer to [`KEYBOARDS`]: the keyboard to put back; an error where ours is not installed.
fn former(text: &str) -> Result<Option<String>, Error> {
    let mut lines = text.lines().map(str::trim);
    let current = lines.next().unwrap_or_default();
    if current == KEYBOARD {
        return Ok(None);
    }
    if !lines.any(|line| line == KEYBOARD) {
        let operation =
            "type characters beyond ASCII: install the APK of ADBKeyboard (com.android.adbkeyboard, on F-Droid)";
        return Err(Error::Unsupported { driver: "android", operation: operation.to_owned() });
    }
    // Without a keyboard of its own, the phone gets none back: `ime set` takes no empty name.
    Ok(Some(if current.contains('/') { current } else { KEYBOARD }.to_owned()))
}

/// Reads the answer to [`STATE`]: chosen, bound, and listening where the device tells who listens to broadcasts.
fn is_up(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let chosen = lines.next() == Some(KEYBOARD);
    let words = || text.split_whitespace();
    let id = |label: &'static str| words().find_map(|word| word.strip_prefix(label));
    let bound = id("mCurId=").or_else(|| id("mCurMethodId=")) == Some(KEYBOARD);
    let unconnected = words().any(|word| matches!(word, "mHaveConnection=false" | "mHaveConnect=false"));
    let told = text.contains("Receiver Resolver Table");
    let listening = lines.any(|line| line == "ADB_INPUT_B64:");
    chosen && bound && !unconnected && (listening || !told)
}

fn not_up() -> String {
    format!("the keyboard {KEYBOARD} did not come up within {} s: has a text field the focus?", PATIENCE.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_keyboard_is_remembered() {
        let gboard = "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME";
        assert_eq!(former(&format!("{gboard}\n{gboard}\n{KEYBOARD}\n")), Ok(Some(gboard.to_owned())));
        assert_eq!(former(&format!("{KEYBOARD}\n{gboard}\n{KEYBOARD}\n")), Ok(None));
        assert_eq!(former(&format!("null\n{KEYBOARD}\n")), Ok(Some(KEYBOARD.to_owned())));
        assert!(matches!(former(&format!("{gboard}\n{gboard}\n")), Err(Error::Unsupported { .. })));
        assert!(matches!(former(""), Err(Error::Unsupported { .. })));
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
        assert!(!is_up("com.x/.Y\n"));
        assert!(!is_up(""));
    }
}
