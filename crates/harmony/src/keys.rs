//! Keys → the numbers of HarmonyOS (`KeyEvent`, @ohos.multimodalInput.keyCode), from words and from Android's numbers.

use crate::driver::{Error, Key, KeyPress};
use crate::unsupported;

pub(crate) const ENTER: u32 = 2054;
pub(crate) const DELETE: u32 = 2055;
const CTRL: u32 = 2072;

/// What presses a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Press {
    /// Keys that are pressed together.
    Keys(Vec<u32>),
    /// A command of the power service: the numbers of these keys differ among versions.
    Power(&'static str),
}

/// Returns the number of a key that has a word.
pub(crate) fn number(key: Key) -> u32 {
    match key {
        Key::Home => 1,
        Key::Back => 2,
        Key::Enter => ENTER,
        Key::Delete => DELETE,
        Key::ForwardDelete => 2071,
        Key::Tab => 2049,
        Key::Escape => 2070,
        Key::Menu => 2067,
        // 2210, which is its number by the documents, does nothing on Huawei's phones.
        Key::AppSwitch => 10_011,
        Key::Power => 18,
        Key::VolumeUp => 16,
        Key::VolumeDown => 17,
        Key::Search => 9,
        Key::Up => 2012,
        Key::Down => 2013,
        Key::Left => 2014,
        Key::Right => 2015,
    }
}

/// Returns the input that presses keys together.
pub(crate) fn input(keys: &[u32]) -> String {
    let numbers: Vec<String> = keys.iter().map(u32::to_string).collect();
    format!("uitest uiInput keyEvent {}", numbers.join(" "))
}

/// Returns what presses a key by Android's number.
pub(crate) fn press(wanted: &KeyPress) -> Result<Press, Error> {
    if wanted.long {
        return Err(unsupported::error(unsupported::KEY_HOLD));
    }
    let known = |code: u32| {
        of_android(code).ok_or_else(|| {
            unsupported::error(&format!("press keys of this kind: Android's key {code} has no like there"))
        })
    };
    match wanted.code {
        223 if wanted.held.is_empty() => return Ok(Press::Power("suspend")),
        224 if wanted.held.is_empty() => return Ok(Press::Power("wakeup")),
        _ => {}
    }
    let mut keys = wanted.held.iter().map(|code| known(*code)).collect::<Result<Vec<u32>, Error>>()?;
    // Cut, copy and paste are Ctrl and a letter.
    match wanted.code {
        277 if keys.is_empty() => keys.extend([CTRL, 2040]),
        278 if keys.is_empty() => keys.extend([CTRL, 2019]),
        279 if keys.is_empty() => keys.extend([CTRL, 2038]),
        code => keys.push(known(code)?),
    }
    if keys.len() > 3 {
        return Err(unsupported::error("press keys of more than three at once"));
    }
    Ok(Press::Keys(keys))
}

/// Returns HarmonyOS's number of a key of Android's: mostly they stand in the same order.
fn of_android(code: u32) -> Option<u32> {
    Some(match code {
        3 => 1,
        4 => 2,
        5 => 3,
        6 => 4,
        7..=23 => code + 1993,
        24..=27 => code - 8,
        29..=77 => code + 1988,
        79 => 6,
        80 => 7,
        81 | 82 => code + 1985,
        83 => 8,
        84 => 9,
        85..=90 => code - 75,
        91 => 23,
        92 | 93 => code + 1976,
        111..=163 => code + 1959,
        164 => 22,
        187 => 10_011,
        220 => 41,
        221 => 40,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_android_have_their_like() {
        for (android, harmony) in [
            (3, 1),
            (7, 2000),
            (16, 2009),
            (19, 2012),
            (24, 16),
            (25, 17),
            (26, 18),
            (27, 19),
            (29, 2017),
            (54, 2042),
            (59, 2047),
            (61, 2049),
            (62, 2050),
            (66, 2054),
            (67, 2055),
            (82, 2067),
            (85, 10),
            (92, 2068),
            (93, 2069),
            (111, 2070),
            (112, 2071),
            (113, 2072),
            (131, 2090),
        ] {
            assert_eq!(of_android(android), Some(harmony), "{android}");
        }
        let of = |code, held: &[u32], long| press(&KeyPress { code, held: held.to_vec(), long });
        assert_eq!(of(29, &[113], false), Ok(Press::Keys(vec![2072, 2017])));
        assert_eq!(of(279, &[], false), Ok(Press::Keys(vec![2072, 2038])));
        assert_eq!(of(224, &[], false), Ok(Press::Power("wakeup")));
        assert_eq!(input(&[2072, 2017]), "uitest uiInput keyEvent 2072 2017");
        for (code, held, long) in [(219, &[][..], false), (29, &[113, 59, 57][..], false), (29, &[][..], true)] {
            assert!(matches!(of(code, held, long), Err(Error::Unsupported { .. })), "{code}");
        }
    }
}
