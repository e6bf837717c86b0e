//! Answers for agents, who pay for each token of them: bounded however long the texts are that apps and callers bring in.
//!
//! What a program would read (details) goes first, then the middle of the message: its beginning says what was asked, its end what
//! was found instead.

use serde_json::Value;

use super::{Error, Object, Reply};

/// The most tokens of an answer that says why a call failed.
const FAILURE: usize = 150;
/// The most tokens of the answer of a wait, whatever came of it.
const WAIT: usize = 60;

/// Details that say in a word what sort of failure it is; they are never left out.
const KEPT: [&str; 1] = ["code"];

/// Counts tokens as language models roughly do: one for four bytes of ASCII, one for every other character.
pub(super) fn tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    ascii.div_ceil(4) + text.chars().filter(|c| !c.is_ascii()).count()
}

/// Returns how long the answer of a failed call may be; a batch also tells what its steps before the failed one did.
fn of_failure(tool: &str) -> Option<usize> {
    match tool {
        "wait_for" => Some(WAIT),
        "batch" => None,
        _ => Some(FAILURE),
    }
}

/// Makes an error short enough for an agent.
pub fn error(mut error: Error, tool: &str) -> Error {
    let Some(most) = of_failure(tool) else { return error };
    let cost = |error: &Error| tokens(&error.object(tool).to_string());
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

/// Makes the answer of a wait short enough for an agent; others hold what was asked for.
pub fn reply(mut reply: Reply, tool: &str) -> Reply {
    if tool != "wait_for" {
        return reply;
    }
    let cost = |reply: &Reply| tokens(&reply.object(tool).to_string());
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

    use super::super::Kind;
    use super::*;

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
                    let short = error(whole.clone(), tool);
                    assert!(cost(&short, tool) <= most, "{tool}, {unit} × {times}: {}", cost(&short, tool));
                    assert!(short.message.starts_with('"') && short.details.contains_key("code"), "{}", short.message);
                }
            }
        }
    }

    #[test]
    fn what_is_short_stays_as_it_is_and_what_is_cut_keeps_its_ends() {
        let plain = Error::new(Kind::NotFound, "\"A\": not there within 10 s").with("nearest", json!(["B"]));
        assert_eq!(error(plain.clone(), "wait_for"), plain);
        let long = format!("\"{}\": not there within 10 s; nearest text: \"Sign in\"", "x".repeat(400));
        let short = error(Error::new(Kind::NotFound, long), "wait_for").message;
        assert!(short.starts_with("\"xxx") && short.ends_with("nearest text: \"Sign in\""), "{short}");
        let text = Reply { message: format!("There: text \"{}\"", "商品".repeat(100)), ..Reply::default() };
        let found = reply(text.with("rect", json!([0, 0, 1080, 2400])), "wait_for");
        assert!(tokens(&found.object("wait_for").to_string()) <= WAIT, "{}", found.message);
    }
}
