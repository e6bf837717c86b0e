//! Apps: launched, brought forward, ended, told of; links. Source: `FBSessionCommands`, `FBCustomCommands`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::launcher;
use super::super::system::System;
use super::agent::{Agent, DONE, package};
use super::answer::{Outcome, Refusal};
use super::call::Call;
use super::words;

/// What `XCUIApplicationState` calls the states.
const UNKNOWN: u8 = 0;
const NOT_RUNNING: u8 = 1;
const BACKGROUND: u8 = 3;
const FOREGROUND: u8 = 4;
/// An app that was put away comes back after this many seconds, unless a request says otherwise.
const AWAY: f64 = 3.0;

pub(super) async fn answer(agent: &Arc<Agent>, call: &Call<'_>) -> Outcome {
    match (call.method, call.path.as_slice()) {
        ("POST", ["wda", "apps", "launch" | "launchUnattached"]) => {
            let name = wanted(call)?;
            agent.note_name(call.text("bundleId").unwrap_or_default());
            launch(agent, name, (call.body["arguments"].clone(), call.body["environment"].clone())).await?;
            expect(agent, name, true);
            DONE
        }
        ("POST", ["wda", "apps", "activate"]) => {
            let name = wanted(call)?;
            agent.note_name(call.text("bundleId").unwrap_or_default());
            launch(agent, name, (Value::Null, Value::Null)).await?;
            DONE
        }
        ("POST", ["wda", "apps", "terminate"]) => {
            let name = wanted(call)?;
            expect(agent, name, false);
            Ok(json!(stop(agent, name).await?))
        }
        ("POST", ["wda", "apps", "state"]) => {
            let name = wanted(call)?;
            let system = agent.handset.system.lock().await;
            Ok(json!(state(&system, name)))
        }
        ("GET", ["wda", "apps", "list"]) => {
            let system = agent.handset.system.lock().await;
            let front = system.front.clone().unwrap_or_else(|| launcher::PACKAGE.to_owned());
            Ok(json!([{"pid": system.pid(&front), "bundleId": agent.bundle(&front)}]))
        }
        ("GET", ["wda", "activeAppInfo"]) => info(agent).await,
        ("POST", ["wda", "deactivateApp"]) => put_away(agent, call.number("duration").unwrap_or(AWAY)).await,
        ("POST", ["wda", "resetAppAuth"]) => reset(agent, call).await,
        ("POST", ["url"]) => {
            let url = call.text("url").ok_or_else(|| Refusal::argument("URL is required"))?;
            open_url(agent, url).await?;
            DONE
        }
        _ => Err(call.unknown()),
    }
}

fn wanted<'a>(call: &'a Call<'_>) -> Result<&'a str, Refusal> {
    call.text("bundleId").map(package).ok_or_else(|| Refusal::argument("'bundleId' must be set"))
}

/// Notes whether the session's own app is to run; nothing for another one.
fn expect(agent: &Agent, name: &str, runs: bool) {
    if let Some(session) = agent.session.lock().as_mut()
        && session.tested.as_deref() == Some(name)
    {
        session.expects_app = runs;
    }
}

/// Starts an app, or brings it forward as it is; its arguments count only where it starts.
pub(super) async fn launch(agent: &Agent, name: &str, given: (Value, Value)) -> Result<(), Refusal> {
    let owned = name.to_owned();
    let done = agent.act(async move |mut system| {
        let was_running = system.pid(&owned).is_some();
        let launched = system.launch(&owned).await;
        (was_running, launched)
    });
    let (was_running, launched) = done.await?;
    if launched.is_err() {
        let message = format!("The application with bundle identifier \"{}\" is not installed", agent.bundle(name));
        return Err(Refusal::argument(message));
    }
    if !was_running {
        agent.counts.add("launches", 1);
        let given = [given.0, given.1].map(|part| part);
        let [arguments, environment] = given;
        let filled = |value: Value, empty: Value| if value.is_null() { empty } else { value };
        let kept = (filled(arguments, json!([])), filled(environment, json!({})));
        agent.device.lock().launched.insert(name.to_owned(), kept);
    }
    Ok(())
}

