//! Lines of a file that match → the same with the lines around them.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use crate::lines::{Line, told};

/// How much of a file is read on each side of a match.
const SIDE: u64 = 16 << 10;

/// Returns a match as it is told: `Line 4: …`, the lines around it as `Line 3- …`. Each line is told once: `last` is the number of the
/// last that was, `next` that of the next line that matches.
pub(crate) fn around(file: &File, line: &Line, context: usize, last: u64, next: Option<u64>) -> (String, u64) {
    let (number, mut pieces) = (line.number, Vec::new());
    if context == 0 {
        return (format!("Line {number}: {}", line.text), number);
    }
    let before = lines_before(file, line.start, context);
    for (back, text) in before.iter().enumerate().rev() {
        let number = number - 1 - back as u64;
        if number > last {
            pieces.push(format!("Line {number}- {}", told(text, 0)));
        }
    }
    pieces.push(format!("Line {number}: {}", line.text));
    let mut shown = number;
    for text in lines_after(file, line.end, context) {
        if next.is_some_and(|next| shown + 1 >= next) {
            break;
        }
        shown += 1;
        pieces.push(format!("Line {shown}- {}", told(&text, 0)));
    }
    (pieces.join("\n"), shown)
}

fn read(file: &File, start: u64, length: u64) -> Vec<u8> {
    let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], start + filled as u64) {
            Ok(0) | Err(_) => break,
            Ok(read) => filled += read,
        }
    }
    bytes.truncate(filled);
    bytes
}

/// Returns the lines before a place, the nearest first.
fn lines_before(file: &File, end: u64, most: usize) -> Vec<Vec<u8>> {
    let start = end.saturating_sub(SIDE);
    let bytes = read(file, start, end - start);
    let Some(whole) = bytes.strip_suffix(b"\n") else { return Vec::new() };
    whole.rsplit(|byte| *byte == b'\n').take(most).map(plain).collect()
}

/// Returns the lines behind the end of a line.
fn lines_after(file: &File, end: u64, most: usize) -> Vec<Vec<u8>> {
    let bytes = read(file, end, SIDE);
    let Some(rest) = bytes.strip_prefix(b"\n") else { return Vec::new() };
    rest.split_inclusive(|byte| *byte == b'\n')
        .take(most)
        .map(|line| plain(line.strip_suffix(b"\n").unwrap_or(line)))
        .collect()
}

fn plain(line: &[u8]) -> Vec<u8> {
    line.strip_suffix(b"\r").unwrap_or(line).to_vec()
}
