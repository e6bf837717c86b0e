//! The client against a server that says what a test wants, over a real socket.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::protobuf::{TransferConfig, of_piece, piece};
use crate::{Error, Server, State};

const LIMIT: Duration = Duration::from_secs(20);

pub(crate) async fn read(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let length = stream.read_u32().await.ok()?;
    let mut message = vec![0; length as usize];
    stream.read_exact(&mut message).await.ok()?;
    Some(message)
}

pub(crate) async fn write(stream: &mut TcpStream, message: &[u8]) {
    let _ = stream.write_all(&u32::try_from(message.len()).unwrap().to_be_bytes()).await;
    let _ = stream.write_all(message).await;
}

/// Answers a request in pieces; an answer that ends with `…` is one that hangs.
async fn serve(mut stream: TcpStream, number: usize, length: usize, answer: fn(usize, &str, &str) -> Vec<String>) {
    let mut greeting = b"OHOS HDC\0\0\0H\0\0\0\x07".to_vec();
    greeting.resize(length, 0);
    write(&mut stream, &greeting).await;
    let Some(greeted) = read(&mut stream).await else { return };
    assert_eq!((greeted.len(), &greeted[..12]), (length, &greeting[..12]));
    let key = String::from_utf8(greeted[12..44].to_vec()).unwrap();
    let Some(request) = read(&mut stream).await else { return };
    let request = String::from_utf8(request).unwrap();
    for piece in answer(number, key.trim_end_matches('\0'), request.trim_end_matches('\0')) {
        if piece == "…" {
            tokio::time::sleep(LIMIT * 2).await;
        }
        write(&mut stream, piece.as_bytes()).await;
    }
}

/// Starts a server whose answers depend on how many requests there were, the key and the request.
async fn server(length: usize, answer: fn(usize, &str, &str) -> Vec<String>) -> (Server, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, count) = (listener.local_addr().unwrap().to_string(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let number = counted.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(serve(stream, number, length, answer));
        }
    });
    (Server::new(address), count)
}

fn pieces(pieces: &[&str]) -> Vec<String> {
    pieces.iter().map(|piece| (*piece).to_owned()).collect()
}

#[tokio::test]
async fn commands_are_run_with_either_greeting_and_their_ends_are_known() {
    for length in [44, 108] {
        let (server, _) = server(length, |_, key, request| {
            assert_eq!((key, request), ("K1", "shell ls /; echo uixt-exit-code:$?"));
            pieces(&["[Fail]looks like ", "a refusal\nuixt-exit", "-code:3\n"])
        })
        .await;
        let written = server.shell("K1", "ls", "ls /", LIMIT).await.unwrap();
        assert_eq!(written, b"[Fail]looks like a refusal\n");
    }
}

#[tokio::test]
async fn what_is_not_ready_is_asked_again_and_nothing_else_is() {
    let (server, count) = server(44, |number, _, _| match number {
        0..=2 => pieces(&["[Fail][E000004]:The communication channel is being established."]),
        _ => pieces(&["done\nuixt-exit-code:0\n"]),
    })
    .await;
    assert_eq!(server.shell("K", "act", "act", LIMIT).await.unwrap(), b"done\n");
    assert_eq!(count.load(Ordering::Relaxed), 4);
}

#[tokio::test]
async fn each_failure_has_its_error_and_is_asked_once() {
    type Answer = fn(usize, &str, &str) -> Vec<String>;
    let cases: [(Answer, Error); 4] = [
        (|_, _, _| pieces(&["half an ans"]), Error::Vanished { peer: "phone `K`".to_owned() }),
        (|_, _, _| pieces(&["[Fail][E000003] unauthorized"]), Error::Unauthorized { key: "K".to_owned() }),
        (|_, _, _| pieces(&["[Fail][E000001]"]), Error::TooOld),
        (
            |_, _, _| pieces(&["…"]),
            Error::Silent { peer: "phone `K`".to_owned(), what: "act".to_owned(), after: Duration::from_millis(300) },
        ),
    ];
    for (answer, wanted) in cases {
        let (server, count) = server(44, answer).await;
        let limit = if matches!(wanted, Error::Silent { .. }) { Duration::from_millis(300) } else { LIMIT };
        assert_eq!(server.shell("K", "act", "act", limit).await.unwrap_err(), wanted);
        assert_eq!(count.load(Ordering::Relaxed), 1, "{wanted}");
    }
}

#[tokio::test]
async fn what_was_not_ready_and_then_hangs_may_have_been_done() {
    let (server, count) = server(44, |number, _, _| match number {
        0 => pieces(&["[Fail][E000004]:The communication channel is being established."]),
        _ => pieces(&["…"]),
    })
    .await;
    let error = server.shell("K", "act", "act", Duration::from_secs(1)).await.unwrap_err();
    assert!(matches!(error, Error::Silent { .. }) && error.is_open(), "{error:?}");
    assert_eq!(count.load(Ordering::Relaxed), 2);
    let (server, _) = self::server(44, |_, _, _| pieces(&["[Fail][E000004]: wait"])).await;
    let error = server.shell("K", "act", "act", Duration::from_millis(300)).await.unwrap_err();
    assert!(matches!(error, Error::NotReady { .. }) && !error.is_open(), "{error:?}");
}

