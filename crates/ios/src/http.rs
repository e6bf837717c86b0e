//! Requests and answers of HTTP/1.1 over a stream to a port of a phone: one connection, kept for the next request.
//!
//! A request that may have been sent is sent again only where it changes nothing. Knows nothing of what is asked. `WebDriverAgent` wants
//! the length of each body told, takes no chunks, and knows no path with a slash at its end.

use std::time::Duration;

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Bytes};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use crate::stream::{Unreached, Way};

/// How long a connection may rest: what forwards a port may close one that does.
const LONGEST_REST: Duration = Duration::from_secs(20);

/// One connection to a port, with one request at a time.
#[derive(Debug)]
pub(crate) struct Lane {
    way: Way,
    port: u16,
    /// The connection that rests.
    kept: Mutex<Option<Connection>>,
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Call<'a> {
    pub(crate) method: Method,
    pub(crate) path: &'a str,
    /// JSON, or empty.
    pub(crate) body: Bytes,
    /// Whether it changes nothing, so that it may be sent again.
    pub(crate) is_look: bool,
    /// How long its answer may take, its connection included.
    pub(crate) limit: Duration,
    /// Bytes that its answer may have.
    pub(crate) most: usize,
}

/// An answer, whatever it says.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Bytes,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// There is no connection, and nothing was sent.
    Unreached(Unreached),
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

impl Lane {
    pub(crate) fn new(way: Way, port: u16) -> Self {
        Self { way, port, kept: Mutex::new(None) }
    }

    /// Tells whether a connection rests here that can be used.
    #[cfg(test)]
    pub(crate) fn has_connection(&self) -> bool {
        self.kept.lock().as_ref().is_some_and(Connection::is_usable)
    }

    /// Sends a request and reads its answer.
    pub(crate) async fn ask(&self, call: &Call<'_>) -> Result<Answer, Failure> {
        timeout(call.limit, self.exchange(call)).await.unwrap_or(Err(Failure::Late(call.limit)))
    }

    async fn exchange(&self, call: &Call<'_>) -> Result<Answer, Failure> {
        // Taken, not borrowed: a call that is given up midway leaves no connection with half an answer behind.
        let kept = self.kept.lock().take().filter(Connection::is_usable);
        let mut tries = 1;
        if let Some(connection) = kept {
            match self.on(connection, call).await {
                Err(Lost::Unsent) => {}
                Err(Lost::Failed(Failure::Unanswered)) if call.is_look => tries = 0,
                outcome => return outcome.map_err(Lost::failure),
            }
        }
        loop {
            let connection = self.connect().await?;
            match self.on(connection, call).await {
                Err(Lost::Failed(Failure::Unanswered)) if call.is_look && tries > 0 => tries = 0,
                outcome => return outcome.map_err(Lost::failure),
            }
        }
    }

    async fn on(&self, mut connection: Connection, call: &Call<'_>) -> Result<Answer, Lost> {
        let answer = connection.send(call).await?;
        connection.used = Instant::now();
        *self.kept.lock() = Some(connection);
        Ok(answer)
    }

    async fn connect(&self) -> Result<Connection, Failure> {
        let stream = self.way.connect(self.port).await.map_err(Failure::Unreached)?;
        let shaken = http1::handshake(TokioIo::new(stream)).await;
        let (sender, driving) = shaken.map_err(|error| Failure::Garbage(error.to_string()))?;
        // How the connection ended is told to the request that it carried.
        let driving = tokio::spawn(async { drop(driving.await) });
        Ok(Connection { sender, driving, used: Instant::now() })
    }
}

impl Connection {
    fn is_usable(&self) -> bool {
        !self.sender.is_closed() && self.used.elapsed() < LONGEST_REST
    }

    async fn send(&mut self, call: &Call<'_>) -> Result<Answer, Lost> {
        self.sender.ready().await.map_err(|_| Lost::Unsent)?;
        let sent = self.sender.try_send_request(call.request()?).await;
        let response = sent.map_err(|mut error| match error.take_message() {
            Some(_) => Lost::Unsent,
            None => Lost::Failed(failure(&error.into_error())),
        })?;
        let status = response.status().as_u16();
        if response.body().size_hint().lower() > call.most as u64 {
            return Err(Lost::Failed(Failure::TooLong(call.most)));
        }
        let body = Limited::new(response.into_body(), call.most).collect().await;
        let body = body.map_err(|error| match error.downcast_ref::<LengthLimitError>() {
            Some(_) => Lost::Failed(Failure::TooLong(call.most)),
            None => Lost::Failed(error.downcast_ref().map_or(Failure::Unanswered, failure)),
        })?;
        Ok(Answer { status, body: body.to_bytes() })
    }
}

fn failure(error: &hyper::Error) -> Failure {
    if error.is_parse() { Failure::Garbage(error.to_string()) } else { Failure::Unanswered }
}

impl Lost {
    fn failure(self) -> Failure {
        match self {
            Self::Failed(failure) => failure,
            Self::Unsent => Failure::Unreached(Unreached::Refused("what listens there hangs up".to_owned())),
        }
    }
}

impl Call<'_> {
    fn request(&self) -> Result<Request<Full<Bytes>>, Lost> {
        let request = Request::builder().method(&self.method).uri(self.path).header(HOST, "127.0.0.1");
        let request = match self.body.is_empty() {
            true => request,
            false => {
                request.header(CONTENT_TYPE, "application/json; charset=utf-8").header(CONTENT_LENGTH, self.body.len())
            }
        };
        let wrong = |error: hyper::http::Error| Lost::Failed(Failure::Garbage(error.to_string()));
        request.body(Full::new(self.body.clone())).map_err(wrong)
    }
}
