//! What `dumpsys window` and `dumpsys activity` print of several displays → the lines about the first one.
//!
//! Touches, screenshots and element trees are those of display 0. A phone with a second screen on its back, a tablet with a
//! cast to a television or a recorder's virtual display lists that one as well, often before the first, and its apps are not
//! the ones that a person looks at.

/// The number of the display that every device has.
const FIRST: &str = "0";

/// Returns, trimmed, the lines that are about the first display or about none.
pub(super) fn first(text: &str) -> impl Iterator<Item = &str> {
    let mut display = FIRST;
    text.lines().map(str::trim).filter(move |line| {
        if let Some(named) = heading(line) {
            display = named;
        }
        display == FIRST
    })
}

/// Returns which display a heading begins to describe; a heading of a whole section describes none, which counts as the first.
fn heading(line: &str) -> Option<&str> {
    let number = |rest: &'_ str| rest.bytes().take_while(u8::is_ascii_digit).count();
    if line.starts_with("WINDOW MANAGER ") || line.starts_with("ACTIVITY MANAGER ") {
        return Some(FIRST);
    }
    // `Display: mDisplayId=0 (organized)`; the line of a window, `mDisplayId=0 rootTaskId=1 …`, is no heading.
    let named = line.strip_prefix("Display: mDisplayId=").or_else(|| line.strip_prefix("Display #")).or_else(|| {
        let alone = line.strip_prefix("mDisplayId=")?;
        (number(alone) == alone.len()).then_some(alone)
    })?;
    let end = number(named);
    (end > 0).then(|| &named[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_displays_are_passed_over() {
        let text = "a=1\n  Display: mDisplayId=2\n    a=2\n  Display: mDisplayId=0 (organized)\n    a=3\n    mDisplayId=2 rootTaskId=7\n    \
                    a=4\n  Display: mDisplayId=10\n    a=5\nWINDOW MANAGER WINDOWS (dumpsys window windows)\n  a=6\n";
        let kept: Vec<&str> = first(text).filter(|line| line.starts_with("a=")).collect();
        assert_eq!(kept, ["a=1", "a=3", "a=4", "a=6"]);
        let activities =
            "Display #1 (activities from top to bottom):\n a=1\nDisplay #0 (activities from top to bottom):\n a=2\n";
        assert_eq!(first(activities).last(), Some("a=2"));
    }
}
