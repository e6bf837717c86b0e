//! Arguments of calls → what of them may be shown, and which of their values are secrets wherever they turn up.

use serde_json::Value;
use uixt_locate::Object;

pub use crate::secrets::MASK;

/// Words in the names of headers and of credentials whose values are secrets.
const SECRET_WORDS: [&str; 10] =
    ["authorization", "cookie", "token", "secret", "password", "passwd", "api-key", "apikey", "signature", "session"];

/// Names in the query of an address whose values are secrets where they are long: what is short may as well be a word.
const KEY_NAMES: [&str; 6] = ["key", "sig", "auth", "jwt", "code", "access_key"];

/// Fewest characters of such a key.
const LONG_KEY: usize = 16;

/// Arguments of which every value is a secret.
const SECRET_MAPS: [&str; 2] = ["cookies", "auth"];

/// A password of fewer characters is no text that could be found again.
const SHORT: usize = 4;

/// Most text of a call's arguments that is shown, in bytes.
const SHOWN: usize = 64 << 10;

/// Returns the values that arguments call secrets: typed ones and credentials, those of a batch's steps included.
pub fn secrets(arguments: &Object) -> Vec<String> {
    let maps = SECRET_MAPS.iter().filter_map(|name| arguments.get(*name));
    let mut found: Vec<String> = typed(arguments).into_iter().chain(maps).flat_map(texts).collect();
    let named = ["headers", "params"].into_iter().filter_map(|name| arguments.get(name)?.as_object()).flatten();
    found.extend(named.filter(|(name, _)| is_secret(name)).flat_map(|(_, value)| credentials(value)));
    let urls = ["url", "base_url"].into_iter().filter_map(|name| arguments.get(name)?.as_str());
    found.extend(urls.flat_map(secrets_of_url));
    found.extend(steps(arguments).filter_map(|step| step.get("arguments")?.as_object()).flat_map(secrets));
    found
}

/// Returns the texts and numbers of a value, at any depth.
pub fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(map) => map.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) => Vec::new(),
    }
}

/// Returns the password in a URL, with the user's name where it is short, and the values of its query that are secrets by name.
fn secrets_of_url(url: &str) -> Vec<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let user = rest[..end].rsplit_once('@').map(|(user, _)| user).filter(|user| !user.is_empty());
    let password = user.map(|user| match user.split_once(':') {
        Some((_, password)) if password.chars().count() >= SHORT => password,
        _ => user,
    });
    let query = url.split_once('?').map_or("", |(_, query)| query.split('#').next().unwrap_or_default());
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let is_key = |name: &str, value: &str| {
        value.len() >= LONG_KEY && KEY_NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
    };
    let is_hidden = |name: &str, value: &str| (is_secret(name) && !value.is_empty()) || is_key(name, value);
    let values = pairs.filter(|(name, value)| is_hidden(name, value)).map(|(_, value)| value);
    password.into_iter().chain(values).map(str::to_owned).collect()
}

/// Returns a text without the passwords, and the values that are secrets by name, of the addresses in it.
pub fn addresses(text: &str) -> String {
    let mut secrets = crate::secrets::Secrets::default();
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | ')' | '<' | '>'));
    words
        .filter(|word| word.contains("://"))
        .flat_map(secrets_of_url)
        .for_each(|secret| _ = secrets.add_anywhere(&secret));
    secrets.text(text.to_owned())
}

/// Returns a header's value and, without the scheme before it, the credential in it.
fn credentials(value: &Value) -> Vec<String> {
    let bare = value.as_str().and_then(|text| text.split_once(' ')).map(|(_, bare)| bare.trim().to_owned());
    bare.into_iter().chain(texts(value)).collect()
}

