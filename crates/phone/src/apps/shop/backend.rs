//! The shop's server on loopback: HTTP requests → calls of a [`Session`] → JSON. One per phone.
//!
//! A call is `POST /LANGUAGE/NAME` with a JSON object; a refusal is `{"error": {"message": …, "next": …}}` with its status.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header::{HOST as HOST_HEADER, ORIGIN};
use axum::http::{HeaderMap, StatusCode};
use axum::{Json, Router, routing};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::session::{Call, Refusal, Session};
use super::words::Language;

/// The host that the pages call their backend by.
pub const HOST: &str = "shop.phone";

type Shared = Arc<Mutex<Session>>;

/// A running server; it ends when this is dropped.
#[derive(Debug)]
pub struct Backend {
    address: SocketAddr,
    session: Shared,
    _end: DropGuard,
}

impl Backend {
    /// Starts a server on a free port of the loopback interface.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let session = Shared::default();
        let app = Router::new().route("/{language}/{call}", routing::post(answer)).with_state(Arc::clone(&session));
        let end = CancellationToken::new();
        let serve = axum::serve(listener, app).with_graceful_shutdown(end.clone().cancelled_owned());
        tokio::spawn(async move { serve.await });
        Ok(Self { address, session, _end: end.drop_guard() })
    }

    /// Returns where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Forgets who is logged in, the carts and the orders.
    pub fn reset(&self) {
        *self.session.lock() = Session::default();
    }
}

async fn answer(
    State(session): State<Shared>,
    Path((language, name)): Path<(String, String)>,
    headers: HeaderMap,
    body: String,
) -> (StatusCode, Json<Value>) {
    let reply = if is_from_page(&headers) {
        call(&session, &language, &name, &body)
    } else {
        Err(Refusal::new(403, "not from a page"))
    };
    match reply {
        Ok(value) => (StatusCode::OK, Json(value)),
        Err(refusal) => {
            let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
            (status, Json(json!({"error": {"message": refusal.message, "next": refusal.next}})))
        }
    }
}

/// Tells whether a request is one of the app's pages', rather than one that a web page made a browser send.
fn is_from_page(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST_HEADER).and_then(|host| host.to_str().ok()).unwrap_or_default();
    host.split(':').next() == Some(HOST) && !headers.contains_key(ORIGIN)
}

fn call(session: &Shared, language: &str, name: &str, body: &str) -> Result<Value, Refusal> {
    let language = Language::of(language).ok_or_else(|| Refusal::new(404, "no such language"))?;
    let body: Map<String, Value> = match body {
        "" => Map::new(),
        body => serde_json::from_str(body).map_err(|_| Refusal::new(400, "the body is no JSON object"))?,
    };
    session.lock().answer(name, &Call { language, body: &body })
}
