//! Keys in device words and Android's numbers → keys of the DOM, of the DevTools protocol and of WebDriver.

use crate::driver::{Key, KeyPress};

/// A key of a page's keyboard, with the modifiers that are held meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stroke {
    pub(super) key: DomKey,
    /// Those of [`MODIFIERS`], by their position.
    pub(super) held: Vec<usize>,
}

/// A key as pages are told of it (UI Events, `key` and `code`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct DomKey {
    pub(super) key: String,
    pub(super) code: String,
    /// The old `keyCode`, Windows' number.
    pub(super) number: u32,
    /// What it types.
    pub(super) text: Option<char>,
    /// Its sign in WebDriver's actions (section 17.4.2).
    pub(super) sign: char,
}

/// A key that is held: its name, its code, its old number, its bit in the DevTools protocol, and its sign in WebDriver's.
pub(super) struct Modifier {
    pub(super) key: &'static str,
    pub(super) code: &'static str,
    pub(super) number: u32,
    pub(super) bit: u32,
    pub(super) sign: char,
}

pub(super) const MODIFIERS: [Modifier; 4] = [
    Modifier { key: "Alt", code: "AltLeft", number: 18, bit: 1, sign: '\u{e00a}' },
    Modifier { key: "Control", code: "ControlLeft", number: 17, bit: 2, sign: '\u{e009}' },
    Modifier { key: "Meta", code: "MetaLeft", number: 91, bit: 4, sign: '\u{e03d}' },
    Modifier { key: "Shift", code: "ShiftLeft", number: 16, bit: 8, sign: '\u{e008}' },
];

impl Modifier {
    /// Returns it as a key of its own.
    pub(super) fn as_key(&self) -> DomKey {
        DomKey { key: self.key.into(), code: self.code.into(), number: self.number, text: None, sign: self.sign }
    }
}

/// Android's number, and the key's name, code, old number and sign.
const NAMED: &[(u32, &str, &str, u32, char)] = &[
    (19, "ArrowUp", "ArrowUp", 38, '\u{e013}'),
    (20, "ArrowDown", "ArrowDown", 40, '\u{e015}'),
    (21, "ArrowLeft", "ArrowLeft", 37, '\u{e012}'),
    (22, "ArrowRight", "ArrowRight", 39, '\u{e014}'),
    (61, "Tab", "Tab", 9, '\u{e004}'),
    (66, "Enter", "Enter", 13, '\u{e007}'),
    (67, "Backspace", "Backspace", 8, '\u{e003}'),
    (92, "PageUp", "PageUp", 33, '\u{e00e}'),
    (93, "PageDown", "PageDown", 34, '\u{e00f}'),
    (111, "Escape", "Escape", 27, '\u{e00c}'),
    (112, "Delete", "Delete", 46, '\u{e017}'),
    (122, "Home", "Home", 36, '\u{e011}'),
    (123, "End", "End", 35, '\u{e010}'),
    (124, "Insert", "Insert", 45, '\u{e016}'),
];

/// Android's number, what it types without and with shift, its code, and its old number.
const SIGNS: &[(u32, char, char, &str, u32)] = &[
    (55, ',', '<', "Comma", 188),
    (56, '.', '>', "Period", 190),
    (62, ' ', ' ', "Space", 32),
    (68, '`', '~', "Backquote", 192),
    (69, '-', '_', "Minus", 189),
    (70, '=', '+', "Equal", 187),
    (71, '[', '{', "BracketLeft", 219),
    (72, ']', '}', "BracketRight", 221),
    (73, '\\', '|', "Backslash", 220),
    (74, ';', ':', "Semicolon", 186),
    (75, '\'', '"', "Quote", 222),
    (76, '/', '?', "Slash", 191),
];

/// What shift makes of the digits on the keyboard of the United States.
const SHIFTED: [char; 10] = [')', '!', '@', '#', '$', '%', '^', '&', '*', '('];

/// Android's numbers of alt, ctrl, meta, shift, left and right, in the order of [`MODIFIERS`].
const HELD: [[u32; 2]; 4] = [[57, 58], [113, 114], [117, 118], [59, 60]];

/// Returns the stroke of a key in device words; none where a browser has no such key.
pub(super) fn stroke(key: Key) -> Option<Stroke> {
    let number = match key {
        Key::Enter => 66,
        Key::Delete => 67,
        Key::ForwardDelete => 112,
        Key::Tab => 61,
        Key::Escape => 111,
        Key::Up => 19,
        Key::Down => 20,
        Key::Left => 21,
        Key::Right => 22,
        Key::Home
        | Key::Back
        | Key::Menu
        | Key::AppSwitch
        | Key::Power
        | Key::VolumeUp
        | Key::VolumeDown
        | Key::Search => return None,
    };
    Some(Stroke { key: dom_key(number, false)?, held: Vec::new() })
}

