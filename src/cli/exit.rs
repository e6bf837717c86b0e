//! Exit codes, and the error that ends a command.

use std::fmt;
use std::io;
use std::process::ExitCode;

use uixt_locate::Kind;

use crate::result::Outcome;

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// All passed.
    Passed = 0,
    /// A case failed.
    Failed = 1,
    /// Wrong usage, a testcase that cannot be loaded, or nothing selected.
    Usage = 2,
    /// A case errored: device, driver, service.
    Errored = 3,
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<Kind> for Exit {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::BadArgument => Self::Usage,
            Kind::Interrupted => Self::Interrupted,
            kind if kind.is_failure() => Self::Failed,
            _ => Self::Errored,
        }
    }
}

impl Exit {
    /// Returns the end of a process as this one's own.
    pub(super) fn of_code(code: i32) -> Self {
        let all = [Self::Passed, Self::Failed, Self::Usage, Self::Errored, Self::Interrupted];
        all.into_iter().find(|exit| *exit as i32 == code).unwrap_or(Self::Errored)
    }

    pub(super) fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Skipped | Outcome::Passed | Outcome::Healed | Outcome::Flaky => Self::Passed,
            Outcome::Failed => Self::Failed,
            Outcome::Errored => Self::Errored,
        }
    }
}

/// An error that ends a command, as it is printed.
#[derive(Debug)]
pub(super) struct Failure {
    pub exit: Exit,
    message: String,
}

impl Failure {
    /// The user has to change the call or a file.
    pub(super) fn usage(message: impl fmt::Display) -> Self {
        Self { exit: Exit::Usage, message: format!("error: {message}") }
    }

    /// A device, a server or the disk did not work.
    pub(super) fn errored(message: impl fmt::Display) -> Self {
        Self { exit: Exit::Errored, message: format!("error: {message}") }
    }

    /// Errors that are rendered already, such as those of testcases.
    pub(super) fn rendered(exit: Exit, message: String) -> Self {
        Self { exit, message }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// What a command returns.
pub(super) type Done = Result<Exit, Failure>;

/// Writes a command's result; a reader that has gone away (`| head`) is no error.
pub(super) fn print(text: &str) -> Done {
    use io::Write as _;
    let mut out = io::stdout().lock();
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    match write!(out, "{text}{newline}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::errored(format!("cannot write: {error}")))
        }
        _ => Ok(Exit::Passed),
    }
}

/// Makes the asynchronous runtime, which commands that need none never pay for.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::errored(format!("cannot start: {error}")))
}
