//! What a request of the server comes to: a value, or an error in the words of W3C WebDriver.

use serde_json::Value;

/// What a request comes to.
pub(super) type Outcome = Result<Value, Refusal>;

/// An error in the words of W3C WebDriver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) error: &'static str,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(status: u16, error: &'static str, message: impl Into<String>) -> Self {
        Self { status, error, message: message.into() }
    }

    pub(super) fn argument(message: impl Into<String>) -> Self {
        Self::new(400, "invalid argument", message)
    }

    pub(super) fn unknown(message: impl Into<String>) -> Self {
        Self::new(500, "unknown error", message)
    }

    pub(super) fn unknown_command() -> Self {
        let message = "The requested resource could not be found, or a request was received using an HTTP method that is not supported by the mapped resource";
        Self::new(404, "unknown command", message)
    }
}
