//! A screen that nobody sees, for browsers that have no mode without one: an X server of our own, and its number.

use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};

use super::find;
use super::process::Process;
use super::profile::Profile;
use super::settings::Viewport;
use crate::driver::Error;

/// How long it may take to begin.
const STARTING: Duration = Duration::from_secs(10);

/// How much wider and higher than the viewport it is: windows have bars.
const MARGIN: u32 = 400;

/// Longest number of a display, in bytes.
const MAX_LEN: u64 = 16;

/// A screen, as long as this lives.
pub(super) struct Display {
    process: Process,
    profile: Profile,
    /// As `DISPLAY` takes it: `:7`.
    pub(super) name: String,
}

impl Display {
    /// Starts one that holds a window of this size.
    pub(super) async fn start(view: &Viewport) -> Result<Self, Error> {
        let program = find::screen()?;
        let size = format!("{}x{}x24", view.width + MARGIN, view.height + MARGIN);
        // It chooses a free number by itself, and writes it into its fourth file.
        let args = ["-displayfd", "4", "-screen", "0", &size, "-nolisten", "tcp", "-noreset"].map(Into::into);
        let profile = Profile::new();
        let unstarted = |why: &str| Error::Disconnected { message: format!("no screen could be started: {why}") };
        let (process, pipes) =
            Process::start(&program, &args, profile.path()).await.map_err(|error| unstarted(&error))?;
        let mut line = String::new();
        let mut from = BufReader::new(pipes.from.take(MAX_LEN));
        let read = tokio::time::timeout(STARTING, from.read_line(&mut line)).await;
        match (read, line.trim()) {
            (Ok(Ok(_)), number) if number.parse::<u32>().is_ok() => {
                Ok(Self { process, profile, name: format!(":{number}") })
            }
            _ => {
                let said = process.said().text();
                process.kill().await;
                Err(unstarted(&format!("{} told no number; it said: {said}", program.display())))
            }
        }
    }

    pub(super) async fn end(self) {
        self.process.kill().await;
        self.profile.remove().await;
    }
}
