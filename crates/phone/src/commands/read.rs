//! `read`: a line of standard input → variables. Source: the manual of mksh.

use std::io;

use super::call::Call;
use crate::shell::NAME;

/// Bytes of a line at most; what is beyond them stays.
const MAX_LEN: usize = 64 * 1024;
/// Takes the whole line where no other variable is named.
const REPLY: &str = "REPLY";

/// `read [-r] [NAME[?PROMPT]] [NAME…]`: the last one gets what is left of the line; fails at the end of the input.
pub(super) async fn read(call: &mut Call<'_>) -> io::Result<u8> {
    let raw = match call.switches("r") {
        Ok(switches) => !switches.is_empty(),
        Err(unknown) => {
            return call.fail(2, &format!("{NAME}: read: -{unknown} is not supported by the virtual phone")).await;
        }
    };
    let mut names = std::mem::take(&mut call.arguments);
    if let Some((name, prompt)) = names.first().and_then(|first| first.split_once('?')) {
        call.err(prompt.to_owned()).await?;
        let name = name.to_owned();
        names[0] = name;
    }
    if names.is_empty() {
        names.push(REPLY.to_owned());
    }
    if let Some(wrong) = names.iter().find(|name| !is_name(name)) {
        return call.fail(1, &format!("{NAME}: read: {wrong}: is not an identifier")).await;
    }
    let line = call.io.input.line(MAX_LEN).await;
    let text = String::from_utf8_lossy(line.as_deref().unwrap_or_default()).into_owned();
    for (name, value) in names.iter().zip(fields(&text, names.len(), raw)) {
        call.shell.variables.insert(name.clone(), value);
    }
    Ok(u8::from(line.is_none()))
}

fn is_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.chars().all(is_letter) && text.starts_with(|c: char| !c.is_ascii_digit())
}

/// Splits a line at blanks into so many values; a backslash takes away what the next character means, unless they are `raw`.
fn fields(line: &str, count: usize, raw: bool) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut characters = line.trim_matches([' ', '\t']).chars().peekable();
    while let Some(c) = characters.next() {
        let is_last = values.len() == count;
        match c {
            '\\' if !raw => append(&mut values, characters.next()),
            ' ' | '\t' if !is_last => {
                while characters.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
                values.push(String::new());
            }
            c => append(&mut values, Some(c)),
        }
    }
    values.resize(count, String::new());
    values
}

fn append(values: &mut [String], c: Option<char>) {
    if let Some(last) = values.last_mut() {
        last.extend(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_and_the_last_gets_the_rest() {
        assert_eq!(fields("  a b  c d ", 2, false), ["a", "b  c d"]);
        assert_eq!(fields(r"a\ b c", 3, false), ["a b", "c", ""]);
        assert_eq!(fields(r"a\ b", 2, true), [r"a\", "b"]);
        assert_eq!(fields("", 1, false), [""]);
        assert!(is_name("_a1") && !is_name("1a") && !is_name("") && !is_name("a-b"));
    }
}
