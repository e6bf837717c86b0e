//! The smart socket: what an adb client and an adb server say before a service has the stream for itself.
//!
//! A message is its length as four hexadecimal digits, then its bytes; an answer is `OKAY`, or `FAIL` and a message. The
//! writers do not flush. Streams that end early give `UnexpectedEof`, malformed ones `InvalidData`.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// Bytes that a message can hold at most: four hexadecimal digits of length.
pub const MAX_MESSAGE: usize = 0xffff;

/// What the other side thinks of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    Okay,
    /// Refused, with the reason.
    Fail(String),
}

/// Returns a message with its length before it, ready to be written.
///
/// Fails with `InvalidInput` where it is longer than [`MAX_MESSAGE`].
pub fn encode(payload: &[u8]) -> io::Result<Vec<u8>> {
    if payload.len() > MAX_MESSAGE {
        let text = format!("{} bytes do not fit into one adb message of {MAX_MESSAGE}", payload.len());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let mut bytes = format!("{:04x}", payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    Ok(bytes)
}

/// Writes a message.
pub async fn write_message<W: AsyncWrite + Unpin>(stream: &mut W, payload: &[u8]) -> io::Result<()> {
    stream.write_all(&encode(payload)?).await
}

/// Reads a message of at most `limit` bytes.
pub async fn read_message<R: AsyncRead + Unpin>(stream: &mut R, limit: usize) -> io::Result<Vec<u8>> {
    let mut digits = [0; 4];
    stream.read_exact(&mut digits).await?;
    read_body(stream, digits, limit).await
}

/// Reads a request of at most `limit` bytes; `None` where the client closed the stream instead.
pub async fn read_request<R: AsyncRead + Unpin>(stream: &mut R, limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut digits = [0; 4];
    if stream.read(&mut digits[..1]).await? == 0 {
        return Ok(None);
    }
    stream.read_exact(&mut digits[1..]).await?;
    read_body(stream, digits, limit).await.map(Some)
}

/// Writes `OKAY`.
pub async fn write_okay<W: AsyncWrite + Unpin>(stream: &mut W) -> io::Result<()> {
    stream.write_all(b"OKAY").await
}

/// Writes `FAIL` and the reason, cut to what a message can hold.
pub async fn write_fail<W: AsyncWrite + Unpin>(stream: &mut W, reason: &str) -> io::Result<()> {
    let reason = reason.as_bytes();
    let mut bytes = b"FAIL".to_vec();
    bytes.extend(encode(&reason[..reason.len().min(MAX_MESSAGE)])?);
    stream.write_all(&bytes).await
}

/// Reads `OKAY`, or `FAIL` with its reason.
pub async fn read_status<R: AsyncRead + Unpin>(stream: &mut R) -> io::Result<Status> {
    let mut word = [0; 4];
    stream.read_exact(&mut word).await?;
    match &word {
        b"OKAY" => Ok(Status::Okay),
        b"FAIL" => {
            let reason = read_message(stream, MAX_MESSAGE).await?;
            Ok(Status::Fail(String::from_utf8_lossy(&reason).trim().to_owned()))
        }
        other => Err(invalid(format!("neither OKAY nor FAIL but `{}`", other.escape_ascii()))),
    }
}

async fn read_body<R: AsyncRead + Unpin>(stream: &mut R, digits: [u8; 4], limit: usize) -> io::Result<Vec<u8>> {
    let length = length_of(digits)?;
    if length > limit {
        return Err(invalid(format!("a message of {length} bytes; at most {limit} are allowed")));
    }
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).await?;
    Ok(payload)
}

fn length_of(digits: [u8; 4]) -> io::Result<usize> {
    let hex = digits.iter().all(u8::is_ascii_hexdigit).then_some(()).and_then(|()| str::from_utf8(&digits).ok());
    hex.and_then(|text| usize::from_str_radix(text, 16).ok())
        .ok_or_else(|| invalid(format!("`{}` is not the length of an adb message", digits.escape_ascii())))
}

/// Builds the error of bytes that are not this protocol.
pub(super) fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn messages_survive_the_way() {
        let bytes = encode(b"host:version").unwrap();
        assert_eq!(bytes, b"000chost:version");
        assert_eq!(read_message(&mut bytes.as_slice(), 20).await.unwrap(), b"host:version");
        assert_eq!(read_request(&mut bytes.as_slice(), 20).await.unwrap().unwrap(), b"host:version");
        assert!(read_request(&mut [].as_slice(), 20).await.unwrap().is_none());
    }

    #[tokio::test]
    async fn malformed_and_long_messages_are_errors() {
        for (bytes, kind) in [
            (&b"+00chost:version"[..], io::ErrorKind::InvalidData),
            (b"00xx", io::ErrorKind::InvalidData),
            (b"ffff", io::ErrorKind::InvalidData),
            (b"0009host", io::ErrorKind::UnexpectedEof),
            (b"00", io::ErrorKind::UnexpectedEof),
        ] {
            assert_eq!(read_request(&mut &*bytes, 20).await.unwrap_err().kind(), kind, "{}", bytes.escape_ascii());
        }
        assert!(encode(&vec![0; MAX_MESSAGE + 1]).is_err());
    }

    #[tokio::test]
    async fn status_carries_the_reason() {
        let mut bytes = Vec::new();
        write_okay(&mut bytes).await.unwrap();
        write_fail(&mut bytes, "device offline\n").await.unwrap();
        let mut stream = bytes.as_slice();
        assert_eq!(read_status(&mut stream).await.unwrap(), Status::Okay);
        assert_eq!(read_status(&mut stream).await.unwrap(), Status::Fail("device offline".to_owned()));
        assert!(read_status(&mut b"HTTP/1.1".as_slice()).await.is_err());
    }
}
