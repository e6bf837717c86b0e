//! The log of an Android device → the app under test that crashed or does not respond, by name. Pure: it reads lines.
//!
//! Sources: AOSP, `RuntimeInit.java` (crashes), `ProcessErrorStateRecord.java` (ANRs), `debuggerd` (crashes of native code).

use std::time::Duration;

use super::log_clock::LogClock;
use crate::traces::seen_apps::SeenApps;

/// What is said of an app that hangs.
const HANGS: &str = " does not respond (ANR)";

/// How soon Android itself starts an app again that crashed.
const AT_ONCE: Duration = Duration::from_millis(400);

/// What happened to an app.
#[derive(Debug, PartialEq, Eq)]
struct Trouble<'a> {
    package: String,
    what: String,
    /// The line that tells when.
    at: &'a str,
}

fn is_hang(trouble: &Trouble<'_>) -> bool {
    trouble.what.contains(HANGS)
}

/// Returns what happened to an app of the session last, where it has not come back since.
pub(crate) fn told(lines: &[String], clock: &LogClock, seen: &SeenApps) -> Option<String> {
    let is_left = |trouble: &Trouble| {
        let over = seen.works_since(&trouble.package, is_hang(trouble));
        over.is_none_or(|over| clock.is_since(trouble.at, over) == Some(true))
    };
    last(lines, clock, seen, is_left)
}

/// Returns what is told of an app of the session that does not respond, whether or not it was used since: its window stays.
pub(crate) fn hang_told(lines: &[String], clock: &LogClock, seen: &SeenApps) -> Option<String> {
    last(lines, clock, seen, is_hang)
}

/// Returns the last trouble of this kind of an app of the session, since that began, unless the app has come back.
fn last(
    lines: &[String],
    clock: &LogClock,
    seen: &SeenApps,
    is_meant: impl Fn(&Trouble<'_>) -> bool,
) -> Option<String> {
    let lines = seen.own_lines(lines, clock);
    let is_own = |trouble: &Trouble| {
        seen.has_seen(&trouble.package) && clock.is_since(trouble.at, seen.began) == Some(true) && is_meant(trouble)
    };
    let last = troubles(lines).into_iter().rev().find(is_own)?;
    (!has_come_back(lines, clock, &last)).then_some(last.what)
}

/// Tells whether an app was started again after its trouble, or has shown a page. What Android does at once, by itself, is no such start:
/// the app is there again, and what was on its screen is not.
fn has_come_back(lines: &[String], clock: &LogClock, trouble: &Trouble<'_>) -> bool {
    let after = lines.iter().skip_while(|line| !std::ptr::eq(line.as_str(), trouble.at));
    let shows = |line: &&String| {
        let what = said(line).map_or("", |(_, what)| what);
        let started = what.strip_prefix("Start proc ").and_then(|rest| rest.split_once(':')).map(|(_, rest)| rest);
        let named = started.or_else(|| what.strip_prefix("Displayed "));
        named.and_then(|rest| rest.strip_prefix(trouble.package.as_str())).is_some_and(|rest| rest.starts_with('/'))
    };
    after.filter(shows).filter_map(|line| clock.between(trouble.at, line)).any(|after| after > AT_ONCE)
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
    let what = format!("{package} crashed: {}{place}", uixt_locate::wording::clip(exception));
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
    let reason = reason.map(|reason| format!(": {}", uixt_locate::wording::clip(reason))).unwrap_or_default();
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

#[cfg(test)]
mod tests {
    use std::time::Instant;

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
    fn only_an_app_of_the_session_that_does_not_work_again_is_told() {
        let asked = Instant::now();
        let clock = LogClock::of_device("11-26 10:20:40.000", asked).expect("a time");
        let ago = |seconds: u64| asked.checked_sub(Duration::from_secs(seconds)).expect("a moment");
        let seen = SeenApps::since(ago(20));
        let hang = vec!["11-26 10:20:30.000  1  1 E ActivityManager: ANR in com.a.shop".to_owned()];
        let crash = [
            "11-26 10:20:30.000  1  1 E AndroidRuntime: FATAL EXCEPTION: main",
            "11-26 10:20:30.000  1  1 E AndroidRuntime: Process: com.a.shop, PID: 1000",
        ];
        let crash = crash.map(str::to_owned).to_vec();
        let is_told = |lines: &[String], seen: &SeenApps| told(lines, &clock, seen).is_some();
        assert!(!is_told(&hang, &seen), "an app that the session never saw");
        seen.note("com.a.shop");
        assert!(is_told(&hang, &seen) && is_told(&crash, &seen));
        let again = |time: &str| {
            let start = "1  1 I ActivityManager: Start proc 7:com.a.shop/u0a1 for x";
            [crash.clone(), vec![format!("11-26 10:20:{time}  {start}")]].concat()
        };
        assert!(is_told(&again("30.200"), &seen), "Android itself started it again");
        assert!(!is_told(&again("30.900"), &seen), "it has come back");
        let late = SeenApps::since(ago(9));
        late.note("com.a.shop");
        assert!(!is_told(&hang, &late), "before the session began");
        seen.looked("com.a.shop", ago(11));
        seen.found();
        seen.end_call(ago(12), true, false);
        assert!(is_told(&hang, &seen) && is_told(&crash, &seen), "it was used before");
        seen.looked("com.a.shop", ago(9));
        seen.found();
        assert!(!is_told(&hang, &seen) && is_told(&crash, &seen), "a target was seen in it");
        assert!(hang_told(&hang, &clock, &seen).is_some(), "its window stays");
        seen.end_call(ago(9), true, false);
        assert!(!is_told(&crash, &seen), "a call passed on it");
        let other = SeenApps::since(ago(20));
        other.note("com.a.shop");
        other.end_call(ago(5), true, true);
        assert!(!is_told(&crash, &other), "another app was started");
    }
}
