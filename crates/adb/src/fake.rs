//! An adb server for tests: one device `X`, whose services a test answers as it likes, badly too.

use std::fmt::{Debug, Formatter};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};

use super::{Limits, Server, shell, wire};

/// How a request or a service is answered.
#[derive(Clone, Debug)]
pub enum Reply {
    /// `OKAY`, these bytes, the end.
    Raw(Vec<u8>),
    /// A command's end through `shell_v2`.
    Shell { stdout: Vec<u8>, stderr: Vec<u8>, exit: u8 },
    /// `FAIL` and a reason.
    Fail(&'static str),
    /// The connection closes without a word.
    Close,
    /// Nothing, for ever.
    Silence,
    /// `OKAY`, and then whatever is done with the stream.
    Talk(Talk),
}

/// What is done with a stream.
#[derive(Clone)]
pub struct Talk(Arc<dyn Fn(TcpStream) -> Talking + Send + Sync>);

type Talking = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Debug for Talk {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("Talk")
    }
}

impl Reply {
    /// Lets `talk` have the stream.
    pub fn talk<F>(talk: impl Fn(TcpStream) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Reply::Talk(Talk(Arc::new(move |stream| Box::pin(talk(stream)))))
    }

    /// A command that succeeded with this on its standard output.
    pub fn stdout(text: impl Into<Vec<u8>>) -> Self {
        Reply::Shell { stdout: text.into(), stderr: Vec::new(), exit: 0 }
    }

    /// A message as the answer to a `host:` request.
    pub fn message(text: &str) -> Self {
        Reply::Raw(wire::encode(text.as_bytes()).unwrap())
    }
}

/// A running server; it ends with the test's runtime.
pub struct Fake {
    pub server: Server,
    /// Every request that came, in order.
    pub requests: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    /// Starts a server that answers each request, host services too, by `answer`; `None` stands for the ordinary answer.
    pub async fn start(answer: impl Fn(&str) -> Option<Reply> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let limits = Limits { command: Duration::from_millis(400), ..Limits::default() };
        let server = Server::new(listener.local_addr().unwrap().to_string()).with_limits(limits);
        let (requests, answer) = (Arc::<Mutex<Vec<String>>>::default(), Arc::new(answer));
        let log = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                tokio::spawn(async move { serve(stream, &log, &*answer).await });
            }
        });
        Self { server, requests }
    }

    /// Starts a server whose device `X` runs each command of a shell by `run`.
    pub async fn shell(run: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        Self::start(move |request| {
            let (service, command) = request.split_once(':')?;
            ["shell,v2,raw", "exec"].contains(&service).then(|| run(command))
        })
        .await
    }

    /// Returns the commands that came to the device's shell, in order.
    pub fn commands(&self) -> Vec<String> {
        let requests = self.requests.lock();
        requests
            .iter()
            .filter_map(|r| r.strip_prefix("shell,v2,raw:").or(r.strip_prefix("exec:")))
            .map(str::to_owned)
            .collect()
    }
}

async fn serve(
    mut stream: TcpStream,
    log: &Mutex<Vec<String>>,
    answer: &(dyn Fn(&str) -> Option<Reply> + Send + Sync),
) {
    while let Ok(Some(request)) = wire::read_request(&mut stream, wire::MAX_MESSAGE).await {
        let request = String::from_utf8(request).unwrap();
        log.lock().push(request.clone());
        let reply = answer(&request).unwrap_or_else(|| ordinary(&request));
        if request.starts_with("host:transport:") && matches!(&reply, Reply::Raw(bytes) if bytes.is_empty()) {
            wire::write_okay(&mut stream).await.unwrap();
            continue;
        }
        if let Reply::Talk(Talk(talk)) = reply {
            wire::write_okay(&mut stream).await.unwrap();
            return talk(stream).await;
        }
        return send(&mut stream, reply).await;
    }
}

fn ordinary(request: &str) -> Reply {
    match request {
        "host:version" => Reply::message("0029"),
        "host:devices-l" => {
            Reply::message("X                      device product:p model:Pixel_9 device:d transport_id:1\n")
        }
        "host:transport:X" => Reply::Raw(Vec::new()),
        "host-serial:X:features" => Reply::message("shell_v2,cmd,stat_v2"),
        _ if request.starts_with("host") => Reply::Fail("device 'Y' not found"),
        _ => Reply::Fail("closed"),
    }
}

async fn send(stream: &mut TcpStream, reply: Reply) {
    let mut bytes = b"OKAY".to_vec();
    match reply {
        Reply::Raw(raw) => bytes.extend(raw),
        Reply::Shell { stdout, stderr, exit } => {
            shell::write_packets(&mut bytes, shell::STDOUT, &stdout).await.unwrap();
            shell::write_packets(&mut bytes, shell::STDERR, &stderr).await.unwrap();
            shell::write_exit(&mut bytes, exit).await.unwrap();
        }
        Reply::Fail(reason) => {
            bytes.clear();
            wire::write_fail(&mut bytes, reason).await.unwrap();
        }
        Reply::Close => return,
        Reply::Silence | Reply::Talk(_) => std::future::pending().await,
    }
    // The client may be gone before it has read all.
    stream.write_all(&bytes).await.ok();
}
