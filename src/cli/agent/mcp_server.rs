//! `uixt mcp-server`: the table for AI agents.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use uixt_call::CORE;
use uixt_core::tool_times::SharedToolTimes;
use uixt_ui::Ui;
use uixt_ui::page::Pages;

use super::hosting::HttpArgs;
use super::print_config::{Host, print_config};
use super::recording::RecordingArgs;
use super::session_factory::SessionFactory;
use super::then::ThenArgs;
use crate::cli::data;
use crate::cli::device::devices::Devices;
use crate::cli::device::spec::DeviceArgs;
use crate::cli::device::uia2::Uia2Args;
use crate::cli::exit::{Done, Exit, Failure, runtime};
use crate::cli::logging;
use crate::cli::mcp::servers;
use crate::cli::packages::PackagesArgs;
use crate::cli::project_tools;
use crate::cli::shell::call::language::Language;
use crate::cli::signals::Asked;
use crate::cli::studio::BesideArgs;
use crate::driver::tidy;
use crate::mcp::server::{Changes, Folder};
use crate::tools::{self, Listing};

#[derive(Args)]
pub(in crate::cli) struct McpServer {
    #[command(flatten)]
    devices: DeviceArgs,
    #[command(flatten)]
    uia2: Uia2Args,
    /// Sets of tools to list, by commas, or `all`; others stay callable by name
    #[arg(long, value_name = "NAMES", default_value = CORE)]
    toolsets: Listing,
    /// List tools without `uixt__` before their names, for hosts that put the server's name there
    #[arg(long)]
    no_prefix: bool,
    /// Tell of each listed tool what its answer holds; costs a model tokens at every turn
    #[arg(long)]
    output_schemas: bool,
    /// Offer the testcase files of a folder as resources, and let agents search its files; nothing outside of it is read
    #[arg(long, value_name = "DIR")]
    allow_dir: Option<PathBuf>,
    /// Open pages of these hosts in private networks, by commas, or `*` for all; this machine's own are open anyway
    #[arg(long, value_name = "HOSTS", value_delimiter = ',')]
    private_hosts: Vec<String>,
    #[command(flatten)]
    packages: PackagesArgs,
    #[command(flatten)]
    then: ThenArgs,
    #[command(flatten)]
    language: Language,
    #[command(flatten)]
    recording: RecordingArgs,
    /// File of MCP servers (`mcpServers`) whose tools are offered, too, as `server__tool`
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,
    #[command(flatten)]
    beside: BesideArgs,
    #[command(flatten)]
    http: HttpArgs,
    /// Print what a program's file of MCP servers needs to start this one with the other options given, and end
    #[arg(long, value_name = "HOST")]
    print_config: Option<Host>,
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

    pub(in crate::cli) fn run(self, program: &clap::Command) -> Done {
        if let Some(host) = self.print_config {
            return print_config(host, program);
        }
        logging::to_stderr(tracing::Level::WARN);
        let runtime = runtime()?;
        let done = runtime.block_on(self.serve());
        // Whoever reads the standard input reads on, where it was a signal that ended this.
        runtime.shutdown_background();
        done
    }

    async fn serve(&self) -> Done {
        // What is wrong with the command line is told before any device is opened.
        let (folder, recorded) = (self.folder()?, self.recording.open(self.with.as_deref())?);
        let others = servers::others(self.with.as_deref())?;
        // Read once: what agents write meanwhile gives them no tool.
        let project = project_tools::read()?;
        let mut devices = Devices::default();
        let beside = self.beside.open(&self.devices, &self.uia2).await?;
        let (registry, selected) = if let Some((registry, driver)) = beside.device() {
            (registry, Some(driver))
        } else {
            let (registry, session) = devices.session(&self.devices, &self.uia2).await?;
            (registry, session.selected())
        };
        let has_pages = selected.as_ref().is_some_and(|device| device.pages("be listed tools for").is_ok());
        let listing = if has_pages { self.listing().of_pages() } else { self.listing() };
        let factory = SessionFactory {
            registry,
            selected,
            studio: beside.studio(),
            listing,
            folder,
            private_hosts: self.private_hosts.clone(),
            packages: self.packages,
            then: self.then,
            language: self.language,
            times: SharedToolTimes::default(),
            recorded: recorded.clone(),
            changes: Arc::new(Changes::of(tools::table())),
            others: Arc::clone(&others),
            with: self.with.clone(),
            project,
            pages: data::file(Path::new(".")).map(|file| Pages::new(move || Ui::shared(&file))),
        };
        let mut asked = Asked::listen()?;
        let served = self.listen(factory, &mut asked).await;
        recorded.conclude().await;
        others.close().await;
        beside.close().await;
        devices.close().await;
        tidy::finish().await;
        served?;
        recorded.close()?;
        Ok(Exit::Passed)
    }

    /// Serves one session on standard input and output, or any number over HTTP.
    async fn listen(&self, factory: SessionFactory, asked: &mut Asked) -> Result<(), Failure> {
        if let Some(address) = self.http.address() {
            return self.http.serve(address, factory, asked).await;
        }
        tokio::select! {
            served = factory.server().serve_stdio() => served.map_err(Failure::errored),
            () = asked.wait() => Ok(()),
        }
    }
}
