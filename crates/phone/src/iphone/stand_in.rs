//! The routes that only the stand-in has: `GET /uixt/acts`, `GET` and `POST /uixt/faults`.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::dialog::{Button, Dialog, Kind, Outcome};
use super::super::settings::HARD_KEYBOARD;
use super::super::system::Alert;
use super::agent::{Agent, SPRINGBOARD};
use super::answer::Answer;
use super::http::Request;

/// Android's key that darkens the screen.
const SLEEP: u32 = 223;
/// The alert that a fault shows.
const WINDOW: &str = "uixt fault";

impl Agent {
    /// Sets a fault and does what it does at once. Errors: there is none of this name.
    pub(super) async fn set_fault(&self, name: &str, value: Value) -> Result<(), String> {
        self.faults.set(name, value)?;
        match name {
            "locked" if self.faults.is("locked") => self.handset.system.lock().await.key(SLEEP).await,
            "system_alert" => {
                let text = self.faults.text("system_alert");
                let mut system = self.handset.system.lock().await;
                system.alert.take_if(|alert| alert.window == WINDOW);
                if let Some(text) = text {
                    system.alert = Some(alert(text));
                }
            }
            "no_keyboard" => {
                let is_set = self.faults.is("no_keyboard");
                let mut system = self.handset.system.lock().await;
                system.settings.insert(HARD_KEYBOARD.to_owned(), u8::from(is_set).to_string());
                if is_set {
                    system.keyboard = None;
                }
            }
            "screenshot_stale" => self.device.lock().stale_picture = None,
            _ => {}
        }
        Ok(())
    }
}

/// Makes an alert of the system's, which only its buttons close.
fn alert(text: String) -> Alert {
    let button = |text| Button { text, id: "", leads_to: Outcome::Close };
    let buttons = vec![button("Don’t Allow"), button("Allow")];
    let kind = Kind::Ask { text: String::new(), buttons, beside: Outcome::Stay };
    Alert {
        package: SPRINGBOARD.to_owned(),
        owner: SPRINGBOARD,
        window: WINDOW.to_owned(),
        dialog: Dialog::new(text, kind),
        asked: None,
    }
}

/// Answers one of these routes.
pub(super) async fn answer(agent: &Arc<Agent>, request: &Request) -> Answer {
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/uixt/acts") => Answer::of_value(200, &agent.counts.all()),
        ("GET", "/uixt/faults") => Answer::of_value(200, &agent.faults.all()),
        ("POST", "/uixt/faults") => match set(agent, &request.body).await {
            Ok(()) => Answer::of_value(200, &agent.faults.all()),
            Err(why) => Answer::of_value(400, &json!({"error": why})),
        },
        _ => Answer::of_value(404, &json!({"error": "GET /uixt/acts, GET /uixt/faults, POST /uixt/faults"})),
    }
}

async fn set(agent: &Agent, body: &[u8]) -> Result<(), String> {
    let wanted: Map<String, Value> = serde_json::from_slice(body).map_err(|why| why.to_string())?;
    for (name, value) in wanted {
        agent.set_fault(&name, value).await?;
    }
    Ok(())
}
