//! What becomes of the dialogs that pages open and that no step answers.

use serde::{Deserialize, Serialize};

/// What becomes of such a dialog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialogs {
    /// The step that meets it fails.
    #[default]
    Fail,
    Accept,
    Dismiss,
}

impl Dialogs {
    /// Reads a word.
    pub fn read(word: &str) -> Option<Self> {
        Some(match word {
            "fail" => Self::Fail,
            "accept" => Self::Accept,
            "dismiss" => Self::Dismiss,
            _ => return None,
        })
    }

    /// Tells whether steps fail by them, as they do by themselves.
    pub fn is_fail(&self) -> bool {
        *self == Self::Fail
    }
}
