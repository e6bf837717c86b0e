//! A text → what a person takes for its letters: a flag, a letter with its accents and an emoji of several parts are one each.
//!
//! A rough cut of Unicode's extended grapheme clusters (UAX #29): what is joined too much is typed together, and arrives all the same.

/// Joins what stands on both of its sides.
const JOINER: char = '\u{200d}';

/// Divides a text into letters.
pub(crate) fn clusters(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut before, mut flags) = (0, None, 0);
    for (at, sign) in text.char_indices() {
        let is_flag = is_regional(sign);
        let joins = match before {
            None => true,
            Some('\r') => sign == '\n',
            Some(JOINER) => !sign.is_ascii(),
            Some(_) if is_flag => flags % 2 == 1,
            Some(_) => is_mark(sign),
        };
        if !joins {
            parts.push(&text[start..at]);
            start = at;
        }
        flags = if is_flag { flags + 1 } else { 0 };
        before = Some(sign);
    }
    if start < text.len() {
        parts.push(&text[start..]);
    }
    parts
}

fn is_regional(sign: char) -> bool {
    matches!(sign, '\u{1f1e6}'..='\u{1f1ff}')
}

/// Tells whether a sign belongs to the one before it: accents, vowel signs, the parts of Hangul, variants, skin tones, tags.
fn is_mark(sign: char) -> bool {
    matches!(sign,
        JOINER
        | '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}'
        | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{93c}' | '\u{93e}'..='\u{94f}' | '\u{981}'..='\u{983}' | '\u{9bc}'..='\u{9cd}'
        | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' | '\u{1160}'..='\u{11ff}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{3099}' | '\u{309a}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{fe20}'..='\u{fe2f}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stay_whole() {
        for (text, parts) in [
            ("", &[][..]),
            ("ab\n", &["a", "b", "\n"]),
            ("e\u{301}x", &["e\u{301}", "x"]),
            ("登录", &["登", "录"]),
            ("👨‍👩‍👧a", &["👨‍👩‍👧", "a"]),
            ("👍🏽👍", &["👍🏽", "👍"]),
            ("🇩🇪🇫🇷", &["🇩🇪", "🇫🇷"]),
            ("a\r\nb", &["a", "\r\n", "b"]),
            ("☺️", &["☺️"]),
        ] {
            assert_eq!(clusters(text), parts, "{text}");
            assert_eq!(clusters(text).concat(), text);
        }
    }
}
