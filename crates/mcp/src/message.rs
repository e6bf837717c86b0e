//! What a client sent → a message, or what is wrong with it and how that is answered: the same on lines and over HTTP.

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, GetMeta as _, ProtocolVersion, RequestId,
};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::json_kind::kind_of;

/// Bytes that JSON may begin with and that mean nothing (RFC 8259 §8.1).
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Most messages in a list.
const MAX: usize = 100;

/// Where a request that belongs to no session names the protocol's version (MCP 2026-07-28, lifecycle).
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// Why what was sent is no message.
#[derive(Debug, PartialEq)]
pub(super) struct Refusal {
    /// The request's id, or null where it has none that can be read.
    id: Value,
    code: ErrorCode,
    pub message: String,
    /// Whether it asks for an answer at all: notifications and answers do not.
    pub is_owed: bool,
}

impl Refusal {
    pub(super) fn of(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { id: Value::Null, code, message: message.into(), is_owed: true }
    }

    /// Refuses what is no request.
    fn invalid(message: impl Into<String>) -> Self {
        Self::of(ErrorCode::INVALID_REQUEST, message)
    }

    /// Refuses what is larger than `most` bytes.
    pub(super) fn large(most: usize) -> Self {
        Self::invalid(format!("the message is larger than {} MiB, which is the most that is read", most >> 20))
    }

    /// Refuses a request whose id another one has that is not answered yet (JSON-RPC 2.0 §4: an id tells requests apart).
    pub(super) fn under_way(id: &RequestId) -> Self {
        let refused = Self::invalid(format!("a request with the id {id} is under way: each needs an id of its own"));
        Self { id: json!(id), ..refused }
    }

    /// Refuses what is asked before there is a session.
    pub(super) fn too_early(id: &RequestId, method: &str) -> Self {
        let method: String = method.chars().take(80).collect();
        let refused = Self::invalid(format!(
            "{method}: send `initialize` first, and `notifications/initialized` once it is answered; \
             without them each request names {VERSION} and the rest in its `_meta` (2026-07-28)"
        ));
        Self { id: json!(id), ..refused }
    }

    /// Tells that a call is given up, since the input ended and it took longer than `patience` after that.
    pub(super) fn given_up(id: &RequestId, timeout: Duration) -> Self {
        let message = format!(
            "the input ended while this was under way, and {} s later it was given up; it may have been done in part",
            timeout.as_secs()
        );
        Self { id: json!(id), ..Self::of(ErrorCode::INTERNAL_ERROR, message) }
    }

    /// Returns what the client is told.
    pub(super) fn body(&self) -> Value {
        json!({"jsonrpc": "2.0", "id": self.id, "error": {"code": self.code.0, "message": self.message}})
    }

    /// Returns the error alone.
    pub(super) fn error(self) -> ErrorData {
        ErrorData::new(self.code, self.message, None)
    }
}

/// Reads a message.
pub(super) fn read(bytes: &[u8]) -> Result<ClientJsonRpcMessage, Refusal> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|error| refusal(bytes, &error.to_string()))
}

/// Tells whether a version of the protocol has messages in lists (JSON-RPC 2.0 §6): one had, and no other since.
pub(super) fn has_batches(version: &ProtocolVersion) -> bool {
    *version == ProtocolVersion::V_2025_03_26
}

/// Tells whether a request is for a session, and says nothing itself of what a session begins with.
pub(super) fn needs_session(request: &ClientRequest) -> bool {
    let is_hello = matches!(request, ClientRequest::InitializeRequest(_) | ClientRequest::PingRequest(_));
    let is_discovery = matches!(request, ClientRequest::DiscoverRequest(_));
    !is_hello && !is_discovery && request.get_meta().protocol_version().is_none()
}

/// The method that makes a call.
pub(super) const CALL: &str = "tools/call";

/// Tells whether what was sent may make a call.
pub(super) fn may_call(bytes: &[u8]) -> bool {
    // A solidus may be escaped.
    ["tools/call", "tools\\/call"].iter().any(|call| bytes.windows(call.len()).any(|part| part == call.as_bytes()))
}

/// Tells whether what was sent looks like a list of messages.
pub(super) fn is_batch(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().first() == Some(&b'[')
}

/// Takes a list of messages apart.
pub(super) fn each(bytes: &[u8]) -> Result<Vec<Vec<u8>>, Refusal> {
    let messages: Vec<Value> = serde_json::from_slice(bytes).map_err(|error| refusal(bytes, &error.to_string()))?;
    match messages.len() {
        0 => Err(Refusal::invalid("a list of messages must not be empty")),
        1..=MAX => Ok(messages.iter().map(|message| message.to_string().into_bytes()).collect()),
        count => Err(Refusal::invalid(format!("too many messages in a list ({count}); at most {MAX} are allowed"))),
    }
}

/// Says what is wrong with what could not be read.
fn refusal(bytes: &[u8], error: &str) -> Refusal {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(message)) => of_object(&message, error),
        Ok(Value::Array(_)) => {
            Refusal::invalid("messages in a list are for protocol version 2025-03-26 alone: send each by itself")
        }
        Ok(other) => Refusal::invalid(format!("a message is an object, not {}", kind_of(&other))),
        Err(error) => Refusal::of(ErrorCode::PARSE_ERROR, format!("this is not JSON: {error}")),
    }
}

