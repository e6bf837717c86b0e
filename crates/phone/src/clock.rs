//! The phone's clock: the wall's by default, a hand that a test moves otherwise.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Local, TimeZone, Timelike, Utc};

/// Where a phone takes its time from. Clones of a hand-driven clock move together.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The machine's clock, shown in the machine's time zone.
    #[default]
    Wall,
    /// Milliseconds since 1970, moved only by [`Clock::advance`]; shown in UTC.
    Hand(Arc<AtomicU64>),
}

impl Clock {
    /// Makes a clock that stands still at `start_ms` milliseconds since 1970.
    pub fn hand(start_ms: u64) -> Self {
        Self::Hand(Arc::new(AtomicU64::new(start_ms)))
    }

    /// Moves a hand-driven clock forward; the wall's clock does not listen.
    pub fn advance(&self, by: Duration) {
        if let Self::Hand(now) = self {
            now.fetch_add(u64::try_from(by.as_millis()).unwrap_or(u64::MAX / 2), Ordering::SeqCst);
        }
    }

    /// Returns milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        match self {
            Self::Wall => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
            }
            Self::Hand(now) => now.load(Ordering::SeqCst),
        }
    }

    /// Returns the hour and minute that the status bar shows at a time, in milliseconds since 1970.
    pub(super) fn hour_and_minute(&self, at_ms: u64) -> (u32, u32) {
        let millis = i64::try_from(at_ms).unwrap_or(0);
        match self {
            Self::Wall => hands(Local.timestamp_millis_opt(millis).single()),
            Self::Hand(_) => hands(Utc.timestamp_millis_opt(millis).single()),
        }
    }

    /// Returns the day that the lock screen shows at a time, in milliseconds since 1970: `Sun, Nov 22`.
    pub(super) fn day(&self, at_ms: u64) -> String {
        const DAY: &str = "%a, %b %-d";
        let millis = i64::try_from(at_ms).unwrap_or(0);
        let day = match self {
            Self::Wall => Local.timestamp_millis_opt(millis).single().map(|time| time.format(DAY).to_string()),
            Self::Hand(_) => Utc.timestamp_millis_opt(millis).single().map(|time| time.format(DAY).to_string()),
        };
        day.unwrap_or_default()
    }
}

fn hands<Z: TimeZone>(time: Option<DateTime<Z>>) -> (u32, u32) {
    time.map_or((0, 0), |time| (time.hour(), time.minute()))
}
