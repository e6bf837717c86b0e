//! Text → inputs of `uitest`, piece by piece, and a look at the field whether it arrived.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::driver::arrival::{Arrival, Held, arrival};
use crate::driver::{Element, Error, Keystrokes, Point, Screen, quote};
use crate::keys;
use crate::phone::Phone;

/// Letters of one input, and how long it may take.
const CHUNK: usize = 300;
const INPUT: Duration = Duration::from_secs(30);
/// How long a text may take to show in its field, and the pause between two looks.
const SHOWING: Duration = Duration::from_secs(3);
/// How long a field for passwords may take to show that anything is in it: some systems never tell.
const UNTOLD: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(50);

/// The field that is typed into.
#[derive(Clone, Debug)]
struct Field {
    element: Element,
    /// Where it stands among the text fields of the screen.
    number: usize,
}

/// Types pieces into the field that has the focus, each followed by its pause, and looks whether they arrived.
pub(crate) async fn pieces(phone: &Phone, pieces: &[Keystrokes]) -> Result<(), Error> {
    let before = focused(phone).await?;
    for piece in pieces {
        typed(phone, &piece.text, before.as_ref().map(|field| field.element.rect.center())).await?;
        if !piece.pause.is_zero() {
            sleep(piece.pause).await;
        }
    }
    // What keys come to, a line break or the next field, is the field's own affair.
    let text = without_breaks(&pieces.iter().map(|piece| piece.text.as_str()).collect::<String>());
    let Some(field) = before.filter(|_| !text.is_empty()) else { return Ok(()) };
    let Element { text: was, hint, password, .. } = &field.element;
    let was = &without_breaks(was);
    let held = Held { text: was, hint, is_password: *password, longest: usize::MAX };
    let began = Instant::now();
    loop {
        // Where the focus went on, as behind the last sign of a code, nothing can be told.
        let Some(now) = focused(phone).await?.filter(|now| is_same(now, &field)) else { return Ok(()) };
        let outcome = arrival(&held, &without_breaks(&now.element.text), &text);
        if began.elapsed() > UNTOLD && was.is_empty() && now.element.text.is_empty() && is_secret(&field.element) {
            tracing::debug!("the field for a password tells no bullets: whether the text arrived is not known");
            return Ok(());
        }
        if outcome == Arrival::Arrived || began.elapsed() > SHOWING {
            return outcome.told(text.chars().count());
        }
        sleep(PAUSE).await;
    }
}

fn without_breaks(text: &str) -> String {
    text.replace(['\n', '\r', '\t'], "")
}

/// Types a text; line breaks and tabs are keys.
async fn typed(phone: &Phone, text: &str, at: Option<Point>) -> Result<(), Error> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let key = match first {
            '\n' => Some(keys::ENTER),
            '\t' => Some(2049),
            _ => None,
        };
        if let Some(key) = key {
            phone.keys(&[key]).await?;
            rest = &rest[1..];
            continue;
        }
        let line = &rest[..rest.find(['\n', '\t']).unwrap_or(rest.len())];
        let (chunk, _) = line.split_at(chunk_end(line));
        input(phone, chunk, at).await?;
        rest = &rest[chunk.len()..];
    }
    Ok(())
}

/// Returns where a piece ends: not in the midst of a sign that is made of several.
fn chunk_end(line: &str) -> usize {
    let joins = |sign: char| matches!(sign, '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{300}'..='\u{36f}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{20e3}');
    let mut last = line.char_indices().nth(CHUNK - 1).map_or(' ', |(_, sign)| sign);
    for (at, sign) in line.char_indices().skip(CHUNK) {
        if !joins(sign) && last != '\u{200d}' {
            return at;
        }
        last = sign;
    }
    line.len()
}

