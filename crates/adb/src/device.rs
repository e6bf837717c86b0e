//! What one device does, whatever way leads to it: commands and files.

use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::OnceCell;

use uixt_driver::exit_mark;

use super::client::Limits;
use super::error::{Error, broken};
use super::service::Stream;
use super::shell;
use super::sync::{self, Frame, Stat};
use super::transport::Transport;

/// The file kind that stands beside the permissions of a file that is sent.
const ORDINARY_FILE: u32 = 0o100_000;
/// Commands for the sake of which no line is run.
const BESIDES: [&str; 2] = ["rm", "echo"];
/// Bytes read from a socket at once.
const BUFFER: usize = 64 * 1024;

/// What a command left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    pub stdout: Vec<u8>,
    /// Empty for devices before Android 7: there it comes on `stdout`.
    pub stderr: Vec<u8>,
    pub exit: u8,
}

/// A device at the end of a way. Clones share what is known of it.
#[derive(Clone, Debug)]
pub struct Device {
    way: Arc<dyn Transport>,
    limits: Limits,
    serial: String,
    features: Arc<OnceCell<Vec<String>>>,
}

/// Returns what a command line is there for: `input text`, `dumpsys window`; arguments may be secret.
fn purpose(command: &str) -> String {
    let is_name = |word: &&str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    let is_telling = |words: &Vec<&str>| words.first().is_some_and(|word| is_name(word) && !BESIDES.contains(word));
    let parts = command.split(';').flat_map(|part| part.split("&&"));
    let telling = parts.map(|part| part.split_whitespace().take(2).collect()).find(is_telling).unwrap_or_default();
    telling.into_iter().filter(is_name).collect::<Vec<_>>().join(" ")
}

