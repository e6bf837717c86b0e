//! Values that nobody may read → texts without them. Knows nothing else of the crate.
//!
//! Only what is written down is masked, never what a testcase compares or a device is given. A secret is found as it is, on one
//! line, by each of its lines, and as JSON, Rust, HTML, URLs, base64 and hex write all of these; as a number, however that is written;
//! broken by ends of lines; and by its beginning, where the rest was cut off. One of less than 4 characters would mask half of a report: it counts only where it was
//! marked as a secret, and then where a text is nothing else.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt;
use std::fmt::Write as _;
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::{Map, Number, Value};

/// What stands in place of a secret.
pub const MASK: &str = "••••••";

/// Of what the mask consists.
const DOT: char = '•';

/// Shorter values would mask half of a report, in characters.
const SHORTEST: usize = 4;

/// Characters of a secret that give it away where the rest was cut off.
const HEAD: usize = 8;

/// Fewest characters of base64 that belong to one secret for certain.
const LEAST_BASE64: usize = 6;

/// What may stand within a secret where lines are broken: ends of lines, as they are and as JSON writes them.
const BREAKS: [&str; 4] = ["\r\n", "\n", "\\r\\n", "\\n"];

/// What stands where a text was cut.
const CUTS: [&str; 2] = ["…", "..."];

/// Characters that are left as they are in a part of a URL, beside letters and digits: the strictest way, the laxest, and those of
/// JavaScript's `encodeURIComponent`, `encodeURI` and `URLSearchParams`.
const PLAIN: [&str; 5] = ["-._~", "-._~!$%&()*+,/:;=?@[]\\^`{|}", "-._~!*'()", "-._~!*'();,/?:@&=+$#", "-._*"];

/// Tells which members of a map are not masked.
pub type Exempt<'a> = &'a dyn Fn(&Map<String, Value>, &str) -> bool;

/// Secrets, and every way in which they may be written.
#[derive(Clone, Default, PartialEq)]
pub struct Secrets {
    /// The longest first, as all of these lists.
    values: Vec<String>,
    /// What is masked wherever it stands.
    forms: Vec<String>,
    /// What is masked where a text is nothing else.
    short: Vec<String>,
    numbers: Vec<f64>,
}

impl Secrets {
    /// Adds what is likely to be a secret, unless it is too short; tells whether it is new.
    pub fn add(&mut self, value: &str) -> bool {
        is_long(value) && self.add_marked(value)
    }

    /// Adds what was called a secret, however short; tells whether it is new.
    pub fn add_marked(&mut self, value: &str) -> bool {
        self.learn(value, is_long)
    }

    /// Adds what is masked wherever it stands, however short: right only for texts that are about this very secret.
    pub fn add_anywhere(&mut self, value: &str) -> bool {
        self.learn(value, |_| true)
    }

    fn learn(&mut self, value: &str, is_anywhere: impl Fn(&str) -> bool) -> bool {
        if value.chars().all(|c| c == DOT) || !insert(&mut self.values, value.to_owned()) {
            return false;
        }
        self.numbers.extend(value.trim().parse::<f64>().ok());
        for form in forms(value) {
            let list = if is_anywhere(&form) { &mut self.forms } else { &mut self.short };
            insert(list, form);
        }
        true
    }

