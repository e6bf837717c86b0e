//! Two values and an assertion's name → whether it holds, as `HttpRunner`'s validators see it. Knows nothing else of the crate.
//!
//! Where `HttpRunner`'s Go and Python versions differ, the stricter one wins; a text is never a number. What any value would
//! satisfy (`contains ""`) is refused as an expectation, and what is null satisfies nothing but a comparison with null.

pub mod difference;

use std::cmp::Ordering;

use regex::Regex;
use serde_json::Value;

/// Longest shown part of a value, in characters.
const SHOWN: usize = 200;
/// Longest shown part of a value's name, in characters.
const NAME: usize = 80;

/// A way to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assertion {
    Equals,
    NotEquals,
    LessThan,
    LessOrEquals,
    GreaterThan,
    GreaterOrEquals,
    StringEquals,
    EqualFold,
    StartsWith,
    EndsWith,
    Contains,
    NotContains,
    ContainedBy,
    RegexMatch,
    TypeMatch,
    LengthEquals,
    LengthLessThan,
    LengthLessOrEquals,
    LengthGreaterThan,
    LengthGreaterOrEquals,
}

use Assertion as A;

/// Every assertion with its spellings, the usual one first.
const SPELLINGS: &[(Assertion, &[&str])] = &[
    (A::Equals, &["equals", "equal", "eq", "==", "is"]),
    (A::NotEquals, &["not_equals", "not_equal", "ne", "!="]),
    (A::LessThan, &["less_than", "lt"]),
    (A::LessOrEquals, &["less_or_equals", "less_than_or_equals", "le"]),
    (A::GreaterThan, &["greater_than", "gt"]),
    (A::GreaterOrEquals, &["greater_or_equals", "greater_than_or_equals", "ge"]),
    (A::StringEquals, &["string_equals", "str_eq"]),
    (A::EqualFold, &["equal_fold"]),
    (A::StartsWith, &["startswith", "starts_with"]),
    (A::EndsWith, &["endswith", "ends_with"]),
    (A::Contains, &["contains", "contain"]),
    (A::NotContains, &["not_contains", "not_contain"]),
    (A::ContainedBy, &["contained_by"]),
    (A::RegexMatch, &["regex_match", "regex", "matches"]),
    (A::TypeMatch, &["type_match"]),
    (A::LengthEquals, &["length_equals", "length_equal", "len_eq", "count_eq"]),
    (A::LengthLessThan, &["length_less_than", "len_lt", "count_lt", "count_less_than"]),
    (
        A::LengthLessOrEquals,
        &["length_less_or_equals", "length_less_than_or_equals", "len_le", "count_le", "count_less_than_or_equals"],
    ),
    (A::LengthGreaterThan, &["length_greater_than", "len_gt", "count_gt", "count_greater_than"]),
    (
        A::LengthGreaterOrEquals,
        &[
            "length_greater_or_equals",
            "length_greater_than_or_equals",
            "len_ge",
            "count_ge",
            "count_greater_than_or_equals",
        ],
    ),
];

/// Names that `type_match` takes.
const TYPES: &[(&str, Kind)] = &[
    ("string", Kind::Text),
    ("str", Kind::Text),
    ("text", Kind::Text),
    ("int", Kind::Whole),
    ("integer", Kind::Whole),
    ("float", Kind::Fraction),
    ("float64", Kind::Fraction),
    ("number", Kind::Number),
    ("bool", Kind::Flag),
    ("boolean", Kind::Flag),
    ("list", Kind::List),
    ("array", Kind::List),
    ("dict", Kind::Map),
    ("map", Kind::Map),
    ("object", Kind::Map),
    ("null", Kind::Null),
    ("none", Kind::Null),
    ("NoneType", Kind::Null),
];

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Whole,
    Fraction,
    Number,
    Flag,
    List,
    Map,
    Null,
}

/// Finds an assertion by any of its spellings.
pub fn find(name: &str) -> Option<Assertion> {
    SPELLINGS.iter().find(|(_, names)| names.contains(&name)).map(|(assertion, _)| *assertion)
}

/// Returns every spelling, the usual one of each assertion before its aliases.
pub fn spellings() -> impl Iterator<Item = &'static str> {
    SPELLINGS.iter().flat_map(|(_, names)| names.iter().copied())
}

/// Returns the usual spelling of every assertion.
pub fn names() -> impl Iterator<Item = &'static str> {
    SPELLINGS.iter().filter_map(|(_, names)| names.first().copied())
}

