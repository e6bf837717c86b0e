//! What a phone's program says → its text or an error. They exit with 0 whatever comes of it.

use crate::driver::Error;

/// Letters of a phone's words that an error shows.
const LONGEST: usize = 300;

/// Returns bytes of a phone as text; what is no UTF-8 becomes U+FFFD.
pub(crate) fn text(said: &[u8]) -> String {
    String::from_utf8_lossy(said).into_owned()
}

/// Builds the error of a program that failed.
pub(crate) fn failed(what: &str, said: &str) -> Error {
    Error::Device { message: format!("`{what}` failed on the phone: {}", beginning(said)) }
}

/// Returns the beginning of what a phone said, in one line.
pub(crate) fn beginning(said: &str) -> String {
    let line = said.split(|sign: char| sign.is_whitespace() || sign.is_control()).filter(|word| !word.is_empty());
    let line = line.collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None if line.is_empty() => "it said nothing".to_owned(),
        None => line,
    }
}

/// What a `uitest` says once it has done what it was asked, and while another one runs.
const DONE: &str = "No Error";
const BUSY: &str = "Disallow concurrent use";

/// Tells whether `uitest` refused, and did nothing, since another one runs. What a dump or a picture shows says nothing of that, and of
/// several inputs none may have been done.
pub(crate) fn is_busy(said: &[u8]) -> bool {
    let end = said.iter().position(|byte| matches!(byte, b'{' | b'\x89')).unwrap_or(said.len());
    let said = text(&said[..end]);
    said.contains(BUSY) && !said.contains(DONE)
}

/// Judges the answer of so many inputs.
pub(crate) fn inputs(what: &str, said: &str, count: usize) -> Result<(), Error> {
    let done = said.matches(DONE).count();
    if done >= count {
        return Ok(());
    }
    // What it says of its usage is no reason.
    let reason = said.split("USAGE").next().unwrap_or_default().replace(DONE, "");
    let reason = if reason.trim().is_empty() { said } else { &reason };
    if done == 0 {
        return Err(failed(what, reason));
    }
    Err(failed(what, &format!("{done} of {count} inputs were done, and are not sent again: {}", beginning(reason))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_judged_by_their_words() {
        assert_eq!(inputs("uitest uiInput click", "No Error\n", 1), Ok(()));
        assert_eq!(inputs("uitest uiInput keyEvent", "No Error\r\nNo Error\r\n", 2), Ok(()));
        let wrong = |said: &str, count| inputs("uitest uiInput click", said, count).unwrap_err().to_string();
        assert!(
            wrong("No Error\nInjectFailed\n", 2)
                .ends_with("1 of 2 inputs were done, and are not sent again: InjectFailed")
        );
        assert!(
            wrong("Please confirm that the coordinate values are correct. \n\nUSAGE : \nhelp", 1)
                .ends_with("are correct.")
        );
        assert!(wrong("", 1).ends_with("it said nothing"));
    }

    #[test]
    fn what_was_done_in_part_or_only_shows_the_words_is_not_busy() {
        assert!(is_busy(b"Disallow concurrent use.\n") && is_busy(b"Disallow concurrent use.\ncat: no such file\n"));
        for said in [
            &b"No Error"[..],
            b"No Error\nDisallow concurrent use\nNo Error\n",
            b"DumpLayout saved to:/data/x\n{\"text\":\"Disallow concurrent use\"}",
            b"saved\n\x89PNG Disallow concurrent use",
        ] {
            assert!(!is_busy(said));
        }
    }
}
