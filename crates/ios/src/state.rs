//! The phone itself: its lock, how its screen is turned, its clipboard, what it is.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::driver::{Details, Error, Lock, Orientation, Turned};
use crate::fault::{Fault, Miss};
use crate::wda::{Ask, LONG, Wda};

/// How long a phone may take to lock or unlock.
const LOCKING: Duration = Duration::from_secs(20);
/// What `hid` numbers the button at the side, and for how long it is pressed.
const POWER: (u32, u32, f64) = (12, 48, 0.1);

/// Presses the button at the side.
pub(crate) async fn press_power(wda: &Wda) -> Result<(), Miss> {
    let (page, usage, duration) = POWER;
    let body = json!({"page": page, "usage": usage, "duration": duration});
    wda.ask(Ask::act("press the power button", "/wda/performIoHidEvent", &body)).await.map(drop)
}

/// Returns the lock as it is told: a locked screen counts as one that is out, and whether it asks for a passcode is not known.
pub(crate) fn lock(is_locked: bool) -> Lock {
    Lock { awake: !is_locked, locked: is_locked, secure: false }
}

pub(crate) async fn put_lock(wda: &Wda) -> Result<(), Miss> {
    wda.ask(Ask::act("lock", "/wda/lock", &json!({})).again().within(LOCKING)).await.map(drop)
}

pub(crate) async fn take_lock(wda: &Wda) -> Result<(), Error> {
    let ask = Ask::act("unlock", "/wda/unlock", &json!({})).again().within(LOCKING);
    match wda.ask(ask).await {
        Ok(_) => Ok(()),
        Err(Miss::Refused(fault)) if !fault.is_unknown() => Err(held()),
        Err(miss) => Err(miss.into()),
    }
}

/// The error of a lock screen that stays.
pub(crate) fn held() -> Error {
    let message = "the lock screen did not go away: where it asks for a passcode, unlock the phone by hand, and switch the passcode and \
                   the automatic lock off for tests";
    Error::Device { message: message.to_owned() }
}

/// Tells how the screen is turned: by its rotation where that is told, which knows all four ways.
pub(crate) async fn turned(wda: &Wda) -> Result<Turned, Error> {
    let told = match wda.ask(Ask::look("tell how the screen is turned", "/rotation")).await {
        Err(Miss::Refused(_)) => Value::Null,
        told => told?,
    };
    // What a phone calls landscape has its top at the left.
    let orientation = match told["z"].as_i64() {
        Some(0) => Some(Orientation::Portrait),
        Some(90) => Some(Orientation::ReverseLandscape),
        Some(180) => Some(Orientation::ReversePortrait),
        Some(270) => Some(Orientation::Landscape),
        _ => None,
    };
    if let Some(orientation) = orientation {
        return Ok(Turned { orientation, auto: false });
    }
    let told = wda.ask(Ask::look("tell how the screen is turned", "/orientation")).await?;
    let odd = || Error::Device { message: format!("WebDriverAgent told {told} as the orientation") };
    Ok(Turned { orientation: named(told.as_str().unwrap_or_default()).ok_or_else(odd)?, auto: false })
}

fn named(name: &str) -> Option<Orientation> {
    let is_reverse = name.contains("RIGHT") || name.contains("UPSIDEDOWN");
    match (name.contains("LANDSCAPE"), name.contains("PORTRAIT"), is_reverse) {
        (true, _, false) => Some(Orientation::Landscape),
        (true, _, true) => Some(Orientation::ReverseLandscape),
        (_, true, false) => Some(Orientation::Portrait),
        (_, true, true) => Some(Orientation::ReversePortrait),
        _ => None,
    }
}

