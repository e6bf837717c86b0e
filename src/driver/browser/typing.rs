//! A text that was typed → whether it is in its field. Knows scripts, and not how they get to a page.

use serde_json::{Value, json};

use crate::driver::{Typed, Typing};

/// Notes what a field holds before anything is typed into it: a function of the field.
pub(super) const NOTE: &str = "(e) => { let selected = 0; try { selected = e.selectionEnd - e.selectionStart; } catch {} \
                               const held = typeof e.value === \"string\" ? e.value : e.isContentEditable ? e.textContent : null; \
                               window[Symbol.for(\"uixt typing\")] = { field: e, held, selected: selected || 0 }; }";

/// Compares the field that was named with what was noted: null where the text is there or nobody can tell, how many of its characters
/// had room, what the field holds as before, what the other field is called that got the text, in a list, or all that an editor holds
/// that put the text beside what it was to replace.
///
/// A page may write what it is given in another form, send it off at the end of a line, or make a sign of its own of it at a comma.
/// Fields that nobody sees are the inner parts of editors, which take out what they are given.
pub(super) const LEFT: &str = r#"(named, text, replaces, inTurn) => {
const noted = window[Symbol.for("uixt typing")];
if (!noted || typeof noted.held !== "string" || !noted.field.isConnected) return null;
const { field, held, selected } = noted;
const box = field.getBoundingClientRect();
if (box.width <= 2 || box.height <= 2 || field.checkVisibility?.({ opacityProperty: true }) === false) return null;
let outer = field;
while (outer && outer !== named) outer = outer.parentNode ?? outer.host ?? outer.defaultView?.frameElement;
if (!outer && !field.contains(named)) return [field.getAttribute("aria-label") || field.labels?.[0]?.textContent.trim() || field.placeholder || field.id || field.localName];
const now = typeof field.value === "string" ? field.value : field.textContent;
const line = field.localName === "input" ? text.replace(/[\r\n]+/g, "") : text.replace(/\r\n?/g, "\n");
const room = Math.max(0, field.maxLength - (replaces ? 0 : held.length - selected));
const isLeft = inTurn && field.getRootNode().activeElement !== field;
if (field.maxLength >= 0 && line.length > room && !now.includes(line) && !isLeft) return [...line.slice(0, room)].length;
const isBeside = now === held + line || now === line + held;
if (replaces && held !== "" && now !== line && isBeside && typeof field.value !== "string") return { now };
if (now !== held || line === "" || (now === "" && /[\r\n\t,;]$/.test(text))) return null;
const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
if (replaces && (now === line || (plain(line) !== "" && plain(now).includes(plain(line))))) return null;
return now; }"#;

/// Writes the arguments of [`LEFT`].
pub(super) fn arguments(typing: &Typing<'_>) -> [Value; 3] {
    [json!(typing.text), json!(typing.replaces), json!(typing.in_turn)]
}

/// Reads what [`LEFT`] answers.
pub(super) fn came(answer: Value) -> Typed {
    match answer {
        Value::String(held) => Typed::Refused(held),
        Value::Array(other) => Typed::Astray(other.first().and_then(Value::as_str).unwrap_or_default().to_owned()),
        Value::Object(held) => Typed::Beside(held["now"].as_str().unwrap_or_default().to_owned()),
        Value::Number(took) => {
            Typed::Cut(took.as_u64().and_then(|took| usize::try_from(took).ok()).unwrap_or_default())
        }
        _ => Typed::Arrived,
    }
}
