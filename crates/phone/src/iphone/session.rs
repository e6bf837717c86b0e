//! The one session: what a client asks of it, its settings, its end. Source: `FBSessionCommands`, `FBSession`, `FBSettings`.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::agent::{Agent, DONE, package};
use super::answer::{Outcome, Refusal};
use super::call::Call;
use super::settings::{DEFAULTS, Session, default_of};
use super::{apps, words};

/// The version of iOS that is told.
pub(super) const VERSION: &str = "18.5";

pub(super) async fn answer(agent: &Arc<Agent>, call: &Call<'_>) -> Outcome {
    match (call.method, call.path.as_slice()) {
        ("GET", ["status"]) => Ok(status(agent)),
        ("POST", ["session"]) => begin(agent, call).await,
        ("POST", ["timeouts"]) => DONE,
        ("GET", []) => Ok(information(agent)),
        _ => Err(call.unknown()),
    }
}

fn status(agent: &Agent) -> Value {
    let version = if agent.is_old() { "5.15.8" } else { "16.12.7" };
    json!({
        "ready": true,
        "message": "WebDriverAgent is ready to accept commands",
        "state": "success",
        "os": {"name": "iOS", "version": VERSION, "sdkVersion": VERSION, "testmanagerdVersion": 65535},
        "ios": {"ip": "127.0.0.1"},
        "build": {"time": "Jan  1 2026 00:00:00", "productBundleIdentifier": "com.facebook.WebDriverAgentRunner", "version": version},
        "device": "iphone",
    })
}

fn information(agent: &Agent) -> Value {
    let id = agent.session.lock().as_ref().map(|session| session.id.clone());
    json!({"sessionId": id, "capabilities": {"device": "iphone", "sdkVersion": VERSION}})
}

async fn begin(agent: &Arc<Agent>, call: &Call<'_>) -> Outcome {
    end(agent).await;
    let wanted = call.body["capabilities"].as_object();
    let wanted = wanted.ok_or_else(|| Refusal::not_created("'capabilities' is mandatory to create a new session"))?;
    let capabilities = merged(wanted)?;
    let get = |name: &str| capabilities.get(name).cloned().unwrap_or_default();
    let flag = |name: &str, default: bool| words::truth(&get(name)).unwrap_or(default);
    let tested = get("bundleId").as_str().map(|bundle| package(bundle).to_owned());
    if let Some(package) = &tested {
        if flag("forceAppLaunch", true) {
            apps::stop(agent, package).await?;
        }
        let launched = apps::launch(agent, package, (get("arguments"), get("environment"))).await;
        launched.map_err(|refusal| Refusal::not_created(refusal.message))?;
    }
    if let Some(url) = get("initialUrl").as_str() {
        let opened = apps::open_url(agent, url).await;
        opened.map_err(|refusal| Refusal::not_created(refusal.message))?;
    }
    let mut settings = Map::new();
    for name in ["maxTypingFrequency", "waitForIdleTimeout", "defaultAlertAction", "shouldUseCompactResponses"] {
        if let Some(value) = capabilities.get(name).filter(|value| !value.is_null()) {
            settings.insert(name.to_owned(), value.clone());
        }
    }
    *agent.session.lock() = Some(Session {
        id: new_id(),
        expects_app: tested.is_some(),
        tested,
        ends_app: flag("shouldTerminateApp", true),
        settings,
        elements: VecDeque::new(),
    });
    agent.counts.add("sessions", 1);
    Ok(information(agent))
}

/// Puts `alwaysMatch` and the first of `firstMatch` together; names lose their prefix.
fn merged(wanted: &Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    let empty = json!({});
    let always = wanted.get("alwaysMatch").unwrap_or(&empty);
    let first = wanted.get("firstMatch").and_then(|all| all.get(0)).unwrap_or(&empty);
    let (Some(always), Some(first)) = (always.as_object(), first.as_object()) else {
        return Err(Refusal::not_created("'alwaysMatch' and what 'firstMatch' holds must be maps"));
    };
    let plain =
        |(name, value): (&String, &Value)| (name.strip_prefix("appium:").unwrap_or(name).to_owned(), value.clone());
    Ok(always.iter().chain(first).map(plain).collect())
}

fn new_id() -> String {
    let part = || fastrand::u16(..);
    let (first, last) = (fastrand::u32(..), fastrand::u64(..) >> 16);
    format!("{first:08X}-{:04X}-{:04X}-{:04X}-{last:012X}", part(), part(), part())
}

/// Ends the session that lives, and its app where it says so.
pub(super) async fn end(agent: &Agent) {
    let ended = agent.session.lock().take();
    let app = ended.filter(|session| session.ends_app).and_then(|session| session.tested);
    if let Some(package) = app {
        // It may have ended already.
        let _ = apps::stop(agent, &package).await;
    }
}

/// Tells the settings, and sets those that stand under `settings`.
pub(super) fn settings(agent: &Agent, call: &Call<'_>) -> Outcome {
    if !["GET", "POST"].contains(&call.method) {
        return Err(call.unknown());
    }
    let wanted = match (call.method, &call.body["settings"]) {
        ("POST", Value::Object(wanted)) => wanted.clone(),
        ("POST", Value::Null) | ("GET", _) => Map::new(),
        _ => return Err(Refusal::argument("settings must be a dictionary")),
    };
    let mut session = agent.session.lock();
    let session = session.as_mut().ok_or_else(Refusal::no_session)?;
    let known = wanted.into_iter().filter(|(name, _)| DEFAULTS.iter().any(|(known, _)| known == name));
    session.settings.extend(known);
    let told = DEFAULTS.iter().map(|(name, _)| {
        let value = session.settings.get(*name).cloned().unwrap_or_else(|| default_of(name));
        ((*name).to_owned(), value)
    });
    Ok(Value::Object(told.collect()))
}
