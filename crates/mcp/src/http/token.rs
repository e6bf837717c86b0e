//! The bearer token that a request must carry: made, read, compared. Only its digest is kept, so that no log can show it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// How short a token may be, in characters.
const SHORTEST: usize = 16;
/// How long a token may be, in characters.
const MAX_LEN: usize = 1024;

/// A secret that clients must name.
#[derive(Clone)]
pub struct Token([u8; 32]);

impl Token {
    /// Takes a token of 16 to 1,024 visible ASCII characters; white space around it is no part of it.
    pub fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if !(SHORTEST..=MAX_LEN).contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!("a token is {SHORTEST} to {MAX_LEN} visible ASCII characters without spaces"));
        }
        Ok(Self(digest(text.as_bytes())))
    }

    /// Makes a token of 256 random bits; returns it and its text, which is told nowhere else. The error says why the system gives none.
    pub fn random() -> Result<(Self, String), String> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| format!("no random bytes for a token: {error}"))?;
        let text = URL_SAFE_NO_PAD.encode(bytes);
        Ok((Self(digest(text.as_bytes())), text))
    }

    /// Tells whether a text is the token, in a time that does not tell how much of it is right.
    pub(super) fn is(&self, text: &[u8]) -> bool {
        self.0.iter().zip(digest(text)).fold(0, |unlike, (ours, theirs)| unlike | (ours ^ theirs)) == 0
    }
}

fn digest(text: &[u8]) -> [u8; 32] {
    Sha256::digest(text).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_itself_only() {
        let token = Token::new(" a-token-of-letters\n").unwrap();
        assert!(token.is(b"a-token-of-letters"));
        for other in ["", "a-token-of-letter", "a-token-of-letters ", "A-token-of-letters"] {
            assert!(!token.is(other.as_bytes()), "{other}");
        }
        let (made, text) = Token::random().expect("random bytes");
        assert!(made.is(text.as_bytes()) && !token.is(text.as_bytes()));
        assert_eq!(text.len(), 43);
    }

    #[test]
    fn what_is_short_or_has_spaces_is_no_token() {
        for wrong in ["", "short", "a token with some spaces", "ein-Schlüssel-mit-Umlaut"] {
            assert!(Token::new(wrong).is_err(), "{wrong}");
        }
    }
}