impl Assertion {
    /// Returns the usual spelling.
    pub fn name(self) -> &'static str {
        SPELLINGS.iter().find(|(known, _)| *known == self).map_or("", |(_, names)| names[0])
    }

    /// Says what is wrong with an expectation that nothing or everything satisfies; such an assertion is a mistake.
    pub fn check(self, expect: &Value) -> Result<(), String> {
        let name = self.name();
        match self {
            A::Contains | A::NotContains | A::StartsWith | A::EndsWith | A::ContainedBy if is_empty_text(expect) => {
                Err(format!("{name}: the expected text is empty, which says nothing"))
            }
            A::StartsWith | A::EndsWith | A::EqualFold if scalar_text(expect).is_none() => {
                Err(format!("{name}: a text is expected, not {}", described(expect)))
            }
            A::ContainedBy if !matches!(expect, Value::String(_) | Value::Array(_) | Value::Object(_)) => {
                Err(format!("{name}: a text, a list or a map is expected, not {}", described(expect)))
            }
            A::RegexMatch => pattern(expect).map(|_| ()).map_err(|problem| format!("{name}: {problem}")),
            A::TypeMatch => wanted_type(expect).map(|_| ()),
            _ if self.is_of_length() => self.check_length(expect),
            A::LessThan | A::LessOrEquals | A::GreaterThan | A::GreaterOrEquals
                if !matches!(expect, Value::Number(_) | Value::String(_)) =>
            {
                Err(format!("{name}: a number is expected, not {}", described(expect)))
            }
            A::LessThan | A::LessOrEquals | A::GreaterThan | A::GreaterOrEquals
                if expect.as_str().is_some_and(|text| number_in(text).is_none()) =>
            {
                Err(format!("{name}: a number is expected, not {}: texts have no order", described(expect)))
            }
            _ => Ok(()),
        }
    }

    fn check_length(self, expect: &Value) -> Result<(), String> {
        let name = self.name();
        match (expect.as_u64(), self) {
            (None, _) => Err(format!("{name}: a whole number is expected, not {}", described(expect))),
            (Some(0), A::LengthGreaterOrEquals) => Err(format!("{name}: every length is at least 0")),
            (Some(0), A::LengthLessThan) => Err(format!("{name}: no length is below 0")),
            _ => Ok(()),
        }
    }

    /// Tells whether it holds; an error says why a comparison is impossible, which counts as not holding.
    ///
    /// The expectation must have passed [`check`](Self::check).
    pub fn holds(self, actual: &Value, expect: &Value) -> Result<bool, String> {
        if actual.is_null() && !matches!(self, A::Equals | A::NotEquals | A::TypeMatch) {
            return Err("there is nothing to compare".to_owned());
        }
        match self {
            A::Equals => Ok(equal(actual, expect)),
            A::NotEquals if actual.is_null() && !expect.is_null() => {
                Err("there is nothing, which differs from everything".to_owned())
            }
            A::NotEquals => comparable(actual, expect).map(|()| !equal(actual, expect)),
            A::LessThan => order(actual, expect).map(Ordering::is_lt),
            A::LessOrEquals => order(actual, expect).map(Ordering::is_le),
            A::GreaterThan => order(actual, expect).map(Ordering::is_gt),
            A::GreaterOrEquals => order(actual, expect).map(Ordering::is_ge),
            A::StringEquals => Ok(text_of(actual) == text_of(expect)),
            A::Contains => contains(actual, expect),
            A::NotContains => lacks(actual, expect),
            A::ContainedBy if is_empty_text(actual) => Err("it is empty, which stands in every text".to_owned()),
            A::ContainedBy => contains(expect, actual),
            A::EqualFold | A::StartsWith | A::EndsWith | A::RegexMatch => self.holds_for_text(actual, expect),
            A::TypeMatch => wanted_type(expect).map(|kind| is_of(actual, kind)),
            A::LengthEquals
            | A::LengthLessThan
            | A::LengthLessOrEquals
            | A::LengthGreaterThan
            | A::LengthGreaterOrEquals => self.holds_for_length(actual, expect),
        }
    }

    fn holds_for_text(self, actual: &Value, expect: &Value) -> Result<bool, String> {
        let text = scalar_text(actual).ok_or("it is not a text")?;
        let wanted = scalar_text(expect).unwrap_or_default();
        Ok(match self {
            A::EqualFold => text.to_lowercase() == wanted.to_lowercase(),
            A::StartsWith => text.starts_with(&wanted),
            A::EndsWith => text.ends_with(&wanted),
            _ => pattern(expect)?.is_match(&text),
        })
    }

    fn holds_for_length(self, actual: &Value, expect: &Value) -> Result<bool, String> {
        let length = match actual {
            Value::String(text) => text.chars().count(),
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            _ => return Err("it has no length".to_owned()),
        };
        let order = (length as u64).cmp(&expect.as_u64().ok_or("the expected length is not a whole number")?);
        Ok(match self {
            A::LengthEquals => order.is_eq(),
            A::LengthLessThan => order.is_lt(),
            A::LengthLessOrEquals => order.is_le(),
            A::LengthGreaterThan => order.is_gt(),
            _ => order.is_ge(),
        })
    }

    /// Says what was expected of `what` and what it was: "body.code: expected equals 200 but was 404".
    pub fn failure(self, what: &str, actual: &Value, expect: &Value, why: Option<&str>) -> String {
        let what = cut(what, NAME);
        let differ = !matches!(self, A::TypeMatch) && type_name(actual) != type_name(expect);
        let say = |value: &Value| if differ { described(value) } else { shown(value) };
        let why = why.map(str::to_owned).or_else(|| self.difference(actual, expect));
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        if let (true, Some(size)) = (self.is_of_length(), size(actual)) {
            return format!("{what} has {size}: expected {} {expect}; it is {}", self.name(), shown(actual));
        }
        format!("{what}: expected {} {} but was {}{why}", self.name(), say(expect), say(actual))
    }

    /// Says where two texts differ that look alike.
    fn difference(self, actual: &Value, expect: &Value) -> Option<String> {
        let (actual, expect) = (actual.as_str()?, expect.as_str()?);
        match self {
            A::Equals | A::StringEquals => difference::of(actual, expect),
            A::Contains | A::StartsWith | A::EndsWith => difference::of_part(actual, expect),
            A::ContainedBy => difference::of_part(expect, actual),
            _ => None,
        }
    }

    fn is_of_length(self) -> bool {
        matches!(
            self,
            A::LengthEquals
                | A::LengthLessThan
                | A::LengthLessOrEquals
                | A::LengthGreaterThan
                | A::LengthGreaterOrEquals
        )
    }
}