impl Device {
    /// Names a device, which need not be there.
    pub fn new(way: impl Transport, serial: impl Into<String>) -> Self {
        Self { limits: way.limits(), way: Arc::new(way), serial: serial.into(), features: Arc::default() }
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// Returns this device with another limit of time for each call.
    #[must_use]
    pub fn with_deadline(&self, command: Duration) -> Self {
        Self { limits: Limits { command, ..self.limits }, ..self.clone() }
    }

    /// Tells whether the device has a feature (`shell_v2`, `stat_v2`, …); they are asked once.
    pub async fn has_feature(&self, feature: &str) -> Result<bool, Error> {
        let features = self.features.get_or_try_init(|| self.way.features(&self.serial)).await?;
        Ok(features.iter().any(|known| known == feature))
    }

    /// Runs a command line in the device's shell and waits for its end.
    pub async fn shell(&self, command: &str) -> Result<Output, Error> {
        self.call(&purpose(command), self.run(command)).await
    }

    /// Runs a command line and returns the bytes that it writes, stderr among them; its exit code is not known.
    pub async fn exec(&self, command: &str) -> Result<Vec<u8>, Error> {
        self.call(&purpose(command), self.read_all(&format!("exec:{command}"))).await
    }

    /// Opens a service of the device, such as `tcp:6790`, for as long as its stream is kept.
    pub async fn connect(&self, service: &str) -> Result<Stream, Error> {
        self.call(service, self.way.open(&self.serial, service)).await
    }

    /// Writes a file on the device, with permissions like `0o644`.
    pub async fn push<R: AsyncRead + Unpin>(&self, mut file: R, path: &str, mode: u32) -> Result<(), Error> {
        self.call("push", self.send(&mut file, path, mode)).await
    }

    /// Reads a file of the device.
    pub async fn pull(&self, path: &str) -> Result<Vec<u8>, Error> {
        let mut file = Vec::new();
        self.call("pull", self.receive(path, &mut file, self.limits.output)).await.map(|_| file)
    }

    /// Copies a file of the device, however long, to `to`; returns its size in bytes.
    pub async fn pull_to<W: AsyncWrite + Unpin>(&self, path: &str, to: &mut W) -> Result<u64, Error> {
        self.call("pull", self.receive(path, to, usize::MAX)).await
    }

    /// Returns a file's properties; `None` where there is none.
    pub async fn stat(&self, path: &str) -> Result<Option<Stat>, Error> {
        self.call("stat", self.look(path)).await
    }

    async fn call<T>(&self, what: &str, request: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        match self.limits.within(request).await {
            // A device that is not there is told with those that are.
            Err(Error::NoDevice { serial, .. }) => {
                let listed = self.way.devices().await.unwrap_or_default();
                Err(Error::NoDevice { serial, present: listed.into_iter().map(|listed| listed.serial).collect() })
            }
            Err(Error::Timeout { after }) => {
                Err(Error::Silent { serial: self.serial.clone(), what: what.to_owned(), after })
            }
            answer => answer,
        }
    }

    async fn run(&self, command: &str) -> Result<Output, Error> {
        if self.has_feature("shell_v2").await? {
            let stream = self.way.open(&self.serial, &format!("shell,v2,raw:{command}")).await?;
            return self.read_packets(stream).await;
        }
        let stdout = self.read_all(&format!("shell:{command}\necho {}$?", exit_mark::MARK)).await?;
        let taken = exit_mark::take(stdout).map(|(stdout, exit)| Output { stdout, exit, ..Output::default() });
        taken.ok_or_else(|| self.vanished())
    }

    async fn read_packets(&self, stream: Stream) -> Result<Output, Error> {
        let mut stream = BufReader::with_capacity(BUFFER, stream);
        let mut output = Output::default();
        loop {
            let header = shell::read_header(&mut stream).await.map_err(|error| self.broken(&error))?;
            let Some(header) = header else { return Err(self.vanished()) };
            let length = header.length as usize;
            self.check_room(output.stdout.len() + output.stderr.len() + length)?;
            let mut other = Vec::new();
            let data = match header.id {
                shell::STDOUT => &mut output.stdout,
                shell::STDERR => &mut output.stderr,
                _ => &mut other,
            };
            self.read_into(&mut stream, data, length).await?;
            if let (shell::EXIT, Some(&exit)) = (header.id, other.first()) {
                return Ok(Output { exit, ..output });
            }
        }
    }

    async fn read_into<R: AsyncRead + Unpin>(
        &self,
        from: &mut R,
        to: &mut Vec<u8>,
        length: usize,
    ) -> Result<(), Error> {
        let read = from.take(length as u64).read_to_end(to).await.map_err(|error| self.broken(&error))?;
        if read == length { Ok(()) } else { Err(self.vanished()) }
    }

    async fn read_all(&self, service: &str) -> Result<Vec<u8>, Error> {
        let stream = self.way.open(&self.serial, service).await?;
        let most = self.limits.output as u64 + 1;
        let mut bytes = Vec::with_capacity(BUFFER);
        stream.take(most).read_to_end(&mut bytes).await.map_err(|error| self.broken(&error))?;
        self.check_room(bytes.len())?;
        Ok(bytes)
    }

    async fn send<R: AsyncRead + Unpin>(&self, file: &mut R, path: &str, mode: u32) -> Result<(), Error> {
        let stream = self.way.open(&self.serial, "sync:").await?;
        let (mut from, mut to) = tokio::io::split(stream);
        let mut nothing = Vec::new();
        let mut answering = std::pin::pin!(sync::read_frame(&mut from, &mut nothing));
        // A device that refuses says so at once and reads no more: its answer counts, not what is left to write.
        let answer = tokio::select! {
            early = &mut answering => early,
            sent = write_file(&mut to, file, path, mode) => match sent {
                Err(error) if error.kind() == io::ErrorKind::Other => Err(error),
                // What the device said before it closed the stream tells more than that it is closed.
                _ => answering.await,
            },
        };
        match answer {
            Ok(Frame::Okay) => Ok(()),
            Ok(Frame::Fail(message)) => Err(Error::Refused { message }),
            Ok(other) => Err(Error::Protocol { message: format!("{other:?} after a file was sent") }),
            Err(error) => Err(self.broken(&error)),
        }
    }

    async fn receive<W: AsyncWrite + Unpin>(&self, path: &str, to: &mut W, limit: usize) -> Result<u64, Error> {
        let mut stream = self.way.open(&self.serial, "sync:").await?;
        let sent = sync::write_request(&mut stream, sync::RECV, path).await;
        sent.map_err(|error| self.broken(&error))?;
        let mut stream = BufReader::with_capacity(BUFFER, stream);
        let (mut chunk, mut size) = (Vec::new(), 0);
        loop {
            match sync::read_frame(&mut stream, &mut chunk).await.map_err(|error| self.broken(&error))? {
                Frame::Data(length) => {
                    size += length as u64;
                    if size > limit as u64 {
                        return Err(Error::TooMuch { limit });
                    }
                    let kept = to.write_all(&chunk).await;
                    kept.map_err(|error| Error::File { message: error.to_string() })?;
                    chunk.clear();
                }
                Frame::Done(_) => return Ok(size),
                Frame::Fail(message) => return Err(Error::Refused { message }),
                Frame::Okay => return Err(Error::Protocol { message: "OKAY where a file was to come".to_owned() }),
            }
        }
    }

    async fn look(&self, path: &str) -> Result<Option<Stat>, Error> {
        let mut stream = self.way.open(&self.serial, "sync:").await?;
        let sent = sync::write_request(&mut stream, sync::STAT, path).await;
        sent.map_err(|error| self.broken(&error))?;
        let stat = sync::read_stat(&mut stream).await.map_err(|error| self.broken(&error))?;
        Ok((stat != Stat::default()).then_some(stat))
    }

    fn check_room(&self, length: usize) -> Result<(), Error> {
        let limit = self.limits.output;
        if length > limit { Err(Error::TooMuch { limit }) } else { Ok(()) }
    }

    fn vanished(&self) -> Error {
        Error::Vanished { peer: format!("device `{}`", self.serial) }
    }

    fn broken(&self, error: &io::Error) -> Error {
        broken(&format!("device `{}`", self.serial), error)
    }
}

async fn write_file<W, R>(stream: &mut W, file: &mut R, path: &str, mode: u32) -> io::Result<()>
where
    W: AsyncWrite + Unpin,
    R: AsyncRead + Unpin,
{
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    sync::write_request(stream, sync::SEND, &format!("{path},{}", ORDINARY_FILE | mode)).await?;
    sync::write_data(stream, file).await?;
    sync::write_done(stream, u32::try_from(now).unwrap_or(u32::MAX)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_named_by_what_it_is_there_for() {
        assert_eq!(purpose("rm -f /data/x; uiautomator dump /data/x; cat /data/x"), "uiautomator dump");
        assert_eq!(purpose("input text 'secret'"), "input text");
        assert_eq!(purpose("input text secret"), "input text");
        assert_eq!(purpose("pm path com.a; pidof com.a"), "pm path");
        assert_eq!(purpose("A=$(dumpsys x); echo \"$A\"; [ \"$A\" = y ] && input keyevent 4"), "input keyevent");
    }
}
