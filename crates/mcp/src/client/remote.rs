//! One server that others wrote, as a [`Caller`]: started when it is first needed, started again when it died.
//!
//! A call is sent once. Whether a call was done whose server died before it answered, nobody knows; it is never sent again.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rmcp::model::{self, ClientRequest, ErrorCode, ListToolsRequest, PaginatedRequestParams, ServerResult};
use serde_json::Value;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use uixt_call::{Boxed, Call, CallToolRequest, CallToolResult, Caller, ToolDefinition};
use uixt_locate::{Error, Kind, Object};

use super::asking::{Unanswered, ask};
use super::connection::{Connection, Failed};
use super::output::Outputs;
use super::settings::Settings;
use super::{definition_check, schema_check};
use crate::convert;
use crate::uniform::Definitions;

/// Most tools of a server, and most pages of them.
const MOST_TOOLS: usize = 5_000;
const MOST_PAGES: usize = 200;

/// Longest pause before a server is started again.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// A server, running or not.
pub struct Remote {
    name: String,
    settings: Settings,
    /// What its tools are known to take, whatever it says itself.
    definitions: Arc<Definitions>,
    state: Mutex<State>,
    /// Whether it was told that it lists a tool twice.
    told_doubled: AtomicBool,
}

#[derive(Default)]
struct State {
    connection: Option<Arc<Connection>>,
    tools: Option<Vec<ToolDefinition>>,
    /// What the tools of its last list answer with; that list holds over a restart, until there is another.
    outputs: Arc<Outputs>,
    /// Whether it was asked for its tools in vain.
    lists_none: bool,
    /// How often in a row it died, or did not start.
    failures: u32,
    not_before: Option<Instant>,
    was_ended: bool,
}

/// What is known of a server that runs.
#[derive(Clone, Debug)]
pub struct About {
    pub transport: &'static str,
    pub protocol: String,
    /// The server's own name and version.
    pub version: String,
}

impl Remote {
    pub fn new(name: impl Into<String>, settings: Settings) -> Self {
        let definitions = Arc::new(Definitions::shipped().clone());
        Self { name: name.into(), settings, definitions, state: Mutex::default(), told_doubled: AtomicBool::new(false) }
    }

    /// Checks calls against these definitions, rather than those that are shipped.
    #[must_use]
    pub fn defined_by(self, definitions: Arc<Definitions>) -> Self {
        Self { definitions, ..self }
    }

    /// Returns an error that names the server and holds nothing that is secret.
    fn error(&self, kind: Kind, message: &str) -> Error {
        let message = format!("server `{}`: {}", self.name, self.settings.secrets.masked(message));
        Error::new(kind, message).with("server", self.name.as_str())
    }

