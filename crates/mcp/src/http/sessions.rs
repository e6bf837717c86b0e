//! The sessions of clients over HTTP: opened by `initialize`, ended by the client, by idling or by the server's end.
//!
//! rmcp's manager runs each; what it lacks stands here: how many there may be, when one has idled, and events of its own for each,
//! so that nobody reads another's and their memory ends with it.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::{Stream, StreamExt as _, stream};
use parking_lot::Mutex;
use rmcp::model::{
    CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, ClientRequest, GetExtensions as _,
    Notification, ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionTransport,
};
use rmcp::transport::streamable_http_server::session::{EventStore as _, EventStoreError, ServerSseMessage};
use rmcp::transport::streamable_http_server::{SessionId, SessionManager};
use tokio_util::sync::CancellationToken;
use uixt_call::arrival::{Arrival, Arrivals};

use super::events::{Events, Gap, Told, standalone_place};
use crate::message::{self, Refusal};

/// How long a client waits before it asks for the rest of a stream that broke.
const RETRY: Duration = Duration::from_millis(500);
/// Messages that may be under way within a session.
const QUEUED: usize = 64;

/// How many sessions there may be, and for how long they may idle.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub sessions: usize,
    /// Without a request and without an open stream.
    pub idle: Duration,
}

/// Ends the stream of the request that it came with, while the request goes on: its client asks for the rest.
#[derive(Clone, Default)]
pub struct HangUp(CancellationToken);

impl HangUp {
    pub fn now(&self) {
        self.0.cancel();
    }
}

/// All sessions.
pub(super) struct Sessions {
    open: Mutex<HashMap<SessionId, Arc<Visit>>>,
    bounds: Bounds,
}

/// One session.
struct Visit {
    manager: LocalSessionManager,
    events: Events,
    told: Told,
    /// Held by every stream that is open.
    streams: Arc<()>,
    used: Mutex<Instant>,
    /// Whether its client knows events without data, which begin streams since 2025-11-25.
    is_primed: AtomicBool,
    takes_batches: AtomicBool,
    arrivals: Arrivals,
}

/// A stream that is open; its end is a use, too.
struct Held {
    visit: Arc<Visit>,
    _one: Arc<()>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.visit.touch();
    }
}

/// Why a session does not do what it is asked.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("there are {0} sessions already, all in use")]
    Full(usize),
    #[error("there is no such session")]
    Unknown,
    #[error("{0}")]
    Gone(EventStoreError),
    #[error(transparent)]
    Inner(#[from] LocalSessionManagerError),
}

/// What a client is told.
type Telling = Pin<Box<dyn Stream<Item = ServerSseMessage> + Send + Sync>>;

impl Visit {
    fn new() -> Self {
        let events = Events::default();
        let mut manager = LocalSessionManager::default().with_event_store(Arc::new(events.clone()));
        manager.session_config.channel_capacity = QUEUED;
        manager.session_config.keep_alive = None;
        manager.session_config.sse_retry = Some(RETRY);
        Self {
            manager,
            events,
            told: Told::default(),
            streams: Arc::default(),
            used: Mutex::new(Instant::now()),
            is_primed: AtomicBool::new(false),
            takes_batches: AtomicBool::new(false),
            arrivals: Arrivals::default(),
        }
    }

    fn touch(&self) {
        *self.used.lock() = Instant::now();
    }

    /// Returns for how long nobody has used it; nothing where somebody does.
    fn idle(&self) -> Option<Duration> {
        let idle = self.used.lock().elapsed();
        (Arc::strong_count(&self.streams) == 1).then_some(idle)
    }

    /// Counts a stream as open until it is dropped, and ends it when that is asked for.
    fn stream(
        self: &Arc<Self>,
        stream: impl Stream<Item = ServerSseMessage> + Send + Sync + 'static,
        hang_up: HangUp,
    ) -> Telling {
        let held = Held { visit: Arc::clone(self), _one: Arc::clone(&self.streams) };
        let is_primed = self.is_primed.load(Ordering::Relaxed);
        let wanted = move |event: &ServerSseMessage| std::future::ready(is_primed || event.message.is_some());
        let counted = stream.filter(wanted).inspect(move |_| held.visit.touch());
        Box::pin(counted.take_until(async move { hang_up.0.cancelled().await }))
    }
}

