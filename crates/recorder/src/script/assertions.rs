//! A screen after a step → assertions of what that step brought about: what is new there, and what was touched and is shown.
//!
//! Only what was looked at is asserted, by an id where there is one, and nothing that is of the moment, that moves by itself or
//! that came into view by scrolling.

use serde_json::Value;
use uixt_call::{Observation, Table, ToolKind};
use uixt_locate::screen_texts::ScreenText;
use uixt_locate::selector::looks_like_selector;
use uixt_locate::{Object, stable_text};

use super::{Action, Layout, Line, candidate::Look, closing, is_typing};
use crate::Device;

/// Pages whose texts are kept, at most.
const MOST_PAGES: usize = 64;
/// A shorter text that was typed stands by chance in others.
const SHORT: usize = 3;

/// What was on a screen before something was done.
#[derive(Clone, Debug, Default)]
pub(super) struct Before {
    page: String,
    texts: Vec<ScreenText>,
    device: Option<Device>,
    /// What was touched, in words.
    touched: String,
    /// Whether it began an app, of which no page was there before.
    launches: bool,
}

/// What came of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Effect {
    /// What tells that it was done.
    sure: Vec<Action>,
    /// What may be said of it where nothing else is.
    weak: Option<Action>,
    launches: bool,
}

/// The texts of a page when it was seen last.
#[derive(Clone, Debug)]
struct Page {
    title: String,
    device: Option<Device>,
    texts: Vec<ScreenText>,
}

/// What was seen on the way.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pages: Vec<Page>,
    /// Ids of what changed though nothing was done.
    restless: Vec<String>,
    /// Whether nothing was done since the last look.
    is_still: bool,
}

impl Layout {
    /// Remembers what was there before a step that may change it.
    pub(super) fn remember(&mut self, action: &Action) {
        if action.is(ToolKind::Note) || action.facts().is_none_or(|tool| tool.read_only || !tool.needs_device) {
            return;
        }
        self.effect = Effect::default();
        self.memory.is_still = false;
        let launches = action.is(ToolKind::Launch);
        let blurs = !action.is(ToolKind::Back) && !closing::changes(action);
        let (mut page, mut texts) = (self.seen.clone(), self.looked.clone());
        if !action.observation.page.is_empty() || !action.observation.texts.is_empty() {
            (page, texts) = (action.observation.page.clone(), action.observation.texts.clone());
        }
        if launches {
            (page, texts) = Default::default();
        }
        self.memory.keep(&page, action.device.as_ref(), &texts);
        let (device, touched) = (action.device.clone(), action.observation.name.clone());
        self.before = (!blurs).then_some(Before { page, texts, device, touched, launches });
    }

    /// Takes in what is on the screen now: what is new there came of the last step.
    pub(super) fn look(&mut self, look: Look) {
        if self.memory.is_still {
            self.memory.compare(&self.looked, &look.texts);
        }
        self.memory.is_still = true;
        self.effect = self.news(&look);
        self.seen = look.page;
        self.looked = look.texts;
    }

    /// Asserts what came of the last step before another is done.
    pub(super) fn tell_effect(&mut self, next: &Action) {
        let effect = std::mem::take(&mut self.effect);
        let last = self.last();
        let types = next.is(ToolKind::Typing);
        let is_focus = |line: &Line| types && line.action.tool == "tap" && line.action.target == next.target;
        let is_needless = next.is(ToolKind::Popups)
            || next.observation.types_secret
            || last.is_some_and(|line| line.action.hides || is_focus(line))
            || effect.launches;
        for assertion in effect.sure.into_iter().filter(|_| !is_needless) {
            if !says(next, &assertion) {
                self.assert(assertion);
            }
        }
    }

    /// Asserts what came of the last step, where nothing comes after it; tells whether there was anything.
    pub(super) fn tell_last(&mut self) -> bool {
        let effect = std::mem::take(&mut self.effect);
        let told = if effect.sure.is_empty() { effect.weak.into_iter().collect() } else { effect.sure };
        let is_told = !told.is_empty();
        told.into_iter().for_each(|assertion| self.assert(assertion));
        is_told
    }

