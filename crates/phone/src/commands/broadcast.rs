//! `am broadcast`: what tells the media index of a file, and the broadcasts of the keyboard that types what it is told
//! (`com.android.adbkeyboard`). Source of its actions: the README of github.com/senzhk/ADBKeyBoard.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::call::Call;
use super::intent::Intent;
use crate::adb::keycodes;
use crate::files::clean;
use crate::settings::{ADB_IME, APPIUM_IME, current_ime};

const KEY_MOVE_END: u32 = 123;
const KEY_DELETE: u32 = 67;
/// Characters that `ADB_CLEAR_TEXT` takes away at most.
const CLEARED: usize = 500;

/// Tells the media index of a file.
const SCAN: &str = "android.intent.action.MEDIA_SCANNER_SCAN_FILE";

/// What a keyboard does.
enum Typing {
    Text(String),
    Keys(Vec<u32>),
}

pub(super) async fn broadcast(call: &mut Call<'_>) -> io::Result<u8> {
    let intent = match Intent::read(&call.arguments) {
        Ok(intent) => intent,
        Err(message) => return call.fail(255, &format!("Error: {message}")).await,
    };
    call.out(format!("Broadcasting: {}\n", intent.shown("0x400000"))).await?;
    if intent.action.as_deref() == Some(SCAN) {
        scan(call, intent.data.as_deref().unwrap_or_default()).await;
    }
    let elsewhere = intent.package.as_ref().or(intent.component.as_ref().map(|(package, _)| package));
    let reaches_keyboard = elsewhere.is_none_or(|package| ADB_IME.starts_with(&format!("{package}/")));
    if reaches_keyboard && let Some(typing) = typing(&intent) {
        let typed = call.handset().act(async move |mut system| {
            if current_ime(&system.settings) != ADB_IME {
                return;
            }
            match typing {
                Typing::Text(text) => system.type_text(&text).await,
                Typing::Keys(codes) => {
                    for code in codes {
                        system.key(code).await;
                    }
                }
            }
        });
        typed.await?;
    }
    let answer = clipboard(call, &intent).await;
    call.done(format!("Broadcast completed: result={}\n", answer.as_deref().unwrap_or("0"))).await
}

/// Lets the apps that have to do with the clipboard answer: Appium's settings read it while their keyboard is in use, Clipper
/// sets it. Android 14 lets no other app read it.
async fn clipboard(call: &Call<'_>, intent: &Intent) -> Option<String> {
    let (package, action) = (intent.component.as_ref().map(|(package, _)| package.as_str()), intent.action.as_deref()?);
    let mut system = call.handset().system.lock().await;
    match (action, package) {
        ("io.appium.settings.clipboard.get", None | Some("io.appium.settings")) => {
            let may_read = current_ime(&system.settings) == APPIUM_IME;
            let text = if may_read { system.clipboard() } else { "" };
            Some(format!("-1, data=\"{}\"", STANDARD.encode(text)))
        }
        ("clipper.set", None | Some("ca.zgrs.clipper")) => {
            system.set_clipboard(intent.extras.get("text")?);
            Some("-1, data=\"Text is copied into clipboard.\"".to_owned())
        }
        _ => None,
    }
}

/// Takes the file of a `file:` address into the media index, or forgets it where it is not there.
async fn scan(call: &Call<'_>, address: &str) {
    let Some(path) = address.strip_prefix("file://") else { return };
    let path = clean("/", &decoded(path));
    let content = call.handset().files.lock().read(&path);
    let mut system = call.handset().system.lock().await;
    match content {
        Ok(content) => system.add_media(&path, &content),
        Err(_) => system.forget_media(&[path]),
    }
}

/// Reads `%XX` back.
fn decoded(address: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = address;
    while let Some(at) = rest.find('%') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let code = rest.get(at + 1..at + 3).and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(code.unwrap_or(b'%'));
        rest = &rest[at + if code.is_some() { 3 } else { 1 }..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

fn typing(intent: &Intent) -> Option<Typing> {
    let extra = |name: &str| intent.extras.get(name).map(String::as_str);
    match intent.action.as_deref()? {
        "ADB_INPUT_TEXT" => Some(Typing::Text(extra("msg")?.to_owned())),
        "ADB_INPUT_B64" => {
            let bytes = STANDARD.decode(extra("msg")?.trim()).ok()?;
            Some(Typing::Text(String::from_utf8(bytes).ok()?))
        }
        "ADB_INPUT_CHARS" => {
            let codes = extra("chars")?.split(',').filter_map(|code| char::from_u32(code.trim().parse().ok()?));
            Some(Typing::Text(codes.collect()))
        }
        "ADB_INPUT_CODE" => Some(Typing::Keys(vec![keycodes::number(extra("code")?)])),
        "ADB_CLEAR_TEXT" => Some(Typing::Keys([KEY_MOVE_END].into_iter().chain([KEY_DELETE; CLEARED]).collect())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn addresses_are_decoded() {
        assert_eq!(super::decoded("/a%20b%E5%9B%BE%zz%2"), "/a b图%zz%2");
    }
}
