//! Names of keys, in any spelling → Android's numbers, the one vocabulary that names every key.

use super::keycodes;

/// Returns the number of a key that is written as its number or its name: `66`, `KEYCODE_ENTER`, `enter`, `volumeUp`.
pub fn code(key: &str) -> Option<u32> {
    let key = key.trim();
    let known = match key.bytes().all(|byte| byte.is_ascii_digit()) {
        true => keycodes::number(key),
        false => keycodes::number(&android_name(key)),
    };
    Some(known).filter(|code| *code != 0)
}

/// Names of keys that are held while others are pressed, and Android's numbers.
const HELD: &[(&str, u32)] = &[
    ("shift", 59),
    ("alt", 57),
    ("option", 57),
    ("control", 113),
    ("ctrl", 113),
    ("controlormeta", 113),
    ("meta", 117),
    ("cmd", 117),
    ("command", 117),
];

/// Returns the number of a key that is held while something else is done: `Shift`, `Control`, `Alt`, `Meta`.
pub fn modifier(name: &str) -> Option<u32> {
    let name = name.trim().to_ascii_lowercase();
    HELD.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
}

/// Keys that have an effect while the screen is off, by Android's numbers: calls, volume, power, media, brightness, assistants,
/// sleep and waking.
///
/// Source: AOSP 15. What wakes: `KeyEvent.java`, `isWakeKey` (camera, menu, wakeup, pairing, stem 1 to 3). What is done
/// before a window is asked: `PhoneWindowManager.java`, `interceptKeyBeforeQueueing` (its "special keys"); the brightness keys,
/// which reach `interceptKeyBeforeDispatching`, since what `input` sends is passed on in the dark, too. Any other key goes to a
/// window that nobody sees.
const IN_THE_DARK: &[u32] = &[
    5, 6, 24, 25, 26, 27, 79, 82, 85, 86, 87, 88, 89, 90, 91, 126, 127, 130, 164, 177, 219, 220, 221, 222, 223, 224,
    225, 231, 265, 266, 267, 276,
];

/// Tells whether a key has an effect while the screen is off.
pub fn serves_in_the_dark(code: u32) -> bool {
    IN_THE_DARK.contains(&code)
}

/// Writes a name as Android does: `volumeUp` → `KEYCODE_VOLUME_UP`, `delete` → `KEYCODE_DEL`.
fn android_name(key: &str) -> String {
    let name = upper_snake(key);
    let bare = name.strip_prefix("KEYCODE_").unwrap_or(&name);
    let bare = match bare {
        "BACKSPACE" | "DELETE" => "DEL",
        "FORWARD_DELETE" => "FORWARD_DEL",
        "ESC" => "ESCAPE",
        "UP" => "DPAD_UP",
        "DOWN" => "DPAD_DOWN",
        "LEFT" => "DPAD_LEFT",
        "RIGHT" => "DPAD_RIGHT",
        "CTRL" | "CONTROL" => "CTRL_LEFT",
        "SHIFT" => "SHIFT_LEFT",
        "ALT" => "ALT_LEFT",
        "META" => "META_LEFT",
        "VOLUMEUP" => "VOLUME_UP",
        "VOLUMEDOWN" => "VOLUME_DOWN",
        other => other,
    };
    format!("KEYCODE_{bare}")
}

fn upper_snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut before_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && before_lower {
            out.push('_');
        }
        before_lower = c.is_ascii_lowercase();
        out.push(c.to_ascii_uppercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{code, serves_in_the_dark};

    #[test]
    fn what_wakes_a_device_is_pressed_in_the_dark_and_what_types_is_not() {
        assert!(
            ["menu", "wakeup", "power", "camera", "volume_up"].iter().all(|key| serves_in_the_dark(code(key).unwrap()))
        );
        assert!(["home", "back", "enter", "a", "focus"].iter().all(|key| !serves_in_the_dark(code(key).unwrap())));
    }

    #[test]
    fn every_spelling_of_a_key_has_its_number() {
        for (key, number) in [
            ("66", 66),
            ("enter", 66),
            ("KEYCODE_ENTER", 66),
            ("keycode_enter", 66),
            ("volumeUp", 24),
            ("VOLUME_DOWN", 25),
            ("backspace", 67),
            ("KEYCODE_DEL", 67),
            ("KEYCODE_7", 14),
            ("7", 7),
            ("a", 29),
            ("paste", 279),
            ("AppSwitch", 187),
            ("wakeup", 224),
        ] {
            assert_eq!(code(key), Some(number), "{key}");
        }
        for nothing in ["", "0", "99999", "-1", "nope", "KEYCODE_", "unknown", "99999999999999999999"] {
            assert_eq!(code(nothing), None, "{nothing}");
        }
    }
}
