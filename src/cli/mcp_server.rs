//! `uixt mcp-server`: the table for AI agents.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::device::{DeviceArgs, Fleet};
use super::exit::{Done, Exit, Failure, runtime};
use super::hosting::{HttpArgs, Makes};
use super::logging;
use super::print_config::{Host, print_config};
use super::recording::{Recorded, RecordingArgs};
use super::signals::Asked;
use super::uia2::Uia2Args;
use crate::caller::{Audience, Caller, Local};
use crate::driver::{Registry, tidy};
use crate::mcp::fixtures::Fixtures;
use crate::mcp::server::{Folder, Server};
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
    /// Offer the testcase files of a folder as resources; nothing outside of it is read
    #[arg(long, value_name = "DIR")]
    allow_dir: Option<PathBuf>,
    #[command(flatten)]
    recording: RecordingArgs,
    #[command(flatten)]
    http: HttpArgs,
    /// Print what a program's file of MCP servers needs to start this one with the other options given, and end
    #[arg(long, value_name = "HOST")]
    print_config: Option<Host>,
    /// Offer what the conformance suite of the protocol asks of a server
    #[arg(long, hide = true)]
    conformance_fixtures: bool,
    #[command(flatten)]
    http: HttpArgs,
}

impl McpServer {
    fn listing(&self) -> Listing {
        let listing = self.toolsets.clone();
        if self.no_prefix { listing.without_prefix() } else { listing }
    }

    /// Opens the folder of `--allow-dir`.
    fn folder(&self) -> Result<Option<Arc<Folder>>, Failure> {
        let folder = self.allow_dir.as_deref().map(Folder::open).transpose();
        folder.map(|folder| folder.map(Arc::new)).map_err(|why| Failure::usage(format!("--allow-dir: {why}")))
    }

    /// Returns what makes the server of a session from its caller and the names of tools that are not listed.
    fn server(&self) -> Result<impl Fn(Arc<dyn Caller>, &[&str]) -> Server + Clone + Send + Sync + 'static, Failure> {
        let folder = self.folder()?;
        Ok(move |caller: Arc<dyn Caller>, unlisted: &[&str]| {
            folder.iter().cloned().fold(Server::new(caller, unlisted), Server::offering)
        let (folder, has_fixtures) = (self.folder()?, self.conformance_fixtures);
        Ok(move |caller: Arc<dyn Caller>, unlisted: &[&str]| {
            let server = folder.iter().cloned().fold(Server::new(caller, unlisted), Server::offering);
            let fixtures = has_fixtures.then(|| Arc::new(Fixtures::new(server.connection())));
            fixtures.into_iter().fold(server, |server, fixtures| server.with(fixtures))
        })
    }

    pub(super) fn run(self) -> Done {
        if let Some(host) = self.print_config {
            return print_config(host);
        }
        let server = self.server()?;
        logging::to_stderr(tracing::Level::WARN);
        let recorded = self.recording.open()?;
        let runtime = runtime()?;
        let done = runtime.block_on(async {
            let mut fleet = Fleet::default();
            let opened = fleet.session(&self.devices, &self.uia2).await?;
            let mut asked = Asked::listen()?;
            let served = self.serve(opened, server, &recorded, &mut asked).await;
            let served = self.serve(opened, server, &mut asked).await;
            fleet.close().await;
            tidy::finish().await;
            served?;
            recorded.close()?;
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
        server: impl Fn(Arc<dyn Caller>, &[&str]) -> Server + Clone + Send + Sync + 'static,
        recorded: &Recorded,
        asked: &mut Asked,
    ) -> Result<(), Failure> {
        let Some(address) = self.http.address() else {
            let caller = local(self.listing(), registry, session);
            let unlisted = caller.unlisted();
            let served = server(recorded.around(Arc::new(caller)), &unlisted).serve_stdio();
            return tokio::select! {
                served = served => served.map_err(Failure::errored),
                () = asked.wait() => Ok(()),
            };
        };
        let (listing, selected) = (self.listing(), session.selected());
        let caller = move || {
            let session = selected.clone().map_or_else(Session::default, Session::on);
            local(listing.clone(), Arc::clone(&registry), session)
        };
        self.http.serve(address, Makes::new(caller, server, recorded), asked).await
    }
}

fn local(listing: Listing, registry: Arc<Registry>, session: Session) -> Local {
    Local::new(registry, Arc::new(session), Audience::Agent).listing(listing)
}
