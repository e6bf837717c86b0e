//! A [`Caller`] served as an MCP server on standard input and output.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError};
use rmcp::{ServerHandler, ServiceExt};

use crate::caller::{Call, Caller};

/// What a model is told of this server.
const INSTRUCTIONS: &str = "Drives phones. Take a `snapshot` to see the screen as text with refs, act with tap_element \
    (by text, id, role or ref) and input; targets are waited for, so do not sleep. A failed call says why.";

/// The MCP face of a caller.
pub struct Server {
    caller: Arc<dyn Caller>,
    instructions: String,
}

impl Server {
    /// Serves a caller that also takes calls of the `unlisted` tools.
    pub fn new(caller: Arc<dyn Caller>, unlisted: &[&str]) -> Self {
        let rest = match unlisted {
            [] => String::new(),
            names => format!(" Not listed, but callable, with errors that name their arguments: {}.", names.join(", ")),
        };
        Self { caller, instructions: format!("{INSTRUCTIONS}{rest}") }
    }

    /// Serves until the client goes away.
    pub async fn serve_stdio(self) -> Result<(), Error> {
        let running = match self.serve(rmcp::transport::stdio()).await {
            Ok(running) => running,
            // A client that leaves before it said anything is not an error.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(Error(error.to_string())),
        };
        running.waiting().await.map(|_| ()).map_err(|error| Error(error.to_string()))
    }
}

/// Why serving ended.
#[derive(Debug, thiserror::Error)]
#[error("the MCP session failed: {0}")]
pub struct Error(String);

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("uixt", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(self.instructions.clone());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.caller.list().await))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.caller.call(request, Call::until(context.ct)).await.into())
    }
}
