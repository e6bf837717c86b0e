//! `logcat`: the phone's log in the format `threadtime`. Source: AOSP `system/logging/logcat`, `liblog/logprint.cpp`.

use std::io;

use chrono::DateTime;

use super::call::Call;
use crate::log::Line;

/// What is wanted of the log.
#[derive(Default)]
struct Wish {
    clear: bool,
    /// Tells of the buffers instead of what is in them.
    sizes: bool,
    /// Buffers that were named; those of every day where none was.
    buffers: Vec<&'static str>,
    /// Ends at the log's end instead of waiting for more.
    dump: bool,
    tail: Option<usize>,
    /// Tags with the lowest level that is shown of each.
    tags: Vec<(String, usize)>,
    /// The lowest level that is shown of other tags; that of nothing after `-s`.
    others: usize,
}

/// The tag of what is written when an app crashes.
const CRASHES: &str = "AndroidRuntime";
/// The buffers of a device.
const BUFFERS: [&str; 6] = ["main", "system", "crash", "radio", "events", "kernel"];
/// Those that are meant where none is named.
const USUAL: usize = 3;

/// Levels, from the least to the gravest; silence is above them all.
const LEVELS: &str = "VDIWEFS";
/// The levels of this phone's lines: what tells of an app in trouble is an error, all else is said by the way.
const INFO: usize = 2;
const ERROR: usize = 4;
/// How lines of the system begin that tell of an app that does not respond.
const HANGS: [&str; 3] = ["ANR in ", "PID: ", "Reason: "];
const SILENT: usize = 6;

pub(super) async fn logcat(call: &mut Call<'_>) -> io::Result<u8> {
    let wish = match wish(&call.arguments) {
        Ok(wish) => wish,
        Err(message) => return call.fail(1, &format!("logcat: {message}")).await,
    };
    if wish.sizes {
        let lines = call.handset().log.lock().since(0);
        return call.done(wish.named().map(|name| size(name, &lines)).collect::<String>()).await;
    }
    if wish.clear {
        call.handset().log.lock().clear(|line| wish.reads(line));
        return Ok(0);
    }
    let mut changes = call.handset().log_changes();
    let (mut next, mut lines) = since(call, 0);
    lines.retain(|line| wish.reads(line));
    if let Some(tail) = wish.tail {
        lines.drain(..lines.len().saturating_sub(tail));
    }
    if let Some(name) = wish.named().find(|name| lines.iter().any(|line| buffer(line) == *name)) {
        call.out(format!("--------- beginning of {name}\n")).await?;
    }
    loop {
        let text: String = lines.iter().filter(|line| wish.shows(line)).map(shown).collect();
        call.out(text).await?;
        if wish.dump || changes.changed().await.is_err() {
            return Ok(0);
        }
        (next, lines) = since(call, next);
    }
}

/// Returns the lines from a number on, and the number of the one that will come.
fn since(call: &Call<'_>, number: u64) -> (u64, Vec<Line>) {
    let log = call.handset().log.lock();
    (log.next(), log.since(number))
}

fn wish(arguments: &[String]) -> Result<Wish, String> {
    let mut wish = Wish::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "-c" | "--clear" => wish.clear = true,
            "-d" => wish.dump = true,
            "-s" => wish.others = SILENT,
            "-t" | "-T" => {
                let count = rest.next().ok_or("option requires an argument -- 't'")?;
                wish.tail = Some(count.parse().map_err(|_| format!("-t \"{count}\" not in time format"))?);
                wish.dump |= argument == "-t";
            }
            "-g" | "--buffer-size" => wish.sizes = true,
            "-b" | "--buffer" => wish.name(rest.next().ok_or("option requires an argument -- 'b'")?)?,
            "-v" | "--pid" | "-e" | "--regex" | "-G" => drop(rest.next()),
            option if let Some(names) = option.strip_prefix("--buffer=") => wish.name(names)?,
            option if let Some(names) = option.strip_prefix("-b") => wish.name(names)?,
            option if option.starts_with("--pid=") || option.starts_with("-v") => {}
            option if option.starts_with('-') => return Err(format!("invalid option -- '{option}'")),
            filter => match self::filter(filter)? {
                ("*", level) => wish.others = level,
                (tag, level) => wish.tags.push((tag.to_owned(), level)),
            },
        }
    }
    Ok(wish)
}

/// Reads `TAG:LEVEL` or `TAG`.
fn filter(text: &str) -> Result<(&str, usize), String> {
    let Some((tag, level)) = text.split_once(':') else { return Ok((text, 0)) };
    let found = LEVELS.find(&level.to_ascii_uppercase()).filter(|_| level.len() == 1);
    found.map(|level| (tag, level)).ok_or_else(|| format!("Invalid filter expression '{text}'"))
}

