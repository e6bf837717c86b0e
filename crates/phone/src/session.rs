//! One client at the phone's shell: bytes of its stream → standard input, outputs and exit code → bytes.
//!
//! Speaks the plain form (`shell:`, `exec:`: outputs mixed, no exit code) and `shell_v2` packets. A client that leaves ends
//! what it runs.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, ReadHalf, WriteHalf, split};
use tokio::sync::mpsc;

use super::handset::Handset;
use super::shell::{Channel, Chunk, END, INTERRUPT, Input, Io, Output, Shell, pipe, typing};
use super::terminal::{self, Part};
use super::tty::Tty;
use crate::adb::service::Stream;
use crate::adb::{quote, shell};

/// Bytes read from a client at a time.
const CHUNK: usize = 64 * 1024;
/// How long a plain command may go on after its client has closed its side: time to take in what was sent (`exec-in`).
const AFTERLIFE: Duration = Duration::from_secs(2);
/// How long a command waits for the size of its terminal, which adb sends behind the request.
const SIZE_TIME: Duration = Duration::from_millis(50);

/// What a client asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// Empty for a shell to talk to.
    command: String,
    packets: bool,
    terminal: bool,
    /// What `$TERM` is to be.
    term: Option<String>,
}

impl Kind {
    /// Reads `shell:COMMAND`, `shell,v2,TERM=xterm,raw:COMMAND`, `exec:COMMAND`, `abb_exec:SERVICE\0ARGUMENT…`.
    pub(super) fn of(service: &str) -> Option<Self> {
        let (name, command) = service.split_once(':')?;
        if let "abb" | "abb_exec" = name {
            let words: String = command.split('\0').map(|word| format!(" {}", quote(word))).collect();
            return Some(Self { command: format!("cmd{words}"), packets: name == "abb", terminal: false, term: None });
        }
        let mut options = name.split(',');
        let interactive = match options.next()? {
            "shell" => command.is_empty(),
            "exec" if !command.is_empty() => false,
            _ => return None,
        };
        let mut kind = Self { command: command.to_owned(), packets: false, terminal: interactive, term: None };
        for option in options {
            match option {
                "v2" => kind.packets = true,
                "raw" => kind.terminal = false,
                "pty" => kind.terminal = true,
                other => kind.term = other.strip_prefix("TERM=").map(str::to_owned).or(kind.term),
            }
        }
        Some(kind)
    }
}

/// Runs a command, or a shell, until it ends or its client leaves.
pub(super) async fn run(handset: Arc<Handset>, kind: Kind, stream: Stream) {
    let (reader, mut writer) = split(stream);
    let tty = kind.terminal.then(Arc::<Tty>::default);
    let (to_input, from_client) = if kind.terminal { typing() } else { pipe() };
    let (to_client, mut from_command) = pipe();
    let out = Output::Send { to: to_client.clone(), channel: Channel::Out, to_client: true };
    let err = Output::Send { to: to_client.clone(), channel: Channel::Err, to_client: true };
    let input = if kind.terminal { Input::from_terminal(from_client) } else { Input::from_pipe(from_client) };
    let io = Io { input, out, err };
    let echo = to_client.downgrade();
    let keyboard = tty.clone().map(|tty| Keyboard { line: terminal::Line::default(), echo, tty });
    drop(to_client);
    let talk = async {
        let (status, sent) =
            tokio::join!(command(handset, &kind, io, tty), send(&mut from_command, &mut writer, &kind));
        sent.map(|()| status)
    };
    let ended = tokio::select! {
        ended = talk => ended,
        () = receive(reader, to_input, keyboard, kind.packets) => return,
    };
    match ended {
        Ok(status) => finish(&mut writer, kind.packets, status).await,
        Err(error) => tracing::debug!("a shell's client left: {error}"),
    }
}

/// Writes an answer and ends the stream.
pub(super) async fn say(answer: Vec<u8>, mut stream: Stream) {
    // A client that does not wait for the answer misses nothing else.
    if stream.write_all(&answer).await.is_ok() {
        let _ = stream.shutdown().await;
    }
}

/// Tells of a list that stays empty, until the client leaves.
pub(super) async fn watch_nothing(mut stream: Stream) {
    let mut ignored = [0; 256];
    if stream.write_all(b"0000").await.is_ok() {
        // However the client leaves, nothing is left to do.
        while matches!(stream.read(&mut ignored).await, Ok(1..)) {}
    }
}

async fn command(handset: Arc<Handset>, kind: &Kind, io: Io, tty: Option<Arc<Tty>>) -> u8 {
    handset.now_ms().await;
    let mut shell = Shell::new(handset);
    if let Some(term) = &kind.term {
        shell.variables.insert("TERM".to_owned(), term.clone());
    }
    shell.tty.clone_from(&tty);
    if kind.command.is_empty() {
        return shell.interact(&io, kind.terminal).await;
    }
    if let Some(tty) = tty.filter(|_| kind.packets) {
        tty.until_sized(SIZE_TIME).await;
    }
    shell.run_in_front(&kind.command, &io).await
}

