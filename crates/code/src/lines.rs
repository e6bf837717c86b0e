//! A file, piece by piece → its lines that match a regular expression, by their numbers and places. No piece is larger than it must be
//! for its longest line.

use std::fs::File;
use std::io::Read;

use memchr::{memchr, memchr_iter, memrchr};
use regex::bytes::Regex;

use crate::Limits;

/// How much of a file is read at a time.
const PIECE: usize = 256 << 10;

/// Most bytes of a line; a longer one is searched in parts.
const LONGEST_LINE: usize = 16 << 20;

/// How much of a file is looked at for what no text has.
const HEAD: usize = 8 << 10;

/// Most characters of a line that are told.
pub(crate) const WIDTH: usize = 500;

/// How many characters before its match are told of a line that is too long.
const BEFORE: usize = 100;

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// From 1.
    pub(crate) number: u64,
    pub(crate) text: String,
    /// Where it begins and ends in the file, its end of line left out.
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// What came of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Searched {
    Lines(Vec<Line>),
    /// It is no text, for this reason.
    Binary(&'static str),
    /// The time was over, or nobody waited any more.
    Ended,
}

/// Reads files one after the other into the same room.
#[derive(Default)]
pub(crate) struct Reader {
    buffer: Vec<u8>,
}

impl Reader {
    /// Returns up to `most` of a file's lines that match.
    pub(crate) fn search(
        &mut self,
        mut file: impl Read,
        regex: &Regex,
        most: usize,
        limits: &Limits,
    ) -> std::io::Result<Searched> {
        self.buffer.truncate(PIECE);
        self.buffer.resize(PIECE, 0);
        let mut scan = Scan { regex, most, number: 1, offset: 0, lines: Vec::new() };
        let (mut filled, mut is_first) = (0, true);
        loop {
            let read = self.fill(&mut file, filled)?;
            let is_last = read < self.buffer.len();
            if std::mem::take(&mut is_first)
                && let Some(why) = binary(&self.buffer[..read.min(HEAD)])
            {
                return Ok(Searched::Binary(why));
            }
            let end = if is_last { Some(read) } else { memrchr(b'\n', &self.buffer).map(|end| end + 1) };
            let end = match end {
                Some(end) => end,
                None if read < LONGEST_LINE => {
                    filled = read;
                    self.buffer.resize(read * 2, 0);
                    continue;
                }
                None => read,
            };
            scan.block(&self.buffer[..end]);
            if is_last || scan.is_done() {
                return Ok(Searched::Lines(scan.lines));
            }
            if limits.are_over() {
                return Ok(Searched::Ended);
            }
            self.buffer.copy_within(end..read, 0);
            filled = read - end;
        }
    }

