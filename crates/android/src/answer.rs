//! What a device's command says → its text or an error. Android's tools print many errors on stdout and exit with 0.

use crate::adb::{self, Output};
use crate::driver::Error;

/// Beginnings of the lines by which Android's tools tell that they failed.
const COMPLAINTS: [&str; 20] = [
    "error:",
    "error ",
    "exception",
    "java.",
    "android.",
    "failure",
    "failed",
    "security exception",
    "permission denial",
    "permission denied",
    "** ",
    "usage:",
    "unknown ",
    "invalid ",
    "bad component",
    "can't find service",
    "cmd: ",
    "killed",
    "aborted",
    "segmentation fault",
];

/// What stands in a line by which MIUI and its successor tell, of every Java tool, that there is no file of themes: the tool goes on.
const HARMLESS: &str = "theme_compatibility.xml";
/// What Android says to a shell that may not touch, and what to do: phones of Xiaomi, Oppo, Vivo and
/// Realme have a setting for it.
const MAY_NOT_TOUCH: &str = "INJECT_EVENTS";
const LET_TOUCH: &str = "the device does not let adb touch its screen: in its developer options, switch on \"USB debugging (Security \
                         settings)\", or \"Disable permission monitoring\", and reconnect it";
/// How a shell's line ends that tells of a command it does not have.
const MISSING: &str = "not found";
/// Letters at the beginning of a line that are compared with them.
const LONGEST_COMPLAINT: usize = 32;
/// Letters of a device's words that an error shows.
const LONGEST_REASON: usize = 400;

/// Reads the error of a command that does something: where the answer is what is missing, it may have been done all the same.
pub(super) fn unsure(error: adb::Error) -> Error {
    let is_open = matches!(error, adb::Error::Timeout { .. } | adb::Error::Silent { .. } | adb::Error::Vanished { .. });
    let error = Error::from(error);
    let told = format!("{error} (whether it was done is not known: it is not sent again)");
    match error {
        _ if !is_open => error,
        Error::Disconnected { .. } => Error::Disconnected { message: told },
        _ => Error::Device { message: told },
    }
}

/// Returns what a command wrote, or an error where it failed or complained; `what` names it in the error.
pub(super) fn checked(what: &str, output: &Output) -> Result<String, Error> {
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    match complaint(&stderr).or_else(|| complaint(&stdout)) {
        Some(line) => Err(failed(what, line)),
        None if output.exit != 0 => Err(failed(what, &last_words(&stdout, &stderr, output.exit))),
        None => Ok(stdout),
    }
}

/// Returns the first line that says that something failed, and the next one where only that says why.
pub(super) fn complaint(text: &str) -> Option<&str> {
    let mut found = text.lines().map(str::trim).filter(|line| complains(line));
    let first = found.next()?;
    if first.to_ascii_lowercase().starts_with("error type ") {
        return Some(found.next().unwrap_or(first));
    }
    Some(if first.starts_with("Exception occurred while executing") { with_next(text, first) } else { first })
}

fn complains(line: &str) -> bool {
    if line.contains(HARMLESS) {
        return false;
    }
    let start: String = line.chars().take(LONGEST_COMPLAINT).flat_map(char::to_lowercase).collect();
    let end = line.len().checked_sub(MISSING.len()).and_then(|from| line.get(from..));
    COMPLAINTS.iter().any(|known| start.starts_with(known)) || end.is_some_and(|end| end.eq_ignore_ascii_case(MISSING))
}

/// Returns a line of a text together with the one after it.
fn with_next<'a>(text: &'a str, line: &'a str) -> &'a str {
    let from = line.as_ptr() as usize - text.as_ptr() as usize;
    let after = from + line.len();
    let next = text[after..].trim_start();
    let end = text.len() - next.len() + next.find(['\r', '\n']).unwrap_or(next.len());
    text[from..end].trim_end()
}

/// Returns the lines of a command's own, trimmed: neither empty ones nor the warnings of Android's loader, which stand before
/// them on some devices.
pub(super) fn own_lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("WARNING: linker"))
}

/// Builds the error of a command that failed.
pub(super) fn failed(what: &str, reason: &str) -> Error {
    let hint = if reason.contains(MAY_NOT_TOUCH) { format!("; {LET_TOUCH}") } else { String::new() };
    Error::Device { message: format!("`{what}` failed on the device: {}{hint}", beginning(reason)) }
}

