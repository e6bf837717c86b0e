//! Texts and keys: `wda/keys`, the keyboard, what a field is cleared with. Source: `FBKeyboard`, `XCUIElement+FBTyping`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::agent::{Agent, DONE};
use super::answer::{Outcome, Refusal};
use super::call::Call;
use super::words;

/// Android's key that takes away what stands before the cursor.
const DELETE: u32 = 67;
const TAB: u32 = 61;
/// The first letter, and the key that is held for shortcuts.
const KEY_A: u32 = 29;
const CTRL: u32 = 113;

pub(super) async fn answer(agent: &Arc<Agent>, call: &Call<'_>) -> Outcome {
    match (call.method, call.path.as_slice()) {
        ("POST", ["wda", "keys"]) => {
            let text = call.body["value"].as_array().and_then(|_| words::joined(&call.body["value"]));
            let text = text.ok_or_else(|| Refusal::argument("'value' must be a list of texts"))?;
            type_text(agent, &text, call.number("frequency")).await
        }
        ("POST", ["wda", "keyboard", "dismiss"]) => dismiss(agent, &call.body["keyNames"]).await,
        ("POST", ["wda", "element", _, "keyboardInput"]) => {
            let keys = call.body["keys"].as_array().filter(|keys| !keys.is_empty());
            let keys = keys.ok_or_else(|| Refusal::argument("The 'keys' argument must not be empty"))?;
            let strokes: Option<Vec<Stroke>> = keys.iter().map(stroke).collect();
            let strokes = strokes.ok_or_else(|| Refusal::argument("Each of 'keys' must be a text or have a 'key'"))?;
            strike(agent, strokes).await
        }
        _ => Err(call.unknown()),
    }
}

/// What one key of a connected keyboard does.
enum Stroke {
    Text(String),
    /// A key by Android's number.
    Code(u32),
    /// One that is pressed while others are held, which only some do anything with.
    Held(u32, char),
}

/// Bits of `XCUIKeyModifierFlags`.
const CONTROL: u64 = 1 << 2;
const COMMAND: u64 = 1 << 4;

/// Reads a key of `keyboardInput`: a letter, or a name of `XCUIKeyboardKey`, with the keys that are held.
fn stroke(key: &Value) -> Option<Stroke> {
    let name = key.as_str().or(key["key"].as_str())?;
    let held = key["modifierFlags"].as_u64().unwrap_or(0) & (CONTROL | COMMAND);
    let mut signs = name.chars();
    if let (Some(sign), None, true) = (signs.next(), signs.next(), held != 0) {
        return Some(Stroke::Held(if held & COMMAND != 0 { CTRL } else { 0 }, sign.to_ascii_lowercase()));
    }
    let Some(name) = name.strip_prefix("XCUIKeyboardKey") else { return Some(Stroke::Text(name.to_owned())) };
    Some(match name {
        "Return" | "Enter" => Stroke::Text("\n".to_owned()),
        "Space" => Stroke::Text(" ".to_owned()),
        "Tab" => Stroke::Code(TAB),
        "Delete" => Stroke::Code(DELETE),
        "ForwardDelete" => Stroke::Code(112),
        "UpArrow" => Stroke::Code(19),
        "DownArrow" => Stroke::Code(20),
        "LeftArrow" => Stroke::Code(21),
        "RightArrow" => Stroke::Code(22),
        "Home" => Stroke::Code(122),
        "End" => Stroke::Code(123),
        "Escape" => Stroke::Code(111),
        // Others do nothing here.
        _ => Stroke::Code(0),
    })
}