/// Returns the text that arguments call a secret; whatever is not plainly false calls it one.
fn typed(arguments: &Object) -> Option<&Value> {
    let is_open = arguments.get("secret").is_none_or(|secret| matches!(secret, Value::Null | Value::Bool(false)));
    arguments.get("text").filter(|_| !is_open)
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('_', "-");
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// Returns the steps of a batch.
fn steps(arguments: &Object) -> impl Iterator<Item = &Value> {
    arguments.get("steps").and_then(Value::as_array).into_iter().flatten()
}

/// Returns arguments as they may be shown: without the text of a secret, credentials and cookies.
pub fn masked(arguments: &Object) -> Object {
    let mut shown = arguments.clone();
    if typed(arguments).is_some() {
        shown.insert("text".to_owned(), MASK.into());
    }
    for (name, value) in &mut shown {
        match (name.as_str(), value) {
            ("headers", Value::Object(headers)) => {
                headers.iter_mut().filter(|(name, _)| is_secret(name)).for_each(|(_, value)| *value = MASK.into());
            }
            (name, value) if SECRET_MAPS.contains(&name) => hide(value),
            ("url" | "base_url", Value::String(url)) => *url = without_user(url),
            ("steps", Value::Array(steps)) => steps.iter_mut().for_each(mask_step),
            _ => {}
        }
    }
    let mut room = SHOWN;
    shown.values_mut().for_each(|value| shorten(value, &mut room));
    shown
}

/// Cuts what has no room any more: a value that was saved may be a page of 10 MiB.
fn shorten(value: &mut Value, room: &mut usize) {
    match value {
        Value::String(text) if text.len() > *room => {
            let end = text.floor_char_boundary(*room);
            text.truncate(end);
            text.push('…');
            *room = 0;
        }
        Value::String(text) => *room -= text.len(),
        Value::Array(items) => {
            let mut kept = 0;
            while *room > 0 && kept < items.len() {
                *room = room.saturating_sub(8);
                shorten(&mut items[kept], room);
                kept += 1;
            }
            if kept < items.len() {
                items.truncate(kept);
                items.push("…".into());
            }
        }
        Value::Object(map) => {
            let all = map.len();
            map.retain(|key, value| {
                let fits = *room > 0;
                *room = room.saturating_sub(key.len() + 8);
                shorten(value, room);
                fits
            });
            if map.len() < all {
                map.insert("…".to_owned(), Value::Null);
            }
        }
        _ => {}
    }
}

fn mask_step(step: &mut Value) {
    if let Some(Value::Object(arguments)) = step.get_mut("arguments") {
        *arguments = masked(arguments);
    }
}

/// Puts the mask in place of every value in `value`.
fn hide(value: &mut Value) {
    match value {
        Value::Object(map) => map.values_mut().for_each(hide),
        Value::Array(items) => items.iter_mut().for_each(hide),
        Value::Null => {}
        other => *other = MASK.into(),
    }
}

/// Takes user and password out of a URL.
pub fn without_user(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://{MASK}{}", &rest[at..]),
        None => url.to_owned(),
    }
}

/// Hides what was typed where the answer hides it, since the field turned out to be one for passwords; returns what was hidden.
pub fn hide_typed(arguments: &mut Object, answer: &Object) -> Vec<String> {
    let mut hidden = Vec::new();
    let is_hidden = |answer: &Object| answer.get("text").is_some_and(|text| text == MASK);
    if let Some(text) = arguments.get_mut("text").filter(|_| is_hidden(answer)) {
        hidden.extend(texts(&std::mem::replace(text, MASK.into())));
    }
    let results = answer.get("results").or_else(|| answer.get("details")?.get("results")).and_then(Value::as_array);
    let steps = arguments.get_mut("steps").and_then(Value::as_array_mut);
    for (step, result) in steps.into_iter().flatten().zip(results.into_iter().flatten()) {
        if let (Some(Value::Object(arguments)), Value::Object(result)) = (step.get_mut("arguments"), result) {
            hidden.extend(hide_typed(arguments, result));
        }
    }
    hidden
}

