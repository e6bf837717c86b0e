//! Bytes of a peer that is not trusted → messages that mean something; a flood of others is told.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};

use super::diagnostics::Diagnostics;

/// Longest message, in bytes.
pub(super) const MAX_LEN: usize = 16 << 20;

/// Most messages, and bytes, between two answers.
const MAX: u64 = 100_000;
const MOST_BYTES: u64 = 256 << 20;

/// Takes messages, and keeps count of those that answer nothing.
pub(super) struct Incoming {
    diagnostics: Arc<Diagnostics>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Requests that were sent and not answered.
    asked: HashSet<RequestId>,
    /// Since the last answer.
    messages: u64,
    bytes: u64,
}

impl Incoming {
    pub(super) fn new(diagnostics: Arc<Diagnostics>) -> Self {
        Self { diagnostics, state: Mutex::default() }
    }

    pub(super) fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// Notes a request that is sent.
    pub(super) fn expects(&self, message: &TxJsonRpcMessage<RoleClient>) {
        if let JsonRpcMessage::Request(request) = message {
            self.state.lock().asked.insert(request.id.clone());
        }
    }

    /// Takes one message; none where it means nothing. The error says why there is no going on.
    pub(super) fn take(&self, bytes: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleClient>>, String> {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            return self.count(0).map(|()| None);
        }
        let Ok(message) = serde_json::from_slice::<RxJsonRpcMessage<RoleClient>>(bytes) else {
            self.diagnostics.nonsense(bytes);
            return self.count(bytes.len()).map(|()| None);
        };
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(Some(&response.id)),
            JsonRpcMessage::Error(error) => Some(error.id.as_ref()),
            _ => None,
        };
        match answered {
            None => self.count(bytes.len()).map(|()| Some(message)),
            Some(id) if id.is_some_and(|id| self.answers(id)) => Ok(Some(message)),
            Some(_) => {
                self.diagnostics.nonsense(bytes);
                self.count(bytes.len()).map(|()| None)
            }
        }
    }

    /// Tells whether an answer is one to a request that waits.
    fn answers(&self, id: &RequestId) -> bool {
        let mut state = self.state.lock();
        let known = state.asked.remove(id);
        if known {
            (state.messages, state.bytes) = (0, 0);
        }
        known
    }

    fn count(&self, bytes: usize) -> Result<(), String> {
        let mut state = self.state.lock();
        state.messages += 1;
        state.bytes += bytes as u64;
        if state.messages > MAX || state.bytes > MOST_BYTES {
            let (messages, mib) = (state.messages, state.bytes >> 20);
            return Err(format!("too much output: {messages} messages ({mib} MiB), and none answers a call"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_means_something_passes() {
        let incoming = Incoming::new(Arc::default());
        let ping = rmcp::model::ClientRequest::PingRequest(rmcp::model::PingRequest::default());
        incoming.expects(&TxJsonRpcMessage::<RoleClient>::request(ping, RequestId::Number(7)));
        let passes = |text: &str| incoming.take(text.as_bytes()).expect("no flood").is_some();
        assert!(!passes("Debugger attached.") && !passes("") && !passes("[1]") && !passes("{}"));
        assert!(!passes(r#"{"jsonrpc":"2.0","id":8,"result":{}}"#), "an answer that nobody asked for");
        assert!(passes(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#));
        assert!(passes(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#));
        assert!(!passes(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#), "a second answer");
        assert!(incoming.diagnostics().hints().contains("Debugger attached."));
    }

    #[test]
    fn a_flood_is_told() {
        let incoming = Incoming::new(Arc::default());
        let end = (0..=MAX).find_map(|_| incoming.take(b"x").err());
        assert!(end.is_some_and(|why| why.contains("too much output")));
    }
}
