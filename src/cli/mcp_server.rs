//! `uixt mcp-server`: the table for AI agents.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::device::{DeviceArgs, Fleet};
use super::exit::{Done, Exit, Failure, runtime};
use super::hosting::{HttpArgs, Makes};
use super::logging;
use super::servers;
use super::signals::Asked;
use super::uia2::Uia2Args;
use crate::caller::{Audience, Caller, Local};
use crate::driver::{Registry, tidy};
use crate::mcp::client::{Joined, Servers};
use crate::mcp::server::Server;
use crate::tools::{self, Listing, Session};

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
    http: HttpArgs,
    /// File of MCP servers whose tools are offered too, as `server__tool`
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,
}

impl McpServer {
    fn listing(&self) -> Listing {
        let listing = self.toolsets.clone();
        if self.no_prefix { listing.without_prefix() } else { listing }
    }

    pub(super) fn run(self) -> Done {
        logging::to_stderr(tracing::Level::WARN);
        let runtime = runtime()?;
        let done = runtime.block_on(async {
            let others = servers::others(self.with.as_deref())?;
            let mut fleet = Fleet::default();
            let opened = fleet.session(&self.devices, &self.uia2).await?;
            let mut asked = Asked::listen()?;
            let served = self.serve(opened, &others, &mut asked).await;
            others.close().await;
            fleet.close().await;
            tidy::finish().await;
            served?;
            Ok(Exit::Passed)
        });
        // Whoever reads the standard input reads on, where it was a signal that ended this.
        runtime.shutdown_background();
        done
    }

    /// Serves one session on standard input and output, or any number over HTTP.
    async fn serve(
        &self,
        (registry, session): (Arc<Registry>, Session),
        others: &Arc<Servers>,
        asked: &mut Asked,
    ) -> Result<(), Failure> {
        let Some(address) = self.http.address() else {
            let caller = local(self.listing(), registry, session);
            let unlisted = caller.unlisted();
            let served = server(Joined::of(Arc::new(caller), others), &unlisted).serve_stdio();
            return tokio::select! {
                served = served => served.map_err(Failure::errored),
                () = asked.wait() => Ok(()),
            };
        };
        let others = Arc::clone(others);
        let joined = move |caller, unlisted: &[&str]| server(Joined::of(caller, &others), unlisted);
        let (listing, selected) = (self.listing(), session.selected());
        let caller = move || {
            let session = selected.clone().map_or_else(Session::default, Session::on);
            local(listing.clone(), Arc::clone(&registry), session)
        };
        self.http.serve(address, Makes::new(caller, joined), asked).await
    }
}

fn local(listing: Listing, registry: Arc<Registry>, session: Session) -> Local {
    Local::new(registry, Arc::new(session), Audience::Agent).listing(listing)
}

/// Serves the calls of one session.
fn server(caller: Arc<dyn Caller>, unlisted: &[&str]) -> Server {
    Server::new(caller, unlisted)
}
