//! Two texts → the lines that differ, as `diff -u` writes them and `patch` reads them.

use std::fmt::Write as _;

/// Lines around a difference.
const CONTEXT: usize = 3;
/// Beyond so many comparisons of lines, what differs is one block.
const MOST: usize = 4_000_000;

/// Lines that stand in both texts, only in the first, or only in the second.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Both(&'a str),
    Old(&'a str),
    New(&'a str),
}

/// Returns the difference of two texts; empty where there is none.
pub(super) fn unified(file: &str, old: &str, new: &str) -> String {
    let lines = compared(old, new);
    let mut text = String::new();
    let mut at = 0;
    let (mut old_line, mut new_line) = (1, 1);
    while let Some(first) = lines[at..].iter().position(|line| !matches!(line, Line::Both(_))) {
        let begin = at + first.saturating_sub(CONTEXT);
        let end = end_of(&lines, at + first);
        let skipped = begin - at;
        (old_line, new_line) = (old_line + skipped, new_line + skipped);
        let hunk = &lines[begin..end];
        let olds = hunk.iter().filter(|line| !matches!(line, Line::New(_))).count();
        let news = hunk.iter().filter(|line| !matches!(line, Line::Old(_))).count();
        if text.is_empty() {
            text = format!("--- a/{file}\n+++ b/{file}\n");
        }
        // Where a side has no lines, the line before is named.
        let start = |line: usize, count: usize| if count == 0 { line - 1 } else { line };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "@@ -{},{olds} +{},{news} @@", start(old_line, olds), start(new_line, news));
        hunk.iter().for_each(|line| push(&mut text, *line));
        (old_line, new_line) = (old_line + olds, new_line + news);
        at = end;
    }
    text
}

/// Returns the lines that go and those that come, each with its sign.
pub(super) fn changed(old: &str, new: &str) -> String {
    let mut text = String::new();
    for line in compared(old, new) {
        match line {
            Line::Both(_) => {}
            Line::Old(line) => text.extend(["  - ", line.trim_end(), "\n"]),
            Line::New(line) => text.extend(["  + ", line.trim_end(), "\n"]),
        }
    }
    text
}

/// Returns where the hunk ends that holds a difference: behind the context of its last one.
fn end_of(lines: &[Line<'_>], first: usize) -> usize {
    let mut last = first;
    for (at, line) in lines.iter().enumerate().skip(first) {
        match line {
            Line::Both(_) if at - last > CONTEXT * 2 => break,
            Line::Both(_) => {}
            _ => last = at,
        }
    }
    lines.len().min(last + 1 + CONTEXT)
}

fn push(text: &mut String, line: Line<'_>) {
    let (sign, line) = match line {
        Line::Both(line) => (' ', line),
        Line::Old(line) => ('-', line),
        Line::New(line) => ('+', line),
    };
    text.push(sign);
    text.push_str(line);
    if !line.ends_with('\n') {
        text.push_str("\n\\ No newline at end of file\n");
    }
}

/// Lays two texts beside each other.
fn compared<'a>(old: &'a str, new: &'a str) -> Vec<Line<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let before = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let (rest_old, rest_new) = (&old[before..], &new[before..]);
    let after = rest_old.iter().rev().zip(rest_new.iter().rev()).take_while(|(one, other)| one == other).count();
    let (middle_old, middle_new) = (&rest_old[..rest_old.len() - after], &rest_new[..rest_new.len() - after]);
    let mut lines: Vec<Line<'a>> = old[..before].iter().map(|line| Line::Both(line)).collect();
    lines.extend(middle(middle_old, middle_new));
    lines.extend(rest_old[rest_old.len() - after..].iter().map(|line| Line::Both(line)));
    lines
}

/// Finds the longest sequence of lines that both have.
fn middle<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    if old.len() * new.len() > MOST {
        return old.iter().map(|line| Line::Old(line)).chain(new.iter().map(|line| Line::New(line))).collect();
    }
    // How many lines what follows these two places has in common.
    let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for (at, line) in old.iter().enumerate().rev() {
        for (place, other) in new.iter().enumerate().rev() {
            common[at][place] = match line == other {
                true => common[at + 1][place + 1] + 1,
                false => common[at + 1][place].max(common[at][place + 1]),
            };
        }
    }
    let (mut at, mut place) = (0, 0);
    let mut lines = Vec::new();
    while at < old.len() || place < new.len() {
        match (old.get(at), new.get(place)) {
            (Some(line), Some(other)) if line == other => {
                lines.push(Line::Both(line));
                (at, place) = (at + 1, place + 1);
            }
            (Some(line), other) if other.is_none() || common[at + 1][place] >= common[at][place + 1] => {
                lines.push(Line::Old(line));
                at += 1;
            }
            (_, other) => {
                lines.extend(other.map(|line| Line::New(line)));
                place += 1;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_what_patch_reads() {
        let old: String = (1..=30).map(|number| format!("{number}\n")).collect();
        let new = old.replace("\n5\n", "\nfive\n").replace("\n25\n", "\n").replace("30\n", "30");
        let expected = "--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n\
                        @@ -22,9 +22,8 @@\n 22\n 23\n 24\n-25\n 26\n 27\n 28\n 29\n-30\n+30\n\\ No newline at end of file\n";
        assert_eq!(unified("x", &old, &new), expected);
        assert_eq!(unified("x", &old, &old), "");
        assert_eq!(unified("x", "", "a\n"), "--- a/x\n+++ b/x\n@@ -0,0 +1,1 @@\n+a\n");
        assert_eq!(changed("a\r\nb\r\nc\r\n", "a\r\nx\r\nc\r\n"), "  - b\n  + x\n");
    }
}
