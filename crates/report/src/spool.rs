//! Text that is put aside on disk until what stands before it is known. Knows nothing of the text.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::atomic_file;

/// A growing file that is read back in stretches and removed at the end.
pub(super) struct Spool {
    out: BufWriter<File>,
    path: PathBuf,
    length: u64,
}

impl Spool {
    /// Begins an empty one in the folder `dir`; `name` tells it from others.
    pub(super) fn create(dir: &Path, name: &str) -> io::Result<Self> {
        let path = atomic_file::temporary(dir, name);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path)?;
        Ok(Self { out: BufWriter::with_capacity(64 * 1024, file), path, length: 0 })
    }

    /// Puts `text` aside and returns where it lies.
    pub(super) fn push(&mut self, text: &str) -> io::Result<Range<u64>> {
        self.out.write_all(text.as_bytes())?;
        let begin = self.length;
        self.length += text.len() as u64;
        Ok(begin..self.length)
    }

    /// Copies a stretch to `to`.
    pub(super) fn copy(&mut self, stretch: &Range<u64>, to: &mut dyn Write) -> io::Result<()> {
        self.out.flush()?;
        let file = self.out.get_mut();
        file.seek(SeekFrom::Start(stretch.start))?;
        let wanted = stretch.end - stretch.start;
        let copied = io::copy(&mut Read::by_ref(file).take(wanted), to)?;
        file.seek(SeekFrom::Start(self.length))?;
        if copied == wanted { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Copies everything to `to`.
    pub(super) fn copy_all(&mut self, to: &mut dyn Write) -> io::Result<()> {
        self.copy(&(0..self.length), to)
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        // Nothing can be done about a leftover here, and its name says what it is.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_come_back_in_any_order() {
        let dir = tempfile::tempdir().unwrap();
        let mut spool = Spool::create(dir.path(), "s").unwrap();
        let first = spool.push("one").unwrap();
        let second = spool.push("two").unwrap();
        let mut text = Vec::new();
        spool.copy(&second, &mut text).unwrap();
        spool.copy(&first, &mut text).unwrap();
        spool.push("!").unwrap();
        spool.copy_all(&mut text).unwrap();
        assert_eq!(text, b"twooneonetwo!");
        drop(spool);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