#[cfg(test)]
mod tests {
    #[test]
    fn addresses_in_a_text_tell_no_key() {
        let text =
            "request: 500: GET http://bob:pw98765@h/a?token=KEY1&key=AIzaSyD0123456789&code=zh&page=2 (http://h/?x=1)";
        let shown = "request: 500: GET http://bob:••••••@h/a?token=••••••&key=••••••&code=zh&page=2 (http://h/?x=1)";
        assert_eq!(super::addresses(text), shown);
    }

    use super::*;
    use serde_json::json;

    #[expect(clippy::needless_pass_by_value, reason = "a literal reads better without a reference")]
    fn object(value: Value) -> Object {
        value.as_object().expect("a map").clone()
    }

    #[test]
    fn credentials_and_cookies_are_not_shown() {
        let arguments = object(json!({
            "url": "http://me:pass@host/a@b", "headers": {"Authorization": "Bearer abc.def", "Accept": "x", "X-Api-Key": "k"},
            "cookies": {"sid": "1"}, "auth": {"basic": {"username": "u", "password": "p"}}, "text": "shown",
        }));
        let expected = json!({
            "url": format!("http://{MASK}@host/a@b"), "headers": {"Authorization": MASK, "Accept": "x", "X-Api-Key": MASK},
            "cookies": {"sid": MASK}, "auth": {"basic": {"username": MASK, "password": MASK}}, "text": "shown",
        });
        assert_eq!(Value::Object(masked(&arguments)), expected);
        let secrets = secrets(&arguments);
        assert!(
            ["p", "abc.def", "Bearer abc.def"].iter().all(|value| secrets.contains(&(*value).to_owned())),
            "{secrets:?}"
        );
    }

    #[test]
    fn urls_cookies_and_queries_hold_secrets() {
        let arguments = object(json!({
            "url": "http://bob:pw98765@host/?api_key=KEY1&page=2#a", "base_url": "https://bob:pw@host", "cookies": {"sid": "COOKIE"},
            "params": {"access_token": "T0KEN", "page": 3},
        }));
        assert_eq!(secrets(&arguments), ["COOKIE", "T0KEN", "pw98765", "KEY1", "bob:pw"]);
        assert_eq!(secrets(&object(json!({"url": "https://host/a@b?q=1"}))), [""; 0]);
    }

    #[test]
    fn a_batch_hides_what_its_steps_would() {
        let mut arguments = object(json!({"steps": [
            {"tool": "input", "arguments": {"text": "s3cret", "secret": true}},
            {"tool": "input", "arguments": {"text": "typed"}},
        ]}));
        assert_eq!(masked(&arguments)["steps"][0]["arguments"]["text"], MASK);
        assert_eq!(secrets(&arguments), ["s3cret"]);
        let answer = object(json!({"details": {"results": [{"text": "s3cret"}, {"text": MASK}]}}));
        assert_eq!(hide_typed(&mut arguments, &answer), ["typed"]);
        assert_eq!(arguments["steps"][1]["arguments"]["text"], MASK);
    }

    #[test]
    fn long_values_are_cut() {
        let page = json!({"text": "录".repeat(100_000), "list": vec!["item"; 100_000], "after": "x"});
        let shown = Value::Object(masked(&object(page))).to_string();
        assert!(shown.len() < 2 * SHOWN && shown.contains('…'), "{}", shown.len());
        let short = object(json!({"value": {"a": ["b", 1, null]}, "text": "c"}));
        assert_eq!(masked(&short), short);
    }

    #[test]
    fn secret_typing_is_masked() {
        for secret in [json!(true), json!("yes"), json!(1)] {
            let arguments = object(json!({"text": "hunter2", "secret": secret}));
            assert_eq!(masked(&arguments)["text"], MASK);
        }
        assert_eq!(masked(&object(json!({"text": "a", "secret": false})))["text"], "a");
    }
}
