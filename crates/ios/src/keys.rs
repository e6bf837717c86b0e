//! Keys → what iOS has of them: buttons of the phone, letters, and keys of a keyboard that is connected.

use serde_json::{Value, json};

use crate::driver::{Error, Key, KeyPress};
use crate::unsupported::{self, HOLD, MENU, SWITCH};

/// What presses a key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Press {
    /// The home screen.
    Home,
    /// The way back, for which there is no key.
    Back,
    /// A button at the phone's side.
    Button(&'static str),
    /// The button that puts the screen out or lights it.
    Power,
    /// A key that is written as a letter.
    Letter(String),
    /// A key of a connected keyboard, with those that are held.
    Keyboard(Value),
}

/// Returns what presses a key, or what to write instead.
pub(crate) fn press(key: Key) -> Result<Press, Error> {
    let letter = |text: &str| Ok(Press::Letter(text.to_owned()));
    match key {
        Key::Home => Ok(Press::Home),
        Key::VolumeUp => Ok(Press::Button("volumeUp")),
        Key::VolumeDown => Ok(Press::Button("volumeDown")),
        Key::Power => Ok(Press::Power),
        Key::Enter | Key::Search => letter("\n"),
        Key::Tab => letter("\t"),
        Key::Delete => letter("\u{8}"),
        Key::ForwardDelete => letter("\u{7f}"),
        Key::Escape => Ok(keyboard("XCUIKeyboardKeyEscape", 0)),
        Key::Up => Ok(keyboard("XCUIKeyboardKeyUpArrow", 0)),
        Key::Down => Ok(keyboard("XCUIKeyboardKeyDownArrow", 0)),
        Key::Left => Ok(keyboard("XCUIKeyboardKeyLeftArrow", 0)),
        Key::Right => Ok(keyboard("XCUIKeyboardKeyRightArrow", 0)),
        Key::Back => Ok(Press::Back),
        Key::Menu => Err(unsupported::error(MENU)),
        Key::AppSwitch => Err(unsupported::error(SWITCH)),
    }
}

/// Bits of Ctrl and of Command in `XCUIKeyModifierFlags`.
const CONTROL: u32 = 1 << 2;
const COMMAND: u32 = 1 << 4;

/// Bits of `XCUIKeyModifierFlags`, by Android's numbers of the keys that are held.
fn modifier(number: u32) -> Option<u32> {
    match number {
        59 | 60 => Some(1 << 1),
        113 | 114 => Some(CONTROL),
        57 | 58 => Some(1 << 3),
        117 | 118 => Some(COMMAND),
        _ => None,
    }
}

fn keyboard(key: &str, held: u32) -> Press {
    Press::Keyboard(json!({"keys": [{"key": key, "modifierFlags": held}]}))
}

/// Returns what presses a key by Android's number.
pub(crate) fn press_code(wanted: &KeyPress) -> Result<Press, Error> {
    let unknown = |number: u32| unsupported::error(&format!("press the key {number} of Android"));
    let mut held = 0;
    for number in &wanted.held {
        held |= modifier(*number).ok_or_else(|| unknown(*number))?;
    }
    if wanted.long {
        return Err(unsupported::error(HOLD));
    }
    if let Some(key) = named(wanted.code).filter(|_| held == 0) {
        return press(key);
    }
    if let Some(letter) = shortcut(wanted.code).filter(|_| held == 0) {
        return Ok(keyboard(letter, COMMAND));
    }
    let is_shifted = held == 1 << 1;
    match (sign(wanted.code, is_shifted), name(wanted.code)) {
        (Some(sign), _) if held == 0 || is_shifted => Ok(Press::Letter(sign.to_string())),
        (Some(_), _) => {
            let letter = sign(wanted.code, false).unwrap_or(' ');
            // What other keyboards do with Ctrl, iPhones do with Command.
            let held = if held == CONTROL && "acvxz".contains(letter) { COMMAND } else { held };
            Ok(keyboard(&letter.to_string(), held))
        }
        (None, Some(name)) => Ok(keyboard(name, held)),
        (None, None) => Err(unknown(wanted.code)),
    }
}

/// Letters that do with Command what a key of Android's does alone: cut, copy, paste.
fn shortcut(code: u32) -> Option<&'static str> {
    match code {
        277 => Some("x"),
        278 => Some("c"),
        279 => Some("v"),
        _ => None,
    }
}

/// Keys that have a word of their own.
fn named(code: u32) -> Option<Key> {
    Some(match code {
        3 => Key::Home,
        4 => Key::Back,
        19 => Key::Up,
        20 => Key::Down,
        21 => Key::Left,
        22 => Key::Right,
        24 => Key::VolumeUp,
        25 => Key::VolumeDown,
        26 => Key::Power,
        61 => Key::Tab,
        66 | 160 => Key::Enter,
        67 => Key::Delete,
        82 => Key::Menu,
        84 => Key::Search,
        111 => Key::Escape,
        112 => Key::ForwardDelete,
        187 => Key::AppSwitch,
        _ => return None,
    })
}

