//! The clipboard, by way of apps that have access to it: Android gives its shell no command for it.
//!
//! It is read with Appium's settings app (`io.appium.settings`), whose keyboard must be the one in use for it from Android 10 on,
//! or with Clipper (`ca.zgrs.clipper`) before; it is set with Clipper, since any app may write it. Both answer a broadcast with
//! result -1.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::answer::{complaint, failed, text};
use super::keyboard::Keyboard;
use super::{PLATFORM, input_method};
use crate::adb::{Device, quote};
use crate::driver::Error;

const APPIUM: &str = "io.appium.settings";
const APPIUM_KEYBOARD: &str = "io.appium.settings/.AppiumIME";
const APPIUM_GET: &str = "am broadcast --include-stopped-packages -n io.appium.settings/.receivers.ClipboardReceiver \
                          -a io.appium.settings.clipboard.get";
const CLIPPER: &str = "ca.zgrs.clipper";
/// Its receiver listens while its service runs.
const CLIPPER_START: &str = "am startservice -n ca.zgrs.clipper/.ClipboardService";
const CLIPPER_GET: &str = "am broadcast -a clipper.get";
const CLIPPER_SET: &str = "am broadcast -a clipper.set -e text";
/// Bytes of a text that is set: what a device takes as one command line, quoted.
const MAX_LEN: usize = 12_000;

/// Returns the clipboard's text.
pub(super) async fn get(device: &Device) -> Result<String, Error> {
    if is_installed(device, APPIUM).await? {
        return get_from_appium(device).await;
    }
    if is_installed(device, CLIPPER).await? {
        let said = run(device, &format!("{CLIPPER_START}; {CLIPPER_GET}")).await?;
        return data(&said).map(str::to_owned).ok_or_else(|| silent("Clipper did not tell the clipboard", &said));
    }
    let operation = "read the clipboard by itself: install the app io.appium.settings \
                     (https://github.com/appium/io.appium.settings)";
    Err(Error::Unsupported { driver: PLATFORM, operation: operation.to_owned() })
}

async fn get_from_appium(device: &Device) -> Result<String, Error> {
    let methods = input_method::list(device).await?;
    let borrowed = match methods.installed.iter().any(|id| id == APPIUM_KEYBOARD) {
        true => Some(Keyboard::borrow(device, APPIUM_KEYBOARD, &methods.current).await?),
        false => None,
    };
    let said = run(device, APPIUM_GET).await?;
    if let Some(keyboard) = borrowed {
        keyboard.give_back().await?;
    }
    let encoded = data(&said).ok_or_else(|| silent("io.appium.settings did not tell the clipboard", &said))?;
    let bytes = STANDARD.decode(encoded.split_whitespace().collect::<String>()).ok();
    let decoded = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    decoded.ok_or_else(|| failed("am broadcast", &format!("no Base64 of a text: {encoded}")))
}

/// Sets the clipboard's text.
pub(super) async fn set(device: &Device, value: &str) -> Result<(), Error> {
    let word = quote(value);
    if word.len() > MAX_LEN {
        return Err(Error::Device { message: format!("a text for the clipboard takes at most {MAX_LEN} bytes") });
    }
    if !is_installed(device, CLIPPER).await? {
        let operation = "set the clipboard by itself: install the app Clipper (ca.zgrs.clipper, \
                         https://github.com/majido/clipper)";
        return Err(Error::Unsupported { driver: PLATFORM, operation: operation.to_owned() });
    }
    let said = run(device, &format!("{CLIPPER_START}; {CLIPPER_SET} {word}")).await?;
    match data(&said) {
        Some(_) => Ok(()),
        None => Err(silent("Clipper did not set the clipboard", &said)),
    }
}

async fn is_installed(device: &Device, package: &str) -> Result<bool, Error> {
    let output = device.shell(&format!("pm path {package}")).await?;
    Ok(text(&output.stdout).lines().any(|line| line.trim().starts_with("package:")))
}

async fn run(device: &Device, command: &str) -> Result<String, Error> {
    let output = device.shell(command).await?;
    Ok(format!("{}\n{}", text(&output.stderr), text(&output.stdout)))
}

/// Reads `Broadcast completed: result=-1, data="…"`; `None` where nobody answered. The data may hold lines and quotes.
pub(super) fn data(said: &str) -> Option<&str> {
    let (_, answer) = said.split_once("Broadcast completed: result=-1")?;
    let Some((_, data)) = answer.split_once("data=\"") else { return Some("") };
    let end = data.rfind("\", extras: ").or_else(|| data.rfind('"'))?;
    Some(&data[..end])
}

fn silent(what: &str, said: &str) -> Error {
    let reason = complaint(said).map_or_else(|| "open that app once".to_owned(), str::to_owned);
    Error::Device { message: format!("{what}: {reason}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_answer_of_the_app_counts() {
        let said = |tail: &str| format!("Broadcasting: Intent {{ act=x }}\nBroadcast completed: result={tail}\n");
        assert_eq!(data(&said("-1, data=\"aGk=\"")), Some("aGk="));
        assert_eq!(data(&said("-1, data=\"two\nlines \"and\" quotes\"")), Some("two\nlines \"and\" quotes"));
        assert_eq!(data(&said("-1, data=\"x\", extras: Bundle[mParcelledData.dataSize=8]")), Some("x"));
        assert_eq!(data(&said("-1, data=\"\"")), Some(""));
        assert_eq!(data(&said("0")), None);
        assert_eq!(data("Error: Not found; no service started.\n"), None);
    }
}
