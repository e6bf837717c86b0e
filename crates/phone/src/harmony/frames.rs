//! Messages of a connection to an hdc server: a length of 4 bytes, big-endian, and that many bytes, both ways.
//!
//! The server speaks first: a banner of 12 bytes, and 32 that hold the channel's number, or, in the client's answer, the connect
//! key; where versions are checked, 64 more for the version (`ChannelHandShake`, src/common/channel.h).

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use crate::jobs::Going;

const BANNER: &[u8; 12] = b"OHOS HDC\0\0\0H";
const KEY: usize = 32;
/// Length of a handshake, and where it holds a version, too.
pub(super) const SHORT: usize = 44;
const LONG: usize = 108;
/// The server's version.
pub(super) const VERSION: &str = "Ver: 3.2.0f";
/// Bytes of a message at most: those of a file come in parts, and no command is longer.
const LARGEST: usize = 4 << 20;

/// A client's connection.
pub(super) struct Channel {
    reader: OwnedReadHalf,
    writer: OwnedWriteHalf,
    read: Vec<u8>,
    /// What goes wrong with the answer.
    pub(super) flaw: Flaw,
}

/// What goes wrong with an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flaw {
    /// Nothing of it is sent.
    pub(super) is_mute: bool,
    /// It ends in the middle of its first message.
    pub(super) is_cut: bool,
    /// It comes so much later.
    pub(super) late: Duration,
}

impl Channel {
    pub(super) fn new(stream: TcpStream) -> Self {
        // Answers are small and waited for.
        let _ = stream.set_nodelay(true);
        let (reader, writer) = stream.into_split();
        Self { reader, writer, read: Vec::new(), flaw: Flaw::default() }
    }

    /// Returns the next message; nothing where the client is gone, or sends what is none. May be given up and asked again.
    pub(super) async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some((length, rest)) = self.read.split_first_chunk::<4>() {
                let length = u32::from_be_bytes(*length) as usize;
                if length > LARGEST {
                    return None;
                }
                if rest.len() >= length {
                    let message = rest[..length].to_vec();
                    self.read.drain(..length + 4);
                    return Some(message);
                }
            }
            if self.reader.read_buf(&mut self.read).await.ok()? == 0 {
                return None;
            }
        }
    }

    /// Sends a message; false where the client is gone, or the answer ends here.
    pub(super) fn send<'a>(&'a mut self, message: &'a [u8]) -> Going<'a, bool> {
        Box::pin(self.sent(message))
    }

    async fn sent(&mut self, message: &[u8]) -> bool {
        if !self.flaw.late.is_zero() {
            tokio::time::sleep(std::mem::take(&mut self.flaw.late)).await;
        }
        if self.flaw.is_mute {
            return true;
        }
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes();
        let mut bytes = [&length[..], message].concat();
        if self.flaw.is_cut {
            self.flaw.is_mute = true;
            bytes.truncate(4 + message.len() / 2);
        }
        self.writer.write_all(&bytes).await.is_ok()
    }

    /// Sends a line, as the server ends it.
    pub(super) async fn say(&mut self, text: &str) {
        let end = if text.ends_with('\n') { "" } else { "\r\n" };
        // A client that is gone is seen when something is read of it.
        self.send(format!("{text}{end}").as_bytes()).await;
    }

    /// Says what failed.
    pub(super) async fn fail(&mut self, text: &str) {
        self.say(&format!("[Fail]{text}")).await;
    }

    /// Waits until the client is gone.
    pub(super) async fn until_gone(&mut self) {
        while self.next().await.is_some() {}
    }

    /// Ends the connection in order.
    pub(super) async fn close(mut self) {
        // It ends, whether the client has read everything or not.
        let _ = self.writer.shutdown().await;
    }
}

/// Makes the server's first message.
pub(super) fn greeting(channel: u32, is_long: bool) -> Vec<u8> {
    let mut message = BANNER.to_vec();
    message.extend(channel.to_be_bytes());
    message.resize(SHORT, 0);
    if is_long {
        message.extend(VERSION.as_bytes());
        message.resize(LONG, 0);
    }
    message
}

/// Reads the client's answer: the connect key, empty for no phone.
pub(super) fn key_of(answer: &[u8]) -> Option<String> {
    if ![SHORT, LONG].contains(&answer.len()) || !answer.starts_with(&BANNER[..8]) {
        return None;
    }
    let key = answer.get(BANNER.len()..BANNER.len() + KEY)?;
    let key = key.split(|byte| *byte == 0).next()?;
    String::from_utf8(key.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handshakes_have_one_of_two_lengths() {
        let greeting_of = greeting(0x65, false);
        let expected = [b"OHOS HDC\0\0\0H\0\0\0\x65".as_slice(), &[0; 28]].concat();
        assert_eq!(greeting_of, expected);
        assert_eq!((greeting(1, true).len(), &greeting(1, true)[44..55]), (108, VERSION.as_bytes()));
        let mut answer = greeting_of;
        answer[12..16].copy_from_slice(b"any\0");
        assert_eq!(key_of(&answer).as_deref(), Some("any"));
        answer.resize(LONG, 0);
        assert_eq!(key_of(&answer).as_deref(), Some("any"));
        answer[0] = b'X';
        assert_eq!(key_of(&answer), None);
        assert_eq!(key_of(b"OHOS HDC"), None);
    }
}
