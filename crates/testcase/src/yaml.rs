//! YAML or JSON text → [`Node`] tree, within limits, with errors in plain words. Knows nothing of testcases.
//!
//! YAML 1.2 with strict booleans: `yes`, `012`, `1_000` and dates are strings. Duplicate keys are errors, a merge key (`<<`)
//! merges, aliases expand within limits.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};
use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};
use serde_saphyr::{Location, Options, Spanned};
use std::collections::HashMap;
use std::fmt;

use super::error::Error;
use super::node::{Data, Entry, Node, Place};
use super::source::Source;
use crate::action::Span;

/// Deepest nesting of lists and maps.
const DEEPEST: usize = 64;
const TOO_DEEP: &str = "nested too deeply (at most 64 levels)";
/// Most values that a file may hold, those that aliases repeat included.
const MOST_NODES: usize = 200_000;
/// Most values that aliases may repeat.
const MOST_REPEATED: usize = 20_000;

/// Reads a text; the errors are one of syntax, or all duplicate keys.
pub(super) fn read(source: &Source) -> Result<Node, Vec<Error>> {
    let mut node: Node =
        serde_saphyr::from_str_with_options(&source.text, options()).map_err(|error| vec![explain(source, &error)])?;
    let mut errors = Vec::new();
    settle(&mut node, source, &mut errors);
    if errors.is_empty() { Ok(node) } else { Err(errors) }
}

/// The one place where the reader's strictness and limits are set.
fn options() -> Options {
    serde_saphyr::options! {
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        reject_unsupported_tags: true,
        non_finite_float_policy: NonFiniteFloatPolicy::Reject,
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        emit_comments: false,
        with_snippet: false,
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MOST_REPEATED,
            max_replay_stack_depth: 16,
        },
        budget: serde_saphyr::budget! {
            max_depth: DEEPEST,
            flow_nesting_limit: DEEPEST,
            max_nodes: MOST_NODES,
            max_events: MOST_NODES * 3,
            max_documents: 2,
            max_aliases: 2_000,
            max_anchors: 2_000,
            max_recorded_anchor_events: 100_000,
            max_recorded_anchor_bytes: 8 * 1024 * 1024,
            max_merge_keys: 1_000,
            enforce_alias_anchor_ratio: false,
        },
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Data>::deserialize(deserializer)?;
        Ok(Node { data: spanned.value, place: place(spanned.defined), written: None })
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DataVisitor)
    }
}

struct DataVisitor;

