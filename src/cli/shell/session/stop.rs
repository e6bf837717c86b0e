//! `uixt session stop`: asks sessions to end, and waits until nothing is left of them.

use std::time::Duration;

use clap::Args;

use super::Address;
use super::list;
use super::naming::USUAL;
use super::naming::name;
use crate::cli::exit::{Done, Exit, Failure, print};

/// How long a session may take to close its device.
const ENDING: Duration = Duration::from_secs(40);

#[derive(Args)]
pub(super) struct Stop {
    /// Session of this project.
    #[arg(value_name = "NAME", default_value = USUAL, env = "UIXT_SESSION", value_parser = name)]
    name: String,
    /// Ends every session of this user, of all projects.
    #[arg(long)]
    all: bool,
}

impl Stop {
    pub(super) fn run(self) -> Done {
        if !self.all {
            return stop(&Address::here(&self.name)?.running()?);
        }
        let mut failed = None;
        let mut count = 0;
        for one in list::running() {
            count += 1;
            let address = Address { name: one.name, project: one.project, socket: one.socket };
            // One that does not end keeps none of the others.
            if let Err(failure) = stop(&address) {
                eprintln!("{failure}");
                failed = Some(failure.exit);
            }
        }
        if count == 0 {
            eprintln!("no session is running");
        }
        Ok(failed.unwrap_or(Exit::Passed))
    }
}

fn stop(address: &Address) -> Done {
    let farewell = address.stop(ENDING)?;
    print(&format!("stopped {}", address.title()))?;
    for file in farewell["recorded"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str) {
        print(&format!("recorded {file}; replay it with: uixt run {file}"))?;
    }
    match farewell["trouble"].as_str() {
        Some(trouble) => Err(Failure::errored(trouble)),
        None => Ok(Exit::Passed),
    }
}
