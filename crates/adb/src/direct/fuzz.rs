//! The connection to an adbd against peers that say anything: each call ends with the peer, and nothing of it stays.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, copy, duplex, sink, split};
use tokio::runtime::{Builder, Handle};
use tokio::time::timeout;

use super::connection::Connection;
use super::handshake::greet;
use super::keys::{KeyPlaces, Ring};
use crate::error::Error;
use crate::mutation::try_on;
use crate::packet::MAX_PAYLOAD;
use crate::script;

/// How long the client may take to notice that its peer has left.
const SOON: Duration = Duration::from_secs(30);
/// Turns that other tasks get between two packets.
const TURNS: usize = 12;
const PIPE: usize = 64 * 1024;

const PEERS: [&str; 6] = [
    "CNXN 0x1000001 1048576 device::ro.product.name=p;ro.product.model=Pixel 9;ro.product.device=d;features=shell_v2,cmd\\0\n\
     OKAY 7 1\nWRTE 7 1 out\nOKAY 8 2\nWRTE 8 2 x*70000\nOKAY 7 1\nWRTE 7 1 more\nCLSE 7 1\nCLSE 8 2\n",
    "CNXN 0x1000000 4096 device::\\0\nOKAY 1 1\nOKAY 1 2\nOKAY 1 1\nOKAY 1 1\nWRTE 1 2 a\nWRTE 1 2 b\nCLSE 0 2\nCLSE 1 1\n",
    "CNXN 0x1000001 262144 device::features=\nCLSE 0 1\nCLSE 0 2\nOPEN 3 0 tcp:8081\\0\nOKAY 0 0\n",
    "AUTH 1 0 t*20\nAUTH 1 0 u*20\nCNXN 0x1000001 262144 device::features=shell_v2\nOKAY 1 1\nOKAY 2 2\nAUTH 1 0 t*20\n",
    "OKAY 1 1\nWRTE 1 1 old\nCLSE 1 1\nCNXN 0x1000001 9 recovery:x:features=a,b;a=b;;=\nOKAY 4 1\nWRTE 4 1\nCNXN 1 1 device::\n",
    "STLS 0x1000001 0\nCNXN 0x1000001 262144 device::\n",
];

/// Uses a service as the driver does: writes, reads to the end; returns how many bytes came.
async fn call(connection: Connection, service: &'static str) -> usize {
    let Ok(stream) = connection.open(service).await else { return 0 };
    let (mut from, mut to) = split(stream);
    let writing = async {
        // The peer may close it at any byte.
        let _ = to.write_all(&[7; 9000]).await;
    };
    let mut read = Vec::new();
    let reading = async {
        // What was cut off is told as an error.
        let _ = (&mut from).take(1 << 24).read_to_end(&mut read).await;
    };
    tokio::join!(writing, reading);
    read.len()
}

async fn connect(stream: DuplexStream, ring: &Ring) -> Result<usize, Error> {
    let (mut from, mut to) = split(stream);
    let hello = greet(&mut from, &mut to, ring, "X", |_| ()).await?;
    assert!(hello.max_payload <= MAX_PAYLOAD && hello.features.len() <= 400);
    let connection = Connection::start("X", hello, BufReader::new(from), Box::new(to));
    let (one, two) = tokio::join!(call(connection.clone(), "shell:a"), call(connection, "sync:"));
    Ok(one + two)
}

/// Says the script, takes what comes, and leaves.
async fn peer(stream: DuplexStream, input: Vec<u8>) {
    let (mut from, mut to) = split(stream);
    let listening = tokio::spawn(async move { copy(&mut from, &mut sink()).await });
    for packet in script::packets(&input) {
        if to.write_all(&packet).await.is_err() {
            break;
        }
        for _ in 0..TURNS {
            tokio::task::yield_now().await;
        }
    }
    listening.abort();
}

/// Meets a peer; returns how many bytes its services gave.
async fn meet(input: &[u8], ring: &Ring) -> usize {
    let (ours, theirs) = duplex(PIPE);
    let peer = tokio::spawn(peer(theirs, input.to_vec()));
    let connected = timeout(SOON, connect(ours, ring)).await.expect("the client waits for a peer that has left");
    let read = connected.unwrap_or_else(|error| {
        assert!((5..500).contains(&error.to_string().len()), "{error}");
        0
    });
    timeout(SOON, peer).await.expect("the client reads no more, and does not leave").expect("no panic");
    let begin = Instant::now();
    while Handle::current().metrics().num_alive_tasks() > 0 {
        assert!(begin.elapsed() < SOON, "tasks of a connection stay behind");
        tokio::task::yield_now().await;
    }
    read
}

#[test]
fn peers_of_the_direct_client() {
    let folder = tempfile::tempdir().unwrap();
    let ring = Ring::new(KeyPlaces { folder: folder.path().to_owned(), others: Vec::new() });
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async { Arc::clone(&ring.keys().await.unwrap()) });
    let seeds: Vec<_> = PEERS.iter().map(|text| text.as_bytes().to_vec()).collect();
    assert_eq!(runtime.block_on(meet(&seeds[0], &ring)), 3 + 70_000 + 4);
    try_on("direct", &seeds, |input| {
        runtime.block_on(meet(input, &ring));
    });
}
