//! The sync service: files to and from a device.
//!
//! A request is an id (four letters), the length of a path (four bytes, little endian) and the path; what follows depends on
//! the id. Both ends use these functions. The writers do not flush.
//!
//! | request | answer |
//! |---|---|
//! | `STAT` path | `STAT` mode size time ([`write_stat`]) |
//! | `STA2`, `LST2` path | the id again, then a longer record ([`write_stat2`]) |
//! | `LIST` path | any number of `DENT` ([`write_entry`]), then `DONE` ([`write_entries_end`]) |
//! | `SEND` path,mode; then `DATA` frames, then `DONE` with the time | `OKAY` or `FAIL` |
//! | `RECV` path | `DATA` frames, then `DONE`; or `FAIL` |
//! | `LIS2`, `SND2`, `RCV2` | see `sync2` |
//! | `QUIT` | the stream ends |

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::wire::invalid;

/// Four letters that tell what a frame is.
pub type Id = [u8; 4];

pub const STAT: Id = *b"STAT";
/// Follows links and has 64-bit sizes; for devices with the feature `stat_v2`.
pub const STAT2: Id = *b"STA2";
/// As [`STAT2`], of the link itself.
pub const LSTAT2: Id = *b"LST2";
pub const LIST: Id = *b"LIST";
pub const SEND: Id = *b"SEND";
pub const RECV: Id = *b"RECV";
pub const QUIT: Id = *b"QUIT";
/// As [`LIST`], with entries as long as [`STAT2`]'s; for devices with the feature `ls_v2`.
pub const LIST2: Id = *b"LIS2";
/// As [`SEND`] and [`RECV`], with the mode and flags in a record behind the path; for devices with `sendrecv_v2`.
pub const SEND2: Id = *b"SND2";
pub const RECV2: Id = *b"RCV2";
const ENTRY: Id = *b"DENT";
const DATA: Id = *b"DATA";
pub(super) const DONE: Id = *b"DONE";
const OKAY: Id = *b"OKAY";
const FAIL: Id = *b"FAIL";

/// Bytes of a file in one frame at most.
pub const MAX_CHUNK: usize = 64 * 1024;
/// Bytes of a path in a request at most.
pub const MAX_PATH: usize = 1024;
/// Bytes of the reason in a `FAIL` at most.
const MAX_REASON: usize = 64 * 1024;

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub id: Id,
    /// The path; for `SEND`, path, comma, mode in decimal ([`split_send`]). Empty for `QUIT`.
    pub path: String,
}

/// A file's properties. All zero stands for a file that is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// Kind and permissions, as in `st_mode`.
    pub mode: u32,
    /// Bytes.
    pub size: u64,
    /// Seconds since 1970.
    pub mtime: i64,
}

/// One frame of a transfer, or its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// So many bytes of the file were appended to the buffer.
    Data(usize),
    /// All of the file has come; with `SEND`, its time in seconds since 1970.
    Done(u32),
    Okay,
    /// Refused, with the reason.
    Fail(String),
}

/// Writes a request.
pub async fn write_request<W: AsyncWrite + Unpin>(stream: &mut W, id: Id, path: &str) -> io::Result<()> {
    stream.write_all(&frame(id, path.as_bytes())).await
}

/// Reads a request; `None` where the stream ended before it.
pub async fn read_request<R: AsyncRead + Unpin>(stream: &mut R) -> io::Result<Option<Request>> {
    let mut header = [0; 8];
    if stream.read(&mut header[..1]).await? == 0 {
        return Ok(None);
    }
    stream.read_exact(&mut header[1..]).await?;
    let (id, length) = split_header(header);
    let path = read_text(stream, length, MAX_PATH, "path").await?;
    Ok(Some(Request { id, path }))
}

/// Splits the path of a `SEND` from its mode; a missing mode is that of an ordinary file.
pub fn split_send(path: &str) -> (&str, u32) {
    match path.rsplit_once(',') {
        Some((path, mode)) if let Ok(mode) = mode.parse() => (path, mode),
        _ => (path, 0o100_644),
    }
}

