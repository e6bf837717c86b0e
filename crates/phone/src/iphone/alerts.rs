//! Alerts of the system and of the app in front: read, accepted, dismissed. Source: `FBAlert`, `FBAlertViewCommands`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::agent::{Agent, DONE};
use super::answer::{Outcome, Refusal};
use super::call::Call;
use super::element::Element;
use super::gestures::{self, Stroke};
use super::{chain, sight};

/// An alert that is open, with the pixels of a point.
struct Open {
    alert: Element,
    scale: f64,
}

pub(super) async fn answer(agent: &Arc<Agent>, call: &Call<'_>) -> Outcome {
    match (call.method, call.path.as_slice()) {
        ("GET", ["alert", "text"]) => {
            let open = open(agent).await.ok_or_else(Refusal::no_alert)?;
            Ok(json!(text(&open.alert)))
        }
        ("POST", ["alert", "text"]) => {
            if call.body["value"].is_null() {
                return Err(Refusal::argument("Missing 'value' parameter"));
            }
            open(agent).await.ok_or_else(Refusal::no_alert)?;
            Err(Refusal::unsupported("The alert contains no input fields"))
        }
        ("POST", ["alert", how @ ("accept" | "dismiss")]) => {
            close(agent, how, call.text("name")).await?;
            DONE
        }
        ("GET", ["wda", "alert", "buttons"]) => {
            let open = open(agent).await.ok_or_else(Refusal::no_alert)?;
            Ok(buttons(&open.alert).into_iter().filter_map(Element::label).map(Value::from).collect())
        }
        _ => Err(call.unknown()),
    }
}

/// Returns the alert that is open: the system's before the app's.
async fn open(agent: &Agent) -> Option<Open> {
    let mut system = agent.handset.system.lock().await;
    system.catch_up();
    let scale = sight::points(&system);
    let is_alert = |element: &&Element| matches!(element.kind, "Alert" | "Sheet");
    let of = |tree: Element| tree.descendants().into_iter().find(is_alert).cloned();
    let front = system.front.clone().filter(|_| !system.is_locked());
    let alert = of(system.tree(None)).or_else(|| of(system.tree(Some(&front?))));
    alert.map(|alert| Open { alert, scale })
}

fn text(alert: &Element) -> String {
    let mut texts = Vec::new();
    gather(alert, &mut texts);
    texts.join("\n")
}

/// Gathers the texts that are not those of buttons.
fn gather(element: &Element, texts: &mut Vec<String>) {
    for child in element.children.iter().filter(|child| child.kind != "Button") {
        if matches!(child.kind, "StaticText" | "TextView") {
            texts.extend(child.label().or_else(|| child.value()));
        }
        gather(child, texts);
    }
}

fn buttons(alert: &Element) -> Vec<&Element> {
    alert.descendants().into_iter().filter(|element| element.kind == "Button").collect()
}

/// Taps a button: the one of a name, or the one that accepts or dismisses.
async fn close(agent: &Arc<Agent>, how: &str, name: Option<&str>) -> Result<(), Refusal> {
    let Open { alert, scale } = open(agent).await.ok_or_else(Refusal::no_alert)?;
    let all = buttons(&alert);
    let chosen = if let Some(name) = name {
        all.iter().find(|button| button.label().as_deref() == Some(name)).copied()
    } else {
        let setting = if how == "accept" { "acceptAlertButtonSelector" } else { "dismissAlertButtonSelector" };
        let selector = agent.setting(setting);
        let selector = selector.as_str().filter(|selector| !selector.is_empty());
        let selected = selector.and_then(|selector| chain::all(&alert, selector).ok()?.first().copied());
        // An alert's last button accepts, a sheet's first one.
        let is_last = (alert.kind == "Alert") == (how == "accept");
        let by_place = if is_last { all.last() } else { all.first() };
        selected.or(by_place.copied())
    };
    let chosen = chosen.ok_or_else(|| {
        let label = name.map(|name| format!("button with label '{name}'"));
        Refusal::state(format!("Failed to find {} for alert", label.unwrap_or_else(|| format!("{how} button"))))
    })?;
    let area = chosen.area;
    let middle = |from: i32, to: i32| f64::from(from + to) / 2.0 / scale;
    let at = (middle(area.left, area.right), middle(area.top, area.bottom));
    agent.counts.add("alerts", 1);
    gestures::perform(agent, vec![(0, Stroke { points: vec![(at, 0)], end: 50 })]).await
}

/// Does with an alert what the session says is done with any.
pub(super) async fn answer_by_itself(agent: &Arc<Agent>) -> Result<(), Refusal> {
    let how = agent.setting("defaultAlertAction");
    if let Some(how @ ("accept" | "dismiss")) = how.as_str()
        && open(agent).await.is_some()
    {
        close(agent, how, None).await?;
    }
    Ok(())
}
