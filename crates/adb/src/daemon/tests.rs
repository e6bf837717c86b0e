//! The adbd against hosts that keep to the protocol, and against others: nothing panics, hangs or grows.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy, split};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::link::WINDOW;
use super::{Admission, GREETING_TIME};
use crate::direct::test_keys;
use crate::packet::{self, Command, MAX_PAYLOAD, Packet, VERSION, VERSION_WITH_SUMS};
use crate::service::{Description, Device, Host, Running, Service, Stream, Trust};

/// What nobody waits longer for.
const SOON: Duration = Duration::from_secs(5);
/// Long enough to see that nothing comes.
const NEVER: Duration = Duration::from_millis(150);

/// A device whose services do one thing each.
pub(super) struct Bench;

#[async_trait]
impl Device for Bench {
    fn serial(&self) -> &'static str {
        "bench"
    }
    fn description(&self) -> Description {
        Description { product: "p".to_owned(), model: "m".to_owned(), device: "d".to_owned() }
    }
    fn features(&self) -> &[&str] {
        &["shell_v2"]
    }
    async fn open(&self, service: &str, host: Arc<dyn Host>) -> Result<Service, String> {
        match service {
            "echo:" => Ok(Box::new(|stream| echo(stream))),
            "pour:" => Ok(Box::new(|stream| pour(stream))),
            "hold:" => Ok(Box::new(|stream| Box::pin(hold(stream)))),
            "call:" => {
                let far = host.open("tcp:7").await.map_err(|error| error.to_string())?;
                Ok(Box::new(move |near| Box::pin(crate::service::join(near, far))))
            }
            other => Err(format!("no {other}")),
        }
    }
    async fn ask(&self, _: &str, _: &CancellationToken) -> Trust {
        Trust::Always
    }
    fn restarts(&self) -> watch::Receiver<Option<Instant>> {
        watch::channel(None).1
    }
}

fn echo(stream: Stream) -> Running {
    Box::pin(async move {
        let (mut reader, mut writer) = split(stream);
        let _ = copy(&mut reader, &mut writer).await;
    })
}

/// Reads nothing, and stays.
async fn hold(stream: Stream) {
    std::future::pending::<()>().await;
    drop(stream);
}

fn pour(mut stream: Stream) -> Running {
    Box::pin(async move { while stream.write_all(&[7; 10_000]).await.is_ok() {} })
}

/// An adb server, packet by packet.
struct Peer {
    stream: TcpStream,
    sums: bool,
}

impl Peer {
    async fn new(address: SocketAddr) -> Self {
        Self { stream: TcpStream::connect(address).await.unwrap(), sums: true }
    }

    /// Connects and greets.
    async fn greeted(address: SocketAddr, version: u32, banner: &str) -> Self {
        let mut peer = Self::new(address).await;
        peer.send(Command::Connect, version, 1 << 20, banner.as_bytes()).await;
        let answer = peer.next().await;
        assert_eq!((answer.command, answer.first), (Command::Connect, version));
        assert_eq!(answer.second as usize, MAX_PAYLOAD);
        peer.sums = version == VERSION_WITH_SUMS;
        peer
    }

    async fn send(&mut self, command: Command, first: u32, second: u32, payload: &[u8]) {
        self.stream.write_all(&Packet::new(command, first, second, payload).encode(self.sums)).await.unwrap();
    }

    async fn next(&mut self) -> Packet {
        self.try_next(SOON).await.expect("a packet in time").expect("a packet")
    }

    /// Takes two packets, whichever came first.
    async fn two(&mut self) -> [Packet; 2] {
        [self.next().await, self.next().await]
    }

    /// `None` where nothing comes, or the end of the connection.
    async fn try_next(&mut self, within: Duration) -> Option<Option<Packet>> {
        let read = timeout(within, packet::read(&mut self.stream, self.sums)).await.ok()?;
        Some(read.unwrap_or(None))
    }

    /// Opens a service; returns the device's id and how it is acknowledged.
    async fn open(&mut self, id: u32, window: u32, service: &str) -> (u32, Vec<u8>) {
        self.send(Command::Open, id, window, format!("{service}\0").as_bytes()).await;
        let answer = self.next().await;
        assert_eq!((answer.command, answer.second), (Command::Okay, id), "{service}");
        (answer.first, answer.payload)
    }
}

async fn bench(admission: Admission) -> (SocketAddr, tokio::task::JoinHandle<io::Result<()>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (address, tokio::spawn(super::serve(listener, Arc::new(Bench), admission, CancellationToken::new())))
}