/// What `-g` says of a buffer.
fn size(name: &str, lines: &[Line]) -> String {
    let used: usize = lines.iter().filter(|line| buffer(line) == name).map(|line| shown(line).len()).sum();
    let used = if used < 1024 { format!("{used} B") } else { format!("{} KiB", used / 1024) };
    format!(
        "{name}: ring buffer is 256 KiB ({used} consumed, {used} readable), max entry is 5120 B, max payload is 4068 B\n"
    )
}

/// Returns the buffer that a line is in.
fn buffer(line: &Line) -> &'static str {
    match line.tag {
        CRASHES => "crash",
        tag if tag.starts_with("am_") => "events",
        _ => "main",
    }
}

/// Returns the level of a line.
fn level(line: &Line) -> usize {
    let is_hang = line.tag == "ActivityManager" && HANGS.iter().any(|start| line.message.starts_with(start));
    if line.tag == CRASHES || is_hang { ERROR } else { INFO }
}

impl Wish {
    /// Takes `-b NAME,NAME`.
    fn name(&mut self, names: &str) -> Result<(), String> {
        for name in names.split(',') {
            match name {
                "all" => self.buffers.extend(BUFFERS),
                "default" => self.buffers.extend(&BUFFERS[..USUAL]),
                name => {
                    let known = BUFFERS.iter().find(|known| **known == name);
                    self.buffers.push(known.ok_or_else(|| format!("Unknown -b buffer '{name}'"))?);
                }
            }
        }
        Ok(())
    }

    /// Returns the buffers that are meant, each once.
    fn named(&self) -> impl Iterator<Item = &'static str> {
        let usual = self.buffers.is_empty();
        let is_meant = move |(at, name): &(usize, &&'static str)| {
            if usual { *at < USUAL } else { self.buffers.contains(*name) }
        };
        BUFFERS.iter().enumerate().filter(is_meant).map(|(_, name)| *name)
    }

    /// Whether a line is in a buffer that is meant.
    fn reads(&self, line: &Line) -> bool {
        self.named().any(|name| name == buffer(line))
    }

    fn shows(&self, line: &Line) -> bool {
        if !self.reads(line) {
            return false;
        }
        let own = self.tags.iter().rfind(|(tag, _)| tag == line.tag);
        level(line) >= own.map_or(self.others, |(_, level)| *level)
    }
}

/// Returns the letter of a line's level.
pub(crate) fn letter(line: &Line) -> &'static str {
    &LEVELS[level(line)..=level(line)]
}

fn shown(line: &Line) -> String {
    let time = i64::try_from(line.at).ok().and_then(DateTime::from_timestamp_millis).unwrap_or_default();
    let letter = letter(line);
    format!("{}  1000  1000 {letter} {}: {}\n", time.format("%m-%d %H:%M:%S%.3f"), line.tag, line.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_choose_tags_and_levels() {
        let line = Line { number: 0, at: 0, tag: "Tag", message: String::new() };
        let shows =
            |words: &str| wish(&words.split(' ').map(str::to_owned).collect::<Vec<_>>()).map(|w| w.shows(&line));
        for (words, shown) in [
            ("-d", true),
            ("*:I", true),
            ("*:W", false),
            ("-s Tag:V", true),
            ("-s Tag:E", false),
            ("-s Other:V", false),
            ("*:S Tag", true),
            ("Tag:S", false),
        ] {
            assert_eq!(shows(words), Ok(shown), "{words}");
        }
        let named =
            |words: &str| wish(&words.split(' ').map(str::to_owned).collect::<Vec<_>>()).map(|w| w.named().collect());
        for (words, names) in [
            ("-d", vec!["main", "system", "crash"]),
            ("-b crash", vec!["crash"]),
            ("-bevents,main -b main", vec!["main", "events"]),
            ("--buffer=all", BUFFERS.to_vec()),
        ] {
            assert_eq!(named(words), Ok(names), "{words}");
        }
        let crash = Line { tag: CRASHES, ..line.clone() };
        let reads = |words: &str, line: &Line| {
            wish(&words.split(' ').map(str::to_owned).collect::<Vec<_>>()).unwrap().reads(line)
        };
        assert!(reads("-d", &crash) && reads("-b crash", &crash) && !reads("-b crash", &line));
        assert!(reads("-b main", &line) && !reads("-b main", &crash) && !reads("-b radio", &line));
        assert!(size("crash", std::slice::from_ref(&line)).contains("(0 B consumed, 0 B readable)"));
        assert_eq!(named("-b foo"), Err("Unknown -b buffer 'foo'".to_owned()));
        assert!(shows("Tag:").is_err() && shows("Tag:VD").is_err() && shows("*:X").is_err());
    }
}
