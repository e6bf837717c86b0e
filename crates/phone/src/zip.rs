//! Zip archives: bytes → an entry's bytes. Source: PKWARE APPNOTE 6.3.10, 4.3.
//!
//! [`entry`] gives what is stored as it is, and tells compressed entries from missing ones; [`unpacked`] reads both.

/// Why an entry cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Error {
    /// The bytes are no zip archive, or a broken one.
    Broken,
    Missing,
    Compressed,
}

const END: &[u8] = b"PK\x05\x06";
const ENTRY: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
/// The method of entries that are compressed as gzip does it.
const DEFLATED: usize = 8;
/// Bytes of the end record without its comment, and with the longest one.
const END_LENGTH: usize = 22;
const END_ROOM: usize = END_LENGTH + 0xffff;

/// Finds an entry by its name.
pub(super) fn entry<'a>(archive: &'a [u8], name: &str) -> Result<&'a [u8], Error> {
    content(archive, place(archive, name)?)
}

/// Finds an entry by its name and unpacks it, where it is not larger than `most` bytes.
pub(super) fn unpacked(archive: &[u8], name: &str, most: usize) -> Result<Vec<u8>, Error> {
    let at = place(archive, name)?;
    let (method, sum, size) = (short(archive, at + 10)?, long(archive, at + 16)?, long(archive, at + 24)?);
    if method == 0 {
        return content(archive, at).map(<[u8]>::to_vec);
    }
    if method != DEFLATED || size > most {
        return Err(Error::Compressed);
    }
    let packed = raw(archive, at, long(archive, at + 20)?)?;
    let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(packed, size).map_err(|_| Error::Broken)?;
    if crc(&bytes) as usize == sum { Ok(bytes) } else { Err(Error::Broken) }
}

/// Finds where the directory describes an entry.
fn place(archive: &[u8], name: &str) -> Result<usize, Error> {
    let from = archive.len().saturating_sub(END_ROOM);
    let end = from + archive[from..].windows(4).rposition(|window| window == END).ok_or(Error::Broken)?;
    if archive.len() < end + END_LENGTH {
        return Err(Error::Broken);
    }
    let (count, mut at) = (short(archive, end + 10)?, long(archive, end + 16)?);
    for _ in 0..count {
        if at + 4 > end || archive[at..at + 4] != *ENTRY {
            return Err(Error::Broken);
        }
        let (length, extra, comment) = (short(archive, at + 28)?, short(archive, at + 30)?, short(archive, at + 32)?);
        let found = archive.get(at + 46..at + 46 + length).ok_or(Error::Broken)?;
        if found == name.as_bytes() {
            return Ok(at);
        }
        at += 46 + length + extra + comment;
    }
    Err(Error::Missing)
}

/// Returns the bytes of the entry that the directory describes at `at`.
fn content(archive: &[u8], at: usize) -> Result<&[u8], Error> {
    if short(archive, at + 10)? != 0 {
        return Err(Error::Compressed);
    }
    let (sum, size) = (long(archive, at + 16)?, long(archive, at + 24)?);
    let bytes = raw(archive, at, size)?;
    if crc(bytes) as usize == sum { Ok(bytes) } else { Err(Error::Broken) }
}

/// Returns the bytes of the entry that the directory describes at `at` as they lie in the archive.
fn raw(archive: &[u8], at: usize, size: usize) -> Result<&[u8], Error> {
    let local = long(archive, at + 42)?;
    if archive.get(local..local + 4) != Some(LOCAL) {
        return Err(Error::Broken);
    }
    let start = local + 30 + short(archive, local + 26)? + short(archive, local + 28)?;
    archive.get(start..start.saturating_add(size)).ok_or(Error::Broken)
}

fn short(bytes: &[u8], at: usize) -> Result<usize, Error> {
    let found = bytes.get(at..at + 2).and_then(|found| found.try_into().ok()).ok_or(Error::Broken)?;
    Ok(usize::from(u16::from_le_bytes(found)))
}

fn long(bytes: &[u8], at: usize) -> Result<usize, Error> {
    let found = bytes.get(at..at + 4).and_then(|found| found.try_into().ok()).ok_or(Error::Broken)?;
    usize::try_from(u32::from_le_bytes(found)).map_err(|_| Error::Broken)
}

/// CRC-32 as zip and PNG have it.
pub(super) fn crc(bytes: &[u8]) -> u32 {
    let bit = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| bit(sum)))
}

/// Writes an archive of stored entries.
#[cfg(test)]
pub(super) fn stored(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    let number = |value: usize| u32::try_from(value).unwrap().to_le_bytes();
    let half = |value: usize| u16::try_from(value).unwrap().to_le_bytes();
    for (name, bytes) in entries {
        let sizes = [crc(bytes).to_le_bytes(), number(bytes.len()), number(bytes.len())].concat();
        directory
            .extend([ENTRY, &[20, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0], &sizes, &half(name.len()), &[0; 12]].concat());
        directory.extend([&number(archive.len()), name.as_bytes()].concat());
        archive.extend(
            [LOCAL, &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0], &sizes, &half(name.len()), &[0; 2], name.as_bytes(), bytes]
                .concat(),
        );
    }
    let end = [number(directory.len()), number(archive.len())].concat();
    archive.extend(directory);
    archive.extend([END, &[0; 4], &half(entries.len()), &half(entries.len()), &end, &[0; 2]].concat());
    archive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_and_cut_archives_are_broken() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        let archive = stored(&[("a", b"one"), ("b/c", b"two")]);
        assert_eq!((entry(&archive, "a"), entry(&archive, "b/c")), (Ok(b"one".as_slice()), Ok(b"two".as_slice())));
        assert_eq!(entry(&archive, "c"), Err(Error::Missing));
        for length in 0..archive.len() {
            assert_eq!(entry(&archive[..length], "a"), Err(Error::Broken), "{length}");
        }
        for at in 0..archive.len() {
            let mut other = archive.clone();
            other[at] ^= 0xff;
            // Whatever is broken, nothing panics and no wrong bytes come out.
            assert!(entry(&other, "a").is_err() || entry(&other, "a") == Ok(b"one"), "{at}");
        }
    }
}
