//! The client against servers and devices that answer well, badly or not at all: every call ends, and says why.

use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

use super::fake::{Fake, Reply};
use super::sync::{self, Frame, Stat};
use super::{Error, Limits, Output, Server, Transport, wire};

async fn shell_of(answer: impl Fn(&str) -> Option<Reply> + Send + Sync + 'static) -> Result<Output, Error> {
    let fake = Fake::start(answer).await;
    let before = Instant::now();
    let result = fake.server.device("X").shell("true").await;
    assert!(before.elapsed() < Duration::from_secs(10));
    result
}

fn on(wanted: &'static str, reply: Reply) -> impl Fn(&str) -> Option<Reply> + Send + Sync {
    move |request| request.starts_with(wanted).then(|| reply.clone())
}

#[tokio::test]
async fn a_server_tells_its_version_and_devices() {
    let fake = Fake::start(|_| None).await;
    assert_eq!(fake.server.version().await, Ok(41));
    let devices = fake.server.devices().await.unwrap();
    assert_eq!((devices[0].serial.as_str(), devices[0].model.as_str(), devices[0].is_online()), ("X", "Pixel_9", true));
}

#[tokio::test]
async fn commands_keep_stdout_stderr_and_exit_apart_and_ask_features_once() {
    let reply = Reply::Shell { stdout: b"out".to_vec(), stderr: b"err".to_vec(), exit: 7 };
    let fake = Fake::start(on("shell,v2,raw:", reply)).await;
    let device = fake.server.device("X");
    for _ in 0..2 {
        let output = device.clone().shell("ls").await.unwrap();
        assert_eq!(output, Output { stdout: b"out".to_vec(), stderr: b"err".to_vec(), exit: 7 });
    }
    let requests = fake.requests.lock().clone();
    let service = ["host:transport:X", "shell,v2,raw:ls"];
    assert_eq!(requests, [&["host-serial:X:features"][..], &service, &service].concat());
}

#[tokio::test]
async fn old_devices_and_old_servers_give_exit_codes_too() {
    for features in [Reply::message(""), Reply::Fail("unknown host service")] {
        let output = shell_of(move |request| match request {
            "host-serial:X:features" => Some(features.clone()),
            _ => on("shell:true\n", Reply::Raw(b"out\r\nuixt-exit-code:3\r\n".to_vec()))(request),
        });
        assert_eq!(output.await, Ok(Output { stdout: b"out\n".to_vec(), stderr: Vec::new(), exit: 3 }));
    }
}

fn silent(serial: String) -> Error {
    Error::Silent { serial, what: "true".to_owned(), after: Duration::from_millis(400) }
}

#[tokio::test]
async fn refusals_and_silence_are_told_apart() {
    let serial = || "X".to_owned();
    let here = vec![serial()];
    for (reply, error) in [
        (Reply::Fail("device offline"), Error::Offline { serial: serial() }),
        (Reply::Fail("device unauthorized.\nThis adb server's…"), Error::Unauthorized { serial: serial() }),
        (Reply::Fail("device 'X' not found"), Error::NoDevice { serial: serial(), present: here }),
        (Reply::Silence, silent(serial())),
        (Reply::Fail("out of memory"), Error::Refused { message: "out of memory".to_owned() }),
    ] {
        assert_eq!(shell_of(on("host:transport:", reply.clone())).await, Err(error.clone()));
        if !matches!(error, Error::Refused { .. }) {
            assert_eq!(shell_of(on("host-serial:", reply)).await, Err(error));
        }
    }
}

#[tokio::test]
async fn streams_that_end_early_are_no_answers() {
    let cut_packet = b"\x01\x09\0\0\0cut".to_vec();
    let no_exit = b"\x01\x03\0\0\0cut".to_vec();
    for (service, reply) in [
        ("shell,v2,raw:", Reply::Raw(cut_packet)),
        ("shell,v2,raw:", Reply::Raw(no_exit)),
        ("shell,v2,raw:", Reply::Raw(b"\x03".to_vec())),
        ("shell,v2,raw:", Reply::Close),
        ("host:transport:", Reply::Close),
        ("host-serial:", Reply::Close),
    ] {
        let result = shell_of(on(service, reply)).await;
        assert!(matches!(result, Err(Error::Vanished { .. })), "{service}: {result:?}");
    }
}

