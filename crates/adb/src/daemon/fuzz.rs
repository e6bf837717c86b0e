//! The adbd against conversations that nobody has: each ends when the host leaves, and nothing of it stays.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWriteExt as _, duplex, split};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::tests::Bench;
use super::{Admission, Guard, PendingHosts, converse};
use crate::mutation::try_on;
use crate::packet::{self, MAX_PAYLOAD};
use crate::script;

/// How long the device may take to notice that its host has left.
const SOON: Duration = Duration::from_secs(30);
/// Turns that other tasks get between two packets.
const TURNS: usize = 12;
/// Bytes between the device and its host.
const PIPE: usize = 64 * 1024;
/// Bytes that a host takes from a service that never ends.
const ENOUGH: usize = 1 << 20;

const CONVERSATIONS: [&str; 6] = [
    "CNXN 0x1000000 4096 host::\\0\nOPEN 1 0 echo:\\0\nWRTE 1 1 hello\nOKAY 1 1\nOPEN 2 0 pour:\\0\nOKAY 2 2\nOKAY 2 2\n\
     WRTE 1 1 x*4096\nOKAY 1 1\nCLSE 2 2\nCLSE 1 1\n",
    "CNXN 0x1000001 1048576 host::features=shell_v2,cmd,stat_v2,delayed_ack,sendrecv_v2\nOPEN 1 33554432 pour:\\0\n\
     OPEN 2 1000 echo:\\0\nWRTE 2 2 x*70000\nOKAY 2 2 =70000\nWRTE 2 2 y\nOKAY 1 1 =262144\nCLSE 1 1\nCLSE 2 2\n",
    "CNXN 0x1000001 1048576 host::features=delayed_ack\nOPEN 1 9 hold:\\0\nWRTE 1 1 x*262144\nWRTE 1 1 x*262144\n\
     WRTE 1 1 x*262144\nWRTE 1 1 x*262144\nWRTE 1 1 x*262144\nWRTE 1 1 x*262144\nOKAY 1 1 =-5\nOKAY 1 1 =2147483647\n",
    "CNXN 0x1000001 262144 host::\nOPEN 5 0 call:\\0\nOKAY 9 1\nWRTE 9 1 over there\nOKAY 5 2\nCLSE 9 1\nOPEN 6 0 call:\\0\n\
     CLSE 0 3\nOPEN 7 0 none:\\0\nCNXN 0x1000000 4096 host::\nWRTE 5 2 lost\nOPEN 5 0 echo:\\0\n",
    "CNXN 0x1000001 262144 host::\nAUTH 2 0 s*256\nAUTH 3 0 QAAAAKey= me@here\\0\nOPEN 1 0 echo:\\0\nSTLS 1 0\n",
    "CNXN 0x1000002 99999999 host:x:features=,,;features=a=b,delayed_ack\\0\nAUTH 1 0 t*20\nAUTH 0 0\nAUTH 3 0\n\
     OPEN 4294967295 0 echo:a:b\\0\nOKAY 4294967295 1\nWRTE 4294967295 1\nGET / HTTP/1.1\n",
];

/// Takes what the device says until it closes, and counts it; every packet must be whole and short enough.
async fn listen(mut from: impl AsyncRead + Unpin, left: CancellationToken) -> usize {
    let (mut taken, mut heard) = (0, 0);
    loop {
        match packet::read(&mut from, false).await {
            Ok(Some(packet)) => {
                assert!(packet.payload.len() <= MAX_PAYLOAD);
                taken += packet.payload.len();
                heard += 1;
            }
            Ok(None) => return heard,
            Err(error) => {
                // The device may end in the middle of a packet, but says nothing that is none.
                assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof, "{error}");
                return heard;
            }
        }
        if taken > ENOUGH {
            left.cancel();
        }
    }
}

/// Has a conversation; returns how many packets the device said.
async fn talk(input: &[u8], admission: Admission) -> usize {
    let (ours, theirs) = duplex(PIPE);
    let ((reader, writer), (from, mut to)) = (split(theirs), split(ours));
    let (off, enough) = (CancellationToken::new(), CancellationToken::new());
    let (guard, entry) = (Arc::new(Guard::new(admission)), PendingHosts::new().enter());
    let device = tokio::spawn(converse(reader, writer, Arc::new(Bench), guard, off.clone(), entry));
    let listening = tokio::spawn(listen(from, enough.clone()));
    let script = async {
        for packet in script::packets(input) {
            to.write_all(&packet).await?;
            for _ in 0..TURNS {
                tokio::task::yield_now().await;
            }
        }
        to.shutdown().await
    };
    // The device may end it at any packet, and then nothing can be written; it may not stop reading.
    let talked = enough.run_until_cancelled(script);
    assert!(timeout(SOON, talked).await.is_ok(), "the device reads no more");
    drop(to);
    if enough.is_cancelled() {
        device.abort();
    }
    let ended = timeout(SOON, device).await.expect("the device keeps a conversation that has ended");
    assert!(ended.is_ok() || enough.is_cancelled(), "{ended:?}");
    let heard = timeout(SOON, listening).await.expect("the device keeps a connection open").expect("whole packets");
    off.cancel();
    nothing_runs().await;
    heard
}

/// Waits until every other task has ended.
async fn nothing_runs() {
    let begin = Instant::now();
    while Handle::current().metrics().num_alive_tasks() > 0 {
        assert!(begin.elapsed() < SOON, "tasks of a conversation stay behind");
        tokio::task::yield_now().await;
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

#[test]
fn conversations_with_an_adbd() {
    let runtime = runtime();
    let seeds: Vec<_> = CONVERSATIONS.iter().map(|text| text.as_bytes().to_vec()).collect();
    // As they are, they lead into the streams.
    let heard = [0, 1, 3].map(|at| runtime.block_on(talk(&seeds[at], Admission::Everybody)));
    assert!(heard.iter().all(|heard| *heard > 5), "{heard:?}");
    try_on("adbd", &seeds, |input| {
        let admission = [Admission::Everybody, Admission::Everybody, Admission::AnyKey, Admission::Ask];
        runtime.block_on(talk(input, admission[input.len() % admission.len()]));
    });
}
