//! What a request comes to: a value, or an error in WDA's words (`FBCommandStatus`) → the JSON of its answers.

use serde_json::{Value, json};

/// What a request comes to.
pub(super) type Outcome = Result<Value, Refusal>;

/// An error in WDA's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) error: &'static str,
    pub(super) message: String,
}

/// An answer as it is sent.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) body: Vec<u8>,
}

impl Refusal {
    fn new(status: u16, error: &'static str, message: impl Into<String>) -> Self {
        Self { status, error, message: message.into() }
    }

    pub(super) fn argument(message: impl Into<String>) -> Self {
        Self::new(400, "invalid argument", message)
    }

    pub(super) fn selector(message: impl Into<String>) -> Self {
        Self::new(400, "invalid selector", message)
    }

    pub(super) fn state(message: impl Into<String>) -> Self {
        Self::new(400, "invalid element state", message)
    }

    pub(super) fn not_visible(message: impl Into<String>) -> Self {
        Self::new(400, "element not visible", message)
    }

    pub(super) fn unknown(message: impl Into<String>) -> Self {
        Self::new(500, "unknown error", message)
    }

    pub(super) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(500, "unsupported operation", message)
    }

    pub(super) fn not_created(message: impl Into<String>) -> Self {
        Self::new(500, "session not created", message)
    }

    pub(super) fn no_capture(message: impl Into<String>) -> Self {
        Self::new(500, "unable to capture screen", message)
    }

    pub(super) fn stale(message: impl Into<String>) -> Self {
        Self::new(404, "stale element reference", message)
    }

    pub(super) fn no_session() -> Self {
        Self::new(404, "invalid session id", "Session does not exist")
    }

    pub(super) fn no_alert() -> Self {
        Self::new(404, "no such alert", "An attempt was made to operate on a modal dialog when one was not open")
    }

    pub(super) fn no_element(using: &str, value: &str) -> Self {
        let message = format!("unable to find an element using '{using}', value '{value}'");
        Self::new(404, "no such element", message)
    }

    pub(super) fn unknown_command(method: &str, path: &str) -> Self {
        Self::new(404, "unknown command", format!("Unhandled endpoint: {path} with method {method}"))
    }
}

impl Answer {
    /// Writes an outcome as WDA does, with the id of the session that lives.
    pub(super) fn json(session: Option<&str>, outcome: Outcome) -> Self {
        let (status, value) = match outcome {
            Ok(value) => (200, value),
            Err(Refusal { status, error, message }) => {
                (status, json!({"error": error, "message": message, "traceback": ""}))
            }
        };
        Self::of_value(status, &json!({"value": value, "sessionId": session}))
    }

    /// Writes a value as JSON, nothing around it.
    pub(super) fn of_value(status: u16, value: &Value) -> Self {
        let body = serde_json::to_vec_pretty(value).unwrap_or_default();
        Self { status, kind: "application/json;charset=UTF-8", body }
    }

    pub(super) fn html(status: u16, body: &str) -> Self {
        Self { status, kind: "text/html;charset=UTF-8", body: body.as_bytes().to_vec() }
    }
}
