//! `file send` and `file recv`. Where the command says `remote`, the client moves the bytes by binary messages of this connection;
//! else the server opens files of its own computer. Source: src/common/file.cpp and transfer.cpp of hdc.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::super::files::Errno;
use super::super::handset::Handset;
use super::frames::Channel;
use super::serial::{self, Field};
use crate::jobs::off_thread;

/// Messages: `CMD_FILE_INIT` and what follows it; installs have the same from 3500 on.
const INIT: u16 = 3000;
const CHECK: u16 = 1;
const BEGIN: u16 = 2;
const DATA: u16 = 3;
const FINISH: u16 = 4;
/// Bytes of the head that stands before those of a file.
const HEAD: usize = 64;
/// Bytes of a file in one message.
const PART: usize = 48 * 1024;
/// Bytes of a file at most.
const LARGEST: u64 = 256 << 20;

/// Reads a command's words, as hdc does: what is quoted is one.
pub(super) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut is_open) = (Vec::new(), String::new(), false, false);
    for sign in line.chars() {
        match sign {
            '"' => {
                quoted = !quoted;
                is_open = true;
            }
            ' ' | '\t' if !quoted => {
                if is_open {
                    words.push(std::mem::take(&mut word));
                }
                is_open = false;
            }
            sign => {
                word.push(sign);
                is_open = true;
            }
        }
    }
    if is_open {
        words.push(word);
    }
    words
}

/// Returns what is no option, and the client's folder.
pub(super) fn paths(words: &[String]) -> (Vec<String>, String) {
    let (mut paths, mut folder, mut rest) = (Vec::new(), String::new(), words.iter());
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-cwd" => folder = rest.next().cloned().unwrap_or_default(),
            option if option.starts_with('-') => {}
            path => paths.push(path.to_owned()),
        }
    }
    (paths, folder)
}

/// Returns a path of this computer, seen from the client's folder.
pub(super) fn absolute(folder: &str, path: &str) -> PathBuf {
    Path::new(folder).join(path)
}

/// Reads a file of this computer.
pub(super) async fn read(path: PathBuf) -> Result<Vec<u8>, String> {
    let shown = path.display().to_string();
    let read = off_thread(Box::new(move || std::fs::read(path))).await;
    read.map_err(|error| format!("Error opening file: {}, path:{shown}", reason(&error)))
}

/// Says what libuv says.
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        std::io::ErrorKind::IsADirectory => "illegal operation on a directory".to_owned(),
        _ => error.to_string(),
    }
}

/// `file send …` and `file recv …`.
pub(super) async fn file(handset: &Arc<Handset>, rest: &str, channel: &mut Channel) {
    let all = words(rest);
    let Some((direction, words)) = all.split_first() else {
        return channel.fail("[E005200] Unsupport file command").await;
    };
    let is_remote = words.iter().any(|word| word == "remote");
    let (paths, folder) = paths(words);
    let paths: Vec<String> = paths.into_iter().filter(|path| path != "remote").collect();
    let [from, to] = paths.as_slice() else {
        let usage = format!(
            "[E005003] The parameter is missing, correct your input by referring below:\nfile {direction} LOCAL REMOTE"
        );
        return channel.fail(&usage).await;
    };
    let began = Instant::now();
    let moved = match (direction.as_str(), is_remote) {
        ("send", true) => match take_in(channel, INIT, &parameters(words)).await {
            Ok((path, bytes)) => {
                let put = put(handset, from, &path, &bytes);
                if put.is_ok() { end_file(channel).await.and(put) } else { put }
            }
            Err(why) => Err(why),
        },
        ("send", false) => {
            let read = read(absolute(&folder, from)).await;
            read.and_then(|bytes| put(handset, from, to, &bytes))
        }
        ("recv", _) => {
            let read = handset.files.lock().read(from);
            match read {
                Err(_) => Err(format!("Error opening file: no such file or directory, path:{from}")),
                // The client says how it went.
                Ok(bytes) if is_remote => return give_out(channel, (from, to, &folder), &bytes).await,
                Ok(bytes) => write(absolute(&folder, to), from, bytes).await,
            }
        }
        _ => return channel.fail("[E005200] Unsupport file command").await,
    };
    match moved {
        Ok(size) => {
            handset.harmony.counts.add("files", 1);
            let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX).max(1);
            #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
            let rate = size as f64 / ms as f64;
            channel
                .say(&format!("FileTransfer finish, Size:{size}, File count = 1, time:{ms}ms rate:{rate:.2}kB/s"))
                .await;
        }
        Err(why) => channel.fail(&why).await,
    }
}

/// Returns the words that the client is sent back: all but `remote`.
pub(super) fn parameters(words: &[String]) -> String {
    let quoted = words.iter().filter(|word| *word != "remote");
    let quoted: Vec<String> =
        quoted.map(|word| if word.contains(' ') { format!("\"{word}\"") } else { word.clone() }).collect();
    quoted.join(" ")
}

/// Returns the last part of a path.
fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Writes a file of this computer; returns its size. A folder takes it by its own name.
async fn write(mut path: PathBuf, from: &str, bytes: Arc<Vec<u8>>) -> Result<usize, String> {
    if path.is_dir() {
        path.push(name_of(from));
    }
    let (shown, size) = (path.display().to_string(), bytes.len());
    let written = off_thread(Box::new(move || std::fs::write(path, &*bytes).map(|()| Vec::new()))).await;
    match written {
        Ok(_) => Ok(size),
        Err(error) => Err(format!("Error opening file: {}, path:{shown}", reason(&error))),
    }
}

