//! The sync service: files between a client and the phone's own files.

use std::io;

use tokio::io::{AsyncWriteExt as _, BufReader, BufWriter, ReadHalf, WriteHalf, split};

use super::files::{Errno, Node, SharedFiles, clean, parent};
use crate::adb::service::Stream;
use crate::adb::sync::{self, Frame, Stat};
use crate::adb::sync2;

/// Bytes that are collected before they go to the client or to a file.
const BUFFER: usize = 256 * 1024;
/// The kind in a file's mode, and that of a symbolic link.
const KIND: u32 = 0o170_000;
const LINK: u32 = 0o120_000;

/// Serves one client until it says `QUIT` or leaves.
pub(super) async fn run(files: SharedFiles, stream: Stream) {
    let (reader, writer) = split(stream);
    let reader = BufReader::with_capacity(BUFFER, reader);
    let writer = BufWriter::with_capacity(BUFFER, writer);
    if let Err(error) = (Transfer { files, reader, writer }).serve().await {
        tracing::debug!("a sync client left: {error}");
    }
}

struct Transfer {
    files: SharedFiles,
    reader: BufReader<ReadHalf<Stream>>,
    writer: BufWriter<WriteHalf<Stream>>,
}

impl Transfer {
    async fn serve(&mut self) -> io::Result<()> {
        while let Some(request) = sync::read_request(&mut self.reader).await? {
            let path = clean("/", &request.path);
            match request.id {
                sync::STAT => self.stat(&path).await?,
                sync::STAT2 | sync::LSTAT2 => self.stat2(request.id, &path).await?,
                sync::LIST | sync::LIST2 => self.list(request.id, &path).await?,
                sync::RECV => self.give(&path).await?,
                sync::RECV2 => {
                    let setup = sync2::read_recv_setup(&mut self.reader).await?;
                    if self.is_compressed(setup).await? {
                        break;
                    }
                    self.give(&path).await?;
                }
                sync::SEND2 => {
                    let setup = sync2::read_send_setup(&mut self.reader).await?;
                    if self.is_compressed(setup).await? {
                        break;
                    }
                    self.take(&request.path, setup.mode).await?;
                }
                sync::SEND => {
                    let (path, mode) = sync::split_send(&request.path);
                    self.take(path, mode).await?;
                }
                sync::QUIT => break,
                other => {
                    let text = format!("unknown command {}", other.escape_ascii());
                    sync::write_fail(&mut self.writer, &text).await?;
                    break;
                }
            }
            self.writer.flush().await?;
        }
        self.writer.shutdown().await
    }

    async fn stat(&mut self, path: &str) -> io::Result<()> {
        let stat = self.files.lock().get(path).map(stat_of).unwrap_or_default();
        sync::write_stat(&mut self.writer, &stat).await
    }

    async fn stat2(&mut self, id: sync::Id, path: &str) -> io::Result<()> {
        let stat = self.files.lock().get(path).map(stat_of).map_err(Errno::number);
        sync::write_stat2(&mut self.writer, id, stat.as_ref().map_err(|number| *number)).await
    }

    /// Refuses what the phone does not announce; whether it had to.
    async fn is_compressed(&mut self, setup: sync2::Setup) -> io::Result<bool> {
        if setup.flags != 0 {
            let text = format!("the virtual phone takes no compressed files (flags {:#x})", setup.flags);
            sync::write_fail(&mut self.writer, &text).await?;
        }
        Ok(setup.flags != 0)
    }

    async fn list(&mut self, id: sync::Id, path: &str) -> io::Result<()> {
        let entries: Vec<(String, Stat)> = match self.files.lock().list(path) {
            Ok(entries) => entries.into_iter().map(|(name, node)| (name.to_owned(), stat_of(node))).collect(),
            Err(_) => Vec::new(),
        };
        let long = id == sync::LIST2;
        for (name, stat) in entries {
            match long {
                true => sync2::write_entry(&mut self.writer, &name, &stat).await?,
                false => sync::write_entry(&mut self.writer, &name, &stat).await?,
            }
        }
        match long {
            true => sync2::write_entries_end(&mut self.writer).await,
            false => sync::write_entries_end(&mut self.writer).await,
        }
    }

    async fn give(&mut self, path: &str) -> io::Result<()> {
        let content = self.files.lock().read(path);
        match content {
            Ok(content) => {
                sync::write_data(&mut self.writer, &mut content.as_slice()).await?;
                sync::write_done(&mut self.writer, 0).await
            }
            Err(errno) => sync::write_fail(&mut self.writer, &errno.to_string()).await,
        }
    }

    /// Takes a file in; the folders above it are made, and what has come of a file that does not come whole is removed.
    async fn take(&mut self, name: &str, mode: u32) -> io::Result<()> {
        let path = &clean("/", name);
        if mode & KIND == LINK {
            return self.refuse_link().await;
        }
        let mut taken = self.begin(path, mode, name.ends_with('/'));
        let mut buffer = Vec::new();
        loop {
            let frame = match sync::read_frame(&mut self.reader, &mut buffer).await {
                Ok(frame) => frame,
                Err(error) => {
                    self.forget(path, taken);
                    return Err(error);
                }
            };
            let end = !matches!(frame, Frame::Data(_));
            if end || buffer.len() > BUFFER {
                if taken.is_ok() {
                    taken = self.files.lock().append(path, &buffer);
                }
                buffer.clear();
            }
            match frame {
                Frame::Data(_) => {}
                Frame::Done(time) => return self.taken(path, taken, time).await,
                Frame::Okay | Frame::Fail(_) => {
                    self.forget(path, taken);
                    return Err(io::ErrorKind::InvalidData.into());
                }
            }
        }
    }

    /// Takes a link's target and refuses it, as a device does where the shell may make no links.
    async fn refuse_link(&mut self) -> io::Result<()> {
        let mut target = Vec::new();
        while let Frame::Data(_) = sync::read_frame(&mut self.reader, &mut target).await? {
            target.clear();
        }
        sync::write_fail(&mut self.writer, &format!("symlink failed: {}", Errno::Permission)).await
    }

    /// Makes the file and the folders above it; what is named as a folder is no file.
    fn begin(&self, path: &str, mode: u32, is_folder: bool) -> Result<(), Errno> {
        if is_folder {
            return Err(Errno::IsFolder);
        }
        let mut files = self.files.lock();
        match files.get(parent(path)) {
            Ok(_) => files.create(path, mode),
            Err(_) => files.make_folders(parent(path)).and_then(|()| files.create(path, mode)),
        }
    }

    async fn taken(&mut self, path: &str, taken: Result<(), Errno>, time: u32) -> io::Result<()> {
        match taken {
            Ok(()) => {
                self.files.lock().set_modified(path, i64::from(time));
                sync::write_okay(&mut self.writer).await
            }
            Err(errno) => {
                self.forget(path, taken);
                sync::write_fail(&mut self.writer, &errno.to_string()).await
            }
        }
    }

    /// Removes what has come of a file.
    fn forget(&self, path: &str, taken: Result<(), Errno>) {
        let partial = matches!(taken, Ok(()) | Err(Errno::NoSpace));
        if partial && let Err(errno) = self.files.lock().remove(path) {
            tracing::debug!("{path} of a client that left: {errno}");
        }
    }
}

fn stat_of(node: &Node) -> Stat {
    Stat { mode: node.st_mode(), size: node.size() as u64, mtime: node.modified }
}
