//! Keys → Android's key codes (`android.view.KeyEvent`).

use crate::driver::Key;

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
        Key::Menu => 82,
        Key::Search => 84,
        Key::Escape => 111,
        Key::AppSwitch => 187,
    }
}
