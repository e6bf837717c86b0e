//! The exit code of a command where a shell has no place for one: it stands at the end of what is written.

/// What stands before it: the line ends with `; echo` and this and `$?`.
pub const MARK: &str = "uixt-exit-code:";

/// Tells whether a code stands at the end of what a shell wrote.
pub fn is_at_end(written: &[u8]) -> bool {
    find(written).is_some()
}

/// Takes the exit code off the end of what a shell wrote; `None` where it is not there, because the shell was cut off.
///
/// Devices whose shell writes to a terminal end lines with CR LF; then all of them are turned back.
pub fn take(mut written: Vec<u8>) -> Option<(Vec<u8>, u8)> {
    let (start, exit, is_terminal) = find(&written)?;
    written.truncate(start);
    Some((if is_terminal { unix_lines(&written) } else { written }, exit))
}

/// Returns where the mark begins, the code, and whether its line ends as a terminal's.
fn find(written: &[u8]) -> Option<(usize, u8, bool)> {
    let mark = MARK.as_bytes();
    // A code is short.
    let from = written.len().saturating_sub(mark.len() + 8);
    let start = from + written[from..].windows(mark.len()).rposition(|window| window == mark)?;
    let digits = str::from_utf8(&written[start + mark.len()..]).ok()?.strip_suffix('\n')?;
    let code = digits.trim();
    // Of a terminal is only what ends the line itself as one does: a bare CR LF may follow.
    Some((start, code.parse().ok()?, digits.strip_prefix(code)?.starts_with('\r')))
}

/// Turns CR LF into LF, whatever the other bytes are.
fn unix_lines(bytes: &[u8]) -> Vec<u8> {
    let next = bytes.iter().skip(1).map(Some).chain([None]);
    bytes.iter().zip(next).filter(|pair| *pair != (&b'\r', Some(&b'\n'))).map(|(byte, _)| *byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_taken_off() {
        let taken = |text: &str| {
            let (written, exit) = take(text.as_bytes().to_vec())?;
            Some((String::from_utf8(written).unwrap(), exit))
        };
        assert_eq!(taken("hi\nuixt-exit-code:0\n"), Some(("hi\n".to_owned(), 0)));
        assert_eq!(taken("hi\r\nthere\r\nuixt-exit-code:12\r\n"), Some(("hi\nthere\n".to_owned(), 12)));
        assert_eq!(taken("uixt-exit-code:0\nuixt-exit-code:1\n"), Some(("uixt-exit-code:0\n".to_owned(), 1)));
        let (bytes, _) = take(b"\xff\r\n\r\xfe\r\nuixt-exit-code:0\r\n".to_vec()).unwrap();
        assert_eq!(bytes, b"\xff\n\r\xfe\n");
        assert_eq!(taken("hi\r\nuixt-exit-code:0\n\r\n"), Some(("hi\r\n".to_owned(), 0)));
        for cut in ["cut o", "uixt-exit-code:1", "uixt-exit-code:x\n", "uixt-exit-code:1\nmore, a lot of it\n", ""] {
            assert_eq!(taken(cut), None, "{cut}");
        }
    }
}
