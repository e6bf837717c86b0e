//! The phone's log: a ring of lines that `logcat` prints.

use std::collections::VecDeque;

/// Lines kept.
const LINES: usize = 2000;
/// Characters of a message kept.
const MAX_LEN: usize = 1000;

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Counted from 0 since the start.
    pub(super) number: u64,
    /// Milliseconds since 1970.
    pub(super) at: u64,
    pub(super) tag: &'static str,
    pub(super) message: String,
}

#[derive(Default)]
pub(super) struct Log {
    lines: VecDeque<Line>,
    next: u64,
}

impl Log {
    pub(super) fn add(&mut self, at: u64, tag: &'static str, message: &str) {
        if self.lines.len() == LINES {
            self.lines.pop_front();
        }
        let message = message.chars().take(MAX_LEN).map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.lines.push_back(Line { number: self.next, at, tag, message });
        self.next += 1;
    }

    /// Returns the lines from a number on.
    pub(super) fn since(&self, number: u64) -> Vec<Line> {
        self.lines.iter().filter(|line| line.number >= number).cloned().collect()
    }

    /// The number that the next line will get.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Forgets some lines.
    pub(super) fn clear(&mut self, is_meant: impl Fn(&Line) -> bool) {
        self.lines.retain(|line| !is_meant(line));
    }
}
