//! `uixt mcp-server`: the table for AI agents.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::device::{DeviceArgs, Fleet};
use super::exit::{Done, Exit, Failure, runtime};
use super::logging;
use super::signals::Asked;
use super::uia2::Uia2Args;
use crate::caller::{Audience, Local};
use crate::driver::tidy;
use crate::mcp::server::{Folder, Server};
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
    /// Tell of each listed tool what its answer holds; costs a model tokens at every turn
    #[arg(long)]
    output_schemas: bool,
    /// Offer the testcase files of a folder as resources; nothing outside of it is read
    #[arg(long, value_name = "DIR")]
    allow_dir: Option<PathBuf>,
}

impl McpServer {
    fn listing(&self) -> Listing {
        let listing = self.toolsets.clone();
        let listing = if self.output_schemas { listing.with_outputs() } else { listing };
        if self.no_prefix { listing.without_prefix() } else { listing }
    }

    /// Opens the folder of `--allow-dir`.
    fn folder(&self) -> Result<Option<Arc<Folder>>, Failure> {
        let folder = self.allow_dir.as_deref().map(Folder::open).transpose();
        folder.map(|folder| folder.map(Arc::new)).map_err(|why| Failure::usage(format!("--allow-dir: {why}")))
    }

    pub(super) fn run(self) -> Done {
        let folder = self.folder()?;
        logging::to_stderr(tracing::Level::WARN);
        let runtime = runtime()?;
        let done = runtime.block_on(async {
            let mut fleet = Fleet::default();
            let (registry, session) = fleet.session(&self.devices, &self.uia2).await?;
            let caller = Local::new(registry, Arc::new(session), Audience::Agent).listing(self.listing());
            let unlisted = caller.unlisted();
            let mut asked = Asked::listen()?;
            let server = Server::new(Arc::new(caller), &unlisted);
            let server = folder.into_iter().fold(server, Server::offering);
            let served = tokio::select! {
                served = server.serve_stdio() => served,
                () = asked.wait() => Ok(()),
            };
            fleet.close().await;
            tidy::finish().await;
            served.map_err(Failure::errored)?;
            Ok(Exit::Passed)
        });
        // Whoever reads the standard input reads on, where it was a signal that ended this.
        runtime.shutdown_background();
        done
    }
}