    /// Returns the values, the longest first.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(String::as_str)
    }

    /// Tells whether anything of a text is a secret.
    pub fn stand_in(&self, text: &str) -> bool {
        matches!(self.masked(text), Cow::Owned(_))
    }

    /// Returns the longest secret that stands in a text as it is and is not short, with what is before and after it.
    pub fn split<'a>(&self, text: &'a str) -> Option<(&'a str, &'a str, &'a str)> {
        let (at, value) =
            self.values().filter(|value| is_long(value)).find_map(|value| Some((text.find(value)?, value)))?;
        let end = at + value.len();
        Some((&text[..at], &text[at..end], &text[end..]))
    }

    /// Returns a text with the mask in place of every secret.
    pub fn masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let places = self.places(text);
        if places.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut shown = String::with_capacity(text.len());
        let mut from = 0;
        for place in places {
            shown.push_str(&text[from..place.start]);
            shown.push_str(MASK);
            from = place.end;
        }
        shown.push_str(&text[from..]);
        Cow::Owned(without_hints(shown))
    }

    /// Masks the secrets in a text.
    pub fn text(&self, text: String) -> String {
        let masked = match self.masked(&text) {
            Cow::Owned(masked) => Some(masked),
            Cow::Borrowed(_) => None,
        };
        masked.unwrap_or(text)
    }

    /// Masks the secrets in every text and number of a map; its keys stay.
    pub fn object(&self, mut object: Map<String, Value>) -> Map<String, Value> {
        object.values_mut().for_each(|value| self.mask(value));
        object
    }

    /// Masks the secrets in every text and number of a value; the keys of maps stay.
    pub fn mask(&self, value: &mut Value) {
        self.mask_but(value, &|_, _| false);
    }

    /// Masks the secrets in a value, but for the members that are exempt.
    pub fn mask_but(&self, value: &mut Value, exempt: Exempt<'_>) {
        if self.values.is_empty() {
            return;
        }
        match value {
            Value::String(text) => {
                if let Cow::Owned(masked) = self.masked(text) {
                    *text = masked;
                }
            }
            Value::Number(number) if self.is_secret(number) => *value = MASK.into(),
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask_but(item, exempt)),
            Value::Object(map) => {
                let open: Vec<String> = map.keys().filter(|key| exempt(map, key)).cloned().collect();
                let closed = map.iter_mut().filter(|(key, _)| !open.contains(key));
                closed.for_each(|(_, value)| self.mask_but(value, exempt));
            }
            _ => {}
        }
    }

    /// Tells whether a number is a secret, however it was written: `12e4` may have become `120000.0`.
    fn is_secret(&self, number: &Number) -> bool {
        number.as_f64().is_some_and(|number| self.numbers.iter().any(|secret| secret.total_cmp(&number).is_eq()))
    }

    /// Returns where secrets stand in a text, in order; those that overlap as one place.
    fn places(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = self.forms.iter().flat_map(|form| standing(text, form)).collect();
        if CUTS.iter().any(|cut| text.contains(cut)) {
            found.extend(self.forms.iter().flat_map(|form| heads(text, form)));
        }
        if self.short.iter().any(|short| short == text) {
            found.push(0..text.len());
        }
        found.extend(self.broken(text));
        found.sort_unstable_by_key(|place| (place.start, Reverse(place.end)));
        found.dedup_by(|next, last| {
            let overlaps = next.start < last.end;
            last.end = if overlaps { last.end.max(next.end) } else { last.end };
            overlaps
        });
        found
    }
}

impl Secrets {
    /// Returns where secrets stand that ends of lines break.
    fn broken(&self, text: &str) -> Vec<Range<usize>> {
        if self.forms.is_empty() || !BREAKS.iter().any(|end| text.contains(end)) {
            return Vec::new();
        }
        let (joined, pieces) = without_breaks(text);
        let at = |place: usize| {
            let piece = pieces.partition_point(|(start, _)| *start <= place) - 1;
            (piece, pieces[piece].1 + place - pieces[piece].0)
        };
        let long = self.forms.iter().filter(|form| form.len() >= HEAD);
        let whole = long.flat_map(|form| standing(&joined, form)).filter_map(|place| {
            let (first, start) = at(place.start);
            let (last, end) = at(place.end - 1);
            (first < last).then_some(start..end + 1)
        });
        whole.collect()
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.values.len())
    }
}

fn is_long(value: &str) -> bool {
    value.chars().nth(SHORTEST - 1).is_some()
}

/// Puts a text into a list whose longest come first; tells whether it is new.
fn insert(list: &mut Vec<String>, text: String) -> bool {
    let place = list.binary_search_by(|known| text.len().cmp(&known.len()).then_with(|| known.cmp(&text)));
    place.map_err(|place| list.insert(place, text)).is_err()
}