    /// Adds an assertion, unless it was just made.
    fn assert(&mut self, assertion: Action) {
        let is_assertion = |line: &&Line| matches!(line.action.kind(), Some(ToolKind::Assert | ToolKind::Search));
        let mut since = self.lines.iter().rev().filter(|line| !line.is_idle).take_while(is_assertion);
        if !since.any(|line| says(&line.action, &assertion)) {
            self.scroll(&assertion);
            self.push(assertion);
        }
    }

    /// Waits, where a pause did, for what appeared during it: nothing else waits for that. Returns whether it could be named.
    pub(super) fn wait_for_news(&mut self, action: &Action) -> bool {
        let Observation { page, texts, .. } = action.observation.clone();
        let heading = self
            .before
            .as_ref()
            .filter(|before| page != before.page)
            .and_then(|_| heading(self.table, &page, action.device.as_ref()));
        let effect = self.news(&Look { page, texts, device: action.device.clone() });
        let told = heading.or_else(|| effect.sure.into_iter().next()).or(effect.weak);
        let is_told = told.is_some();
        told.into_iter().for_each(|assertion| self.push(assertion));
        is_told
    }

    /// Says what a screen shows that came of the last step.
    fn news(&self, look: &Look) -> Effect {
        let Some(before) = self.before.as_ref().filter(|before| before.device == look.device) else {
            return Effect::default();
        };
        let is_other = !look.page.is_empty() && look.page != before.page;
        let known = self.memory.texts_of(&look.page, look.device.as_ref());
        let is_new = |seen: &&ScreenText| !is_among(seen, &before.texts) && !is_among(seen, known);
        let can_be_told = |seen: &&ScreenText| {
            let is_title = is_other && seen.text == look.page;
            !is_title && self.is_steady(seen)
        };
        let told: Vec<&ScreenText> = look.texts.iter().filter(can_be_told).collect();
        // The same element may stand on both pages.
        let stays = |seen: &ScreenText| seen.id.is_some() && is_among(seen, &before.texts);
        let touched = told.iter().find(|seen| is_other && seen.text == before.touched && !stays(seen));
        let can_be_compared = !before.texts.is_empty();
        let new: Vec<&ScreenText> = told.iter().copied().filter(is_new).filter(|_| can_be_compared).collect();
        let ranked = new.iter().filter_map(|seen| Some((self.rank(seen, is_other)?, *seen)));
        let best = ranked.min_by_key(|(rank, _)| *rank).map(|(_, seen)| seen);
        let of = |seen: &ScreenText| shows(self.table, seen, &look.page, look.device.clone());
        let mut sure: Vec<Action> = touched.into_iter().copied().chain(best).map(of).collect();
        if sure.is_empty() && is_other {
            sure.extend(heading(self.table, &look.page, look.device.as_ref()));
        }
        Effect { sure, weak: new.first().map(|seen| of(seen)), launches: before.launches }
    }

    fn is_steady(&self, seen: &ScreenText) -> bool {
        let id = seen.id.as_deref();
        let is_restless = id.is_some_and(|id| self.memory.restless.iter().any(|known| known == id));
        stable_text::is_steady(&seen.text, id) && !is_restless && !self.variables.holds(&seen.text)
    }

    /// Says how much a new text tells, from 0; none where it might be new for another reason.
    fn rank(&self, seen: &ScreenText, is_other: bool) -> Option<u8> {
        let has_figure = seen.text.contains(|c: char| c.is_ascii_digit());
        let is_lettering = matches!(seen.role.as_str(), "text" | "heading" | "combobox" | "status" | "alert");
        let is_wordy = seen.text.contains(char::is_alphabetic);
        match &seen.id {
            _ if seen.role == "textfield" => None,
            _ if self.holds_typed(&seen.text) && (seen.id.is_some() || !seen.scrolls) => Some(0),
            Some(_) if has_figure => Some(1),
            Some(_) if is_lettering => Some(2),
            // What stands in a list may have come into view.
            None if is_lettering && is_wordy && !seen.scrolls && !is_other => Some(3),
            _ => None,
        }
    }

