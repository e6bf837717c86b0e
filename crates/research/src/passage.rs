//! A text → passages: some lines that stand together, small enough to be shown one by one.

use std::ops::Range;
use std::sync::Arc;

use crate::lines::lines;

/// Bytes that a passage has at least, where there are so many, and at most.
const LEAST: usize = 300;
const MOST: usize = 900;

/// What was read: a page, or a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    pub title: String,
    /// An address of the web, or a path from the project's folder.
    pub address: String,
    /// When it was written or changed, as its source says.
    pub date: Option<String>,
    /// When it was read.
    pub read_at: String,
    /// Whether it is a file of the project.
    pub is_file: bool,
    /// Whether there is more of it than was read.
    pub is_cut: bool,
}

/// A part of what was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    pub document: Arc<Document>,
    pub text: String,
    /// The first and the last line, from 1; none of a page, whose lines nobody sees.
    pub lines: Option<(usize, usize)>,
}

/// Where a passage stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub bytes: Range<usize>,
    pub lines: (usize, usize),
}

/// Cuts a text into passages. A heading and a line behind an empty one begin a new one, once there is enough for one.
pub fn split(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut open: Option<Piece> = None;
    let mut is_behind_gap = false;
    for (number, range) in lines(text, MOST) {
        let line = &text[range.clone()];
        if line.trim().is_empty() {
            is_behind_gap = true;
            continue;
        }
        let begins = |piece: &Piece| {
            let length = range.end - piece.bytes.start;
            length > MOST || (piece.bytes.len() >= LEAST && (is_behind_gap || line.starts_with('#')))
        };
        match &mut open {
            Some(piece) if !begins(piece) => {
                piece.bytes.end = range.end;
                piece.lines.1 = number;
            }
            _ => pieces.extend(open.replace(Piece { bytes: range, lines: (number, number) })),
        }
        is_behind_gap = false;
    }
    pieces.extend(open);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_hold_all_lines_once_and_none_is_long() {
        let text = format!("# A\n\n{}\n\n\n## B\n{}\n{}", "word ".repeat(80), "短句。".repeat(400), "end");
        let pieces = split(&text);
        assert!(pieces.iter().all(|piece| piece.bytes.len() <= MOST), "{pieces:?}");
        let kept: String = pieces.iter().map(|piece| &text[piece.bytes.clone()]).collect();
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(bare(&kept), bare(&text));
        assert_eq!((pieces[0].lines, pieces.last().map(|piece| piece.lines.1)), ((1, 3), Some(8)));
        assert!(split(" \n\n").is_empty());
    }
}
