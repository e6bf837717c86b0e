//! Why there is no answer.

use super::answer::Answer;

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing confines what would run, so that nothing does.
    #[error("{0}")]
    Unsupported(String),
    /// There is no Python that can be used.
    #[error("{0}")]
    NoPython(String),
    /// Python could not be started behind the walls.
    #[error("Python cannot be started behind the walls: {0}")]
    Start(String),
    #[error("{0}")]
    BadArgument(String),
    #[error("there is no session `{0}`")]
    NoSession(String),
    #[error("{0}")]
    TooMany(String),
    /// The session's Python ended in the middle of a call; what it had printed until then is there.
    #[error("{message}")]
    Ended { how: Ended, message: String, answer: Box<Answer> },
    #[error("{message}")]
    NotInstalled { message: String, output: String },
    /// The package is there, and its modules cannot be imported.
    #[error("{message}")]
    NotImported { message: String, output: String },
}

/// How a session's Python ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It took longer than it may.
    Time,
    /// It filled its folder.
    Disk,
    /// It ended itself, or crashed.
    Crash,
    /// It closed or misused the way on which it answers.
    Channel,
    /// Somebody closed the session.
    Closed,
}

impl Ended {
    /// Returns its name, as programs compare it.
    pub fn code(self) -> &'static str {
        match self {
            Self::Time => "TimeoutError",
            Self::Disk => "DiskLimitExceeded",
            Self::Crash => "SessionCrashed",
            Self::Channel => "ChannelClosed",
            Self::Closed => "SessionClosed",
        }
    }
}

impl Error {
    /// Returns its name, as programs compare it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unsupported(_) => "NoWalls",
            Self::NoPython(_) => "NoPython",
            Self::Start(_) => "SessionNotStarted",
            Self::BadArgument(_) => "BadArgument",
            Self::NoSession(_) => "SessionNotFound",
            Self::TooMany(_) => "TooManySessions",
            Self::Ended { how, .. } => how.code(),
            Self::NotInstalled { .. } => "PackageInstallationFailed",
            Self::NotImported { .. } => "PackageImportFailed",
        }
    }
}
