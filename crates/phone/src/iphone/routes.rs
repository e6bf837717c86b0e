//! A request → whoever answers it: routes below a session, and routes without one.

use std::sync::Arc;

use serde_json::json;

use super::agent::{Agent, DONE};
use super::answer::{Answer, Outcome, Refusal};
use super::call::Call;
use super::http::Request;
use super::{actions, alerts, apps, device, elements, gestures, session, sight, typing};

/// Routes that there are without a session; a star stands for one that there is only so.
const WITHOUT_SESSION: [&str; 31] = [
    "GET alert/text",
    "GET orientation",
    "GET rotation",
    "GET screenshot",
    "GET source",
    "GET wda/accessibleSource",
    "GET wda/activeAppInfo",
    "GET wda/device/info",
    "GET wda/deviceOrientation",
    "GET wda/locked",
    "GET wda/screen",
    "GET wda/simulatedLocation",
    "GET window/size",
    "DELETE wda/simulatedLocation",
    "POST alert/accept",
    "POST alert/dismiss",
    "POST orientation",
    "POST rotation",
    "POST wda/getPasteboard",
    "POST wda/lock",
    "POST wda/setPasteboard",
    "POST wda/simulatedLocation",
    "POST wda/unlock",
    "*GET health",
    "*GET status",
    "*GET wda/healthcheck",
    "*GET wda/shutdown",
    "*POST session",
    "*POST wda/apps/launchUnattached",
    "*POST wda/device/appearance",
    "*POST wda/homescreen",
];

/// Answers a request.
pub(super) async fn answer(agent: &Arc<Agent>, request: &Request) -> Answer {
    agent.counts.add("requests", 1);
    if request.path == "/health" {
        return Answer::html(
            200,
            "<!DOCTYPE html><html><title>Health Check</title><body><p>I-AM-ALIVE</p></body></html>",
        );
    }
    let outcome = routed(agent, request).await;
    let id = agent.session.lock().as_ref().map(|session| session.id.clone());
    Answer::json(id.as_deref(), outcome)
}

async fn routed(agent: &Arc<Agent>, request: &Request) -> Outcome {
    let unknown = || Refusal::unknown_command(&request.method, &request.path);
    let path = if agent.is_old() { request.path.trim_end_matches('/') } else { request.path.as_str() };
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    if segments.iter().any(|segment| segment.is_empty()) {
        return Err(unknown());
    }
    let body = match request.body.trim_ascii() {
        [] => json!({}),
        text => serde_json::from_slice(text).unwrap_or_else(|_| json!({})),
    };
    let mut call = Call { method: &request.method, path: segments, body, query: &request.query, in_session: false };
    let ["session", id, ..] = call.path.as_slice() else {
        let route = format!("{} {}", call.method, call.path.join("/"));
        if !WITHOUT_SESSION.iter().any(|known| known.trim_start_matches('*') == route) {
            return Err(unknown());
        }
        let _turn = if is_beside(agent, &call) { None } else { Some(agent.turn.lock().await) };
        return within(agent, &call).await;
    };
    let id = (*id).to_owned();
    call.path.drain(..2);
    call.in_session = true;
    check_session(agent, &id)?;
    if call.method == "DELETE" && call.path.is_empty() {
        session::end(agent).await;
        return DONE;
    }
    let _turn = if is_beside(agent, &call) { None } else { Some(agent.turn.lock().await) };
    // Whoever waited for its turn may have lost its session meanwhile.
    if agent.faults.take_on("session_lost", path) {
        session::end(agent).await;
    }
    if agent.faults.take_on("session_forgotten", path) {
        *agent.session.lock() = None;
    }
    check_session(agent, &id)?;
    if agent.faults.take_on("crash", path) {
        apps::crash(agent).await;
    }
    let route = format!("*{} {}", call.method, call.path.join("/"));
    if WITHOUT_SESSION.contains(&route.as_str()) {
        return Err(unknown());
    }
    alerts::answer_by_itself(agent).await?;
    within(agent, &call).await
}

/// Tells whether a request is answered beside the one that is carried out.
fn is_beside(agent: &Agent, call: &Call) -> bool {
    !agent.is_old() && matches!((call.method, call.path.as_slice()), ("GET", ["status" | "screenshot"]))
}

fn check_session(agent: &Agent, id: &str) -> Result<(), Refusal> {
    let is_known = agent.session.lock().as_ref().is_some_and(|session| session.id == id);
    if is_known { Ok(()) } else { Err(Refusal::no_session()) }
}

/// Finds who answers a route, with a session or without.
async fn within(agent: &Arc<Agent>, call: &Call<'_>) -> Outcome {
    match call.path.as_slice() {
        ["status" | "session" | "timeouts"] | [] => session::answer(agent, call).await,
        ["appium", "settings"] => session::settings(agent, call),
        ["source" | "screenshot", ..] | ["wda", "accessibleSource"] => sight::answer(agent, call).await,
        ["element" | "elements", ..]
        | ["wda", "element", _, "getVisibleCells" | "accessible" | "accessibilityContainer"] => {
            elements::answer(agent, call).await
        }
        ["actions"] => actions::answer(agent, call).await,
        ["alert", ..] | ["wda", "alert", ..] => alerts::answer(agent, call).await,
        ["url"] | ["wda", "apps", ..] | ["wda", "activeAppInfo" | "deactivateApp" | "resetAppAuth"] => {
            apps::answer(agent, call).await
        }
        ["wda", "keys"] | ["wda", "keyboard", ..] | ["wda", "element", _, "keyboardInput"] => {
            typing::answer(agent, call).await
        }
        ["wda", "element", ..] => gestures::answer(agent, call).await,
        ["wda", name, ..] if gestures::NAMES.contains(name) => gestures::answer(agent, call).await,
        _ => device::answer(agent, call).await,
    }
}
