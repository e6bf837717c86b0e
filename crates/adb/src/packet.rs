//! The packets between an adb server and an adbd: a header of six words, little endian, then the payload.
//!
//! Knows nothing of streams or services. Source: AOSP `packages/modules/adb/protocol.txt`, `types.h`. A stream that ends
//! within a packet gives `UnexpectedEof`, anything that is no packet `InvalidData`.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::wire::invalid;

/// The protocol's version from which on payloads carry no sums.
pub const VERSION: u32 = 0x0100_0001;
/// The first version, whose payloads carry sums.
pub const VERSION_WITH_SUMS: u32 = 0x0100_0000;
/// Bytes of a payload that are taken, and sent, at most; either side may name less.
pub const MAX_PAYLOAD: usize = 256 * 1024;
/// Bytes of a payload that every peer takes.
pub const MIN_PAYLOAD: usize = 4096;
/// Bytes of a header.
pub const HEADER: usize = 24;

/// What a packet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Command {
    /// `CNXN` version, largest payload, banner.
    Connect = u32::from_le_bytes(*b"CNXN"),
    /// `AUTH` kind, 0, token, signature or key.
    Authorize = u32::from_le_bytes(*b"AUTH"),
    /// `STLS` version, 0: begin TLS.
    Encrypt = u32::from_le_bytes(*b"STLS"),
    /// `OPEN` sender's id, bytes that the sender takes unacknowledged (delayed acks) or 0, service.
    Open = u32::from_le_bytes(*b"OPEN"),
    /// `OKAY` sender's id, receiver's id, bytes that were taken (delayed acks) or nothing.
    Okay = u32::from_le_bytes(*b"OKAY"),
    /// `WRTE` sender's id, receiver's id, data.
    Write = u32::from_le_bytes(*b"WRTE"),
    /// `CLSE` sender's id or 0, receiver's id.
    Close = u32::from_le_bytes(*b"CLSE"),
}

impl Command {
    fn of(word: u32) -> Option<Self> {
        use Command::{Authorize, Close, Connect, Encrypt, Okay, Open, Write};
        let all = [Connect, Authorize, Encrypt, Open, Okay, Write, Close];
        all.into_iter().find(|command| *command as u32 == word)
    }
}

/// One packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    pub command: Command,
    pub first: u32,
    pub second: u32,
    pub payload: Vec<u8>,
}

impl Packet {
    pub fn new(command: Command, first: u32, second: u32, payload: impl Into<Vec<u8>>) -> Self {
        Self { command, first, second, payload: payload.into() }
    }

    /// Returns the packet's bytes.
    pub fn encode(&self, sums: bool) -> Vec<u8> {
        encode(self.command, [self.first, self.second], &self.payload, sums)
    }
}

/// Returns the bytes of a packet; its payload is summed up where the connection's version wants it.
pub fn encode(command: Command, [first, second]: [u32; 2], payload: &[u8], sums: bool) -> Vec<u8> {
    let word = command as u32;
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    let sum = if sums { sum(payload) } else { 0 };
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    for word in [word, first, second, length, sum, !word] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend_from_slice(payload);
    bytes
}

/// Reads a packet; `None` where the stream ended before it. No more than [`MAX_PAYLOAD`] bytes are held for it.
pub async fn read<R: AsyncRead + Unpin>(stream: &mut R, sums: bool) -> io::Result<Option<Packet>> {
    let mut header = [0; HEADER];
    if stream.read(&mut header[..1]).await? == 0 {
        return Ok(None);
    }
    stream.read_exact(&mut header[1..]).await?;
    let [command, first, second, length, wanted, magic] = words(&header);
    let Some(command) = Command::of(command).filter(|_| magic == !command) else {
        return Err(invalid(format!("`{}` is not an adb packet", header[..4].escape_ascii())));
    };
    let length = length as usize;
    if length > MAX_PAYLOAD {
        return Err(invalid(format!("a packet of {length} bytes; at most {MAX_PAYLOAD} are allowed")));
    }
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).await?;
    // A host that comes back after it was cut off leaves the sum out of its greeting, as it was agreed before.
    let summed = sums && (command != Command::Connect || first < VERSION);
    if summed && sum(&payload) != wanted {
        return Err(invalid("a packet with a wrong checksum".to_owned()));
    }
    Ok(Some(Packet { command, first, second, payload }))
}

/// Adds the bytes up; the protocol calls this a CRC.
fn sum(payload: &[u8]) -> u32 {
    payload.iter().fold(0, |sum, byte| sum.wrapping_add(u32::from(*byte)))
}

fn words(header: &[u8; HEADER]) -> [u32; 6] {
    std::array::from_fn(|at| u32::from_le_bytes(std::array::from_fn(|byte| header[4 * at + byte])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn packets_survive_the_way() {
        let packet = Packet::new(Command::Write, 7, 9, [255, 255]);
        let bytes = packet.encode(true);
        assert_eq!(bytes[..HEADER], *b"WRTE\x07\0\0\0\x09\0\0\0\x02\0\0\0\xfe\x01\0\0\xa8\xad\xab\xba");
        assert_eq!(read(&mut bytes.as_slice(), true).await.unwrap(), Some(packet.clone()));
        assert_eq!(packet.encode(false)[16..20], [0; 4]);
        assert_eq!(read(&mut [].as_slice(), true).await.unwrap(), None);
    }

    #[tokio::test]
    async fn what_is_no_packet_is_an_error() {
        let sound = Packet::new(Command::Open, 1, 0, *b"shell:\0").encode(true);
        let changed = |at: usize, byte: u8| {
            let mut bytes = sound.clone();
            bytes[at] = byte;
            bytes
        };
        for (what, bytes) in [
            ("magic", changed(20, 0)),
            ("command", changed(0, b'X')),
            ("length", changed(15, 1)),
            ("sum", changed(16, 0)),
        ] {
            let error = read(&mut bytes.as_slice(), true).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{what}");
        }
        assert!(read(&mut changed(16, 0).as_slice(), false).await.is_ok());
        let greeting = |version| Packet::new(Command::Connect, version, 4096, *b"host::").encode(false);
        assert!(read(&mut greeting(VERSION).as_slice(), true).await.is_ok());
        assert!(read(&mut greeting(VERSION_WITH_SUMS).as_slice(), true).await.is_err());
    }

    #[tokio::test]
    async fn cut_and_random_bytes_never_hang() {
        let sound = Packet::new(Command::Write, 1, 2, vec![3; 40]).encode(true);
        for length in 1..sound.len() {
            let error = read(&mut &sound[..length], true).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{length}");
        }
        let mut random = fastrand::Rng::with_seed(11);
        for _ in 0..20_000 {
            let mut bytes = sound.clone();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
            }
            bytes.truncate(random.usize(..=bytes.len()));
            let mut rest = bytes.as_slice();
            while let Ok(Some(packet)) = read(&mut rest, random.bool()).await {
                assert!(packet.payload.len() <= MAX_PAYLOAD);
            }
        }
    }
}
