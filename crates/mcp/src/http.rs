//! Any [`Caller`](uixt_call::Caller) served over Streamable HTTP at `/mcp`, to whom the guard lets in.
//!
//! Each client that says `initialize` gets a server of its own, and so a session of its own, until it ends or idles out. Requests of
//! the protocol's versions without sessions (2026-07-28) share one. Other routes may stand beside it, behind the same guard.

mod body_timeout;
mod connection_limit;
mod events;
mod guard;
mod sessions;
mod token;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, SET_COOKIE,
    VARY, WWW_AUTHENTICATE,
};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use futures_util::stream::{self, select_all};
use rmcp::model::ErrorCode;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use uixt_call::Boxed;
use uixt_call::arrival::Arrival;

pub use guard::Admission;
pub use sessions::{Bounds, HangUp};
pub use token::Token;

use self::body_timeout::{Late, timed};
use self::connection_limit::PendingConnection;
use self::events::Gap;
use self::guard::{Guard, Refusal};
use self::sessions::Sessions;
use super::message;
use super::server::Server;

/// Where MCP is served.
pub const PATH: &str = "/mcp";
/// How large a request may be, in bytes.
pub const LARGEST: usize = 4 << 20;
/// How long answers under way may take once the server is asked to end.
const PARTING: Duration = Duration::from_secs(2);

/// Makes the server of a session.
pub type Make = Arc<dyn Fn() -> Server + Send + Sync>;

/// What is served, and to whom.
pub struct Http {
    pub admission: Admission,
    pub bounds: Bounds,
    /// For each session.
    pub make: Make,
    /// For requests that belong to no session.
    pub shared: Arc<Server>,
    /// What stands beside MCP.
    pub others: Router,
}

/// Puts the guard before the routes of a server at an address.
pub fn guard_routes(routes: Router, address: SocketAddr, admission: Admission) -> Router {
    routes.layer(middleware::from_fn_with_state(Arc::new(Guard::new(address, admission)), guarded))
}

/// Serves routes to whom the guard lets in, until `ended` is cancelled.
pub fn serve_routes(
    routes: Router,
    admission: Admission,
    listener: TcpListener,
    ended: CancellationToken,
) -> Boxed<'static, io::Result<()>> {
    Box::pin(async move {
        let routes = routes.fallback(async || problem(StatusCode::NOT_FOUND, "there is nothing here"));
        let app = guard_routes(routes, listener.local_addr()?, admission);
        connection_limit::serve(listener, app, Arc::new(|_| {}), ended).await
    })
}

/// What `/mcp` is answered by.
#[derive(Clone)]
struct Mcp {
    sessions: Arc<Sessions>,
    in_session: StreamableHttpService<Arc<Server>, Sessions>,
    shared: StreamableHttpService<Arc<Server>, Sessions>,
}

impl Http {
    /// Serves until `ended` is cancelled, and ends every session.
    pub fn serve(self, listener: TcpListener, ended: CancellationToken) -> Boxed<'static, io::Result<()>> {
        // In a box, it is compiled here, and not in the crate that waits for it.
        Box::pin(self.serve_all(listener, ended))
    }

    async fn serve_all(self, listener: TcpListener, ended: CancellationToken) -> io::Result<()> {
        let address = listener.local_addr()?;
        let sessions = Arc::new(Sessions::new(self.bounds));
        let app = self.router(address, &sessions, &ended);
        let known = Arc::clone(&sessions);
        let noted = Arc::new(move |request: &mut hyper::Request<hyper::body::Incoming>| {
            let id = text(request.headers(), "mcp-session-id").filter(|_| request.method() == Method::POST);
            if let Some(arrival) = id.and_then(|id| known.arrival(id)) {
                request.extensions_mut().insert(arrival);
            }
        });
        let serving = connection_limit::serve(listener, app, noted, ended.clone());
        let parting = async {
            ended.cancelled().await;
            tokio::time::sleep(PARTING).await;
        };
        tokio::select! {
            served = serving => served?,
            () = parting => {}
            () = sessions.sweep() => {}
        }
        Ok(())
    }

    fn router(self, address: SocketAddr, sessions: &Arc<Sessions>, ended: &CancellationToken) -> Router {
        let (make, shared) = (self.make, self.shared);
        let none = Arc::new(Sessions::new(Bounds { sessions: 0, idle: Duration::ZERO }));
        let mcp = Mcp {
            sessions: Arc::clone(sessions),
            in_session: StreamableHttpService::new(move || Ok(Arc::new(make())), Arc::clone(sessions), config(ended)),
            shared: StreamableHttpService::new(
                move || Ok(Arc::clone(&shared)),
                none,
                config(ended).with_legacy_session_mode(false).with_json_response(true),
            ),
        };
        let guard = Arc::new(Guard::new(address, self.admission));
        Router::new()
            .route(PATH, axum::routing::any(answer).with_state(mcp))
            .merge(self.others)
            .fallback(async || problem(StatusCode::NOT_FOUND, "there is nothing here; MCP is at /mcp"))
            .method_not_allowed_fallback(async || problem(StatusCode::METHOD_NOT_ALLOWED, "not with this method"))
            .layer(middleware::from_fn_with_state(guard, guarded))
    }
}

