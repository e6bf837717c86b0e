//! Connections to a session's socket → calls of its device, until it is asked to end or nobody calls it for long.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{RwLock, RwLockReadGuard, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uixt_call::arrival::{Arrival, Arrivals};
use uixt_call::{Call, Caller};

use super::Address;
use super::background;
use super::wire::{self, Answer, Ask};
use crate::cli::signals::Asked;
use crate::tools::Audience;

/// How long whoever connects may take to say what it wants.
const ASKING: Duration = Duration::from_secs(10);
/// How long calls that are under way at the end may take to be given up.
const GIVING_UP: Duration = Duration::from_secs(5);
/// How long it is waited for those who found the socket just before it was removed.
const LAST: Duration = Duration::from_millis(20);
/// How soon it is looked again whether it idles, while a call is under way.
const AGAIN: Duration = Duration::from_secs(1);

/// What a session says of itself.
pub(super) struct About {
    name: String,
    project: PathBuf,
    device: String,
    build: String,
    began: Instant,
}

impl About {
    pub(super) fn new(address: &Address, device: String) -> Self {
        let (name, project) = (address.name.clone(), address.project.clone());
        Self { name, project, device, build: wire::build(), began: Instant::now() }
    }
}

/// When it was used.
struct Usage {
    /// Connections, and those of them that make a call.
    open: usize,
    running: usize,
    last: Instant,
}

/// Serves a session's device.
pub(super) struct Host {
    caller: Arc<dyn Caller>,
    about: About,
    idle: Duration,
    usage: Mutex<Usage>,
    /// The folder that this process is in, which is that of whoever calls.
    folder: RwLock<PathBuf>,
    arrivals: Arrivals,
    /// Ends all calls.
    ending: CancellationToken,
}

/// Those who asked it to end, and wait until it has.
pub(super) struct Waiting(Vec<OwnedWriteHalf>);

impl Waiting {
    /// Tells them that it has ended.
    pub(super) async fn tell(self, farewell: &Value) {
        for mut one in self.0 {
            let _ = send(&mut one, farewell).await;
            // The connection ends with the process, for which they wait.
            std::mem::forget(one);
        }
    }
}

impl Host {
    pub(super) fn new(caller: Arc<dyn Caller>, about: About, idle: Duration) -> Self {
        let usage = Mutex::new(Usage { open: 0, running: 0, last: Instant::now() });
        let folder = RwLock::new(std::env::current_dir().unwrap_or_default());
        Self { caller, about, idle, usage, folder, arrivals: Arrivals::default(), ending: CancellationToken::new() }
    }

    /// Answers until the end; `remove` takes the socket away, so that nobody finds what ends.
    pub(super) async fn serve(
        self: Arc<Self>,
        listener: UnixListener,
        remove: impl FnOnce(),
        asked: &mut Asked,
    ) -> Waiting {
        let (stops, mut stopping) = mpsc::unbounded_channel();
        let (mut calls, mut waiting) = (JoinSet::new(), Waiting(Vec::new()));
        let answer = |stream| {
            let (host, stops, open) = (Arc::clone(&self), stops.clone(), Open::begin(&self));
            let arrival = self.arrivals.next();
            async move { host.answer(stream, stops, open, arrival).await }
        };
        let is_idle = loop {
            tokio::select! {
                Ok((stream, _)) = listener.accept() => drop(calls.spawn(answer(stream))),
                Some(_) = calls.join_next() => {}
                Some(stop) = stopping.recv() => {
                    waiting.0.push(stop);
                    break false;
                }
                () = asked.wait() => break false,
                () = self.idled() => break true,
            }
        };
        remove();
        if is_idle {
            // Whoever found it before that is answered.
            while let Ok(Ok((stream, _))) = tokio::time::timeout(LAST, listener.accept()).await {
                calls.spawn(answer(stream));
            }
            tokio::select! {
                () = async { while calls.join_next().await.is_some() {} } => {}
                Some(stop) = stopping.recv() => waiting.0.push(stop),
                () = asked.wait() => {}
            }
        }
        drop(listener);
        self.ending.cancel();
        let _ = tokio::time::timeout(GIVING_UP, async { while calls.join_next().await.is_some() {} }).await;
        calls.shutdown().await;
        while let Ok(stop) = stopping.try_recv() {
            waiting.0.push(stop);
        }
        waiting
    }