async fn plain() -> Peer {
    Peer::greeted(bench(Admission::Everybody).await.0, VERSION_WITH_SUMS, "host::\0").await
}

async fn delayed() -> Peer {
    Peer::greeted(bench(Admission::Everybody).await.0, VERSION, "host::features=cmd,delayed_ack").await
}

#[tokio::test]
async fn streams_go_packet_by_packet_and_beside_each_other() {
    let mut peer = plain().await;
    let (echo, pour) = (peer.open(2, 0, "echo:").await, peer.open(1, 0, "pour:").await.0);
    assert_eq!((echo.1.len(), pour == echo.0), (0, false));
    let mut poured = peer.next().await;
    assert_eq!((poured.command, poured.first, poured.second), (Command::Write, pour, 1));
    // The other stream goes on while this one waits.
    peer.send(Command::Write, 2, echo.0, b"hello").await;
    let answers = peer.two().await;
    assert!(answers.contains(&Packet::new(Command::Okay, echo.0, 2, [])), "{answers:?}");
    assert!(answers.contains(&Packet::new(Command::Write, echo.0, 2, *b"hello")), "{answers:?}");
    assert!(peer.try_next(NEVER).await.is_none());
    for _ in 0..20 {
        peer.send(Command::Okay, 1, pour, &[]).await;
        poured = peer.next().await;
        assert_eq!((poured.command, poured.second), (Command::Write, 1));
    }
    peer.send(Command::Close, 1, pour, &[]).await;
    assert_eq!(peer.next().await, Packet::new(Command::Close, pour, 1, []));
    // What is closed on both sides means nothing any more.
    peer.send(Command::Okay, 1, pour, &[]).await;
    peer.send(Command::Write, 1, pour, b"x").await;
    peer.send(Command::Okay, 2, echo.0, &[]).await;
    peer.send(Command::Write, 2, echo.0, b"end").await;
    assert!(peer.two().await.iter().any(|packet| packet.payload == b"end"));
}

#[tokio::test]
async fn delayed_acks_are_kept_both_ways() {
    let mut peer = delayed().await;
    let (pour, window) = peer.open(1, 100_000, "pour:").await;
    assert_eq!(window, WINDOW.to_le_bytes());
    let mut total = 0;
    while let Some(Some(packet)) = peer.try_next(NEVER).await {
        total += packet.payload.len();
    }
    assert!((100_000..100_000 + MAX_PAYLOAD).contains(&total), "{total}");
    peer.send(Command::Okay, 1, pour, &i32::try_from(total).unwrap().to_le_bytes()).await;
    assert_eq!(peer.next().await.command, Command::Write);
    // A service that reads nothing: the window holds, what goes beyond it closes the stream.
    let mut peer = delayed().await;
    let hold = peer.open(1, 1000, "hold:").await.0;
    let chunk = vec![0; MAX_PAYLOAD];
    for _ in 0..3 {
        peer.send(Command::Write, 1, hold, &chunk).await;
    }
    assert_eq!(peer.next().await.command, Command::Okay);
    assert!(peer.try_next(NEVER).await.is_none());
    for _ in 0..2 {
        peer.send(Command::Write, 1, hold, &chunk).await;
    }
    let closed = loop {
        let packet = peer.next().await;
        if packet.command != Command::Okay {
            break packet;
        }
    };
    assert_eq!(closed, Packet::new(Command::Close, hold, 1, []));
    let echo = peer.open(2, 1000, "echo:").await.0;
    peer.send(Command::Write, 2, echo, b"12345").await;
    let answers = peer.two().await;
    assert!(answers.contains(&Packet::new(Command::Okay, echo, 2, 5_i32.to_le_bytes())), "{answers:?}");
}

#[tokio::test]
async fn what_a_host_refuses_ends_where_it_began() {
    let mut peer = plain().await;
    peer.send(Command::Open, 3, 0, b"nothing:\0").await;
    assert_eq!(peer.next().await, Packet::new(Command::Close, 0, 3, []));
    // The device opens a stream of the host's.
    peer.send(Command::Open, 4, 0, b"call:\0").await;
    let called = peer.next().await;
    assert_eq!((called.command, called.payload.as_slice()), (Command::Open, &b"tcp:7\0"[..]));
    let call = peer.next().await.first;
    peer.send(Command::Okay, 9, called.first, &[]).await;
    peer.send(Command::Write, 9, called.first, b"over").await;
    let seen = peer.two().await;
    assert!(seen.contains(&Packet::new(Command::Write, call, 4, *b"over")), "{seen:?}");
    peer.send(Command::Okay, 4, call, &[]).await;
    peer.send(Command::Close, 9, called.first, &[]).await;
    let closed = peer.two().await;
    assert!(closed.contains(&Packet::new(Command::Close, called.first, 9, [])), "{closed:?}");
    assert!(closed.contains(&Packet::new(Command::Close, call, 4, [])), "{closed:?}");
}

