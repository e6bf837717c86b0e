//! The shop's server with a mutant before it: calls of the app's pages → the real server, what is asked or answered changed.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Json, Router, routing};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, DropGuard};
use uixt::phone::apps::shop::{self, Backend};
use uixt::phone::apps::{AppDefinition, BackendKind};

/// A call of the server, and what is changed of it.
#[derive(Clone, Copy)]
pub(super) struct Exchange {
    pub(super) call: &'static str,
    pub(super) part: Part,
}

/// What is changed of a call.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Asked(fn(&mut Value)),
    Answered(fn(&mut Value)),
}

/// The server while it runs.
pub(super) struct Server {
    address: SocketAddr,
    way: Arc<Way>,
    _end: DropGuard,
}

struct Way {
    backend: Backend,
    exchange: Option<Exchange>,
    /// How many calls were changed.
    changed: AtomicUsize,
}

impl Server {
    pub(super) async fn start(exchange: Option<Exchange>) -> Self {
        let backend = Backend::start().await.expect("the shop's server");
        let way = Arc::new(Way { backend, exchange, changed: AtomicUsize::new(0) });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let app = Router::new().route("/{language}/{call}", routing::post(pass_on)).with_state(Arc::clone(&way));
        let end = CancellationToken::new();
        let serve = axum::serve(listener, app).with_graceful_shutdown(end.clone().cancelled_owned());
        tokio::spawn(async move { serve.await });
        Self { address, way, _end: end.drop_guard() }
    }

    /// Lets the shop's pages call this server.
    pub(super) fn serve(&self, apps: &mut [AppDefinition]) {
        let shop = apps.iter_mut().find(|app| app.backend == Some(BackendKind::Shop)).expect("the shop");
        shop.backend = Some(BackendKind::At(shop::HOST, self.address));
    }

    /// Whether there was something to change, and nothing was.
    pub(super) fn was_idle(&self) -> bool {
        self.way.exchange.is_some() && self.way.changed.load(Ordering::Relaxed) == 0
    }
}

impl Way {
    /// Changes what is asked or answered in a call, where this is the one.
    fn change(&self, call: &str, value: &mut Value, change: impl Fn(Part) -> Option<fn(&mut Value)>) {
        let exchange = self.exchange.filter(|exchange| exchange.call == call);
        if let Some(change) = exchange.and_then(|exchange| change(exchange.part)) {
            let before = value.clone();
            change(value);
            self.changed.fetch_add(usize::from(before != *value), Ordering::Relaxed);
        }
    }
}

async fn pass_on(
    State(way): State<Arc<Way>>,
    Path((language, call)): Path<(String, String)>,
    Json(mut body): Json<Value>,
) -> (StatusCode, Json<Value>) {
    way.change(&call, &mut body, |part| if let Part::Asked(change) = part { Some(change) } else { None });
    let (status, mut answer) = ask(way.backend.address(), &format!("/{language}/{call}"), &body).await;
    way.change(&call, &mut answer, |part| if let Part::Answered(change) = part { Some(change) } else { None });
    (status, Json(answer))
}

/// Asks the real server over plain HTTP.
async fn ask(address: SocketAddr, path: &str, body: &Value) -> (StatusCode, Value) {
    let body = body.to_string();
    let mut stream = TcpStream::connect(address).await.expect("the shop's server listens");
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        shop::HOST,
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await.expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.and_then(|status| StatusCode::from_u16(status).ok()).expect("a status");
    (status, serde_json::from_str(body).unwrap_or_else(|_| json!({})))
}
