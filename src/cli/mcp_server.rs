//! `uixt mcp-server`: the table for AI agents.

use std::sync::Arc;

use clap::Args;

use super::device::{DeviceArgs, Fleet};
use super::exit::{Done, Exit, Failure, runtime};
use super::logging;
use super::uia2::Uia2Args;
use crate::caller::{Audience, Local};
use crate::driver::tidy;
use crate::mcp::server::Server;

#[derive(Args)]
pub(super) struct McpServer {
    #[command(flatten)]
    devices: DeviceArgs,
    #[command(flatten)]
    uia2: Uia2Args,
}

impl McpServer {
    pub(super) fn run(self) -> Done {
        logging::to_stderr(tracing::Level::WARN);
        runtime()?.block_on(async {
            let mut fleet = Fleet::default();
            let (registry, session) = fleet.session(&self.devices, &self.uia2).await?;
            let caller = Local::new(registry, Arc::new(session), Audience::Agent);
            let served = Server::new(Arc::new(caller)).serve_stdio().await;
            fleet.close().await;
            tidy::finish().await;
            served.map_err(Failure::errored)?;
            Ok(Exit::Passed)
        })
    }
}