/// Presses keys of a connected keyboard: with Command they select, copy, cut and paste, with Control they go to the ends of a line.
async fn strike(agent: &Arc<Agent>, strokes: Vec<Stroke>) -> Outcome {
    agent.until_idle().await;
    agent.counts.add("keys", strokes.len());
    let all = agent.act(async move |mut system| {
        for stroke in strokes {
            match stroke {
                Stroke::Text(text) => system.type_text(&text).await,
                Stroke::Code(code) => system.key(code).await,
                Stroke::Held(CTRL, sign @ ('a' | 'c' | 'v' | 'x')) => {
                    system.press_with(&[CTRL], u32::from(sign) - u32::from('a') + KEY_A);
                }
                Stroke::Held(0, 'a') => system.key(122).await,
                Stroke::Held(0, 'e') => system.key(123).await,
                Stroke::Held(..) => {}
            }
        }
    });
    all.await?;
    DONE
}

/// Types a text into the field in use, as fast as asked, or as the session has it; keys a second. Nothing happens where nothing
/// is in use.
pub(super) async fn type_text(agent: &Arc<Agent>, text: &str, frequency: Option<f64>) -> Outcome {
    agent.until_idle().await;
    if let Some(ms) = agent.faults.number("slow_act_ms") {
        tokio::time::sleep(Duration::from_secs_f64((ms / 1000.0).clamp(0.0, 600.0))).await;
    }
    let frequency =
        frequency.filter(|number| *number > 0.0).unwrap_or_else(|| agent.number_setting("maxTypingFrequency"));
    let typed = spoilt(agent, text, frequency);
    agent.counts.add("keys", typed.chars().count());
    let all = agent.act(async move |mut system| {
        for sign in typed.chars() {
            match sign {
                '\u{8}' | '\u{7f}' | '\u{e003}' => system.key(DELETE).await,
                '\t' | '\u{e004}' => system.key(TAB).await,
                '\r' | '\u{e006}' | '\u{e007}' => system.type_text("\n").await,
                sign => system.type_text(sign.encode_utf8(&mut [0; 4])).await,
            }
        }
    });
    all.await?;
    DONE
}

/// Loses, doubles and corrects what the faults say.
fn spoilt(agent: &Agent, text: &str, frequency: f64) -> String {
    let is_too_fast = |name: &str| agent.faults.number(name).is_some_and(|limit| frequency > limit);
    let (cut, doubled) = (is_too_fast("typing_cut"), is_too_fast("typing_doubled"));
    let mut typed = String::new();
    for (sign, number) in text.chars().zip(1_usize..) {
        let is_third = number % 3 == 0;
        let times = usize::from(!(cut && is_third)) + usize::from(doubled && is_third);
        typed.extend(std::iter::repeat_n(sign, times));
    }
    if agent.faults.is("autocorrect") && agent.is_set("keyboardAutocorrection") {
        let mut signs = typed.chars();
        return signs.next().map_or_else(String::new, |first| first.to_uppercase().chain(signs).collect());
    }
    typed
}

/// Takes away the text of the field in use.
pub(super) async fn clear(agent: &Arc<Agent>) -> Outcome {
    let all = agent.act(async move |mut system| {
        let length = system.front().and_then(|(_, process)| Some(process.edit.as_ref()?.text.chars().count()));
        system.edit(super::super::edit::Edit::go_to_end);
        for _ in 0..length.unwrap_or(0) {
            system.key(DELETE).await;
        }
        length.unwrap_or(0)
    });
    agent.counts.add("keys", all.await?);
    DONE
}

/// Hides the keyboard by a key of one of these names; an iPhone's has none that only hides it.
async fn dismiss(agent: &Agent, names: &Value) -> Outcome {
    let names = names.as_array().map(Vec::as_slice).unwrap_or_default();
    let has_return = names.iter().any(|name| name == "Return" || name == "return");
    let hidden = agent.act(async move |mut system| {
        if system.keyboard_shown() && has_return && !system.has_lines_in_use() {
            system.type_text("\n").await;
        }
        !system.keyboard_shown()
    });
    if hidden.await? {
        return DONE;
    }
    Err(Refusal::state(
        "Did not know how to dismiss the keyboard. Try to dismiss it in the way supported by your application under test.",
    ))
}
