//! Why something could not be done with an instance.

use serde_json::{Value, json};
use uixt_instance::Skipped;

/// An error of the instance or of the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Instance(#[from] uixt_instance::Error),
    /// Nothing was applied because of these.
    #[error("nothing was changed: {}", list(.0))]
    Refused(Vec<Skipped>),
    #[error("the store of UI instances cannot be used: {0}")]
    Store(#[from] uixt_store::Error),
    /// What is kept cannot be read: somebody else changed the file.
    #[error("the store of UI instances holds an invalid instance: {0}")]
    Broken(String),
    /// There is no version to take back.
    #[error("instance `{0}` has no version that can be taken back; the last 50 can, each once")]
    NothingToUndo(String),
    /// An edit of what a page must not change.
    #[error("{0}")]
    NotEditable(String),
    /// What a page said is none of its messages.
    #[error("not a message of a page: {0}")]
    Message(String),
    /// Something larger than is taken.
    #[error("{0}")]
    TooLarge(String),
}

impl Error {
    /// Returns the code: `INVALID_PATH`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Instance(error) => error.code(),
            Self::Refused(skipped) => skipped.first().map_or("INVALID_STRUCTURE", |skipped| skipped.error.code()),
            Self::Store(_) | Self::Broken(_) => "STORE",
            Self::NothingToUndo(_) => "NOTHING_TO_UNDO",
            Self::NotEditable(_) => "SCHEMA_MUTATION",
            Self::Message(_) => "INVALID_MESSAGE",
            Self::TooLarge(_) => "TOO_LARGE",
        }
    }

    /// Returns the path of what is wrong and what to do; empty where there is nothing to say.
    pub fn place_and_advice(&self) -> (&str, &str) {
        match self {
            Self::Instance(error) => (error.path(), error.advice()),
            Self::Refused(skipped) => {
                skipped.first().map_or(("", ""), |skipped| (skipped.error.path(), skipped.error.advice()))
            }
            _ => ("", ""),
        }
    }

    /// Returns it as the page and tools tell it.
    pub fn to_json(&self) -> Value {
        let (path, advice) = self.place_and_advice();
        json!({"code": self.code(), "message": self.to_string(), "path": path, "advice": advice})
    }
}

fn list(skipped: &[Skipped]) -> String {
    skipped.iter().map(|skipped| skipped.error.to_string()).collect::<Vec<_>>().join("; ")
}