/// Says how much a value holds: "2 items".
fn size(value: &Value) -> Option<String> {
    let (size, one) = match value {
        Value::String(text) => (text.chars().count(), "character"),
        Value::Array(items) => (items.len(), "item"),
        Value::Object(map) => (map.len(), "entry"),
        _ => return None,
    };
    Some(match (size, one) {
        (1, one) => format!("1 {one}"),
        (size, "entry") => format!("{size} entries"),
        (size, one) => format!("{size} {one}s"),
    })
}

fn is_empty_text(value: &Value) -> bool {
    value.as_str() == Some("")
}

/// Tells whether values are equal, numbers by what they stand for: 1 and 1.0 are, 1 and "1" are not.
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(_), Value::Number(_)) => order(a, b).is_ok_and(Ordering::is_eq),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

/// Orders two numbers, or two texts that are numbers: as words, "60" would come before "7".
fn order(a: &Value, b: &Value) -> Result<Ordering, String> {
    let whole = |value: &Value| value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    let order = match (a, b) {
        (Value::String(a), Value::String(b)) => match (number_in(a), number_in(b)) {
            (Some(a), Some(b)) => return Ok(a.cmp(&b)),
            _ => return Err("texts have an order only where both are numbers".to_owned()),
        },
        (Value::Number(_), Value::Number(_)) => match (whole(a), whole(b)) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => a.as_f64().zip(b.as_f64()).and_then(|(a, b)| a.partial_cmp(&b)),
        },
        _ => None,
    };
    order.ok_or_else(|| "they cannot be compared".to_owned())
}

/// Reads a text that is a decimal number and nothing else: "7", "-0.50", "+1e3".
fn number_in(text: &str) -> Option<Decimal<'_>> {
    let text = text.trim();
    let is_number = text.contains(|sign: char| sign.is_ascii_digit()) && text.parse::<f64>().is_ok_and(f64::is_finite);
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let unsigned = digits.trim_start_matches(['+', '-']);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let is_negative = digits.starts_with('-');
    is_number.then_some(Decimal { is_negative, whole, fraction, exponent: exponent.parse().ok()? })
}

