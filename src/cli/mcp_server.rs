//! `uixt mcp-server`: the table for AI agents.

use std::sync::Arc;

use clap::Args;

use super::device::{DeviceArgs, Fleet};
use super::exit::{Done, Failure, runtime};
use super::logging;
use super::recording::RecordingArgs;
use super::signals::Asked;
use super::uia2::Uia2Args;
use crate::caller::{Audience, Local};
use crate::driver::tidy;
use crate::mcp::server::Server;
use crate::tools::{self, Listing};

#[derive(Args)]
pub(super) struct McpServer {
    #[command(flatten)]
    devices: DeviceArgs,
    #[command(flatten)]
    uia2: Uia2Args,
    /// Sets of tools to list, by commas, or `all`; others stay callable by name
    #[arg(long, value_name = "NAMES", default_value = tools::CORE)]
    toolsets: Listing,
    /// List tools without `uixt__` before their names, for hosts that put the server's name there
    #[arg(long)]
    no_prefix: bool,
    #[command(flatten)]
    recording: RecordingArgs,
}

impl McpServer {
    fn listing(&self) -> Listing {
        let listing = self.toolsets.clone();
        if self.no_prefix { listing.without_prefix() } else { listing }
    }

    pub(super) fn run(self) -> Done {
        logging::to_stderr(tracing::Level::WARN);
        let recording = self.recording.open()?;
        let runtime = runtime()?;
        let done = runtime.block_on(async {
            let mut fleet = Fleet::default();
            let (registry, session) = fleet.session(&self.devices, &self.uia2).await?;
            let caller = Local::new(registry, Arc::new(session), Audience::Agent).listing(self.listing());
            let unlisted = caller.unlisted();
            let caller = recording.around(Arc::new(caller));
            let mut asked = Asked::listen()?;
            let served = tokio::select! {
                served = Server::new(caller, &unlisted).serve_stdio() => served,
                () = asked.wait() => Ok(()),
            };
            fleet.close().await;
            tidy::finish().await;
            served.map_err(Failure::errored)?;
            recording.close()
        });
        // Whoever reads the standard input reads on, where it was a signal that ended this.
        runtime.shutdown_background();
        done
    }
}
