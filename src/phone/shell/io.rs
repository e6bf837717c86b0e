//! Where a command reads from and writes to: the client, a pipe, a file, nothing.

use std::io;
use std::sync::Arc;

use tokio::sync::{Mutex, mpsc};

use crate::phone::files::SharedFiles;

/// Which of a command's two outputs bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::phone) enum Channel {
    Out,
    Err,
}

pub(in crate::phone) type Chunk = (Channel, Vec<u8>);

/// Chunks that wait in a pipe before its writer has to.
const PIPE: usize = 8;

/// Returns both ends of a pipe.
pub(in crate::phone) fn pipe() -> (mpsc::Sender<Chunk>, mpsc::Receiver<Chunk>) {
    mpsc::channel(PIPE)
}

#[derive(Clone)]
pub(in crate::phone) enum Output {
    Send { to: mpsc::Sender<Chunk>, channel: Channel },
    File { files: SharedFiles, path: String },
    Null,
}

impl Output {
    /// Writes all bytes; fails when the reader is gone or the disk is full.
    pub(in crate::phone) async fn write(&self, bytes: impl Into<Vec<u8>>) -> io::Result<()> {
        let bytes = bytes.into();
        if bytes.is_empty() {
            return Ok(());
        }
        match self {
            Self::Send { to, channel } => {
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
pub(in crate::phone) struct Input(Arc<Mutex<Source>>);

struct Source {
    from: Option<mpsc::Receiver<Chunk>>,
    waiting: Vec<u8>,
}

impl Input {
    pub(in crate::phone) fn from_pipe(from: mpsc::Receiver<Chunk>) -> Self {
        Self(Arc::new(Mutex::new(Source { from: Some(from), waiting: Vec::new() })))
    }

    pub(in crate::phone) fn from_bytes(waiting: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(Source { from: None, waiting })))
    }

    /// Returns what comes next, `None` at the end.
    pub(in crate::phone) async fn chunk(&self) -> Option<Vec<u8>> {
        self.0.lock().await.chunk().await
    }

    /// Returns the next line without its end; lines beyond `limit` bytes come in parts.
    pub(in crate::phone) async fn line(&self, limit: usize) -> Option<Vec<u8>> {
        let mut source = self.0.lock().await;
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
    pub(in crate::phone) async fn all(&self, limit: usize) -> io::Result<Vec<u8>> {
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
        Some(self.from.as_mut()?.recv().await?.1)
    }
}

/// A command's three streams.
#[derive(Clone)]
pub(in crate::phone) struct Io {
    pub(in crate::phone) input: Input,
    pub(in crate::phone) out: Output,
    pub(in crate::phone) err: Output,
}
