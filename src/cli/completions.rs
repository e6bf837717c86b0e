//! `uixt completions`: a script for a shell.

use clap::{Args, CommandFactory};

use super::Cli;
use super::exit::{Done, print};

#[derive(Args)]
pub(super) struct Completions {
    /// Shell to complete in.
    shell: clap_complete::Shell,
}

impl Completions {
    pub(super) fn run(self) -> Done {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "uixt", &mut script);
        print(&String::from_utf8_lossy(&script))
    }
}