impl<'de> Visitor<'de> for DataVisitor {
    type Value = Data;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Data, E> {
        Ok(Data::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Data, E> {
        Ok(Data::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Data, E> {
        Ok(Data::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Data, E> {
        Ok(Data::Number(number.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Data, E> {
        Number::from_f64(number).map(Data::Number).ok_or_else(|| E::custom("not a finite number"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Data, E> {
        Ok(Data::Str(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Data, E> {
        Ok(Data::Str(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Data, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        // A case is tens of thousands of small lists and maps, and room that stays empty would be most of it.
        items.shrink_to_fit();
        Ok(Data::Seq(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Data, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = access.next_key::<Spanned<String>>()? {
            entries.push(Entry { key: key.value, place: place(key.defined), value: access.next_value()? });
        }
        entries.shrink_to_fit();
        Ok(Data::Map(entries))
    }
}

fn place(location: Location) -> Place {
    let number = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    let offset = |value: Option<u64>| value.and_then(|value| usize::try_from(value).ok()).unwrap_or(0);
    let inner = location.span();
    let start = offset(inner.byte_offset());
    let span = Span { line: number(location.line()), column: number(location.column()), length: number(inner.len()) };
    Place::new(span, start..start + offset(inner.byte_len()))
}

/// Finds duplicate keys, keeps the digits of whole numbers that no machine number holds, and ends spans at their line.
fn settle(node: &mut Node, source: &Source, errors: &mut Vec<Error>) {
    end_at_line(&mut node.place, source);
    let written = || source.text.get(node.place.bytes()).unwrap_or_default().trim();
    match &mut node.data {
        Data::Number(number) if number.is_f64() && is_whole(written()) => node.data = Data::Str(written().to_owned()),
        Data::Number(number) => node.written = otherwise(written(), &in_texts(number)),
        Data::Bool(flag) => node.written = otherwise(written(), &flag.to_string()),
        Data::Seq(items) => items.iter_mut().for_each(|item| settle(item, source, errors)),
        Data::Map(entries) => {
            report_duplicates(entries, source, errors);
            for entry in entries {
                end_at_line(&mut entry.place, source);
                settle(&mut entry.value, source, errors);
            }
        }
        _ => {}
    }
}

/// Returns how a number stands in a text.
fn in_texts(number: &Number) -> String {
    super::functions::text_of(&Value::Number(number.clone()))
}

/// Returns what is written, where that is not how the value itself is written.
fn otherwise(written: &str, value: &str) -> Option<Box<str>> {
    (written != value && !written.is_empty()).then(|| written.into())
}

fn is_whole(written: &str) -> bool {
    let digits = written.strip_prefix(['-', '+']).unwrap_or(written);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn end_at_line(place: &mut Place, source: &Source) {
    let written = source.text.get(place.bytes()).unwrap_or_default();
    let end = written.bytes().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(written.len());
    let characters = written[..end].trim_end().chars().count();
    place.span.length = u32::try_from(characters).unwrap_or(u32::MAX);
}

/// Maps with more keys are looked through with the help of a table.
const FEW: usize = 16;

fn report_duplicates(entries: &[Entry], source: &Source, errors: &mut Vec<Error>) {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    for (index, entry) in entries.iter().enumerate() {
        let first = match entries.len() {
            ..=FEW => entries[..index].iter().find(|other| other.key == entry.key).map(|other| other.place.span.line),
            _ => seen.get(entry.key.as_str()).copied(),
        };
        if let Some(line) = first {
            let message = format!("duplicate key `{}`", entry.key);
            let hint = format!("first on line {line}");
            errors.push(Error::at(source, entry.place.span, message).with_hint(Some(hint)));
        } else if entries.len() > FEW {
            seen.insert(&entry.key, entry.place.span.line);
        }
    }
}

/// Says in the words of somebody who writes testcases what the reader did not like.
fn explain(source: &Source, error: &serde_saphyr::Error) -> Error {
    use serde_saphyr::Error as Yaml;
    let span = error.location().map_or(Span { line: 1, column: 1, length: 1 }, |location| place(location).span);
    let message = match innermost(error) {
        Yaml::Budget { breach, .. } => limit(breach).to_owned(),
        Yaml::AliasReplayLimitExceeded { .. } | Yaml::AliasReplayStackDepthExceeded { .. } => {
            "aliases repeat too much".to_owned()
        }
        Yaml::MultipleDocuments { .. } => "a second document begins here; a file holds one testcase".to_owned(),
        Yaml::NullIntoString { .. } => "a key is empty".to_owned(),
        Yaml::Eof { .. } => "the file is empty".to_owned(),
        Yaml::NonFiniteFloat { value, .. } => format!("`{value}` is not a finite number"),
        Yaml::UnknownAnchor { .. } => "no such anchor before this alias".to_owned(),
        Yaml::RecursiveReferencesRequireWeakTypes { .. } => "an alias contains itself".to_owned(),
        other => plain(other),
    };
    if message.contains("tab")
        && let Some(found) = tabbed_line(source, span.line)
    {
        let help = "YAML is indented with spaces".to_owned();
        return Error::at(source, found, "a tab indents this line").with_help(Some(help));
    }
    if let Some((found, sign)) = control(source, span) {
        let message = format!("a file cannot hold the control character U+{:04X}", u32::from(sign));
        let help = "in a text in double quotes write it as `\\x` and two digits".to_owned();
        return Error::at(source, found, message).with_help(Some(help));
    }
    let help = advice(error).or_else(|| source.line(span.line).and_then(trap).map(str::to_owned));
    Error::at(source, span, message).with_help(help)
}

/// Names a trap that a line holds which YAML cannot read.
fn trap(line: &str) -> Option<&'static str> {
    let has = |sign: char| line.contains(sign);
    match () {
        () if line.contains("${") && has('{') => {
            Some("put an expression with braces in quotes: `\"${name}\"`, or write `$name`")
        }
        () if has('，') || has('：') => Some("`，` and `：` are full-width signs: write `, ` and `: `"),
        () if line.contains(" #") => Some("` #` begins a comment: put a text that holds it in quotes"),
        () => None,
    }
}

/// Finds a character that YAML does not allow in the line of an error.
fn control(source: &Source, near: Span) -> Option<(Span, char)> {
    let line = source.line(near.line)?;
    let (column, sign) = (1..).zip(line.chars()).find(|(_, next)| next.is_control() && !matches!(next, '\t' | '\r'))?;
    Some((Span { line: near.line, column, length: 1 }, sign))
}

fn innermost(mut error: &serde_saphyr::Error) -> &serde_saphyr::Error {
    while let serde_saphyr::Error::AliasError { error: inner, .. }
    | serde_saphyr::Error::WithSnippet { error: inner, .. } = error
    {
        error = inner;
    }
    error
}

fn plain(error: &serde_saphyr::Error) -> String {
    let text = written(error);
    let reworded = REWORDED.iter().find(|(part, ..)| text.contains(part));
    reworded.map_or(text.trim_end_matches('.').to_owned(), |(_, message, _)| (*message).to_owned())
}

fn advice(error: &serde_saphyr::Error) -> Option<String> {
    let text = written(innermost(error));
    REWORDED.iter().find(|(part, ..)| text.contains(part)).and_then(|(_, _, help)| help.map(str::to_owned))
}

fn written(error: &serde_saphyr::Error) -> String {
    use serde_saphyr::MessageFormatter as _;
    serde_saphyr::UserMessageFormatter.format_message(error).into_owned()
}

/// Parts of the parser's messages, what is said instead, and what helps.
const REWORDED: [(&str, &str, Option<&str>); 5] = [
    ("recursion limit", TOO_DEEP, None),
    (
        "mapping values are not allowed",
        "a `:` cannot stand here",
        Some("put a text that holds `: ` in quotes; keys of one map begin in the same column"),
    ),
    ("unexpected character", "a text cannot begin with this character", Some("put the text in quotes")),
    ("unknown escape", "unknown escape in a quoted text", Some("in double quotes write `\\\\` for a backslash")),
    ("expected string scalar", "a key is a word, not a list or a map", None),
];

/// Finds the first line from the given one on that is indented with a tab.
fn tabbed_line(source: &Source, from: u32) -> Option<Span> {
    (from..).map_while(|number| source.line(number).map(|line| (number, line))).find_map(|(number, line)| {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        let column = u32::try_from(spaces + 1).unwrap_or(u32::MAX);
        line[spaces..].starts_with('\t').then_some(Span { line: number, column, length: 1 })
    })
}

fn limit(breach: &serde_saphyr::budget::BudgetBreach) -> &'static str {
    use serde_saphyr::budget::BudgetBreach as Breach;
    match breach {
        Breach::Depth { .. } => TOO_DEEP,
        Breach::Documents { .. } => "a file holds one testcase",
        Breach::Aliases { .. } | Breach::Anchors { .. } | Breach::MergeKeys { .. } => "too many anchors or aliases",
        Breach::RecordedAnchorEvents { .. } | Breach::RecordedAnchorBytes { .. } => "anchors hold too much",
        _ => "too many values in one file",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tree(text: &str) -> Node {
        read(&Source::of("t.yaml", text)).unwrap()
    }

    fn messages(text: &str) -> Vec<String> {
        let errors = std::thread::scope(|scope| {
            let read = || read(&Source::of("t.yaml", text)).unwrap_err();
            let stack = super::super::load::STACK;
            std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, read).unwrap().join().unwrap()
        });
        errors.iter().map(|e| format!("{}:{} {}", e.span.unwrap().line, e.span.unwrap().column, e.message)).collect()
    }

    fn at(text: &str, pointer: &str, at_key: bool) -> String {
        let source = Source::of("t.yaml", text);
        let span = read(&source).unwrap().locate(pointer, at_key);
        let line: Vec<char> = source.line(span.line).unwrap().chars().collect();
        line[span.column as usize - 1..][..span.length as usize].iter().collect()
    }

    #[test]
    fn values_are_read_as_written() {
        let text = "a: yes\nb: 012\nc: 1_000\nd: 2026-11-22\ne: 1\nf: 1.5\ng: null\nh:\ni: true\nj: ~\nk: 18446744073709551615\nl: -9223372036854775808\nm: 6222021234567890123456\nn: 0x1F\no: 1e3\np: 8.90\nq: +86\nr: True";
        let expected = json!({"a":"yes","b":"012","c":"1_000","d":"2026-11-22","e":1,"f":1.5,"g":null,"h":null,"i":true,"j":null,
            "k":18_446_744_073_709_551_615_u64,"l":i64::MIN,"m":"6222021234567890123456","n":"0x1F","o":"1e3",
            "p":"8.90","q":"+86","r":"True"});
        assert_eq!(tree(text).to_value(), expected);
    }

    #[test]
    fn json_is_read_too() {
        let text = "\u{feff}{\"a\": [1, \"登\\u5f55\", {\"b\": null}],\n\t\"c\": \"\\ud83d\\ude00\\/\"}";
        assert_eq!(tree(text).to_value(), json!({"a": [1, "登录", {"b": null}], "c": "😀/"}));
    }

    #[test]
    fn every_value_has_its_place() {
        let text = "a: {b: Sign in, 键: '登 录'}\nc:\n- \"x y\" # z\n- |\n  block\n  more\n- !!str 5\n- &n tail\n- *n\n- k: v\n";
        let cases = [
            ("/a/b", false, "Sign in"),
            ("/a/b", true, "b"),
            ("/a/键", true, "键"),
            ("/a/键", false, "'登 录'"),
            ("/c/0", false, "\"x y\""),
            ("/c/2", false, "5"),
            ("/c/3", false, "tail"),
            ("/c/4", false, "tail"),
            ("/c/5/k", false, "v"),
            ("/c/5/missing", false, ""),
            ("/c", true, "c"),
        ];
        for (pointer, at_key, expected) in cases {
            assert_eq!(at(text, pointer, at_key), expected, "{pointer}");
        }
    }

    #[test]
    fn duplicates_are_all_found() {
        assert_eq!(messages("a: 1\nb: {c: 1, c: 2}\na: 3\n"), ["3:1 duplicate key `a`", "2:11 duplicate key `c`"]);
    }

    #[test]
    fn merge_keys_merge() {
        assert_eq!(tree("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}").to_value()["b"], json!({"x": 1, "y": 3}));
    }

    #[test]
    fn limits_hold_and_say_so() {
        let bomb = (1..12).fold("a0: &a0 [x, x]\n".to_owned(), |text, n| {
            format!("{text}a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(", "))
        });
        let table = [
            (format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)), "deep"),
            (format!("{}{}", "{a: ".repeat(10_000), "}".repeat(10_000)), "deep"),
            ((0..10_000).fold(String::new(), |text, _| text + "- "), "deep"),
            (bomb, "too much"),
            ("- x\n".repeat(250_000), "too many values"),
            ("&a [*a]".to_owned(), "itself"),
        ];
        for (text, part) in table {
            let began = std::time::Instant::now();
            let errors = messages(&text);
            assert!(errors.len() == 1 && errors[0].contains(part), "{part}: {errors:?}");
            assert!(began.elapsed().as_secs() < 30, "{part}: {:?}", began.elapsed());
        }
    }

    #[test]
    fn syntax_errors_have_plain_words() {
        let table = [
            ("a: [1, 2", "1:4 unclosed bracket '['"),
            ("a: 'x", "1:4 unclosed quote"),
            ("a: 1\n\tb: 2", "2:1 a tab indents this line"),
            ("a: 1\n b: 2", "2:3 a `:` cannot stand here"),
            ("---\na\n---\nb", "4:1 a second document begins here; a file holds one testcase"),
            ("? [a]\n: 1", "1:3 a key is a word, not a list or a map"),
            ("~: 1", "1:1 a key is empty"),
            ("a: *x", "1:4 no such anchor before this alias"),
            ("a: .nan", "1:4 `.nan` is not a finite number"),
            ("a: \"\\q\"", "1:4 unknown escape in a quoted text"),
            ("a: \"x\0\"", "1:6 a file cannot hold the control character U+0000"),
            ("a: @b", "1:4 a text cannot begin with this character"),
        ];
        for (text, expected) in table {
            assert_eq!(messages(text), [expected], "{text:?}");
        }
    }
}
