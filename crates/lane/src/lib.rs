//! Requests and answers of HTTP/1.1 with a server on a device: one connection, kept for the next request.
//!
//! A request that may have been sent is sent again only where it changes nothing. Knows neither what is asked nor how the device is reached.

use std::fmt;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::Request;
use hyper::body::Body as _;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

pub use hyper::Method;
pub use hyper::body::Bytes;

/// How long a connection may rest: a server, or what forwards its port, may close one that does.
const LONGEST_REST: Duration = Duration::from_secs(20);

/// A stream of bytes, of whatever kind.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// The way to a server.
pub trait Connector: fmt::Debug + Send + Sync {
    /// Why it leads nowhere.
    type Error: fmt::Debug + Send;

    /// Opens a stream to the server.
    fn connect(&self) -> impl Future<Output = Result<Box<dyn Stream>, Self::Error>> + Send;

    /// Says that what is there closes each stream at once.
    fn hangs_up(&self) -> Self::Error;
}

/// One connection to a server, with one request at a time.
#[derive(Debug)]
pub struct Lane<C: Connector> {
    connector: C,
    /// The connection that rests.
    kept: Mutex<Option<Connection>>,
}

/// A request.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    pub method: Method,
    pub path: &'a str,
    /// JSON, or empty.
    pub body: Bytes,
    /// Whether it changes nothing, so that it may be sent again.
    pub is_look: bool,
    /// How long its answer may take, its connection included.
    pub limit: Duration,
    /// Bytes that its answer may have.
    pub most: usize,
}

/// An answer, whatever it says.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub body: Bytes,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Failure<E> {
    /// There is no connection, and nothing was sent.
    Unreached(E),
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
    Unanswered,
    TooLong(usize),
    Garbage(String),
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

impl<C: Connector> Lane<C> {
    pub fn new(connector: C) -> Self {
        Self { connector, kept: Mutex::new(None) }
    }

    /// Tells whether a connection rests here that can be used.
    pub fn has_connection(&self) -> bool {
        self.kept.lock().as_ref().is_some_and(Connection::is_usable)
    }

    /// Sends a request and reads its answer.
    pub async fn ask(&self, call: &Call<'_>) -> Result<Answer, Failure<C::Error>> {
        timeout(call.limit, self.exchange(call)).await.unwrap_or(Err(Failure::Late(call.limit)))
    }

    async fn exchange(&self, call: &Call<'_>) -> Result<Answer, Failure<C::Error>> {
        // Taken, not borrowed: a call that is given up midway leaves no connection with half an answer behind.
        let kept = self.kept.lock().take().filter(Connection::is_usable);
        let mut may_repeat = call.is_look;
        if let Some(connection) = kept {
            match self.on(connection, call).await {
                Err(Lost::Unsent) => {}
                Err(Lost::Unanswered) if may_repeat => may_repeat = false,
                outcome => return outcome.map_err(|lost| self.failure(lost)),
            }
        }
        loop {
            let stream = self.connector.connect().await.map_err(Failure::Unreached)?;
            let connection = Connection::begin(stream).await.map_err(|lost| self.failure(lost))?;
            match self.on(connection, call).await {
                Err(Lost::Unanswered) if may_repeat => may_repeat = false,
                outcome => return outcome.map_err(|lost| self.failure(lost)),
            }
        }
    }

    async fn on(&self, mut connection: Connection, call: &Call<'_>) -> Result<Answer, Lost> {
        let answer = connection.send(call).await?;
        connection.used = Instant::now();
        *self.kept.lock() = Some(connection);
        Ok(answer)
    }

    fn failure(&self, lost: Lost) -> Failure<C::Error> {
        match lost {
            Lost::Unsent => Failure::Unreached(self.connector.hangs_up()),
            Lost::Unanswered => Failure::Unanswered,
            Lost::TooLong(most) => Failure::TooLong(most),
            Lost::Garbage(how) => Failure::Garbage(how),
        }
    }
}

impl Connection {
    async fn begin(stream: Box<dyn Stream>) -> Result<Self, Lost> {
        let shaken = http1::handshake(TokioIo::new(stream)).await;
        let (sender, driving) = shaken.map_err(|error| Lost::Garbage(error.to_string()))?;
        // How the connection ended is told to the request that it carried.
        let driving = tokio::spawn(async { drop(driving.await) });
        Ok(Self { sender, driving, used: Instant::now() })
    }

    fn is_usable(&self) -> bool {
        !self.sender.is_closed() && self.used.elapsed() < LONGEST_REST
    }

    async fn send(&mut self, call: &Call<'_>) -> Result<Answer, Lost> {
        self.sender.ready().await.map_err(|_| Lost::Unsent)?;
        let sent = self.sender.try_send_request(call.request()?).await;
        let response = sent.map_err(|mut error| match error.take_message() {
            Some(_) => Lost::Unsent,
            None => lost(&error.into_error()),
        })?;
        let status = response.status().as_u16();
        if response.body().size_hint().lower() > call.most as u64 {
            return Err(Lost::TooLong(call.most));
        }
        let body = Limited::new(response.into_body(), call.most).collect().await;
        let body = body.map_err(|error| match error.downcast_ref::<LengthLimitError>() {
            Some(_) => Lost::TooLong(call.most),
            None => error.downcast_ref().map_or(Lost::Unanswered, lost),
        })?;
        Ok(Answer { status, body: body.to_bytes() })
    }
}

fn lost(error: &hyper::Error) -> Lost {
    if error.is_parse() { Lost::Garbage(error.to_string()) } else { Lost::Unanswered }
}

impl Call<'_> {
    fn request(&self) -> Result<Request<Full<Bytes>>, Lost> {
        let request = Request::builder().method(&self.method).uri(self.path).header(HOST, "127.0.0.1");
        // Its length is told: not every server takes chunks.
        let request = match self.body.is_empty() {
            true => request,
            false => {
                request.header(CONTENT_TYPE, "application/json; charset=utf-8").header(CONTENT_LENGTH, self.body.len())
            }
        };
        let wrong = |error: hyper::http::Error| Lost::Garbage(error.to_string());
        request.body(Full::new(self.body.clone())).map_err(wrong)
    }
}
