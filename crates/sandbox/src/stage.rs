//! The hidden arguments with which this program starts itself, and what becomes of it then.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;

use serde_json::{Value, json};
use tokio::process::Command;

use super::walls;

/// The first argument of a program that is to put up walls around itself.
pub(crate) const STAGE: &str = "--behind-walls";

/// Puts up walls and becomes another program, where this one was started for that. To be called first of all: before there is any
/// thread.
pub fn enter() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != STAGE {
        return None;
    }
    let spec = words.next().and_then(|word| serde_json::from_str(word.to_str()?).ok()).unwrap_or_default();
    Some(walls::enter(&spec))
}

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Sets the program that puts up walls around itself, for programs that are not it: one whose first act is [`enter`].
pub fn set_program(program: PathBuf) {
    let _ = PROGRAM.set(program);
}

/// Returns the program that puts up walls around itself: this one, where nobody says another.
pub(crate) fn program() -> std::io::Result<PathBuf> {
    PROGRAM.get().map_or_else(std::env::current_exe, |program| Ok(program.clone()))
}

/// What is to become of the program.
pub(crate) struct Stage {
    /// `python`, `packages`, or `probe`, which does nothing.
    pub(crate) phase: &'static str,
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) read: Vec<PathBuf>,
    pub(crate) write: Vec<PathBuf>,
    /// Whether bubblewrap stands around it.
    pub(crate) is_wrapped: bool,
}

impl Stage {
    /// Returns the command of this program that does it, its environment empty.
    pub(crate) fn command(&self) -> std::io::Result<Command> {
        let mut command = Command::new(program()?);
        command.args(self.words()).env_clear();
        Ok(command)
    }

    pub(crate) fn words(&self) -> [String; 2] {
        let paths =
            |paths: &[PathBuf]| -> Vec<Value> { paths.iter().map(|path| path.to_string_lossy().into()).collect() };
        let spec = json!({
            "phase": self.phase, "program": self.program.to_string_lossy(), "args": self.args,
            "read": paths(&self.read), "write": paths(&self.write), "wrapped": self.is_wrapped,
        });
        [STAGE.to_owned(), spec.to_string()]
    }
}
