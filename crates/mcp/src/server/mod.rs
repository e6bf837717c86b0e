//! A [`Caller`] served as an MCP server: over standard input and output, or whatever else carries messages.
//!
//! What is offered comes from [`Provider`]s, of which the caller's table is one; this file only asks them in turn.

#![expect(deprecated, reason = "logging and resources/subscribe belong to protocol versions that clients speak")]

mod changes;
mod completion;
mod connection;
mod files;
mod malformed;
mod progress_notifier;
mod prompts;
mod provider;
mod screens;
mod screenshot_store;
mod session_log;
mod statistics;
mod table;
pub(crate) mod uri;
mod views;
mod watch;

use std::sync::{Arc, OnceLock};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest, CustomResult,
    ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, ServerResult,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, ServerInitializeError, SubscriptionContext};
use rmcp::{ServerHandler, ServiceExt};
use uixt_call::{Boxed, Caller, Table};
use uixt_core::tool_times::SharedToolTimes;

pub use changes::Changes;
use changes::Origin;
use completion::Completion;
pub use connection::{Connection, Gravity};
pub use files::Folder;
use malformed::Meant;
use prompts::{Prompts, Sources};
pub use provider::{Answer, Asked, Provider};
use screens::Screens;
use screenshot_store::ScreenshotStore;
use session_log::SessionLog;
use statistics::Statistics;
use table::OwnTools;
pub use views::{View, Views};
pub use watch::Comings;
use watch::Watch;

use crate::lines::Lines;

/// What a model is told of this server.
const INSTRUCTIONS: &str = "Drives phones. Take a `snapshot` to see the screen as text with refs, act with tap (by text, id, role, \
    ref or x and y) and input, and let `then: diff` tell what changed; targets are waited for, so do not sleep. A failed call says why. What \
    tap takes to name an element, every tool with `text` takes; every tool takes `serial`.";

/// The MCP server of a caller, for one client.
pub struct Server {
    providers: Vec<Arc<dyn Provider>>,
    connection: Arc<Connection>,
    /// The folder of testcase files, where one is offered.
    folder: Arc<OnceLock<Arc<Folder>>>,
    watch: Arc<Watch>,
    origin: Arc<Origin>,
    instructions: String,
    /// Whether the list of tools may change.
    announces_tools: bool,
}

impl Server {
    /// Serves a caller of a table's tools, which also takes calls of the `unlisted` ones; all are added to `times`.
    pub fn new(table: &'static Table, caller: Arc<dyn Caller>, unlisted: &[&str], times: SharedToolTimes) -> Self {
        let rest = match unlisted {
            [] => String::new(),
            names => format!(" Not listed, but callable, with errors that name their arguments: {}.", names.join(", ")),
        };
        let connection = Arc::new(Connection::default());
        let (session_log, screenshots) = (Arc::new(SessionLog::new(table)), Arc::new(ScreenshotStore::default()));
        let screens = Arc::new(Screens { caller: Arc::clone(&caller), session_log: Arc::clone(&session_log) });
        let folder = Arc::new(OnceLock::new());
        let origin = Arc::new(Origin::default());
        let watch = Watch::new(Arc::clone(&connection), Arc::clone(&screens), Arc::clone(&folder), Arc::clone(&origin));
        let sources = Sources {
            table,
            caller: Arc::clone(&caller),
            session_log: Arc::clone(&session_log),
            folder: Arc::clone(&folder),
        };
        let own = OwnTools {
            table,
            caller,
            session_log,
            screenshots: Arc::clone(&screenshots),
            connection: Arc::clone(&connection),
            origin: Arc::clone(&origin),
            times: SharedToolTimes::clone(&times),
        };
        let statistics = Arc::new(Statistics(times));
        let completion = Completion {
            sources: sources.clone(),
            screens: Arc::clone(&screens),
            screenshots: Arc::clone(&screenshots),
        };
        let providers: Vec<Arc<dyn Provider>> = vec![
            screens,
            screenshots,
            statistics,
            Arc::new(Prompts { pieces: sources }),
            Arc::new(completion),
            Arc::new(own),
        ];
        let instructions = format!("{INSTRUCTIONS}{rest}");
        let watch = Arc::new(watch);
        Self { providers, connection, folder, watch, origin, instructions, announces_tools: false }
    }

    /// Offers the testcase files of a folder.
    #[must_use]
    pub fn offering(self, folder: Arc<Folder>) -> Self {
        let _ = self.folder.set(Arc::clone(&folder));
        self.with(folder)
    }

    /// Tells other sessions of this process which devices change here, and hears it of theirs.
    #[must_use]
    pub fn sharing(self, changes: Arc<Changes>) -> Self {
        self.origin.join(changes);
        self
    }

    /// Hears at once that devices came or went, once a client wants to know of it.
    #[must_use]
    pub fn hearing(self, comings: Comings) -> Self {
        self.watch.hear_of_devices(comings);
        self
    }

    /// Offers more, and asks it first.
    #[must_use]
    pub fn with(mut self, provider: Arc<dyn Provider>) -> Self {
        self.providers.insert(0, provider);
        self
    }

