//! Settings of a server → a session with it, and its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ProtocolVersion, ServerPeerInfo};
use rmcp::service::{ClientInitializeError, Peer, RunningService, serve_client};
use tokio::io::AsyncReadExt as _;
use tokio::process::ChildStderr;
use tokio::sync::Mutex;
use tracing::instrument::WithSubscriber as _;

use super::address;
use super::diagnostics::{self, Diagnostics};
use super::handler::{Handler, Listeners};
use super::http;
use super::lines::Lines;
use super::process::Process;
use super::settings::{Settings, Speaks, Transport};
use super::sse::Events;
use super::transport::AnyTransport;

/// How long the end of a session may take beside that of its process.
const ENDING: Duration = Duration::from_secs(2);

/// How long the last words of a process may take that ended.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// Most characters of a version of the protocol that are told.
const LONGEST_VERSION: usize = 40;

/// Why there is no session.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    pub(super) message: String,
    /// Whether it may be another time.
    pub(super) may_pass: bool,
}

/// A session with a server.
pub(super) struct Connection {
    running: Mutex<Option<RunningService<RoleClient, Handler>>>,
    process: Mutex<Option<Process>>,
    pub(super) peer: Peer<RoleClient>,
    pub(super) diagnostics: Arc<Diagnostics>,
    pub(super) listeners: Listeners,
    pub(super) changed: Arc<AtomicBool>,
    pub(super) transport: &'static str,
    /// Calls that wait for their answers.
    pub(super) in_flight: AtomicUsize,
}

/// What is made of settings before a session begins.
struct Opening<'a> {
    name: &'a str,
    settings: &'a Settings,
    diagnostics: Arc<Diagnostics>,
}

type Running = RunningService<RoleClient, Handler>;

impl Connection {
    /// Begins a session; everything that was started for it ends with the future.
    pub(super) async fn open(name: &str, settings: &Settings) -> Result<Self, Failed> {
        let diagnostics = Arc::new(Diagnostics::default());
        let opening = Opening { name, settings, diagnostics: Arc::clone(&diagnostics) };
        let opened = match &settings.transport {
            Transport::Program { command, args, env, cwd } => {
                let started = Process::start(command, args, env, cwd.as_deref());
                let (mut process, pipes) = started.map_err(|message| Failed { message, may_pass: false })?;
                let stderr = tokio::spawn(keep_last(pipes.stderr, Arc::clone(&diagnostics)));
                let lines = Lines::new(pipes.stdout, pipes.stdin, Arc::clone(&diagnostics));
                let served = opening.in_time(opening.serve(AnyTransport::new(lines))).await;
                let message = match served {
                    Ok(Ok(running)) => {
                        return Self::of(running, Some(process), diagnostics, "stdio").of_known_version().await;
                    }
                    Ok(Err(error)) => opening.death(&error, &mut process).await,
                    Err(late) => late,
                };
                process.kill().await;
                let _ = tokio::time::timeout(LAST_WORDS, stderr).await;
                Err(message)
            }
            Transport::Url { url, headers, speaks } => {
                let client = http::client(headers).map_err(|message| Failed { message, may_pass: false })?;
                let opened = opening.in_time(opening.by_url(url, client, *speaks)).await.and_then(|done| done);
                opened.map_err(|message| address::told(&message, url, !headers.is_empty()))
            }
        };
        match opened {
            Ok((running, transport)) => Self::of(running, None, diagnostics, transport).of_known_version().await,
            Err(message) => Err(Failed { message: message + &diagnostics.hints(), may_pass: true }),
        }
    }

    /// Begins a session over pipes.
    pub(super) async fn over(
        name: &str,
        settings: &Settings,
        reader: impl tokio::io::AsyncRead + Send + Unpin + 'static,
        writer: impl tokio::io::AsyncWrite + Send + Unpin + 'static,
    ) -> Result<Self, Failed> {
        let diagnostics = Arc::new(Diagnostics::default());
        let opening = Opening { name, settings, diagnostics: Arc::clone(&diagnostics) };
        let failed = |message| Failed { message, may_pass: true };
        let lines = AnyTransport::new(Lines::new(reader, writer, Arc::clone(&diagnostics)));
        let served = opening.in_time(opening.serve(lines)).await;
        let running = served.map_err(failed)?.map_err(|error| failed(http::told(&error)))?;
        Self::of(running, None, diagnostics, "pipe").of_known_version().await
    }

    /// Refuses a server that speaks no version of the protocol that is known: what its messages mean is anybody's guess.
    async fn of_known_version(self) -> Result<Self, Failed> {
        let version = self.info().map(|info| info.protocol_version.clone());
        let known = ProtocolVersion::KNOWN_VERSIONS;
        let Some(version) = version.filter(|version| !known.contains(version)) else { return Ok(self) };
        self.kill().await;
        let version: String = version.as_str().escape_debug().take(LONGEST_VERSION).collect();
        let valid: Vec<&str> = known.iter().map(ProtocolVersion::as_str).collect();
        let message = format!("it answers with an unknown protocol version, `{version}`; valid: {}", valid.join(", "));
        Err(Failed { message, may_pass: false })
    }

