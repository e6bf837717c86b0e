//! Keys → Android's key codes (`android.view.KeyEvent`).

use crate::driver::{Key, KeyPress};

/// Keys that one command presses at most: `input` takes a few milliseconds for each.
const CHUNK: usize = 100;

/// Returns Android's number of a key.
pub(super) fn code(key: Key) -> u32 {
    match key {
        Key::Home => 3,
        Key::Back => 4,
        Key::Up => 19,
        Key::Down => 20,
        Key::Left => 21,
        Key::Right => 22,
        Key::VolumeUp => 24,
        Key::VolumeDown => 25,
        Key::Power => 26,
        Key::Tab => 61,
        Key::Enter => 66,
        Key::Delete => 67,
        Key::ForwardDelete => 112,
        Key::Menu => 82,
        Key::Search => 84,
        Key::Escape => 111,
        Key::AppSwitch => 187,
    }
}

/// Returns the commands that press keys, by their numbers, one after the other.
pub(super) fn commands(codes: &[u32]) -> Vec<String> {
    let line = |chunk: &[u32]| {
        let codes: Vec<String> = chunk.iter().map(u32::to_string).collect();
        format!("input keyevent {}", codes.join(" "))
    };
    codes.chunks(CHUNK).map(line).collect()
}

/// Returns the command that presses a key by its number; keys that are held down with it need Android 12.
pub(super) fn press_command(press: &KeyPress) -> String {
    if press.held.is_empty() {
        let long = if press.long { "--longpress " } else { "" };
        return format!("input keyevent {long}{}", press.code);
    }
    let held: Vec<String> = press.held.iter().map(u32::to_string).collect();
    format!("input keycombination {} {}", held.join(" "), press.code)
}

/// Returns what presses it, as errors call it.
pub(super) fn tool(press: &KeyPress) -> &'static str {
    if press.held.is_empty() { "input keyevent" } else { "input keycombination" }
}

/// What the window manager says of each display that is lit.
const LIT: &str = "mAwake=true";

/// Returns the command that says what the displays are, and runs `press` if there is one and it is lit.
pub(super) fn where_lit(press: &str) -> String {
    format!("A=$(dumpsys window displays | grep -o 'mAwake=[a-z]*'); echo \"$A\"; [ \"$A\" = {LIT} ] && {press}")
}

/// Tells from what [`where_lit`] printed whether it pressed.
pub(super) fn was_lit(stdout: &str) -> bool {
    let mut displays = stdout.lines().map(str::trim).filter(|line| line.starts_with("mAwake="));
    (displays.next(), displays.next()) == (Some(LIT), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_keys_are_few_commands() {
        let lines = commands(&[code(Key::Delete); 250]);
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[2].split(' ').count(), 52);
        assert_eq!(commands(&[Key::Delete, Key::ForwardDelete].map(code)), ["input keyevent 67 112"]);
    }

    #[test]
    fn only_one_lit_display_takes_a_key_at_once() {
        assert!(was_lit("mAwake=true\n") && was_lit("mAwake=true\r\nError: no such key\r\n"));
        for stdout in ["", "\n", "mAwake=false\n", "mAwake=true\nmAwake=false\n", "mAwake=true\nmAwake=true\n"] {
            assert!(!was_lit(stdout), "{stdout}");
        }
    }

    #[test]
    fn held_keys_are_a_combination() {
        let plain = KeyPress { code: 29, ..KeyPress::default() };
        assert_eq!(press_command(&plain), "input keyevent 29");
        assert_eq!(press_command(&KeyPress { long: true, ..plain.clone() }), "input keyevent --longpress 29");
        assert_eq!(press_command(&KeyPress { held: vec![113, 59], ..plain }), "input keycombination 113 59 29");
    }
}
