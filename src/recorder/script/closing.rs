//! How a testcase ends: what the last step brought about is asserted, from what was read or seen after it, or it is said that
//! nothing is.

use serde_json::Value;

use super::{Action, Layout, Line, draft::Look};
use crate::recorder::Device;
use crate::tools::{self, Object, Sight};

/// As many digits are a date, a time, an order's number: of the moment.
const MANY_DIGITS: usize = 6;

/// Tools that bring nothing about in an app that its screen would have to show.
const QUIET: [&str; 8] =
    ["log", "scroll_to", "home", "back", "app_terminate", "app_clear", "screen_record", "hide_keyboard"];

/// What was on a screen before something was done.
#[derive(Clone, Debug, Default)]
pub(super) struct Before {
    page: String,
    texts: Vec<String>,
    device: Option<Device>,
}

impl Layout {
    /// Remembers what was there before a step that may change it.
    pub(super) fn remember(&mut self, action: &Action) {
        if !changes(action) {
            return;
        }
        let sight = &action.sight;
        let texts = if sight.texts.is_empty() { &self.looked } else { &sight.texts };
        let page = if sight.page.is_empty() { &self.seen } else { &sight.page };
        self.before = Before { page: page.clone(), texts: texts.clone(), device: action.device.clone() };
        self.effect = None;
    }

    /// Takes in what is on the screen now: what is new there came of the last step.
    pub(super) fn look(&mut self, look: Look) {
        if self.before.device == look.device
            && let Some(effect) = self.news(&look.page, &look.texts)
        {
            self.effect = Some(effect);
        }
        self.seen = look.page;
        self.looked = look.texts;
    }

    /// Returns an assertion of what a screen shows that was not there before the last step.
    pub(super) fn news(&self, page: &str, texts: &[String]) -> Option<Action> {
        let before = &self.before;
        if !page.is_empty() && page != before.page && is_lasting(page) {
            return Some(shows(&[("role", "heading"), ("text", page)], page, before.device.clone()));
        }
        let is_new = |text: &&String| is_lasting(text) && !self.vault.holds(text) && !before.texts.contains(text);
        let new = texts.iter().find(is_new).filter(|_| !before.texts.is_empty())?;
        Some(shows(&[("text", new)], page, before.device.clone()))
    }

    /// Returns the last step that changes something, where nothing after it is asserted.
    pub(super) fn open_end(&self) -> Option<usize> {
        let place = self.lines.iter().rposition(|line| !line.is_idle && changes(&line.action))?;
        let asserts = |line: &Line| !line.is_idle && line.action.tool.starts_with("assert_");
        (!self.lines[place + 1..].iter().any(asserts)).then_some(place)
    }

    /// Asserts what the last step brought about.
    pub(super) fn conclude(&mut self) {
        let Some(place) = self.open_end() else { return };
        let after = &self.lines[place + 1..];
        // What failed since is told after what is asserted here.
        let (comments, failed) = (std::mem::take(&mut self.comments), self.failed.take());
        let is_last = after.iter().all(|line| line.is_idle);
        let reading = after.iter().rposition(|line| self.can_be_asserted(line)).map(|at| place + 1 + at);
        if let Some(action) = reading.and_then(|at| read(&self.lines[at])) {
            if is_last {
                self.scroll(&action);
                self.push(action);
            } else if let Some(line) = reading.and_then(|at| self.lines.get_mut(at)) {
                (line.action, line.is_idle) = (action, false);
            }
        } else if let Some(effect) = self.effect.take().filter(|_| is_last) {
            self.push(effect);
        } else {
            self.is_open = true;
        }
        (self.comments, self.failed) = (comments, failed);
    }

    /// Tells whether something that was read can be asserted: what a report may show.
    fn can_be_asserted(&self, line: &Line) -> bool {
        let is_text = line.is_idle && line.action.tool == "get_text" && !line.action.target.is_empty();
        let text = line.value.as_ref().and_then(Value::as_str).filter(|_| is_text);
        text.is_some_and(|text| is_lasting(text) && !self.vault.holds(text))
    }

    /// Waits, where a pause did, for what appeared during it: nothing else waits for that. Returns whether it could be named.
    pub(super) fn wait_for_news(&mut self, sight: &Sight) -> bool {
        let news = self.news(&sight.page, &sight.texts);
        let is_named = news.is_some();
        news.into_iter().for_each(|assertion| self.push(assertion));
        is_named
    }
}

/// Tells whether a step may bring something about that its screen shows.
fn changes(action: &Action) -> bool {
    let name = action.tool.as_str();
    let is_look = QUIET.contains(&name) || name.starts_with("swipe") || name == "scroll" || name.starts_with("set_");
    !is_look && tools::find(name).is_some_and(|tool| !tool.read_only && tool.needs_device)
}

/// Makes an assertion of what was read.
fn read(line: &Line) -> Option<Action> {
    let mut action = line.action.clone();
    action.tool = "assert_text".into();
    action.arguments.insert("equals".to_owned(), line.value.clone()?);
    Some(action)
}

fn shows(target: &[(&str, &str)], page: &str, device: Option<Device>) -> Action {
    let target: Object = target.iter().map(|(key, value)| ((*key).to_owned(), Value::from(*value))).collect();
    let sight = Sight { page: page.to_owned(), ..Sight::default() };
    Action { tool: "assert_visible".to_owned(), arguments: target.clone(), target, sight, device, ..Action::default() }
}

/// Tells whether a text will be the same another time: it is no time, no date, no number of an order.
fn is_lasting(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    let is_time =
        letters.windows(3).any(|three| three[0].is_ascii_digit() && three[1] == ':' && three[2].is_ascii_digit());
    let digits = letters.iter().filter(|letter| letter.is_ascii_digit()).count();
    !is_time && digits < MANY_DIGITS && letters.iter().any(|letter| letter.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_the_moment_is_not_asserted() {
        for text in ["12:30", "2026-11-22", "Order 20261122-7", "•••", ""] {
            assert!(!is_lasting(text), "{text}");
        }
        for text in ["1 item in cart", "¥133.20", "已加入购物车", "Note: 5"] {
            assert!(is_lasting(text), "{text}");
        }
    }
}
