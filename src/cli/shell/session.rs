//! `uixt session`: a device that stays open between calls from the shell, in a process of its own in the background.

mod address;
mod background;
mod choice;
mod folder;
mod list;
mod masked;
mod naming;
mod serving;
mod start;
mod stdio;
mod stop;
mod wire;

use clap::{Args, Subcommand};

pub(super) use self::address::Address;
pub(super) use self::choice::SessionArgs;
pub(super) use self::wire::Answer;
use crate::cli::agent::print_skill;
use crate::cli::exit::Done;

#[derive(Args)]
pub(in crate::cli) struct SessionCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Open a device and keep it open in the background, for `uixt call`.
    Start(start::Start),
    /// List the sessions that run, of all projects.
    List(list::List),
    /// End a session: its device is closed, and nothing is left.
    Stop(stop::Stop),
    /// Print what teaches a coding agent to use sessions, as a SKILL.md.
    Skill,
}

impl SessionCommand {
    pub(in crate::cli) fn run(self) -> Done {
        match self.command {
            Command::Start(command) => command.run(),
            Command::List(command) => command.run(),
            Command::Stop(command) => command.run(),
            Command::Skill => print_skill(),
        }
    }
}