#[tokio::test]
async fn what_is_no_adb_server_is_named() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().to_string();
    let error = Server::new(closed.clone()).version().await.unwrap_err();
    assert_eq!(error, Error::NoServer { address: closed, reason: "connection refused".to_owned() });
    let error = Server::new("no address").version().await.unwrap_err();
    assert!(matches!(error, Error::NoServer { .. }), "{error}");
    let web = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = Server::new(web.local_addr().unwrap().to_string());
    let serve = async { web.accept().await.unwrap().0.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await };
    let (error, _) = tokio::join!(server.version(), serve);
    assert!(matches!(error, Err(Error::Protocol { .. })), "{error:?}");
}

#[tokio::test]
async fn large_answers_come_whole_and_too_large_ones_do_not() {
    let large = vec![b'x'; 10 << 20];
    let fake = Fake::shell({
        let large = large.clone();
        move |_| Reply::stdout(large.clone())
    });
    let device = fake.await.server.device("X").with_deadline(Duration::from_secs(20));
    assert_eq!(device.shell("cat").await.unwrap().stdout, large);
    let fake = Fake::start(move |request| request.starts_with("exec:").then(|| Reply::Raw(large.clone()))).await;
    assert_eq!(fake.server.device("X").exec("cat").await.unwrap().len(), 10 << 20);
    let limits = Limits { output: 1 << 20, ..Transport::limits(&fake.server) };
    let small = fake.server.clone().with_limits(limits).device("X");
    assert_eq!(small.exec("cat").await, Err(Error::TooMuch { limit: 1 << 20 }));
    let huge = b"\x01\xff\xff\xff\xff".to_vec();
    assert!(matches!(shell_of(on("shell,v2", Reply::Raw(huge))).await, Err(Error::TooMuch { .. })));
}

/// Serves one sync connection that takes a file and gives it back, or refuses what lies under `/system`.
async fn sync_server() -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = Server::new(listener.local_addr().unwrap().to_string());
    tokio::spawn(async move {
        let mut file = Vec::new();
        loop {
            let mut stream = listener.accept().await.unwrap().0;
            for _ in 0..2 {
                wire::read_request(&mut stream, 100).await.unwrap().unwrap();
                wire::write_okay(&mut stream).await.unwrap();
            }
            let request = sync::read_request(&mut stream).await.unwrap().unwrap();
            match request.id {
                _ if request.path.starts_with("/system") => {
                    sync::write_fail(&mut stream, "Read-only file system").await.unwrap();
                    // Refuses to read on, without closing either.
                    tokio::spawn(async move {
                        std::future::pending::<()>().await;
                        drop(stream);
                    });
                }
                sync::SEND => {
                    file.clear();
                    // Ends with the file, or with a client that gave up.
                    while let Ok(Frame::Data(_)) = sync::read_frame(&mut stream, &mut file).await {}
                    sync::write_okay(&mut stream).await.ok();
                }
                sync::RECV => {
                    sync::write_data(&mut stream, &mut file.as_slice()).await.unwrap();
                    sync::write_done(&mut stream, 0).await.unwrap();
                }
                _ => sync::write_stat(&mut stream, &Stat { size: file.len() as u64, ..Stat::default() }).await.unwrap(),
            }
        }
    });
    server
}

#[tokio::test]
async fn files_go_and_come_back_and_refusals_are_heard_while_sending() {
    let device = sync_server().await.device("X");
    let file: Vec<u8> = (0..=252).cycle().take(30 << 20).collect();
    assert_eq!(device.stat("/sdcard/a").await, Ok(None));
    device.push(file.as_slice(), "/sdcard/a", 0o644).await.unwrap();
    assert_eq!(device.stat("/sdcard/a").await.unwrap().map(|stat| stat.size), Some(30 << 20));
    assert!(device.pull("/sdcard/a").await.unwrap() == file);
    let refused = Error::Refused { message: "Read-only file system".to_owned() };
    assert_eq!(device.push(file.as_slice(), "/system/a", 0o644).await, Err(refused.clone()));
    let folder = tokio::fs::File::open("/").await.unwrap();
    assert!(matches!(device.push(folder, "/sdcard/b", 0o644).await, Err(Error::File { .. })));
    assert_eq!(device.pull("/system/a").await, Err(refused));
}

#[tokio::test]
async fn a_call_that_is_given_up_closes_its_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = Server::new(listener.local_addr().unwrap().to_string());
    let call = tokio::spawn(async move { server.version().await });
    let mut stream = listener.accept().await.unwrap().0;
    wire::read_request(&mut stream, 100).await.unwrap().unwrap();
    call.abort();
    assert_eq!(wire::read_request(&mut stream, 100).await.unwrap(), None);
}