    /// Returns once nobody has called for long.
    async fn idled(&self) {
        loop {
            let left = {
                let usage = self.usage.lock();
                if usage.open > 0 { AGAIN } else { self.idle.saturating_sub(usage.last.elapsed()) }
            };
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left).await;
        }
    }

    /// Answers a connection; one that hangs up ends its call.
    async fn answer(
        &self,
        stream: UnixStream,
        stops: mpsc::UnboundedSender<OwnedWriteHalf>,
        mut open: Open,
        arrival: Arrival,
    ) {
        let own = rustix::process::geteuid().as_raw();
        if !stream.peer_cred().is_ok_and(|peer| peer.uid() == own) {
            return;
        }
        let (input, mut output) = stream.into_split();
        let mut input = BufReader::new(input.take(wire::MAX_LEN));
        let mut line = String::new();
        if !tokio::time::timeout(ASKING, input.read_line(&mut line))
            .await
            .is_ok_and(|read| read.is_ok_and(|length| length > 0))
        {
            return;
        }
        let ask = match Ask::read(&line, &self.about.build) {
            Ok(ask) => ask,
            Err(why) => {
                let _ = send(&mut output, &json!({"refused": why})).await;
                return;
            }
        };
        if send(&mut output, &json!({"pid": std::process::id()})).await.is_err() {
            return;
        }
        let answer = match ask {
            Ask::Stop => {
                let _ = stops.send(output);
                return;
            }
            Ask::About => self.described(),
            Ask::Call { .. } => {
                open.call();
                let cancel = self.ending.child_token();
                let call = self.call(ask, Call { arrival, ..Call::until(cancel.clone()) });
                tokio::pin!(call);
                let mut rest = Vec::new();
                tokio::select! {
                    answer = &mut call => answer,
                    _ = input.read_to_end(&mut rest) => {
                        cancel.cancel();
                        call.await
                    }
                }
            }
        };
        // Whoever hung up wants no answer.
        let _ = send(&mut output, &answer).await;
    }

    fn described(&self) -> Value {
        let idle = {
            let usage = self.usage.lock();
            if usage.running > 0 { Duration::ZERO } else { usage.last.elapsed() }
        };
        let About { name, project, device, began, .. } = &self.about;
        json!({
            "name": name, "project": project.to_string_lossy(), "device": device, "pid": std::process::id(),
            "age": began.elapsed().as_secs(), "idle": idle.as_secs(),
        })
    }

    async fn call(&self, ask: Ask, call: Call) -> Value {
        let Ask::Call { mut request, audience, folder, with_picture } = ask else { return Value::Null };
        let folder = tokio::select! {
            folder = self.within(Path::new(&folder)) => folder,
            () = call.cancel.cancelled() => return json!({"refused": "it ends"}),
        };
        let _folder = match folder {
            Ok(folder) => folder,
            Err(error) => return json!({"refused": format!("it cannot change to this folder: {error}")}),
        };
        if audience == Audience::Text {
            background::mark(&mut request);
        }
        let mut answer = Answer::from(self.caller.call(request, call).await);
        answer.picture = answer.picture.filter(|_| with_picture);
        answer.line()
    }

    /// Goes to a caller's folder, in which files are named; calls from another one wait meanwhile.
    async fn within(&self, folder: &Path) -> io::Result<RwLockReadGuard<'_, PathBuf>> {
        let here = self.folder.read().await;
        if *here == folder {
            return Ok(here);
        }
        drop(here);
        let mut here = self.folder.write().await;
        std::env::set_current_dir(folder)?;
        folder.clone_into(&mut here);
        Ok(here.downgrade())
    }
}

/// A connection that is open.
struct Open {
    host: Arc<Host>,
    is_call: bool,
}

impl Open {
    fn begin(host: &Arc<Host>) -> Self {
        host.usage.lock().open += 1;
        Self { host: Arc::clone(host), is_call: false }
    }

    /// Notes that it makes a call.
    fn call(&mut self) {
        self.is_call = true;
        self.host.usage.lock().running += 1;
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut usage = self.host.usage.lock();
        usage.open -= 1;
        // Whoever only asks what runs keeps nothing open.
        if self.is_call {
            usage.running -= 1;
            usage.last = Instant::now();
        }
    }
}

async fn send(output: &mut OwnedWriteHalf, line: &Value) -> io::Result<()> {
    output.write_all(format!("{line}\n").as_bytes()).await
}