/// Greets a device that asks for keys; returns the token that is to be signed.
async fn asked(address: SocketAddr) -> (Peer, Vec<u8>) {
    let mut peer = Peer::new(address).await;
    peer.send(Command::Connect, VERSION, 4096, b"host::").await;
    peer.sums = false;
    let token = peer.token().await;
    (peer, token)
}

impl Peer {
    async fn token(&mut self) -> Vec<u8> {
        let packet = self.next().await;
        assert_eq!((packet.command, packet.first, packet.payload.len()), (Command::Authorize, 1, 20));
        packet.payload
    }
}

#[tokio::test]
async fn keys_are_asked_for_where_that_is_wanted() {
    let (_folder, keys) = test_keys();
    let key = format!("{}\0", keys.public());
    for (admission, lets_in) in [(Admission::AnyKey, true), (Admission::Ask, true), (Admission::Nobody, false)] {
        let address = bench(admission).await.0;
        let (mut peer, token) = asked(address).await;
        peer.send(Command::Authorize, 2, 0, &keys.sign(0, &token).unwrap()).await;
        assert_ne!(peer.token().await, token, "nobody knows this key yet");
        peer.send(Command::Authorize, 3, 0, b"key\0").await;
        assert!(peer.try_next(NEVER).await.is_none(), "this is none");
        peer.send(Command::Authorize, 3, 0, key.as_bytes()).await;
        let answer = peer.try_next(if lets_in { SOON } else { NEVER }).await;
        assert_eq!(answer.flatten().map(|packet| packet.command), lets_in.then_some(Command::Connect));
        if !lets_in {
            peer.send(Command::Open, 1, 0, b"echo:\0").await;
            assert_eq!(peer.try_next(SOON).await, Some(None));
            continue;
        }
        peer.open(1, 0, "echo:").await;
        // From now on the key's owner comes in by what they sign, and by nothing else.
        let (mut peer, token) = asked(address).await;
        peer.send(Command::Authorize, 2, 0, &keys.sign(0, &[0; 20]).unwrap()).await;
        let next = peer.token().await;
        assert_ne!(next, token);
        peer.send(Command::Authorize, 2, 0, &keys.sign(0, &token).unwrap()).await;
        let last = peer.token().await;
        peer.send(Command::Authorize, 2, 0, &keys.sign(0, &last).unwrap()).await;
        assert_eq!(peer.next().await.command, Command::Connect);
    }
}

#[tokio::test]
async fn what_breaks_the_protocol_ends_the_connection_and_no_other() {
    let (address, server) = bench(Admission::Everybody).await;
    let greeting = Packet::new(Command::Connect, VERSION, 1 << 20, *b"host::features=x").encode(true);
    let packet = |command, first, second| Packet::new(command, first, second, *b"echo:\0").encode(false);
    for wrong in [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(),
        packet(Command::Open, 1, 0),
        packet(Command::Encrypt, 1, 0),
        [greeting.clone(), packet(Command::Encrypt, 1, 0)].concat(),
        [greeting.clone(), packet(Command::Open, 0, 0)].concat(),
        [greeting.clone(), packet(Command::Open, 1, 5)].concat(),
        [greeting.clone(), b"WRTE\0\0\0\0\0\0\0\0\xff\xff\xff\x7f\0\0\0\0\xa8\xad\xab\xba".to_vec()].concat(),
        Packet::new(Command::Connect, VERSION, 10, *b"host::").encode(true),
    ] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&wrong).await.unwrap();
        let mut answer = Vec::new();
        // Where bytes were left unread, the end is a reset.
        let ended = timeout(SOON, stream.read_to_end(&mut answer)).await;
        assert!(ended.is_ok(), "{}", wrong.escape_ascii());
    }
    Peer::greeted(address, VERSION, "host::").await.open(1, 0, "echo:").await;
    assert!(!server.is_finished());
}