fn of_object(message: &Map<String, Value>, error: &str) -> Refusal {
    let id = message.get("id");
    let is_id = |id: &&Value| id.is_string() || id.is_i64();
    let is_answer = message.contains_key("result") || message.contains_key("error");
    let problem = problem(message, id, id.as_ref().is_some_and(is_id), is_answer);
    // An answer's id is one of ours: told back, it would be mistaken for one of the client's.
    let shown = id.filter(is_id).filter(|_| !is_answer || message.contains_key("method"));
    let is_notification = problem.is_none() && id.is_none();
    let is_only_answer = is_answer && !message.contains_key("method");
    let text = problem.unwrap_or_else(|| format!("this is not a message of the protocol: {error}"));
    Refusal {
        id: shown.cloned().unwrap_or_default(),
        is_owed: !is_notification && !is_only_answer,
        ..Refusal::invalid(text)
    }
}

/// Returns what keeps an object from being a message of JSON-RPC.
fn problem(message: &Map<String, Value>, id: Option<&Value>, is_id: bool, is_answer: bool) -> Option<String> {
    let method = message.get("method");
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Some("`jsonrpc` must be \"2.0\"".to_owned());
    }
    match (method, id) {
        (None, _) if !is_answer => Some("`method` is missing".to_owned()),
        (Some(_), _) if is_answer => Some("a message is a request or an answer, not both".to_owned()),
        (Some(method), _) if !method.is_string() => Some(format!("`method` must be a string, not {}", kind_of(method))),
        (_, Some(Value::Number(id))) if !is_id => Some(format!("`id` must be a string or an integer, not {id}")),
        (_, Some(id)) if !is_id => Some(format!("`id` must be a string or an integer, not {}", kind_of(id))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str) -> Refusal {
        read(text.as_bytes()).err().unwrap_or_else(|| panic!("it is a message: {text}"))
    }

    #[test]
    fn what_is_a_message_is_read() {
        for text in [
            r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#,
            "\u{feff}{\"jsonrpc\": \"2.0\", \"id\": \"a\", \"method\": \"no/such\", \"params\": {}}",
            r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#,
            r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#,
        ] {
            assert!(read(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_told_from_what_is_no_request() {
        for text in ["no JSON", "{\"half\": ", "", "{} {}"] {
            let told = refused(text).body();
            assert_eq!((&told["error"]["code"], &told["id"]), (&json!(-32700), &Value::Null), "{text}");
        }
        for (text, id, said) in [
            (r#"{"jsonrpc": "1.0", "id": 7, "method": "ping"}"#, json!(7), "`jsonrpc` must be"),
            (r#"{"jsonrpc": "2.0", "id": "a"}"#, json!("a"), "`method` is missing"),
            (r#"{"jsonrpc": "2.0", "id": 7, "method": 5}"#, json!(7), "`method` must be a string, not a number"),
            (
                r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#,
                Value::Null,
                "`id` must be a string or an integer, not null",
            ),
            (r#"{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}"#, Value::Null, "not 1.5"),
            (r#"{"jsonrpc": "2.0", "id": 7, "method": "ping", "result": {}}"#, json!(7), "not both"),
            (r#"{"method": "notifications/initialized"}"#, Value::Null, "`jsonrpc` must be"),
            ("[]", Value::Null, "messages in a list"),
            ("5", Value::Null, "a message is an object, not a number"),
        ] {
            let refusal = refused(text);
            assert!(refusal.is_owed && refusal.message.contains(said), "{text}: {refusal:?}");
            assert_eq!((&refusal.body()["error"]["code"], &refusal.body()["id"]), (&json!(-32600), &id), "{text}");
        }
    }

    #[test]
    fn a_list_of_messages_is_taken_apart() {
        let each = |text: &str| each(text.as_bytes()).map(|messages| messages.len()).map_err(|refusal| refusal.code.0);
        assert_eq!((each("[1, {}]"), each("[]"), each("[1,")), (Ok(2), Err(-32600), Err(-32700)));
        let many = |count: usize| format!("[{}]", vec!["1"; count].join(","));
        assert_eq!((each(&many(MAX)), each(&many(MAX + 1))), (Ok(MAX), Err(-32600)));
        assert!(is_batch(b" [") && !is_batch(b"{") && !is_batch(b""));
    }

    #[test]
    fn an_answer_is_not_answered() {
        for text in [
            r#"{"jsonrpc": "2.0", "id": 1, "error": "x"}"#,
            r#"{"jsonrpc": "2.0", "id": null, "error": {"code": 1}}"#,
            r#"{"jsonrpc": "1.0", "id": 1, "result": {}}"#,
        ] {
            let refusal = refused(text);
            assert!(!refusal.is_owed, "{text}");
            assert_eq!(refusal.body()["id"], Value::Null, "{text}");
        }
    }
}
