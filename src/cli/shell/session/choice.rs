//! The options of a command → the session that its calls go to, if any.

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};

use super::address::Address;
use super::naming::{USUAL, name};
use crate::cli::exit::Failure;

/// Options that say which device is opened, and what may be done with it, by their ids: a session's were given when it was started.
const OF_DEVICE: [(&str, &str); 8] = [
    ("device", "--device"),
    ("adb_server", "--adb-server"),
    ("headed", "--headed"),
    ("webdriver_url", "--webdriver-url"),
    ("uia2", "--uia2"),
    ("uia2_apks", "--uia2-apks"),
    ("allow_packages", "--allow-packages"),
    ("allow_dir", "--allow-dir"),
];

/// Options of a command whose calls may go to a session.
#[derive(Args)]
pub(in crate::cli) struct SessionArgs {
    /// Session of this project to call. Without it the one called `default`, where it runs and no device is named.
    #[arg(long, value_name = "NAME", env = "UIXT_SESSION", value_parser = name)]
    session: Option<String>,
}

impl SessionArgs {
    /// Finds the session that calls go to; none where there is none, or the command line names a device.
    pub(in crate::cli) fn find(&self, matches: &ArgMatches) -> Result<Option<Address>, Failure> {
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
