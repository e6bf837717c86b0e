//! Files to phones and back, as messages: the server may be on another computer, and open none of this one's.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use crate::channel::Channel;
use crate::error::{Error, Refusal, readable, refusal};
use crate::protobuf::{TransferConfig, of_piece, piece};
use crate::server::Server;

/// What messages of a file begin with (`src/common/define_enum.h`).
const INIT: u16 = 3000;
const CHECK: u16 = 3001;
const BEGIN: u16 = 3002;
const DATA: u16 = 3003;
const FINISH: u16 = 3004;
/// Bytes of a file in one message.
const PIECE: usize = 48 << 10;
/// What a server says once a file has arrived, and what it says that is no error begins with.
const DONE: &str = "FileTransfer finish";
const INFO: &str = "[Info]";

impl Server {
    /// Copies a file of this computer to a path on the phone, whose folder is there. Returns its size in bytes.
    pub async fn send_file(&self, key: &str, from: &Path, to: &str, limit: Duration) -> Result<u64, Error> {
        let from = std::path::absolute(from).map_err(|error| of_file(&error))?;
        let size = tokio::fs::metadata(&from).await.map_err(|error| of_file(&error))?.len();
        let channel = self.open(key).await?;
        let sent = timeout(limit, self.send_pieces(channel, key, &from, to, size)).await;
        sent.unwrap_or_else(|_| Err(self.silent(key, "file send", limit))).map(|()| size)
    }

    /// Copies a file of the phone to this computer; one that is there is replaced once all of the new one has come. Returns its size in bytes.
    pub async fn receive_file(&self, key: &str, from: &str, to: &Path, limit: Duration) -> Result<u64, Error> {
        let to = std::path::absolute(to).map_err(|error| of_file(&error))?;
        let part = beside(&to);
        let channel = self.open(key).await?;
        let received = timeout(limit, self.receive_pieces(channel, key, from, &to, &part)).await;
        let mut received = received.unwrap_or_else(|_| Err(self.silent(key, "file recv", limit)));
        if received.is_ok() {
            received = tokio::fs::rename(&part, &to).await.map_err(|error| of_file(&error)).and(received);
        }
        if received.is_err() {
            // It may not have been begun.
            drop(tokio::fs::remove_file(&part).await);
        }
        received
    }

    async fn send_pieces(
        &self,
        mut channel: Channel,
        key: &str,
        from: &Path,
        to: &str,
        size: u64,
    ) -> Result<(), Error> {
        let request = format!("file send remote {} {}", word(&from.to_string_lossy())?, word(to)?);
        channel.ask(&request).await.map_err(|error| self.broken(&error))?;
        let mut was_sent = false;
        let mut file = File::open(from).await.map_err(|error| of_file(&error))?;
        let name = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
        loop {
            let (kind, body) = self.message(key, &mut channel).await?;
            let sent = match kind {
                INIT => {
                    let config = TransferConfig { size, path: to.to_owned(), name: name.clone() };
                    send(&mut channel, CHECK, &config.write()).await
                }
                BEGIN => {
                    was_sent = true;
                    send_all(&mut channel, &mut file).await
                }
                FINISH if !was_sent => return Err(early(0, size)),
                FINISH if body.first() == Some(&1) => send(&mut channel, FINISH, &[0]).await,
                FINISH => return Ok(()),
                _ => Ok(()),
            };
            sent.map_err(|error| self.broken_file(&error))?;
        }
    }

