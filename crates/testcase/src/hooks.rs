//! `setup_hooks`, `teardown_hooks` and `on_failure`: calls, variables that calls set, and steps.

use super::case::Hook;
use super::expression;
use super::known::Known;
use super::node::{Data, Entry, Node};
use super::parts::{Part, is_name};
use super::reader::Reader;
use super::{keys, model, step};
use serde_json::Value;

/// Reads a list of hooks; `known` grows by what they set.
pub(super) fn read(reader: &mut Reader<'_>, entry: &Entry, known: &mut Known) -> Vec<Hook> {
    let what = format!("`{}`", entry.key);
    let single = std::slice::from_ref(&entry.value);
    let items = if matches!(entry.value.data, Data::Str(_)) { single } else { reader.list(&entry.value, &what) };
    let mut hooks = Vec::new();
    for item in items {
        let hook = hook(reader, item, &what, known);
        *known = known.with(hook.iter().flat_map(model::set_by_hook));
        hooks.extend(hook);
    }
    hooks
}

fn hook(reader: &mut Reader<'_>, item: &Node, what: &str, known: &Known) -> Option<Hook> {
    match &item.data {
        Data::Str(text) if text.trim().is_empty() => None,
        Data::Str(text) => {
            reader.expressions(item, known);
            is_call(reader, item, text, what).then(|| evaluate(item, text))
        }
        Data::Map(entries) => of_map(reader, item, entries, known),
        _ => {
            let message = format!("an item of {what} is a call, a variable that a call sets, or a step");
            reader.refuse_with_help(item.place.span, message, "write `${function()}` or `{name: ${function()}}`");
            None
        }
    }
}

fn evaluate(item: &Node, text: &str) -> Hook {
    Hook::Evaluate { expression: Value::String(text.to_owned()), place: item.place.span }
}

/// Says whether a text is one `${…}` and nothing else; other texts would do nothing.
fn is_call(reader: &mut Reader<'_>, item: &Node, text: &str, what: &str) -> bool {
    let calls = match expression::parse(text.trim()) {
        Ok(parts) => matches!(&parts[..], [Part::Call { .. } | Part::Formula { .. }]),
        // Reported with its place.
        Err(_) => true,
    };
    if !calls {
        let message = format!("this item of {what} calls nothing");
        reader.refuse_with_help(item.place.span, message, "write `${function()}`, or a step");
    }
    calls
}

fn of_map(reader: &mut Reader<'_>, item: &Node, entries: &[Entry], known: &Known) -> Option<Hook> {
    let is_step = |entry: &Entry| {
        let key = entry.key.as_str();
        reader.knows(key) || keys::PLATFORMS.contains(&key) || keys::DOERS.contains(&key)
    };
    if let [entry] = entries
        && !is_step(entry)
        && is_name(&entry.key)
        && matches!(&entry.value.data, Data::Str(text) if text.contains('$'))
    {
        reader.expressions(&entry.value, known);
        if reader.about.rows.contains(&entry.key) {
            let help = "the row's value would hide it: set another name";
            reader.refuse_with_help(entry.place.span, format!("`{}` is a parameter", entry.key), help);
        }
        let value = entry.value.to_value();
        return Some(Hook::Assign { variable: entry.key.clone(), value, place: item.place.span });
    }
    if let [entry] = entries
        && !is_step(entry)
        && known.contains(&entry.key)
        && matches!(&entry.value.data, Data::Bool(_) | Data::Number(_))
    {
        let help = format!("write `{{{}: ${{…}}}}`, with the value in the braces", entry.key);
        let message = format!("a hook sets the variable `{}` by an expression only", entry.key);
        reader.refuse_with_help(entry.place.span, message, &help);
        return None;
    }
    step::read(reader, item, known).map(|step| Hook::Step(Box::new(step)))
}
