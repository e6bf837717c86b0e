//! Lines of text, in the order in which they are read.

use uixt_pictures::Line;

/// Puts lines in the order in which they are read: rows from top to bottom, each from left to right.
pub(crate) fn sort(lines: &mut Vec<Line>) {
    lines.sort_by_key(|line| (line.place.top, line.place.left));
    let mut sorted: Vec<Line> = Vec::with_capacity(lines.len());
    let mut row: Vec<Line> = Vec::new();
    for line in lines.drain(..) {
        // What begins above the middle of the row's first line stands beside it.
        let is_beside = |first: &Line| line.place.top < u32::midpoint(first.place.top, first.place.bottom);
        if !row.first().is_some_and(is_beside) {
            row.sort_by_key(|line| line.place.left);
            sorted.append(&mut row);
        }
        row.push(line);
    }
    row.sort_by_key(|line| line.place.left);
    sorted.append(&mut row);
    *lines = sorted;
}

#[cfg(test)]
mod tests {
    use uixt_pictures::Place;

    use super::*;

    #[test]
    fn rows_are_read_from_left_to_right() {
        let line = |text: &str, left: u32, top: u32| Line {
            text: text.to_owned(),
            place: Place { left, top, right: left + 10, bottom: top + 10 },
            confidence: 1.0,
        };
        let mut lines = vec![line("d", 0, 20), line("b", 50, 0), line("a", 0, 3), line("c", 90, 4), line("e", 5, 24)];
        sort(&mut lines);
        assert_eq!(lines.iter().map(|line| line.text.as_str()).collect::<String>(), "abcde");
    }
}
