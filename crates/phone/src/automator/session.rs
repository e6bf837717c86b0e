//! A session of the server: what its routes do. Element routes stand in `elements`, what is only told in `facts`.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::super::handset::Handset;
use super::super::screenshot::encoded;
use super::life::Session;
use super::refusal::{Outcome, Refusal};
use super::tree::{TIMEOUT, source};
use super::{elements, facts, packages, touches};
use crate::jobs::off_thread;

/// How long the server lives on after its session, for the answer.
const FAREWELL: Duration = Duration::from_millis(50);
/// The keys that the system takes itself.
const SYSTEM_KEYS: [u64; 5] = [3, 26, 187, 223, 224];

pub(super) async fn answer(handset: &Arc<Handset>, method: &str, segments: &[&str], body: Value) -> Outcome {
    match (method, segments) {
        ("GET", ["status"]) => Ok(status(handset).await),
        ("GET", ["sessions"]) => {
            let found =
                handset.automator.session(|session| json!({"id": session.id, "capabilities": session.capabilities}));
            Ok(Value::Array(found.into_iter().collect()))
        }
        ("POST", ["session"]) => begin(handset, &body),
        (_, ["session", id, rest @ ..]) => {
            let is_known = handset.automator.session(|session| session.id == *id);
            if is_known != Some(true) {
                let message = "The session identified by the given id is either terminated or not started";
                return Err(Refusal::new(404, "invalid session id", message));
            }
            within(handset, method, rest, body).await
        }
        _ => Err(Refusal::unknown_command()),
    }
}

async fn status(handset: &Handset) -> Value {
    let build = handset.system.lock().await.automators.get(packages::SERVER).cloned();
    let (version, code) = build.map(|release| (release.version_name, release.version_code)).unwrap_or_default();
    json!({"ready": true, "message": "UiAutomator2 Server is ready to accept commands",
        "build": {"version": version, "versionCode": code}})
}

fn begin(handset: &Handset, body: &Value) -> Outcome {
    let Some(wanted) = body["capabilities"].as_object() else {
        let message = "'capabilities' are mandatory for session creation";
        return Err(Refusal::new(500, "session not created", message));
    };
    let mut capabilities = wanted.get("alwaysMatch").and_then(Value::as_object).cloned().unwrap_or_default();
    let first = wanted.get("firstMatch").and_then(|all| all.get(0)).and_then(Value::as_object).cloned();
    capabilities.extend(first.unwrap_or_default());
    let part = || fastrand::u16(..);
    let id = format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        fastrand::u32(..),
        part(),
        part(),
        part(),
        fastrand::u64(..) >> 16
    );
    let capabilities = Value::Object(capabilities);
    let session =
        Session { id: id.clone(), capabilities: capabilities.clone(), settings: Map::new(), elements: Vec::new() };
    handset.automator.set_session(Some(session));
    Ok(json!({"sessionId": id, "capabilities": capabilities}))
}

async fn within(handset: &Arc<Handset>, method: &str, segments: &[&str], body: Value) -> Outcome {
    match (method, segments) {
        ("GET", []) => Ok(handset.automator.session(|session| session.capabilities.clone()).unwrap_or_default()),
        ("DELETE", []) => Ok(end(handset)),
        ("GET", ["source"]) => source(handset).await.map(Value::String),
        ("GET", ["screenshot"]) => screenshot(handset).await,
        ("POST", ["actions"]) => touches::perform(handset, &body["actions"]).await,
        ("DELETE", ["actions"]) => Ok(Value::Null),
        ("GET", ["appium", "settings"]) => {
            Ok(handset.automator.session(|session| session.settings.clone().into()).unwrap_or_default())
        }
        ("POST", ["appium", "settings"]) => settle(handset, &body),
        ("POST", ["back"]) => press(handset, 4).await,
        ("POST", ["appium", "device", "press_keycode"]) => press(handset, key(&body)?).await,
        ("POST", ["appium", "gestures", "click"]) => {
            let number = |name: &str| body["offset"][name].as_f64();
            let at = number("x").zip(number("y")).ok_or_else(|| Refusal::argument("'offset' must have x and y"))?;
            touches::tap(handset, at).await
        }
        ("POST", ["appium", "device", "set_clipboard"]) => set_clipboard(handset, &body).await,
        // It is not in front, and Android shows the clipboard to who is.
        ("POST", ["appium", "device", "get_clipboard"]) => Ok(json!("")),
        ("POST", ["keys"]) | (_, ["element" | "elements", ..]) => {
            elements::answer(handset, method, segments, body).await
        }
        _ => facts::answer(handset, method, segments, &body).await,
    }
}

