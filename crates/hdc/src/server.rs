//! What an hdc server is asked: its phones, a command of a phone's shell, a port. Each call has its limit of time.

use std::io::ErrorKind;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout};
use uixt_driver::exit_mark;

use crate::channel::Channel;
use crate::error::{Error, Refusal, readable, refusal};
use crate::targets::{self, Target};
use crate::{starter, usual_address};

/// How long a connection may take, and an answer of the server itself.
const CONNECTING: Duration = Duration::from_secs(3);
const ANSWER: Duration = Duration::from_secs(10);
/// The pause before a phone is asked again that is not ready.
const PAUSE: Duration = Duration::from_millis(100);
/// How long a server that was there may take to be there again.
const RESTART: Duration = Duration::from_secs(2);
/// Bytes of an answer.
const MOST: usize = 64 << 20;

/// What is on its way; boxed, so that it stands once in the program and not in each caller.
pub type Coming<'a, T, E = Error> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'a>>;

/// An hdc server. Nothing is connected before something is asked. Clones share what is known of it.
#[derive(Clone, Debug)]
pub struct Server {
    address: String,
    known: Arc<Known>,
}

#[derive(Debug, Default)]
struct Known {
    was_there: AtomicBool,
    /// Whether the user's program may start it.
    may_start: AtomicBool,
    /// Held while it is started; whether that has failed, and is not tried again.
    has_failed: Mutex<bool>,
}

impl Server {
    /// Names a server by host and port: `127.0.0.1:8710`.
    pub fn new(address: impl Into<String>) -> Self {
        Self { address: address.into(), known: Arc::default() }
    }

    /// Lets the user's own program start it where nobody listens at the usual address.
    pub fn let_start(&self) {
        self.known.may_start.store(true, Ordering::Relaxed);
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// Tells whether the server runs on this computer, as far as its address tells.
    pub fn is_here(&self) -> bool {
        let host = self.address.rsplit_once(':').map_or("", |(host, _)| host.trim_matches(['[', ']']));
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// Lists the phones, in whatever state.
    pub async fn targets(&self) -> Result<Vec<Target>, Error> {
        let answer = self.ask("", LIST, ANSWER).await?;
        Ok(targets::parse(&String::from_utf8_lossy(&answer)))
    }

    /// Runs a command line in a phone's shell, waits for its end, and returns what it wrote. Fails where it was cut off; `what` names it in
    /// errors.
    pub async fn shell(&self, key: &str, what: &str, line: &str, limit: Duration) -> Result<Vec<u8>, Error> {
        let request = format!("shell {line}; echo {}$?", exit_mark::MARK);
        let answer = self.answer(key, what, &request, limit, true).await?;
        let peer = || Error::Vanished { peer: format!("phone `{key}`") };
        exit_mark::take(answer).map(|(written, _)| written).ok_or_else(peer)
    }

    /// Asks something whose answer is all that comes until the server closes the connection.
    pub async fn ask(&self, key: &str, request: &str, limit: Duration) -> Result<Vec<u8>, Error> {
        let what = request.split_whitespace().next().unwrap_or_default();
        self.answer(key, what, request, limit, false).await
    }

    /// Has a port of the server's computer lead to a place on the phone, such as `tcp:8012`; returns the port.
    pub async fn forward(&self, key: &str, place: &str) -> Result<u16, Error> {
        let free = async { TcpListener::bind("127.0.0.1:0").await?.local_addr() };
        let port = free.await.map_err(|error| Error::File { message: error.to_string() })?.port();
        self.told(key, &format!("fport tcp:{port} {place}"), "OK").await.map(|()| port)
    }

    /// Takes a forward back.
    pub async fn unforward(&self, key: &str, port: u16, place: &str) -> Result<(), Error> {
        self.told(key, &format!("fport rm tcp:{port} {place}"), "success").await
    }

    /// Asks for something, whose answer says by a word that it was done.
    pub(crate) async fn told(&self, key: &str, request: &str, done: &str) -> Result<(), Error> {
        let answer = self.ask(key, request, ANSWER).await?;
        let said = String::from_utf8_lossy(&answer);
        let refused = || Error::Refused { code: String::new(), message: readable(&said) };
        said.contains(done).then_some(()).ok_or_else(refused)
    }

    /// Asks until the phone is ready, for `limit` at most: a phone that is not has done nothing. One that takes the request has `limit`, too.
    fn answer<'a>(
        &'a self,
        key: &'a str,
        what: &'a str,
        request: &'a str,
        limit: Duration,
        is_marked: bool,
    ) -> Coming<'a, Vec<u8>> {
        Box::pin(async move {
            let mut first = None;
            loop {
                let channel = self.open(key).await?;
                let began = *first.get_or_insert_with(Instant::now);
                let answer = timeout(limit, self.once(channel, request)).await;
                let answer = answer.unwrap_or_else(|_| Err(self.silent(key, what, limit)))?;
                // Behind its mark, an answer is a command's own, whatever it begins with.
                let is_whole = is_marked && exit_mark::is_at_end(&answer);
                match refusal(key, &answer).filter(|_| !is_whole) {
                    None => return Ok(answer),
                    Some(Refusal::NotReady) if began.elapsed() < limit => sleep(PAUSE).await,
                    Some(Refusal::NotReady) => return Err(Error::NotReady { key: key.to_owned(), after: limit }),
                    Some(Refusal::Final(Error::NoDevice { key, .. })) if request != LIST => {
                        // A phone that is not there is told with those that are; one that is listed all the same is not reached.
                        let listed = self.targets().await.unwrap_or_default();
                        let present: Vec<String> = listed.into_iter().map(|target| target.key).collect();
                        let is_listed = present.contains(&key);
                        return Err(if is_listed { Error::Offline { key } } else { Error::NoDevice { key, present } });
                    }
                    Some(Refusal::Final(error)) => return Err(error),
                }
            }
        })
    }

