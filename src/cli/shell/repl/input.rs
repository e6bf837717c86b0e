//! Lines: from a terminal, where they are edited, completed and remembered, or from a pipe.

use std::fs;
use std::io::{IsTerminal as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use tokio::sync::mpsc;

use super::super::record;
use super::complete::{self, Words};
use crate::cli::data;

const PROMPT: &str = "uixt> ";
/// The file of what was typed, beside the project's data.
const HISTORY: &str = "repl_history";
const MOST_REMEMBERED: usize = 1000;

/// What is typed.
pub(super) enum Input {
    Line(String),
    /// Ctrl-C.
    Interrupted,
    Unreadable(String),
    End,
}

/// A line that was typed.
pub(super) struct Remembered {
    pub(super) line: String,
    /// Whether it is remembered when this has ended, too.
    pub(super) is_kept: bool,
}

pub(super) enum Lines {
    Pipe(mpsc::Receiver<Result<String, String>>),
    /// A thread that reads a line each time that it is asked, and remembers the one before.
    Terminal {
        ask: std::sync::mpsc::Sender<Option<Remembered>>,
        typed: mpsc::Receiver<Input>,
        _as_it_was: AsItWas,
    },
}

/// A terminal that is left as it was found, also where a signal ends the program while a line is edited.
pub(super) struct AsItWas(Option<Termios>);

impl Drop for AsItWas {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
    }
}

impl Lines {
    pub(super) fn open(root: &Path, words: Words) -> Self {
        if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
            return Self::Pipe(record::lines());
        }
        let before = AsItWas(tcgetattr(std::io::stdin()).ok());
        let (ask, asked) = std::sync::mpsc::channel();
        let (sender, typed) = mpsc::channel(1);
        let history = data::file(root).and_then(|file| Some(file.parent()?.join(HISTORY)));
        std::thread::spawn(move || edit(&asked, &sender, words, history.as_deref()));
        Self::Terminal { ask, typed, _as_it_was: before }
    }

    pub(super) fn is_terminal(&self) -> bool {
        matches!(self, Self::Terminal { .. })
    }

    /// Returns the next line; the one before is remembered, where it is given.
    pub(super) async fn next(&mut self, remember: Option<Remembered>) -> Input {
        match self {
            Self::Pipe(lines) => match lines.recv().await {
                Some(Ok(line)) => Input::Line(line),
                Some(Err(reason)) => Input::Unreadable(reason),
                None => Input::End,
            },
            Self::Terminal { ask, typed, .. } => {
                let _ = ask.send(remember);
                typed.recv().await.unwrap_or(Input::End)
            }
        }
    }
}

/// Reads a line each time that one is asked for.
fn edit(
    asked: &std::sync::mpsc::Receiver<Option<Remembered>>,
    typed: &mpsc::Sender<Input>,
    words: Words,
    history: Option<&Path>,
) {
    let config = Config::builder().completion_type(CompletionType::List).max_history_size(MOST_REMEMBERED);
    let editor = config.map(rustyline::config::Builder::build).and_then(|config| {
        let history = MemHistory::with_config(&config);
        Editor::<Completing, MemHistory>::with_history(config, history)
    });
    let mut editor = match editor {
        Ok(editor) => editor,
        Err(error) => {
            let _ = typed.blocking_send(Input::Unreadable(format!("error: lines cannot be edited here: {error}")));
            return;
        }
    };
    editor.set_helper(Some(Completing(words)));
    for line in history.into_iter().flat_map(earlier) {
        let _ = editor.add_history_entry(line);
    }
    while let Ok(remember) = asked.recv() {
        if let Some(Remembered { line, is_kept }) = remember {
            // Who cannot keep it has it for this time.
            let _ = history.filter(|_| is_kept).map(|history| keep(history, &line));
            let _ = editor.add_history_entry(line);
        }
        let input = match editor.readline(PROMPT) {
            Ok(line) => Input::Line(line),
            Err(ReadlineError::Interrupted) => Input::Interrupted,
            Err(ReadlineError::Eof) => Input::End,
            Err(error) => {
                let _ = typed.blocking_send(Input::Unreadable(format!("error: the line cannot be read: {error}")));
                return;
            }
        };
        if typed.blocking_send(input).is_err() {
            return;
        }
    }
}

/// Returns the lines of earlier times; of a file that has become long only the last are left.
fn earlier(history: &Path) -> Vec<String> {
    let lines: Vec<String> = fs::read_to_string(history).unwrap_or_default().lines().map(str::to_owned).collect();
    let last = lines[lines.len().saturating_sub(MOST_REMEMBERED)..].to_vec();
    if last.len() < lines.len() {
        let _ = fs::write(history, last.join("\n") + "\n");
    }
    last
}

/// Adds a line to those of earlier times, which only their user may read.
fn keep(history: &Path, line: &str) -> std::io::Result<()> {
    history.parent().map_or(Ok(()), fs::create_dir_all)?;
    let mut file = fs::OpenOptions::new().append(true).create(true).mode(0o600).open(history)?;
    writeln!(file, "{line}")
}

/// Completes lines.
struct Completing(Words);

impl Completer for Completing {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete::candidates(&line[..at], &self.0))
    }
}

impl Hinter for Completing {
    type Hint = String;
}

impl Highlighter for Completing {}
impl Validator for Completing {}
impl Helper for Completing {}