/// Ends the session, and with it the server.
fn end(handset: &Arc<Handset>) -> Value {
    handset.automator.set_session(None);
    let (over, handset) = (handset.automator.running(), handset.clone());
    tokio::spawn(async move {
        tokio::time::sleep(FAREWELL).await;
        // Where this one was killed meanwhile, another may run.
        if over.is_some_and(|over| !over.is_cancelled()) {
            handset.automator.finish();
        }
    });
    Value::Null
}

async fn screenshot(handset: &Handset) -> Outcome {
    handset.now_ms().await;
    let (width, height, pixels) = handset.system.lock().await.pixels();
    let picture = off_thread(Box::new(move || encoded(width, height, &pixels))).await;
    picture.map(|png| STANDARD.encode(png).into()).map_err(|error| Refusal::unknown(error.to_string()))
}

/// The settings that it knows, of which `enableMultiWindows` alone changes anything here.
const SETTINGS: [&str; 12] = [
    "actionAcknowledgmentTimeout",
    "allowInvisibleElements",
    "disableIdLocatorAutocompletion",
    "enableMultiWindows",
    "enableNotificationListener",
    "ignoreUnimportantViews",
    "keyInjectionDelay",
    "scrollAcknowledgmentTimeout",
    "shouldUseCompactResponses",
    "snapshotMaxDepth",
    "waitForIdleTimeout",
    "waitForSelectorTimeout",
];

fn settle(handset: &Handset, body: &Value) -> Outcome {
    let wanted = body["settings"].as_object().ok_or_else(|| Refusal::argument("'settings' must be a map"))?;
    if let Some(unknown) = wanted.keys().find(|name| !SETTINGS.contains(&name.as_str())) {
        let message =
            format!("Setting '{unknown}' is not supported. Only the following settings are supported: {SETTINGS:?}");
        return Err(Refusal::new(500, "unsupported operation", message));
    }
    handset.automator.session(|session| session.settings.extend(wanted.clone()));
    Ok(Value::Null)
}

fn key(body: &Value) -> Result<u64, Refusal> {
    body["keycode"].as_u64().ok_or_else(|| Refusal::argument("'keycode' must be a number"))
}

async fn press(handset: &Handset, code: u64) -> Outcome {
    handset.note("UiAutomator2", format!("key {code}")).await;
    if !SYSTEM_KEYS.contains(&code) && !handset.until_it_answers(TIMEOUT).await {
        return Err(Refusal::unknown(format!("Cannot generate key press event for key code {code}")));
    }
    let code = u32::try_from(code).unwrap_or(u32::MAX);
    let pressed = handset.act(async move |mut system| system.key(code).await).await;
    pressed.map(|()| Value::Null).map_err(|error| Refusal::unknown(error.to_string()))
}

async fn set_clipboard(handset: &Handset, body: &Value) -> Outcome {
    let content = body["content"].as_str().and_then(|text| STANDARD.decode(text.trim()).ok());
    let text = content.and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.ok_or_else(|| Refusal::argument("'content' must be text in Base64"))?;
    handset.system.lock().await.set_clipboard(&text);
    Ok(Value::Null)
}
