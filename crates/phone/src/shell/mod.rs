//! The shell of the virtual phone: a command line as mksh reads it → commands run, their outputs, an exit code.
//!
//! Has quotes, `;`, `&&`, `||`, `|`, `!`, `( )`, `{ }`, redirects, `$NAME`, `$?`, `$0`, `$1`, `$@`, `$(…)`, `*` and `?`. What it does not have it
//! refuses. Knows commands only as a table.

mod expand;
mod fault;
mod io;
mod lexer;
mod parser;
mod run;
mod syntax;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

pub(super) use io::{Channel, Chunk, END, INTERRUPT, Input, Io, Output, pipe, typing};

use super::handset::Handset;
use super::tty::{INTERRUPTED, Tty};

/// What a shell calls itself before its messages.
pub(super) const NAME: &str = "/system/bin/sh";
/// Bytes of a line that is typed at most.
const LONGEST_LINE: usize = 64 * 1024;

/// A shell and what it remembers between commands.
#[derive(Clone)]
pub(super) struct Shell {
    pub(super) handset: Arc<Handset>,
    /// The current folder.
    pub(super) folder: String,
    pub(super) variables: BTreeMap<String, String>,
    /// Exit code of the last command.
    status: u8,
    /// `$0` and the arguments behind it.
    pub(super) positional: Vec<String>,
    /// How many `sh` stand around this one.
    pub(super) depth: usize,
    /// When the command line began, by the phone's clock in milliseconds, and how long it has slept since.
    began: u64,
    slept: Duration,
    /// Set by `exit`.
    pub(super) leaving: Option<u8>,
    /// The terminal that it is talked to at.
    pub(super) tty: Option<Arc<Tty>>,
}

/// What a shell reads before a command.
enum Said {
    Line(Vec<u8>),
    Interrupt,
    End,
}

impl Shell {
    pub(super) fn new(handset: Arc<Handset>) -> Self {
        let variables = [
            ("ANDROID_DATA", "/data"),
            ("ANDROID_ROOT", "/system"),
            ("EXTERNAL_STORAGE", "/sdcard"),
            ("HOME", "/"),
            ("HOSTNAME", "uixt"),
            ("LOGNAME", "shell"),
            ("PATH", "/product/bin:/apex/com.android.runtime/bin:/system_ext/bin:/system/bin:/odm/bin:/vendor/bin"),
            ("SHELL", "/bin/sh"),
            ("TERM", "dumb"),
            ("TMPDIR", "/data/local/tmp"),
            ("USER", "shell"),
        ];
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self {
            handset,
            folder: "/".to_owned(),
            variables,
            positional: vec![NAME.to_owned()],
            status: 0,
            depth: 0,
            began: 0,
            slept: Duration::ZERO,
            leaving: None,
            tty: None,
        }
    }

    /// Returns when the current command runs, in milliseconds of the phone's clock: when its line began and what the line has
    /// slept. What the machine takes for it does not count, so that a gesture in several commands comes out alike every time.
    pub(super) fn moment(&self) -> u64 {
        self.began + u64::try_from((self.slept + Duration::from_micros(500)).as_millis()).unwrap_or(u64::MAX / 4)
    }

    /// Adds to the time that the line has slept.
    pub(super) fn sleep_on(&mut self, time: Duration) {
        self.slept += time;
    }

    /// Returns the exit code of the last command.
    pub(super) fn status(&self) -> u8 {
        self.status
    }

    /// Runs one command line; returns its exit code.
    pub(super) async fn run(&mut self, line: &str, io: &Io) -> u8 {
        (self.began, self.slept) = (self.handset.now_ms().await, Duration::ZERO);
        let ran = match parser::parse(line) {
            Ok(script) => self.script(&script, io).await,
            Err(error) => io.err.write(format!("{NAME}: {error}\n")).await.map(|()| 1),
        };
        // What fails here is a client that is gone: nobody is left to be told.
        self.status = self.leaving.unwrap_or(ran.unwrap_or(1));
        self.status
    }

    /// Runs the lines that come on standard input until they end or say `exit`; `prompt` stands before each.
    pub(super) async fn interact(&mut self, io: &Io, prompt: bool) -> u8 {
        loop {
            if prompt && io.out.write(format!("uixt:{} $ ", self.folder)).await.is_err() {
                return self.status;
            }
            match self.listen(io).await {
                Said::Line(line) => drop(self.run_in_front(&String::from_utf8_lossy(&line), io).await),
                Said::Interrupt => self.status = INTERRUPTED,
                Said::End => return self.status,
            }
            if let Some(status) = self.leaving {
                return status;
            }
        }
    }

    /// Runs one command line until it ends, or Ctrl-C ends it; returns its exit code.
    pub(super) async fn run_in_front(&mut self, line: &str, io: &Io) -> u8 {
        let Some(tty) = self.tty_of(io) else { return self.run(line, io).await };
        let handled = io.input.interrupts().await;
        tokio::select! {
            biased;
            () = tty.interrupted(handled) => {}
            status = self.run(line, io) => return status,
        }
        io.input.skip_interrupts(tty.interrupts()).await;
        self.status = INTERRUPTED;
        INTERRUPTED
    }

    /// Returns the terminal, where the lines come from it and from no pipe.
    fn tty_of(&self, io: &Io) -> Option<Arc<Tty>> {
        self.tty.clone().filter(|_| io.input.is_terminal())
    }

    /// Reads the next line, or Ctrl-C, which drops what was typed before it.
    async fn listen(&self, io: &Io) -> Said {
        let Some(tty) = self.tty_of(io) else {
            return io.input.line(LONGEST_LINE).await.map_or(Said::End, Said::Line);
        };
        let handled = io.input.interrupts().await;
        let line = tokio::select! {
            biased;
            () = tty.interrupted(handled) => None,
            line = io.input.line(LONGEST_LINE) => line,
        };
        match line {
            Some(line) => Said::Line(line),
            None if tty.interrupts() > handled => {
                io.input.skip_interrupts(tty.interrupts()).await;
                Said::Interrupt
            }
            None => Said::End,
        }
    }
}
