//! What a case's config says that the reading of its steps depends on.

use super::node::{Data, Node};
use crate::host::Files;
use serde_json::{Map, Value};
use std::sync::Arc;
use uixt_core::functions::Names;

/// Beside the variables, which are known by their names.
#[derive(Clone, Debug, Default)]
pub(super) struct CaseSettings {
    pub(super) requests: Requests,
    pub(super) think_time: ThinkTime,
    pub(super) popups: Popups,
    /// What the config calls its devices.
    pub(super) devices: Vec<String>,
    /// Where files lie that steps name.
    pub(super) files: Files,
    /// The variables of parameters of the case and of the steps around, which nothing that a step saves can change.
    pub(super) rows: Vec<String>,
    /// What can be called in the case's Python file, where it has one.
    pub(super) functions: Option<Arc<Names>>,
}

/// What all HTTP requests of a case have in common; may hold expressions.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    pub(super) base_url: Option<Value>,
    pub(super) headers: Map<String, Value>,
    pub(super) verify: Option<Value>,
    /// Seconds.
    pub(super) timeout: Option<Value>,
}

/// What the config's `think_time` makes of those of steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThinkTime {
    pub(super) strategy: Strategy,
    /// The factor, or the least one of a random choice.
    pub(super) least: f64,
    /// The greatest factor of a random choice.
    pub(super) most: f64,
    /// Most seconds.
    pub(super) limit: Option<f64>,
}

/// The names of `HttpRunner`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    Default,
    Random,
    Multiply,
    Ignore,
}

impl Strategy {
    pub(super) const NAMES: [(&str, Strategy); 4] = [
        ("default", Strategy::Default),
        ("random_percentage", Strategy::Random),
        ("multiply", Strategy::Multiply),
        ("ignore", Strategy::Ignore),
    ];
}

impl ThinkTime {
    pub(super) fn of(strategy: Strategy) -> Self {
        let (least, most) = if strategy == Strategy::Random { (0.5, 1.5) } else { (1.0, 1.0) };
        ThinkTime { strategy, least, most, limit: None }
    }
}

impl Default for ThinkTime {
    fn default() -> Self {
        ThinkTime::of(Strategy::Default)
    }
}

/// Whether pop-ups are closed after a step: a device's `ignore_popup` or `close_popup`, then the step's `ignore_popup`, then the
/// config's `auto_popup_handler`, then the step's.
#[derive(Clone, Debug, Default)]
pub(super) struct Popups {
    /// What a device of the config says, with its platform.
    devices: Vec<(String, bool)>,
    config: Option<bool>,
}

impl Popups {
    /// Takes the word of a device: whether pop-ups are closed.
    pub(super) fn of_device(&mut self, platform: &str, closes: bool) {
        self.devices.push((platform.to_owned(), closes));
    }

    /// Takes the word of the config as a whole.
    pub(super) fn of_config(&mut self, closes: bool) {
        self.config = Some(closes);
    }

    /// Decides for a step of a platform, or of any.
    pub(super) fn decide(&self, platform: Option<&str>, ignores: Option<bool>, handles: Option<bool>) -> bool {
        let mut devices = self.devices.iter().filter(|(of, _)| platform.is_none_or(|platform| platform == of));
        if let Some((_, closes)) = devices.next() {
            return *closes;
        }
        if ignores == Some(true) {
            return false;
        }
        self.config.filter(|closes| *closes).or(handles).unwrap_or(false)
    }
}

/// Returns a boolean as it is written.
pub(super) fn flag(node: &Node) -> Option<bool> {
    match node.data {
        Data::Bool(flag) => Some(flag),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_a_device_is_the_last() {
        let mut popups = Popups::default();
        assert!(!popups.decide(None, None, None));
        assert!(popups.decide(None, None, Some(true)));
        popups.of_config(true);
        assert!(popups.decide(None, None, None) && !popups.decide(None, Some(true), Some(true)));
        popups.of_device("android", false);
        assert!(!popups.decide(Some("android"), None, Some(true)));
        assert!(popups.decide(Some("ios"), None, None));
    }
}