/// A number by its digits, all of which count: no float holds 20 of them.
struct Decimal<'a> {
    is_negative: bool,
    whole: &'a str,
    fraction: &'a str,
    exponent: i64,
}

impl Decimal<'_> {
    /// Returns the place of the first digit that is not zero, and the digits from there; none of zero.
    fn magnitude(&self) -> Option<(i64, Vec<u8>)> {
        let mut digits: Vec<u8> = self.whole.bytes().chain(self.fraction.bytes()).collect();
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..zeros);
        digits.truncate(digits.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1));
        let place = i64::try_from(self.whole.len()).ok()? - i64::try_from(zeros).ok()?;
        (!digits.is_empty()).then(|| (place.saturating_add(self.exponent), digits))
    }

    fn cmp(&self, other: &Self) -> Ordering {
        let sizes = (self.magnitude(), other.magnitude());
        let sign = |number: &Self, is_zero: bool| {
            if is_zero {
                0
            } else if number.is_negative {
                -1
            } else {
                1
            }
        };
        let (own, its) = (sign(self, sizes.0.is_none()), sign(other, sizes.1.is_none()));
        own.cmp(&its).then_with(|| if own < 0 { sizes.1.cmp(&sizes.0) } else { sizes.0.cmp(&sizes.1) })
    }
}

/// Tells whether a text has a part, a list an item or a map a key.
fn contains(whole: &Value, part: &Value) -> Result<bool, String> {
    match (whole, part) {
        (Value::String(whole), Value::String(part)) => Ok(whole.contains(part.as_str())),
        (Value::Array(items), part) => Ok(items.iter().any(|item| equal(item, part))),
        (Value::Object(map), Value::String(key)) => Ok(map.contains_key(key)),
        (Value::String(_), _) => Err("a text contains texts only".to_owned()),
        (Value::Object(_), _) => Err("the keys of a map are texts".to_owned()),
        _ => Err("only a text, a list or a map contains anything".to_owned()),
    }
}

/// Tells whether a list has an item that could be the part, and none that is; of a text or a map, whether it has no such part.
fn lacks(whole: &Value, part: &Value) -> Result<bool, String> {
    if let Value::Array(items) = whole
        && let Some(first) = items.first()
        && !items.iter().any(|item| comparable(item, part).is_ok())
    {
        return comparable(first, part).map(|()| false).map_err(|why| format!("of its items, {why}"));
    }
    contains(whole, part).map(|found| !found)
}

/// Says why two values differ whatever they are: their types do. Null may be compared with anything.
fn comparable(actual: &Value, expect: &Value) -> Result<(), String> {
    if actual.is_null() || expect.is_null() || type_name(actual) == type_name(expect) {
        return Ok(());
    }
    let (is, wanted) = (type_name(actual), type_name(expect));
    Err(format!("{is} differs from {wanted} whatever they are: {}", instead(actual, expect)))
}

/// Says how to write an expectation that can be compared with a value of this type.
fn instead(actual: &Value, expect: &Value) -> String {
    let same = |value: &Value| type_name(value) == type_name(actual);
    match (actual, expect) {
        (Value::String(_), Value::Number(_) | Value::Bool(_)) => {
            format!("write \"{expect}\" in quotes, or make a number of the text first: `${{name | float}}`")
        }
        (_, Value::String(text)) => match serde_json::from_str(text).ok().filter(same) {
            Some(value) => format!("write {} without quotes", shown(&value)),
            None => format!("write {}", type_name(actual)),
        },
        _ => format!("write {}", type_name(actual)),
    }
}

fn pattern(expect: &Value) -> Result<Regex, String> {
    let text = expect.as_str().ok_or_else(|| format!("a regular expression is expected, not {}", described(expect)))?;
    if text.is_empty() {
        return Err("the regular expression is empty, so any text passes".to_owned());
    }
    let pattern = Regex::new(text).map_err(|error| format!("not a regular expression: {error}"))?;
    if pattern.is_match("") && pattern.is_match("\u{a4}") {
        return Err(format!("`{text}` matches any text, even an empty one: say what must be in it"));
    }
    Ok(pattern)
}

fn wanted_type(expect: &Value) -> Result<Kind, String> {
    let name = expect.as_str().unwrap_or_default();
    TYPES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, kind)| *kind).ok_or_else(|| {
        let valid = TYPES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        format!("type_match: {} is not a type; valid: {valid}", shown(expect))
    })
}

