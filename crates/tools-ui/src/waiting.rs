//! Waiting until something holds of a UI instance: for a person who fills in a form, or for another program.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_locate::{Error, Kind};
use uixt_toolkit::{Context, LIMIT, Reply, Tool};
use uixt_ui::{Condition, Versioned};

use crate::{about, refused};

/// Seconds: a person is slower than an app.
const TIMEOUT: f64 = 600.0;
/// Characters of the state that an error shows.
const SHOWN: usize = 300;

/// Wait until a condition of a UI instance holds, such as until a person has answered.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct WaitForInstance {
    /// Id of the instance.
    #[schemars(length(min = 1))]
    instance_id: String,
    /// Condition: `state.params.light == 'yes' and state.params.count >= 3`.
    #[schemars(length(min = 1))]
    until: String,
    /// Seconds to wait; 600 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 86_400.0))]
    timeout: Option<f64>,
}

impl WaitForInstance {
    fn timeout(&self) -> Duration {
        Duration::from_secs_f64(self.timeout.unwrap_or(TIMEOUT).clamp(0.0, 86_400.0))
    }
}

impl Tool for WaitForInstance {
    const NAME: &'static str = "wait_for_instance";
    const SET: Option<Toolset> = Some(Toolset::Ui);
    const KIND: ToolKind = ToolKind::Read;
    const PARAMS: Shape = Shape::Fields(&["instance_id", "until"]);
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("instance", "instance_id")];
    const ANSWER: &'static [&'static str] = &["status", "instance_id", "version", "seconds", "state"];

    fn check(&self) -> Result<(), String> {
        Condition::read(&self.until).map(drop).map_err(|error| error.to_string())
    }

    fn limit(&self) -> Duration {
        self.timeout() + LIMIT
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let condition = Condition::read(&self.until).map_err(|error| refused(&error.into(), &self.instance_id))?;
        let (began, timeout) = (Instant::now(), self.timeout());
        let (mut changes, mut waiting) = (crate::instances(cx)?.changes(), cx.waiting());
        loop {
            let id = self.instance_id.clone();
            let now = crate::get(cx, id).await?;
            if condition.holds(&now.instance) {
                let waited = (began.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
                let message = format!("{} holds after {waited} s", self.until);
                return Ok(about(message, &now).with("seconds", waited).with("state", json!(now.instance.state())));
            }
            cx.progress.say(began.elapsed().as_secs_f64(), timeout.as_secs_f64(), || "waiting".to_owned());
            waiting.begin();
            if tokio::time::timeout_at(began + timeout, changes.next()).await.is_err() {
                return Err(self.late(&now));
            }
        }
    }
}

impl WaitForInstance {
    fn late(&self, now: &Versioned) -> Error {
        let state = json!(now.instance.state());
        let mut shown: String = state.to_string().chars().take(SHOWN + 1).collect();
        if shown.chars().count() > SHOWN {
            shown.pop();
            shown.push('…');
        }
        let (id, seconds) = (&self.instance_id, self.timeout().as_secs_f64());
        let message = format!("{id}: {} does not hold within {seconds} s; its state is {shown}", self.until);
        Error::new(Kind::WaitTimeout, message).with("state", state).with("version", Value::from(now.version))
    }
}
