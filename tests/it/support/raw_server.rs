//! Servers on loopback that answer as no decent server does: byte by byte, whatever a test wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// A request as it came.
pub(crate) struct Asked {
    /// `GET /path HTTP/1.1`.
    pub(crate) line: String,
    /// With lower-case names.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    pub(crate) fn path(&self) -> &str {
        self.line.split(' ').nth(1).unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn read(stream: &mut impl Read) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = || {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|read| *read > 0).map(|_| line.trim_end().to_owned())
        };
        let first = line()?;
        let mut headers = Vec::new();
        while let Some(header) = line().filter(|line| !line.is_empty()) {
            let (name, value) = header.split_once(':')?;
            headers.push((name.to_lowercase(), value.trim().to_owned()));
        }
        let mut asked = Self { line: first, headers, body: Vec::new() };
        let length = asked.header("content-length").parse().unwrap_or(0);
        asked.body = vec![0; length];
        reader.read_exact(&mut asked.body).ok()?;
        Some(asked)
    }
}

/// Serves connections with `answer`, one request each; returns the address, `127.0.0.1:port`.
pub(crate) fn serve(answer: impl Fn(Asked, TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            thread::spawn(move || {
                if let Some(asked) = Asked::read(&mut stream) {
                    answer(asked, stream);
                }
            });
        }
    });
    address
}

/// Writes a whole answer.
pub(crate) fn reply(mut stream: impl Write, status: &str, headers: &[(&str, &str)], body: &[u8]) {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n");
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).and_then(|()| stream.flush());
}
