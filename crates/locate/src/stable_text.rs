//! A text of a screen → whether it will be the same another time: it is no time, no date, no number of an order.

/// As many digits are a date, a time, an order's number: of the moment.
const MANY_DIGITS: usize = 6;
/// As many digits in a row are a year, a number, a code.
const LONG_NUMBER: usize = 4;

/// Words that stand beside a figure in what is of the moment.
const MOMENTS: [&str; 35] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "mon", "tue", "wed", "thu",
    "fri", "sat", "sun", "s", "sec", "secs", "second", "seconds", "ms", "min", "mins", "minute", "minutes", "h",
    "hour", "hours", "am", "pm", "ago",
];
/// Words that are of the moment by themselves.
const DAYS: [&str; 5] = ["today", "yesterday", "tomorrow", "now", "loading"];
/// The same where words are not parted.
const CHINESE: [&str; 9] = ["今天", "昨天", "明天", "刚刚", "秒", "分钟", "小时", "月", "星期"];

/// Words in ids of what differs from time to time.
const ID_WORDS: [&str; 14] = [
    "time", "date", "clock", "timer", "random", "token", "uuid", "code", "number", "stamp", "battery", "version",
    "otp", "progress",
];

/// Tells whether a text will be the same another time, as far as it can be seen.
pub fn is_lasting(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    let is_time =
        letters.windows(3).any(|three| three[0].is_ascii_digit() && three[1] == ':' && three[2].is_ascii_digit());
    let digits = letters.iter().filter(|letter| letter.is_ascii_digit()).count();
    !is_time && digits < MANY_DIGITS && letters.iter().any(|letter| letter.is_alphanumeric())
}

/// Tells the same of what nobody asked to be asserted, of which less may be believed.
pub fn is_steady(text: &str, id: Option<&str>) -> bool {
    let lower = text.to_lowercase();
    let numbers = lower.split(|c: char| !c.is_ascii_digit());
    let is_number = numbers.map(str::len).any(|length| length >= LONG_NUMBER);
    let has_figure = lower.contains(|c: char| c.is_ascii_digit());
    let words = || lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let is_month = |word: &str| MOMENTS.contains(&word) || word.get(..3).is_some_and(|head| is_name(word, head));
    let is_moment = words().any(|word| DAYS.contains(&word) || has_figure && is_month(word))
        || CHINESE.iter().any(|part| has_figure && lower.contains(part) || lower == *part);
    let id = id.unwrap_or_default().to_lowercase();
    let is_of_moment = id.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| ID_WORDS.contains(&word));
    is_lasting(text) && !is_number && !is_moment && !is_of_moment
}

/// Stands for what is of the moment in a [pattern].
pub const ANY: char = '*';

/// Writes a text as a pattern: where it is not steady, its figures, codes and words of time are [`ANY`]; a `*` of its own has a `\\`
/// before it, and so has a `\\`.
pub fn pattern(text: &str, id: Option<&str>) -> String {
    let is_steady = is_steady(text, id);
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |sign: char| sign.is_alphanumeric();
        let end = rest.find(|sign| is_word(sign) != is_word(first)).unwrap_or(rest.len());
        let (part, behind) = rest.split_at(end);
        rest = behind;
        let lower = part.to_lowercase();
        let is_moment = || {
            let name = lower.get(..3).is_some_and(|head| is_name(&lower, head));
            lower.contains(|sign: char| sign.is_ascii_digit())
                || name
                || MOMENTS.contains(&&*lower)
                || DAYS.contains(&&*lower)
        };
        if is_word(first) && !is_steady && is_moment() {
            // What parts figures from each other goes with them: 12:31:05, 2026-11-25 and 1,234.
            let kept = out.trim_end_matches(|sign: char| ":.,/- ".contains(sign)).len();
            if out[..kept].ends_with(ANY) && !out[..kept].ends_with("\\*") {
                out.truncate(kept);
            } else {
                out.push(ANY);
            }
            continue;
        }
        for sign in part.chars() {
            if matches!(sign, '*' | '\\') {
                out.push('\\');
            }
            out.push(sign);
        }
    }
    out
}

/// Tells whether a text is one of a [pattern].
pub fn is_like(pattern: &str, text: &str) -> bool {
    let mut parts = vec![String::new()];
    let mut signs = pattern.chars();
    while let Some(sign) = signs.next() {
        match (sign, parts.last_mut()) {
            ('*', _) => parts.push(String::new()),
            ('\\', Some(part)) => part.extend(signs.next()),
            (sign, Some(part)) => part.push(sign),
            (_, None) => {}
        }
    }
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    if parts.len() == 1 {
        return text == first;
    }
    let Some(rest) = text.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str())) else {
        return false;
    };
    let mut rest = rest;
    for part in &parts[1..parts.len() - 1] {
        let Some((_, behind)) = rest.split_once(part.as_str()) else { return false };
        rest = behind;
    }
    true
}

/// Tells whether a word is the whole name of a month or a day.
fn is_name(word: &str, head: &str) -> bool {
    let endings = ["day", "ber", "uary", "rch", "ril", "une", "uly", "ust"];
    MOMENTS.contains(&head) && endings.iter().any(|ending| word.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_the_moment_is_any_in_a_pattern_and_the_rest_is_not() {
        for (text, id, wanted) in [
            ("Updated 12:31:05", None, "Updated *"),
            ("UX-1234", Some("number"), "UX-*"),
            ("2026-11-25", None, "*"),
            ("Nov 25, 2026", None, "*"),
            ("5 minutes ago", None, "*"),
            ("Payment failed", None, "Payment failed"),
            ("+", None, "+"),
            ("Name *", None, "Name \\*"),
            ("¥12.50", None, "¥12.50"),
            ("1 item in cart", None, "1 item in cart"),
        ] {
            assert_eq!(pattern(text, id), wanted, "{text}");
            assert!(is_like(&pattern(text, id), text), "{text}");
        }
        for (pattern, text, wanted) in [
            ("Updated *", "Updated 9:00", true),
            ("Updated *", "Payment failed", false),
            ("* of *", "3 of 7", true),
            ("* of *", "3 from 7", false),
            ("Name \\*", "Name *", true),
            ("Name \\*", "Name x", false),
            ("a*a", "a", false),
            ("*", "", true),
        ] {
            assert_eq!(is_like(pattern, text), wanted, "{pattern} {text}");
        }
    }

    #[test]
    fn what_is_of_the_moment_is_not_asserted() {
        for text in ["12:30", "2026-11-22", "Order 20261122-7", "•••", ""] {
            assert!(!is_lasting(text), "{text}");
        }
        for text in ["1 item in cart", "¥133.20", "已加入购物车", "Note: 5"] {
            assert!(is_lasting(text) && is_steady(text, Some("total")), "{text}");
        }
        for text in
            ["Order 4711", "Tue, Nov 24", "24 November", "July 3", "5 min ago", "Today", "Loading…", "11月24日", "3 s"]
        {
            assert!(!is_steady(text, None), "{text}");
        }
        assert!(!is_steady("A-17", Some("order_number")) && is_steady("May I help?", None));
    }
}
