//! Which apps a session saw and used, and since when the apps of its devices work again: what came before that is no cause any more.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::State;
use crate::failures::log_clock::LogClock;

/// The newest line that was read of each device's log, by its serial, and when the session began that read it.
static READ: Mutex<Option<HashMap<String, (Instant, String)>>> = Mutex::new(None);

/// When a session began, and what it saw of apps.
pub struct SeenApps {
    pub(crate) began: Instant,
    apps: Mutex<Apps>,
    /// The newest line of the device's log that an earlier session read.
    earlier: OnceLock<String>,
}

impl State for SeenApps {}

#[derive(Default)]
struct Apps {
    seen: HashSet<String>,
    /// When the last look at a screen began, and the app in front of it.
    looked: Option<(Instant, String)>,
    /// When a target was last seen in an app.
    answered: HashMap<String, Instant>,
    /// The apps in which the calls that have not ended found what they looked for.
    pending: HashMap<String, Instant>,
    /// When an app was last used by a call that passed.
    worked: HashMap<String, Instant>,
    /// When the last call began that started an app and passed.
    launched: Option<Instant>,
}

impl Default for SeenApps {
    fn default() -> Self {
        Self::since(Instant::now())
    }
}

impl SeenApps {
    /// Of a session that began at a moment and has seen nothing yet.
    pub(crate) fn since(began: Instant) -> Self {
        Self { began, apps: Mutex::default(), earlier: OnceLock::new() }
    }

    /// Takes in that a call names an app, which is under test from then on.
    pub(crate) fn note(&self, package: &str) {
        self.apps.lock().seen.insert(package.to_owned());
    }

    /// Takes in a look at a screen, and when it began.
    pub(crate) fn looked(&self, package: &str, began: Instant) {
        let mut apps = self.apps.lock();
        if !apps.seen.contains(package) {
            apps.seen.insert(package.to_owned());
        }
        apps.looked = Some((began, package.to_owned()));
    }

    /// Takes in that a call saw its target at the last look, be it as it should be or not.
    pub fn answered(&self) {
        let mut apps = self.apps.lock();
        if let Some((at, package)) = apps.looked.clone() {
            apps.answered.insert(package, at);
        }
    }

    /// Takes in that a call found its target as it should be at the last look.
    pub(crate) fn found(&self) {
        self.answered();
        let mut apps = self.apps.lock();
        if let Some((at, package)) = apps.looked.clone() {
            apps.pending.insert(package, at);
        }
    }

    /// Takes in that a call ended that began at a moment, whether it passed, and whether it starts apps.
    pub(crate) fn end_call(&self, began: Instant, passed: bool, launches: bool) {
        let mut apps = self.apps.lock();
        let pending = std::mem::take(&mut apps.pending);
        if passed {
            apps.worked.extend(pending);
            apps.launched = if launches { Some(began) } else { apps.launched };
        }
    }

    pub(crate) fn age(&self) -> Duration {
        self.began.elapsed()
    }

    pub(crate) fn has_seen(&self, package: &str) -> bool {
        self.apps.lock().seen.contains(package)
    }

    /// Returns since when an app works, as far as calls tell: one that passed used it, or started another one. One that hung works again as
    /// soon as a target is seen in it.
    pub(crate) fn works_since(&self, package: &str, hung: bool) -> Option<Instant> {
        let apps = self.apps.lock();
        let answered = apps.answered.get(package).filter(|_| hung);
        [apps.worked.get(package), answered, apps.launched.as_ref()].into_iter().flatten().max().copied()
    }

    /// Takes in a log of a device that was just read: what an earlier session read of it is none of this one's, however near in time.
    pub(crate) fn note_log(&self, serial: &str, lines: &[String]) {
        let Some(newest) = lines.last() else { return };
        let mut read = READ.lock();
        let read = read.get_or_insert_default();
        let earlier = read.insert(serial.to_owned(), (self.began, newest.clone()));
        if let Some((_, line)) = earlier.filter(|(began, _)| *began != self.began) {
            let _ = self.earlier.set(line);
        }
    }

    /// Returns the lines that were written since the session began.
    pub(crate) fn own_lines<'a>(&self, lines: &'a [String], clock: &LogClock) -> &'a [String] {
        let read = self.earlier.get().and_then(|earlier| lines.iter().rposition(|line| line == earlier));
        let lines = &lines[read.map_or(0, |last| last + 1)..];
        // A line without a time belongs to the one before.
        let is_own = |line: &String| clock.is_since(line, self.began) == Some(true);
        let first = lines.iter().position(is_own).or_else(|| clock.tells_none(lines).then_some(0));
        &lines[first.unwrap_or(lines.len())..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_session_read_is_not_this_ones() {
        let first = SeenApps::default();
        let second = SeenApps::since(first.began + Duration::from_millis(1));
        let clock = LogClock::of_host();
        let line = |what: &str| format!("no time {what}");
        let mut lines = vec![line("old"), line("of the first")];
        first.note_log("s-1", &lines);
        assert_eq!(first.own_lines(&lines, &clock).len(), 2);
        lines.push(line("of the second"));
        second.note_log("s-1", &lines);
        assert_eq!(second.own_lines(&lines, &clock), [line("of the second")]);
        second.note_log("s-2", &lines);
        assert_eq!(second.own_lines(&lines, &clock), [line("of the second")], "another device changes nothing");
    }

    #[test]
    fn an_app_works_since_a_call_passed_on_it_or_started_one() {
        let apps = SeenApps::default();
        let at = |ms| apps.began + Duration::from_millis(ms);
        apps.looked("a", at(1));
        apps.found();
        apps.end_call(at(0), false, false);
        assert_eq!(apps.works_since("a", false), None, "the call failed");
        assert_eq!(apps.works_since("a", true), Some(at(1)), "it answers");
        apps.looked("a", at(3));
        apps.found();
        apps.looked("b", at(4));
        apps.end_call(at(2), true, false);
        assert_eq!((apps.works_since("a", false), apps.works_since("b", true)), (Some(at(3)), None));
        apps.end_call(at(5), true, true);
        assert_eq!(apps.works_since("b", false), Some(at(5)));
        assert!(apps.has_seen("b") && !apps.has_seen("c"));
    }
}