    async fn once(&self, mut channel: Channel, request: &str) -> Result<Vec<u8>, Error> {
        channel.ask(request).await.map_err(|error| self.broken(&error))?;
        let mut answer = Vec::new();
        while let Some(message) = channel.next().await.map_err(|error| self.broken(&error))? {
            answer.extend_from_slice(&message);
            if answer.len() > MOST {
                return Err(Error::TooMuch { limit: MOST });
            }
        }
        Ok(answer)
    }

    /// Connects and answers the greeting. Nothing has been asked yet: whatever goes wrong, nothing was done.
    pub(crate) fn open<'a>(&'a self, key: &'a str) -> Coming<'a, Channel> {
        Box::pin(async move {
            let mut is_again = false;
            loop {
                let greeted = timeout(ANSWER, Channel::greet(self.connect().await?, key)).await;
                let Ok(greeted) = greeted else {
                    return Err(self.absent(&format!("it greeted nobody within {} s", ANSWER.as_secs())));
                };
                match greeted {
                    Ok(channel) => return Ok(channel),
                    Err(error) if matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::InvalidInput) => {
                        return Err(self.broken(&error));
                    }
                    // A server that ends may be starting anew.
                    Err(error) if is_again => return Err(self.absent(&format!("it ended the connection: {error}"))),
                    Err(_) => is_again = true,
                }
                sleep(PAUSE).await;
            }
        })
    }

    /// Connects; where nobody listens at the usual address, the user's own program starts a server, if it may.
    async fn connect(&self) -> Result<TcpStream, Error> {
        let may_start = self.address == usual_address() && self.known.may_start.load(Ordering::Relaxed);
        let mut connected = self.try_connect().await;
        if may_start && is_refused(&connected) {
            let mut has_failed = self.known.has_failed.lock().await;
            // Another may have started it meanwhile.
            connected = self.try_connect().await;
            if is_refused(&connected) && !*has_failed {
                *has_failed = !starter::start().await;
                let began = Instant::now();
                while !*has_failed && connected.is_err() && began.elapsed() < ANSWER {
                    sleep(PAUSE).await;
                    connected = self.try_connect().await;
                }
            }
        }
        // One that was there may be starting anew.
        let (began, is_back) = (Instant::now(), self.known.was_there.load(Ordering::Relaxed));
        while is_back && is_refused(&connected) && began.elapsed() < RESTART {
            sleep(PAUSE).await;
            connected = self.try_connect().await;
        }
        let stream = connected.map_err(|error| match error.kind() {
            ErrorKind::ConnectionRefused => self.absent("connection refused"),
            _ => self.absent(&error.to_string()),
        })?;
        self.known.was_there.store(true, Ordering::Relaxed);
        stream.set_nodelay(true).map_err(|error| self.broken(&error))?;
        Ok(stream)
    }

    async fn try_connect(&self) -> std::io::Result<TcpStream> {
        let late = || std::io::Error::other(format!("no answer within {} s", CONNECTING.as_secs()));
        timeout(CONNECTING, TcpStream::connect(&self.address)).await.unwrap_or_else(|_| Err(late()))
    }

    fn absent(&self, reason: &str) -> Error {
        Error::NoServer { address: self.address.clone(), reason: reason.to_owned() }
    }

    pub(crate) fn silent(&self, key: &str, what: &str, after: Duration) -> Error {
        let peer = if key.is_empty() { self.peer() } else { format!("phone `{key}`") };
        Error::Silent { peer, what: what.to_owned(), after }
    }

    fn peer(&self) -> String {
        format!("the hdc server at {}", self.address)
    }

    pub(crate) fn broken(&self, error: &std::io::Error) -> Error {
        match error.kind() {
            ErrorKind::InvalidData | ErrorKind::InvalidInput => Error::Protocol { message: error.to_string() },
            _ => Error::Vanished { peer: self.peer() },
        }
    }
}

fn is_refused(connected: &std::io::Result<TcpStream>) -> bool {
    connected.as_ref().is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
}

const LIST: &str = "list targets -v";
