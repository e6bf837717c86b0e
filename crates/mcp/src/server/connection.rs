//! What a server knows of its client for as long as it is there: how to reach it, what it subscribed to, what it wants logged.
//!
//! Two generations of the protocol are served alike: `resources/subscribe` with one peer, and `subscriptions/listen` with a
//! sink of its own for each request.

#![expect(deprecated, reason = "logging and resources/subscribe belong to protocol versions that clients speak")]

use std::collections::BTreeSet;

use parking_lot::Mutex;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, RoleServer, SubscriptionSink};
use serde_json::Value;

/// What is logged to a client that did not say what it wants.
const USUAL: LoggingLevel = LoggingLevel::Warning;

/// A client, as far as messages go that answer no request.
#[derive(Default)]
pub struct Connection {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    peer: Option<Peer<RoleServer>>,
    /// The URIs of `resources/subscribe`.
    subscribed: BTreeSet<String>,
    /// The sinks of `subscriptions/listen`.
    sinks: Vec<SubscriptionSink>,
    level: Option<LoggingLevel>,
}

impl Connection {
    /// Remembers how the client is reached.
    pub(super) fn met(&self, peer: &Peer<RoleServer>) {
        self.state.lock().peer.get_or_insert_with(|| peer.clone());
    }

    pub(super) fn set_level(&self, level: LoggingLevel) {
        self.state.lock().level = Some(level);
    }

    pub(super) fn subscribe(&self, uri: String) {
        self.state.lock().subscribed.insert(uri);
    }

    /// Ends a subscription; tells whether there was one.
    pub(super) fn unsubscribe(&self, uri: &str) -> bool {
        self.state.lock().subscribed.remove(uri)
    }

    pub(super) fn listen(&self, sink: &SubscriptionSink) {
        self.state.lock().sinks.push(sink.clone());
    }

    pub(super) fn hang_up(&self, sink: &SubscriptionSink) {
        self.state.lock().sinks.retain(|known| known.id() != sink.id());
    }

    /// Returns every URI that somebody is subscribed to.
    pub fn subscribed(&self) -> BTreeSet<String> {
        let state = self.state.lock();
        let listened = state.sinks.iter().filter_map(|sink| sink.accepted().resource_subscriptions.as_ref());
        state.subscribed.iter().chain(listened.flatten()).cloned().collect()
    }

    /// Tells that a resource is another one now, to whoever subscribed to it.
    pub async fn updated(&self, uri: &str) {
        let (peer, sinks) = {
            let state = self.state.lock();
            (state.peer.clone().filter(|_| state.subscribed.contains(uri)), state.sinks.clone())
        };
        if let Some(peer) = peer {
            let _ = peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await;
        }
        for sink in sinks {
            let wanted =
                sink.accepted().resource_subscriptions.as_ref().is_some_and(|uris| uris.iter().any(|it| it == uri));
            if wanted {
                let _ = sink.notify_resource_updated(uri).await;
            }
        }
    }

    /// Returns who hears what concerns every client of its protocol: one of the newer is told on the streams that it opened for this.
    fn listeners(&self) -> (Option<Peer<RoleServer>>, Vec<SubscriptionSink>) {
        let state = self.state.lock();
        (state.peer.clone().filter(|peer| peer.peer_info().is_some()), state.sinks.clone())
    }

    /// Tells that there are other resources now than were listed.
    pub async fn resources_changed(&self) {
        let (peer, sinks) = self.listeners();
        if let Some(peer) = peer {
            let _ = peer.notify_resource_list_changed().await;
        }
        for sink in sinks {
            if sink.accepted().resources_list_changed == Some(true) {
                let _ = sink.notify_resource_list_changed().await;
            }
        }
    }

    /// Tells that there are other tools now than were listed.
    pub async fn tools_changed(&self) {
        let (peer, sinks) = self.listeners();
        if let Some(peer) = peer {
            let _ = peer.notify_tool_list_changed().await;
        }
        for sink in sinks {
            if sink.accepted().tools_list_changed == Some(true) {
                let _ = sink.notify_tool_list_changed().await;
            }
        }
    }

    /// Logs to the client what is as grave as it wants to hear.
    pub async fn log(&self, gravity: Gravity, data: Value) {
        let level = gravity.level();
        let peer = {
            let state = self.state.lock();
            let wanted = state.level.unwrap_or(USUAL);
            state.peer.clone().filter(|peer| peer.peer_info().is_some() && place(level) >= place(wanted))
        };
        if let Some(peer) = peer {
            let message = LoggingMessageNotificationParam::new(level, data).with_logger("uixt");
            let _ = peer.notify_logging_message(message).await;
        }
    }
}

/// How grave a message of ours is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gravity {
    Debug,
    Info,
    Warning,
    Error,
}

impl Gravity {
    fn level(self) -> LoggingLevel {
        match self {
            Self::Debug => LoggingLevel::Debug,
            Self::Info => LoggingLevel::Info,
            Self::Warning => LoggingLevel::Warning,
            Self::Error => LoggingLevel::Error,
        }
    }
}

/// Returns the place of a level among all, from `debug` up.
fn place(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}
