//! How many columns of a terminal a character takes, and what may be shown there at all.

/// Returns 2 for wide characters (Chinese, Japanese, Korean, emoji), 0 for combining marks, else 1.
pub(super) fn columns(character: char) -> usize {
    match u32::from(character) {
        0x0300..=0x036f | 0x200b..=0x200d | 0xfe00..=0xfe0f | 0x20d0..=0x20ff => 0,
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0x4dbf
        | 0x4e00..=0xa4cf
        | 0xa960..=0xa97f
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff01..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f900..=0x1f9ff
        | 0x2_0000..=0x3_fffd => 2,
        _ => 1,
    }
}

/// Replaces what would move the cursor or turn the text around: a tab by a space, the others by U+FFFD.
pub(super) fn shown(character: char) -> char {
    match character {
        '\t' => ' ',
        '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        other if other.is_control() => '\u{fffd}',
        other => other,
    }
}

/// Applies [`shown`] to a text.
pub(super) fn shown_text(text: &str) -> String {
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_narrow_and_dangerous() {
        assert_eq!("a登，😀é".chars().map(columns).collect::<Vec<_>>(), [1, 2, 2, 2, 1]);
        assert_eq!(shown_text("a\tb\u{1b}[2J\u{202e}"), "a b\u{fffd}[2J\u{fffd}");
    }
}