    /// Reads until the room is full, or the file at its end; returns how far it is filled.
    fn fill(&mut self, file: &mut impl Read, mut filled: usize) -> std::io::Result<usize> {
        while filled < self.buffer.len() {
            match file.read(&mut self.buffer[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

/// Opens nothing: tells why the beginning of a file is no text.
pub(crate) fn binary(head: &[u8]) -> Option<&'static str> {
    match head {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("binary (UTF-16)"),
        _ => memchr(0, head).map(|_| "binary"),
    }
}

/// Reads a whole file that is a text, up to some bytes.
pub(crate) fn read_text(mut file: &File) -> std::io::Result<Result<Vec<u8>, &'static str>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let why = binary(&bytes[..bytes.len().min(HEAD)]);
    Ok(why.map_or(Ok(bytes), Err))
}

struct Scan<'a> {
    regex: &'a Regex,
    most: usize,
    /// Of the line at which the next block begins.
    number: u64,
    /// Where the next block begins in the file.
    offset: u64,
    lines: Vec<Line>,
}

impl Scan<'_> {
    fn is_done(&self) -> bool {
        self.lines.len() >= self.most
    }

    /// Searches whole lines.
    fn block(&mut self, block: &[u8]) {
        let (mut at, mut counted) = (0, 0);
        while at < block.len() && !self.is_done() {
            let Some(found) = self.regex.find_at(block, at) else { break };
            if found.start() == block.len() && block.ends_with(b"\n") {
                break;
            }
            let start = memrchr(b'\n', &block[at..found.start()]).map_or(at, |place| at + place + 1);
            let end = memchr(b'\n', &block[found.end()..]).map_or(block.len(), |length| found.end() + length);
            self.number += memchr_iter(b'\n', &block[counted..start]).count() as u64;
            counted = start;
            let text = told(without_end(&block[start..end]), found.start() - start);
            let (first, last) = (self.offset + start as u64, self.offset + end as u64);
            self.lines.push(Line { number: self.number, text, start: first, end: last });
            at = end + 1;
        }
        self.number += memchr_iter(b'\n', &block[counted..]).count() as u64;
        self.offset += block.len() as u64;
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns a line as it is told: of one that is too long, what stands around its match.
pub(crate) fn told(line: &[u8], from: usize) -> String {
    if line.len() <= WIDTH {
        return String::from_utf8_lossy(line).into_owned();
    }
    let before: String =
        String::from_utf8_lossy(&line[..from.min(line.len())]).chars().rev().take(BEFORE + 1).collect();
    let is_cut = before.chars().count() > BEFORE;
    let before: String = before.chars().take(BEFORE).collect::<Vec<char>>().into_iter().rev().collect();
    // A character takes at most four bytes.
    let room = WIDTH - before.chars().count();
    let rest = &line[from.min(line.len())..];
    let rest = String::from_utf8_lossy(&rest[..rest.len().min(room * 4 + 4)]);
    let after: String = rest.chars().take(room).collect();
    let is_whole = after.len() >= line.len() - from.min(line.len());
    format!("{}{before}{after}{}", if is_cut { "…" } else { "" }, if is_whole { "" } else { "…" })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use regex::bytes::RegexBuilder;

    use super::*;
    use crate::pattern::of_lines;

    fn limits() -> Limits {
        Limits::after(Duration::from_mins(10))
    }

    fn found(pattern: &str, text: &[u8]) -> Vec<(u64, String)> {
        let regex = of_lines(pattern).expect("a pattern");
        match Reader::default().search(text, &regex, 1000, &limits()).expect("read") {
            Searched::Lines(lines) => lines.into_iter().map(|line| (line.number, line.text)).collect(),
            other => panic!("{other:?}"),
        }
    }

    fn numbers(pattern: &str, text: &str) -> Vec<u64> {
        found(pattern, text.as_bytes()).into_iter().map(|(number, _)| number).collect()
    }

    #[test]
    fn lines_match_by_themselves() {
        let text = "def a():\n    pass\r\n\ndef b(): # 登录\nend";
        assert_eq!(found("def.*", text.as_bytes()), [(1, "def a():".to_owned()), (4, "def b(): # 登录".to_owned())]);
        assert_eq!(numbers("pass$", text), [2], "the end of a line may be \\r\\n");
        assert_eq!(numbers("^$", text), [3]);
        assert_eq!(numbers("^end$", text), [5]);
        assert_eq!(numbers("", text), [1, 2, 3, 4, 5]);
        assert_eq!(numbers(r"\s+", text), [1, 2, 4], "an end of line is no white space of its line");
        assert_eq!(numbers(r"[^a]*b", text), [4], "a match that crosses lines is none");
        assert_eq!(numbers(r"(?s)a.*b", text), []);
        assert_eq!(numbers(r"\Aend\z", text), [5]);
        assert_eq!(numbers("(?i)DEF B", text), [4]);
        assert_eq!(numbers("^", "a\n"), [1], "there is no line behind the last");
    }

    #[test]
    fn it_is_the_same_as_line_by_line() {
        let patterns = [
            "a",
            "^b",
            "b$",
            r"\s",
            r"[^c]+",
            r"(?s).*",
            r"\bab\b",
            "x|$",
            "[^a]",
            "c*ab*",
            "(a+)(b|c)+",
            "b+$",
            "a{2,}",
            r"(?m)^\s*b",
        ];
        let mut random = 7_u64;
        let mut next = move || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(random >> 33).unwrap_or_default()
        };
        let mut reader = Reader::default();
        for _ in 0..40 {
            let text: String = (0..next() % 60).map(|_| ["a", "b", "c", " ", "\n", "\r\n"][next() % 6]).collect();
            for pattern in patterns {
                let regex = RegexBuilder::new(pattern).multi_line(true).crlf(true).build().expect("a pattern");
                let lines = text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line));
                let lines = lines.map(|line| line.strip_suffix('\r').unwrap_or(line)).enumerate();
                let wanted: Vec<u64> =
                    lines.filter(|(_, line)| regex.is_match(line.as_bytes())).map(|(at, _)| at as u64 + 1).collect();
                let narrowed = of_lines(pattern).expect("a pattern");
                let found = match reader.search(text.as_bytes(), &narrowed, 1000, &limits()).expect("read") {
                    Searched::Lines(lines) => lines.into_iter().map(|line| line.number).collect::<Vec<_>>(),
                    other => panic!("{other:?}"),
                };
                assert_eq!(found, wanted, "{pattern} {text:?}");
            }
        }
    }

    #[test]
    fn what_is_read_in_several_pieces_keeps_its_numbers() {
        let line = format!("{} needle\n", "x".repeat(1000));
        let text = format!("{}{}", line.repeat(1000), "y".repeat(700_000) + "needle at the end");
        let found = found("needle", text.as_bytes());
        assert_eq!(found.len(), 1000);
        assert_eq!((found[999].0, found[0].1.len()), (1000, "…".len() + 100 + "needle".len()));
        let last = numbers("needle at", &text);
        assert_eq!(last, [1001]);
    }

    #[test]
    fn a_long_line_is_told_around_its_match() {
        let line = format!("{}needle{}", "录".repeat(300), "x".repeat(900));
        let told = &found("needle", line.as_bytes())[0].1;
        assert!(told.starts_with("…录") && told.ends_with("x…") && told.contains("录needlex"), "{told}");
        assert_eq!(told.chars().count(), WIDTH + 2);
    }

    #[test]
    fn what_is_no_text_is_said_to_be_none() {
        let regex = of_lines("a").expect("a pattern");
        let search = |text: &[u8]| Reader::default().search(text, &regex, 10, &limits()).expect("read");
        assert_eq!(search(b"a\0b"), Searched::Binary("binary"));
        assert_eq!(search(b"\xff\xfea\0"), Searched::Binary("binary (UTF-16)"));
        assert_eq!(search(b""), Searched::Lines(Vec::new()));
    }
}
