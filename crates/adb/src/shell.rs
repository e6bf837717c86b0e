//! The packets of `shell_v2`: one stream carries stdin, stdout, stderr and the exit code.
//!
//! A packet is its id (one byte), its length (four bytes, little endian) and its data. The writers do not flush.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::wire::invalid;

/// To the command's standard input.
pub const STDIN: u8 = 0;
/// From the command's standard output.
pub const STDOUT: u8 = 1;
/// From the command's standard error.
pub const STDERR: u8 = 2;
/// The command's exit code, one byte; the last packet of all.
pub const EXIT: u8 = 3;
/// Nothing more will come on standard input.
pub const CLOSE_STDIN: u8 = 4;
/// The terminal's size as text: `24x80,0x0`.
pub const WINDOW_SIZE: u8 = 5;

/// Bytes of data that a writer puts into one packet at most: what every version of adb takes.
pub const MAX_DATA: usize = 4096 * 16 - 5;
/// Bytes of data that [`read_packet`] takes at most.
pub const MAX_PACKET: usize = 1 << 20;

/// What stands before a packet's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// One of this module's constants; receivers skip what they do not know.
    pub id: u8,
    /// Bytes of data that follow.
    pub length: u32,
}

/// Reads a packet's header; `None` where the stream ended before it.
pub async fn read_header<R: AsyncRead + Unpin>(stream: &mut R) -> io::Result<Option<Header>> {
    let mut bytes = [0; 5];
    if stream.read(&mut bytes[..1]).await? == 0 {
        return Ok(None);
    }
    stream.read_exact(&mut bytes[1..]).await?;
    let [id, length @ ..] = bytes;
    Ok(Some(Header { id, length: u32::from_le_bytes(length) }))
}

/// Reads a packet, its id and its data; `None` where the stream ended before it.
///
/// Fails with `InvalidData` where the data is longer than [`MAX_PACKET`].
pub async fn read_packet<R: AsyncRead + Unpin>(stream: &mut R) -> io::Result<Option<(u8, Vec<u8>)>> {
    let Some(Header { id, length }) = read_header(stream).await? else { return Ok(None) };
    let length = length as usize;
    if length > MAX_PACKET {
        return Err(invalid(format!("a shell packet of {length} bytes; at most {MAX_PACKET} are allowed")));
    }
    let mut data = vec![0; length];
    stream.read_exact(&mut data).await?;
    Ok(Some((id, data)))
}

/// Writes data in as many packets as it needs; none where there is no data, except for ids that carry none.
pub async fn write_packets<W: AsyncWrite + Unpin>(stream: &mut W, id: u8, data: &[u8]) -> io::Result<()> {
    if data.is_empty() && id == CLOSE_STDIN {
        return stream.write_all(&encode(id, &[])).await;
    }
    for chunk in data.chunks(MAX_DATA) {
        stream.write_all(&encode(id, chunk)).await?;
    }
    Ok(())
}

/// Writes the packet that ends a command.
pub async fn write_exit<W: AsyncWrite + Unpin>(stream: &mut W, code: u8) -> io::Result<()> {
    stream.write_all(&encode(EXIT, &[code])).await
}

fn encode(id: u8, data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(data.len() + 5);
    bytes.push(id);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(data);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn packets_survive_the_way() {
        let mut bytes = Vec::new();
        let long = vec![7; MAX_DATA + 1];
        write_packets(&mut bytes, STDOUT, b"hi").await.unwrap();
        write_packets(&mut bytes, STDERR, &long).await.unwrap();
        write_packets(&mut bytes, CLOSE_STDIN, b"").await.unwrap();
        write_exit(&mut bytes, 7).await.unwrap();
        assert_eq!(bytes[..7], *b"\x01\x02\0\0\0hi");
        let mut stream = bytes.as_slice();
        let mut seen = Vec::new();
        while let Some((id, data)) = read_packet(&mut stream).await.unwrap() {
            seen.push((id, data.len()));
        }
        assert_eq!(seen, [(STDOUT, 2), (STDERR, MAX_DATA), (STDERR, 1), (CLOSE_STDIN, 0), (EXIT, 1)]);
    }

    #[tokio::test]
    async fn cut_and_huge_packets_are_errors() {
        let cut = read_packet(&mut b"\x01\x05\0\0\0hi".as_slice()).await.unwrap_err();
        assert_eq!(cut.kind(), io::ErrorKind::UnexpectedEof);
        let huge = read_packet(&mut b"\x01\xff\xff\xff\xff".as_slice()).await.unwrap_err();
        assert_eq!(huge.kind(), io::ErrorKind::InvalidData);
    }
}
