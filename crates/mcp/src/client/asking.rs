//! One request to a server → its answer, or why there is none. Knows neither tools nor restarts.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::model::{ClientRequest, ErrorData, PingRequest, ServerResult};
use rmcp::service::{PeerRequestOptions, ServiceError};
use uixt_call::Progress;

use super::connection::Connection;
use super::http;

/// How long a server may take to show that it lives.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);

/// Why there is no answer.
pub(super) enum Unanswered {
    Cancelled,
    /// The server answered with an error of the protocol.
    Refused(ErrorData),
    Late {
        /// Whether it answered a ping.
        is_alive: bool,
    },
    Closed,
    /// The server was reached, and what it answered cannot be read.
    Unread(String),
    Broken(String),
}

impl From<ServiceError> for Unanswered {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => Self::Refused(error),
            ServiceError::TransportClosed => Self::Closed,
            ServiceError::TransportSend(error) => {
                let why = http::cause(error.error.as_ref());
                match http::may_have_arrived(error.error.as_ref()) {
                    true => Self::Unread(why),
                    false => Self::Broken(format!("the call cannot be sent: {why}")),
                }
            }
            ServiceError::Cancelled { reason } => {
                Self::Broken(format!("it cancelled the call: {}", reason.as_deref().unwrap_or("it does not say why")))
            }
            other => Self::Broken(other.to_string()),
        }
    }
}

/// Asks, until the answer, the limit, the end of the session, or `ended`; a request that is given up is cancelled.
pub(super) async fn ask(
    connection: Arc<Connection>,
    request: ClientRequest,
    limit: Duration,
    progress: Progress,
    ended: impl Future<Output = ()>,
) -> Result<ServerResult, Unanswered> {
    connection.in_flight.fetch_add(1, Ordering::Relaxed);
    let deadline = tokio::time::Instant::now() + limit;
    let done = exchange(&connection, request, deadline, progress, ended).await;
    connection.in_flight.fetch_sub(1, Ordering::Relaxed);
    match done {
        Err(Unanswered::Late { .. }) => Err(Unanswered::Late { is_alive: is_alive(&connection).await }),
        Err(Unanswered::Broken(_)) if connection.diagnostics.end().is_some() => Err(Unanswered::Closed),
        done => done,
    }
}

async fn exchange(
    connection: &Connection,
    request: ClientRequest,
    deadline: tokio::time::Instant,
    progress: Progress,
    ended: impl Future<Output = ()>,
) -> Result<ServerResult, Unanswered> {
    let late = |_| Unanswered::Late { is_alive: true };
    let sending = connection.peer.send_cancellable_request(request, PeerRequestOptions::no_options());
    let mut handle = tokio::time::timeout_at(deadline, sending).await.map_err(late)??;
    let token = handle.progress_token.clone();
    connection.listeners.add(token.clone(), progress);
    let done = tokio::select! {
        biased;
        answer = &mut handle.rx => Some(answer),
        () = ended => None,
        () = tokio::time::sleep_until(deadline) => None,
    };
    connection.listeners.remove(&token);
    if let Some(answer) = done {
        return Ok(answer.map_err(|_| Unanswered::Closed)??);
    }
    let is_late = tokio::time::Instant::now() >= deadline;
    let reason = if is_late { "no answer in time" } else { "nobody waits for it any more" };
    let _ = tokio::time::timeout(SIGN_OF_LIFE, handle.cancel(Some(reason.to_owned()))).await;
    Err(if is_late { Unanswered::Late { is_alive: true } } else { Unanswered::Cancelled })
}

/// Asks for a sign of life.
async fn is_alive(connection: &Connection) -> bool {
    let ping = ClientRequest::PingRequest(PingRequest::default());
    let answer = connection.peer.send_request(ping);
    let answer = tokio::time::timeout(SIGN_OF_LIFE, answer).await;
    // An error is a sign of life, too.
    matches!(answer, Ok(Ok(_) | Err(ServiceError::McpError(_))))
}
