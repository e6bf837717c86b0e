//! A date, with a time or without, that is set part by part.

use chrono::{DateTime, Datelike, Duration, Months, NaiveDate, NaiveDateTime, Timelike};

/// A point in time as a page's field writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    at: NaiveDateTime,
    with_time: bool,
}

impl Moment {
    /// Reads `2026-11-22` or `2026-11-22T10:00`; what cannot be read begins at `now_ms`, milliseconds since 1970.
    pub(super) fn read(text: &str, with_time: bool, now_ms: u64) -> Self {
        let day = |text: &str| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0);
        let formats = ["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S"];
        let at =
            formats.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok()).or_else(|| day(text));
        let now = DateTime::from_timestamp_millis(i64::try_from(now_ms).unwrap_or(0)).unwrap_or_default().naive_utc();
        Self { at: at.unwrap_or(now), with_time }
    }

    /// Writes it as the field's value.
    pub(super) fn written(&self) -> String {
        let format = if self.with_time { "%Y-%m-%dT%H:%M" } else { "%Y-%m-%d" };
        self.at.format(format).to_string()
    }

    /// Returns the parts that can be set, with their names.
    pub(super) fn parts(&self) -> Vec<(&'static str, String)> {
        let mut parts = vec![
            ("year", self.at.year().to_string()),
            ("month", format!("{:02}", self.at.month())),
            ("day", format!("{:02}", self.at.day())),
        ];
        if self.with_time {
            parts.push(("hour", format!("{:02}", self.at.hour())));
            parts.push(("minute", format!("{:02}", self.at.minute())));
        }
        parts
    }

    /// Moves one part by one; the parts above it follow.
    pub(super) fn step(&mut self, part: usize, by: i32) {
        let months = |count: u32| {
            if by > 0 {
                self.at.checked_add_months(Months::new(count))
            } else {
                self.at.checked_sub_months(Months::new(count))
            }
        };
        let add = |duration: Duration| self.at.checked_add_signed(duration * by.signum());
        let moved = match part {
            0 => months(12),
            1 => months(1),
            2 => add(Duration::days(1)),
            3 => add(Duration::hours(1)),
            _ => add(Duration::minutes(1)),
        };
        self.at = moved.filter(|at| (1900..=2100).contains(&at.year())).unwrap_or(self.at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_move_over_their_ends() {
        let mut day = Moment::read("2026-12-31", false, 0);
        day.step(2, 1);
        assert_eq!(day.written(), "2027-01-01");
        day.step(1, -1);
        assert_eq!(day.written(), "2026-12-01");
        let mut time = Moment::read("2026-11-22T23:59", true, 0);
        time.step(4, 1);
        assert_eq!(time.written(), "2026-11-23T00:00");
    }

    #[test]
    fn what_cannot_be_read_begins_today() {
        assert_eq!(Moment::read("soon", false, 86_400_000).written(), "1970-01-02");
    }
}
