//! Broken texts, arguments and schemas by the thousand: nothing panics, nothing hangs, and no call is lost without a word.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Definition, Definitions, Lang, Object, read_calls, read_object};

const PARTS: &[&str] = &[
    "<web>",
    "</web>",
    "<go>",
    "</go>",
    "<go/>",
    "<web",
    "</",
    "<",
    ">",
    "{",
    "}",
    "\"",
    "\\",
    "'",
    ":",
    ",",
    "[",
    "]",
    "```",
    "```json\n",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<think>",
    "</think>",
    "&quot;",
    "&amp;",
    "&#0;",
    "&",
    " ",
    "\n",
    "1",
    "null",
    "\"a\": 1",
    "{\"u\": 1}",
    "{}",
    "é",
    "浏览",
    "\u{0}",
    "<answer>",
    "</answer>",
    "<tool_calls>",
    "</tool_calls>",
    "<web><go>{\"u\": 1}</go></web>",
];

fn is_known(name: &str) -> bool {
    ["web", "go"].contains(&name)
}

fn broken(random: &mut fastrand::Rng, most: usize) -> String {
    (0..random.usize(..most)).map(|_| PARTS[random.usize(..PARTS.len())]).collect()
}

fn value(random: &mut fastrand::Rng, depth: usize) -> Value {
    match random.u8(..if depth == 0 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => random.bool().into(),
        2 => random.i64(..).into(),
        3 => json!(random.f64() * 10f64.powi(random.i32(-300..300))),
        4 => broken(random, 4).into(),
        5 => ["string", "integer", "array", "object", "#", "#/properties/a", "1", "true"][random.usize(..8)].into(),
        6 => (0..random.usize(..4)).map(|_| value(random, depth - 1)).collect(),
        _ => object(random, depth - 1).into(),
    }
}

fn object(random: &mut fastrand::Rng, depth: usize) -> Object {
    const KEYS: [&str; 14] = [
        "type",
        "properties",
        "required",
        "default",
        "a",
        "b",
        "items",
        "anyOf",
        "$ref",
        "pattern",
        "enum",
        "additionalProperties",
        "minimum",
        "不",
    ];
    (0..random.usize(..6)).map(|_| (KEYS[random.usize(..KEYS.len())].to_owned(), value(random, depth))).collect()
}

#[test]
fn broken_texts_are_read_or_refused() {
    let mut random = fastrand::Rng::with_seed(4);
    for _ in 0..30_000 {
        let text = broken(&mut random, 24);
        let whole = text.matches("<web><go>{\"u\": 1}</go></web>").count();
        match read_calls(&text, &is_known) {
            Ok(found) => assert!(found.calls.len() + found.notes.len() >= whole.min(1), "{text}"),
            Err(refused) => assert!(refused.line >= 1 && !refused.message.is_empty(), "{text}"),
        }
        let _ = read_object(&text);
    }
}

#[test]
fn a_good_call_among_harmless_words_is_always_found() {
    const WORDS: &[&str] = &[
        "I go. ",
        "1 < 2 ",
        "a & b ",
        "<b>x</b> ",
        "```",
        "\n",
        "浏览 ",
        "<br/>",
        "</p>",
        "\"quoted\" ",
        "<not a tag ",
        "{} ",
    ];
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..3_000 {
        let mut text = String::new();
        let calls = random.usize(1..4);
        for number in 0..calls {
            (0..random.usize(..6)).for_each(|_| text.push_str(WORDS[random.usize(..WORDS.len())]));
            text.push_str(&format!("\n<web><go>{{\"u\": {number}}}</go></web>"));
        }
        match read_calls(&text, &is_known) {
            Ok(found) => {
                let numbers: Vec<_> = found.calls.iter().map(|call| call.arguments["u"].as_u64()).collect();
                assert_eq!(numbers, (0..calls as u64).map(Some).collect::<Vec<_>>(), "{text}");
            }
            Err(refused) => assert!(refused.message.contains("closes nothing"), "{text}: {refused}"),
        }
    }
}

#[test]
fn broken_schemas_and_arguments_do_no_harm() {
    let mut random = fastrand::Rng::with_seed(6);
    for _ in 0..5_000 {
        let schema = Value::Object(object(&mut random, 4));
        let definition = Definition::from_schema("t", &schema);
        let given = value(&mut random, 3);
        if let (Ok(checked), Some(given)) = (definition.check(given.clone()), given.as_object()) {
            assert!(given.keys().all(|key| checked.contains_key(key)), "{schema}: {given:?} became {checked:?}");
        }
        let _ = definition.check(given).map_err(|complaint| complaint.message(Lang::Zh));
    }
}

#[test]
fn broken_files_of_definitions_do_no_harm() {
    let mut random = fastrand::Rng::with_seed(7);
    let file = include_str!("definitions/microsandbox.yaml");
    for _ in 0..1_000 {
        let mut bytes = file.as_bytes().to_vec();
        for _ in 0..random.usize(1..6) {
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(9..127);
        }
        let _ = Definitions::from_yaml("a", &String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn long_texts_take_no_time() {
    let long = |part: &str| part.repeat((1 << 18) / part.len());
    let parts = [
        "<",
        "<web>",
        "<go>",
        "<web ",
        "</web>",
        "<!--",
        "<think>",
        "</think>",
        "<a><a>",
        "<answer>{",
        "<web><go>{}</go></web>",
        "{",
        "[",
        "<a",
        "\n",
        "<a> ",
        "&lt;",
    ];
    for part in parts {
        let begun = Instant::now();
        for text in [long(part), format!("<web><go>{}", long(part)), format!("<web>{}", long(part))] {
            let _ = read_calls(&text, &is_known);
        }
        // The slowest takes a fraction of this in a debug build.
        assert!(begun.elapsed() < Duration::from_secs(10), "{part}: {:?}", begun.elapsed());
    }
}
