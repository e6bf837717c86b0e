//! The whole screen: its tree, its picture, and what is drawn on it.

pub mod assert_screenshot;
pub mod baseline;
pub mod image_tools;
pub mod ocr;
pub mod record;
pub mod screen;
