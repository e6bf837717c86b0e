//! What is typed so far → how it may go on: tools, their arguments, the keys of steps, and what is on the screen.

use std::sync::Arc;

use parking_lot::Mutex;
use uixt_call::ToolRow;

use super::line::COMMANDS;
use crate::tools;

/// Most candidates that are shown.
const MOST: usize = 60;
/// What a step may have beside its tool.
const STEP_KEYS: [&str; 6] = ["name", "save", "when", "retry", "optional", "validate"];

/// The names on a screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    texts: Vec<String>,
    ids: Vec<String>,
    refs: Vec<String>,
}

/// The names on the screen as it was seen last.
#[derive(Clone, Debug, Default)]
pub(super) struct Words(Arc<Mutex<Names>>);

impl Words {
    /// Takes in a snapshot.
    pub(super) fn learn(&self, snapshot: &str) {
        *self.0.lock() = names(snapshot);
    }
}

/// Reads lines such as `e10 checkbox "Remember me" #remember off`.
fn names(snapshot: &str) -> Names {
    let mut names = Names::default();
    for line in snapshot.lines().map(str::trim_start) {
        let Some((reference, rest)) = line.split_once(' ').filter(|(first, _)| is_ref(first)) else { continue };
        names.refs.push(reference.to_owned());
        let (mut quoted, mut after) = (String::new(), rest);
        if let Some(start) = rest.find('"') {
            let mut read = serde_json::Deserializer::from_str(&rest[start..]).into_iter::<String>();
            quoted = read.next().and_then(Result::ok).unwrap_or_default();
            after = &rest[start + read.byte_offset().min(rest.len() - start)..];
        }
        if !quoted.is_empty() && !names.texts.contains(&quoted) {
            names.texts.push(quoted);
        }
        let id = after.split(' ').find_map(|word| word.strip_prefix('#'));
        names.ids.extend(id.map(str::to_owned));
    }
    names
}

fn is_ref(word: &str) -> bool {
    word.strip_prefix('e').is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns where the word begins that is completed, in bytes, and what may stand there.
pub(super) fn candidates(typed: &str, words: &Words) -> (usize, Vec<String>) {
    let start = if typed.starts_with("- ") { 2 } else { 0 };
    let step = &typed[start..];
    if step.starts_with(':') {
        return (start, beginning(COMMANDS.iter().map(ToString::to_string), step));
    }
    let end = step.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(step.len());
    let (tool, rest) = step.split_at(end);
    if rest.is_empty() {
        return (start, beginning(tools::table().names().into_iter().map(with_colon), tool));
    }
    if let Some(open) = rest.rfind(['{', ',']) {
        let from = start + end + open + 1;
        return in_map(tool, &typed[from..], from, words);
    }
    let from = start + end + rest.len() - rest.trim_start_matches([':', ' ']).len();
    (from, on_screen(&words.0.lock().texts, &typed[from..], false))
}

/// Completes what stands behind `{` or a comma: a key, or its value.
fn in_map(tool: &str, typed: &str, from: usize, words: &Words) -> (usize, Vec<String>) {
    let from = from + typed.len() - typed.trim_start().len();
    let typed = typed.trim_start();
    let Some((key, value)) = typed.split_once(':') else {
        let known = tools::find(tool).map(ToolRow::schema);
        let own =
            known.iter().flat_map(|schema| schema.properties().map(|(name, _)| name.to_owned()).collect::<Vec<_>>());
        // A map that begins a line is a whole step.
        let of_step =
            tools::table().names().into_iter().chain(STEP_KEYS).filter(|_| tool.is_empty()).map(str::to_owned);
        return (from, beginning(own.chain(of_step).map(|name| format!("{name}: ")), typed));
    };
    let begin = from + typed.len() - value.trim_start().len();
    let names = words.0.lock();
    let known = match key.trim() {
        "id" => &names.ids,
        "ref" => &names.refs,
        _ => &names.texts,
    };
    (begin, on_screen(known, value.trim_start(), true))
}

fn with_colon(name: &str) -> String {
    let takes_some = tools::find(name).is_some_and(|tool| tool.schema().properties().next().is_some());
    if takes_some { format!("{name}: ") } else { format!("{name}:") }
}

fn beginning(all: impl Iterator<Item = String>, typed: &str) -> Vec<String> {
    let mut found: Vec<String> = all.filter(|name| name.starts_with(typed)).take(MOST).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the names on the screen that begin as what is typed, whatever its case, as YAML writes them.
fn on_screen(names: &[String], typed: &str, in_map: bool) -> Vec<String> {
    let wanted = typed.trim_start_matches(['"', '\'']).to_lowercase();
    let fits = names.iter().filter(|name| name.to_lowercase().starts_with(&wanted));
    fits.take(MOST).map(|name| written(name, in_map)).collect()
}

/// Quotes what YAML would read otherwise.
fn written(name: &str, in_map: bool) -> String {
    let is_special = |c: char| c.is_control() || (in_map && matches!(c, ',' | '[' | ']' | '{' | '}'));
    let begins = name.starts_with(|c: char| !(c.is_alphabetic() || c == '_')) || name.starts_with("e0");
    let is_plain =
        !begins && !name.contains(": ") && !name.contains(" #") && !name.contains('$') && !name.ends_with([':', ' ']);
    let is_word = matches!(name.to_lowercase().as_str(), "true" | "false" | "yes" | "no" | "on" | "off" | "null");
    if is_plain && !is_word && !name.contains(is_special) {
        return name.to_owned();
    }
    serde_json::Value::from(name.replace('$', "$$")).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_arguments_and_the_screen_complete() {
        let words = Words::default();
        words.learn("com.uixt.shop · Log in · 1080×2400 · virtual phone\ne7 heading \"Log in\"\ne8 textfield \"User name\" #user\n  e9 button \"Sign in, now\" #sign_in\n");
        let complete = |typed: &str| candidates(typed, &words);
        assert!(complete("tap_e").1.contains(&"tap_element: ".to_owned()));
        assert!(
            complete("- hom").1.contains(&"home:".to_owned()) || complete("- hom").1.contains(&"home: ".to_owned())
        );
        assert_eq!(complete(":sc"), (0, vec![":screen".to_owned()]));
        assert_eq!(complete("tap_element: lo"), (13, vec!["Log in".to_owned()]));
        assert_eq!(complete("tap us"), (4, vec!["User name".to_owned()]));
        assert_eq!(complete("tap_element: {id: si"), (18, vec!["sign_in".to_owned()]));
        assert_eq!(complete("tap_element: {text: Si"), (20, vec!["\"Sign in, now\"".to_owned()]));
        assert_eq!(complete("tap_element: {text: a, time"), (23, vec!["timeout: ".to_owned()]));
        assert_eq!(complete("tap_element: {ref: e"), (19, vec!["e7".to_owned(), "e8".to_owned(), "e9".to_owned()]));
        assert!(complete("{sav").1.contains(&"save: ".to_owned()));
        assert_eq!(complete("nothing: {zz"), (10, Vec::new()));
    }
}
