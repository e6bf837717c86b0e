//! What a finger does, by places and directions.

pub mod browser_scroll;
pub mod draw;
pub(crate) mod path;
pub mod scroll;
mod scroll_search;
pub mod simulated;
pub mod swipe;
pub mod swipe_to_tap;
pub mod touch;
mod way;
