//! The log of an Android device → the app under test that crashed or does not respond, by name. Pure: it reads lines.
//!
//! Sources: AOSP, `RuntimeInit.java` (crashes), `ProcessErrorStateRecord.java` (ANRs), `debuggerd` (crashes of native code).

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Every time zone is a multiple of this away from any other, so that times of the day can be compared up to it.
const ZONES: u64 = 15 * 60 * 1000;
/// By how much the clocks of a device and this computer may differ, in milliseconds.
const SKEW: u64 = 3_000;

/// What is said of an app that hangs.
const HANGS: &str = " does not respond (ANR)";

/// How soon Android itself starts an app again that crashed, in milliseconds.
const AT_ONCE: u64 = 400;

/// When a session began, and when it saw which app in front last.
pub(super) struct SeenApps {
    began: Instant,
    apps: Mutex<HashMap<String, Instant>>,
    /// The newest line of the device's log that an earlier session read.
    earlier: OnceLock<String>,
}

/// The newest line that was read of each device's log, by its serial, and when the session began that read it.
static READ: Mutex<Option<HashMap<String, (Instant, String)>>> = Mutex::new(None);

impl Default for SeenApps {
    fn default() -> Self {
        Self { began: Instant::now(), apps: Mutex::default(), earlier: OnceLock::new() }
    }
}

impl SeenApps {
    /// Takes in that an app was seen in front, or was started.
    pub(super) fn note(&self, package: &str) {
        let mut apps = self.apps.lock().unwrap_or_else(PoisonError::into_inner);
        match apps.get_mut(package) {
            Some(at) => *at = Instant::now(),
            None => _ = apps.insert(package.to_owned(), Instant::now()),
        }
    }

    pub(super) fn age(&self) -> Duration {
        self.began.elapsed()
    }

    /// Returns since when an app was not seen; none where the session never saw it.
    fn unseen_for(&self, package: &str) -> Option<Duration> {
        let apps = self.apps.lock().unwrap_or_else(PoisonError::into_inner);
        apps.get(package).map(Instant::elapsed)
    }

    /// Tells whether an app is one of this session's, and was not seen in front since its trouble.
    fn is_troubled(&self, trouble: &Trouble) -> bool {
        let Some(age) = age_ms(trouble.at).filter(|age| is_within(*age, self.age())) else { return false };
        self.unseen_for(&trouble.package).is_some_and(|unseen| is_within(age, unseen))
    }

    /// Takes in a log of a device that was just read: what an earlier session read of it is none of this one's, however near in time.
    pub(super) fn note_log(&self, serial: &str, lines: &[String]) {
        let Some(newest) = lines.last() else { return };
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        let read = read.get_or_insert_default();
        let earlier = read.insert(serial.to_owned(), (self.began, newest.clone()));
        if let Some((_, line)) = earlier.filter(|(began, _)| *began != self.began) {
            let _ = self.earlier.set(line);
        }
    }

    /// Returns the lines that were written since the session began.
    pub(super) fn own_lines<'a>(&self, lines: &'a [String]) -> Vec<&'a str> {
        let own = |line: &&String| age_ms(line.as_str()).is_none_or(|age| is_within(age, self.age()));
        let last = self.earlier.get().and_then(|earlier| lines.iter().rposition(|line| line == earlier));
        lines[last.map_or(0, |last| last + 1)..].iter().filter(own).map(String::as_str).collect()
    }
}

/// What happened to an app.
#[derive(Debug, PartialEq, Eq)]
struct Trouble<'a> {
    package: String,
    what: String,
    /// The line that tells when.
    at: &'a str,
}

/// Returns what happened to an app of the session last, where it has not come back since.
pub(super) fn told(lines: &[String], seen: &SeenApps) -> Option<String> {
    let last = troubles(lines).into_iter().rev().find(|trouble| seen.is_troubled(trouble))?;
    (!has_come_back(lines, &last)).then_some(last.what)
}

/// Returns what is told of an app of the session that does not respond, whether or not it was seen since: its window stays.
pub(super) fn hang_told(lines: &[String], seen: &SeenApps) -> Option<String> {
    let is_own = |trouble: &Trouble| {
        let is_hang = trouble.what.contains(HANGS);
        is_hang
            && seen.unseen_for(&trouble.package).is_some()
            && age_ms(trouble.at).is_some_and(|age| is_within(age, seen.age()))
    };
    let last = troubles(lines).into_iter().rev().find(is_own)?;
    (!has_come_back(lines, &last)).then_some(last.what)
}

