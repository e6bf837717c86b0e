//! An agent beside: its calls are seen on pages, become steps while somebody records, and wait while a person has the device.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::watch;
use uixt_call::{
    Boxed, Call, CallRecord, CallToolRequest, CallToolResult, Caller, Content, Table, ToolDefinition, ToolKind,
};
use uixt_core::secrets::Secrets;
use uixt_core::yaml;
use uixt_locate::{Error, Kind, Object};

use crate::act::merge;
use crate::stage::Stage;
use crate::studio::Studio;

/// How long a call waits for a person to give the device back: less than most programs wait for a call.
const PATIENCE: Duration = Duration::from_secs(50);
/// How often the agent is told that it waits.
const TELL: Duration = Duration::from_secs(5);
/// Most characters of a call that are shown.
const LONGEST: usize = 200;

/// The number of the next call that is shown.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

/// Whether a person has taken the device over.
pub(crate) struct Turns(watch::Sender<bool>);

impl Turns {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    pub(crate) fn are_taken(&self) -> bool {
        *self.0.borrow()
    }

    fn take(&self, takes: bool) -> bool {
        self.0.send_replace(takes) != takes
    }
}

/// The caller of an agent, before the eyes of who looks at the studio.
pub struct Watched {
    inner: Arc<dyn Caller>,
    studio: Arc<Studio>,
}

impl Watched {
    pub fn new(inner: Arc<dyn Caller>, studio: Arc<Studio>) -> Self {
        Self { inner, studio }
    }

    async fn answer(&self, mut request: CallToolRequest, call: Call) -> CallToolResult {
        let studio = &self.studio;
        let row = studio.table.find(&request.name).filter(|row| row.needs_device || row.uses_devices);
        let (Some(row), Some(stage)) = (row, studio.stages.first()) else {
            return self.inner.call(request, call).await;
        };
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let arguments = request.arguments.clone().unwrap_or_default();
        // What is typed may turn out to be secret.
        let begun = match row.kind {
            ToolKind::Typing => format!("- {}", row.name),
            _ => step(studio.table, row.name, &arguments),
        };
        let tell = |said: &str, more: Value| {
            let mut told = json!({"event": "agent", "device": 0, "id": number, "tool": row.name, "text": said});
            merge(&mut told, more);
            studio.tell(told);
        };
        if !row.read_only
            && let Err(error) = self.turn(stage, &call, &|| tell(&begun, json!({"state": "waiting"}))).await
        {
            tell(&begun, json!({"state": "ended", "outcome": "failed", "ms": 0, "message": error.message}));
            return CallToolResult::failure(&error, row.name);
        }
        tell(&begun, json!({"state": "started"}));
        let asks = std::mem::replace(&mut request.options.records, true);
        let began = Instant::now();
        let mut result = self.inner.call(request, call).await;
        let records = CallRecord::take(&mut result);
        if asks {
            CallRecord::put(&records, &mut result);
        }
        let secrets = secrets(studio.table, &records);
        if !row.read_only {
            stage.stir();
        }
        let is_here = result.device().is_none_or(|(_, serial)| serial == stage.driver.info().serial);
        if studio.recording.lock().is_on && is_here {
            studio.record(stage, records);
        }
        let outcome = if result.is_failure() { "failed" } else { "passed" };
        let said = secrets.text(step(studio.table, row.name, &arguments));
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let message = secrets.text(message(&result));
        tell(&said, json!({"state": "ended", "outcome": outcome, "ms": ms, "message": message}));
        result
    }

    /// Waits until nobody else has the device.
    async fn turn(&self, stage: &Stage, call: &Call, waits: &(dyn Fn() + Sync)) -> Result<(), Error> {
        let mut taken = self.studio.turns.0.subscribe();
        let is_free = |taken: bool| !taken && !stage.is_busy();
        if is_free(*taken.borrow_and_update()) {
            return Ok(());
        }
        waits();
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let waited = began.elapsed().as_secs_f64();
            call.progress.say(waited, PATIENCE.as_secs_f64(), || "a person has the device".to_owned());
            tokio::select! {
                () = call.cancel.cancelled() => return Err(Error::new(Kind::Interrupted, "the call was cancelled")),
                _ = taken.changed() => {}
                () = tokio::time::sleep(TELL) => {}
            }
            if is_free(*taken.borrow_and_update()) {
                return Ok(());
            }
        }
        let message = "a person has taken the device over in the studio, and has not given it back: nothing was done; \
                       look at the screen, and call again later";
        Err(Error::new(Kind::Device, message))
    }
}

impl Caller for Watched {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        self.inner.list()
    }

    fn call(&self, request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        Box::pin(self.answer(request, call))
    }

    fn inner(&self) -> Option<&dyn Caller> {
        Some(&*self.inner)
    }
}

impl Studio {
    /// Takes the device over from an agent, or gives it back.
    pub(crate) fn take_over(&self, takes: bool) -> Value {
        if self.turns.take(takes) {
            self.tell(json!({"event": "taken", "on": takes}));
        }
        json!({})
    }
}

/// Writes a call as a step of a testcase says it, without what is known to be secret.
fn step(table: &'static Table, tool: &'static str, arguments: &Object) -> String {
    let value = uixt_recorder::short_value(table, tool, arguments);
    let secrets = secrets(table, &[CallRecord::new(tool, arguments.clone())]);
    let text = secrets.text(yaml::list_item(&json!({tool: value})));
    text.chars().take(LONGEST).collect()
}

/// Returns what calls hold that nobody is to see.
fn secrets(table: &'static Table, records: &[CallRecord]) -> Secrets {
    let mut secrets = Secrets::default();
    for (secret, _) in records.iter().flat_map(|record| uixt_recorder::secrets(table, record)) {
        secrets.add_anywhere(&secret);
    }
    secrets
}

fn message(result: &CallToolResult) -> String {
    let told = result.structured_content.as_ref().and_then(|told| told.get("message")?.as_str());
    let text = told.or_else(|| result.content.iter().find_map(Content::as_text)).unwrap_or_default();
    text.lines().next().unwrap_or_default().chars().take(LONGEST).collect()
}
