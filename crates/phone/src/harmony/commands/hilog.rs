//! `hilog`: the phone's log. `-x` ends at its end, `-r` empties it, `-L`, `-T` and `-e` choose lines.

use std::io;

use chrono::DateTime;

use super::words::{has, value};
use crate::commands::Call;
use crate::commands::logcat::letter;
use crate::log::Line;

pub(crate) async fn hilog(call: &mut Call<'_>) -> io::Result<String> {
    let words = std::mem::take(&mut call.arguments);
    if has(&words, "-r") {
        call.handset().log.lock().clear(|_| true);
        return Ok("Log type core,app,only_prerelease buffer clear successfully\n".to_owned());
    }
    let (tag, part, levels) = (value(&words, "-T"), value(&words, "-e"), value(&words, "-L"));
    if let Some(levels) = levels
        && !levels.split(',').all(|level| ["D", "I", "W", "E", "F"].contains(&level))
    {
        return Ok(format!("Invalid log level value: {levels}\n"));
    }
    let is_meant = |line: &Line| {
        if !levels.is_none_or(|levels| levels.split(',').any(|level| level == letter(line))) {
            return false;
        }
        tag.is_none_or(|tag| tag.split(',').any(|tag| tag == line.tag))
            && part.is_none_or(|part| line.message.contains(part))
    };
    let ends = has(&words, "-x") || has(&words, "-z");
    let mut changes = call.handset().log_changes();
    let mut next = 0;
    loop {
        // What happened meanwhile comes into the log first.
        call.handset().messages().await;
        let (end, lines) = {
            let log = call.handset().log.lock();
            (log.next(), log.since(next))
        };
        next = end;
        let text: String = lines.iter().filter(|line| is_meant(line)).map(shown).collect();
        call.out(text).await?;
        if ends || changes.changed().await.is_err() {
            return Ok(String::new());
        }
    }
}

fn shown(line: &Line) -> String {
    let time = i64::try_from(line.at).ok().and_then(DateTime::from_timestamp_millis).unwrap_or_default();
    format!(
        "{}  1000  1000 {} C01300/{}: {}\n",
        time.format("%m-%d %H:%M:%S%.3f"),
        letter(line),
        line.tag,
        line.message
    )
}