/// Tells whether an app was started again after its trouble, or has shown a page. What Android does at once, by itself, is no such start:
/// the app is there again, and what was on its screen is not.
fn has_come_back(lines: &[String], trouble: &Trouble<'_>) -> bool {
    let Some(began) = age_ms(trouble.at) else { return false };
    let after = lines.iter().skip_while(|line| !std::ptr::eq(line.as_str(), trouble.at));
    let shows = |line: &&String| {
        let what = said(line).map_or("", |(_, what)| what);
        let started = what.strip_prefix("Start proc ").and_then(|rest| rest.split_once(':')).map(|(_, rest)| rest);
        let named = started.or_else(|| what.strip_prefix("Displayed "));
        named.and_then(|rest| rest.strip_prefix(trouble.package.as_str())).is_some_and(|rest| rest.starts_with('/'))
    };
    after.filter(shows).filter_map(|line| age_ms(line)).any(|age| (began + ZONES - age) % ZONES > AT_ONCE)
}

/// Returns all that the log tells of apps in trouble, the oldest first.
fn troubles(lines: &[String]) -> Vec<Trouble<'_>> {
    (0..lines.len())
        .filter_map(|at| crash(&lines[at..]).or_else(|| native_crash(&lines[at..])).or_else(|| hang(&lines[at..])))
        .collect()
}

/// Reads `FATAL EXCEPTION: main`, `Process: PACKAGE, PID: 1`, the exception and the calls that it came through.
fn crash(lines: &[String]) -> Option<Trouble<'_>> {
    let first = lines.first()?;
    let ("AndroidRuntime", _) = said(first).filter(|(_, what)| what.starts_with("FATAL EXCEPTION"))? else {
        return None;
    };
    let mut rest = lines[1..].iter().map_while(|line| said(line)).filter(|(tag, _)| *tag == "AndroidRuntime");
    let package = rest.by_ref().find_map(|(_, what)| what.strip_prefix("Process: "))?.split(',').next()?.to_owned();
    let mut rest = rest.map(|(_, what)| what.trim()).take_while(|what| !what.starts_with("FATAL EXCEPTION")).peekable();
    let exception = rest.next().unwrap_or("an exception that is not told");
    let calls: Vec<&str> = rest.map_while(|what| what.strip_prefix("at ")).collect();
    // What the app itself did says more than where in Android it ended.
    let place = calls.iter().find(|call| call.starts_with(package.as_str())).or(calls.first());
    let place = place.map(|place| format!(" (at {place})")).unwrap_or_default();
    let what = format!("{package} crashed: {}{place}", super::finder::clip(exception));
    Some(Trouble { package, what, at: first })
}

/// Reads `pid: 1, tid: 1, name: main  >>> PACKAGE <<<` and the signal after it.
fn native_crash(lines: &[String]) -> Option<Trouble<'_>> {
    let first = lines.first()?;
    let (_, what) = said(first).filter(|(tag, _)| *tag == "DEBUG")?;
    let package = what.split_once(">>> ")?.1.split_once(" <<<")?.0.to_owned();
    let mut after = lines[1..].iter().take(8).filter_map(|line| said(line));
    let signal = after.find_map(|(_, what)| Some(what.strip_prefix("signal ")?.split(", code").next()?.to_owned()));
    let what = format!("{package} crashed in native code: signal {}", signal.as_deref().unwrap_or("that is not told"));
    Some(Trouble { package, what, at: first })
}

/// Reads `ANR in PACKAGE (PACKAGE/.Main)` and the reason after it.
fn hang(lines: &[String]) -> Option<Trouble<'_>> {
    let first = lines.first()?;
    let (_, what) = said(first).filter(|(tag, _)| *tag == "ActivityManager")?;
    let package = what.strip_prefix("ANR in ")?.split([' ', ',']).next()?.to_owned();
    let mut after = lines[1..].iter().take(4).filter_map(|line| said(line));
    let reason = after.find_map(|(_, what)| what.strip_prefix("Reason: "));
    let reason = reason.map(|reason| format!(": {}", super::finder::clip(reason))).unwrap_or_default();
    Some(Trouble { what: format!("{package}{HANGS}{reason}"), package, at: first })
}

/// Takes tag and message of `11-26 00:58:57.123  1  2 E Tag     : message`.
fn said(line: &str) -> Option<(&str, &str)> {
    let mut rest = line;
    for _ in 0..5 {
        rest = rest.trim_start().split_once(' ')?.1;
    }
    let (tag, what) = rest.split_once(": ").or_else(|| Some((rest.strip_suffix(':')?, "")))?;
    Some((tag.trim(), what))
}