fn standing<'a>(text: &'a str, form: &'a str) -> impl Iterator<Item = Range<usize>> + use<'a> {
    text.match_indices(form).map(|(at, form)| at..at + form.len())
}

/// Returns a text without the ends of its lines, and where each piece of it begins there and in the text.
fn without_breaks(text: &str) -> (String, Vec<(usize, usize)>) {
    let (mut joined, mut pieces, mut from) = (String::with_capacity(text.len()), Vec::new(), 0);
    while from < text.len() {
        let rest = &text[from..];
        let next = BREAKS.iter().filter_map(|end| Some((rest.find(end)?, end.len()))).min_by_key(|(at, _)| *at);
        let (length, skipped) = next.unwrap_or((rest.len(), 0));
        if length > 0 {
            pieces.push((joined.len(), from));
            joined.push_str(&rest[..length]);
        }
        from += length + skipped;
    }
    (joined, pieces)
}

/// Returns where the beginning of a secret stands whose rest was cut off.
fn heads(text: &str, form: &str) -> Vec<Range<usize>> {
    let Some((head, _)) = form.char_indices().nth(HEAD).filter(|(head, _)| text.contains(&form[..*head])) else {
        return Vec::new();
    };
    let before = |cut: usize| {
        let from = text.floor_char_boundary(cut.saturating_sub(form.len()));
        let mut starts = text[from..cut].char_indices().map(|(at, _)| from + at).take_while(|at| at + head <= cut);
        starts.find(|at| form.starts_with(&text[*at..cut])).map(|at| at..cut)
    };
    CUTS.iter().flat_map(|cut| text.match_indices(cut)).filter_map(|(cut, _)| before(cut)).collect()
}

/// Returns every way in which a secret may be written: all of it, on one line, and each of its lines.
fn forms(secret: &str) -> Vec<String> {
    if secret.trim().is_empty() {
        return vec![secret.to_owned()];
    }
    let line = secret.replace(['\n', '\r'], " ");
    let lines = secret.lines().map(str::trim).filter(|line| is_long(line));
    lines.chain([secret, line.as_str()]).flat_map(spellings).collect()
}

/// Takes out of a text in which something is masked where two texts differ: that tells a character of the secret.
fn without_hints(mut text: String) -> String {
    for hint in [" (they differ at character ", " (it goes on after character ", " (it ends after character "] {
        while let Some(at) = text.find(hint) {
            // A sign of the texts may itself be a bracket.
            let ends =
                [") within", "), ", "); "].iter().filter_map(|end| text[at..].find(end).map(|end| at + end + 1)).min();
            let end = ends.or_else(|| text[at..].rfind(')').map(|end| at + end + 1)).unwrap_or(text.len());
            text.replace_range(at..end, "");
        }
    }
    text
}

/// Returns a text as it is, and as JSON, Rust, HTML, URLs, base64 and hex write it.
fn spellings(text: &str) -> Vec<String> {
    let mut spellings = vec![text.to_owned()];
    let is_plain = |c: char| c.is_ascii_alphanumeric() || PLAIN[0].contains(c);
    if !text.chars().all(is_plain) {
        let unquoted = |text: String| text[1..text.len() - 1].to_owned();
        let urls = PLAIN.map(|plain| in_url(text, plain));
        let forms = [&urls[0], &urls[4]].map(|url| url.replace("%20", "+"));
        let json = unquoted(Value::from(text).to_string());
        spellings.extend([json.replace('/', "\\/"), in_ascii(&json), json, unquoted(format!("{text:?}"))]);
        // A secret may itself be written as JSON writes it.
        spellings.extend(serde_json::from_str(&format!("\"{text}\"")).ok().filter(|text: &String| is_long(text)));
        spellings.extend(urls.into_iter().chain(forms).chain(in_html(text)));
    }
    if is_long(text) {
        let hex = |write: fn(&u8) -> String| text.as_bytes().iter().map(write).collect::<String>();
        spellings.extend([hex(|byte| format!("{byte:02x}")), hex(|byte| format!("{byte:02X}"))]);
        // As `od`, `xxd` and dumps write them.
        for apart in [" ", ":"] {
            let bytes = text.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(apart);
            spellings.extend([bytes.to_uppercase(), bytes]);
        }
        spellings.extend((0..3).flat_map(|before| in_base64(text, before)));
    }
    spellings
}

