//! A connection to an hdc server: its greeting answered, then messages of bytes both ways, each behind its length.

use std::io::{Error, ErrorKind, Result};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Bytes of a greeting, and of one that tells the server's version, too.
const GREETING: usize = 44;
const LONG_GREETING: usize = 108;
/// What it begins with.
const BANNER: &[u8] = b"OHOS HDC";
/// Where the server tells the connection's number, and the client the phone's key.
const KEY: std::ops::Range<usize> = 12..44;
/// Bytes that a message may have.
const LONGEST: usize = 64 << 20;

/// A connection that is made for one request.
#[derive(Debug)]
pub(crate) struct Channel {
    stream: TcpStream,
}

impl Channel {
    /// Answers the server's greeting with the key of the phone that is meant; an empty one means none.
    pub(crate) async fn greet(stream: TcpStream, key: &str) -> Result<Self> {
        let mut channel = Self { stream };
        let greeting = channel.next().await?.ok_or(ErrorKind::UnexpectedEof)?;
        channel.send(&answer(greeting, key)?).await?;
        Ok(channel)
    }

    /// Sends a request as the official client does, which ends it with a NUL.
    pub(crate) async fn ask(&mut self, request: &str) -> Result<()> {
        self.send(format!("{}\0", request.replace('\0', "")).as_bytes()).await
    }

    pub(crate) async fn send(&mut self, message: &[u8]) -> Result<()> {
        let length = u32::try_from(message.len()).map_err(|_| ErrorKind::InvalidInput)?;
        let mut bytes = Vec::with_capacity(message.len() + 4);
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(message);
        self.stream.write_all(&bytes).await
    }

    /// Returns the next message; none once the server has closed the connection between two of them.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let mut length = [0; 4];
        let mut read = 0;
        while read < 4 {
            match self.stream.read(&mut length[read..]).await {
                Ok(0) if read == 0 => return Ok(None),
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => read += count,
                // A server that ends a connection may do so by a reset: what it said before counts.
                Err(error) if read == 0 && error.kind() == ErrorKind::ConnectionReset => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        let length = u32::from_be_bytes(length) as usize;
        if length > LONGEST {
            return Err(Error::new(ErrorKind::InvalidData, format!("a message of {length} bytes")));
        }
        let mut message = vec![0; length];
        self.stream.read_exact(&mut message).await?;
        Ok(Some(message))
    }
}

/// Writes the answer to a greeting: the same, with the key in the place of the number. What it tells of a version is thereby the server's own.
fn answer(mut greeting: Vec<u8>, key: &str) -> Result<Vec<u8>> {
    if !matches!(greeting.len(), GREETING | LONG_GREETING) || !greeting.starts_with(BANNER) {
        return Err(Error::new(ErrorKind::InvalidData, "it does not greet as an hdc server does"));
    }
    let room = &mut greeting[KEY];
    if key.len() > room.len() || key.contains('\0') {
        return Err(Error::new(ErrorKind::InvalidInput, format!("`{key}` is no connect key: it has 1 to 32 bytes")));
    }
    room.fill(0);
    room[..key.len()].copy_from_slice(key.as_bytes());
    Ok(greeting)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_of_both_lengths_are_answered_with_the_key() {
        let mut short = b"OHOS HDC\0\0\0H\0\0\0\x65".to_vec();
        short.resize(GREETING, 0);
        let answered = answer(short.clone(), "FMR0223C13000649").unwrap();
        assert_eq!((answered.len(), &answered[..12], &answered[12..28]), (44, &short[..12], &b"FMR0223C13000649"[..]));
        let mut long = short.clone();
        long.extend_from_slice(b"Ver: 3.2.0f");
        long.resize(LONG_GREETING, 0);
        let answered = answer(long.clone(), "").unwrap();
        assert_eq!((&answered[12..44], &answered[44..]), (&[0; 32][..], &long[44..]));
        assert!(answer(short[..43].to_vec(), "a").is_err() && answer(vec![0; 44], "a").is_err());
        assert!(answer(short, &"a".repeat(33)).is_err());
    }
}
