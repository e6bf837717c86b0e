//! Why a call did not do what it was asked, in the kinds that decide between failed and errored.

use serde_json::{Value, json};

use super::Object;
use crate::driver;

/// What sort of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Kind {
    /// The screen is not as it should be.
    Assertion,
    /// The target or app is not there, or not the only one.
    NotFound,
    /// It is there and did not become usable in time.
    WaitTimeout,
    /// The device answered with an error, or not at all.
    Device,
    /// The way to the device or server is gone.
    Transport,
    /// A service beside the device failed.
    Service,
    /// The call itself is wrong; it is never retried.
    BadArgument,
    /// This driver cannot do it; it is never retried.
    Unsupported,
    /// The run was ended from outside.
    Interrupted,
}

impl Kind {
    /// Tells whether it says something of the app under test, rather than of the means to test it.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Assertion | Self::NotFound | Self::WaitTimeout)
    }

    /// Returns the name as it stands in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Assertion => "Assertion",
            Self::NotFound => "NotFound",
            Self::WaitTimeout => "WaitTimeout",
            Self::Device => "Device",
            Self::Transport => "Transport",
            Self::Service => "Service",
            Self::BadArgument => "BadArgument",
            Self::Unsupported => "Unsupported",
            Self::Interrupted => "Interrupted",
        }
    }
}

/// Codes of what a page does not take, or has not.
const OF_PAGE: [&str; 3] = [driver::NOT_TAKEN, driver::NOT_INTERACTABLE, driver::NO_PAGE];

/// A call's failure.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub kind: Kind,
    /// For a person: what happened, and what to do where that helps.
    pub message: String,
    /// For a program.
    pub details: Object,
}

impl Error {
    /// Builds the error of a call that is itself wrong.
    pub fn bad_argument(message: impl Into<String>) -> Self {
        Self::new(Kind::BadArgument, message)
    }

    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), details: Object::new() }
    }

    /// Adds a fact for programs.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// Returns the error as the flat object that a caller gets.
    pub fn object(&self, action: &str) -> Value {
        let mut object = json!({
            "action": action, "success": false, "message": self.message, "kind": self.kind.name(),
        });
        if !self.details.is_empty() {
            object["details"] = Value::Object(self.details.clone());
        }
        object
    }
}

impl From<driver::Error> for Error {
    fn from(error: driver::Error) -> Self {
        let kind = match &error {
            driver::Error::Unsupported { .. } => Kind::Unsupported,
            driver::Error::Ambiguous { .. } => Kind::BadArgument,
            driver::Error::NotFound { .. } => Kind::NotFound,
            // It is the app that shows it, and nobody who tests it has said what is to become of it.
            driver::Error::Rejected { code, .. }
                if [driver::DIALOG_OPEN, driver::LEAVE_ASKED].contains(&code.as_str()) =>
            {
                Kind::Assertion
            }
            // It is the page that does not take it, or has no such page.
            driver::Error::Rejected { code, .. } if OF_PAGE.contains(&code.as_str()) => Kind::Assertion,
            driver::Error::Device { .. } | driver::Error::Rejected { .. } => Kind::Device,
            driver::Error::Disconnected { .. } => Kind::Transport,
        };
        let built = Self::new(kind, error.to_string());
        match error {
            driver::Error::Rejected { code, .. } => built.with("code", code),
            _ => built,
        }
    }
}