fn is_of(value: &Value, kind: Kind) -> bool {
    match kind {
        Kind::Text => value.is_string(),
        Kind::Whole => value.is_i64() || value.is_u64(),
        Kind::Fraction => value.is_f64(),
        Kind::Number => value.is_number(),
        Kind::Flag => value.is_boolean(),
        Kind::List => value.is_array(),
        Kind::Map => value.is_object(),
        Kind::Null => value.is_null(),
    }
}

/// Returns the text of a text, a number or a flag.
fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

/// Writes a value as JSON, cut where it is long.
fn shown(value: &Value) -> String {
    cut(&value.to_string(), SHOWN)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn described(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) => shown(value),
        _ => format!("{} ({})", shown(value), type_name(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Tells whether an assertion holds; an expectation that is refused counts as `None`.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a literal reads better without a reference")]
    fn holds(actual: Value, name: &str, expect: Value) -> Option<bool> {
        let assertion = find(name).expect("a name");
        assertion.check(&expect).ok()?;
        Some(assertion.holds(&actual, &expect).unwrap_or(false))
    }

    #[test]
    fn every_assertion_holds_and_does_not() {
        let cases = [
            ("eq", json!({"a": [1]}), json!({"a": [1.0]}), json!({"a": ["1"]})),
            ("not_equal", json!(404), json!(200), json!(404.0)),
            ("lt", json!(9), json!(10), json!(9)),
            ("le", json!("60"), json!("60.0"), json!("7")),
            ("gt", json!(u64::MAX), json!(u64::MAX - 1), json!(u64::MAX)),
            ("ge", json!(1.5), json!(1.5), json!(2)),
            ("str_eq", json!(200), json!("200"), json!("404")),
            ("equal_fold", json!("ÄB"), json!("äb"), json!("ab")),
            ("startswith", json!(204), json!(20), json!(4)),
            ("endswith", json!("a.png"), json!("png"), json!("a")),
            ("contains", json!([1, {"a": 2}]), json!({"a": 2.0}), json!(3)),
            ("contains", json!({"key": 1}), json!("key"), json!("other")),
            ("not_contains", json!("abc"), json!("d"), json!("b")),
            ("contained_by", json!(2), json!([1, 2]), json!([1, "2"])),
            ("regex_match", json!("id-42"), json!("\\d+$"), json!("^\\d")),
            ("type_match", json!(1), json!("int"), json!("float")),
            ("len_eq", json!("登录"), json!(2), json!(6)),
            ("count_lt", json!([1]), json!(2), json!(1)),
            ("len_le", json!([1]), json!(1), json!(0)),
            ("count_greater_than", json!({"a": 1}), json!(0), json!(1)),
            ("len_ge", json!("ab"), json!(2), json!(3)),
        ];
        for name in names() {
            let is_tried = cases.iter().any(|(tried, ..)| find(tried) == find(name));
            assert!(is_tried, "{name} is not tried");
        }
        for (name, actual, good, bad) in cases {
            assert_eq!(holds(actual.clone(), name, good), Some(true), "{name}");
            assert_eq!(holds(actual, name, bad), Some(false), "{name}");
        }
    }

    #[test]
    fn a_text_is_no_number_and_a_flag_is_none() {
        assert_eq!(holds(json!("200"), "eq", json!(200)), Some(false));
        assert_eq!(holds(json!(true), "eq", json!(1)), Some(false));
        assert_eq!(holds(json!("5"), "lt", json!(10)), Some(false));
        assert_eq!(holds(json!("60"), "lt", json!("7")), Some(false), "no order of words");
        assert_eq!(holds(json!("abc"), "lt", json!("7")), Some(false), "no number");
        assert_eq!(holds(json!("60"), "gt", json!("abc")), None, "an expectation that no number is");
        assert_eq!(holds(json!("a1"), "contains", json!(1)), Some(false));
        let message = Assertion::Equals.failure("body.code", &json!("200"), &json!(200), None);
        assert_eq!(message, "body.code: expected equals 200 (a number) but was \"200\" (a text)");
        let message = Assertion::Equals.failure("body.code", &json!(404), &json!(200), None);
        assert_eq!(message, "body.code: expected equals 200 but was 404");
        let message = Assertion::LengthEquals.failure("body.items", &json!([1, 2]), &json!(3), None);
        assert_eq!(message, "body.items has 2 items: expected length_equals 3; it is [1,2]");
        let message = Assertion::Equals.failure("sum", &json!("5\u{a0}€"), &json!("5 €"), None);
        assert!(message.contains("they differ at character 2: a no-break space"), "{message}");
    }

    #[test]
    fn texts_that_are_numbers_are_ordered_by_all_of_their_digits() {
        let rising = [
            "-1e3",
            "-20",
            "-7.5",
            "-0.001",
            "0",
            ".5",
            "0.50000000000000000001",
            "7",
            "+8",
            "009.5",
            "60",
            "9007199254740992",
            "9007199254740993",
            "12345678901234567890.1",
            "12345678901234567890.2",
            "1E30",
        ];
        for pair in rising.windows(2) {
            assert_eq!(holds(json!(pair[0]), "lt", json!(pair[1])), Some(true), "{pair:?}");
            assert_eq!(holds(json!(pair[1]), "le", json!(pair[0])), Some(false), "{pair:?}");
        }
        for (a, b) in [("1.50", "1.5"), ("-0", "0.0"), ("1e2", "100"), (" 7 ", "007"), ("0.1e1", "1")] {
            assert_eq!(holds(json!(a), "le", json!(b)), Some(true), "{a} {b}");
            assert_eq!(holds(json!(a), "ge", json!(b)), Some(true), "{a} {b}");
        }
        for text in ["inf", "nan", "1e999", "7px", "1,000", "0x10", ""] {
            assert_eq!(holds(json!("7"), "lt", json!(text)), None, "{text}");
        }
    }

    #[test]
    fn what_differs_by_its_type_alone_is_no_difference() {
        let table = [
            (
                json!(200),
                "ne",
                json!("200"),
                "a number differs from a text whatever they are: write 200 without quotes",
            ),
            (json!("0"), "ne", json!(0), "write \"0\" in quotes"),
            (json!(true), "ne", json!("true"), "write true without quotes"),
            (json!([1, 2]), "ne", json!("[1,2]"), "write [1,2] without quotes"),
            (json!({"a": 1}), "ne", json!([1]), "a map differs from a list whatever they are: write a map"),
            (json!([1, 2]), "not_contains", json!("2"), "of its items, a number differs from a text"),
        ];
        for (actual, name, expect, says) in table {
            let error = find(name).unwrap().holds(&actual, &expect).expect_err(says);
            assert!(error.contains(says), "{error}");
        }
        for (actual, name, expect) in [
            (json!(1), "ne", Value::Null),
            (json!([1, "a"]), "not_contains", json!("b")),
            (json!([null, 1]), "not_contains", json!("b")),
            (json!([1]), "not_contains", Value::Null),
            (json!([]), "not_contains", json!("b")),
        ] {
            assert_eq!(holds(actual.clone(), name, expect), Some(true), "{actual}");
        }
    }

    #[test]
    fn nothing_is_satisfied_by_what_is_not_there() {
        for name in names() {
            let expect = match name {
                _ if name.starts_with("length") => json!(1),
                "type_match" => json!("string"),
                _ if name.starts_with("less") || name.starts_with("greater") => json!("1"),
                _ => json!("a"),
            };
            let holds = holds(Value::Null, name, expect);
            assert_eq!(holds, Some(false), "{name}; none means that this test needs an expectation that `check` takes");
        }
        assert_eq!(holds(Value::Null, "eq", Value::Null), Some(true));
        assert_eq!(holds(json!(1), "ne", Value::Null), Some(true));
        assert_eq!(holds(json!(""), "contained_by", json!("abc")), Some(false));
    }

    #[test]
    fn expectations_that_say_nothing_are_refused() {
        let refused = [
            ("contains", json!("")),
            ("startswith", json!("")),
            ("not_contains", json!("")),
            ("regex_match", json!("")),
            ("regex_match", json!(".*")),
            ("regex_match", json!("(")),
            ("len_ge", json!(0)),
            ("len_eq", json!("3")),
            ("type_match", json!("colour")),
            ("lt", json!([1])),
        ];
        for (name, expect) in refused {
            assert_eq!(holds(json!("abc"), name, expect.clone()), None, "{name} {expect}");
        }
    }

    #[test]
    fn spellings_are_unique() {
        let mut seen = std::collections::HashSet::new();
        assert!(spellings().all(|name| seen.insert(name)));
    }
}
