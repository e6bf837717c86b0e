//! The tools of a [`Caller`], as a part of the server; each call is told of as it goes on and once it is done.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{CallToolRequestParams, CallToolResponse, Tool};
use serde_json::{Value, json};
use uixt_call::arrival::Arrival;
use uixt_call::{Boxed, Call, CallTimes, CallToolResult, Caller, SECRETS, SLOW, Table};
use uixt_core::tool_times::SharedToolTimes;
use uixt_locate::Kind;

use super::changes::{self, Origin};
use super::connection::{Connection, Gravity};
use super::progress_notifier::ProgressNotifier;
use super::provider::{Answer, Asked, Provider};
use super::screenshot_store::ScreenshotStore;
use super::session_log::{Entry, SessionLog};
use super::{screens, statistics, uri};
use crate::convert;

/// Lists and calls what a caller has; whatever the name, a call is answered, if only by saying what is right.
pub(super) struct OwnTools {
    pub table: &'static Table,
    pub caller: Arc<dyn Caller>,
    pub session_log: Arc<SessionLog>,
    pub screenshots: Arc<ScreenshotStore>,
    pub connection: Arc<Connection>,
    pub origin: Arc<Origin>,
    /// What the calls of all sessions add up to.
    pub times: SharedToolTimes,
}

impl Provider for OwnTools {
    fn tools(&self, _: &Asked) -> Boxed<'_, Vec<Tool>> {
        Box::pin(async { self.caller.list().await.into_iter().map(convert::tool).collect() })
    }

    fn call<'a>(&'a self, request: &'a CallToolRequestParams, asked: &'a Asked) -> Answer<'a, CallToolResponse> {
        Some(Box::pin(async move { Ok(convert::answer(self.answer(request, asked).await).into()) }))
    }
}

impl OwnTools {
    async fn answer(&self, request: &CallToolRequestParams, asked: &Asked) -> CallToolResult {
        let (notifier, arrival) = (ProgressNotifier::of(asked), arrival(asked));
        let times = CallTimes::default();
        let call = Call {
            cancel: asked.ct.clone(),
            progress: notifier.as_ref().map(ProgressNotifier::progress).unwrap_or_default(),
            screenshots: Some(Arc::clone(&self.screenshots) as Arc<dyn uixt_call::ScreenshotStore>),
            is_whole: false,
            arrival: arrival.clone(),
            times: times.clone(),
        };
        let began = Instant::now();
        let request = convert::request(request, &asked.meta);
        let mut result = self.caller.call(request.clone(), call).await;
        let took = began.elapsed().saturating_sub(arrival.waited());
        if let Some(notifier) = notifier {
            notifier.end().await;
        }
        self.count(&request.name, &result, took, &times);
        let entry = self.session_log.note(&request, &result, took);
        result.take_beside(SECRETS);
        self.session_log.mask_what_is_seen(&request, &mut result);
        self.log(&entry, &result, took).await;
        self.tell_of_changes(&entry).await;
        result
    }

    /// Counts a call, and those that it was made of; a name that nobody has is none of a tool.
    fn count(&self, name: &str, result: &CallToolResult, took: Duration, told: &CallTimes) {
        let of_others = told.other();
        let Some(tool) = of_others.as_deref().or_else(|| Some(self.table.find(name)?.name)) else { return };
        let mut times = self.times.lock();
        times.add(tool, !result.is_failure(), took, told.waited());
        times.join(&told.take_parts());
    }

    /// Logs what a person who watches would want to know of a call.
    async fn log(&self, entry: &Entry, result: &CallToolResult, took: Duration) {
        let warnings = result.structured_content.as_ref().and_then(|answer| answer.get("warnings")?.as_array());
        for warning in warnings.into_iter().flatten().filter_map(Value::as_str) {
            let data = json!({"message": self.session_log.masked(warning), "tool": entry.tool, "call": entry.number});
            self.connection.log(Gravity::Warning, data).await;
        }
        if took > SLOW {
            let message = format!("slow: {} took {:.1} s", entry.tool, took.as_secs_f64());
            let data = json!({"message": message, "tool": entry.tool, "call": entry.number});
            self.connection.log(Gravity::Warning, data).await;
        }
        if entry.kind.as_deref() == Some(Kind::Transport.name()) {
            let mut told = entry.json();
            let data = json!({"message": told["message"].take(), "tool": entry.tool, "call": entry.number});
            self.connection.log(Gravity::Error, data).await;
        } else {
            self.connection.log(Gravity::Debug, entry.json()).await;
        }
    }

    /// Tells who subscribed that a screen may be another one now, and that the report and the times of tools are.
    async fn tell_of_changes(&self, entry: &Entry) {
        self.connection.updated(&uri::of(&[uri::SESSION, screens::REPORT])).await;
        self.connection.updated(statistics::URI).await;
        if !changes::changes(self.table, &entry.tool, entry.device.as_ref()) {
            return;
        }
        for uri in screens::changed(entry.device.as_ref(), &self.session_log) {
            self.connection.updated(&uri).await;
        }
        if let Some(device) = &entry.device {
            self.origin.tell(device.clone());
        }
    }
}

/// Returns the place that whoever read a call took for it: beside the message, or beside the HTTP request that it came in.
fn arrival(asked: &Asked) -> Arrival {
    let of_http = || asked.extensions.get::<axum::http::request::Parts>()?.extensions.get::<Arrival>();
    asked.extensions.get::<Arrival>().or_else(of_http).cloned().unwrap_or_default()
}

/// Returns what a call says in its answer's field.
pub(super) fn said(result: &CallToolResult, field: &str) -> String {
    let answer = result.structured_content.as_ref();
    answer.and_then(|answer| answer.get(field)).and_then(Value::as_str).unwrap_or_default().to_owned()
}
