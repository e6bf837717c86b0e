//! Zip archives: bytes → an entry's bytes.
//!
//! [`entry`] gives what is stored as it is, and tells compressed entries from missing ones; [`unpacked`] reads both.

use std::io::{Cursor, Read as _};

use zip::CompressionMethod;
use zip::read::{ZipArchive, ZipFile};
use zip::result::ZipError;

/// Why an entry cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Error {
    /// The bytes are no zip archive, or a broken one.
    Broken,
    Missing,
    Compressed,
}

/// Finds an entry by its name.
pub(super) fn entry(archive: &[u8], name: &str) -> Result<Vec<u8>, Error> {
    read(archive, name, |entry| entry.compression() == CompressionMethod::Stored)
}

/// Finds an entry by its name and unpacks it, where it is not larger than `most` bytes.
pub(super) fn unpacked(archive: &[u8], name: &str, most: u64) -> Result<Vec<u8>, Error> {
    read(archive, name, |entry| entry.compression() == CompressionMethod::Stored || entry.size() <= most)
}

fn read(archive: &[u8], name: &str, takes: impl Fn(&ZipFile<'_, Cursor<&[u8]>>) -> bool) -> Result<Vec<u8>, Error> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).map_err(|_| Error::Broken)?;
    let entry = archive.by_name(name).map_err(|error| match error {
        ZipError::FileNotFound => Error::Missing,
        ZipError::UnsupportedArchive(_) => Error::Compressed,
        _ => Error::Broken,
    })?;
    if !takes(&entry) {
        return Err(Error::Compressed);
    }
    let (size, mut bytes) = (entry.size(), Vec::new());
    // One byte more than there should be: only then is it seen that there are no more, and the checksum looked at.
    entry.take(size + 1).read_to_end(&mut bytes).map_err(|_| Error::Broken)?;
    if bytes.len() as u64 == size { Ok(bytes) } else { Err(Error::Broken) }
}

/// Writes an archive of stored entries.
#[cfg(test)]
pub(super) fn stored(entries: &[(&str, &[u8])]) -> Vec<u8> {
    use std::io::Write as _;
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in entries {
        archive.start_file(*name, options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_and_cut_archives_are_broken() {
        let archive = stored(&[("a", b"one"), ("b/c", b"two")]);
        assert_eq!((entry(&archive, "a"), entry(&archive, "b/c")), (Ok(b"one".to_vec()), Ok(b"two".to_vec())));
        assert_eq!(entry(&archive, "c"), Err(Error::Missing));
        for length in 0..archive.len() {
            assert_eq!(entry(&archive[..length], "a"), Err(Error::Broken), "{length}");
        }
        for at in 0..archive.len() {
            let mut other = archive.clone();
            other[at] ^= 0xff;
            // Whatever is broken, nothing panics and no wrong bytes come out.
            assert!(entry(&other, "a").is_err() || entry(&other, "a").as_deref() == Ok(b"one"), "{at}");
        }
    }
}