/// Writes the answer to `STAT`; sizes of 4 GiB and more are cut, as the format has it.
pub async fn write_stat<W: AsyncWrite + Unpin>(stream: &mut W, stat: &Stat) -> io::Result<()> {
    stream.write_all(&record(STAT, stat)).await
}

/// Reads the answer to `STAT`.
pub async fn read_stat<R: AsyncRead + Unpin>(stream: &mut R) -> io::Result<Stat> {
    let mut bytes = [0; 16];
    stream.read_exact(&mut bytes).await?;
    let [id, mode, size, mtime] = words(&bytes);
    if id != u32::from_le_bytes(STAT) {
        return Err(unexpected(id.to_le_bytes()));
    }
    Ok(Stat { mode, size: size.into(), mtime: mtime.into() })
}

/// Writes the answer to `STA2` or `LST2`: the file's properties, or the `errno` that stands in their way (2: not there).
pub async fn write_stat2<W: AsyncWrite + Unpin>(stream: &mut W, id: Id, stat: Result<&Stat, u32>) -> io::Result<()> {
    let bytes = record2(id, stat);
    stream.write_all(&bytes).await
}

/// Reads the answer to `STA2` or `LST2`: the file's properties or an `errno`.
pub async fn read_stat2<R: AsyncRead + Unpin>(stream: &mut R) -> io::Result<Result<Stat, u32>> {
    let mut head = [0; 8];
    stream.read_exact(&mut head).await?;
    let (id, errno) = split_header(head);
    if id != STAT2 && id != LSTAT2 {
        return Err(unexpected(id));
    }
    let mut ignored = [0; 16];
    stream.read_exact(&mut ignored).await?;
    let mode = stream.read_u32_le().await?;
    stream.read_exact(&mut ignored[..12]).await?;
    let size = stream.read_u64_le().await?;
    stream.read_i64_le().await?;
    let mtime = stream.read_i64_le().await?;
    stream.read_i64_le().await?;
    Ok(if errno == 0 { Ok(Stat { mode, size, mtime }) } else { Err(errno) })
}

/// Writes one entry of the answer to `LIST`.
pub async fn write_entry<W: AsyncWrite + Unpin>(stream: &mut W, name: &str, stat: &Stat) -> io::Result<()> {
    let mut bytes = record(ENTRY, stat);
    bytes.extend(length_of(name.as_bytes()).to_le_bytes());
    bytes.extend(name.as_bytes());
    stream.write_all(&bytes).await
}

/// Writes the end of the answer to `LIST`: a record as long as an entry's.
pub async fn write_entries_end<W: AsyncWrite + Unpin>(stream: &mut W) -> io::Result<()> {
    let mut bytes = record(DONE, &Stat::default());
    bytes.extend([0; 4]);
    stream.write_all(&bytes).await
}

/// Reads one entry of the answer to `LIST`; `None` at its end.
pub async fn read_entry<R: AsyncRead + Unpin>(stream: &mut R) -> io::Result<Option<(String, Stat)>> {
    let mut bytes = [0; 20];
    stream.read_exact(&mut bytes).await?;
    let [id, mode, size, mtime, length] = words(&bytes);
    match id.to_le_bytes() {
        DONE => Ok(None),
        ENTRY => {
            let name = read_text(stream, length, MAX_PATH, "name").await?;
            Ok(Some((name, Stat { mode, size: size.into(), mtime: mtime.into() })))
        }
        other => Err(unexpected(other)),
    }
}

/// Copies all of `file` into `DATA` frames; returns its length in bytes.
///
/// Fails with `Other` where the file cannot be read, so that this is told from a broken stream.
pub async fn write_data<W, R>(stream: &mut W, file: &mut R) -> io::Result<u64>
where
    W: AsyncWrite + Unpin,
    R: AsyncRead + Unpin,
{
    let mut buffer = vec![0; 8 + MAX_CHUNK];
    buffer[..4].copy_from_slice(&DATA);
    let mut total = 0;
    loop {
        let length = fill(file, &mut buffer[8..]).await.map_err(io::Error::other)?;
        if length == 0 {
            return Ok(total);
        }
        let header = u32::try_from(length).unwrap_or(u32::MAX);
        buffer[4..8].copy_from_slice(&header.to_le_bytes());
        stream.write_all(&buffer[..8 + length]).await?;
        total += u64::from(header);
    }
}