/// Names of keys that write nothing, as `XCUIKeyboardKey` has them.
fn name(code: u32) -> Option<&'static str> {
    const FUNCTION: [&str; 12] = [
        "XCUIKeyboardKeyF1",
        "XCUIKeyboardKeyF2",
        "XCUIKeyboardKeyF3",
        "XCUIKeyboardKeyF4",
        "XCUIKeyboardKeyF5",
        "XCUIKeyboardKeyF6",
        "XCUIKeyboardKeyF7",
        "XCUIKeyboardKeyF8",
        "XCUIKeyboardKeyF9",
        "XCUIKeyboardKeyF10",
        "XCUIKeyboardKeyF11",
        "XCUIKeyboardKeyF12",
    ];
    Some(match code {
        19 => "XCUIKeyboardKeyUpArrow",
        20 => "XCUIKeyboardKeyDownArrow",
        21 => "XCUIKeyboardKeyLeftArrow",
        22 => "XCUIKeyboardKeyRightArrow",
        61 => "XCUIKeyboardKeyTab",
        66 => "XCUIKeyboardKeyReturn",
        67 => "XCUIKeyboardKeyDelete",
        92 => "XCUIKeyboardKeyPageUp",
        93 => "XCUIKeyboardKeyPageDown",
        111 => "XCUIKeyboardKeyEscape",
        112 => "XCUIKeyboardKeyForwardDelete",
        122 => "XCUIKeyboardKeyHome",
        123 => "XCUIKeyboardKeyEnd",
        131..=142 => return usize::try_from(code - 131).ok().and_then(|at| FUNCTION.get(at)).copied(),
        _ => return None,
    })
}

/// Signs of the keyboard of the United States, without and with shift, by Android's numbers.
const SIGNS: [(u32, char, char); 13] = [
    (55, ',', '<'),
    (56, '.', '>'),
    (62, ' ', ' '),
    (68, '`', '~'),
    (69, '-', '_'),
    (70, '=', '+'),
    (71, '[', '{'),
    (72, ']', '}'),
    (73, '\\', '|'),
    (74, ';', ':'),
    (75, '\'', '"'),
    (76, '/', '?'),
    (77, '@', '@'),
];
const SHIFTED: [char; 10] = [')', '!', '@', '#', '$', '%', '^', '&', '*', '('];

/// Returns what a key writes.
fn sign(code: u32, is_shifted: bool) -> Option<char> {
    match code {
        7..=16 => {
            let digit = code - 7;
            let shifted = usize::try_from(digit).ok().and_then(|at| SHIFTED.get(at)).copied();
            if is_shifted { shifted } else { char::from_digit(digit, 10) }
        }
        29..=54 => char::from_u32(u32::from(if is_shifted { 'A' } else { 'a' }) + code - 29),
        _ => SIGNS
            .iter()
            .find(|(known, ..)| *known == code)
            .map(|(_, plain, shifted)| if is_shifted { *shifted } else { *plain }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: u32, held: &[u32]) -> Result<Press, Error> {
        press_code(&KeyPress { code, held: held.to_vec(), long: false })
    }

    #[test]
    fn keys_are_letters_buttons_or_those_of_a_keyboard() {
        let letter = |text: &str| Ok(Press::Letter(text.to_owned()));
        assert_eq!((of(29, &[]), of(29, &[59]), of(8, &[59])), (letter("a"), letter("A"), letter("!")));
        assert_eq!((of(66, &[]), of(67, &[]), of(3, &[])), (letter("\n"), letter("\u{8}"), Ok(Press::Home)));
        assert_eq!(of(29, &[117]), Ok(keyboard("a", 16)));
        assert_eq!((of(29, &[113]), of(33, &[113])), (Ok(keyboard("a", 16)), Ok(keyboard("e", 4))));
        assert_eq!((of(278, &[]), of(279, &[])), (Ok(keyboard("c", 16)), Ok(keyboard("v", 16))));
        assert_eq!(of(61, &[59]), Ok(keyboard("XCUIKeyboardKeyTab", 2)));
        assert_eq!(of(142, &[]), Ok(keyboard("XCUIKeyboardKeyF12", 0)));
        for code in [82, 187, 219, 223, 224] {
            assert!(matches!(of(code, &[]), Err(Error::Unsupported { .. })), "{code}");
        }
        assert_eq!(of(4, &[]).unwrap(), Press::Back);
    }
}
