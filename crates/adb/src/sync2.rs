//! The second version of the sync service's requests, as a device answers them: lists with long records, and transfers whose
//! mode and flags follow the path. Source: AOSP `packages/modules/adb/file_sync_protocol.h`.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::sync::{DONE, Id, RECV2, SEND2, Stat, length_of, record2, split_header, unexpected};

const ENTRY2: Id = *b"DNT2";
/// Bytes of an entry without its name.
const ENTRY_SIZE: usize = 76;

/// What stands behind the path of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Kind and permissions, as in `st_mode`; 0 with `RCV2`.
    pub mode: u32,
    /// 1, 2, 4: compressed with brotli, LZ4, zstd; the highest bit: nothing is to be written.
    pub flags: u32,
}

/// Reads what follows a `SND2`.
pub async fn read_send_setup<R: AsyncRead + Unpin>(stream: &mut R) -> io::Result<Setup> {
    let mode = read_word_of(stream, SEND2).await?;
    let flags = stream.read_u32_le().await?;
    Ok(Setup { mode, flags })
}

/// Reads what follows a `RCV2`.
pub async fn read_recv_setup<R: AsyncRead + Unpin>(stream: &mut R) -> io::Result<Setup> {
    let flags = read_word_of(stream, RECV2).await?;
    Ok(Setup { mode: 0, flags })
}

/// Writes one entry of the answer to `LIS2`.
pub async fn write_entry<W: AsyncWrite + Unpin>(stream: &mut W, name: &str, stat: &Stat) -> io::Result<()> {
    let mut bytes = record2(ENTRY2, Ok(stat));
    bytes.extend(length_of(name.as_bytes()).to_le_bytes());
    bytes.extend(name.as_bytes());
    stream.write_all(&bytes).await
}

/// Writes the end of the answer to `LIS2`: a record as long as an entry's.
pub async fn write_entries_end<W: AsyncWrite + Unpin>(stream: &mut W) -> io::Result<()> {
    let mut bytes = [0; ENTRY_SIZE];
    bytes[..4].copy_from_slice(&DONE);
    stream.write_all(&bytes).await
}

async fn read_word_of<R: AsyncRead + Unpin>(stream: &mut R, wanted: Id) -> io::Result<u32> {
    let mut header = [0; 8];
    stream.read_exact(&mut header).await?;
    let (id, word) = split_header(header);
    if id == wanted { Ok(word) } else { Err(unexpected(id)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn entries_and_their_end_have_the_same_head() {
        let (mut entry, mut end) = (Vec::new(), Vec::new());
        write_entry(&mut entry, "ab", &Stat { mode: 0o100_644, size: 5 << 32, mtime: 7 }).await.unwrap();
        write_entries_end(&mut end).await.unwrap();
        assert_eq!((entry.len(), end.len()), (ENTRY_SIZE + 2, ENTRY_SIZE));
        assert_eq!(
            (entry[40..48].to_vec(), &entry[72..]),
            ((5_u64 << 32).to_le_bytes().to_vec(), &b"\x02\0\0\0ab"[..])
        );
    }

    #[tokio::test]
    async fn setups_are_read() {
        let setup = read_send_setup(&mut b"SND2\xa4\x81\0\0\x04\0\0\0".as_slice()).await.unwrap();
        assert_eq!(setup, Setup { mode: 0o100_644, flags: 4 });
        assert!(read_recv_setup(&mut b"SND2\0\0\0\0".as_slice()).await.is_err());
    }
}
