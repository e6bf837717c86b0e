//! The device itself: how large and how it is turned, its keys, its lock, its pasteboard. Source: `FBCustomCommands`,
//! `FBOrientationCommands`, `FBElementCommands`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::super::bars::status_height;
use super::super::system::System;
use super::super::widgets::Look;
use super::agent::{Agent, DONE};
use super::answer::{Outcome, Refusal};
use super::call::Call;
use super::sight::points;
use super::{apps, words};

/// Android's keys: power, darken, light.
const POWER: u32 = 26;
const SLEEP: u32 = 223;
const WAKE: u32 = 224;
/// Page and usage of the power key (`kHIDPage_Consumer`, `kHIDUsage_Csmr_Power`).
const POWER_KEY: (f64, f64) = (12.0, 48.0);
/// How far the device is turned where the screen is turned by so many quarters: landscape has the top at the left, which is 270.
const ROTATIONS: [u64; 4] = [0, 270, 180, 90];

pub(super) async fn answer(agent: &Arc<Agent>, call: &Call<'_>) -> Outcome {
    match (call.method, call.path.as_slice()) {
        ("GET", ["window", "size"]) => size(agent, false).await,
        ("GET", ["window", "rect"]) if !agent.is_old() => size(agent, true).await,
        ("GET", ["wda", "screen"]) => screen(agent).await,
        ("GET", ["orientation" | "rotation"] | ["wda", "deviceOrientation"]) => turned(agent, call).await,
        ("POST", ["orientation" | "rotation"]) => turn(agent, call).await,
        ("POST", ["wda", "homescreen"]) => home(agent).await,
        ("POST", ["wda", "pressButton"]) => press(agent, call).await,
        ("POST", ["wda", "performIoHidEvent"]) => hid(agent, call).await,
        ("POST", ["wda", "lock"]) => lock(agent, true).await,
        ("POST", ["wda", "unlock"]) => lock(agent, false).await,
        ("GET", ["wda", "locked"]) => {
            let system = agent.handset.system.lock().await;
            Ok(json!(system.is_locked()))
        }
        ("POST", ["wda", "setPasteboard" | "getPasteboard"]) => pasteboard(agent, call).await,
        ("GET", ["wda", "device", "info"]) => Ok(info(agent)),
        ("POST", ["wda", "device", "appearance"]) => appearance(agent, call),
        ("GET", ["wda", "batteryInfo"]) => Ok(json!({"level": 1, "state": 2})),
        (_, ["wda", "simulatedLocation"]) => location(agent, call),
        ("GET", ["wda", "healthcheck"]) => DONE,
        ("POST", ["wda", "siri", "activate"]) => ask_siri(agent, call).await,
        ("GET", ["wda", "shutdown"]) => {
            agent.is_ending.store(true, Ordering::SeqCst);
            Ok(json!("Shutting down"))
        }
        _ => Err(call.unknown()),
    }
}

/// Asks Siri, who knows how to open apps and nothing else.
async fn ask_siri(agent: &Agent, call: &Call<'_>) -> Outcome {
    let text = call.text("text").ok_or_else(|| Refusal::argument("'text' must be set"))?.to_lowercase();
    let system = agent.handset.system.lock().await;
    let wanted = text.strip_prefix("open ").map(str::trim);
    let app = system.apps().iter().find(|app| Some(app.label.to_lowercase().as_str()) == wanted);
    let name = app.map(|app| app.package.clone());
    drop(system);
    if let Some(name) = name {
        apps::launch(agent, &name, (Value::Null, Value::Null)).await?;
    }
    DONE
}

/// Returns width and height in points, as the screen is turned.
fn sides(system: &System) -> (f64, f64) {
    let (width, height) = system.size();
    let scale = points(system);
    (f64::from(width) / scale, f64::from(height) / scale)
}

/// Tells a length as a whole number where it is one, as WDA's JSON does.
#[expect(clippy::cast_possible_truncation, reason = "a length on a screen")]
fn length(points: f64) -> Value {
    if points.fract() == 0.0 { json!(points as i64) } else { json!(points) }
}

async fn size(agent: &Agent, with_place: bool) -> Outcome {
    let (width, height) = sides(&*agent.handset.system.lock().await);
    let mut told = json!({"width": length(width), "height": length(height)});
    if with_place {
        told["x"] = json!(0);
        told["y"] = json!(0);
    }
    Ok(told)
}

async fn screen(agent: &Agent) -> Outcome {
    let system = agent.handset.system.lock().await;
    let (width, height) = sides(&system);
    let bar = status_height(&Look::of_iphone(system.scale()));
    Ok(json!({
        "screenSize": {"width": length(width), "height": length(height)},
        "statusBarSize": {"width": length(width), "height": length(f64::from(bar))},
        "scale": length(points(&system)),
    }))
}

async fn turned(agent: &Agent, call: &Call<'_>) -> Outcome {
    let quarter = agent.handset.system.lock().await.rotation() % 4;
    let is_wide = quarter % 2 == 1;
    Ok(match call.path.first() {
        Some(&"orientation") => json!(if is_wide { "LANDSCAPE" } else { "PORTRAIT" }),
        Some(&"rotation") => json!({"x": 0, "y": 0, "z": ROTATIONS[usize::from(quarter)]}),
        _ => json!(["PORTRAIT", "LANDSCAPE_LEFT", "PORTRAIT_UPSIDE_DOWN", "LANDSCAPE_RIGHT"][usize::from(quarter)]),
    })
}