    /// Returns the session, which is begun where there is none.
    fn connection(&self) -> Boxed<'_, Result<Arc<Connection>, Error>> {
        // In a box, it is compiled here, and not in every crate that waits for what it gives.
        Box::pin(self.connect())
    }

    async fn connect(&self) -> Result<Arc<Connection>, Error> {
        let mut state = self.state.lock().await;
        if state.was_ended {
            return Err(self.error(Kind::Interrupted, "it was ended"));
        }
        if let Some(connection) = &state.connection {
            if connection.is_open() {
                return Ok(Arc::clone(connection));
            }
            let old = state.connection.take();
            (state.tools, state.lists_none) = (None, false);
            state.note_failure();
            if let Some(old) = old {
                tracing::warn!(server = self.name, "the server ended; it is started again");
                tokio::spawn(async move { old.kill().await });
            }
        }
        if let Some(moment) = state.not_before {
            tokio::time::sleep_until(moment.into()).await;
        }
        let started = Instant::now();
        match Connection::open(&self.name, &self.settings).await {
            Ok(connection) => {
                tracing::info!(server = self.name, "started in {} ms", started.elapsed().as_millis());
                let connection = Arc::new(connection);
                state.connection = Some(Arc::clone(&connection));
                Ok(connection)
            }
            Err(Failed { message, may_pass }) => {
                if may_pass {
                    state.note_failure();
                }
                Err(self.error(Kind::Service, &format!("cannot be started: {message}")))
            }
        }
    }

    /// Starts it, where it is not running, and says what it is.
    pub async fn about(&self) -> Result<About, Error> {
        let connection = self.connection().await?;
        let info = connection.info();
        let server = info.as_ref().and_then(|info| info.server_info.as_ref());
        Ok(About {
            transport: connection.transport,
            protocol: info.as_ref().map(|info| info.protocol_version.to_string()).unwrap_or_default(),
            version: server.map(|server| format!("{} {}", server.name, server.version)).unwrap_or_default(),
        })
    }

    /// Returns the server's tools, as it lists them.
    pub async fn tools(&self) -> Result<Vec<ToolDefinition>, Error> {
        self.tools_within(self.settings.call).await
    }

    async fn tools_within(&self, limit: Duration) -> Result<Vec<ToolDefinition>, Error> {
        let connection = self.connection().await?;
        let changed = connection.changed.swap(false, Ordering::Relaxed);
        if let Some(tools) = self.state.lock().await.tools.clone().filter(|_| !changed) {
            return Ok(tools);
        }
        let mut tools: Vec<ToolDefinition> = Vec::new();
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let mut params = PaginatedRequestParams::default();
            params.cursor = cursor;
            let request = ListToolsRequest { params: Some(params), ..ListToolsRequest::default() };
            let request = ClientRequest::ListToolsRequest(request);
            let page = self.ask(&connection, request, limit, &Call::default()).await?;
            let ServerResult::ListToolsResult(page) = page else {
                return Err(self.error(Kind::Service, "it answered tools/list with something else"));
            };
            tools.extend(page.tools.into_iter().map(convert::definition));
            cursor = page.next_cursor;
            if cursor.is_none() || tools.len() > MOST_TOOLS {
                break;
            }
        }
        if cursor.is_some() {
            return Err(self.error(Kind::Service, &format!("its list of tools does not end ({} so far)", tools.len())));
        }
        let mut seen = HashSet::new();
        let mut twice = BTreeSet::new();
        tools.retain(|tool| {
            let is_new = seen.insert(tool.name.clone());
            if !is_new {
                twice.insert(tool.name.clone());
            }
            is_new && self.settings.offers(&tool.name)
        });
        self.warn_of_doubled(&twice);
        let mut state = self.state.lock().await;
        (state.tools, state.outputs) = (Some(tools.clone()), Arc::new(Outputs::of(&tools)));
        Ok(tools)
    }

    /// Says once that a server lists tools more than once, of which the first counts.
    fn warn_of_doubled(&self, names: &BTreeSet<Cow<'static, str>>) {
        if !names.is_empty() && !self.told_doubled.swap(true, Ordering::Relaxed) {
            let names: Vec<String> = names.iter().take(10).map(|name| format!("`{}`", name.escape_debug())).collect();
            let names = self.masked(&names.join(", "));
            tracing::warn!("server `{}`: it lists {names} more than once; the first counts", self.name);
        }
    }

    /// Calls a tool with the arguments as they are, and holds the answer to what the server's list says of it, where that was asked
    /// for; `limit` stands in for the call timeout of the settings.
    pub async fn call_tool(
        &self,
        request: CallToolRequest,
        limit: Option<Duration>,
        call: &Call,
    ) -> Result<CallToolResult, Error> {
        self.check_offer(&request.name)?;
        let tool = request.name.to_string();
        let connection = tokio::select! {
            biased;
            () = call.cancel.cancelled() => return Err(Error::new(Kind::Interrupted, "interrupted")),
            connection = self.connection() => connection?,
        };
        let request = ClientRequest::CallToolRequest(model::CallToolRequest::new(convert::params(request)));
        let limit = limit.unwrap_or(self.settings.call);
        match self.ask(&connection, request, limit, call).await? {
            ServerResult::CallToolResult(result) => Box::pin(self.held(&tool, convert::result(result), limit)).await,
            ServerResult::InputRequiredResult(_) => {
                Err(self.error(Kind::Service, "it wants more input for the call, and nobody is there to give it"))
            }
            _ => Err(self.error(Kind::Service, "it answered the call with something that is not a result")),
        }
    }

    /// Holds an answer to the tool's own schema: the server's last list, or another where it said that there is one.
    async fn held(&self, tool: &str, answer: CallToolResult, limit: Duration) -> Result<CallToolResult, Error> {
        let is_wrong = self.outputs().await.check(tool, &answer).is_err();
        if is_wrong {
            self.learn(Some(limit)).await;
        }
        match self.outputs().await.check(tool, &answer) {
            Ok(()) => Ok(answer),
            Err(message) => Err(self.error(Kind::Service, &message)),
        }
    }

    async fn outputs(&self) -> Arc<Outputs> {
        Arc::clone(&self.state.lock().await.outputs)
    }

    /// Asks for the tools, so that answers can be held to what the list says; a server that lists none may still be called.
    pub async fn learn(&self, limit: Option<Duration>) {
        if self.state.lock().await.lists_none {
            return;
        }
        if let Err(error) = self.tools_within(limit.unwrap_or(self.settings.call)).await {
            self.state.lock().await.lists_none = true;
            tracing::warn!("{error}; answers are not held to what its tools say of them");
        }
    }

    /// Checks a call against the definitions that there are, or else by what the server says of its tool, before it is made;
    /// `limit` stands in for the call timeout of the settings.
    pub async fn checked(&self, request: CallToolRequest, limit: Option<Duration>) -> Result<CallToolRequest, Error> {
        self.check_offer(&request.name)?;
        let limit = limit.unwrap_or(self.settings.call);
        if let Some(definition) = self.definitions.find(&self.name, &request.name) {
            let request = definition_check::checked(definition, request)?;
            self.learn(Some(limit)).await;
            return Ok(request);
        }
        let tools = self.tools_within(limit).await?;
        match schema_check::checked(&tools, request) {
            Err(error) => Err(self.named(error)),
            checked => checked,
        }
    }

    /// Names the server in an error, and takes out what is secret.
    pub(super) fn named(&self, error: Error) -> Error {
        let Error { kind, message, mut details } = error;
        let told = self.error(kind, &message);
        details.extend(told.details);
        Error { details, ..told }
    }

    fn check_offer(&self, tool: &str) -> Result<(), Error> {
        if self.settings.offers(tool) {
            return Ok(());
        }
        let message = format!("the file of servers does not let its tool `{tool}` be called");
        Err(self.error(Kind::BadArgument, &message))
    }

    /// Takes secrets out of what is shown.
    pub fn mask(&self, shown: &mut Value) {
        self.settings.secrets.mask(shown);
    }

    /// Returns a text that is shown without the secrets.
    pub fn masked(&self, shown: &str) -> String {
        self.settings.secrets.masked(shown)
    }

    /// Returns the values that must be shown nowhere.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.settings.secrets.values()
    }

    /// Sends a request once and waits for its answer, at most for `limit`. Dropping the future cancels it.
    async fn ask(
        &self,
        connection: &Arc<Connection>,
        request: ClientRequest,
        limit: Duration,
        call: &Call,
    ) -> Result<ServerResult, Error> {
        let dropped = CancellationToken::new();
        let _guard = dropped.clone().drop_guard();
        let (cancel, progress) = (call.cancel.clone(), call.progress.clone());
        let asking = tokio::spawn(ask(Arc::clone(connection), request, limit, progress, async move {
            tokio::select! { () = dropped.cancelled() => {}, () = cancel.cancelled() => {} }
        }));
        let answer = asking.await.unwrap_or(Err(Unanswered::Broken("the call broke off".to_owned())));
        match answer {
            Ok(result) => {
                self.state.lock().await.note_answer();
                Ok(result)
            }
            Err(unanswered) => Err(self.told(connection, unanswered, limit).await),
        }
    }

    async fn told(&self, connection: &Arc<Connection>, unanswered: Unanswered, limit: Duration) -> Error {
        match unanswered {
            Unanswered::Cancelled => Error::new(Kind::Interrupted, "interrupted"),
            Unanswered::Refused(error) => {
                let kind = match error.code {
                    ErrorCode::INVALID_PARAMS | ErrorCode::METHOD_NOT_FOUND => Kind::BadArgument,
                    _ => Kind::Service,
                };
                let message = format!("{} ({}){}", error.message, error.code.0, connection.diagnostics.hints());
                self.error(kind, message.trim_end()).with("code", error.code.0)
            }
            Unanswered::Late { is_alive } => {
                let mut message = format!("no answer within {} s", limit.as_secs_f64());
                if !is_alive && connection.is_idle() {
                    message.push_str("; it answers no ping either, and was ended");
                    connection.diagnostics.ended("it hung");
                    connection.kill().await;
                }
                self.error(Kind::Service, &(message + &connection.diagnostics.hints()))
            }
            Unanswered::Closed => {
                let why = connection.why().await;
                connection.kill().await;
                let message = format!("it was gone before it answered, so the call may have been done: {why}");
                self.error(Kind::Transport, &message)
            }
            Unanswered::Unread(why) => {
                let message = format!("its answer cannot be read, so the call may have been done: {why}");
                self.error(Kind::Transport, &(message + &connection.diagnostics.hints()))
            }
            Unanswered::Broken(why) => self.error(Kind::Service, &(why + &connection.diagnostics.hints())),
        }
    }

    /// Ends the server for good.
    pub async fn close(&self) {
        let connection = {
            let mut state = self.state.lock().await;
            state.was_ended = true;
            state.connection.take()
        };
        if let Some(connection) = connection {
            connection.end().await;
        }
    }
}