/// Writes the end of a file, with its time in seconds since 1970 (`SEND`) or 0 (`RECV`).
pub async fn write_done<W: AsyncWrite + Unpin>(stream: &mut W, mtime: u32) -> io::Result<()> {
    write_word(stream, DONE, mtime).await
}

/// Writes that a file was taken.
pub async fn write_okay<W: AsyncWrite + Unpin>(stream: &mut W) -> io::Result<()> {
    write_word(stream, OKAY, 0).await
}

/// Writes that a request is refused.
pub async fn write_fail<W: AsyncWrite + Unpin>(stream: &mut W, reason: &str) -> io::Result<()> {
    let reason = reason.as_bytes();
    stream.write_all(&frame(FAIL, &reason[..reason.len().min(MAX_REASON)])).await
}

/// Reads the next frame of a transfer; a file's bytes are appended to `buffer`.
///
/// A caller that does not clear `buffer` watches its size: each frame adds at most [`MAX_CHUNK`] bytes.
pub async fn read_frame<R: AsyncRead + Unpin>(stream: &mut R, buffer: &mut Vec<u8>) -> io::Result<Frame> {
    let mut header = [0; 8];
    stream.read_exact(&mut header).await?;
    let (id, word) = split_header(header);
    match id {
        DATA => read_chunk(stream, word, buffer).await.map(Frame::Data),
        DONE => Ok(Frame::Done(word)),
        OKAY => Ok(Frame::Okay),
        FAIL => Ok(Frame::Fail(read_text(stream, word, MAX_REASON, "reason").await?)),
        other => Err(unexpected(other)),
    }
}

async fn read_chunk<R: AsyncRead + Unpin>(stream: &mut R, length: u32, buffer: &mut Vec<u8>) -> io::Result<usize> {
    let length = checked(length, MAX_CHUNK, "chunk")?;
    let start = buffer.len();
    buffer.resize(start + length, 0);
    stream.read_exact(&mut buffer[start..]).await?;
    Ok(length)
}

async fn read_text<R: AsyncRead + Unpin>(stream: &mut R, length: u32, limit: usize, what: &str) -> io::Result<String> {
    let mut bytes = vec![0; checked(length, limit, what)?];
    stream.read_exact(&mut bytes).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

async fn write_word<W: AsyncWrite + Unpin>(stream: &mut W, id: Id, word: u32) -> io::Result<()> {
    let mut bytes = id.to_vec();
    bytes.extend(word.to_le_bytes());
    stream.write_all(&bytes).await
}

/// Reads until the buffer is full or the file ends; returns how much there is.
async fn fill<R: AsyncRead + Unpin>(file: &mut R, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..]).await? {
            0 => break,
            more => length += more,
        }
    }
    Ok(length)
}

fn frame(id: Id, data: &[u8]) -> Vec<u8> {
    let mut bytes = id.to_vec();
    bytes.extend(length_of(data).to_le_bytes());
    bytes.extend(data);
    bytes
}

fn record(id: Id, stat: &Stat) -> Vec<u8> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the format has 32 bits for each")]
    let (size, mtime) = (stat.size as u32, stat.mtime as u32);
    let mut bytes = id.to_vec();
    bytes.extend([stat.mode, size, mtime].map(u32::to_le_bytes).concat());
    bytes
}

/// A record of `stat_v2`, and the beginning of an entry of `ls_v2`.
pub(super) fn record2(id: Id, stat: Result<&Stat, u32>) -> Vec<u8> {
    let (errno, stat) = match stat {
        Ok(stat) => (0_u32, *stat),
        Err(errno) => (errno, Stat::default()),
    };
    let mut bytes = id.to_vec();
    bytes.extend(errno.to_le_bytes());
    bytes.extend([0; 16]); // device, inode
    bytes.extend(stat.mode.to_le_bytes());
    bytes.extend([1_u32, 0, 0].map(u32::to_le_bytes).concat()); // links, user, group
    bytes.extend(stat.size.to_le_bytes());
    bytes.extend([stat.mtime; 3].map(i64::to_le_bytes).concat()); // read, written, changed
    bytes
}

fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    let word = |i: usize| u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]);
    std::array::from_fn(word)
}

pub(super) fn split_header(header: [u8; 8]) -> (Id, u32) {
    let [a, b, c, d, length @ ..] = header;
    ([a, b, c, d], u32::from_le_bytes(length))
}

pub(super) fn length_of(data: &[u8]) -> u32 {
    u32::try_from(data.len()).unwrap_or(u32::MAX)
}

fn checked(length: u32, limit: usize, what: &str) -> io::Result<usize> {
    let length = length as usize;
    if length > limit {
        return Err(invalid(format!("a {what} of {length} bytes; at most {limit} are allowed")));
    }
    Ok(length)
}

pub(super) fn unexpected(id: Id) -> io::Error {
    invalid(format!("`{}` is an unexpected frame", id.escape_ascii()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn files_survive_the_way() {
        let file: Vec<u8> = (0..=250).cycle().take(MAX_CHUNK * 2 + 3).collect();
        let mut bytes = Vec::new();
        assert_eq!(write_data(&mut bytes, &mut file.as_slice()).await.unwrap(), file.len() as u64);
        write_done(&mut bytes, 1234).await.unwrap();
        write_okay(&mut bytes).await.unwrap();
        write_fail(&mut bytes, "Permission denied").await.unwrap();
        let (mut stream, mut copy, mut frames) = (bytes.as_slice(), Vec::new(), Vec::new());
        while !stream.is_empty() {
            frames.push(read_frame(&mut stream, &mut copy).await.unwrap());
        }
        let end = [Frame::Done(1234), Frame::Okay, Frame::Fail("Permission denied".to_owned())];
        assert_eq!(frames[..3], [Frame::Data(MAX_CHUNK), Frame::Data(MAX_CHUNK), Frame::Data(3)]);
        assert_eq!((&frames[3..], copy), (&end[..], file));
    }

    #[tokio::test]
    async fn stats_and_entries_survive_the_way() {
        let stat = Stat { mode: 0o100_644, size: 30, mtime: 1_700_000_000 };
        let mut bytes = Vec::new();
        write_stat(&mut bytes, &stat).await.unwrap();
        write_stat2(&mut bytes, STAT2, Ok(&stat)).await.unwrap();
        write_stat2(&mut bytes, LSTAT2, Err(2)).await.unwrap();
        assert_eq!(bytes.len(), 16 + 72 + 72);
        write_entry(&mut bytes, "图.png", &stat).await.unwrap();
        write_entries_end(&mut bytes).await.unwrap();
        let mut stream = bytes.as_slice();
        assert_eq!(read_stat(&mut stream).await.unwrap(), stat);
        assert_eq!(read_stat2(&mut stream).await.unwrap(), Ok(stat));
        assert_eq!(read_stat2(&mut stream).await.unwrap(), Err(2));
        assert_eq!(read_entry(&mut stream).await.unwrap(), Some(("图.png".to_owned(), stat)));
        assert_eq!(read_entry(&mut stream).await.unwrap(), None);
    }

    #[tokio::test]
    async fn requests_survive_the_way_and_are_bounded() {
        let mut bytes = Vec::new();
        write_request(&mut bytes, SEND, "/sdcard/a,b.txt,33188").await.unwrap();
        let request = read_request(&mut bytes.as_slice()).await.unwrap().unwrap();
        assert_eq!((request.id, split_send(&request.path)), (SEND, ("/sdcard/a,b.txt", 33188)));
        assert_eq!(read_request(&mut [].as_slice()).await.unwrap(), None);
        let long = read_request(&mut b"STAT\xff\xff\0\0".as_slice()).await.unwrap_err();
        assert_eq!(long.kind(), io::ErrorKind::InvalidData);
        let huge = read_frame(&mut b"DATA\0\0\0\x7f".as_slice(), &mut Vec::new()).await.unwrap_err();
        assert_eq!(huge.kind(), io::ErrorKind::InvalidData);
    }
}
