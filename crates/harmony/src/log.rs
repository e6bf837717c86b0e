//! The phone's log: what `hilog` prints → lines.

use crate::answer::failed;
use crate::driver::{Error, LogLevel, LogQuery, quote};
use crate::shell::Shell;

/// How long `11-26 10:20:30.400` is.
const TIME: usize = 18;

/// Returns the lines of a query, the oldest first.
pub(crate) async fn read(shell: &Shell, query: &LogQuery) -> Result<Vec<String>, Error> {
    let said = shell.look("hilog", &command(query)).await?;
    // A complaint begins with no time.
    let is_line = |line: &str| line.starts_with(|sign: char| sign.is_ascii_digit());
    if let Some(line) = said.lines().find(|line| !line.trim().is_empty())
        && !is_line(line)
        && !said.lines().any(is_line)
    {
        return Err(failed("hilog", line));
    }
    Ok(said.lines().filter(|line| is_line(line)).map(|line| line.trim_end().to_owned()).collect())
}

fn command(query: &LogQuery) -> String {
    let levels = match query.level {
        LogLevel::Verbose | LogLevel::Debug => "",
        LogLevel::Info => " -L I,W,E,F",
        LogLevel::Warning => " -L W,E,F",
        LogLevel::Error => " -L E,F",
        LogLevel::Fatal => " -L F",
    };
    let tag = query.tag.as_ref().map(|tag| format!(" -T {}", quote(tag))).unwrap_or_default();
    format!("hilog -x{levels}{tag}")
}

pub(crate) async fn clear(shell: &Shell) -> Result<(), Error> {
    let said = shell.act("hilog", "hilog -r").await?;
    if said.contains("success") { Ok(()) } else { Err(failed("hilog -r", &said)) }
}

/// Returns the time by the clock that stamps the log.
pub(crate) async fn clock(shell: &Shell) -> Result<String, Error> {
    let said = shell.look("date", "date '+%m-%d %H:%M:%S.%N'").await?;
    let time = said.trim();
    match time.get(..TIME) {
        Some(time) if !time.contains('N') && time.contains('.') => Ok(time.to_owned()),
        _ => Err(failed("date", time)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_become_commands() {
        let query = LogQuery { tag: Some("a;reboot".to_owned()), level: LogLevel::Warning };
        assert_eq!(command(&query), "hilog -x -L W,E,F -T 'a;reboot'");
        assert_eq!(command(&LogQuery::default()), "hilog -x");
    }
}
