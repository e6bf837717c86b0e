//! The device's log: what `logcat` prints → lines.

use super::answer;
use crate::adb::{Device, quote};
use crate::driver::{Error, LogLevel, LogQuery};

/// How logcat's complaints begin.
const COMPLAINTS: [&str; 2] = ["logcat:", "Unable to open log device"];

/// How long `11-26 10:20:30.400` is.
const LOG_TIME: usize = 18;

/// Returns the lines of a query, the oldest first.
pub(super) async fn read(device: &Device, query: &LogQuery) -> Result<Vec<String>, Error> {
    let output = device.shell(&command(query)).await?;
    let stderr = answer::text(&output.stderr);
    let stdout = answer::text(&output.stdout);
    // Its complaints come on either, some with an exit code of 0.
    let complaint =
        stderr.lines().chain(stdout.lines()).find(|line| COMPLAINTS.iter().any(|word| line.starts_with(word)));
    if output.exit != 0 || complaint.is_some() {
        let words = || stderr.lines().chain(stdout.lines()).find(|line| !line.trim().is_empty());
        return Err(answer::failed("logcat", complaint.or_else(words).unwrap_or("it ended with an error")));
    }
    // A line that begins a buffer is none of the log's own, nor is a warning of Android's loader.
    let is_own = |line: &&str| {
        !line.is_empty() && !["--------- ", "WARNING: linker"].iter().any(|start| line.starts_with(start))
    };
    Ok(stdout.lines().filter(is_own).map(str::to_owned).collect())
}

/// Returns the time by the clock that stamps the log.
pub(super) async fn clock(device: &Device) -> Result<String, Error> {
    let said = answer::checked("date", &device.shell("date '+%m-%d %H:%M:%S.%N'").await?)?;
    let time = said.trim();
    // Older Androids know no %N.
    match time.len() >= LOG_TIME && time.is_ascii() && !time.contains('N') {
        true => Ok(time[..LOG_TIME].to_owned()),
        false => Err(answer::failed("date", time)),
    }
}

pub(super) async fn clear(device: &Device) -> Result<(), Error> {
    answer::checked("logcat -c", &device.shell("logcat -c").await?).map(drop)
}

fn command(query: &LogQuery) -> String {
    let level = letter(query.level);
    let filter = match &query.tag {
        Some(tag) => format!("-s {}", quote(&format!("{tag}:{level}"))),
        None => quote(&format!("*:{level}")),
    };
    format!("logcat -d -v threadtime {filter}")
}

fn letter(level: LogLevel) -> char {
    match level {
        LogLevel::Verbose => 'V',
        LogLevel::Debug => 'D',
        LogLevel::Info => 'I',
        LogLevel::Warning => 'W',
        LogLevel::Error => 'E',
        LogLevel::Fatal => 'F',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_quoted() {
        let query = LogQuery { tag: Some("a;reboot".to_owned()), level: LogLevel::Warning };
        assert_eq!(command(&query), "logcat -d -v threadtime -s 'a;reboot:W'");
        assert_eq!(command(&LogQuery::default()), "logcat -d -v threadtime '*:V'");
    }
}