/// Types into the field that has the focus; older versions know only how to touch one before.
async fn input(phone: &Phone, text: &str, at: Option<Point>) -> Result<(), Error> {
    if !phone.shell.no_text.load(Ordering::Relaxed) {
        let done =
            phone.shell.input("uitest uiInput text", &format!("uitest uiInput text {}", quote(text)), 1, INPUT).await;
        match done {
            Err(Error::Device { message }) if is_unknown(&message) => {
                phone.shell.no_text.store(true, Ordering::Relaxed);
            }
            done => return done,
        }
    }
    let Some(at) = at else {
        let message =
            "no text field has the focus, and this phone's uitest types only into one that it touches: tap it before";
        return Err(Error::Device { message: message.to_owned() });
    };
    let line = format!("uitest uiInput inputText {:.0} {:.0} {}", at.x.max(1.0), at.y.max(1.0), quote(text));
    phone.shell.input("uitest uiInput inputText", &line, 1, INPUT).await
}

/// Tells whether an answer says that `uiInput` has no such word; it then has done nothing.
fn is_unknown(said: &str) -> bool {
    said.contains("Invalid parameters")
        || said.contains("Illegal argument")
        || said.contains("USAGE")
        || said.contains("usage")
}

/// Returns the field that has the focus.
async fn focused(phone: &Phone) -> Result<Option<Field>, Error> {
    Ok(focused_in(&phone.glance().await?))
}

/// Finds the innermost field that has the focus: a field of search may hold another.
fn focused_in(screen: &Screen) -> Option<Field> {
    let (mut found, mut number) = (None, 0);
    for root in &screen.roots {
        root.walk(&mut |element| {
            if element.role == "textfield" {
                number += 1;
                if element.focused {
                    found = Some(Field { element: Element { children: Vec::new(), ..element.clone() }, number });
                }
            }
        });
    }
    found
}

/// Tells whether a field is the same as before, which may have moved or grown. Boxes of a code may even share their id.
fn is_same(now: &Field, before: &Field) -> bool {
    let of = |field: &Field| (field.number, field.element.id.clone(), field.element.class.clone());
    of(now) == of(before)
}

/// Tells whether a field is called as those for passwords are.
fn is_secret(field: &Element) -> bool {
    let name = format!("{} {} {}", field.id, field.hint, field.label).to_lowercase();
    let is_pin = || name.split(|sign: char| !sign.is_alphanumeric()).any(|word| word == "pin");
    field.password || SECRETS.iter().any(|word| name.contains(word)) || is_pin()
}

const SECRETS: [&str; 6] = ["password", "passwd", "pwd", "passcode", "密码", "口令"];

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes(focus: usize, id: &str) -> Field {
        let one = |at: usize| Element {
            role: "textfield",
            class: "TextInput".to_owned(),
            id: id.to_owned(),
            focused: at == focus,
            ..Element::default()
        };
        let row = Element { children: (0..4).map(one).collect(), ..Element::default() };
        focused_in(&Screen { roots: vec![row], ..Screen::default() }).unwrap()
    }

    #[test]
    fn the_next_box_of_a_code_is_another_field() {
        for id in ["", "code"] {
            assert!(is_same(&boxes(1, id), &boxes(1, id)) && !is_same(&boxes(2, id), &boxes(1, id)));
        }
    }

    #[test]
    fn fields_for_passwords_are_known_by_what_they_are_called() {
        let named = |id: &str, hint: &str| {
            is_secret(&Element { id: id.to_owned(), hint: hint.to_owned(), ..Element::default() })
        };
        assert!(named("loginPassword", "") && named("", "请输入密码") && named("", "Your PIN") && named("pin_box", ""));
        assert!(!named("shipping", "Name") && !named("", ""));
    }

    #[test]
    fn long_texts_are_cut_between_signs() {
        let cut = |text: &str| text[..chunk_end(text)].chars().count();
        assert_eq!((cut("short"), cut(&"语".repeat(700))), (5, CHUNK));
        let family = "👨\u{200d}👩\u{200d}👧";
        let text = format!("{}{family}b", "a".repeat(CHUNK - 1));
        assert_eq!(chunk_end(&text), CHUNK - 1 + family.len());
        let accent = format!("{}e\u{301}b", "a".repeat(CHUNK - 1));
        assert_eq!(chunk_end(&accent), CHUNK + 2);
    }
}