#[tokio::test]
async fn who_says_nothing_keeps_nobody_out() {
    let (address, server) = bench(Admission::Everybody).await;
    let mut host = Peer::greeted(address, VERSION, "host::").await;
    let mut silent = Vec::new();
    for number in 0..200 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        // Some begin a packet.
        if number % 2 == 0 {
            stream.write_all(b"CNXN\0").await.unwrap();
        }
        silent.push(stream);
    }
    host.open(1, 0, "echo:").await;
    let mut hosts = vec![host, Peer::greeted(address, VERSION, "host::").await];
    hosts[1].open(1, 0, "echo:").await;
    let closed = timeout(SOON, silent[0].read(&mut [0; 1])).await.expect("the oldest is closed");
    assert!(matches!(closed, Ok(0) | Err(_)));
    // So many hosts may stay; the next is closed at once.
    for _ in 0..30 {
        hosts.push(Peer::greeted(address, VERSION, "host::").await);
    }
    let mut late = Peer::new(address).await;
    late.send(Command::Connect, VERSION, 4096, b"host::").await;
    let answers = [late.try_next(SOON).await, hosts[0].try_next(NEVER).await];
    assert_eq!(answers, [Some(None), None], "33 hosts, or not even 32");
    assert!(!server.is_finished());
}

#[tokio::test]
async fn who_says_nothing_is_closed_in_time() {
    let (address, _server) = bench(Admission::Everybody).await;
    let (mut silent, mut half) =
        (TcpStream::connect(address).await.unwrap(), TcpStream::connect(address).await.unwrap());
    half.write_all(b"CNXN\0\0").await.unwrap();
    let (mut first, mut second) = ([0; 1], [0; 1]);
    let both = async { tokio::join!(silent.read(&mut first), half.read(&mut second)) };
    let closed = timeout(GREETING_TIME + SOON, both).await;
    assert!(matches!(closed, Ok((Ok(0) | Err(_), Ok(0) | Err(_)))), "{closed:?}");
}

#[tokio::test]
async fn a_greeting_again_begins_anew() {
    let mut peer = plain().await;
    let old = peer.open(1, 0, "echo:").await.0;
    peer.send(Command::Connect, VERSION, 1 << 20, b"host::").await;
    assert_eq!(peer.next().await.command, Command::Connect);
    peer.sums = false;
    peer.send(Command::Write, 1, old, b"lost").await;
    let echo = peer.open(2, 0, "echo:").await.0;
    peer.send(Command::Write, 2, echo, b"found").await;
    assert!(peer.two().await.iter().any(|packet| packet.payload == b"found"));
}

/// A packet that is well formed and may mean anything.
fn any_packet(random: &mut fastrand::Rng) -> Vec<u8> {
    use Command::{Authorize, Close, Connect, Encrypt, Okay, Open, Write};
    // Those that end the connection are rare, so that it lasts.
    let often = [Open, Open, Okay, Write, Write, Close];
    let command = if random.u8(..) == 0 {
        random.choice([Connect, Authorize, Encrypt]).unwrap()
    } else {
        random.choice(often).unwrap()
    };
    let service =
        random.choice(["echo:\0", "pour:\0", "hold:\0", "call:\0", "none:\0", "", "\0\0", "\u{7f}é"]).unwrap();
    let payload = match command {
        Open => service.as_bytes().to_vec(),
        Okay if random.bool() => random.i32(..).to_le_bytes().to_vec(),
        _ => vec![random.u8(..); random.usize(..3000)],
    };
    let second = if command == Open { random.u32(1..100_000) } else { random.u32(..20) };
    let mut bytes = Packet::new(command, random.u32(1..20), second, payload).encode(false);
    if random.u8(..) == 0 {
        bytes.truncate(random.usize(..bytes.len()));
    }
    bytes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_conversations_never_hang_nor_kill_the_device() {
    let (address, server) = bench(Admission::Everybody).await;
    let greeting = Packet::new(Command::Connect, VERSION, 1 << 20, *b"host::features=delayed_ack").encode(true);
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let stream = TcpStream::connect(address).await.unwrap();
        let (mut reader, mut writer) = stream.into_split();
        let reading = tokio::spawn(async move { copy(&mut reader, &mut tokio::io::sink()).await });
        let talk = async {
            writer.write_all(&greeting).await?;
            for _ in 0..300 {
                writer.write_all(&any_packet(&mut random)).await?;
            }
            writer.shutdown().await
        };
        // The device may end it at any packet; it may not stop reading.
        assert!(timeout(SOON, talk).await.is_ok(), "seed {seed}: the device reads no more");
        assert!(timeout(SOON, reading).await.is_ok(), "seed {seed}: the device keeps a connection that has ended");
    }
    assert!(!server.is_finished());
    Peer::greeted(address, VERSION, "host::").await.open(1, 0, "echo:").await;
}