fn modifier(number: u32) -> Option<usize> {
    HELD.iter().position(|both| both.contains(&number))
}

/// Returns the positions in [`MODIFIERS`] of keys by their numbers.
pub(super) fn modifiers(numbers: &[u32]) -> Vec<usize> {
    numbers.iter().copied().filter_map(modifier).collect()
}

/// Returns the stroke of a key by its number; none where a browser has no such key.
pub(super) fn of_press(press: &KeyPress) -> Option<Stroke> {
    let held: Vec<usize> = press.held.iter().copied().map(modifier).collect::<Option<_>>()?;
    let has_shift = held.contains(&3);
    Some(Stroke { key: dom_key(press.code, has_shift)?, held })
}

/// Returns the stroke that types a sign, on the keyboard of the United States; none of what that has no key for.
pub(super) fn typing_of(text: &str) -> Option<Stroke> {
    let mut signs = text.chars();
    let (Some(sign), None) = (signs.next().filter(|sign| !sign.is_control()), signs.next()) else { return None };
    let shift = HELD[3][0];
    let presses = [vec![], vec![shift]]
        .into_iter()
        .flat_map(|held| (7..=76).map(move |code| KeyPress { code, held: held.clone(), long: false }));
    presses.into_iter().find_map(|press| of_press(&press).filter(|stroke| stroke.key.text == Some(sign)))
}

fn dom_key(number: u32, shift: bool) -> Option<DomKey> {
    if let Some((_, key, code, old, sign)) = NAMED.iter().find(|(known, ..)| *known == number) {
        let text = (*key == "Enter").then_some('\r');
        return Some(DomKey { key: (*key).into(), code: (*code).into(), number: *old, text, sign: *sign });
    }
    if let Some((_, plain, shifted, code, old)) = SIGNS.iter().find(|(known, ..)| *known == number) {
        return Some(typing(if shift { *shifted } else { *plain }, (*code).to_owned(), *old));
    }
    match number {
        7..=16 => {
            let digit = number - 7;
            let plain = char::from_digit(digit, 10)?;
            let shifted = SHIFTED[usize::try_from(digit).ok()?];
            Some(typing(if shift { shifted } else { plain }, format!("Digit{digit}"), 48 + digit))
        }
        29..=54 => {
            let upper = char::from_u32(u32::from('A') + number - 29)?;
            let typed = if shift { upper } else { upper.to_ascii_lowercase() };
            Some(typing(typed, format!("Key{upper}"), u32::from(upper)))
        }
        131..=142 => {
            let name = format!("F{}", number - 130);
            let sign = char::from_u32(0xe031 + number - 131)?;
            Some(DomKey { key: name.clone(), code: name, number: 112 + number - 131, text: None, sign })
        }
        _ => None,
    }
}

fn typing(typed: char, code: String, number: u32) -> DomKey {
    DomKey { key: typed.to_string(), code, number, text: Some(typed), sign: typed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_that_pages_are_told_of() {
        let enter = stroke(Key::Enter).expect("a key").key;
        assert_eq!((enter.key.as_str(), enter.number, enter.text), ("Enter", 13, Some('\r')));
        assert_eq!(stroke(Key::Delete).expect("a key").key.key, "Backspace");
        assert_eq!(stroke(Key::Power), None);
        let press = |code, held: &[u32]| of_press(&KeyPress { code, held: held.to_vec(), long: false });
        let a = press(29, &[113]).expect("a key");
        assert_eq!((a.key.key.as_str(), a.key.code.as_str(), a.key.number), ("a", "KeyA", 65));
        assert_eq!(MODIFIERS[a.held[0]].key, "Control");
        assert_eq!(press(8, &[60]).expect("a key").key.key, "!");
        assert_eq!(
            press(142, &[]).expect("a key").key,
            DomKey { key: "F12".into(), code: "F12".into(), number: 123, text: None, sign: '\u{e03c}' }
        );
        assert_eq!((press(24, &[]), press(29, &[24])), (None, None));
        let typed = |text| typing_of(text).map(|stroke| (stroke.key.code, stroke.held));
        assert_eq!(typed("a"), Some(("KeyA".into(), vec![])));
        assert_eq!(typed("A"), Some(("KeyA".into(), vec![3])));
        assert_eq!((typed(","), typed("?")), (Some(("Comma".into(), vec![])), Some(("Slash".into(), vec![3]))));
        assert_eq!((typed("é"), typed("ab"), typed("\n"), typed("\r")), (None, None, None, None));
    }
}
