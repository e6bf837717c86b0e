//! Answers for agents, who pay for each token of them: bounded however long the texts are that apps and callers bring in.
//!
//! What a program would read (details) goes first, then the middle of the message: its beginning says what was asked, its end what
//! was found instead.

use serde_json::Value;
use uixt_call::{Bound, DIFF, ToolKind, ToolRow, Toolset};
use uixt_locate::snapshot::tokens;
use uixt_locate::{Error, Object};
use uixt_toolkit::Reply;
use uixt_toolkit::tokens::beginning;

/// The most tokens of an answer that says why a call failed.
const FAILURE: usize = 150;
/// The same of tools of UI instances, which say of each patch what was wrong with it, and of research, which says what was read.
const FAILURE_OF_PATCHES: usize = 600;
const FAILURE_OF_RESEARCH: usize = 3_000;
/// The most tokens of the answer of a wait, whatever came of it.
const WAIT: usize = 60;

/// The most tokens of what an answer holds.
const ANSWER: usize = 2_000;
/// The most characters of what a caller said itself and is told again.
const ECHO: usize = 100;

/// The most entries of a map that are shortened one by one.
const FEW: usize = 32;

/// Details that say in a word what sort of failure it is; they are never left out.
const KEPT: [&str; 3] = ["code", "status", "instance_id"];

/// Returns how long the answer of a failed call may be; a batch also tells what its steps before the failed one did.
fn of_failure(tool: &ToolRow) -> Option<usize> {
    match tool.kind {
        _ if tool.name == "batch" => None,
        ToolKind::Wait => Some(WAIT),
        _ if tool.set == Some(Toolset::Ui) => Some(FAILURE_OF_PATCHES),
        _ if tool.set == Some(Toolset::Deepsearch) => Some(FAILURE_OF_RESEARCH),
        _ => Some(FAILURE),
    }
}

/// Makes an error short enough for an agent.
pub(crate) fn error(mut error: Error, tool: &ToolRow) -> Error {
    if tool.bound == Some(Bound::Printed) {
        error.details = both_ends(error.details);
        return error;
    }
    let Some(most) = of_failure(tool) else {
        if error.details.get_mut("results").is_some_and(shrink) {
            return error.with("cut", SHRUNK);
        }
        return error;
    };
    let cost = |error: &Error| tokens(&error.object(tool.name).to_string());
    while cost(&error) > most
        && let Some(largest) = largest(&error.details)
    {
        error.details.shift_remove(&largest);
    }
    if cost(&error) > most {
        let whole = std::mem::take(&mut error.message);
        error.message = longest(&whole, |message| cost(&Error { message, ..error.clone() }) <= most);
    }
    error
}

/// Makes an answer short enough for an agent; `room` is what the call itself asks for, in tokens.
pub(crate) fn reply(mut reply: Reply, tool: &ToolRow, room: Option<u64>) -> Reply {
    // What changed has a bound of its own.
    let changed = reply.fields.shift_remove(DIFF);
    let mut short = shortened(reply, tool, room);
    short.fields.extend(changed.map(|changed| (DIFF.to_owned(), changed)));
    short
}

fn shortened(reply: Reply, tool: &ToolRow, room: Option<u64>) -> Reply {
    match (tool.bound, tool.kind) {
        _ if tool.name == "batch" => batch(reply),
        (Some(Bound::Printed), _) => Reply { fields: both_ends(reply.fields), ..reply },
        (Some(Bound::Field { name, more }), _) if room.is_none() => cut_field(reply, name, more),
        (Some(Bound::Echo), _) | (None, ToolKind::Typing | ToolKind::Note) => echo(reply),
        (None, ToolKind::Wait) => wait(reply),
        _ => reply,
    }
}