impl Sessions {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { open: Mutex::default(), bounds }
    }

    fn visit(&self, id: &SessionId) -> Result<Arc<Visit>, Error> {
        let visit = self.open.lock().get(id).cloned().ok_or(Error::Unknown)?;
        visit.touch();
        Ok(visit)
    }

    pub(super) fn knows(&self, id: &str) -> bool {
        self.open.lock().contains_key(id)
    }

    /// Tells whether a session's version of the protocol has messages in lists.
    pub(super) fn takes_batches(&self, id: &str) -> bool {
        self.open.lock().get(id).is_some_and(|visit| visit.takes_batches.load(Ordering::Relaxed))
    }

    /// Takes the next place among a session's calls.
    pub(super) fn arrival(&self, id: &str) -> Option<Arrival> {
        self.open.lock().get(id).map(|visit| visit.arrivals.next())
    }

    /// Says why a session cannot tell what follows an event.
    pub(super) fn gap(&self, id: &str, last: &str) -> Option<Gap> {
        self.open.lock().get(id)?.events.gap(last)
    }

    /// Tells whether no further session can be opened.
    pub(super) fn is_full(&self) -> bool {
        let open = self.open.lock();
        open.len() >= self.bounds.sessions && open.values().all(|visit| visit.idle().is_none())
    }

    /// Takes out the session that has idled longest, where there is no room for another.
    fn crowded_out(&self) -> Result<Option<Arc<Visit>>, Error> {
        let mut open = self.open.lock();
        if open.len() < self.bounds.sessions {
            return Ok(None);
        }
        let idle = open.iter().filter_map(|(id, visit)| Some((id.clone(), visit.idle()?)));
        let (longest, _) = idle.max_by_key(|(_, idle)| *idle).ok_or(Error::Full(self.bounds.sessions))?;
        Ok(open.remove(&longest))
    }

    /// Takes out the sessions that have idled for too long.
    fn idlers(&self) -> Vec<Arc<Visit>> {
        let limit = self.bounds.idle;
        let is_idle = |_: &SessionId, visit: &mut Arc<Visit>| visit.idle().is_some_and(|idle| idle >= limit);
        self.open.lock().extract_if(is_idle).map(|(_, visit)| visit).collect()
    }

    /// Ends sessions that have idled for too long, for ever.
    pub(super) async fn sweep(&self) {
        loop {
            tokio::time::sleep((self.bounds.idle / 4).clamp(Duration::from_millis(50), Duration::from_mins(1))).await;
            for visit in self.idlers() {
                end(&visit).await;
            }
        }
    }
}

/// Ends a session: what it has under way on devices, then what runs it.
async fn end(visit: &Visit) {
    let ids: Vec<SessionId> = visit.manager.sessions.read().await.keys().cloned().collect();
    for id in ids {
        for request in visit.events.running() {
            let _ = visit.manager.accept_message(&id, cancelled(request)).await;
        }
        if let Err(error) = visit.manager.close_session(&id).await {
            tracing::warn!("a session did not end properly: {error}");
        }
    }
}

fn cancelled(request: RequestId) -> ClientJsonRpcMessage {
    let cancelled = CancelledNotificationParam::new(Some(request), Some("the session ended".to_owned()));
    ClientJsonRpcMessage::notification(ClientNotification::CancelledNotification(Notification::new(cancelled)))
}

/// Refuses a request whose id another one has.
fn in_flight(id: &RequestId) -> ServerSseMessage {
    let refused = Refusal::under_way(id).error();
    ServerSseMessage::from_message(ServerJsonRpcMessage::error(refused, Some(id.clone())))
}

impl SessionManager for Sessions {
    type Error = Error;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Error> {
        if let Some(idler) = self.crowded_out()? {
            end(&idler).await;
        }
        let visit = Arc::new(Visit::new());
        let (id, transport) = visit.manager.create_session().await?;
        let mut open = self.open.lock();
        // Another may have taken the room meanwhile.
        if open.len() >= self.bounds.sessions {
            return Err(Error::Full(self.bounds.sessions));
        }
        open.insert(id.clone(), visit);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        hello: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Error> {
        let visit = self.visit(id)?;
        if let ClientJsonRpcMessage::Request(request) = &hello
            && let ClientRequest::InitializeRequest(asked) = &request.request
        {
            let version = &asked.params.protocol_version;
            visit.is_primed.store(*version >= ProtocolVersion::V_2025_11_25, Ordering::Relaxed);
            visit.takes_batches.store(message::has_batches(version), Ordering::Relaxed);
        }
        Ok(visit.manager.initialize_session(id, hello).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Error> {
        Ok(self.visit(id).is_ok())
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Error> {
        let visit = self.open.lock().remove(id);
        if let Some(visit) = visit {
            end(&visit).await;
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        let visit = self.visit(id)?;
        let hang_up = HangUp::default();
        if let ClientJsonRpcMessage::Request(request) = &mut message {
            request.request.extensions_mut().insert(hang_up.clone());
            if !visit.events.begin(request.id.clone()) {
                return Ok(visit.stream(stream::iter([in_flight(&request.id)]), hang_up));
            }
        }
        let stream = visit.manager.create_stream(id, message).await?;
        Ok(visit.stream(stream, hang_up))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Error> {
        let visit = self.visit(id)?;
        if let ClientJsonRpcMessage::Notification(notification) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(request) = &cancelled.params.request_id
        {
            visit.events.forget(request);
        }
        Ok(visit.manager.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        let visit = self.visit(id)?;
        Ok(visit.stream(visit.events.standalone(&visit.told, None), HangUp::default()))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        let visit = self.visit(id)?;
        let stream = match standalone_place(&last_event_id) {
            Some(place) => visit.events.standalone(&visit.told, Some(place + 1)),
            None => visit.events.replay_events_after(&last_event_id).await.map_err(Error::Gone)?,
        };
        Ok(visit.stream(stream, HangUp::default()))
    }
}
