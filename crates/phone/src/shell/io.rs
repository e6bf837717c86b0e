//! Where a command reads from and writes to: the client, a pipe, a file, nothing.

use std::io;
use std::sync::Arc;

use tokio::sync::{Mutex, mpsc};

use crate::files::SharedFiles;

/// Which of a command's two outputs bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    Out,
    Err,
}

pub(crate) type Chunk = (Channel, Vec<u8>);

/// Chunks that wait in a pipe before its writer has to.
const PIPE: usize = 8;

/// The same where somebody types: what is typed ahead waits there, and Ctrl-C comes behind it.
const TYPED_AHEAD: usize = 64;
/// Stand in a terminal's pipe between what is typed; no output writes them.
pub(crate) const END: Chunk = (Channel::Out, Vec::new());
pub(crate) const INTERRUPT: Chunk = (Channel::Err, Vec::new());

/// Returns both ends of a terminal's pipe.
pub(crate) fn typing() -> (mpsc::Sender<Chunk>, mpsc::Receiver<Chunk>) {
    mpsc::channel(TYPED_AHEAD)
}

/// Returns both ends of a pipe.
pub(crate) fn pipe() -> (mpsc::Sender<Chunk>, mpsc::Receiver<Chunk>) {
    mpsc::channel(PIPE)
}

#[derive(Clone)]
pub(crate) enum Output {
    Send { to: mpsc::Sender<Chunk>, channel: Channel, to_client: bool },
    File { files: SharedFiles, path: String },
    Null,
}

impl Output {
    /// Whether the client reads it, and no other command.
    pub(crate) fn is_client(&self) -> bool {
        matches!(self, Self::Send { to_client: true, .. })
    }

    /// Writes all bytes; fails when the reader is gone or the disk is full.
    pub(crate) async fn write(&self, bytes: impl Into<Vec<u8>>) -> io::Result<()> {
        let bytes = bytes.into();
        if bytes.is_empty() {
            return Ok(());
        }
        match self {
            Self::Send { to, channel, .. } => {
                to.send((*channel, bytes)).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
            }
            Self::File { files, path } => {
                files.lock().append(path, &bytes).map_err(|errno| io::Error::other(errno.to_string()))
            }
            Self::Null => Ok(()),
        }
    }
}

/// What a command reads; commands of one list share it, each goes on where the last one stopped.
#[derive(Clone)]
pub(crate) struct Input {
    source: Arc<Mutex<Source>>,
    is_terminal: bool,
}

#[derive(Default)]
struct Source {
    from: Option<mpsc::Receiver<Chunk>>,
    waiting: Vec<u8>,
    /// How many [`INTERRUPT`] have come.
    interrupts: u64,
}

impl Input {
    pub(crate) fn from_pipe(from: mpsc::Receiver<Chunk>) -> Self {
        Self::new(Source { from: Some(from), ..Source::default() }, false)
    }

    pub(crate) fn from_terminal(from: mpsc::Receiver<Chunk>) -> Self {
        Self::new(Source { from: Some(from), ..Source::default() }, true)
    }

    pub(crate) fn from_bytes(waiting: Vec<u8>) -> Self {
        Self::new(Source { waiting, ..Source::default() }, false)
    }

    fn new(source: Source, is_terminal: bool) -> Self {
        Self { source: Arc::new(Mutex::new(source)), is_terminal }
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Returns how many Ctrl-C have come this way.
    pub(super) async fn interrupts(&self) -> u64 {
        self.source.lock().await.interrupts
    }

    /// Drops what was typed before so many Ctrl-C.
    pub(super) async fn skip_interrupts(&self, count: u64) {
        let mut source = self.source.lock().await;
        while source.interrupts < count {
            source.waiting.clear();
            if source.chunk().await.is_none() && source.from.as_ref().is_none_or(mpsc::Receiver::is_closed) {
                return;
            }
        }
    }

    /// Returns what comes next, `None` at the end; a terminal may go on behind its end.
    pub(crate) async fn chunk(&self) -> Option<Vec<u8>> {
        self.source.lock().await.chunk().await
    }

    /// Returns the next line without its end; lines beyond `limit` bytes come in parts.
    pub(crate) async fn line(&self, limit: usize) -> Option<Vec<u8>> {
        let mut source = self.source.lock().await;
        let mut line = Vec::new();
        while let Some(mut chunk) = source.chunk().await {
            if let Some(end) = chunk.iter().position(|byte| *byte == b'\n') {
                source.waiting = chunk.split_off(end + 1);
                chunk.pop();
                line.append(&mut chunk);
                return Some(line);
            }
            line.append(&mut chunk);
            if line.len() > limit {
                break;
            }
        }
        (!line.is_empty()).then_some(line)
    }

    /// Reads to the end; fails beyond `limit` bytes.
    pub(crate) async fn all(&self, limit: usize) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        while let Some(mut chunk) = self.chunk().await {
            all.append(&mut chunk);
            if all.len() > limit {
                return Err(io::Error::other("Cannot allocate memory"));
            }
        }
        Ok(all)
    }
}

impl Source {
    async fn chunk(&mut self) -> Option<Vec<u8>> {
        if !self.waiting.is_empty() {
            return Some(std::mem::take(&mut self.waiting));
        }
        let (channel, bytes) = self.from.as_mut()?.recv().await?;
        if bytes.is_empty() {
            self.interrupts += u64::from(channel == Channel::Err);
            return None;
        }
        Some(bytes)
    }
}

/// A command's three streams.
#[derive(Clone)]
pub(crate) struct Io {
    pub(crate) input: Input,
    pub(crate) out: Output,
    pub(crate) err: Output,
}
