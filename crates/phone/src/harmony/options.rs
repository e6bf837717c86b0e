//! How a Harmony phone is made.

use std::sync::Arc;

use serde_json::Value;

use super::super::clock::Clock;
use super::super::keeper::Keeper;

/// How a Harmony phone is made.
#[derive(Clone, Debug)]
pub struct HarmonyOptions {
    /// What hdc calls it: its connect key.
    pub key: String,
    /// Port of the hdc server on 127.0.0.1, which is that of the first phone; 0 stands for any free one.
    pub port: u16,
    /// Pixels, in the natural orientation.
    pub size: (u32, u32),
    pub clock: Clock,
    /// Whoever keeps the UI instances that links open as pages; none opens none.
    pub keeper: Option<Arc<dyn Keeper>>,
    /// Faults from the start on, by their names (`uixt faults` in the phone's shell).
    pub faults: Vec<(String, Value)>,
}

impl Default for HarmonyOptions {
    fn default() -> Self {
        Self { key: Self::key_of(0), port: 0, size: (1260, 2720), clock: Clock::Wall, keeper: None, faults: Vec::new() }
    }
}

impl HarmonyOptions {
    /// Returns the connect key of the phone of a number, from 0: `uixt-harmony`, `uixt-harmony-2` …
    pub fn key_of(number: u16) -> String {
        if number == 0 { "uixt-harmony".to_owned() } else { format!("uixt-harmony-{}", number + 1) }
    }
}
