//! The ZIP of a trace: texts compressed, pictures as they are, each once.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::super::AtomicFile;
use super::super::picture;

/// A ZIP that is written.
pub(super) struct Archive {
    zip: ZipWriter<AtomicFile>,
    /// What is in it already.
    names: HashSet<String>,
}

impl Archive {
    pub(super) fn new(file: AtomicFile) -> Self {
        Self { zip: ZipWriter::new(file), names: HashSet::new() }
    }

    /// Adds a text.
    pub(super) fn text(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.begin(name, CompressionMethod::Deflated)?;
        self.zip.write_all(text.as_bytes())
    }

    /// Adds a file of the report's folder under its own path, once; tells whether it is there.
    pub(super) fn file(&mut self, dir: &Path, path: &str) -> io::Result<bool> {
        if self.names.contains(path) {
            return Ok(true);
        }
        // What a journal names lies in the report's folder.
        let opened = picture::inside(path).and_then(|inside| File::open(dir.join(inside)).ok());
        let Some(mut file) = opened.filter(|file| file.metadata().is_ok_and(|data| data.is_file())) else {
            return Ok(false);
        };
        self.begin(path, CompressionMethod::Stored)?;
        io::copy(&mut file, &mut self.zip)?;
        Ok(true)
    }

    fn begin(&mut self, name: &str, method: CompressionMethod) -> io::Result<()> {
        self.names.insert(name.to_owned());
        let options = SimpleFileOptions::default().compression_method(method);
        self.zip.start_file(name, options).map_err(io::Error::other)
    }

    /// Ends the ZIP and gives it its name.
    pub(super) fn finish(self) -> io::Result<()> {
        self.zip.finish().map_err(io::Error::other)?.keep()
    }
}
