//! How a phone is made: its screen, its name, its clock, and whose pages it shows beside its own.

use std::sync::Arc;

use super::clock::Clock;
use super::keeper::Keeper;

/// Whose bars, buttons and gestures a phone has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Face {
    #[default]
    Android,
    Iphone,
    Harmony,
}

/// How a phone is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Pixels, in the natural orientation.
    pub size: (u32, u32),
    /// Dots per inch.
    pub density: u32,
    pub serial: String,
    pub clock: Clock,
    /// Whoever keeps the UI instances that links open as pages; none opens none.
    pub keeper: Option<Arc<dyn Keeper>>,
    pub face: Face,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            size: (1080, 2400),
            density: 420,
            serial: "uixt-phone".to_owned(),
            clock: Clock::Wall,
            keeper: None,
            face: Face::Android,
        }
    }
}
