//! `uixt session start`: starts this program again in the background, and waits until that listens or says why it does not.

use std::io::{BufRead as _, BufReader, ErrorKind};
use std::process::{Command, Stdio};

use clap::Args;

use super::Address;
use super::address;
use super::background;
use super::naming::USUAL;
use super::naming::name;
use crate::cli::agent::recording::RecordingArgs;
use crate::cli::agent::then::ThenArgs;
use crate::cli::device::spec::DeviceArgs;
use crate::cli::device::uia2::Uia2Args;
use crate::cli::exit::{Done, Exit, Failure, print};
use crate::cli::packages::PackagesArgs;
use crate::cli::surroundings::AllowDirArgs;

/// The words of the command line before its options.
const WORDS: usize = 2;

#[derive(Args)]
pub(super) struct Start {
    /// Name of the session, for several in one project.
    #[arg(value_name = "NAME", default_value = USUAL, env = "UIXT_SESSION", value_parser = name)]
    pub(super) name: String,
    #[command(flatten)]
    pub(super) devices: DeviceArgs,
    #[command(flatten)]
    pub(super) uia2: Uia2Args,
    /// Seconds without a call after which it ends by itself.
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, value_parser = clap::value_parser!(u32).range(1..=604_800))]
    pub(super) idle: u32,
    #[command(flatten)]
    pub(super) packages: PackagesArgs,
    #[command(flatten)]
    pub(super) allow_dir: AllowDirArgs,
    #[command(flatten)]
    pub(super) then: ThenArgs,
    #[command(flatten)]
    pub(super) recording: RecordingArgs,
    /// This is the process in the background.
    #[arg(long, hide = true)]
    in_background: bool,
}

impl Start {
    pub(super) fn run(self) -> Done {
        if self.in_background {
            return background::run(&self);
        }
        Address::here(&self.name)?.check_free()?;
        let cannot =
            |error: std::io::Error| Failure::errored(format!("cannot start a process in the background: {error}"));
        let program = std::env::current_exe().map_err(cannot)?;
        let words = || std::env::args_os().skip(1);
        let mut command = Command::new(program);
        command.args(words().take(WORDS)).arg("--in-background").args(words().skip(WORDS));
        // What keeps it from listening is said on this process's own standard error. It ends where this process does before.
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(cannot)?;
        let mut told = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut told).map_err(cannot)?;
        }
        if told.ends_with('\n') {
            return print(&told);
        }
        let ended = child.wait().map_err(cannot)?;
        match ended.code() {
            Some(code) => Ok(Exit::of_code(code)),
            None => Err(Failure::errored(format!("the process in the background was killed ({ended})"))),
        }
    }
}

impl Address {
    /// Fails where the session runs already; what one left that was killed is removed.
    pub(super) fn check_free(&self) -> Result<(), Failure> {
        if self.is_free()? { Ok(()) } else { address::clear(&self.socket) }
    }

    /// The same for whoever has locked the folder.
    pub(super) fn check_free_here(&self) -> Result<(), Failure> {
        if !self.is_free()? {
            std::fs::remove_file(&self.socket).map_err(Failure::errored)?;
        }
        Ok(())
    }

    /// Tells whether nothing is there, rather than a socket at which nobody listens.
    fn is_free(&self) -> Result<bool, Failure> {
        match address::connect(&self.socket) {
            Ok(None) => Ok(true),
            Ok(Some(_)) => Err(Failure::usage(format!(
                "the session {} runs already: call it, end it ({}), or give this one a name: `uixt session start NAME`",
                self.title(),
                self.command("stop")
            ))),
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => Ok(false),
            Err(error) => Err(Failure::errored(error)),
        }
    }
}
