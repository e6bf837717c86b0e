//! What a text field held and holds now → whether a text that was typed has arrived: a phone that is busy drops some, and others are
//! corrected by its keyboard.

use crate::element::composed;
use crate::{Error, NOT_TAKEN};

/// What a field held before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held<'a> {
    pub text: &'a str,
    pub hint: &'a str,
    pub is_password: bool,
    /// Bytes beyond which a phone may have told only the beginning of what a field holds.
    pub longest: usize,
}

/// What became of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It arrived, as far as can be told.
    Arrived,
    /// The field took so many of its letters.
    Cut(usize),
    /// The field holds what it held.
    Refused,
    /// The field holds something else.
    Changed,
}

/// Tells what became of a text that was typed into a field, by what that holds now.
pub fn arrival(field: &Held<'_>, now: &str, typed: &str) -> Arrival {
    // An accent may be a sign of its own on one side.
    let (before, now, typed) = (composed(field.text), composed(now), composed(typed));
    let (before, now, typed) = (before.as_ref(), now.as_ref(), typed.as_ref());
    let count = typed.chars().count();
    let is_bullets = !now.is_empty() && now.chars().all(|sign| sign == '•');
    if field.is_password || (is_bullets && !typed.contains('•')) {
        // The first letter takes away what a field for passwords held.
        let (was, is) = (before.chars().count(), now.chars().count());
        return match is.saturating_sub(was).max(if was > 0 { is } else { 0 }) {
            added if added >= count => Arrival::Arrived,
            _ if is == was => Arrival::Refused,
            added => Arrival::Cut(added.min(count)),
        };
    }
    // What looks like the hint may have been typed, and of a long text only the beginning is told.
    if now.len() >= field.longest || typed == field.hint {
        return Arrival::Arrived;
    }
    if now == before && now != typed {
        return Arrival::Refused;
    }
    if now.contains(typed) || holds(now, typed) {
        return Arrival::Arrived;
    }
    let added = now.strip_prefix(before).unwrap_or(now);
    match !added.is_empty() && typed.starts_with(added) {
        true => Arrival::Cut(added.chars().count()),
        false => Arrival::Changed,
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

impl Arrival {
    /// Returns the error where a text of so many characters did not arrive.
    pub fn told(&self, count: usize) -> Result<(), Error> {
        let message = match self {
            Arrival::Arrived => return Ok(()),
            Arrival::Cut(took) => format!("the field took {took} of {count} characters: there may be no room for more"),
            Arrival::Refused => format!("the field took nothing of {count} characters, and holds what it held before"),
            Arrival::Changed => format!(
                "the field does not hold the {count} characters that were typed: the app or the keyboard changed them (autocorrection, or it was \
             too fast for the app: `sim_input` types slower)"
            ),
        };
        Err(Error::Rejected { code: NOT_TAKEN.to_owned(), message })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_tells_what_became_of_a_text() {
        let field = |text: &'static str| Held { text, hint: "Name", longest: 509, ..Held::default() };
        for (before, now, typed, wanted) in [
            ("", "ann", "ann", Arrival::Arrived),
            ("ann", "ann lee", " lee", Arrival::Arrived),
            ("", "(555) 123-4", "5551234", Arrival::Arrived),
            ("", "“hi”", "\"hi\"", Arrival::Arrived),
            ("", "12", "12345", Arrival::Cut(2)),
            ("ab", "abc", "cde", Arrival::Cut(1)),
            ("", "", "abc", Arrival::Refused),
            ("ab", "ab", "xyz", Arrival::Refused),
            ("", "the", "teh!", Arrival::Changed),
            ("", "alicce smiith", "alice smith", Arrival::Changed),
            ("", "Alice", "alice", Arrival::Changed),
            ("", "AB-123", "ab123", Arrival::Arrived),
            ("banana", "banana", "an", Arrival::Refused),
            ("ann", "ann", "ann", Arrival::Arrived),
            ("", "é!", "e\u{301}!", Arrival::Arrived),
            ("", "", "Name", Arrival::Arrived),
        ] {
            assert_eq!(arrival(&field(before), now, typed), wanted, "{before} {now} {typed}");
        }
        let secret = |text: &'static str| Held { text, is_password: true, longest: 509, ..Held::default() };
        assert_eq!(arrival(&secret(""), "••••", "abcd"), Arrival::Arrived);
        assert_eq!(arrival(&secret("••"), "••••", "abcd"), Arrival::Arrived);
        assert_eq!(arrival(&secret(""), "••", "abcd"), Arrival::Cut(2));
        assert_eq!(arrival(&secret(""), "", "abcd"), Arrival::Refused);
        assert_eq!(arrival(&field(""), "•••", "abc"), Arrival::Arrived);
    }
}
