//! A way to a phone on which answers are falsified.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

/// A way to a phone on which a part of every request is exchanged for another of the same length.
///
/// Its threads end with the connections.
pub(crate) fn tampered(phone: &str, part: &'static str, other: &'static str) -> SocketAddr {
    assert_eq!(part.len(), other.len());
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let phone = phone.to_owned();
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let Ok(server) = TcpStream::connect(&phone) else { return };
            let (from_server, to_client) =
                (server.try_clone().expect("a socket"), client.try_clone().expect("a socket"));
            std::thread::spawn(move || pump(from_server, to_client, |_| {}));
            std::thread::spawn(move || {
                pump(client, server, |bytes| {
                    let found = bytes.windows(part.len()).position(|window| window == part.as_bytes());
                    if let Some(at) = found {
                        bytes[at..at + part.len()].copy_from_slice(other.as_bytes());
                    }
                });
            });
        }
    });
    address
}

fn pump(mut from: TcpStream, mut to: TcpStream, change: impl Fn(&mut [u8])) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        change(&mut buffer[..count]);
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    // A connection that is closed already is as good.
    let _ = to.shutdown(std::net::Shutdown::Write);
}