    /// Tells whether something that was typed before stands in a text.
    fn holds_typed(&self, text: &str) -> bool {
        let typed = self.lines.iter().filter(|line| is_typing(&line.action) && !line.action.hides);
        let mut typed = typed.filter_map(|line| line.action.arguments.get("text").and_then(Value::as_str));
        typed.any(|typed| typed.chars().count() >= SHORT && text.contains(typed))
    }
}

impl Memory {
    /// Keeps what is on a page.
    fn keep(&mut self, title: &str, device: Option<&Device>, texts: &[ScreenText]) {
        if title.is_empty() || texts.is_empty() {
            return;
        }
        self.pages.retain(|page| page.title != title || page.device.as_ref() != device);
        if self.pages.len() >= MOST_PAGES {
            self.pages.remove(0);
        }
        self.pages.push(Page { title: title.to_owned(), device: device.cloned(), texts: texts.to_vec() });
    }

    fn texts_of(&self, title: &str, device: Option<&Device>) -> &[ScreenText] {
        let page = self.pages.iter().find(|page| page.title == title && page.device.as_ref() == device);
        page.map_or(&[], |page| &page.texts)
    }

    /// Notes figures that changed though nothing was done.
    fn compare(&mut self, before: &[ScreenText], now: &[ScreenText]) {
        let has_figure = |seen: &&ScreenText| seen.text.contains(|c: char| c.is_ascii_digit());
        for seen in now.iter().filter(has_figure) {
            let was = before.iter().filter(has_figure).find(|was| was.id.is_some() && was.id == seen.id);
            if was.is_some_and(|was| was.text != seen.text) {
                self.restless.extend(seen.id.clone());
            }
        }
    }
}

fn is_among(seen: &ScreenText, texts: &[ScreenText]) -> bool {
    texts.iter().any(|known| known.text == seen.text && known.id == seen.id)
}

/// Tells whether a step asserts the same text as another.
fn says(action: &Action, assertion: &Action) -> bool {
    let text = |action: &Action| {
        let value = action.arguments.get("equals").or_else(|| action.arguments.get("text"));
        value.and_then(Value::as_str).map(str::to_owned)
    };
    action.is(ToolKind::Assert) && action.tool != "assert_not_visible" && text(action) == text(assertion)
}

/// Makes an assertion of a page's title.
fn heading(table: &'static Table, page: &str, device: Option<&Device>) -> Option<Action> {
    let seen = ScreenText { role: "heading".to_owned(), text: page.to_owned(), ..ScreenText::default() };
    let action = shows(table, &seen, page, device.cloned());
    let arguments = Object::from_iter([("role".to_owned(), "heading".into()), ("text".to_owned(), page.into())]);
    (!page.is_empty() && stable_text::is_steady(page, None)).then(|| Action {
        target: arguments.clone(),
        arguments,
        ..action
    })
}

/// Makes an assertion of what is shown.
fn shows(table: &'static Table, seen: &ScreenText, page: &str, device: Option<Device>) -> Action {
    let text = || ("text".to_owned(), Value::from(seen.text.as_str()));
    let id = seen.id.as_ref().map(|id| ("id".to_owned(), Value::from(id.as_str())));
    let (tool, target, more): (_, Object, _) = match id {
        Some(id) if seen.is_shown => ("assert_text", [id].into_iter().collect(), Some("equals")),
        Some(id) => ("assert_visible", [id, text()].into_iter().collect(), None),
        None => ("assert_visible", [text()].into_iter().collect(), None),
    };
    let mut target = target;
    if seen.id.is_none() && looks_like_selector(&seen.text) {
        target.insert("exact".to_owned(), true.into());
    }
    let mut arguments = target.clone();
    arguments.extend(more.map(|key| (key.to_owned(), seen.text.as_str().into())));
    let observation =
        Observation { page: page.to_owned(), bottom: seen.bottom, scrolls: seen.scrolls, ..Observation::default() };
    Action { table, tool: tool.to_owned(), arguments, target, observation, device, ..Action::default() }
}
