//! The times in a device's log → moments of this computer's clock, by what the device's own clock said when the log was read.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const DAY: u64 = 24 * 60 * 60 * 1000;
/// Every time zone is a multiple of this away from any other, so that times of the day can be compared up to it.
const ZONES: u64 = 15 * 60 * 1000;
/// By how much the clocks of a device and this computer may differ where the device does not tell its own.
const SKEW: Duration = Duration::from_secs(3);
/// What two moments may differ by that are told in milliseconds.
const GRAIN: Duration = Duration::from_millis(5);

/// What a device's clock said, and when.
pub(crate) struct LogClock {
    asked: Instant,
    /// In milliseconds, up to `period`.
    said: u64,
    period: u64,
    /// The day as the log writes it; empty where it is not known.
    date: String,
    /// By how much a moment may be wrong.
    margin: Duration,
}

impl LogClock {
    /// Takes what the device's clock said in an answer to a question that was sent at a moment, and has just come.
    pub(crate) fn of_device(said: &str, sent: Instant) -> Option<Self> {
        let ms = time_of_day(said)?;
        let half = sent.elapsed() / 2;
        let date = said.split(' ').next()?.to_owned();
        Some(Self { asked: sent + half, said: ms, period: DAY, date, margin: half + GRAIN })
    }

    /// Takes the time of this computer, for a device that does not tell its own; its time zone does not matter.
    pub(crate) fn of_host() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let said = u64::try_from(since.as_millis()).unwrap_or_default() % ZONES;
        Self { asked: Instant::now(), said, period: ZONES, date: String::new(), margin: SKEW }
    }

    /// Tells whether a line was written since a moment; none where it tells no time.
    pub(crate) fn is_since(&self, line: &str, moment: Instant) -> Option<bool> {
        Some(self.age(line)? <= self.asked.saturating_duration_since(moment) + self.margin)
    }

    /// Returns how long after one line another was written; none where one tells no time.
    pub(crate) fn between(&self, first: &str, second: &str) -> Option<Duration> {
        Some(self.age(first)?.saturating_sub(self.age(second)?))
    }

    pub(crate) fn tells_none(&self, lines: &[String]) -> bool {
        lines.iter().all(|line| self.age(line).is_none())
    }

    /// Returns how old a line was when the clock was asked; 0 where it was written a little later.
    fn age(&self, line: &str) -> Option<Duration> {
        let written = time_of_day(line)?;
        let date = line.split(' ').next()?;
        let ahead = (written % self.period + self.period - self.said) % self.period;
        let is_later = ahead < self.period / 4 && (self.date.is_empty() || self.date == date);
        if is_later && (self.period == DAY || u128::from(ahead) <= self.margin.as_millis()) {
            return Some(Duration::ZERO);
        }
        let age = (self.said + self.period - written % self.period) % self.period;
        // What was written on another day at a time of the day that has passed today is older than a day.
        let days = u64::from(!self.date.is_empty() && self.date != date && written <= self.said);
        Some(Duration::from_millis(age + days * DAY))
    }
}

/// Reads the time of `11-26 10:20:30.400 …` as milliseconds of the day.
fn time_of_day(line: &str) -> Option<u64> {
    let mut parts = line.split(' ').nth(1)?.split([':', '.']).map(str::parse::<u64>);
    let mut next = || parts.next()?.ok();
    let (hours, minutes, seconds, ms) = (next()?, next()?, next()?, next()?);
    (hours < 24 && minutes < 60 && seconds < 61 && ms < 1000)
        .then_some(((hours * 60 + minutes) * 60 + seconds) * 1000 + ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(said: &str) -> LogClock {
        LogClock { margin: Duration::from_millis(10), ..LogClock::of_device(said, Instant::now()).expect("a time") }
    }

    #[test]
    fn lines_are_older_or_newer_than_a_moment() {
        let clock = clock("11-26 10:20:30.400");
        let ago = |ms| clock.asked.checked_sub(Duration::from_millis(ms)).expect("a moment");
        let line = "11-26 10:20:29.400 1 1 I a: b";
        assert_eq!(clock.is_since(line, ago(1_200)), Some(true));
        assert_eq!(clock.is_since(line, ago(1_005)), Some(true), "within what may be wrong");
        assert_eq!(clock.is_since(line, ago(900)), Some(false));
        assert_eq!(clock.is_since("11-26 10:20:30.500 1 1 I a: b", ago(0)), Some(true), "written meanwhile");
        assert_eq!(clock.is_since("11-25 10:20:30.300 1 1 I a: b", ago(60_000)), Some(false), "a day ago");
        assert_eq!(clock.is_since("at com.a.b", ago(0)), None);
        assert_eq!(clock.between(line, "11-26 10:20:29.900 x"), Some(Duration::from_millis(500)));
    }

    #[test]
    fn midnight_is_no_border() {
        let clock = clock("12-01 00:00:01.000");
        let ago = |ms| clock.asked.checked_sub(Duration::from_millis(ms)).expect("a moment");
        assert_eq!(clock.is_since("11-30 23:59:59.500 x", ago(1_400)), Some(false));
        assert_eq!(clock.is_since("11-30 23:59:59.500 x", ago(1_600)), Some(true));
    }

    #[test]
    fn without_a_clock_any_time_zone_will_do_and_three_seconds_are_none() {
        let host = LogClock::of_host();
        let minute = host.said / 60_000;
        let second = host.said / 1000 % 60;
        let line = |minute: u64| format!("11-26 07:{minute:02}:{second:02}.000 x");
        assert_eq!(host.is_since(&line(minute + 30), host.asked), Some(true));
        assert_eq!(host.is_since(&line((minute + 10) % 15), host.asked), Some(false), "5 minutes ago");
    }
}