impl State {
    /// Lets some time pass before the next start: none after the first failure, then twice as much each time.
    fn note_failure(&mut self) {
        self.failures += 1;
        let pause = Duration::from_millis(250) * (1 << self.failures.saturating_sub(2).min(10));
        self.not_before = (self.failures > 1).then(|| Instant::now() + pause.min(LONGEST_PAUSE));
    }

    fn note_answer(&mut self) {
        (self.failures, self.not_before) = (0, None);
    }
}

impl Caller for Remote {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        Box::pin(async {
            self.tools().await.unwrap_or_else(|error| {
                tracing::warn!("{error}");
                Vec::new()
            })
        })
    }

    fn call(&self, request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        Box::pin(async move {
            let name = request.name.to_string();
            let checked = match self.definitions.find(&self.name, &name) {
                Some(definition) => definition_check::checked(definition, request),
                // Whoever calls has the server's own schema.
                None => Ok(request),
            };
            let answer = match checked {
                Ok(request) => self.call_tool(request, None, &call).await,
                Err(error) => Err(error),
            };
            answer.unwrap_or_else(|error| CallToolResult::failure(&error, &name))
        })
    }
}

/// Arguments of a call as MCP carries them.
pub(super) fn request(tool: &str, arguments: Object) -> CallToolRequest {
    CallToolRequest::new(tool.to_owned()).with_arguments(arguments)
}

impl Remote {
    /// Makes a session over pipes that are there, for tests of the whole way.
    #[doc(hidden)]
    pub async fn over(
        name: &str,
        reader: impl tokio::io::AsyncRead + Send + Unpin + 'static,
        writer: impl tokio::io::AsyncWrite + Send + Unpin + 'static,
    ) -> Result<Self, Error> {
        let remote = Self::new(name, Settings::at_url("http://127.0.0.1/"));
        let opened = Connection::over(name, &remote.settings, reader, writer).await;
        let connection = opened.map_err(|failed| remote.error(Kind::Service, &failed.message))?;
        remote.state.lock().await.connection = Some(Arc::new(connection));
        Ok(remote)
    }
}