/// Ends an app; whether it ran.
pub(super) async fn stop(agent: &Agent, name: &str) -> Result<bool, Refusal> {
    let owned = name.to_owned();
    let ended = agent.act(async move |mut system| system.force_stop(&owned)).await?;
    if ended {
        agent.counts.add("terminations", 1);
    }
    Ok(ended)
}

/// Ends the app in front, as a crash does.
pub(super) async fn crash(agent: &Agent) {
    let mut system = agent.handset.system.lock().await;
    if let Some(front) = system.front.clone() {
        system.force_stop(&front);
    }
}

pub(super) fn state(system: &System, name: &str) -> u8 {
    if name == launcher::PACKAGE {
        return FOREGROUND;
    }
    match (system.apps().iter().any(|app| app.package == name), system.pid(name)) {
        (false, None) => UNKNOWN,
        (true, None) => NOT_RUNNING,
        _ if system.front.as_deref() == Some(name) => FOREGROUND,
        _ => BACKGROUND,
    }
}

/// Returns what has to do with a session's commands: an app's name, or none for the home screen. Errors: the session's app has
/// ended.
pub(super) fn active(agent: &Agent, system: &System) -> Result<Option<String>, Refusal> {
    let in_front = || system.front.clone().filter(|_| !system.is_locked());
    let tested =
        agent.session.lock().as_ref().filter(|session| session.expects_app).and_then(|session| session.tested.clone());
    let named = agent.setting("defaultActiveApplication");
    let named = named.as_str().filter(|name| *name != "auto").map(package);
    if let Some(named) = named.filter(|name| state(system, name) == FOREGROUND) {
        return Ok(Some(named.to_owned()).filter(|name| name != launcher::PACKAGE));
    }
    if let Some(tested) = tested
        && tested != launcher::PACKAGE
        && state(system, &tested) <= NOT_RUNNING
    {
        let message = format!(
            "The application under test with bundle id '{}' is not running, possibly crashed",
            agent.bundle(&tested)
        );
        return Err(Refusal::state(message));
    }
    let respects = agent.is_set("respectSystemAlerts");
    Ok(in_front().filter(|_| !(respects && system.asks_itself())))
}

async fn info(agent: &Agent) -> Outcome {
    let system = agent.handset.system.lock().await;
    let name = active(agent, &system)?.unwrap_or_else(|| launcher::PACKAGE.to_owned());
    let given = agent.device.lock().launched.get(&name).cloned();
    let (arguments, environment) = given.unwrap_or_else(|| (json!([]), json!({})));
    Ok(json!({
        "pid": system.pid(&name),
        "bundleId": agent.bundle(&name),
        "name": "",
        "processArguments": {"args": arguments, "env": environment},
    }))
}

async fn put_away(agent: &Agent, seconds: f64) -> Outcome {
    let front = agent.handset.system.lock().await.front.clone();
    agent.act(async move |mut system| system.go_home()).await?;
    tokio::time::sleep(Duration::from_secs_f64(seconds.clamp(0.0, 600.0))).await;
    if let Some(front) = front {
        launch(agent, &front, (Value::Null, Value::Null)).await?;
    }
    DONE
}

/// Forgets what the app in front was allowed.
async fn reset(agent: &Agent, call: &Call<'_>) -> Outcome {
    if words::number(&call.body["resource"]).is_none() {
        return Err(Refusal::argument(
            "The 'resource' argument must be set to a valid resource identifier (numeric value).",
        ));
    }
    let mut system = agent.handset.system.lock().await;
    if let Some(name) = active(agent, &system)? {
        system.permissions.retain(|(owner, _), _| *owner != name);
    }
    DONE
}

/// Opens a link in the app that takes it.
pub(super) async fn open_url(agent: &Agent, url: &str) -> Result<(), Refusal> {
    let owned = url.to_owned();
    let opened = agent.act(async move |mut system| system.open_link(&owned).await).await?;
    opened.map_err(|_| Refusal::unknown(format!("The URL {url} could not be opened: no app takes it")))?;
    agent.counts.add("links", 1);
    Ok(())
}