/// The guard knows hosts and origins, and the sessions tell clients when to come again.
fn config(ended: &CancellationToken) -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_sse_retry(None)
        .with_max_request_body_bytes(LARGEST)
        .with_cancellation_token(ended.clone())
}

/// Reads what was sent and answers it.
async fn answer(State(mcp): State<Mcp>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let session = text(&parts.headers, "mcp-session-id").filter(|_| parts.method == Method::POST);
    let Ok(sent) = axum::body::to_bytes(body, LARGEST).await else {
        return error(StatusCode::PAYLOAD_TOO_LARGE, &message::Refusal::large(LARGEST));
    };
    if let Some(arrival) = parts.extensions.get::<Arrival>().filter(|_| !message::may_call(&sent)) {
        // Nobody waits for what makes no call.
        arrival.pass();
    }
    if session.is_some_and(|id| message::is_batch(&sent) && mcp.sessions.takes_batches(id)) {
        // Each of them has a place of its own.
        parts.extensions.remove::<Arrival>();
        return match message::each(&sent) {
            Ok(messages) => answer_all(&mcp, &parts, messages).await,
            Err(refusal) => error(StatusCode::BAD_REQUEST, &refusal),
        };
    }
    let request = Request::from_parts(parts, Body::from(sent.clone()));
    explained(handled(&mcp, request).await, &sent).await
}

/// Answers each message of a batch; all that is said comes in one stream.
async fn answer_all(mcp: &Mcp, parts: &Parts, messages: Vec<Vec<u8>>) -> Response {
    let (mut told, mut refused) = (Vec::new(), Vec::new());
    for sent in messages {
        let mut request = Request::from_parts(parts.clone(), Body::from(sent.clone()));
        if let Some(arrival) = text(&parts.headers, "mcp-session-id").and_then(|id| mcp.sessions.arrival(id)) {
            request.extensions_mut().insert(arrival);
        }
        let response = explained(handled(mcp, request).await, &sent).await;
        match response.status() {
            StatusCode::ACCEPTED => {}
            status if status.is_success() => told.push(response.into_body().into_data_stream().boxed()),
            _ => refused.push(response),
        }
    }
    if told.is_empty() {
        return refused.into_iter().next().unwrap_or_else(|| StatusCode::ACCEPTED.into_response());
    }
    for response in refused {
        let said = axum::body::to_bytes(response.into_body(), LARGEST).await.unwrap_or_default();
        let event = format!("data: {}\n\n", String::from_utf8_lossy(&said));
        told.push(stream::iter([Ok(event.into())]).boxed());
    }
    let head = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    (head, Body::from_stream(select_all(told))).into_response()
}

/// Answers a request for MCP.
async fn handled(mcp: &Mcp, request: Request) -> Response {
    let headers = request.headers();
    if is_sessionless(headers) {
        return mcp.shared.handle(request).await.map(Body::new);
    }
    match text(headers, "mcp-session-id") {
        Some(id) if !mcp.sessions.knows(id) => {
            problem(StatusCode::NOT_FOUND, "there is no such session (it ended or idled out): initialize another")
        }
        Some(id) if let Some(gap) = resumed(&request).and_then(|last| mcp.sessions.gap(id, last)) => {
            let status = if gap == Gap::Unknown { StatusCode::BAD_REQUEST } else { StatusCode::GONE };
            problem(status, &format!("Last-Event-ID: {gap}; ask without it for what comes from now on"))
        }
        None if request.method() == Method::POST && mcp.sessions.is_full() => {
            problem(StatusCode::SERVICE_UNAVAILABLE, "there are as many sessions as there may be, all in use")
        }
        _ => {
            let ends = request.method() == Method::DELETE;
            let response = mcp.in_session.handle(request).await.map(Body::new);
            // It is done, not only taken in hand; some clients warn of 202.
            if ends && response.status().is_success() { StatusCode::NO_CONTENT.into_response() } else { response }
        }
    }
}