    async fn receive_pieces(
        &self,
        mut channel: Channel,
        key: &str,
        from: &str,
        to: &Path,
        part: &Path,
    ) -> Result<u64, Error> {
        let request = format!("file recv remote {} {}", word(from)?, word(&to.to_string_lossy())?);
        channel.ask(&request).await.map_err(|error| self.broken(&error))?;
        let (mut file, mut size, mut read) = (None, 0, 0);
        loop {
            let (kind, body) = self.message(key, &mut channel).await?;
            let odd = |what: &str| Error::Protocol { message: format!("{what} where a file was to come") };
            let mut is_whole = false;
            match kind {
                CHECK => {
                    size = TransferConfig::size_of(&body).ok_or_else(|| odd("an odd message"))?;
                    file = Some(File::create(part).await.map_err(|error| of_file(&error))?);
                    send(&mut channel, BEGIN, &[]).await.map_err(|error| self.broken(&error))?;
                    is_whole = size == 0;
                }
                DATA => {
                    let data = of_piece(&body).ok_or_else(|| odd("a piece that is compressed or broken"))?;
                    let file = file.as_mut().ok_or_else(|| odd("a piece"))?;
                    file.write_all(data).await.map_err(|error| of_file(&error))?;
                    read += data.len() as u64;
                    is_whole = size > 0 && read >= size;
                }
                FINISH if file.is_some() && read == size => return Ok(read),
                FINISH => return Err(early(read, size)),
                _ => {}
            }
            if is_whole {
                let Some(file) = file.as_mut() else { continue };
                file.flush().await.map_err(|error| of_file(&error))?;
                send(&mut channel, FINISH, &[1]).await.map_err(|error| self.broken(&error))?;
            }
        }
    }

    /// Returns the next message of a file's way, by its kind: a text that says that it has arrived ends it, and 0 is one that says nothing.
    async fn message(&self, key: &str, channel: &mut Channel) -> Result<(u16, Vec<u8>), Error> {
        let message = channel.next().await.map_err(|error| self.broken(&error))?;
        let mut message = message.ok_or_else(|| Error::Vanished { peer: format!("phone `{key}`") })?;
        let kind = message.get(..2).map_or(0, |two| u16::from_le_bytes([two[0], two[1]]));
        if (INIT..=FINISH).contains(&kind) {
            message.drain(..2);
            return Ok((kind, message));
        }
        let said = String::from_utf8_lossy(&message);
        match refusal(key, &message) {
            Some(Refusal::Final(error)) => Err(error),
            Some(Refusal::NotReady) => Err(Error::Offline { key: key.to_owned() }),
            None if said.contains(DONE) => Ok((FINISH, Vec::new())),
            None if said.trim().is_empty() || said.starts_with(INFO) => Ok((0, Vec::new())),
            None => Err(Error::Refused { code: String::new(), message: readable(&said) }),
        }
    }

    fn broken_file(&self, error: &std::io::Error) -> Error {
        if error.kind() == ErrorKind::Other { of_file(error) } else { self.broken(error) }
    }
}

async fn send_all(channel: &mut Channel, file: &mut File) -> std::io::Result<()> {
    let (mut index, mut bytes) = (0, vec![0; PIECE]);
    loop {
        let count = file.read(&mut bytes).await.map_err(|error| std::io::Error::other(error.to_string()))?;
        // An empty file is one empty piece.
        if count > 0 || index == 0 {
            send(channel, DATA, &piece(index, &bytes[..count])).await?;
        }
        if count == 0 {
            return Ok(());
        }
        index += count as u64;
    }
}

async fn send(channel: &mut Channel, kind: u16, body: &[u8]) -> std::io::Result<()> {
    let mut message = Vec::with_capacity(body.len() + 2);
    message.extend_from_slice(&kind.to_le_bytes());
    message.extend_from_slice(body);
    channel.send(&message).await
}

/// Says that a file ended before all of it was there.
fn early(read: u64, size: u64) -> Error {
    Error::Refused { code: String::new(), message: format!("the file ended after {read} of {size} bytes") }
}

/// Returns where a file grows before it takes the place of another.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    name.into()
}

fn of_file(error: &std::io::Error) -> Error {
    Error::File { message: error.to_string() }
}

/// Writes a path as one word of a request, which the server takes apart at white space outside of double quotes.
fn word(path: &str) -> Result<String, Error> {
    if path.contains(['"', '\n', '\r', '\0']) {
        return Err(Error::File { message: format!("`{path}`: hdc takes no path with quotes or line breaks") });
    }
    Ok(if path.contains(char::is_whitespace) { format!("\"{path}\"") } else { path.to_owned() })
}