/// Writes a file of the phone; returns its size. A folder takes it by its own name.
fn put(handset: &Handset, from: &str, to: &str, bytes: &[u8]) -> Result<usize, String> {
    let mut files = handset.files.lock();
    let is_folder = to.ends_with('/') || files.get(to).is_ok_and(super::super::files::Node::is_folder);
    let path = if is_folder { format!("{}/{}", to.trim_end_matches('/'), name_of(from)) } else { to.to_owned() };
    let written = files.create(&path, 0o644).and_then(|()| files.append(&path, bytes));
    match written {
        Ok(()) => Ok(bytes.len()),
        Err(Errno::NoSpace) => {
            Err(format!("Transfer Stop at:0/{}(Bytes), Reason: no space left on device", bytes.len()))
        }
        Err(errno) => Err(format!("Error opening file: {}, path:{path}", errno.to_string().to_lowercase())),
    }
}

/// Returns the next binary message, its number counted from the first.
async fn message(channel: &mut Channel, first: u16) -> Option<(u16, Vec<u8>)> {
    let mut message = channel.next().await?;
    let number = u16::from_le_bytes([*message.first()?, *message.get(1)?]);
    message.drain(..2);
    Some((number.checked_sub(first)?, message))
}

async fn tell(channel: &mut Channel, number: u16, payload: &[u8]) {
    // A client that is gone is seen by what it does not answer.
    channel.send(&[&number.to_le_bytes()[..], payload].concat()).await;
}

/// Takes a file that the client sends by messages from `first` on; returns where it is to stand, and what is in it.
pub(super) async fn take_in(channel: &mut Channel, first: u16, parameters: &str) -> Result<(String, Vec<u8>), String> {
    let broken = || "Transfer Stop: the client sent what is no file".to_owned();
    tell(channel, first, parameters.as_bytes()).await;
    let (number, config) = message(channel, first).await.ok_or_else(broken)?;
    let config = serial::read(&config).filter(|_| number == CHECK).ok_or_else(broken)?;
    let (size, path) = (serial::number(&config, 1), serial::text(&config, 5));
    if size > LARGEST {
        return Err(format!("Transfer Stop at:0/{size}(Bytes), Reason: no space left on device"));
    }
    tell(channel, first + BEGIN, &[0; 8]).await;
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < size {
        let (number, data) = message(channel, first).await.ok_or_else(broken)?;
        let (head, part) = data.split_at_checked(HEAD).filter(|_| number == DATA).ok_or_else(broken)?;
        let head = serial::read(head).ok_or_else(broken)?;
        // Nothing is compressed, as the client has not asked for it.
        let is_plain = serial::number(&head, 2) == 0 && serial::number(&head, 3) == part.len() as u64;
        if !is_plain || serial::number(&head, 1) != bytes.len() as u64 {
            return Err(broken());
        }
        bytes.extend_from_slice(part);
    }
    Ok((path, bytes))
}

/// Tells the client that its file has come, and waits until it knows.
async fn end_file(channel: &mut Channel) -> Result<(), String> {
    tell(channel, INIT + FINISH, &[1]).await;
    let ended = message(channel, INIT).await.is_some_and(|(number, _)| number == FINISH);
    if ended { Ok(()) } else { Err("Transfer Stop: the client left".to_owned()) }
}

/// Tells the client what became of the package that it sent: that it was to be installed, whether it was, and the words
/// (`CMD_APP_FINISH`).
pub(super) async fn end_package(channel: &mut Channel, first: u16, said: &str) {
    const INSTALL: u8 = 1;
    let head = [INSTALL, u8::from(!said.starts_with("error"))];
    tell(channel, first + FINISH, &[&head, said.as_bytes()].concat()).await;
}

/// Sends a file to the client by messages.
async fn give_out(channel: &mut Channel, (from, to, folder): (&str, &str, &str), bytes: &[u8]) {
    let config = serial::write(&[
        (1, Field::Number(bytes.len() as u64)),
        (5, Field::Bytes(to.as_bytes().to_vec())),
        (6, Field::Bytes(name_of(from).as_bytes().to_vec())),
        (11, Field::Bytes(folder.as_bytes().to_vec())),
    ]);
    tell(channel, INIT + CHECK, &config).await;
    if message(channel, INIT).await.is_none_or(|(number, _)| number != BEGIN) {
        return;
    }
    for (number, part) in bytes.chunks(PART).enumerate() {
        let (index, size) = ((number * PART) as u64, part.len() as u64);
        let head = [(1, index), (2, 0), (3, size), (4, size)].map(|(tag, number)| (tag, Field::Number(number)));
        let mut head = serial::write(&head);
        head.resize(HEAD, 0);
        tell(channel, INIT + DATA, &[&head[..], part].concat()).await;
    }
    // The client has everything, and is told that this is known.
    if message(channel, INIT).await.is_some_and(|(number, _)| number == FINISH) {
        tell(channel, INIT + FINISH, &[0]).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_one_word() {
        let all = words("-cwd \"/home/a b/\" remote \"x y\" /data/z");
        assert_eq!(all, ["-cwd", "/home/a b/", "remote", "x y", "/data/z"]);
        let (paths, folder) = paths(&all);
        assert_eq!(
            (paths.as_slice(), folder.as_str()),
            (&["remote".to_owned(), "x y".to_owned(), "/data/z".to_owned()][..], "/home/a b/")
        );
        assert_eq!(parameters(&all), "-cwd \"/home/a b/\" \"x y\" /data/z");
        assert_eq!(absolute("/home", "/etc/x"), PathBuf::from("/etc/x"));
    }
}
