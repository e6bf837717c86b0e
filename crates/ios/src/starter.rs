//! The command that starts `WebDriverAgent`: begun where it does not answer, waited for, and ended with all that it began.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::driver::Error;
use crate::wda::Wda;

/// How long it may take until `WebDriverAgent` answers: Xcode may build it first.
const START: Duration = Duration::from_mins(4);
/// How often it is asked meanwhile.
const GLANCE: Duration = Duration::from_millis(500);
/// How long the last words of a command that ended may take: what it began may hold its output open.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// What `WebDriverAgent` prints once it listens.
const MARK: &str = "ServerURLHere->";
/// Letters of the last line that an error shows.
const SHOWN: usize = 200;

/// A command that runs. Dropping this ends it, and all that it began.
#[derive(Debug)]
pub(crate) struct Started {
    child: Child,
    said: Arc<Mutex<Said>>,
    listening: JoinSet<()>,
}

#[derive(Debug, Default)]
struct Said {
    last: String,
    /// The address that `WebDriverAgent` printed.
    address: Option<String>,
}

impl Started {
    /// Begins a command, and waits until `WebDriverAgent` answers.
    /// It finds the phone's UDID in `UDID`.
    pub(crate) async fn begin(command: &str, udid: &str, wda: &Wda) -> Result<Self, Error> {
        let mut started = Self::spawn(command, udid)?;
        let began = Instant::now();
        let mut is_told = false;
        while began.elapsed() < START {
            if wda.status().await.is_ok() {
                return Ok(started);
            }
            if let Ok(Some(status)) = started.child.try_wait() {
                // Its last words are on their way.
                let heard = async { while started.listening.join_next().await.is_some() {} };
                let _ = tokio::time::timeout(LAST_WORDS, heard).await;
                return Err(started.error(command, &format!("ended with {status}")));
            }
            let address = started.said.lock().address.clone();
            if let Some(address) = address.filter(|_| !is_told) {
                is_told = true;
                tracing::debug!(address, "WebDriverAgent was started");
            }
            sleep(GLANCE).await;
        }
        Err(started
            .error(command, &format!("was started, and WebDriverAgent does not answer after {} s", START.as_secs())))
    }

    fn spawn(command: &str, udid: &str) -> Result<Self, Error> {
        let mut shell = Command::new(if cfg!(windows) { "cmd" } else { "sh" });
        shell.args([if cfg!(windows) { "/C" } else { "-c" }, command]);
        shell.env("UDID", udid).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        // What it begins is ended with it.
        #[cfg(unix)]
        shell.process_group(0);
        let wrong = |error| Error::Device { message: format!("`{command}` (`wda: start`) cannot be run: {error}") };
        let mut child = shell.spawn().map_err(wrong)?;
        let said = Arc::<Mutex<Said>>::default();
        let mut listening = JoinSet::new();
        if let Some(output) = child.stdout.take() {
            listening.spawn(listen(output, Arc::clone(&said)));
        }
        if let Some(output) = child.stderr.take() {
            listening.spawn(listen(output, Arc::clone(&said)));
        }
        Ok(Self { child, said, listening })
    }

    fn error(&self, command: &str, what: &str) -> Error {
        let last: String = self.said.lock().last.chars().take(SHOWN).collect();
        let last = if last.is_empty() { String::new() } else { format!("; it said last: {last}") };
        Error::Device { message: format!("`{command}` (`wda: start`) {what}{last}") }
    }

    fn end(&mut self) {
        #[cfg(unix)]
        if let Some(group) =
            self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::TERM);
        }
        let _ = self.child.start_kill();
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.end();
    }
}

/// Reads what a command prints, so that it is never held up.
async fn listen(output: impl AsyncRead + Unpin, said: Arc<Mutex<Said>>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line).await.is_ok_and(|count| count > 0) {
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        let mut said = said.lock();
        if let Some((_, rest)) = text.split_once(MARK) {
            said.address = Some(rest.split('<').next().unwrap_or(rest).to_owned());
        }
        if !text.is_empty() {
            said.last = text;
        }
        drop(said);
        line.clear();
    }
}
