//! The client of an adbd against adbds that answer well, badly or not at all.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf};

use super::connection::Connection;
use super::handshake::{Hello, greet};
use super::keys::{KeyPlaces, Ring};
use super::sink::Sink;
use super::*;
use crate::Device;
use crate::packet::{self, Command, Packet, VERSION};

#[async_trait]
impl Sink for WriteHalf<DuplexStream> {
    async fn send(&mut self, packet: &Packet, sums: bool) -> io::Result<()> {
        self.write_all(&packet.encode(sums)).await
    }
}

/// The adbd's end of a connection.
struct Adbd(DuplexStream);

impl Adbd {
    async fn hear(&mut self) -> Packet {
        packet::read(&mut self.0, false).await.unwrap().unwrap()
    }

    async fn say(&mut self, command: Command, first: u32, second: u32, payload: &[u8]) {
        let bytes = packet::encode(command, [first, second], payload, true);
        self.0.write_all(&bytes).await.unwrap();
    }

    /// Takes the next `OPEN`; returns the number of its stream.
    async fn accept(&mut self, theirs: u32) -> u32 {
        let open = self.hear().await;
        assert_eq!(open.command, Command::Open);
        self.say(Command::Okay, theirs, open.first, &[]).await;
        open.first
    }
}

fn ends() -> (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>, Adbd) {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (from, to) = tokio::io::split(ours);
    (from, to, Adbd(theirs))
}

fn standing() -> (Connection, Adbd) {
    let (from, to, adbd) = ends();
    let hello = Hello { state: "device".to_owned(), max_payload: 4096, ..Hello::default() };
    (Connection::start("X", hello, from, Box::new(to)), adbd)
}

async fn greeted(ring: &Ring, script: impl AsyncFnOnce(&mut Adbd)) -> (Result<Hello, Error>, bool) {
    let (mut from, mut to, mut adbd) = ends();
    let asked = AtomicBool::new(false);
    let greeting = greet(&mut from, &mut to, ring, "X", |_| asked.store(true, Ordering::Relaxed));
    let scripted = async {
        assert_eq!(adbd.hear().await.command, Command::Connect);
        script(&mut adbd).await;
    };
    let (hello, ()) = tokio::join!(greeting, scripted);
    (hello, asked.into_inner())
}

fn unused_ring() -> Ring {
    Ring::new(KeyPlaces { folder: "/dev/null/no folder".into(), others: Vec::new() })
}

#[tokio::test]
async fn keys_are_tried_and_then_offered() {
    let folder = tempfile::tempdir().unwrap();
    let ring = Ring::new(KeyPlaces { folder: folder.path().to_owned(), others: Vec::new() });
    let public = ring.keys().await.unwrap().public().to_owned();
    let (hello, asked) = greeted(&ring, async |adbd| {
        adbd.say(Command::Authorize, 1, 0, &[7; 20]).await;
        let signed = adbd.hear().await;
        assert_eq!((signed.command, signed.first, signed.payload.len()), (Command::Authorize, 2, 256));
        adbd.say(Command::Authorize, 1, 0, &[8; 20]).await;
        let offered = adbd.hear().await;
        assert_eq!((offered.first, offered.payload), (3, format!("{public}\0").into_bytes()));
        // The owner takes their time.
        tokio::time::sleep(2 * timeouts::ANSWER).await;
        adbd.say(Command::Connect, VERSION, 4096, b"device::features=cmd\0").await;
    })
    .await;
    assert_eq!((hello.unwrap().features, asked), (vec!["cmd".to_owned()], true));
}

#[tokio::test]
async fn whoever_lets_everybody_in_is_shown_no_key() {
    let (hello, asked) = greeted(&unused_ring(), async |adbd| {
        adbd.say(Command::Connect, VERSION, 4096, b"device::\0").await;
    })
    .await;
    assert_eq!((hello.unwrap().state.as_str(), asked), ("device", false));
}

