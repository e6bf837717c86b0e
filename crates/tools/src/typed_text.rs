//! The text that was typed last → what is said where the page changes it before anything else is done.

use std::sync::{Mutex, PoisonError};

use super::{ActionTool, Context, Error, Kind, finder};
use crate::driver::TAKEN_BACK;

/// The last text of a session that has arrived.
#[derive(Default)]
pub(super) struct TypedText(Mutex<Option<Typed>>);

struct Typed {
    /// What it was typed into: `textfield "Name"`.
    field: String,
    /// None where it is a secret.
    text: Option<String>,
}

/// Fails where the page has changed what was typed before a call that looks at it: what it changes later, it may have its reasons for.
pub(super) async fn look(tool: &ActionTool, cx: &Context) -> Result<(), Error> {
    let device = cx.device.as_deref().filter(|_| tool.read_only);
    match device.and_then(|device| device.pages("be typed into").ok()) {
        Some(pages) => pages.still_typed().await.map_err(|error| cx.session.state.typed_text.blamed(error.into())),
        None => Ok(()),
    }
}

impl TypedText {
    pub(super) fn keep(&self, field: String, text: Option<&str>) {
        let typed = Typed { field, text: text.map(finder::clip) };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(typed);
    }

    /// Says of an error, where it is that the page has changed the text, what it was and what stands there now.
    pub(super) fn blamed(&self, error: Error) -> Error {
        let is_raw = error.kind == Kind::Device && error.details.get("code").is_some_and(|code| code == TAKEN_BACK);
        if !is_raw {
            return error;
        }
        let typed = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let message = match typed {
            Some(Typed { field, text: Some(text) }) => {
                let now = finder::clip(&error.message);
                format!("{field} no longer holds what was typed (\"{text}\"): the page changed it to \"{now}\"")
            }
            Some(Typed { field, text: None }) => {
                let count = error.message.chars().count();
                format!("{field} no longer holds what was typed: the page changed it, and it holds {count} characters")
            }
            None => "the page changed what was typed".to_owned(),
        };
        Error { kind: Kind::Assertion, message, details: error.details }
    }
}
