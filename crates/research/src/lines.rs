//! The lines of a text by their numbers; one that is too long in parts.

use std::ops::Range;

/// Returns the lines, without their ends; a part of a long line has the line's number.
pub(crate) fn lines(text: &str, most: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut start = 0;
    let whole = text.split('\n').enumerate().map(move |(at, line)| {
        let range = start..start + line.trim_end_matches('\r').len();
        start += line.len() + 1;
        (at + 1, range)
    });
    whole.flat_map(move |(number, range)| parts(text, range, most).into_iter().map(move |part| (number, part)))
}

/// Cuts a line where its words or sentences end, if that is not too near to its beginning.
fn parts(text: &str, range: Range<usize>, most: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut rest = range;
    while rest.len() > most {
        let end = text.floor_char_boundary(rest.start + most);
        let is_break = |sign: char| sign.is_whitespace() || matches!(sign, '。' | '！' | '？' | '；' | ',' | '，');
        let last = text[rest.start..end].char_indices().rev().find(|(_, sign)| is_break(*sign));
        let cut = last.map(|(at, sign)| rest.start + at + sign.len_utf8()).filter(|cut| *cut > rest.start + most / 2);
        let cut = cut.unwrap_or(end);
        parts.push(rest.start..cut);
        rest.start = cut;
    }
    parts.push(rest);
    parts
}

/// Takes out what a terminal would act on, and what would turn the direction of a text.
pub(crate) fn plain(text: &str) -> String {
    let is_plain = |sign: &char| {
        let turns = matches!(sign, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        *sign == '\n' || *sign == '\t' || !(sign.is_control() || turns)
    };
    text.chars().filter(is_plain).collect()
}

/// Does the same, and writes what is left in one line.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().map(plain).collect::<Vec<_>>().join(" ")
}
