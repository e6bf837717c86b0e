//! Text that is not trusted → text that HTML shows as it is, in elements and in quoted attributes.

use super::super::wording;

/// Appends the text; markup and control characters lose their meaning.
pub(super) fn push(out: &mut String, text: &str) {
    if text.as_bytes().contains(&0x1b) {
        push_escaped(out, &wording::printable(text));
    } else {
        push_escaped(out, text);
    }
}

fn push_escaped(out: &mut String, text: &str) {
    let mut begin = 0;
    for (at, byte) in text.bytes().enumerate() {
        let replacement = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            b'\t' | b'\n' => continue,
            0..0x20 | 0x7f => "\u{fffd}",
            _ => continue,
        };
        out.push_str(&text[begin..at]);
        out.push_str(replacement);
        begin = at + 1;
    }
    out.push_str(&text[begin..]);
}

#[cfg(test)]
mod tests {
    #[test]
    fn markup_becomes_text() {
        let mut out = String::new();
        super::push(&mut out, "</script>\"'&\u{0}\u{1b}[1m<\u{1b}[0m中🎉\n");
        assert_eq!(out, "&lt;/script&gt;&quot;&#39;&amp;\u{fffd}&lt;中🎉\n");
    }
}