/// What somebody types at.
struct Keyboard {
    line: terminal::Line,
    echo: mpsc::WeakSender<Chunk>,
    tty: Arc<Tty>,
}

impl Keyboard {
    /// Shows what was typed, and returns what the command gets of it.
    async fn take(&mut self, bytes: &[u8]) -> Vec<Chunk> {
        let typed = self.line.take(bytes);
        if let Some(screen) = self.echo.upgrade()
            && !typed.echo.is_empty()
        {
            // The command may have ended; then nobody looks at the echo.
            let _ = screen.send((Channel::Out, typed.echo)).await;
        }
        let chunk = |part| match part {
            Part::Text(text) => (Channel::Out, text),
            Part::End => END,
            Part::Interrupt => {
                // Before its chunk comes: whoever meets that knows what it is.
                self.tty.interrupt();
                INTERRUPT
            }
        };
        typed.parts.into_iter().map(chunk).collect()
    }
}

/// Carries the outputs to the client until the command has dropped them.
async fn send(from: &mut mpsc::Receiver<Chunk>, to: &mut WriteHalf<Stream>, kind: &Kind) -> io::Result<()> {
    while let Some((channel, mut bytes)) = from.recv().await {
        if kind.terminal {
            bytes = terminal::with_carriage_returns(&bytes);
        }
        match (kind.packets, channel) {
            (false, _) => to.write_all(&bytes).await?,
            (true, Channel::Err) if !kind.terminal => shell::write_packets(to, shell::STDERR, &bytes).await?,
            (true, _) => shell::write_packets(to, shell::STDOUT, &bytes).await?,
        }
    }
    Ok(())
}

async fn finish(writer: &mut WriteHalf<Stream>, packets: bool, status: u8) {
    // The command has ended; a client that has left by now needs no exit code.
    if packets && shell::write_exit(writer, status).await.is_err() {
        return;
    }
    let _ = writer.shutdown().await;
}

/// Carries what the client sends to the command's input; returns when the client is gone.
async fn receive(mut reader: ReadHalf<Stream>, to: mpsc::Sender<Chunk>, mut keyboard: Option<Keyboard>, packets: bool) {
    let mut to = Some(to);
    while let Some(received) = next(&mut reader, packets).await {
        let chunks = match (received, &mut keyboard) {
            (Received::Bytes(bytes), None) => vec![(Channel::Out, bytes)],
            (Received::Bytes(bytes), Some(keyboard)) => keyboard.take(&bytes).await,
            (Received::Size(size), Some(keyboard)) => {
                keyboard.tty.resize(&size);
                continue;
            }
            (Received::Size(_), None) => continue,
            (Received::End, _) => {
                (to, keyboard) = (None, None);
                continue;
            }
        };
        for chunk in chunks {
            if let Some(input) = &to
                && input.send(chunk).await.is_err()
            {
                to = None;
            }
        }
    }
    if !packets {
        drop((to, keyboard));
        tokio::time::sleep(AFTERLIFE).await;
    }
}

enum Received {
    /// Never none.
    Bytes(Vec<u8>),
    /// The terminal's size, as text.
    Size(Vec<u8>),
    End,
}

/// Returns the next piece of standard input; `None` when the client is gone or sends what is no packet.
async fn next(reader: &mut ReadHalf<Stream>, packets: bool) -> Option<Received> {
    if !packets {
        let mut bytes = vec![0; CHUNK];
        let length = reader.read(&mut bytes).await.ok().filter(|length| *length > 0)?;
        bytes.truncate(length);
        return Some(Received::Bytes(bytes));
    }
    loop {
        match shell::read_packet(reader).await.ok()?? {
            (shell::STDIN, bytes) if !bytes.is_empty() => return Some(Received::Bytes(bytes)),
            (shell::WINDOW_SIZE, size) => return Some(Received::Size(size)),
            (shell::CLOSE_STDIN, _) => return Some(Received::End),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_told_apart() {
        let kind = |service| Kind::of(service).map(|kind| (kind.command, kind.packets, kind.terminal));
        assert_eq!(kind("shell:ls a:b"), Some(("ls a:b".to_owned(), false, false)));
        assert_eq!(kind("shell,v2,TERM=xterm,raw:exit 7"), Some(("exit 7".to_owned(), true, false)));
        assert_eq!(kind("shell:"), Some((String::new(), false, true)));
        assert_eq!(kind("shell,v2,raw:"), Some((String::new(), true, false)));
        assert_eq!(kind("exec:screencap -p"), Some(("screencap -p".to_owned(), false, false)));
        let install = "cmd package install 'a b'".to_owned();
        assert_eq!(kind("abb_exec:package\0install\0a b"), Some((install.clone(), false, false)));
        assert_eq!(kind("abb:package\0install\0a b"), Some((install, true, false)));
        assert_eq!(kind("sync:"), None);
        assert_eq!(kind("shellfish:x"), None);
    }
}