#[tokio::test]
async fn a_phone_that_is_not_there_is_told_with_those_that_are() {
    let (server, _) = server(44, |_, key, request| match (key, request) {
        ("", "list targets -v") => {
            pieces(&["A\t\tUSB\tConnected\tlocalhost\thdc\nB\t\tUSB\tOffline\tlocalhost\thdc\n"])
        }
        _ => pieces(&["[Fail]Not match target founded, check connect-key please"]),
    })
    .await;
    let error = server.shell("C", "act", "act", LIMIT).await.unwrap_err();
    assert_eq!(error, Error::NoDevice { key: "C".to_owned(), present: pieces(&["A", "B"]) });
    assert_eq!(server.targets().await.unwrap()[1].state, State::Offline);
}

#[tokio::test]
async fn nobody_and_somebody_else_are_told_apart() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let answered = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"\0\0\0\x04HTTP").await.unwrap();
    });
    let error = Server::new(&address).targets().await.unwrap_err();
    assert!(matches!(error, Error::Protocol { .. }), "{error:?}");
    answered.await.unwrap();
    let error = Server::new(&address).targets().await.unwrap_err();
    assert!(error.to_string().contains("connection refused") && error.to_string().contains("hdc -s"), "{error}");
}

/// A phone's end of a file's way: takes one, or gives one.
async fn phone_of_files(mut stream: TcpStream, content: Vec<u8>) -> Vec<u8> {
    let mut greeting = b"OHOS HDC\0\0\0H".to_vec();
    greeting.resize(44, 0);
    write(&mut stream, &greeting).await;
    read(&mut stream).await.unwrap();
    let request = String::from_utf8(read(&mut stream).await.unwrap()).unwrap();
    let message = |kind: u16, body: &[u8]| [&kind.to_le_bytes()[..], body].concat();
    let mut held = Vec::new();
    if request.starts_with("file send remote ") {
        write(&mut stream, &message(3000, b"a b")).await;
        let check = read(&mut stream).await.unwrap();
        let size = TransferConfig::size_of(&check[2..]).unwrap();
        write(&mut stream, &message(3002, b"")).await;
        loop {
            let data = read(&mut stream).await.unwrap();
            assert_eq!(data[..2], 3003_u16.to_le_bytes());
            held.extend_from_slice(of_piece(&data[2..]).unwrap());
            if held.len() as u64 >= size {
                break;
            }
        }
        write(&mut stream, &message(3004, &[1])).await;
        assert_eq!(read(&mut stream).await.unwrap(), message(3004, &[0]));
        write(&mut stream, b"FileTransfer finish, Size:1, File count = 1").await;
        return held;
    }
    assert!(request.starts_with("file recv remote /data/x "), "{request}");
    let config = TransferConfig { size: content.len() as u64, path: "p".to_owned(), name: "n".to_owned() };
    write(&mut stream, &message(3001, &config.write())).await;
    assert_eq!(read(&mut stream).await.unwrap(), message(3002, b""));
    for (number, part) in content.chunks(30_000).enumerate() {
        write(&mut stream, &message(3003, &piece(30_000 * number as u64, part))).await;
    }
    assert_eq!(read(&mut stream).await.unwrap(), message(3004, &[1]));
    write(&mut stream, &message(3004, &[0])).await;
    held
}

#[tokio::test]
async fn files_travel_as_messages() {
    for content in [Vec::new(), b"a".to_vec(), vec![7; 200_000]] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a file");
        std::fs::write(&file, &content).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Server::new(listener.local_addr().unwrap().to_string());
        let given = content.clone();
        let phone = tokio::spawn(async move {
            let sent = phone_of_files(listener.accept().await.unwrap().0, Vec::new()).await;
            phone_of_files(listener.accept().await.unwrap().0, given).await;
            sent
        });
        assert_eq!(server.send_file("K", &file, "/data/x", LIMIT).await.unwrap(), content.len() as u64);
        let back = folder.path().join("back");
        assert_eq!(server.receive_file("K", "/data/x", &back, LIMIT).await.unwrap(), content.len() as u64);
        assert_eq!((phone.await.unwrap(), std::fs::read(&back).unwrap()), (content.clone(), content));
    }
}

/// Gives a file of 9 bytes, as far as it says, and ends it after 5; one that it is to take it ends at once.
async fn broken_phone(mut stream: TcpStream, end: &[u8]) {
    let mut greeting = b"OHOS HDC\0\0\0H".to_vec();
    greeting.resize(44, 0);
    write(&mut stream, &greeting).await;
    read(&mut stream).await.unwrap();
    if read(&mut stream).await.unwrap().starts_with(b"file recv") {
        let config = TransferConfig { size: 9, path: "p".to_owned(), name: "n".to_owned() };
        write(&mut stream, &[&3001_u16.to_le_bytes()[..], &config.write()].concat()).await;
        read(&mut stream).await.unwrap();
        write(&mut stream, &[&3003_u16.to_le_bytes()[..], &piece(0, b"12345")].concat()).await;
    }
    write(&mut stream, end).await;
}

#[tokio::test]
async fn a_file_that_is_not_whole_takes_no_ones_place() {
    let finish = 3004_u16.to_le_bytes();
    for end in [&finish[..], b"FileTransfer finish, Size:5", b"Error reading file", b"[Fail][E005200] no"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kept");
        std::fs::write(&file, "old").unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Server::new(listener.local_addr().unwrap().to_string());
        let end = end.to_vec();
        let phone = tokio::spawn(async move {
            for _ in ["receive", "send"] {
                broken_phone(listener.accept().await.unwrap().0, &end).await;
            }
        });
        let error = server.receive_file("K", "/data/x", &file, LIMIT).await.unwrap_err();
        assert!(matches!(error, Error::Refused { .. }), "{error:?}");
        let error = server.send_file("K", &file, "/data/x", LIMIT).await.unwrap_err();
        assert!(matches!(error, Error::Refused { .. }), "{error:?}");
        phone.await.unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }
}
