//! A file that gets its name only when it is whole. Knows nothing of what is written into it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file under a temporary name, which [`AtomicFile::keep`] renames and dropping removes.
pub struct AtomicFile {
    out: BufWriter<File>,
    temporary: PathBuf,
    target: PathBuf,
    kept: bool,
}

impl AtomicFile {
    /// Begins the file `name` in the folder `dir`.
    pub fn create(dir: &Path, name: &str) -> io::Result<Self> {
        let temporary = temporary(dir, name);
        let out = BufWriter::with_capacity(64 * 1024, File::create(&temporary)?);
        Ok(Self { out, temporary, target: dir.join(name), kept: false })
    }

    /// Gives the file its name, replacing an older one.
    pub fn keep(mut self) -> io::Result<()> {
        self.out.flush()?;
        fs::rename(&self.temporary, &self.target)?;
        self.kept = true;
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.kept {
            // Nothing can be done about a leftover here, and its name says what it is.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Returns a hidden name beside `name` that no other process uses.
pub(super) fn temporary(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!(".{name}.{}.part", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_file_gets_its_name() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), "old").unwrap();
        let mut file = AtomicFile::create(dir.path(), "a").unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(fs::read_to_string(dir.path().join("a")).unwrap(), "old");
        let mut file = AtomicFile::create(dir.path(), "a").unwrap();
        file.write_all(b"whole").unwrap();
        file.keep().unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("a")).unwrap(), "whole");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