/// Returns how old a line is, in milliseconds up to [`ZONES`], whatever the time zone of the device; none where it tells no time.
fn age_ms(line: &str) -> Option<u64> {
    let time = line.split(' ').nth(1)?;
    let mut parts = time.split([':', '.']).map(str::parse::<u64>);
    let (Some(Ok(_)), Some(Ok(minutes)), Some(Ok(seconds)), Some(Ok(ms))) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    let written = (minutes * 60 + seconds) * 1000 + ms;
    let now = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()?;
    Some((now % ZONES + ZONES - written % ZONES) % ZONES)
}

/// Tells whether something of an age happened within a time; a device's clock may be a little ahead.
fn is_within(age: u64, time: Duration) -> bool {
    let time = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    age <= time.saturating_add(SKEW) || age >= ZONES - SKEW
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(|line| format!("11-26 10:20:30.400  1000  1001 {line}")).collect()
    }

    fn whats(text: &str) -> Vec<String> {
        troubles(&lines(text)).into_iter().map(|trouble| trouble.what).collect()
    }

    #[test]
    fn crashes_and_hangs_are_read_as_android_writes_them() {
        let crash = "E AndroidRuntime: FATAL EXCEPTION: main
E AndroidRuntime: Process: com.a.shop, PID: 1000
E AndroidRuntime: java.lang.NullPointerException: no cart
E AndroidRuntime: \tat android.view.View.performClick(View.java:7448)
E AndroidRuntime: \tat com.a.shop.Cart.open(Cart.kt:7)";
        let said = "com.a.shop crashed: java.lang.NullPointerException: no cart (at com.a.shop.Cart.open(Cart.kt:7))";
        assert_eq!(whats(crash), [said]);
        let hang = "E ActivityManager: ANR in com.a.shop (com.a.shop/.Main)
E ActivityManager: PID: 1000
E ActivityManager: Reason: Input dispatching timed out";
        assert_eq!(whats(hang), ["com.a.shop does not respond (ANR): Input dispatching timed out"]);
        let native = "F DEBUG   : pid: 7, tid: 7, name: main  >>> com.a.shop <<<
F DEBUG   : uid: 10001
F DEBUG   : signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0";
        assert_eq!(whats(native), ["com.a.shop crashed in native code: signal 11 (SIGSEGV)"]);
        assert!(whats("I ActivityManager: Displayed com.a.shop/.Main").is_empty());
    }

    #[test]
    fn what_an_earlier_session_read_is_not_this_ones() {
        let (first, second) = (SeenApps::default(), SeenApps::default());
        let second = SeenApps { began: first.began + Duration::from_millis(1), ..second };
        let line = |what: &str| format!("no time {what}");
        let mut lines = vec![line("old"), line("of the first")];
        first.note_log("s-1", &lines);
        assert_eq!(first.own_lines(&lines).len(), 2);
        lines.push(line("of the second"));
        second.note_log("s-1", &lines);
        assert_eq!(second.own_lines(&lines), [line("of the second")]);
        second.note_log("s-2", &lines);
        assert_eq!(second.own_lines(&lines), [line("of the second")], "another device changes nothing");
    }

    #[test]
    fn only_an_app_of_the_session_that_has_not_come_back_is_told() {
        let minute = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 60 % 60;
        let second = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() % 60;
        let now = vec![format!("11-26 10:{minute:02}:{second:02}.000  1  1 E ActivityManager: ANR in com.a.shop")];
        let old = vec![format!(
            "11-26 10:{:02}:{second:02}.000  1  1 E ActivityManager: ANR in com.a.shop",
            (minute + 55) % 60
        )];
        let seen = SeenApps::default();
        assert_eq!(told(&now, &seen), None, "an app that the session never saw");
        seen.note("com.a.shop");
        assert!(told(&now, &seen).is_some());
        let again = |ms: u32| {
            let start = "1  1 I ActivityManager: Start proc 7:com.a.shop/u0a1 for x";
            [now.clone(), vec![format!("11-26 10:{minute:02}:{second:02}.{ms:03}  {start}")]].concat()
        };
        assert!(told(&again(200), &seen).is_some(), "Android itself started it again");
        assert_eq!(told(&again(900), &seen), None, "it has come back");
        assert_eq!(told(&old, &seen), None, "before the session began");
    }
}
