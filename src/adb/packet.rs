//! The packets between an adb server and a device's adbd, as they go over TCP or USB.
//!
//! A packet is six words of four bytes, little endian (command, two arguments, length, sum of the data's bytes, the command
//! with every bit turned), then its data (`packages/modules/adb/protocol.txt`). The writer does not flush.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::wire::invalid;

/// Four letters that tell what a packet is.
pub type Command = [u8; 4];

/// Who one is: `arg0` the protocol's version, `arg1` the most bytes of data that are taken; data `host::features=…`.
pub const CONNECT: Command = *b"CNXN";
/// A demand for a signature or a key, and the answer.
pub const AUTHENTICATE: Command = *b"AUTH";
/// A demand to go on in TLS.
pub const START_TLS: Command = *b"STLS";
/// A wish for a service: `arg0` the sender's stream, data the service and a NUL.
pub const OPEN: Command = *b"OPEN";
/// Readiness for more: `arg0` the sender's stream, `arg1` the receiver's.
pub const OKAY: Command = *b"OKAY";
/// A stream's end; with `arg0` 0, a service that was refused.
pub const CLOSE: Command = *b"CLSE";
/// Data of a stream; the next may follow only when the receiver has said [`OKAY`].
pub const WRITE: Command = *b"WRTE";

/// The version of the protocol since which sums may be left out.
pub const VERSION: u32 = 0x0100_0001;
/// Bytes of data in one packet at most.
pub const MAX_DATA: usize = 1 << 20;

const HEADER: usize = 24;

/// One packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    pub command: Command,
    pub arg0: u32,
    pub arg1: u32,
    pub data: Vec<u8>,
}

impl Packet {
    pub fn new(command: Command, arg0: u32, arg1: u32, data: impl Into<Vec<u8>>) -> Self {
        Self { command, arg0, arg1, data: data.into() }
    }
}

/// Reads a packet; `None` where the stream ended before it.
///
/// Fails with `InvalidData` where it is no packet, its data longer than [`MAX_DATA`], or its sum is there and wrong.
pub async fn read_packet<R: AsyncRead + Unpin>(stream: &mut R) -> io::Result<Option<Packet>> {
    let mut header = [0; HEADER];
    if stream.read(&mut header[..1]).await? == 0 {
        return Ok(None);
    }
    stream.read_exact(&mut header[1..]).await?;
    let word = |i: usize| u32::from_le_bytes([header[i], header[i + 1], header[i + 2], header[i + 3]]);
    let (command, length, sum) = (word(0), word(12) as usize, word(16));
    if command != !word(20) {
        return Err(invalid(format!("`{}` is the start of no adb packet", header[..4].escape_ascii())));
    }
    if length > MAX_DATA {
        return Err(invalid(format!("an adb packet of {length} bytes where at most {MAX_DATA} are taken")));
    }
    let mut data = vec![0; length];
    stream.read_exact(&mut data).await?;
    if sum != 0 && sum != sum_of(&data) {
        return Err(invalid("an adb packet whose sum is wrong".to_owned()));
    }
    Ok(Some(Packet { command: command.to_le_bytes(), arg0: word(4), arg1: word(8), data }))
}

/// Writes a packet, with its sum, which every version understands.
pub async fn write_packet<W: AsyncWrite + Unpin>(stream: &mut W, packet: &Packet) -> io::Result<()> {
    if packet.data.len() > MAX_DATA {
        let text = format!("{} bytes do not fit into one adb packet of {MAX_DATA}", packet.data.len());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let length = u32::try_from(packet.data.len()).unwrap_or(u32::MAX);
    let command = u32::from_le_bytes(packet.command);
    let words = [command, packet.arg0, packet.arg1, length, sum_of(&packet.data), !command];
    let mut bytes = Vec::with_capacity(HEADER + packet.data.len());
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend_from_slice(&packet.data);
    stream.write_all(&bytes).await
}

fn sum_of(data: &[u8]) -> u32 {
    data.iter().fold(0, |sum, byte| sum.wrapping_add(u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn packets_survive_the_way() {
        let packets = [
            Packet::new(CONNECT, VERSION, 1 << 20, "device::features=shell_v2"),
            Packet::new(OKAY, 1, 2, ""),
            Packet::new(WRITE, 1, 2, vec![0xff; MAX_DATA]),
        ];
        let mut bytes = Vec::new();
        for packet in &packets {
            write_packet(&mut bytes, packet).await.unwrap();
        }
        assert_eq!(bytes[..8], *b"CNXN\x01\0\0\x01");
        assert_eq!(bytes[20..24], *b"\xbc\xb1\xa7\xb1");
        let mut stream = bytes.as_slice();
        for packet in packets {
            assert_eq!(read_packet(&mut stream).await.unwrap(), Some(packet));
        }
        assert_eq!(read_packet(&mut stream).await.unwrap(), None);
    }

    #[tokio::test]
    async fn what_is_no_packet_is_an_error() {
        let mut good = Vec::new();
        write_packet(&mut good, &Packet::new(OPEN, 1, 0, "shell:\0")).await.unwrap();
        let with = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            bytes
        };
        for (bytes, kind) in [
            (b"GET / HTTP/1.1\r\nHost: localhost\r\n".to_vec(), io::ErrorKind::InvalidData),
            (with(15, 0x7f), io::ErrorKind::InvalidData),
            (with(24, b'x'), io::ErrorKind::InvalidData),
            (good[..26].to_vec(), io::ErrorKind::UnexpectedEof),
        ] {
            assert_eq!(read_packet(&mut bytes.as_slice()).await.unwrap_err().kind(), kind);
        }
        let unsummed = [&good[..16], &[0; 4], &good[20..]].concat();
        assert!(read_packet(&mut unsummed.as_slice()).await.is_ok());
        let long = Packet::new(WRITE, 1, 2, vec![0; MAX_DATA + 1]);
        assert!(write_packet(&mut Vec::new(), &long).await.is_err());
    }
}
