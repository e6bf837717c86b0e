//! What is typed: texts, keys, buttons, the clipboard.

pub mod button;
pub mod clipboard;
pub mod input;
pub mod keyboard;
pub mod press_key;
