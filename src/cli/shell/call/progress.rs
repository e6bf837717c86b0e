//! How far a call is, on a line of the terminal that is gone once the call has ended; nothing where nobody looks.

use std::io::{IsTerminal as _, Write as _, stderr};

use uixt_call::Progress;

/// Columns of the line, so that it stays one.
const WIDTH: usize = 78;

/// Returns what writes the line.
pub(super) fn shown() -> Progress {
    if !stderr().is_terminal() {
        return Progress::default();
    }
    Progress::to(|advance| {
        let share = advance.total.filter(|total| *total > 0.0).map(|total| advance.done / total * 100.0);
        let share = share.map(|share| format!("{share:3.0} % ")).unwrap_or_default();
        write(&fitting(&format!("{share}{}", advance.message)));
    })
}

/// Cuts a text to the line, without what would move the cursor; signs beyond ASCII may take two columns.
fn fitting(text: &str) -> String {
    let mut left = WIDTH;
    let columns = |sign: &char| if sign.is_ascii() { 1 } else { 2 };
    let fits = |sign: &char| left.checked_sub(columns(sign)).map(|rest| left = rest).is_some();
    text.chars().filter(|sign| !sign.is_control()).take_while(fits).collect()
}

/// Takes the line away.
pub(super) fn clear() {
    if stderr().is_terminal() {
        write("");
    }
}

fn write(line: &str) {
    // A terminal that is gone is told nothing.
    let _ = write!(stderr(), "\r\x1b[2K{line}").and_then(|()| stderr().flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(fitting("a\u{1b}[2Jb\nc"), "a[2Jbc");
        assert_eq!((fitting(&"a".repeat(100)).len(), fitting(&"说".repeat(100)).chars().count()), (WIDTH, WIDTH / 2));
    }
}
