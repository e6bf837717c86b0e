//! `uixt session`: a device that stays open between calls from the shell, in a process of its own in the background.

mod address;
mod background;
mod folder;
mod list;
mod serving;
mod start;
mod stdio;
mod stop;
mod wire;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Subcommand};

pub(super) use self::address::Address;
pub(super) use self::wire::Answer;
use super::exit::{Done, Failure};

/// The session that is meant where none is named.
const USUAL: &str = "default";

/// Options that say which device is opened, by their ids: a session's were given when it was started.
const OF_DEVICE: [(&str, &str); 6] = [
    ("device", "--device"),
    ("adb_server", "--adb-server"),
    ("headed", "--headed"),
    ("webdriver_url", "--webdriver-url"),
    ("uia2", "--uia2"),
    ("uia2_apks", "--uia2-apks"),
];

#[derive(Args)]
pub(super) struct SessionCommand {
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
}

impl SessionCommand {
    pub(super) fn run(self) -> Done {
        match self.command {
            Command::Start(command) => command.run(),
            Command::List(command) => command.run(),
            Command::Stop(command) => command.run(),
        }
    }
}

/// Options of a command whose calls may go to a session.
#[derive(Args)]
pub(super) struct SessionArgs {
    /// Session of this project to call. Without it the one called `default`, where it runs and no device is named.
    #[arg(long, value_name = "NAME", env = "UIXT_SESSION", value_parser = name)]
    session: Option<String>,
}

impl SessionArgs {
    /// Finds the session that calls go to; none where there is none, or the command line names a device.
    pub(super) fn find(&self, matches: &ArgMatches) -> Result<Option<Address>, Failure> {
        let is_written = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        if let Some((_, option)) = OF_DEVICE.iter().find(|(id, _)| is_written(id)) {
            return match &self.session {
                Some(name) if is_written("session") => Err(Failure::usage(format!(
                    "--session {name} and {option} exclude each other: a session has the device that it was started with; leave one of \
                     them out, or start another session: `uixt session start NAME {option} …`"
                ))),
                _ => Ok(None),
            };
        }
        match &self.session {
            Some(name) => Address::here(name)?.running().map(Some),
            // In a folder that is gone there is none.
            None => Ok(Address::here(USUAL).ok().filter(Address::is_there)),
        }
    }
}

/// Checks the name of a session.
fn name(text: &str) -> Result<String, String> {
    let fits = |sign: char| sign.is_ascii_alphanumeric() || "._-".contains(sign);
    match !text.is_empty() && text.len() <= 64 && text.chars().all(fits) && !text.starts_with('-') {
        true => Ok(text.to_owned()),
        false => Err("a session's name has 1 to 64 letters, digits, `.`, `_` and `-`".to_owned()),
    }
}