/// Builds the error of an answer that is not what was asked for: the device's own complaint, or else `wanted` and how the
/// answer begins.
pub(super) fn not_understood(what: &str, wanted: &str, said: &str) -> Error {
    if let Some(line) = complaint(said) {
        return failed(what, line);
    }
    let own = own_lines(said).take(LONGEST_REASON).collect::<Vec<_>>().join("\n");
    failed(what, &format!("{wanted}; it said: {}", beginning(&own)))
}

/// Returns the beginning of what a device said, in one line.
pub(super) fn beginning(said: &str) -> String {
    let mut line = String::new();
    for word in said.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(LONGEST_REASON + 1));
        if line.chars().count() > LONGEST_REASON {
            return line.chars().take(LONGEST_REASON).chain(['…']).collect();
        }
    }
    if line.is_empty() { "nothing".to_owned() } else { line }
}

/// Returns bytes of a device as text; what is no UTF-8 becomes U+FFFD.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn last_words(stdout: &str, stderr: &str, exit: u8) -> String {
    let said = |text: &str| text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
    said(stderr).or_else(|| said(stdout)).unwrap_or_else(|| format!("exit code {exit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(stdout: &str, stderr: &str, exit: u8) -> Result<String, String> {
        let output = Output { stdout: stdout.into(), stderr: stderr.into(), exit };
        checked("am start", &output).map_err(|error| error.to_string())
    }

    #[test]
    fn complaints_with_exit_zero_are_errors() {
        for (stdout, stderr) in [
            ("Starting: Intent { cmp=a/b }\nError: Activity class {a/b} does not exist.\n", ""),
            ("", "Exception occurred while executing 'tap':\njava.lang.SecurityException: Injecting input events…"),
            ("** No activities found to run, monkey aborted.\n", ""),
            ("", "/system/bin/sh: input: inaccessible or not found"),
            ("Security exception: Shell does not have permission", ""),
            ("", "cmd: Can't find service: input"),
        ] {
            assert!(of(stdout, stderr, 0).is_err(), "{stdout}{stderr}");
        }
    }

    #[test]
    fn what_a_device_said_is_shown_in_part() {
        let error = not_understood("wm size", "it tells no size", &"?\u{1}x\r\n".repeat(9000)).to_string();
        assert!(error.starts_with("`wm size` failed on the device: it tells no size; it said: ? x ? x"), "{error}");
        assert!(error.ends_with('…') && error.len() < 600, "{error}");
        assert!(not_understood("pm path", "-", " \n").to_string().ends_with("it said: nothing"));
        let thrown = "WARNING: linker: x\nException occurred while executing 'start':\r\njava.lang.SecurityException: no\r\n\tat a.b\n";
        assert!(
            failed("x", complaint(thrown).unwrap()).to_string().ends_with("'start': java.lang.SecurityException: no")
        );
        assert_eq!(complaint("Exception occurred while executing"), Some("Exception occurred while executing"));
        assert_eq!(own_lines(thrown).count(), 3);
    }

    #[test]
    fn the_exception_s_own_line_is_told() {
        let stderr = "\nException occurred while executing 'grant':\njava.lang.IllegalArgumentException: Unknown \
                      permission: a.NOPE\n\tat com.android.server.Grant(Grant.java:1)\n";
        let error = of("", stderr, 255).unwrap_err();
        assert_eq!(
            error,
            "`am start` failed on the device: Exception occurred while executing 'grant': \
             java.lang.IllegalArgumentException: Unknown permission: a.NOPE"
        );
        assert!(of("", "Error: a\nb", 0).is_err_and(|error| error.ends_with("Error: a")));
    }

    #[test]
    fn exit_codes_are_errors_and_warnings_are_not() {
        assert_eq!(of("", "", 1).unwrap_err(), "`am start` failed on the device: exit code 1");
        assert_eq!(of("", "\nno such thing\n", 2).unwrap_err(), "`am start` failed on the device: no such thing");
        let brought = "Starting: Intent { cmp=a/b }\nWarning: Activity not started, its current task has been brought \
                       to the front\nStatus: ok\n";
        assert_eq!(of(brought, "WARNING: linker: libx.so has text relocations\n", 0).as_deref(), Ok(brought));
    }
}
