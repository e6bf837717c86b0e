//! Text → keys, and a look at the field whether they arrived: a phone that is busy drops some, and others are corrected by its keyboard.

use std::time::Duration;

use serde_json::json;

use crate::clusters::clusters;
use crate::driver::element::composed;
use crate::driver::{Error, Keystrokes, NOT_TAKEN};
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

/// What became of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It arrived, as far as can be told.
    Arrived,
    /// The field took so many of its letters.
    Cut(usize),
    /// The field holds what it held.
    Refused,
    /// The field holds something else.
    Changed,
}

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
    told(&outcome(&field, &now, &text), &text)
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

/// Tells what became of a text that was typed into a field, by what that holds now.
pub(crate) fn outcome(field: &Focus, now: &str, typed: &str) -> Outcome {
    // An accent may be a sign of its own on one side.
    let (before, now, typed) = (composed(&field.text), composed(now), composed(typed));
    let (before, now, typed) = (before.as_ref(), now.as_ref(), typed.as_ref());
    let count = typed.chars().count();
    let is_bullets = !now.is_empty() && now.chars().all(|sign| sign == '•');
    if field.is_password || (is_bullets && !typed.contains('•')) {
        // The first letter takes away what a field for passwords held.
        let (was, is) = (before.chars().count(), now.chars().count());
        return match is.saturating_sub(was).max(if was > 0 { is } else { 0 }) {
            added if added >= count => Outcome::Arrived,
            _ if is == was => Outcome::Refused,
            added => Outcome::Cut(added.min(count)),
        };
    }
    // What looks like the hint may have been typed, and of a long text only the beginning is told.
    if now.len() >= LONGEST_TEXT || typed == field.hint {
        return Outcome::Arrived;
    }
    if now == before && now != typed {
        return Outcome::Refused;
    }
    if now.contains(typed) || holds(now, typed) {
        return Outcome::Arrived;
    }
    let added = now.strip_prefix(before).unwrap_or(now);
    match !added.is_empty() && typed.starts_with(added) {
        true => Outcome::Cut(added.chars().count()),
        false => Outcome::Changed,
    }
}

/// Tells whether a field holds the letters and digits of a text, whatever it writes between them, as fields for numbers do. One that writes
/// all of them large or small does so by itself; a keyboard writes the first one large.
fn holds(now: &str, typed: &str) -> bool {
    let plain = |text: &str| text.chars().filter(|sign| sign.is_alphanumeric()).collect::<String>();
    let (now, typed) = (plain(now), plain(typed));
    let forms = [typed.to_uppercase(), typed.to_lowercase(), typed];
    !now.is_empty() && forms.iter().any(|form| !form.is_empty() && now.contains(form.as_str()))
}

fn told(outcome: &Outcome, text: &str) -> Result<(), Error> {
    let count = text.chars().count();
    let message = match outcome {
        Outcome::Arrived => return Ok(()),
        Outcome::Cut(took) => format!("the field took {took} of {count} characters: there may be no room for more"),
        Outcome::Refused => format!("the field took nothing of {count} characters, and holds what it held before"),
        Outcome::Changed => format!(
            "the field does not hold the {count} characters that were typed: the app or the keyboard changed them (autocorrection, or it was \
             too fast for the app: `sim_input` types slower)"
        ),
    };
    Err(Error::Rejected { code: NOT_TAKEN.to_owned(), message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_tells_what_became_of_a_text() {
        let field = |text: &str| Focus { text: text.to_owned(), hint: "Name".to_owned(), ..Focus::default() };
        for (before, now, typed, wanted) in [
            ("", "ann", "ann", Outcome::Arrived),
            ("ann", "ann lee", " lee", Outcome::Arrived),
            ("", "(555) 123-4", "5551234", Outcome::Arrived),
            ("", "“hi”", "\"hi\"", Outcome::Arrived),
            ("", "12", "12345", Outcome::Cut(2)),
            ("ab", "abc", "cde", Outcome::Cut(1)),
            ("", "", "abc", Outcome::Refused),
            ("ab", "ab", "xyz", Outcome::Refused),
            ("", "the", "teh!", Outcome::Changed),
            ("", "alicce smiith", "alice smith", Outcome::Changed),
            ("", "Alice", "alice", Outcome::Changed),
            ("", "AB-123", "ab123", Outcome::Arrived),
            ("banana", "banana", "an", Outcome::Refused),
            ("ann", "ann", "ann", Outcome::Arrived),
            ("", "é!", "e\u{301}!", Outcome::Arrived),
            ("", "", "Name", Outcome::Arrived),
        ] {
            assert_eq!(outcome(&field(before), now, typed), wanted, "{before} {now} {typed}");
        }
        let secret = |text: &str| Focus { text: text.to_owned(), is_password: true, ..Focus::default() };
        assert_eq!(outcome(&secret(""), "••••", "abcd"), Outcome::Arrived);
        assert_eq!(outcome(&secret("••"), "••••", "abcd"), Outcome::Arrived);
        assert_eq!(outcome(&secret(""), "••", "abcd"), Outcome::Cut(2));
        assert_eq!(outcome(&secret(""), "", "abcd"), Outcome::Refused);
        assert_eq!(outcome(&field(""), "•••", "abc"), Outcome::Arrived);
    }
}
