//! A project and a name → the session of that name: whether it runs, and what it answers.

use std::io::{self, ErrorKind};
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use uixt_call::CallToolRequest;

use super::folder::{self, Locked};
use super::list;
use super::naming::USUAL;
use super::wire::{self, Answer, Ask, Asked, Silence};
use crate::cli::exit::Failure;
use crate::testcase;
use crate::tools::Audience;

/// What ends the names of sockets.
pub(super) const EXTENSION: &str = "sock";
/// How long a session may take to say what it is.
pub(super) const SHORTLY: Duration = Duration::from_secs(2);

/// Where a session is reached.
pub(in crate::cli) struct Address {
    pub(super) name: String,
    /// The folder of the project, or the one that it was started in.
    pub(super) project: PathBuf,
    pub(super) socket: PathBuf,
}

impl Address {
    /// Returns the address of a session of the project here, whether it runs or not.
    pub(super) fn here(name: &str) -> Result<Self, Failure> {
        let here = working_folder()?;
        let project = testcase::marked_root(&here).unwrap_or(here);
        let hash = Sha256::new().chain_update(project.as_os_str().as_encoded_bytes()).chain_update([0]);
        let hash: String = hash.chain_update(name).finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let socket = folder::path().join(hash).with_extension(EXTENSION);
        Ok(Self { name: name.to_owned(), project, socket })
    }

    /// Tells whether its socket is there, be there somebody who listens or not.
    pub(super) fn is_there(&self) -> bool {
        folder::check(&folder::path()) == Ok(true) && self.socket.symlink_metadata().is_ok()
    }

    /// Returns it where it is there; an error names those that are.
    pub(super) fn running(self) -> Result<Self, Failure> {
        folder::check(&folder::path()).map_err(Failure::errored)?;
        if self.is_there() { Ok(self) } else { Err(self.unknown()) }
    }

    fn unknown(&self) -> Failure {
        let (here, elsewhere): (Vec<_>, Vec<_>) =
            list::running().into_iter().partition(|one| one.project == self.project);
        let names = |all: &[list::Running]| all.iter().map(list::Running::title).collect::<Vec<_>>().join(", ");
        let told = match (here.is_empty(), elsewhere.is_empty()) {
            (false, _) => format!("; running here: {}", names(&here)),
            (true, false) => format!("; running in other projects: {}", names(&elsewhere)),
            (true, true) => "; none is running".to_owned(),
        };
        let name = if self.name == USUAL { String::new() } else { format!(" {}", self.name) };
        Failure::usage(format!(
            "there is no session {}{told}\n  = start it: `uixt session start{name} --device SPEC`",
            self.title()
        ))
    }

    /// Names it in messages.
    pub(super) fn title(&self) -> String {
        format!("`{}` of {}", self.name, self.project.display())
    }

    /// Writes the command that does something to it.
    pub(super) fn command(&self, what: &str) -> String {
        let name = if self.name == USUAL { String::new() } else { format!(" {}", self.name) };
        format!("`uixt session {what}{name}`")
    }

    /// Makes a call.
    pub(in crate::cli) fn call(
        &self,
        request: CallToolRequest,
        audience: Audience,
        with_picture: bool,
    ) -> Result<Answer, Failure> {
        let folder = working_folder()?.into_os_string().into_string();
        let folder = folder.map_err(|_| Failure::usage("the path of this folder is not UTF-8, which sessions need"))?;
        let mut asked = self.ask(&Ask::Call { request, audience, folder, with_picture })?;
        asked.answer(None).map(Answer::read).map_err(|silence| self.failure(silence))
    }

    /// Asks it to end, and waits until it has.
    pub(super) fn stop(&self, timeout: Duration) -> Result<Value, Failure> {
        let mut asked = self.ask(&Ask::Stop)?;
        let farewell = asked.answer(Some(timeout)).map_err(|silence| match silence {
            Silence::Gone(error) if is_late(&error) => {
                Failure::errored(format!("the session {} does not end: `kill -9 {}` ends it", self.title(), asked.pid))
            }
            silence => self.failure(silence),
        })?;
        asked.end();
        Ok(farewell)
    }

    fn ask(&self, ask: &Ask) -> Result<Asked, Failure> {
        let stream = match connect(&self.socket) {
            Ok(Some(stream)) => stream,
            Ok(None) => return Err(self.unknown()),
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                clear(&self.socket)?;
                return Err(Failure::errored(format!(
                    "the session {} was killed, and its device is closed; start it anew: {}",
                    self.title(),
                    self.command("start")
                )));
            }
            Err(error) => return Err(self.failure(Silence::Gone(error))),
        };
        wire::ask(stream, ask).map_err(|silence| self.failure(silence))
    }

    fn failure(&self, silence: Silence) -> Failure {
        let title = self.title();
        match silence {
            Silence::Refused(why) => {
                Failure::errored(format!("the session {title}: {why} ({} ends it)", self.command("stop")))
            }
            Silence::Gone(error) if is_late(&error) => Failure::errored(format!(
                "the session {title} does not answer: its process hangs or is stopped; `pgrep -af in-background` finds it, and after \
                     `kill -9 PID` it can be started anew"
            )),
            Silence::Gone(error) if has_ended(&error) => Failure::errored(format!(
                "the session {title} ended before it answered; start it anew: {}",
                self.command("start")
            )),
            Silence::Gone(error) => Failure::errored(format!("cannot talk to the session {title}: {error}")),
        }
    }
}

fn working_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| Failure::errored(format!("cannot tell which folder this is: {error}")))
}

fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Tells whether whoever was asked is gone.
fn has_ended(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe)
}

/// Connects to a socket of this user; none where it is not there.
pub(super) fn connect(socket: &Path) -> io::Result<Option<UnixStream>> {
    folder::check(&folder::path()).map_err(io::Error::other)?;
    let found = match socket.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        found => found?,
    };
    if !found.file_type().is_socket() || !folder::is_own(&found) {
        return Err(io::Error::other(format!("{} is not your socket: remove it", socket.display())));
    }
    match UnixStream::connect(socket) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        connected => connected.map(Some),
    }
}

/// Removes a socket at which nobody listens.
pub(super) fn clear(socket: &Path) -> Result<(), Failure> {
    let Some(locked) = Locked::there()? else { return Ok(()) };
    // Somebody may have begun to listen there meanwhile.
    if connect(socket).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused) {
        locked.remove(socket);
    }
    Ok(())
}
