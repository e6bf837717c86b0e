//! HTTP by hand: a request's lines as they are written, an answer's as they come.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// An answer whose head was read, and whose body may still be coming.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    rest: BufReader<TcpStream>,
    is_chunked: bool,
    length: usize,
    /// Text that has come and was not looked at.
    pending: String,
}

/// Sends a request to `address` and reads the head of its answer. `Host` is the address where no line names another.
#[track_caller]
pub(crate) fn ask(address: &str, method: &str, path: &str, lines: &[(&str, &str)], body: &str) -> Answer {
    let mut connection = TcpStream::connect(address).expect("the server listens");
    connection.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
    let mut request = format!("{method} {path} HTTP/1.1\r\n");
    let own = [("Host", address), ("Connection", "close")];
    let missing = own.iter().filter(|(name, _)| lines.iter().all(|(given, _)| !given.eq_ignore_ascii_case(name)));
    for (name, value) in missing.chain(lines).filter(|(_, value)| *value != "-") {
        request += &format!("{name}: {value}\r\n");
    }
    if !body.is_empty() {
        request += &format!("Content-Length: {}\r\n", body.len());
    }
    connection.write_all(format!("{request}\r\n").as_bytes()).expect("the server reads");
    // A server that refuses a request need not read all of it.
    let _ = connection.write_all(body.as_bytes());
    Answer::read(connection)
}

impl Answer {
    #[track_caller]
    fn read(connection: TcpStream) -> Self {
        let mut rest = BufReader::new(connection);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let read = rest.read_line(&mut head).expect("an answer within 30 s");
            assert!(read > 0, "the server hung up: {head}");
        }
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("{head}"));
        let mut answer = Self { status, head, rest, is_chunked: false, length: 0, pending: String::new() };
        answer.is_chunked = answer.line("transfer-encoding") == Some("chunked");
        answer.length = answer.line("content-length").and_then(|text| text.parse().ok()).unwrap_or_default();
        answer
    }

    /// Returns a line of the head by its name.
    pub(crate) fn line(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// Reads on; returns nothing at the end.
    fn more(&mut self) -> Option<()> {
        let mut line = String::new();
        let size = if self.is_chunked {
            self.rest.read_line(&mut line).ok()?;
            usize::from_str_radix(line.trim(), 16).ok()?
        } else {
            std::mem::take(&mut self.length)
        };
        let mut bytes = vec![0; size];
        self.rest.read_exact(&mut bytes).ok()?;
        self.pending += std::str::from_utf8(&bytes).expect("UTF-8");
        if self.is_chunked {
            self.rest.read_line(&mut line).ok()?;
        }
        (size > 0).then_some(())
    }

    /// Returns the next event of a stream: its id and its data.
    pub(crate) fn event(&mut self) -> Option<(Option<String>, String)> {
        loop {
            if let Some((event, rest)) = self.pending.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.pending = rest;
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
                if let Some(data) = field("data:") {
                    return Some((field("id:").map(str::to_owned), data.to_owned()));
                }
                continue;
            }
            self.more()?;
        }
    }

    /// Returns the message that answers a request, be it the whole body or an event.
    #[track_caller]
    pub(crate) fn message(mut self) -> Value {
        if self.line("content-type") == Some("text/event-stream") {
            while let Some((_, data)) = self.event() {
                match serde_json::from_str::<Value>(&data) {
                    Ok(message) if message.get("id").is_some() && message.get("method").is_none() => return message,
                    _ => {}
                }
            }
            panic!("the stream ended without an answer");
        }
        let text = self.body();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Returns the whole body.
    pub(crate) fn body(mut self) -> String {
        while self.more().is_some() {}
        self.pending
    }
}