#[tokio::test]
async fn bad_beginnings_are_told_apart() {
    let of =
        async |bytes: Vec<u8>| greeted(&unused_ring(), async |adbd| adbd.0.write_all(&bytes).await.unwrap()).await.0;
    let reason = format!("no adb handshake within {} s", timeouts::ANSWER.as_secs_f64());
    assert_eq!(of(Vec::new()).await, Err(Error::Unreachable { serial: "X".to_owned(), reason }));
    let encrypted = packet::encode(Command::Encrypt, [VERSION, 0], &[], true);
    assert_eq!(of(encrypted).await, Err(Error::Encrypted { serial: "X".to_owned() }));
    assert!(matches!(of(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()).await, Err(Error::Protocol { .. })));
    let chatter = packet::encode(Command::Okay, [1, 1], &[], true).repeat(1000);
    assert!(matches!(of(chatter).await, Err(Error::Protocol { .. })));
    let wrong_token = packet::encode(Command::Authorize, [1, 0], &[1; 20], true);
    assert!(matches!(of(wrong_token).await, Err(Error::Key { .. })), "a key that cannot be made is named");
}

#[tokio::test]
async fn streams_share_a_connection_and_are_not_mixed_up() {
    let (connection, mut adbd) = standing();
    let script = async {
        let (one, two) = (adbd.accept(91).await, adbd.accept(92).await);
        adbd.say(Command::Write, 92, two, b"two").await;
        adbd.say(Command::Write, 91, one, b"one").await;
        let mut okays = [adbd.hear().await, adbd.hear().await].map(|p| (p.command, p.first, p.second));
        okays.sort_by_key(|okay| okay.1);
        assert_eq!(okays, [(Command::Okay, one, 91), (Command::Okay, two, 92)]);
        adbd.say(Command::Close, 92, two, &[]).await;
        adbd.say(Command::Close, 91, one, &[]).await;
        adbd
    };
    let read = async {
        let (mut one, mut two) = (connection.open("a").await.unwrap(), connection.open("b").await.unwrap());
        let (mut first, mut second) = (String::new(), String::new());
        one.read_to_string(&mut first).await.unwrap();
        two.read_to_string(&mut second).await.unwrap();
        (first, second)
    };
    let (read, _adbd) = tokio::join!(read, script);
    assert_eq!(read, ("one".to_owned(), "two".to_owned()));
    assert!(!connection.is_over());
}

#[tokio::test]
async fn each_packet_waits_until_the_one_before_was_taken() {
    let (connection, mut adbd) = standing();
    let script = async {
        let ours = adbd.accept(9).await;
        let mut taken = Vec::new();
        while taken.len() < 10_000 {
            let packet = adbd.hear().await;
            assert!(packet.command == Command::Write && packet.payload.len() <= 4096);
            taken.extend(packet.payload);
            let early = tokio::time::timeout(Duration::from_millis(30), packet::read(&mut adbd.0, false)).await;
            assert!(early.is_err(), "{early:?} before the last was taken");
            adbd.say(Command::Okay, 9, ours, &[]).await;
        }
        adbd
    };
    let write = async {
        let mut stream = connection.open("sync:").await.unwrap();
        stream.write_all(&[7; 10_000]).await.unwrap();
        stream
    };
    tokio::join!(write, script);
}

#[tokio::test]
async fn a_refused_service_is_no_end_of_the_connection() {
    let (connection, mut adbd) = standing();
    let script = async {
        let open = adbd.hear().await;
        adbd.say(Command::Close, 0, open.first, &[]).await;
    };
    let (opened, ()) = tokio::join!(connection.open("nothing:"), script);
    assert_eq!(opened.err(), Some(Error::Closed { serial: "X".to_owned() }));
    assert!(!connection.is_over());
}

