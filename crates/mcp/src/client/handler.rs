//! What a server hears that asks its client for something: there is no model here, and nobody to ask.

#![expect(deprecated, reason = "servers of today ask for what the next version of the protocol leaves out")]

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ElicitationAction, ErrorCode, ErrorData, Implementation, ListRootsResult, LoggingLevel,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use serde_json::{Map, Value};
use uixt_call::Progress;

use super::diagnostics::Diagnostics;
use super::settings::Elicitation;

/// Most progress tokens that are listened to.
const MAX: usize = 10_000;

/// Answers a server's questions, and passes on what it tells.
pub(super) struct Handler {
    name: String,
    diagnostics: Arc<Diagnostics>,
    elicitation: Elicitation,
    pub(super) listeners: Listeners,
    /// Whether the server's tools have changed.
    pub(super) changed: Arc<AtomicBool>,
}

/// Who is told of a call's progress.
#[derive(Clone, Default)]
pub(super) struct Listeners(Arc<Mutex<HashMap<ProgressToken, Progress>>>);

impl Listeners {
    pub(super) fn add(&self, token: ProgressToken, progress: Progress) {
        let mut map = self.0.lock();
        if map.len() < MAX {
            map.insert(token, progress);
        }
    }

    pub(super) fn remove(&self, token: &ProgressToken) {
        self.0.lock().remove(token);
    }
}

impl Handler {
    pub(super) fn new(name: &str, diagnostics: Arc<Diagnostics>, elicitation: Elicitation) -> Self {
        let (listeners, changed) = Default::default();
        Self { name: name.to_owned(), diagnostics, elicitation, listeners, changed }
    }

    /// Returns the defaults of what is asked for.
    fn defaults(schema: &impl serde::Serialize) -> Map<String, Value> {
        let schema = serde_json::to_value(schema).unwrap_or_default();
        let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        properties.into_iter().filter_map(|(name, property)| Some((name, property.get("default")?.clone()))).collect()
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder();
        let capabilities = match self.elicitation {
            Elicitation::Decline => capabilities.build(),
            Elicitation::Defaults => capabilities.enable_elicitation().build(),
        };
        let mut config = ClientConfig::new(capabilities, Implementation::new("uixt", env!("CARGO_PKG_VERSION")));
        // The last version whose sessions begin with a handshake; a server answers with an older one where it must.
        config.protocol_version = ProtocolVersion::V_2025_11_25;
        config
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.diagnostics.asked("sampling, which it does not get: there is no model here");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "uixt has no model to sample from", None))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "uixt has no roots", None))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if let (Elicitation::Defaults, ElicitRequestParams::FormElicitationParams { requested_schema, .. }) =
            (self.elicitation, request)
        {
            let content = Self::defaults(&requested_schema);
            return Ok(ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(content)));
        }
        self.diagnostics.asked(
            "an answer of the user (elicitation), which was declined: nobody is there; \"elicitation\": \"defaults\" accepts its defaults",
        );
        Ok(ElicitResult::new(ElicitationAction::Decline))
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let listener = self.listeners.0.lock().get(&progress.progress_token).cloned();
        if let Some(listener) = listener {
            listener.relay(progress.progress, progress.total, || progress.message.unwrap_or_default());
        }
    }

    async fn on_logging_message(&self, log: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>) {
        let is_bad = !matches!(log.level, LoggingLevel::Debug | LoggingLevel::Info | LoggingLevel::Notice);
        if is_bad {
            let text: String = log.data.to_string().chars().take(500).collect();
            self.diagnostics.printed(format!("{text}\n").as_bytes());
            tracing::debug!(server = self.name, "it says: {:?}", log.level);
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.store(true, Ordering::Relaxed);
    }
}
