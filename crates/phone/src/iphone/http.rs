//! Bytes of a connection → requests; answers → bytes. As WDA's own server does it (`FBHTTPServer`, from 16.7 on): no chunks, a
//! header of 16 KiB at most, a connection that is kept without a word about it, answers in the order of the requests.
//!
//! What breaks answers on purpose stands in [`Flaw`]: no library for HTTP would write them.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::answer::Answer;
use super::words;

/// Bytes of a request's header, and of its body.
const HEADER: usize = 16 << 10;
const BODY: usize = 10 << 20;
/// How long a connection may be silent until its first request.
const FIRST: Duration = Duration::from_secs(30);

/// A request.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub(super) method: String,
    /// Without the question mark and what follows it.
    pub(super) path: String,
    pub(super) query: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    /// Whether the client wants no further answer on this connection.
    pub(super) is_last: bool,
}

/// What came next on a connection.
pub(super) enum Received {
    Request(Request),
    /// A request that is not taken; the connection ends.
    Refused(u16, &'static str),
    End,
}

/// What is wrong with an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flaw {
    /// Only the first half of the body is sent.
    pub(super) is_truncated: bool,
    /// By how much `Content-Length` is too large.
    pub(super) length_off: i64,
}

/// A client's connection.
pub(super) struct Connection {
    stream: TcpStream,
    held: Vec<u8>,
    has_asked: bool,
    /// Whether a client's `Connection: close` is heeded; WDA's own server does not look at it.
    ends_on_request: bool,
}

impl Connection {
    pub(super) fn new(stream: TcpStream, ends_on_request: bool) -> Self {
        Self { stream, held: Vec::with_capacity(HEADER), has_asked: false, ends_on_request }
    }

    /// Reads the next request.
    pub(super) async fn next(&mut self) -> io::Result<Received> {
        let end = loop {
            if let Some(end) = find(&self.held, b"\r\n\r\n") {
                break end + 4;
            }
            if self.held.len() > HEADER {
                return Ok(Received::Refused(400, "the header is too large"));
            }
            if !self.more().await? {
                return Ok(Received::End);
            }
        };
        if end > HEADER {
            return Ok(Received::Refused(400, "the header is too large"));
        }
        self.has_asked = true;
        let head = String::from_utf8_lossy(&self.held[..end]).into_owned();
        let (mut request, length) = match read_head(&head) {
            Ok(read) => read,
            Err(why) => return Ok(Received::Refused(400, why)),
        };
        if length > BODY {
            return Ok(Received::Refused(413, "the body is too large"));
        }
        if head.to_ascii_lowercase().contains("\r\nexpect: 100-continue\r\n") {
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
        }
        while self.held.len() < end + length {
            if !self.more().await? {
                return Ok(Received::End);
            }
        }
        request.body = self.held[end..end + length].to_vec();
        self.held.drain(..end + length);
        request.is_last &= self.ends_on_request;
        Ok(Received::Request(request))
    }

    /// Reads some more bytes; false at the end of the connection.
    async fn more(&mut self) -> io::Result<bool> {
        let reading = self.stream.read_buf(&mut self.held);
        let count = if self.has_asked {
            reading.await?
        } else {
            match timeout(FIRST, reading).await {
                Ok(count) => count?,
                Err(_) => 0,
            }
        };
        Ok(count > 0)
    }

    /// Sends an answer.
    pub(super) async fn send(&mut self, answer: &Answer, flaw: Flaw) -> io::Result<()> {
        let length = i64::try_from(answer.body.len()).unwrap_or(i64::MAX).saturating_add(flaw.length_off).max(0);
        let head = format!(
            "HTTP/1.1 {} {}\r\nAccess-Control-Allow-Headers: Content-Type, X-Requested-With\r\nAccess-Control-Allow-Origin: *\r\n\
             Content-Length: {length}\r\nContent-Type: {}\r\n\r\n",
            answer.status,
            reason(answer.status),
            answer.kind
        );
        let sent = if flaw.is_truncated { answer.body.len() / 2 } else { answer.body.len() };
        self.stream.write_all(head.as_bytes()).await?;
        self.stream.write_all(&answer.body[..sent]).await?;
        self.stream.flush().await
    }

    /// Says that no more comes, and waits until the client has read it.
    pub(super) async fn close(mut self) {
        // A client that has gone needs no end.
        let _ = self.stream.shutdown().await;
    }
}

/// Reads a request's line and header; the length of its body beside it.
fn read_head(head: &str) -> Result<(Request, usize), &'static str> {
    let mut lines = head.split("\r\n");
    let mut line = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version)) = (line.next(), line.next(), line.next()) else {
        return Err("no request");
    };
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return Err("no request");
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut request = Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: words::query(query),
        is_last: version == "HTTP/1.0",
        ..Request::default()
    };
    let mut length = 0;
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().map_err(|_| "no length")?,
            "transfer-encoding" => return Err("Transfer-Encoding is not supported"),
            "connection" if value.eq_ignore_ascii_case("close") => request.is_last = true,
            "connection" if value.eq_ignore_ascii_case("keep-alive") => request.is_last = false,
            _ => {}
        }
    }
    Ok((request, length))
}

fn find(held: &[u8], sought: &[u8]) -> Option<usize> {
    held.windows(sought.len()).position(|window| window == sought)
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Payload Too Large",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_as_they_are() {
        let head = "GET /source?format=json&excluded_attributes=frame%2CnativeFrame HTTP/1.1\r\nHost: x\r\ncontent-length: 7\r\n\r\n";
        let (request, length) = read_head(head).unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str(), length), ("GET", "/source", 7));
        assert_eq!(request.query[1], ("excluded_attributes".to_owned(), "frame,nativeFrame".to_owned()));
        assert!(!request.is_last && read_head("GET / HTTP/1.0\r\n\r\n").unwrap().0.is_last);
        assert!(read_head("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n").is_err());
        assert!(read_head("nonsense\r\n\r\n").is_err());
    }
}