/// Turns the screen.
pub(crate) async fn turn(wda: &Wda, orientation: Orientation) -> Result<(), Error> {
    let name = match orientation {
        Orientation::Portrait => "PORTRAIT",
        Orientation::Landscape => "LANDSCAPE",
        Orientation::ReverseLandscape => "UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT",
        Orientation::ReversePortrait => "UIA_DEVICE_ORIENTATION_PORTRAIT_UPSIDEDOWN",
    };
    let ask = Ask::act("turn the screen", "/orientation", &json!({"orientation": name})).again();
    match wda.ask(ask).await {
        Err(Miss::Refused(fault)) if !fault.is_unknown() => Err(Error::Device {
            message: format!("the screen did not turn: the app in front may allow no other way up ({})", fault.message),
        }),
        Err(miss) => Err(miss.into()),
        Ok(_) => Ok(()),
    }
}

/// Returns the clipboard's text.
pub(crate) async fn clipboard(wda: &Wda) -> Result<String, Error> {
    let ask = Ask::act("read the clipboard", "/wda/getPasteboard", &json!({"contentType": "plaintext"})).again();
    let told = wda.ask(ask).await.map_err(|miss| of_clipboard(miss, "read"))?;
    let encoded: String = told.as_str().unwrap_or_default().split_ascii_whitespace().collect();
    let text = STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    text.ok_or_else(|| Error::Device { message: "the clipboard was told as no text".to_owned() })
}

pub(crate) async fn set_clipboard(wda: &Wda, text: &str) -> Result<(), Error> {
    let body = json!({"contentType": "plaintext", "content": STANDARD.encode(text)});
    let ask = Ask::act("set the clipboard", "/wda/setPasteboard", &body).again();
    wda.ask(ask).await.map(drop).map_err(|miss| of_clipboard(miss, "set"))
}

fn of_clipboard(miss: Miss, how: &str) -> Error {
    match miss {
        Miss::Refused(Fault { message, .. }) => Error::Device {
            message: format!(
                "the clipboard was not {how}: from iOS 13 on, WebDriverAgent must be in front for that (`app_launch` its runner, \
                 com.facebook.WebDriverAgentRunner.xctrunner), and from iOS 16 on the phone asks whether it may: {message}"
            ),
        },
        Miss::Broken(error) => error,
    }
}

/// Returns what the phone says of itself, but for the size of its screen.
pub(crate) async fn details(wda: &Wda) -> Result<Details, Error> {
    let ask = |what, path| wda.ask(Ask::look(what, path).within(LONG));
    let info = match ask("describe itself", "/wda/device/info").await {
        Err(Miss::Refused(_)) => Value::Null,
        info => info?,
    };
    let status = wda.status().await?;
    let battery = match ask("tell its charge", "/wda/batteryInfo").await {
        Err(Miss::Refused(_)) => Value::Null,
        battery => battery?,
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let model = [&info["model"], &status["device"]].into_iter().map(text).find(|model| !model.is_empty());
    Ok(Details {
        manufacturer: "Apple".to_owned(),
        model: model.unwrap_or_default(),
        version: text(&status["os"]["version"]),
        battery: battery["level"].as_f64().and_then(percent),
        // 1 unplugged, 2 charging, 3 full.
        powered: battery["state"].as_u64().filter(|state| *state > 0).map(|state| state > 1),
        ..Details::default()
    })
}

/// Returns a charge from 0 to 1 in percent; a simulator tells -1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
fn percent(level: f64) -> Option<u32> {
    (0.0..=1.0).contains(&level).then(|| (level * 100.0).round() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orientations_have_their_names() {
        for (name, wanted) in [
            ("PORTRAIT", Orientation::Portrait),
            ("LANDSCAPE", Orientation::Landscape),
            ("UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT", Orientation::ReverseLandscape),
            ("UIA_DEVICE_ORIENTATION_PORTRAIT_UPSIDEDOWN", Orientation::ReversePortrait),
        ] {
            assert_eq!(named(name), Some(wanted));
        }
        assert_eq!((named("Unknown orientation"), percent(-1.0), percent(0.555)), (None, None, Some(56)));
    }
}