    fn of(running: Running, process: Option<Process>, diagnostics: Arc<Diagnostics>, transport: &'static str) -> Self {
        let service = running.service();
        Self {
            peer: running.peer().clone(),
            listeners: service.listeners.clone(),
            changed: Arc::clone(&service.changed),
            running: Mutex::new(Some(running)),
            process: Mutex::new(process),
            diagnostics,
            transport,
            in_flight: AtomicUsize::new(0),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        !self.peer.is_transport_closed() && self.diagnostics.end().is_none()
    }

    pub(super) fn info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.peer.peer_info()
    }

    /// Says why the session ended, and what the server said last.
    pub(super) async fn why(&self) -> String {
        let mut why = self.diagnostics.end().unwrap_or_else(|| self.ended().to_owned());
        if why == diagnostics::CLOSED
            && let Some(process) = self.process.lock().await.as_mut()
            && let Some(status) = process.status(LAST_WORDS).await
        {
            why = format!("it ended ({status})");
            tokio::time::sleep(LAST_WORDS / 6).await;
        }
        why + &self.diagnostics.hints()
    }

    /// Says how a connection ends of which nothing is noted.
    fn ended(&self) -> &'static str {
        match self.transport {
            "http" => "the connection was ended, by the server or because a message of it was larger than 16 MiB",
            _ => "the connection ended",
        }
    }

    /// Ends the session: the input is closed, and what does not end then is ended.
    pub(super) async fn end(&self) {
        self.diagnostics.ended("it was ended");
        if let Some(mut running) = self.running.lock().await.take() {
            let _ = running.close_with_timeout(ENDING).await;
        }
        if let Some(process) = self.process.lock().await.take() {
            process.end().await;
        }
    }

    /// Ends it without waiting for it to be ready.
    pub(super) async fn kill(&self) {
        if let Some(process) = self.process.lock().await.take() {
            process.kill().await;
        }
        self.end().await;
    }

    pub(super) fn is_idle(&self) -> bool {
        self.in_flight.load(Ordering::Relaxed) == 0
    }
}

impl Opening<'_> {
    async fn in_time<T>(&self, work: impl Future<Output = T>) -> Result<T, String> {
        let limit = self.settings.startup;
        let late = |_| format!("no session within {} s", limit.as_secs_f64());
        tokio::time::timeout(limit, work).await.map_err(late)
    }

    async fn serve(&self, transport: AnyTransport) -> Result<Running, ClientInitializeError> {
        let handler = Handler::new(self.name, Arc::clone(&self.diagnostics), self.settings.elicitation);
        // What the library logs of a peer may hold anything; what matters is told by errors.
        serve_client(handler, transport).with_subscriber(tracing::subscriber::NoSubscriber::default()).await
    }

    async fn by_url(
        &self,
        url: &str,
        client: reqwest::Client,
        speaks: Speaks,
    ) -> Result<(Running, &'static str), String> {
        let refused = match speaks {
            Speaks::Sse => None,
            Speaks::Streamable | Speaks::Either => {
                match self.serve(AnyTransport::new(http::streamable(url, client.clone()))).await {
                    Ok(running) => return Ok((running, "http")),
                    Err(error) if speaks == Speaks::Either && http::is_older(&error) => Some(http::told(&error)),
                    Err(error) => return Err(http::told(&error)),
                }
            }
        };
        let also = refused.map(|refused| format!(" (and by Streamable HTTP: {refused})")).unwrap_or_default();
        let events = Events::open(url, client, Arc::clone(&self.diagnostics)).await;
        let events = events.map_err(|message| format!("{message}{also}"))?;
        let served = self.serve(AnyTransport::new(events)).await;
        let running = served.map_err(|error| format!("{}{also}", http::told(&error)))?;
        Ok((running, "sse"))
    }

    /// Says why a process gave no session.
    async fn death(&self, error: &ClientInitializeError, process: &mut Process) -> String {
        let is_gone =
            matches!(error, ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. });
        if !is_gone {
            return http::told(error);
        }
        match process.status(LAST_WORDS).await {
            Some(status) => format!("it ended before it had started ({status})"),
            None => self.diagnostics.end().unwrap_or_else(|| http::told(error)),
        }
    }
}

/// Reads what a server prints, and keeps the end of it.
async fn keep_last(mut stderr: ChildStderr, diagnostics: Arc<Diagnostics>) {
    let mut buffer = vec![0; 8192];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        diagnostics.printed(&buffer[..read]);
    }
}