/// Returns JSON as those write it who keep to ASCII, and out of HTML's way.
fn in_ascii(json: &str) -> String {
    let mut written = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() && !"<>&'".contains(character) {
            written.push(character);
        } else {
            // Writing into a text cannot fail.
            character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| _ = write!(written, "\\u{unit:04x}"));
        }
    }
    written
}

/// Returns a text as HTML and XML write it: quotes as they are, and both ways in which they are written.
fn in_html(text: &str) -> [String; 4] {
    let plain = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let quoted = plain.replace('"', "&quot;");
    [quoted.replace('\'', "&#39;"), quoted.replace('\'', "&apos;"), quoted, plain]
}

/// Returns what of a text's base64 is the same whatever stands around it, where so many bytes stand before it: in the usual
/// alphabet and in that of URLs.
fn in_base64(text: &str, before: usize) -> Vec<String> {
    let bytes: Vec<u8> = std::iter::repeat_n(0, before).chain(text.bytes()).collect();
    let own = (before * 8).div_ceil(6)..bytes.len() * 8 / 6;
    let usual = STANDARD_NO_PAD.encode(&bytes)[own].to_owned();
    if usual.len() < LEAST_BASE64 {
        return Vec::new();
    }
    let of_url = usual.replace('+', "-").replace('/', "_");
    let percent = usual.replace('+', "%2B").replace('/', "%2F");
    if usual == of_url { vec![usual] } else { vec![usual, of_url, percent] }
}

fn in_url(text: &str, plain: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || plain.as_bytes().contains(&byte) {
            written.push(char::from(byte));
        } else {
            // Writing into a text cannot fail.
            let _ = write!(written, "%{byte:02X}");
        }
    }
    written
}

