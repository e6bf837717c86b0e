//! Text → keys, and a look at the field whether they arrived: a phone that is busy drops some, and others are corrected by its keyboard.

use std::time::Duration;

use serde_json::json;

use crate::clusters::clusters;
use crate::driver::arrival::{Held, arrival};
use crate::driver::{Error, Keystrokes};
use crate::eyes::Eyes;
use crate::fault::Miss;
use crate::focus::{self, Focus};
use crate::wda::{Ask, TOUCH, Wda};

/// Letters of one request.
const CHUNK: usize = 300;
/// What one letter takes at most: `WebDriverAgent` types 60 of them in a second, and a busy phone fewer.
const LETTER: Duration = Duration::from_millis(100);
/// Bytes beyond which a phone may have told only the beginning of what a field holds.
const LONGEST_TEXT: usize = 509;

/// Types pieces into the field that has the focus, each followed by its pause, and looks whether they arrived.
pub(crate) async fn pieces(wda: &Wda, eyes: &Eyes, pieces: &[Keystrokes]) -> Result<(), Error> {
    let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
    let before = before(wda, eyes).await?;
    for piece in pieces {
        keys(wda, &piece.text).await?;
        if !piece.pause.is_zero() {
            tokio::time::sleep(piece.pause).await;
        }
    }
    eyes.acted(None);
    let Some(field) = before.filter(|_| !text.contains(['\n', '\r', '\t', '\u{8}', '\u{7f}'])) else { return Ok(()) };
    let Some(now) = held(wda, &field).await? else { return Ok(()) };
    let held = Held { text: &field.text, hint: &field.hint, is_password: field.is_password, longest: LONGEST_TEXT };
    arrival(&held, &now, &text).told(text.chars().count())
}

/// Presses keys. As many of those that delete before as behind the cursor empty a field, which `WebDriverAgent` does by itself, whatever
/// the field holds: of a long text it tells only the beginning.
pub(crate) async fn press(wda: &Wda, letters: &str) -> Result<(), Miss> {
    let count = letters.len() / 2;
    let empties = count > 0 && letters == "\u{8}".repeat(count) + &"\u{7f}".repeat(count);
    if empties && let Some(id) = focus::active(wda).await? {
        match focus::clear(wda, &id).await {
            Err(Miss::Refused(fault)) => tracing::debug!(fault.message, "the field is emptied by keys"),
            done => return done,
        }
    }
    keys(wda, letters).await
}

/// Presses keys that are written as letters.
pub(crate) async fn keys(wda: &Wda, text: &str) -> Result<(), Miss> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    for part in clusters(&text).chunks(CHUNK) {
        let limit = TOUCH + LETTER * u32::try_from(part.len()).unwrap_or(u32::MAX);
        let ask = Ask::act("type", "/wda/keys", &json!({"value": part})).within(limit);
        wda.ask(ask).await?;
    }
    Ok(())
}

/// Returns the field that is typed into and what it holds; none where nothing has the focus that is told of.
async fn before(wda: &Wda, eyes: &Eyes) -> Result<Option<Focus>, Miss> {
    if let Some(known) = eyes.focus() {
        return match known.id {
            Some(_) => Ok(Some(known)),
            None => Ok(focus::active(wda).await?.map(|id| Focus { id: Some(id), ..known })),
        };
    }
    let Some(id) = focus::active(wda).await? else { return Ok(None) };
    let Some(text) = focus::attribute(wda, &id, "value").await? else { return Ok(None) };
    let hint = focus::attribute(wda, &id, "placeholderValue").await?.unwrap_or_default();
    let text = if text == hint { String::new() } else { text };
    let is_password = !text.is_empty() && text.chars().all(|sign| sign == '•');
    Ok(Some(Focus { id: Some(id), text, hint, is_password, ..Focus::default() }))
}

/// Returns what a field holds now; none where it is gone.
async fn held(wda: &Wda, field: &Focus) -> Result<Option<String>, Miss> {
    let Some(id) = &field.id else { return Ok(None) };
    let Some(text) = focus::attribute(wda, id, "value").await? else { return Ok(None) };
    Ok(Some(if text == field.hint { String::new() } else { text }))
}
