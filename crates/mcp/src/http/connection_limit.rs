//! A listener's connections → requests, with bounds for those who were not let in yet: how many, and for how long.
//!
//! Of too many at once the one that has waited longest is turned away: whoever means it has said so within milliseconds.
//! Knows neither who may come in nor what is served; whoever does tells it of each [`PendingConnection`].
//!
//! One thread reads all of them, so that requests are noted in the order in which they came, however busy those are that answer them.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

/// How many connections there may be of which no request was let in.
const WAITING: usize = 256;
/// How long a connection may take until a request of it is let in.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long the head of each further request may take, the pause before it included.
const NEXT_HEAD: Duration = Duration::from_mins(1);
/// How long is waited where the machine has no room for another connection.
const NO_ROOM: Duration = Duration::from_millis(200);

/// Those who wait, oldest first, each with what turns it away.
#[derive(Default)]
struct Door {
    waiting: Mutex<BTreeMap<u64, CancellationToken>>,
}

/// A connection, for whoever lets its requests in.
pub(super) struct PendingConnection {
    number: u64,
    door: Arc<Door>,
    is_in: AtomicBool,
    turned_away: CancellationToken,
}

impl Door {
    /// Takes a connection; where there are too many, the one that has waited longest goes.
    fn take(self: &Arc<Self>, number: u64) -> Arc<PendingConnection> {
        let turned_away = CancellationToken::new();
        let mut waiting = self.waiting.lock();
        waiting.insert(number, turned_away.clone());
        if waiting.len() > WAITING
            && let Some((_, longest)) = waiting.pop_first()
        {
            longest.cancel();
        }
        Arc::new(PendingConnection { number, door: Arc::clone(self), is_in: AtomicBool::new(false), turned_away })
    }
}

impl PendingConnection {
    /// Lets the connection in: it may stay.
    pub(super) fn let_in(&self) {
        if !self.is_in.swap(true, Ordering::Relaxed) {
            self.door.waiting.lock().remove(&self.number);
        }
    }

    /// Returns once the connection is to end, for one of many that wait, or for having waited for too long.
    async fn refused(&self) {
        tokio::select! {
            () = self.turned_away.cancelled() => {}
            () = tokio::time::sleep(TIMEOUT) => {}
        }
        if self.is_in.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for PendingConnection {
    fn drop(&mut self) {
        self.door.waiting.lock().remove(&self.number);
    }
}

/// Takes note of a request as its head comes, before anything is done about it.
pub(super) type Noted = Arc<dyn Fn(&mut Request<Incoming>) + Send + Sync>;

/// Serves every connection until that is to end; then waits for the answers that are under way. Requests are answered where this is
/// called.
pub(super) async fn serve(
    listener: TcpListener,
    app: Router,
    noted: Noted,
    ended: CancellationToken,
) -> io::Result<()> {
    let (listener, answering) = (listener.into_std()?, Handle::current());
    let (gone, done) = (CancellationToken::new(), CancellationToken::new());
    // Whoever stops waiting ends the thread, and the thread's end ends the waiting.
    let (_gone, when_done) = (gone.clone().drop_guard(), done.clone());
    let reading = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("http".to_owned()).spawn(move || {
        let _done = done.drop_guard();
        reading.block_on(async {
            let read = async {
                match TcpListener::from_std(listener) {
                    Ok(listener) => accept(listener, app, noted, answering, ended).await,
                    Err(error) => tracing::warn!("cannot accept a connection: {error}"),
                }
            };
            tokio::select! {
                () = read => {}
                () = gone.cancelled() => {}
            }
        });
    })?;
    when_done.cancelled().await;
    Ok(())
}

async fn accept(listener: TcpListener, app: Router, noted: Noted, answering: Handle, ended: CancellationToken) {
    let (door, mut attended) = (Arc::new(Door::default()), JoinSet::new());
    for number in 0.. {
        let stream = tokio::select! {
            stream = next(&listener, &mut attended) => stream,
            () = ended.cancelled() => break,
        };
        // Answers are small and waited for.
        let _ = stream.set_nodelay(true);
        let answer =
            Answer { app: TowerToHyperService::new(app.clone()), noted: Arc::clone(&noted), on: answering.clone() };
        attended.spawn(attend(stream, answer, door.take(number), ended.clone()));
    }
    drop(listener);
    while attended.join_next().await.is_some() {}
}

/// Returns the next connection; forgets those that have ended meanwhile.
async fn next(listener: &TcpListener, attended: &mut JoinSet<()>) -> TcpStream {
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => return stream,
                // It was gone before it was taken.
                Err(error) if is_its_own(&error) => {}
                Err(error) => {
                    tracing::warn!("cannot accept a connection: {error}");
                    tokio::time::sleep(NO_ROOM).await;
                }
            },
            Some(_) = attended.join_next() => {}
        }
    }
}

fn is_its_own(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// What answers requests, and where.
struct Answer {
    app: TowerToHyperService<Router>,
    noted: Noted,
    on: Handle,
}

/// An answer that is given up where nobody waits for it.
struct Answering(JoinHandle<Response>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Answer {
    fn begin(&self, mut request: Request<Incoming>) -> Answering {
        (self.noted)(&mut request);
        let answer = self.app.call(request);
        Answering(self.on.spawn(async { answer.await.unwrap_or_else(|never| match never {}) }))
    }
}

/// Answers the requests of a connection, each of which carries its [`PendingConnection`].
async fn attend(stream: TcpStream, answer: Answer, pending: Arc<PendingConnection>, ended: CancellationToken) {
    let own = Arc::clone(&pending);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(Arc::clone(&own));
        let mut answering = answer.begin(request);
        async move {
            Ok::<_, Infallible>(
                (&mut answering.0).await.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response()),
            )
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(NEXT_HEAD);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service).with_upgrades());
    let done = tokio::select! {
        done = connection.as_mut() => done,
        () = pending.refused() => return,
        () = ended.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = done {
        tracing::debug!("a connection ended: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_too_many_the_oldest_goes_and_who_is_in_stays() {
        let door = Arc::new(Door::default());
        let first = door.take(0);
        first.let_in();
        let others: Vec<_> = (1..=WAITING as u64 + 2).map(|number| door.take(number)).collect();
        let turned_away = others.iter().filter(|other| other.turned_away.is_cancelled()).map(|other| other.number);
        assert_eq!((turned_away.collect::<Vec<_>>(), first.turned_away.is_cancelled()), (vec![1, 2], false));
        drop(others);
        assert_eq!(door.waiting.lock().len(), 0);
    }
}
