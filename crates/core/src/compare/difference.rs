//! Two texts that are not the same → where they differ, told where a reader of both would miss it.

/// Characters of a text that a reader compares at a glance.
const GLANCE: usize = 60;
/// Characters shown before and after the place where two long texts part.
const AROUND: usize = 12;

/// Says where a text differs from the expected one, where both look alike or the place is far from their beginnings.
pub fn of(actual: &str, expect: &str) -> Option<String> {
    let same = actual.chars().zip(expect.chars()).take_while(|(is, wanted)| is == wanted).count();
    let rest = |text: &str| text.chars().skip(same).collect::<Vec<char>>();
    let (is, wanted) = (rest(actual), rest(expect));
    let place = same + 1;
    match (is.first(), wanted.first()) {
        (Some(_), None) if is_missed(same, &is) => Some(format!("it goes on after character {same}: {}", shown(&is))),
        (None, Some(_)) if is_missed(same, &wanted) => {
            Some(format!("it ends after character {same}, where {} is missing", shown(&wanted)))
        }
        (Some(is), Some(wanted)) if look_alike(*is, *wanted) => {
            Some(format!("they differ at character {place}: {} instead of {}", named(*is), named(*wanted)))
        }
        (Some(_), Some(_)) if same >= GLANCE => {
            let (is, wanted) = (around(actual, same), around(expect, same));
            Some(format!("they differ at character {place}: \"{is}\" instead of \"{wanted}\""))
        }
        _ => None,
    }
}

/// Says by which character a text lacks a part that it holds by its looks.
pub fn of_part(whole: &str, part: &str) -> Option<String> {
    let [signs, wanted] = [whole, part].map(|text| folded(text).collect::<Vec<(usize, char)>>());
    if wanted.is_empty() || whole.contains(part) {
        return None;
    }
    let is_same =
        |window: &&[(usize, char)]| window.iter().map(|(_, sign)| sign).eq(wanted.iter().map(|(_, sign)| sign));
    let found = signs.windows(wanted.len()).find(is_same)?;
    let (first, last) = (found.first()?.0, found.last()?.0);
    let alike: String = whole.chars().skip(first).take(last + 1 - first).collect();
    let why = of(&alike, part)?;
    Some(format!("what looks like it stands at character {}: {why}", first + 1))
}

/// Tells whether a reader misses what one text has more than the other.
fn is_missed(same: usize, rest: &[char]) -> bool {
    same >= GLANCE || rest.iter().all(|sign| is_blank(*sign))
}

/// Tells whether two characters that differ may look the same.
fn look_alike(a: char, b: char) -> bool {
    is_blank(a) || is_blank(b) || a.is_ascii() != b.is_ascii() || fold(a) == fold(b)
}

/// Tells whether a character leaves no ink.
fn is_blank(sign: char) -> bool {
    sign.is_whitespace() || sign.is_control() || is_invisible(sign)
}

/// Marks of direction, joiners, spaces of no width, hyphens of a line's end and variants of what stands before.
fn is_invisible(sign: char) -> bool {
    matches!(
        sign,
        '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
    )
}

/// Returns the visible characters with their places, what looks alike written alike.
fn folded(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    text.chars().enumerate().filter(|(_, sign)| !is_invisible(*sign)).map(|(place, sign)| (place, fold(sign)))
}

fn fold(sign: char) -> char {
    match sign {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(sign) - 0xfee0).unwrap_or(sign),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}' | '\u{2019}' | '\u{2032}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{2033}' => '"',
        _ if sign.is_whitespace() => ' ',
        _ => sign,
    }
}

/// Writes a character with its number, by which two that look the same are told apart.
fn named(sign: char) -> String {
    let number = format!("U+{:04X}", u32::from(sign));
    let name = match sign {
        ' ' => "a space",
        '\n' => "a line's end",
        '\r' => "a carriage return",
        '\t' => "a tab",
        '\u{a0}' => "a no-break space",
        '\u{202f}' => "a narrow no-break space",
        '\u{3000}' => "an ideographic space",
        '\u{200b}' => "a zero-width space",
        '\u{200d}' => "a zero-width joiner",
        '\u{feff}' => "a byte order mark",
        '\u{ad}' => "a soft hyphen",
        _ if is_blank(sign) => "an invisible character",
        _ => return format!("\"{sign}\" ({number})"),
    };
    format!("{name} ({number})")
}

/// Writes what a text has more than another.
fn shown(rest: &[char]) -> String {
    match rest {
        [only] => named(*only),
        _ if rest.iter().all(|sign| is_blank(*sign)) => {
            format!("{} invisible characters, the first of them {}", rest.len(), named(rest[0]))
        }
        _ => {
            let more = if rest.len() > 2 * AROUND { "…" } else { "" };
            format!("\"{}{more}\"", plain(rest.iter().take(2 * AROUND)))
        }
    }
}

/// Returns the part of a text around a place.
fn around(text: &str, place: usize) -> String {
    let from = place.saturating_sub(AROUND);
    let part: Vec<char> = text.chars().skip(from).take(2 * AROUND).collect();
    let more = if text.chars().nth(from + 2 * AROUND).is_some() { "…" } else { "" };
    format!("…{}{more}", plain(part.iter()))
}

fn plain<'a>(signs: impl Iterator<Item = &'a char>) -> String {
    signs.map(|sign| if is_blank(*sign) { ' ' } else { *sign }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reader_would_miss_is_told() {
        let long = "0123456789".repeat(200);
        let (a, b) = (format!("{long}a tail"), format!("{long}b tail"));
        for (actual, expect, told) in [
            ("5\u{a0}€", "5 €", "they differ at character 2: a no-break space (U+00A0) instead of a space (U+0020)"),
            ("5：0", "5:0", "they differ at character 2: \"：\" (U+FF1A) instead of \":\" (U+003A)"),
            ("раy", "pay", "they differ at character 1: \"р\" (U+0440) instead of \"p\" (U+0070)"),
            ("Pay ", "Pay", "it goes on after character 3: a space (U+0020)"),
            ("Pay", "Pay\u{200b}", "it ends after character 3, where a zero-width space (U+200B) is missing"),
            ("a\nb", "a b", "they differ at character 2: a line's end (U+000A) instead of a space (U+0020)"),
            (&a, &b, "they differ at character 2001: \"…890123456789a tail\" instead of \"…890123456789b tail\""),
            (&a, &long, "it goes on after character 2000: \"a tail\""),
        ] {
            assert_eq!(of(actual, expect).as_deref(), Some(told), "{actual:?} {expect:?}");
        }
        for (actual, expect) in [("Pay", "Buy"), ("Pay", "Pay now"), ("价格", "价钱"), ("same", "same")] {
            assert_eq!(of(actual, expect), None, "{actual} {expect}");
        }
    }

    #[test]
    fn a_part_that_is_there_by_its_looks_is_told() {
        let told = of_part("Sum: 5\u{a0}€ only", "5 €");
        let wanted = "what looks like it stands at character 6: they differ at character 2: a no-break space (U+00A0) \
                      instead of a space (U+0020)";
        assert_eq!(told.as_deref(), Some(wanted));
        let told = of_part("so\u{200b}ld out", "sold");
        assert!(told.as_deref().is_some_and(|told| told.contains("U+200B")), "{told:?}");
        assert_eq!(of_part("Sum: 5 €", "6 €"), None);
        assert_eq!(of_part("a", "\u{200b}"), None);
    }
}