/// Secrets, texts that hold them and what is shown of these: one table for all who mask by value.
#[doc(hidden)]
pub const SAMPLES: &[(&str, &str, &str)] = &[
    ("hunter2", "pw hunter2, hunter2hunter2", "pw ••••••, ••••••••••••"),
    ("pa\"ss\\word99", r#"not "pa\"ss\\word99""#, "not \"••••••\""),
    ("one-\"1\"\ntwo", "one-\"1\" and one-\\\"1\\\" x", "•••••• and •••••• x"),
    ("one\ntwo", "one two, one\\ntwo, one\ntwo, two", "••••••, ••••••, ••••••, two"),
    ("-----\nline \"one\"\nab", "line \"one\", line \\\"one\\\", ab", "••••••, ••••••, ab"),
    ("bell\u{7}-ring", "bell\\u0007-ring, bell\\u{7}-ring", "••••••, ••••••"),
    ("a b/c=d", "?x=a%20b%2Fc%3Dd&y=a%20b/c=d&z=a+b%2Fc%3Dd", "?x=••••••&y=••••••&z=••••••"),
    (
        "Hunter2!Pass(w)'/é",
        "?a=Hunter2!Pass(w)'%2F%C3%A9&b=Hunter2!Pass(w)'/%C3%A9&c=Hunter2%21Pass%28w%29%27%2F%C3%A9",
        "?a=••••••&b=••••••&c=••••••",
    ),
    ("密码1234", "密码1234 %E5%AF%86%E7%A0%811234", "•••••• ••••••"),
    ("abcdefgh-ijkl", "abcdefgh… abcdefgh abcdefg… …", "••••••… abcdefgh abcdefg… …"),
    ("abcdefgh-ijkl", "abcdefgh-... abcdefg...", "••••••... abcdefg..."),
    ("aaaaaaaaab", "aaaaaaaaaaaa…", "aaa••••••…"),
    (
        "hunter2",
        "Basic bWU6aHVudGVyMg==, aHVudGVyMg==, eDpodW50ZXIyLg==",
        "Basic bWU6••••••g==, ••••••g==, eDp••••••Lg==",
    ),
    ("hunter2", "68756e74657232 68756E74657232", "•••••• ••••••"),
    (
        "a/b<c>&'d'",
        r"a\/b<c>&'d' a/b\u003cc\u003e\u0026\u0027d\u0027 a/b&lt;c&gt;&amp;&#39;d&#39;",
        "•••••• •••••• ••••••",
    ),
    (r#"one\"two\u0041"#, "one\"twoA", "••••••"),
    ("密码1234", r"\u5bc6\u78011234", "••••••"),
    ("secret-of-many", "secret-\nof-many, sec\\nret-of-m\\nany\nsecret", "••••••, ••••••\nsecret"),
    ("登录-token-登录-token", "Text: \"a 登录-token-登录…\"", "Text: \"a ••••••…\""),
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn secrets(values: &[&str]) -> Secrets {
        let mut secrets = Secrets::default();
        values.iter().for_each(|value| _ = secrets.add(value));
        secrets
    }

    fn marked(value: &str) -> Secrets {
        let mut secrets = Secrets::default();
        secrets.add_marked(value);
        secrets
    }

    #[test]
    fn secrets_are_masked_however_they_are_written() {
        for (secret, text, shown) in SAMPLES {
            assert_eq!(secrets(&[secret]).masked(text), *shown, "{secret}");
            assert_eq!(secrets(&[secret]).text((*text).to_owned()), *shown, "{secret}");
        }
    }

    #[test]
    fn secrets_that_hold_or_overlap_each_other_leave_nothing() {
        let secrets = secrets(&["hunter2", "hunter2-long", "long-other"]);
        assert_eq!(secrets.masked("hunter2-long, hunter2, hunter2-long-other!"), "••••••, ••••••, ••••••!");
        assert_eq!(secrets.values().collect::<Vec<_>>(), ["hunter2-long", "long-other", "hunter2"]);
        assert_eq!(secrets.split("a hunter2-long b"), Some(("a ", "hunter2-long", " b")));
    }

    #[test]
    fn short_values_count_where_they_were_marked() {
        assert_eq!(secrets(&["abc", ""]), Secrets::default());
        let short = marked("12");
        for (text, shown) in [("12", MASK), ("12 items", "12 items"), ("no \"12\" here", "no \"12\" here")] {
            assert_eq!(short.masked(text), shown);
        }
        let mut own = Secrets::default();
        assert!(own.add_anywhere("12") && !own.add_anywhere("12") && !own.add_anywhere("") && !own.add_anywhere(MASK));
        assert_eq!(own.masked("12 items"), "•••••• items");
        assert_eq!(marked("  ").masked("a    b"), "a    b");
    }

    #[test]
    fn values_are_masked_in_place_but_for_keys_and_what_is_exempt() {
        let secrets = secrets(&["48213975", "12e4", "token"]);
        let mut value = json!([48_213_975, 48_213_975.0, 120_000, 4821, "48213975", true, {"token": ["a token"]}]);
        secrets.mask(&mut value);
        assert_eq!(value, json!([MASK, MASK, MASK, 4821, MASK, true, {"token": ["a ••••••"]}]));
        let mut value = json!({"data": "token", "text": "token"});
        secrets.mask_but(&mut value, &|_, key| key == "data");
        assert_eq!(value, json!({"data": "token", "text": MASK}));
        let mut value = json!([1, 12]);
        marked("12").mask(&mut value);
        assert_eq!(value, json!([1, MASK]));
    }

    #[test]
    fn nothing_is_copied_where_nothing_is_secret() {
        for secrets in [Secrets::default(), secrets(&["hunter2"])] {
            assert!(matches!(secrets.masked("a text with \"12\" and a cut…"), Cow::Borrowed(_)));
            assert!(!secrets.stand_in("12"));
        }
        assert_eq!(format!("{:?}", secrets(&["hunter2"])), "Secrets(1)");
    }
}
