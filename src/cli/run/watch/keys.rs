//! Keys at the terminal, each as it is pressed, while nothing runs.

use std::io::{IsTerminal as _, stdin};
use std::os::fd::OwnedFd;
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};
use tokio::sync::mpsc;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Again,
    FromFailed,
    End,
}

/// A terminal that gives each key at once; it is as it was when this goes.
pub(super) struct Keys {
    pressed: mpsc::UnboundedReceiver<Key>,
    before: Termios,
    /// While it is open, the reader reads.
    open: Option<OwnedFd>,
    reader: Option<JoinHandle<()>>,
}

impl Keys {
    /// Listens to the terminal, where there is one that this process may read.
    pub(super) fn listen() -> Option<Self> {
        let input = stdin();
        let is_ours = input.is_terminal() && tcgetpgrp(&input).is_ok_and(|group| group == rustix::process::getpgrp());
        let before = tcgetattr(&input).ok().filter(|_| is_ours)?;
        let mut at_once = before.clone();
        at_once.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        let (end, open) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).ok()?;
        tcsetattr(&input, OptionalActions::Now, &at_once).ok()?;
        let (sender, pressed) = mpsc::unbounded_channel();
        let reader = std::thread::spawn(move || read(&end, &sender));
        Some(Self { pressed, before, open: Some(open), reader: Some(reader) })
    }

    /// Returns the next key that asks for something; never where the terminal is gone.
    pub(super) async fn next(&mut self) -> Key {
        match self.pressed.recv().await {
            Some(key) => key,
            None => std::future::pending().await,
        }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.open = None;
        let _ = self.reader.take().map(JoinHandle::join);
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.before);
    }
}

/// Reads keys until the other end of a pipe is closed, or the terminal is gone.
fn read(end: &OwnedFd, keys: &mpsc::UnboundedSender<Key>) {
    let input = stdin();
    loop {
        let mut ready = [PollFd::new(&input, PollFlags::IN), PollFd::new(end, PollFlags::IN)];
        match poll(&mut ready, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Ok(_) if ready[1].revents().is_empty() => {}
            _ => return,
        }
        let mut bytes = [0; 16];
        match rustix::io::read(&input, &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(read) => bytes[..read].iter().filter_map(|byte| key(*byte)).for_each(|key| _ = keys.send(key)),
        }
    }
}

fn key(byte: u8) -> Option<Key> {
    match byte {
        b'\r' | b'\n' => Some(Key::Again),
        b'f' | b'F' => Some(Key::FromFailed),
        // Ctrl-D ends what reads a terminal.
        b'q' | b'Q' | 4 => Some(Key::End),
        _ => None,
    }
}