/// Returns the event after which a client wants to go on.
fn resumed(request: &Request) -> Option<&str> {
    text(request.headers(), "last-event-id").filter(|_| request.method() == Method::GET)
}

/// Says in the one form of errors what rmcp says as plain text.
async fn explained(response: Response, sent: &[u8]) -> Response {
    let is_plain = response.headers().get(CONTENT_TYPE).is_none_or(|value| value != "application/json");
    if response.status().as_u16() < 400 || !is_plain {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let said = axum::body::to_bytes(body, LARGEST).await.unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    if said.starts_with("fail to deserialize")
        && let Err(refusal) = message::read(sent)
    {
        return error(StatusCode::BAD_REQUEST, &refusal);
    }
    let mut explained = problem(parts.status, &said);
    explained.headers_mut().extend(parts.headers.remove(ALLOW).map(|allowed| (ALLOW, allowed)));
    explained
}

/// Tells whether a request is of a version without sessions, which name version and method in headers.
fn is_sessionless(headers: &HeaderMap) -> bool {
    let version = text(headers, "mcp-protocol-version").unwrap_or_default();
    version >= "2026-07-28" && text(headers, "mcp-method").is_some_and(|method| method != "initialize")
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Refuses a request, or passes it on; pages of origins that were allowed may read the answer.
async fn guarded(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let page = guard.foreign_origin(request.headers()).and_then(|origin| HeaderValue::from_str(origin).ok());
    let path = request.uri().path().to_owned();
    if let Some((path, cookie)) = guard.entry(&request) {
        return (StatusCode::SEE_OTHER, [(LOCATION, path), (SET_COOKIE, cookie)]).into_response();
    }
    let mut response = match (&page, guard.check(request.headers())) {
        // A browser asks before it sends the token (the Fetch standard's preflight).
        (Some(_), _) if request.method() == Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        (_, Ok(())) => let_in(request, next, &path).await,
        (_, Err(refusal)) => refused(&refusal, &path),
    };
    if let Some(page) = page {
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, page);
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
        let sent =
            "authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id";
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(sent));
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("mcp-session-id, www-authenticate"));
        headers.insert(VARY, HeaderValue::from_static("origin"));
    }
    response
}

/// Passes a request on whose body must come in time.
async fn let_in(mut request: Request, next: Next, path: &str) -> Response {
    if let Some(pending) = request.extensions_mut().remove::<Arc<PendingConnection>>() {
        pending.let_in();
    }
    let late = Late::default();
    let response = next.run(request.map(|body| timed(body, &late))).await;
    match late.is_so() {
        true => {
            refused(&Refusal::new(StatusCode::REQUEST_TIMEOUT, "the body of the request did not come in time"), path)
        }
        false => response,
    }
}

fn refused(refusal: &Refusal, path: &str) -> Response {
    // Who asks for the other routes reads their form of errors.
    let mut response = match path.starts_with("/api/") {
        true => {
            let body = json!({"code": 2, "message": refusal.message, "result": null});
            (refusal.status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
        }
        false => problem(refusal.status, &refusal.message),
    };
    if refusal.status == StatusCode::UNAUTHORIZED {
        let challenge = if refusal.wrong_token { "Bearer error=\"invalid_token\"" } else { "Bearer" };
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
    response
}

/// What no code of JSON-RPC says.
const OTHER: ErrorCode = ErrorCode(-32000);

/// Says what is wrong with what no message is to blame for.
fn problem(status: StatusCode, message: &str) -> Response {
    error(status, &message::Refusal::of(OTHER, message))
}

/// Says what is wrong as JSON-RPC does, which tells those who speak something else as much.
fn error(status: StatusCode, refusal: &message::Refusal) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], refusal.body().to_string()).into_response()
}
