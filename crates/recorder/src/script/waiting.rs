//! Waits and pauses → assertions, patience of the steps after them, or nothing: targets wait by themselves.

use serde_json::{Value, json};
use uixt_call::{Aim, Observation, ToolKind, ToolRow};
use uixt_locate::Object;

use super::Layout;
use crate::candidate::{Action, USUAL};

/// A wait that took longer is kept: what is waited for may take as long again.
const LONG_WAIT: f64 = 5.0;

impl Layout {
    /// Waits for the page on which something is done that waits for nothing.
    pub(super) fn wait_for_page(&mut self, action: &Action, slept: f64) {
        let page = if action.observation.page.is_empty() { &self.seen } else { &action.observation.page };
        if !is_blind(action) {
            return;
        }
        if page.is_empty() || *page == self.page {
            self.keep_pause(action, slept);
            return;
        }
        let heading = [("role", "heading"), ("text", page.as_str())];
        let target: Object = heading.iter().map(|(key, value)| ((*key).to_owned(), Value::from(*value))).collect();
        let observation = Observation { page: page.clone(), ..Observation::default() };
        let device = action.device.clone();
        let tool = "assert_visible".to_owned();
        self.push(Action {
            table: self.table,
            tool,
            arguments: target.clone(),
            target,
            observation,
            device,
            ..Action::default()
        });
    }

    /// Waits as a pause did, where nothing else would wait for what appeared during it.
    fn keep_pause(&mut self, action: &Action, slept: f64) {
        let by_itself = action.kind().is_some_and(ToolKind::meets_front);
        let is_typed = action.observation.types_secret;
        if !by_itself || is_typed || slept <= 0.0 || self.wait_for_news(action) {
            return;
        }
        let arguments = Object::from_iter([("seconds".to_owned(), json!(slept))]);
        let (tool, device) = ("sleep".to_owned(), action.device.clone());
        self.push(Action { table: self.table, tool, arguments, device, ..Action::default() });
    }

    /// Adds a wait as what it is to a testcase: an assertion.
    pub(super) fn push_wait(&mut self, mut wait: Action) {
        let is_gone = wait.arguments.shift_remove("gone").is_some_and(|gone| gone == Value::Bool(true));
        wait.tool = if is_gone { "assert_not_visible" } else { "assert_visible" }.into();
        wait.arguments.shift_remove("timeout");
        if wait.took > LONG_WAIT {
            wait.arguments.insert("timeout".to_owned(), json!(timeout(wait.took)));
        }
        if !is_gone {
            self.scroll(&wait);
        }
        if !self.is_double(&wait) {
            self.push(wait);
        }
    }
}

/// Tells whether a step that has no target meets whatever is there, and waits for nothing.
fn is_blind(action: &Action) -> bool {
    let meets_any = |tool: &ToolRow| match tool.kind {
        ToolKind::Gesture | ToolKind::Move => matches!(tool.aim, Aim::Point(_)),
        kind => kind == ToolKind::Typing || kind.swipes() || kind.meets_front(),
    };
    action.facts().is_some_and(meets_any)
}

/// Tells whether a step waits for what was waited for before it.
pub(super) fn is_waited_for(wait: &Action, action: &Action) -> bool {
    let is_same = wait.target == action.target
        || !wait.observation.name.is_empty()
            && wait.observation.name == action.observation.name
            && wait.observation.page == action.observation.page;
    !action.target.is_empty() && is_same && wait.device == action.device
}

/// Tells whether a wait is a step whatever comes after it: that something is gone is said by nothing else, and what took long is
/// waited for no longer than usual.
pub(super) fn must_stay(wait: &Action) -> bool {
    wait.took > LONG_WAIT || wait.arguments.get("gone") == Some(&Value::Bool(true))
}

/// Returns how long to wait for what took so many seconds once.
pub(super) fn timeout(seconds: f64) -> f64 {
    ((USUAL + 2.0 * seconds) / 10.0).ceil() * 10.0
}
