//! The text that was typed last → what is said where the page changes it before anything else is done.

use parking_lot::Mutex;
use serde_json::Value;
use uixt_call::ToolRow;
use uixt_driver::{Driver, TAKEN_BACK};
use uixt_locate::{Error, Kind, wording};

use crate::{Context, Session, State};

/// The last texts of a session that have arrived, the newest last.
#[derive(Default)]
pub struct TypedText(Mutex<Vec<Typed>>);

impl State for TypedText {}

/// Texts that are kept: those of one case that may still be on their way.
const KEPT: usize = 50;

struct Typed {
    /// What it was typed into: `textfield "Name"`.
    field: String,
    /// None where it is a secret.
    text: Option<String>,
}

/// Fails where the page has changed what was typed before a call that looks at it: what it changes later, it may have its reasons for.
pub(crate) async fn look(tool: &ToolRow, cx: &Context) -> Result<(), Error> {
    still(cx.device.as_deref().filter(|_| tool.read_only), &cx.session, false).await
}

/// Does so at the end of a case, where nothing else looks: what was typed just now is watched a moment.
pub async fn end(session: &Session) -> Result<(), Error> {
    still(session.selected().as_deref(), session, true).await
}

async fn still(device: Option<&dyn Driver>, session: &Session, waits: bool) -> Result<(), Error> {
    match device.and_then(|device| device.pages("be typed into").ok()) {
        Some(pages) => {
            pages.still_typed(waits).await.map_err(|error| session.state::<TypedText>().blamed(error.into()))
        }
        None => Ok(()),
    }
}

impl TypedText {
    /// Keeps what was typed into a field, by its text unless that is a secret.
    pub fn keep(&self, field: String, text: Option<&str>) {
        let typed = Typed { field, text: text.map(wording::clip) };
        let mut kept = self.0.lock();
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push(typed);
    }

    /// Returns the newest that may be a text; a secret may be any.
    fn of(&self, text: &str) -> Option<Typed> {
        let mut kept = self.0.lock();
        let text = wording::clip(text);
        let is_it = |typed: &Typed| typed.text.as_ref().is_some_and(|typed| *typed == text);
        let at = kept.iter().rposition(is_it).or_else(|| kept.iter().rposition(|typed| typed.text.is_none()))?;
        Some(kept.remove(at))
    }

    /// Says of an error, where it is that the page has changed the text, what it was and what stands there now.
    pub(crate) fn blamed(&self, error: Error) -> Error {
        let is_raw = error.kind == Kind::Device && error.details.get("code").is_some_and(|code| code == TAKEN_BACK);
        if !is_raw {
            return error;
        }
        let lost: Value = serde_json::from_str(&error.message).unwrap_or_default();
        let (text, now) = (lost["text"].as_str().unwrap_or_default(), lost["now"].as_str().unwrap_or_default());
        let message = match self.of(text) {
            Some(Typed { field, text: Some(text) }) => {
                let now = wording::clip(now);
                format!("{field} no longer holds what was typed (\"{text}\"): the page changed it to \"{now}\"")
            }
            Some(Typed { field, text: None }) => {
                let count = now.chars().count();
                format!("{field} no longer holds what was typed: the page changed it, and it holds {count} characters")
            }
            None => "the page changed what was typed".to_owned(),
        };
        Error { kind: Kind::Assertion, message, details: error.details }
    }
}
