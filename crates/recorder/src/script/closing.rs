//! How a testcase ends: what the last step brought about is asserted, from what was read or seen after it, or it is said that
//! nothing is.

use serde_json::Value;
use uixt_call::ToolKind;
use uixt_locate::stable_text::is_lasting;

use super::{Action, Layout, Line};

impl Layout {
    /// Returns the last step that changes something, where nothing after it is asserted.
    pub(super) fn open_end(&self) -> Option<usize> {
        let matters = |line: &Line| !line.is_idle && (changes(&line.action) || swipes(&line.action));
        let place = self.lines.iter().rposition(matters)?;
        let asserts = |line: &Line| !line.is_idle && line.action.is(ToolKind::Assert);
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
        } else {
            self.is_open = !self.tell_last();
        }
        (self.comments, self.failed) = (comments, failed);
    }

    /// Tells whether something that was read can be asserted: what a report may show.
    fn can_be_asserted(&self, line: &Line) -> bool {
        let is_text = line.is_idle && line.action.tool == "get_text" && !line.action.target.is_empty();
        let text = line.value.as_ref().and_then(Value::as_str).filter(|_| is_text);
        text.is_some_and(|text| is_lasting(text) && !self.variables.holds(text))
    }
}

/// Tells whether a step may bring something about that its screen shows.
pub(super) fn changes(action: &Action) -> bool {
    let is_quiet = |kind: ToolKind| {
        use ToolKind::{Back, Home, Note, Search, Setup};
        matches!(kind, Back | Home | Note | Search | Setup) || kind.swipes()
    };
    action.facts().is_some_and(|tool| !is_quiet(tool.kind) && !tool.read_only && tool.needs_device)
}

/// Tells whether a step shows another part of what is there.
fn swipes(action: &Action) -> bool {
    action.kind().is_some_and(ToolKind::swipes)
}

/// Makes an assertion of what was read.
fn read(line: &Line) -> Option<Action> {
    let mut action = line.action.clone();
    "assert_text".clone_into(&mut action.tool);
    action.arguments.insert("equals".to_owned(), line.value.clone()?);
    Some(action)
}
