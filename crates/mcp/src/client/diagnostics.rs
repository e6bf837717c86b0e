//! What a server did beside answering, for the errors that tell of it: its last words, its nonsense, its wishes, its end.

use std::collections::VecDeque;

use parking_lot::Mutex;

/// How much of what a server printed last is kept, in bytes.
const TAIL: usize = 2000;

/// The reason where the server itself ended the connection.
pub(super) const CLOSED: &str = "it closed its output";

/// How many lines of it an error shows.
const LINES: usize = 8;

/// How much of a line that means nothing is shown, in characters.
const SAMPLE: usize = 80;

/// Notes of one connection.
#[derive(Debug, Default)]
pub(super) struct Diagnostics(Mutex<Notes>);

#[derive(Debug, Default)]
struct Notes {
    printed: VecDeque<u8>,
    /// How many messages meant nothing, and the first of them.
    nonsense: u64,
    sample: String,
    /// What the server asked for that it does not get.
    asked: Vec<&'static str>,
    end: Option<String>,
}

impl Diagnostics {
    /// Keeps the end of what the server prints.
    pub(super) fn printed(&self, bytes: &[u8]) {
        let mut notes = self.0.lock();
        notes.printed.extend(&bytes[bytes.len().saturating_sub(TAIL)..]);
        let excess = notes.printed.len().saturating_sub(TAIL);
        notes.printed.drain(..excess);
    }

    pub(super) fn nonsense(&self, line: &[u8]) {
        let mut notes = self.0.lock();
        if notes.nonsense == 0 {
            let start = &line[..line.len().min(SAMPLE * 4)];
            notes.sample = String::from_utf8_lossy(start).chars().take(SAMPLE).flat_map(char::escape_debug).collect();
        }
        notes.nonsense += 1;
    }

    pub(super) fn asked(&self, what: &'static str) {
        let mut notes = self.0.lock();
        if !notes.asked.contains(&what) {
            notes.asked.push(what);
        }
    }

    /// Says why the connection ended; the first reason is the one that counts.
    pub(super) fn ended(&self, why: impl Into<String>) {
        self.0.lock().end.get_or_insert(why.into());
    }

    pub(super) fn end(&self) -> Option<String> {
        self.0.lock().end.clone()
    }

    /// Tells what may explain a failure, as the end of a sentence.
    pub(super) fn hints(&self) -> String {
        let notes = self.0.lock();
        let mut hints = String::new();
        for what in &notes.asked {
            hints.push_str(&format!("; it asked for {what}"));
        }
        match notes.nonsense {
            0 => {}
            1 => hints.push_str(&format!("; it wrote what is not an MCP message: {}", notes.sample)),
            many => {
                hints.push_str(&format!("; it wrote {many} times what is not an MCP message, first: {}", notes.sample));
            }
        }
        let bytes: Vec<u8> = notes.printed.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        if !lines.is_empty() {
            let last = &lines[lines.len().saturating_sub(LINES)..];
            hints.push_str(&format!("; it printed last:\n  {}", last.join("\n  ")));
        }
        hints
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_much_is_kept() {
        let diagnostics = Diagnostics::default();
        for number in 0..10_000 {
            diagnostics.printed(format!("line {number}\n").as_bytes());
            diagnostics.nonsense(b"\x1b[1mDebugger");
        }
        let hints = diagnostics.hints();
        assert!(hints.contains("10000 times") && hints.contains("\\u{1b}[1mDebugger"), "{hints}");
        assert!(hints.ends_with("line 9999") && hints.matches("line ").count() == LINES, "{hints}");
    }
}
