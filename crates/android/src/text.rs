//! Text → the command lines that type it, each short enough for every Android's shell.
//!
//! `input text` knows ASCII only and reads `%s` as a space; everything else goes through a keyboard that takes text by
//! broadcast (see `keyboard`). Lines and tabs are keys in both, so that a field sees them as from a keyboard.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::adb::quote;
use crate::driver::Keystrokes;

/// Characters that one command types at most.
const CHUNK: usize = 400;
/// Bytes of a command line: with all around it, old devices take 4096.
const LINE: usize = 2000;
const ENTER: &str = "input keyevent 66";
const TAB: &str = "input keyevent 61";

/// Tells whether `input text` can type it all.
pub(super) fn is_plain(text: &str) -> bool {
    text.chars().all(|c| matches!(c, ' '..='~' | '\n' | '\r' | '\t'))
}

/// Returns the command lines that type pieces for which [`is_plain`] holds, each with the time that it pauses.
pub(super) fn plain_lines(pieces: &[Keystrokes]) -> Vec<(String, Duration)> {
    with_pauses(pieces, by_keys)
}

fn by_keys(piece: &str, commands: &mut Vec<String>) {
    for part in parts(piece) {
        commands.push(format!("input text {}", quote(&part.replace(' ', "%s"))));
    }
}

/// Returns the command lines that type any pieces through the keyboard that takes broadcasts, each with the time that it
/// pauses.
pub(super) fn broadcast_lines(pieces: &[Keystrokes]) -> Vec<(String, Duration)> {
    with_pauses(pieces, by_broadcast)
}

fn by_broadcast(piece: &str, commands: &mut Vec<String>) {
    let characters: Vec<char> = piece.chars().collect();
    for part in characters.chunks(CHUNK) {
        let encoded = STANDARD.encode(part.iter().collect::<String>());
        commands.push(format!("am broadcast -a ADB_INPUT_B64 --es msg {}", quote(&encoded)));
    }
}

/// Writes every piece's commands and its pause; lines are as long as they may be.
fn with_pauses(pieces: &[Keystrokes], type_piece: fn(&str, &mut Vec<String>)) -> Vec<(String, Duration)> {
    let mut lines: Vec<(String, Duration)> = Vec::new();
    for Keystrokes { text, pause } in pieces {
        let sleep = (!pause.is_zero()).then(|| format!("sleep {:.3}", pause.as_secs_f64()));
        for command in commands(text, type_piece).into_iter().chain(sleep) {
            match lines.last_mut() {
                Some((line, _)) if line.len() + command.len() < LINE => line.push_str(&format!(" && {command}")),
                _ => lines.push((command, Duration::ZERO)),
            }
        }
        if let Some((_, pauses)) = lines.last_mut() {
            *pauses += *pause;
        }
    }
    lines
}

/// Splits a text at lines and tabs, which become keys; `type_piece` adds the commands for what stands between.
fn commands(text: &str, type_piece: impl Fn(&str, &mut Vec<String>)) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut commands = Vec::new();
    for piece in text.split_inclusive(['\n', '\t']) {
        let words = piece.trim_end_matches(['\n', '\t']);
        if !words.is_empty() {
            type_piece(words, &mut commands);
        }
        match piece.as_bytes().last() {
            Some(b'\n') => commands.push(ENTER.to_owned()),
            Some(b'\t') => commands.push(TAB.to_owned()),
            _ => {}
        }
    }
    commands
}

/// Splits an ASCII text so that no part is too long and no `%` stands before an `s`.
fn parts(text: &str) -> Vec<&str> {
    let (bytes, mut start, mut parts) = (text.as_bytes(), 0, Vec::new());
    for end in 1..=bytes.len() {
        let ended = end == bytes.len();
        if ended || end - start == CHUNK || (bytes[end - 1] == b'%' && bytes[end] == b's') {
            parts.push(&text[start..end]);
            start = end;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain_commands(text: &str) -> Vec<String> {
        plain_lines(&[whole(text)]).into_iter().map(|(line, _)| line).collect()
    }

    fn broadcast_commands(text: &str) -> Vec<String> {
        broadcast_lines(&[whole(text)]).into_iter().map(|(line, _)| line).collect()
    }

    fn whole(text: &str) -> Keystrokes {
        Keystrokes { text: text.to_owned(), pause: Duration::ZERO }
    }

    #[test]
    fn ascii_arrives_as_written() {
        for (text, line) in [
            ("hello world", "input text 'hello%sworld'"),
            ("100%s", "input text '100%' && input text s"),
            ("%%s % s", "input text '%%' && input text 's%s%%ss'"),
            ("it's $5; `id` \"x\"", r#"input text 'it'\''s%s$5;%s`id`%s"x"'"#),
            (
                "a\n\tb\r\n",
                "input text a && input keyevent 66 && input keyevent 61 && input text b && input keyevent 66",
            ),
            ("-", "input text -"),
            ("", ""),
        ] {
            assert_eq!(plain_commands(text).join("?"), line, "{text}");
        }
    }

    /// What Android's `input text` makes of its argument.
    fn typed(argument: &str) -> String {
        argument.replace("%s", " ")
    }

    #[test]
    fn long_texts_are_cut_into_short_lines_that_type_the_same() {
        let text = "it is 100%s sure; 50% so ".repeat(400);
        let lines = plain_commands(&text);
        assert!(lines.len() > 5 && lines.iter().all(|line| line.len() < LINE + 10));
        let commands = lines.iter().flat_map(|line| line.split(" && "));
        let back: String = commands.map(|c| typed(c.strip_prefix("input text ").unwrap().trim_matches('\''))).collect();
        assert_eq!(back, text);
    }

    #[test]
    fn pieces_are_typed_with_their_pauses() {
        let piece = |text: &str, ms| Keystrokes { text: text.to_owned(), pause: Duration::from_millis(ms) };
        let lines = plain_lines(&[piece("a ", 80), piece("%s\n", 0)]);
        let line = "input text 'a%s' && sleep 0.080 && input text '%' && input text s && input keyevent 66";
        assert_eq!(lines, [(line.to_owned(), Duration::from_millis(80))]);
        let many = vec![piece("录", 50); 200];
        let lines = broadcast_lines(&many);
        assert!(lines.len() > 1 && lines.iter().all(|(line, _)| line.len() < LINE + 10));
        assert_eq!(lines.iter().map(|(_, pauses)| *pauses).sum::<Duration>(), Duration::from_secs(10));
    }

    #[test]
    fn everything_else_goes_by_broadcast() {
        assert!(is_plain("a~ \n\t") && !is_plain("é") && !is_plain("\u{1b}") && !is_plain("登录"));
        let line = "am broadcast -a ADB_INPUT_B64 --es msg 55m75b2V && input keyevent 66 && \
                    am broadcast -a ADB_INPUT_B64 --es msg 8J+YgA==";
        assert_eq!(broadcast_commands("登录\n😀"), [line]);
        let lines = broadcast_commands(&"录".repeat(1000));
        assert!(lines.len() > 1 && lines.iter().all(|line| line.len() < LINE));
    }
}
