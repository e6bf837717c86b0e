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

impl From<adb::Error> for Error {
    fn from(error: adb::Error) -> Self {
        use adb::Error as Adb;
        let message = error.to_string();
        match error {
            Adb::Timeout { after } => Error::Timeout { after },
            Adb::Refused { .. } | Adb::TooMuch { .. } | Adb::File { .. } => Error::Device { message },
            Adb::NoServer { .. }
            | Adb::NoDevice { .. }
            | Adb::Offline { .. }
            | Adb::Unauthorized { .. }
            | Adb::Vanished { .. }
            | Adb::Protocol { .. } => Error::Disconnected { message },
        }
    }
}

/// Returns what a command wrote, or an error where it failed or complained; `what` names it in the error.
pub(super) fn checked(what: &str, output: &Output) -> Result<String, Error> {
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    match complaint_in_full(&stderr).or_else(|| complaint_in_full(&stdout)) {
        Some(line) => Err(failed(what, &line)),
        None if output.exit != 0 => Err(failed(what, &last_words(&stdout, &stderr, output.exit))),
        None => Ok(stdout),
    }
}

/// Returns the first line that says that something failed.
pub(super) fn complaint(text: &str) -> Option<&str> {
    text.lines().map(str::trim).find(|line| {
        let line = line.to_ascii_lowercase();
        COMPLAINTS.iter().any(|start| line.starts_with(start)) || line.ends_with("not found")
    })
}

/// The same with the exception's own line, where the first only announces it: `Exception occurred while executing 'grant':`.
fn complaint_in_full(text: &str) -> Option<String> {
    let line = complaint(text)?;
    let rest = text.lines().map(str::trim).skip_while(|other| *other != line).skip(1);
    let exception = rest.take_while(|next| !next.starts_with("at ")).find(|next| !next.is_empty());
    let exception = exception.filter(|_| line.ends_with(':'));
    Some(exception.map_or_else(|| line.to_owned(), |exception| format!("{line} {exception}")))
}

/// Builds the error of a command that failed.
pub(super) fn failed(what: &str, reason: &str) -> Error {
    Error::Device { message: format!("`{what}` failed on the device: {reason}") }
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
