//! Points in time as results write them: RFC 3339 in UTC, to the millisecond (`2026-11-22T10:00:01.204Z`).
//!
//! A step has six of them in the journal and the summary, so both ways avoid a general parser and formatter.

use std::fmt;

use chrono::{DateTime, Datelike as _, NaiveDate, SecondsFormat, Timelike as _, Utc};
use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;

/// Bytes of a point in time.
pub(super) const LENGTH: usize = 24;
/// Every digit is a zero here.
const FORM: [u8; LENGTH] = *b"0000-00-00T00:00:00.000Z";

pub(super) fn serialize<S: Serializer>(at: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    if let Some(bytes) = written(at)
        && let Ok(text) = str::from_utf8(&bytes)
    {
        return serializer.serialize_str(text);
    }
    serializer.serialize_str(&at.to_rfc3339_opts(SecondsFormat::Millis, true))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DateTime<Utc>, D::Error> {
    deserializer.deserialize_str(Stamp)
}

struct Stamp;

impl Visitor<'_> for Stamp {
    type Value = DateTime<Utc>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a point in time as RFC 3339 writes it")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<DateTime<Utc>, E> {
        match read(text.as_bytes()) {
            Some(at) => Ok(at),
            None => DateTime::parse_from_rfc3339(text).map(|at| at.to_utc()).map_err(E::custom),
        }
    }
}

/// Writes a year of four digits and what follows; none for other years and in a leap second.
fn written(at: &DateTime<Utc>) -> Option<[u8; LENGTH]> {
    let (date, time) = (at.date_naive(), at.time());
    let year = u32::try_from(date.year()).ok().filter(|year| *year <= 9999)?;
    let milliseconds = Some(time.nanosecond() / 1_000_000).filter(|milliseconds| *milliseconds < 1000)?;
    let mut bytes = FORM;
    for (value, end, digits) in [
        (year, 4, 4),
        (date.month(), 7, 2),
        (date.day(), 10, 2),
        (time.hour(), 13, 2),
        (time.minute(), 16, 2),
        (time.second(), 19, 2),
        (milliseconds, 23, 3),
    ] {
        put(&mut bytes[end - digits..end], value);
    }
    Some(bytes)
}

/// Writes a number right-aligned over zeros.
fn put(to: &mut [u8], mut value: u32) {
    for digit in to.iter_mut().rev() {
        *digit += u8::try_from(value % 10).unwrap_or(0);
        value /= 10;
    }
}

/// Reads what [`written`] writes; none for anything else.
pub(super) fn read(bytes: &[u8]) -> Option<DateTime<Utc>> {
    let bytes: &[u8; LENGTH] = bytes.try_into().ok()?;
    let fits = |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
    if !bytes.iter().zip(&FORM).all(fits) {
        return None;
    }
    let number = |from: usize, to: usize| bytes[from..to].iter().fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0'));
    let date = NaiveDate::from_ymd_opt(i32::try_from(number(0, 4)).ok()?, number(5, 7), number(8, 10))?;
    Some(date.and_hms_milli_opt(number(11, 13), number(14, 16), number(17, 19), number(20, 23))?.and_utc())
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Debug, Deserialize, Serialize)]
    struct At(#[serde(with = "super")] DateTime<Utc>);

    fn back(text: &str) -> Result<String, serde_json::Error> {
        let at: At = serde_json::from_str(&format!("\"{text}\""))?;
        serde_json::to_string(&at)
    }

    #[test]
    fn points_in_time_survive_the_way() {
        for text in ["2026-11-22T10:00:01.204Z", "0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"] {
            assert_eq!(back(text).unwrap(), format!("\"{text}\""));
            assert!(read(text.as_bytes()).is_some());
        }
    }

    #[test]
    fn other_forms_are_read_too() {
        for (text, same) in [
            ("2026-11-22T10:00:01.204999654Z", "2026-11-22T10:00:01.204Z"),
            ("2026-11-22T12:00:01+02:00", "2026-11-22T10:00:01.000Z"),
            ("2016-12-31T23:59:60.500Z", "2016-12-31T23:59:60.500Z"),
        ] {
            assert_eq!(back(text).unwrap(), format!("\"{same}\""));
        }
    }

    #[test]
    fn what_is_no_point_in_time_is_an_error() {
        for text in
            ["", "now", "2026-13-22T10:00:01.204Z", "2026-02-30T10:00:01.204Z", "2026-11-22T24:00:01.204Z", "２０２６"]
        {
            assert!(back(text).is_err(), "{text}");
        }
    }
}