/// Cuts what the caller said itself.
fn echo(mut reply: Reply) -> Reply {
    let short = |text: &str| {
        let count = text.chars().count();
        let cut = || format!("{}… ({count} characters)", text.chars().take(ECHO).collect::<String>());
        (count > ECHO + 60).then(cut)
    };
    if let Some(cut) = short(&reply.message) {
        reply.message = cut;
    }
    if let Some(Value::String(text)) = reply.fields.get_mut("text")
        && let Some(cut) = short(text)
    {
        *text = cut;
    }
    reply
}

fn cut_field(mut reply: Reply, field: &str, more: &str) -> Reply {
    let text = reply.fields.get(field).and_then(Value::as_str).unwrap_or_default();
    let Some((begun, said)) = beginning(text, ANSWER) else { return reply };
    reply.fields.insert(field.to_owned(), begun.into());
    if tokens(&reply.message) > ECHO {
        reply.message = reply.message.chars().take(ECHO).chain(['…']).collect();
    }
    reply.with("cut", format!("{field} is {said}; {more}"))
}

/// Cuts the longest texts in the results of a batch.
fn batch(mut reply: Reply) -> Reply {
    if let Some(results) = reply.fields.get_mut("results")
        && shrink(results)
    {
        return reply.with("cut", SHRUNK);
    }
    reply
}

/// What is said of results that are cut.
const SHRUNK: &str = "results are shortened at …; call a tool by itself for all of its answer";

/// Shortens texts until the results have room; tells whether any was.
fn shrink(results: &mut Value) -> bool {
    let fits = |results: &Value| tokens(&results.to_string()) <= ANSWER;
    let mut lengths = [7_000, 5_000, 3_000, 1_500, 700, 300, 100, 40].into_iter();
    let is_whole = fits(results);
    while !fits(results) {
        let Some(longest) = lengths.next() else {
            bare(results);
            break;
        };
        shorten(results, longest);
    }
    !is_whole
}

fn shorten(value: &mut Value, longest: usize) {
    match value {
        Value::String(text) if text.chars().count() > longest => {
            *text = text.chars().take(longest).chain(['…']).collect();
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, longest)),
        Value::Object(map) => map.values_mut().for_each(|value| shorten(value, longest)),
        _ => {}
    }
}

/// Cuts the middle of whatever is long, so that all of it has room.
fn both_ends(fields: Object) -> Object {
    let mut whole = Value::Object(fields);
    let mut lengths = [6_000, 4_000, 2_000, 1_000, 500, 200].into_iter();
    let is_cut = tokens(&whole.to_string()) > ANSWER;
    while tokens(&whole.to_string()) > ANSWER
        && let Some(longest) = lengths.next()
    {
        keep_ends(&mut whole, longest);
    }
    let Value::Object(mut fields) = whole else { return Object::new() };
    fields.extend(is_cut.then(|| ("cut".to_owned(), "what is long is shortened at …".into())));
    fields
}

/// Cuts the middle of texts that are longer; what else is long becomes a text.
fn keep_ends(value: &mut Value, longest: usize) {
    match value {
        Value::String(text) => {
            let signs: Vec<char> = text.chars().collect();
            if signs.len() > longest {
                *text = cut(&signs, longest);
            }
        }
        Value::Object(map) if map.len() <= FEW => map.values_mut().for_each(|value| keep_ends(value, longest)),
        Value::Array(_) | Value::Object(_) => {
            let signs: Vec<char> = value.to_string().chars().collect();
            if signs.len() > longest {
                *value = cut(&signs, longest).into();
            }
        }
        _ => {}
    }
}

/// Leaves of each result what was done, and whether it was.
fn bare(results: &mut Value) {
    for result in results.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        result.retain(|key, _| matches!(key.as_str(), "action" | "success"));
    }
}

fn wait(mut reply: Reply) -> Reply {
    let cost = |reply: &Reply| tokens(&reply.object("wait_for").to_string());
    if cost(&reply) > WAIT {
        let whole = std::mem::take(&mut reply.message);
        reply.message = longest(&whole, |message| cost(&Reply { message, ..reply.clone() }) <= WAIT);
    }
    reply
}

