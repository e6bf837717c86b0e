//! Requests and answers of HTTP/1.1 over a stream to a port of the device: one connection, kept for the next request.
//!
//! A request that may have been sent is sent again only where it changes nothing. Knows nothing of what is asked.

use std::time::Duration;

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Bytes};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use crate::adb::{self, Device};

/// How long a connection may rest: the server closes one after a minute (`KeepAliveStateHandler`).
const LONGEST_REST: Duration = Duration::from_secs(30);

/// A port of a device where an HTTP server listens.
#[derive(Debug)]
pub(super) struct Http {
    device: Device,
    port: u16,
    /// The connection that rests.
    kept: Mutex<Option<Connection>>,
}

/// A request.
#[derive(Clone, Debug)]
pub(super) struct Call<'a> {
    pub(super) method: Method,
    pub(super) path: &'a str,
    /// JSON, or empty.
    pub(super) body: Bytes,
    /// Whether it changes nothing, so that it may be sent again.
    pub(super) is_look: bool,
    /// How long its answer may take, its connection included.
    pub(super) limit: Duration,
}

/// An answer, whatever it says.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Bytes,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// There is no connection, and nothing was sent.
    Unreached(adb::Error),
    /// The connection ended before the answer was whole; what was asked may have been done.
    Unanswered,
    /// The answer did not come in time; what was asked may have been done.
    Late(Duration),
    /// The answer has more bytes than this.
    TooLong(usize),
    /// What answered does not speak HTTP.
    Garbage(String),
}

/// What came of one try.
enum Lost {
    /// Nothing of the request was sent.
    Unsent,
    Failed(Failure),
}

#[derive(Debug)]
struct Connection {
    sender: SendRequest<Full<Bytes>>,
    driving: JoinHandle<()>,
    used: Instant,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driving.abort();
    }
}

impl Http {
    pub(super) fn new(device: Device, port: u16) -> Self {
        Self { device, port, kept: Mutex::new(None) }
    }

    /// Sends a request and reads its answer.
    pub(super) async fn ask(&self, call: &Call<'_>) -> Result<Answer, Failure> {
        timeout(call.limit, self.exchange(call)).await.unwrap_or(Err(Failure::Late(call.limit)))
    }

    async fn exchange(&self, call: &Call<'_>) -> Result<Answer, Failure> {
        // Taken, not borrowed: a call that is given up midway leaves no connection with half an answer behind.
        let kept = self.kept.lock().take().filter(Connection::is_usable);
        if let Some(connection) = kept {
            match self.on(connection, call).await {
                Err(Lost::Unsent) => {}
                Err(Lost::Failed(Failure::Unanswered)) if call.is_look => {}
                outcome => return outcome.map_err(|lost| lost.failure(self.port)),
            }
        }
        let connection = self.connect().await?;
        self.on(connection, call).await.map_err(|lost| lost.failure(self.port))
    }

    async fn on(&self, mut connection: Connection, call: &Call<'_>) -> Result<Answer, Lost> {
        let answer = connection.send(call, self.device.limits().output).await?;
        connection.used = Instant::now();
        *self.kept.lock() = Some(connection);
        Ok(answer)
    }

    async fn connect(&self) -> Result<Connection, Failure> {
        let stream = self.device.connect(&format!("tcp:{}", self.port)).await.map_err(Failure::Unreached)?;
        let (sender, driving) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|error| Failure::Garbage(error.to_string()))?;
        // How the connection ended is told to the request that it carried.
        let driving = tokio::spawn(async { drop(driving.await) });
        Ok(Connection { sender, driving, used: Instant::now() })
    }
}

impl Connection {
    fn is_usable(&self) -> bool {
        !self.sender.is_closed() && self.used.elapsed() < LONGEST_REST
    }

    async fn send(&mut self, call: &Call<'_>, most: usize) -> Result<Answer, Lost> {
        self.sender.ready().await.map_err(|_| Lost::Unsent)?;
        let sent = self.sender.try_send_request(call.request()?).await;
        let response = sent.map_err(|mut error| match error.take_message() {
            Some(_) => Lost::Unsent,
            None => Lost::Failed(failure(&error.into_error())),
        })?;
        let status = response.status().as_u16();
        if response.body().size_hint().lower() > most as u64 {
            return Err(Lost::Failed(Failure::TooLong(most)));
        }
        let body = Limited::new(response.into_body(), most).collect().await;
        let body = body.map_err(|error| match error.downcast_ref::<LengthLimitError>() {
            Some(_) => Lost::Failed(Failure::TooLong(most)),
            None => Lost::Failed(error.downcast_ref().map_or(Failure::Unanswered, failure)),
        })?;
        Ok(Answer { status, body: body.to_bytes() })
    }
}

fn failure(error: &hyper::Error) -> Failure {
    if error.is_parse() { Failure::Garbage(error.to_string()) } else { Failure::Unanswered }
}

impl Lost {
    fn failure(self, port: u16) -> Failure {
        match self {
            Lost::Failed(failure) => failure,
            Lost::Unsent => {
                let message = format!("what listens on port {port} of the device hangs up");
                Failure::Unreached(adb::Error::Refused { message })
            }
        }
    }
}

impl Call<'_> {
    fn request(&self) -> Result<Request<Full<Bytes>>, Lost> {
        let request = Request::builder().method(&self.method).uri(self.path).header(HOST, "127.0.0.1");
        let request = request.header(CONTENT_TYPE, "application/json; charset=utf-8");
        let wrong = |error: hyper::http::Error| Lost::Failed(Failure::Garbage(error.to_string()));
        request.body(Full::new(self.body.clone())).map_err(wrong)
    }
}