async fn turn(agent: &Agent, call: &Call<'_>) -> Outcome {
    let quarter = if call.path.first() == Some(&"rotation") {
        let given = ["x", "y", "z"].map(|name| call.number(name));
        let [Some(x), Some(y), Some(z)] = given else {
            return Err(Refusal::argument(format!(
                "x, y and z arguments must exist in the request body: {}",
                call.body
            )));
        };
        let known = ROTATIONS.iter().position(|known| x == 0.0 && y == 0.0 && words::number(&json!(known)) == Some(z));
        known.ok_or_else(|| Refusal::argument(format!("{} rotation is not supported.", call.body)))?
    } else {
        let name = call.text("orientation").unwrap_or_default().to_ascii_uppercase();
        match name.as_str() {
            "PORTRAIT" => 0,
            "LANDSCAPE" => 1,
            // No page of an iPhone stands on its head.
            "UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT" => 3,
            _ => return Err(Refusal::unknown("Unable To Rotate Device")),
        }
    };
    let quarter = u8::try_from(quarter).unwrap_or(0);
    agent.handset.system.lock().await.set_rotation(quarter);
    DONE
}

async fn home(agent: &Agent) -> Outcome {
    agent.counts.add("homes", 1);
    agent.act(async move |mut system| system.press_home().await).await?;
    DONE
}

async fn press(agent: &Agent, call: &Call<'_>) -> Outcome {
    let name = call.text("name").unwrap_or_default().to_ascii_lowercase();
    match name.as_str() {
        "home" => home(agent).await,
        "volumeup" | "volumedown" | "action" | "camera" => {
            agent.counts.add("presses", 1);
            DONE
        }
        _ => Err(Refusal::unknown(format!(
            "The button '{name}' is not supported. The device under test only supports the following buttons: \
             (home, volumeup, volumedown, action, camera)"
        ))),
    }
}

async fn hid(agent: &Agent, call: &Call<'_>) -> Outcome {
    let key = call.number("page").zip(call.number("usage"));
    let key = key.ok_or_else(|| Refusal::argument("'page' and 'usage' must be numbers"))?;
    agent.counts.add("presses", 1);
    if key == POWER_KEY {
        agent.act(async move |mut system| system.key(POWER).await).await?;
    }
    DONE
}

/// Darkens the screen and locks it, or lights it and opens it.
async fn lock(agent: &Agent, is_locking: bool) -> Outcome {
    agent.counts.add("presses", 1);
    let stays = agent.faults.is("locked");
    agent
        .act(async move |mut system| {
            if is_locking {
                return system.key(SLEEP).await;
            }
            system.key(WAKE).await;
            if !stays {
                system.dismiss_lock();
            }
        })
        .await?;
    if !is_locking && stays {
        return Err(Refusal::unknown("Timed out while waiting until the screen gets unlocked"));
    }
    DONE
}

async fn pasteboard(agent: &Agent, call: &Call<'_>) -> Outcome {
    let kind = call.text("contentType").unwrap_or("plaintext").to_ascii_lowercase();
    if !["plaintext", "url", "image"].contains(&kind.as_str()) {
        return Err(Refusal::unknown(format!(
            "Unsupported content type: {kind}. Only the following content types are supported: (plaintext, image, url)"
        )));
    }
    let mut system = agent.handset.system.lock().await;
    if call.path.last() == Some(&"getPasteboard") {
        return Ok(json!(STANDARD.encode(system.clipboard())));
    }
    let content = call.text("content").and_then(|text| STANDARD.decode(text.trim()).ok());
    let content = content.ok_or_else(|| Refusal::argument("Cannot decode the pasteboard content from base64"))?;
    system.set_clipboard(&String::from_utf8_lossy(&content));
    DONE
}

fn info(agent: &Agent) -> Value {
    let style = if agent.device.lock().is_dark { "dark" } else { "light" };
    json!({
        "currentLocale": "en_US", "timeZone": "GMT", "name": agent.options.name, "model": "iPhone",
        "uuid": "1DD6F51C-1C9E-4D67-8B5A-7F2F0D0E0001", "userInterfaceIdiom": 0, "userInterfaceStyle": style,
        "isSimulator": false, "thermalState": 0,
    })
}

fn appearance(agent: &Agent, call: &Call<'_>) -> Outcome {
    let name = call.text("name").unwrap_or_default().to_ascii_lowercase();
    if !["light", "dark"].contains(&name.as_str()) {
        return Err(Refusal::argument("The appearance name must be either 'light' or 'dark'"));
    }
    agent.device.lock().is_dark = name == "dark";
    DONE
}

fn location(agent: &Agent, call: &Call<'_>) -> Outcome {
    let mut device = agent.device.lock();
    match call.method {
        "POST" => {
            let place = call.number("latitude").zip(call.number("longitude"));
            let place = place.ok_or_else(|| Refusal::argument("Both latitude and longitude must be provided"))?;
            device.location = Some(place);
            DONE
        }
        "DELETE" => {
            device.location = None;
            DONE
        }
        "GET" => {
            let (latitude, longitude) = device.location.unzip();
            Ok(json!({"latitude": latitude, "longitude": longitude, "altitude": device.location.map(|_| 0)}))
        }
        _ => Err(call.unknown()),
    }
}