/// Names the detail that takes the most room.
fn largest(details: &Object) -> Option<String> {
    let may_go = details.iter().filter(|(key, _)| !KEPT.contains(&key.as_str()));
    let size = |value: &Value| tokens(&value.to_string());
    may_go.max_by_key(|(key, value)| tokens(key) + size(value)).map(|(key, _)| key.clone())
}

/// Takes as little as possible out of a text, from behind its first third on, so that it fits.
fn longest(text: &str, fits: impl Fn(String) -> bool) -> String {
    let signs: Vec<char> = text.chars().collect();
    let (mut least, mut most) = (0, signs.len());
    while least < most {
        let middle = (least + most).div_ceil(2);
        if fits(cut(&signs, middle)) {
            least = middle;
        } else {
            most = middle - 1;
        }
    }
    cut(&signs, least)
}

/// Returns so many characters of a text, from both its ends.
fn cut(signs: &[char], kept: usize) -> String {
    let (head, tail) = (kept / 3, signs.len() - (kept - kept / 3));
    signs[..head].iter().chain(&['…']).chain(&signs[tail..]).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use uixt_locate::Kind;

    fn of_name(tool: &str) -> &'static ToolRow {
        crate::groups::find(tool).expect("a tool")
    }

    fn cost(error: &Error, tool: &str) -> usize {
        tokens(&error.object(tool).to_string())
    }

    #[test]
    fn no_failure_costs_more_than_it_may() {
        for unit in ["x", "登录", "a \"b\" \\ c ", "😀é", "line\n", "\u{1}"] {
            for times in [1, 20, 60, 100, 3_000] {
                let long = unit.repeat(times);
                let message = format!("\"{long}\": not there within 10 s; nearest text: \"{long}\"");
                let whole = Error::new(Kind::NotFound, message)
                    .with("nearest", json!([long, long, long]))
                    .with("code", "AMBIGUOUS")
                    .with("app", long);
                for (tool, most) in [("wait_for", WAIT), ("tap_element", FAILURE)] {
                    let short = error(whole.clone(), of_name(tool));
                    assert!(cost(&short, tool) <= most, "{tool}, {unit} × {times}: {}", cost(&short, tool));
                    assert!(short.message.starts_with('"') && short.details.contains_key("code"), "{}", short.message);
                }
            }
        }
    }

    #[test]
    fn answers_have_a_bound_and_say_what_is_cut() {
        let long = "<node text=\"登录\"/>".repeat(2_000);
        let of = |field: &str| Reply { message: "done".to_owned(), ..Reply::default() }.with(field, long.as_str());
        for (tool, field) in [("get_source", "source"), ("get_text", "text"), ("input", "text")] {
            let short = reply(of(field), of_name(tool), None);
            assert!(tokens(&short.object(tool).to_string()) <= ANSWER + ANSWER / 4, "{tool}");
            assert!(tool == "input" || short.fields["cut"].as_str().is_some_and(|cut| cut.contains(" of 34000 ")));
        }
        assert_eq!(reply(of("source"), of_name("get_source"), Some(9_000)).fields["source"], long);
        let steps = |count: usize, text: &str| vec![json!({"action": "a", "success": true, "message": text}); count];
        for (count, text) in [(1, long.as_str()), (100, "x".repeat(200).as_str()), (3, "short")] {
            let short = reply(Reply::default().with("results", steps(count, text)), of_name("batch"), None);
            assert!(tokens(&short.object("batch").to_string()) <= ANSWER + 100, "{count}");
            assert_eq!(short.fields.contains_key("cut"), count != 3);
        }
    }

    #[test]
    fn of_what_a_program_printed_both_ends_are_told_also_where_it_failed() {
        let long = format!("begin{}end", "x".repeat(60_000));
        let numbers: Vec<u32> = (0..20_000).collect();
        let fields = json!({"stdout": long, "result": numbers, "outputs": {"a": long}, "return_code": 1});
        let fields = fields.as_object().expect("a map").clone();
        let tool = of_name("microsandbox_execute");
        let told = reply(Reply { fields: fields.clone(), ..Reply::default() }, tool, None).fields;
        let failed = error(Error { details: fields, ..Error::new(Kind::Assertion, "no") }, tool).details;
        for told in [told, failed] {
            assert!(tokens(&Value::Object(told.clone()).to_string()) <= ANSWER + 50, "{told:?}");
            let (stdout, output) = (told["stdout"].as_str().expect("a text"), told["outputs"]["a"].as_str());
            assert!(stdout.starts_with("begin") && stdout.ends_with("end") && output.is_some(), "{stdout}");
            assert!(told["result"].as_str().is_some_and(|result| result.ends_with("19999]")));
            assert_eq!(told["return_code"], 1);
        }
    }

    #[test]
    fn of_details_the_largest_goes_first_and_the_code_never() {
        let whole = Error::new(Kind::NotFound, "\"A\": not there")
            .with("code", "x".repeat(300))
            .with("large", "y".repeat(800))
            .with("small", "z".repeat(40));
        let short = error(whole.clone(), of_name("tap_element"));
        assert_eq!(short.details.keys().collect::<Vec<_>>(), ["code", "small"]);
        assert_eq!(short.message, whole.message, "there is room for it");
        let tight = error(whole.clone(), of_name("wait_for"));
        assert_eq!(tight.details.keys().collect::<Vec<_>>(), ["code"]);
        // A batch keeps its details, but not all of what its steps said.
        let steps = json!([{"action": "a", "success": true, "message": "m".repeat(20_000)}]);
        let batch = error(whole.with("results", steps), of_name("batch"));
        assert!(batch.details.contains_key("large") && batch.details.contains_key("cut"));
        assert!(tokens(&batch.details["results"].to_string()) <= ANSWER);
    }

    #[test]
    fn what_a_caller_said_is_told_again_up_to_a_bound() {
        let said = |count: usize| {
            let text = "é".repeat(count);
            let whole = Reply { message: text.clone(), ..Reply::default() }.with("text", text);
            let short = reply(whole, of_name("log"), None);
            (short.message, short.fields["text"].as_str().unwrap_or_default().to_owned())
        };
        let (message, text) = said(ECHO + 60);
        assert_eq!((message.chars().count(), text.chars().count()), (ECHO + 60, ECHO + 60));
        let (message, text) = said(ECHO + 61);
        assert_eq!(message, format!("{}… (161 characters)", "é".repeat(ECHO)));
        assert_eq!(text, message);
    }

    #[test]
    fn results_that_cannot_be_shortened_are_left_bare() {
        let steps = vec![json!({"action": "a", "success": true, "rect": [1, 2, 3, 4], "message": "m"}); 160];
        let short = reply(Reply::default().with("results", steps), of_name("batch"), None);
        assert_eq!(short.fields["results"][0], json!({"action": "a", "success": true}));
        assert_eq!(short.fields["results"].as_array().map(Vec::len), Some(160));
    }

    #[test]
    fn what_is_short_stays_as_it_is_and_what_is_cut_keeps_its_ends() {
        let plain = Error::new(Kind::NotFound, "\"A\": not there within 10 s").with("nearest", json!(["B"]));
        assert_eq!(error(plain.clone(), of_name("wait_for")), plain);
        let long = format!("\"{}\": not there within 10 s; nearest text: \"Sign in\"", "x".repeat(400));
        let short = error(Error::new(Kind::NotFound, long), of_name("wait_for")).message;
        assert!(short.starts_with("\"xxx") && short.ends_with("nearest text: \"Sign in\""), "{short}");
        let text = Reply { message: format!("There: text \"{}\"", "商品".repeat(100)), ..Reply::default() };
        let found = reply(text.with("rect", json!([0, 0, 1080, 2400])), of_name("wait_for"), None);
        assert!(tokens(&found.object("wait_for").to_string()) <= WAIT, "{}", found.message);
    }
}
