//! HarmonyOS's key codes (`KeyCode` of @ohos.multimodalInput.keyCode) → those of the phone, which are Android's.

use super::super::system::System;

/// The power key, what is held for shortcuts, and what recent apps are shown by.
pub(super) const POWER: i64 = 18;
const CTRL: [i64; 2] = [2072, 2073];
const SHIFT: [i64; 2] = [2047, 2048];
const RECENTS: i64 = 10011;

/// Returns the phone's own key; none for one that does nothing here.
pub(super) fn code(key: i64) -> Option<u32> {
    let from = |first: i64, own: u32| u32::try_from(key - first).ok().map(|by| own + by);
    match key {
        1 => Some(3),
        2 => Some(4),
        16 => Some(24),
        17 => Some(25),
        POWER => Some(26),
        19 => Some(27),
        2000..=2009 => from(2000, 7),
        // Star and pound, up, down, left, right and the middle.
        2010..=2016 => from(2010, 17),
        2017..=2042 => from(2017, 29),
        2043 => Some(55),
        2044 => Some(56),
        2049 => Some(61),
        2050 => Some(62),
        2054 => Some(66),
        2055 => Some(67),
        2056 => Some(68),
        2057 => Some(69),
        2058 => Some(70),
        2059 => Some(71),
        2060 => Some(72),
        2061 => Some(73),
        2062 => Some(74),
        2063 => Some(75),
        2064 => Some(76),
        2065 => Some(77),
        2066 => Some(81),
        2067 => Some(82),
        2068 => Some(92),
        2069 => Some(93),
        2070 => Some(111),
        2071 => Some(112),
        2081 => Some(122),
        2082 => Some(123),
        RECENTS => Some(187),
        _ => None,
    }
}

impl System {
    /// Presses keys together: what is held first, the one that says what happens last.
    pub(super) async fn press_harmony(&mut self, keys: &[i64]) {
        let Some((last, held)) = keys.split_last() else { return };
        let is_held = |names: [i64; 2]| held.iter().any(|key| names.contains(key));
        let mut own = Vec::new();
        own.extend(is_held(CTRL).then_some(113));
        own.extend(is_held(SHIFT).then_some(59));
        let Some(code) = code(*last) else { return };
        if own.is_empty() || !self.press_with(&own, code) {
            self.key(code).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn keys_are_told_by_their_numbers() {
        let known =
            [(1, 3), (2, 4), (2007, 14), (2012, 19), (2015, 22), (2017, 29), (2042, 54), (2054, 66), (2055, 67)];
        assert!(known.iter().all(|(key, own)| code(*key) == Some(*own)));
        assert_eq!((code(0), code(2210), code(-1), code(99_999)), (None, None, None, None));
    }
}