#[tokio::test]
async fn an_adbd_that_answers_no_more_is_left() {
    let (connection, _silent) = standing();
    let opened = connection.open("shell:").await.err();
    assert_eq!(opened, Some(Error::Timeout { after: timeouts::OPEN }));
    assert!(connection.is_over());

    let (connection, mut adbd) = standing();
    let (stream, _) = tokio::join!(connection.open("shell:"), adbd.accept(9));
    drop(stream.unwrap());
    assert_eq!(adbd.hear().await.command, Command::Close);
    // Whoever asks it meanwhile hears that it hangs, and not that it was unplugged.
    let opened = connection.open("shell:").await.err();
    assert_eq!(opened, Some(Error::Timeout { after: timeouts::SIGN_OF_LIFE }));
    assert!(connection.is_over(), "it did not answer that a stream was closed");
}

#[tokio::test]
async fn a_call_that_is_dropped_closes_its_stream_and_no_more() {
    let (connection, mut adbd) = standing();
    let (stream, ours) = tokio::join!(connection.open("shell:"), adbd.accept(9));
    drop(stream.unwrap());
    let close = adbd.hear().await;
    assert_eq!((close.command, close.first, close.second), (Command::Close, ours, 9));
    adbd.say(Command::Close, 9, ours, &[]).await;
    tokio::time::sleep(timeouts::SIGN_OF_LIFE * 5 / 4).await;
    assert!(!connection.is_over());
}

#[tokio::test]
async fn what_was_cut_off_is_no_whole_answer() {
    let (connection, mut adbd) = standing();
    let (stream, ours) = tokio::join!(connection.open("exec:"), adbd.accept(9));
    adbd.say(Command::Write, 9, ours, b"half").await;
    assert_eq!(adbd.hear().await.command, Command::Okay);
    drop(adbd);
    let mut read = Vec::new();
    let error = stream.unwrap().read_to_end(&mut read).await.unwrap_err();
    assert_eq!((error.kind(), read.as_slice()), (io::ErrorKind::ConnectionReset, &b"half"[..]));
}

#[tokio::test]
async fn an_adbd_that_does_not_wait_is_left() {
    let (connection, mut adbd) = standing();
    let (stream, ours) = tokio::join!(connection.open("exec:"), adbd.accept(9));
    let flood = packet::encode(Command::Write, [9, ours], &[1; 100], true).repeat(500);
    // It is cut off while it still writes.
    let _ = adbd.0.write_all(&flood).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(connection.is_over());
    assert!(stream.unwrap().read_to_end(&mut Vec::new()).await.is_err());
}

#[tokio::test]
async fn a_phone_that_is_not_there_is_named_and_one_that_comes_is_found() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let direct = Direct::new(KeyPlaces::default());
    let error = Device::new(direct.clone(), &address).shell("true").await.unwrap_err();
    assert_eq!(error, Error::Unreachable { serial: address.clone(), reason: "connection refused".to_owned() });
    let listener = tokio::net::TcpListener::bind(&address).await.unwrap();
    let adbd = async {
        let mut stream = listener.accept().await.unwrap().0;
        packet::read(&mut stream, false).await.unwrap();
        let banner = b"device::ro.product.model=Pixel 9;features=\0";
        let hello = packet::encode(Command::Connect, [VERSION, 4096], banner, true);
        stream.write_all(&hello).await.unwrap();
        stream
    };
    let (listed, _stream) = tokio::join!(direct.devices(), adbd);
    let listed = listed.unwrap().into_iter().find(|listed| listed.serial == address).unwrap();
    assert_eq!((listed.state.as_str(), listed.model.as_str()), ("device", "Pixel 9"));
}

#[test]
fn addresses_are_told_from_serials() {
    for address in ["192.168.1.7:5555", "phone.local:5555", "[fe80::1]:5555", "localhost:1"] {
        assert!(is_address(address), "{address}");
    }
    for serial in ["R58M123ABC", "emulator-5554", "a:b", ":5555", "x:0", "x:70000", ""] {
        assert!(!is_address(serial), "{serial}");
    }
}