    /// Tells the client of each change of the list of tools, as long as there is a server.
    #[must_use]
    pub fn announcing(mut self, mut changes: tokio::sync::watch::Receiver<u64>) -> Self {
        self.announces_tools = true;
        let connection = Arc::downgrade(&self.connection);
        tokio::spawn(async move {
            while changes.changed().await.is_ok() {
                let Some(connection) = connection.upgrade() else { return };
                connection.tools_changed().await;
            }
        });
        self
    }

    /// Returns the way to the client for messages that answer no request.
    pub fn connection(&self) -> Arc<Connection> {
        Arc::clone(&self.connection)
    }

    /// Serves until the client goes away.
    pub fn serve_stdio(self) -> Boxed<'static, Result<(), Error>> {
        // In a box, it is compiled here, and not in the crate that waits for it.
        Box::pin(self.serve_lines())
    }

    async fn serve_lines(self) -> Result<(), Error> {
        let running = match Arc::new(self).serve(Lines::new(tokio::io::stdin(), tokio::io::stdout())).await {
            Ok(running) => running,
            // A client that leaves before it said anything is not an error.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(Error(error.to_string())),
        };
        running.waiting().await.map(|_| ()).map_err(|error| Error(error.to_string()))
    }

    /// Asks one provider after the other.
    fn ask<'a, T>(&'a self, ask: impl Fn(&'a dyn Provider) -> Answer<'a, T>) -> Answer<'a, T> {
        self.providers.iter().find_map(|provider| ask(provider.as_ref()))
    }

    /// Returns what all providers list of one kind.
    async fn all<'a, T>(&'a self, list: impl Fn(&'a (dyn Provider + 'static)) -> Boxed<'a, Vec<T>>) -> Vec<T> {
        let mut all = Vec::new();
        for provider in &self.providers {
            all.extend(list(provider.as_ref()).await);
        }
        all
    }

    fn knows(&self, uri: &str) -> Result<(), ErrorData> {
        match self.providers.iter().any(|provider| provider.knows(uri)) {
            true => Ok(()),
            false => Err(no_resource(uri)),
        }
    }
}

/// Returns a list that is there already.
fn listed<'a, T: Send + 'a>(list: Vec<T>) -> Boxed<'a, Vec<T>> {
    Box::pin(std::future::ready(list))
}

fn no_resource(uri: &str) -> ErrorData {
    let message = format!("no resource {uri}: resources/list and resources/templates/list say what there is");
    ErrorData::resource_not_found(message, Some(serde_json::json!({"uri": uri})))
}

/// Why serving ended.
#[derive(Debug, thiserror::Error)]
#[error("the MCP session failed: {0}")]
pub struct Error(String);

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_completions()
            .enable_logging();
        let mut capabilities = capabilities.build();
        if let Some(tools) = capabilities.tools.as_mut().filter(|_| self.announces_tools) {
            tools.list_changed = Some(true);
        }
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("uixt", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(self.instructions.clone());
        info
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.connection.met(&context.peer);
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.all(|provider| provider.tools(&context)).await))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.connection.met(&context.peer);
        match self.ask(|provider| provider.call(&request, &context)) {
            Some(answer) => answer.await,
            None => Err(ErrorData::invalid_params(format!("no tool {}", request.name), None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.connection.met(&context.peer);
        self.watch.begin().await;
        Ok(ListResourcesResult::with_all_items(self.all(|provider| provider.resources(&context)).await))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(self.all(|provider| listed(provider.templates())).await))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match self.ask(|provider| provider.read(&request.uri, &context)) {
            Some(answer) => answer.await,
            None => Err(no_resource(&request.uri)),
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.knows(&request.uri)?;
        self.watch.check(&request.uri).await?;
        self.connection.met(&context.peer);
        self.watch.begin().await;
        self.connection.subscribe(request.uri.clone());
        self.watch.note(&request.uri).await;
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.connection.unsubscribe(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let known = requested.resource_subscriptions.iter().flatten().filter(|uri| self.knows(uri).is_ok());
        let filter = SubscriptionFilter::builder().resources_list_changed().resource_subscriptions(known.cloned());
        Some(if self.announces_tools { filter.tools_list_changed() } else { filter }.build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.watch.begin().await;
        self.connection.listen(context.sink());
        for uri in context.accepted().resource_subscriptions.iter().flatten() {
            self.watch.note(uri).await;
        }
        context.cancelled().await;
        self.connection.hang_up(context.sink());
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(self.all(|provider| listed(provider.prompts())).await))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        match self.ask(|provider| provider.prompt(&request, &context)) {
            Some(answer) => answer.await,
            None => {
                Err(ErrorData::invalid_params(format!("no prompt {}: prompts/list names them", request.name), None))
            }
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        match self.ask(|provider| provider.complete(&request, &context)) {
            Some(answer) => Ok(CompleteResult::new(answer.await?)),
            // Nothing to propose is no error.
            None => Ok(CompleteResult::default()),
        }
    }

    /// Answers what the protocol's reader could not read: what is meant is done, for the rest it is said what is wrong.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = request;
        let answer = match malformed::meant(&method, params)? {
            Meant::Call(call) => ServerResult::from(self.call_tool(call, context).await?),
            Meant::Prompt(prompt) => ServerResult::from(self.get_prompt(prompt, context).await?),
        };
        let answer = serde_json::to_value(answer);
        answer.map(CustomResult::new).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.connection.met(&context.peer);
        self.connection.set_level(request.level);
        Ok(())
    }
}
