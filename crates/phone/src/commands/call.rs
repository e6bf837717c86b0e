//! A command of the virtual phone, the table of all of them, and what one is handed when it is called.

use std::io;
use std::pin::Pin;

use crate::handset::Handset;
use crate::shell::{Io, Shell};

/// Bytes that a command keeps of its input at most.
pub(super) const LARGEST_INPUT: usize = 64 << 20;

/// Where commands seem to lie.
const FOLDERS: [&str; 2] = ["/system/bin/", "/bin/"];

type Outcome<'a> = Pin<Box<dyn Future<Output = io::Result<u8>> + Send + 'a>>;

/// A command of the table.
pub(crate) struct Command {
    pub(super) name: &'static str,
    pub(crate) run: for<'a, 'b> fn(&'a mut Call<'b>) -> Outcome<'a>,
}

/// Commands by their names.
pub(crate) type Table = &'static [Command];

/// Every command of a phone: its system's own, and those that all phones have.
pub(crate) struct Commands {
    own: Table,
    shared: Table,
}

impl Commands {
    pub(super) const fn new(own: Table, shared: Table) -> Self {
        Self { own, shared }
    }

    /// Finds a command by its name or its path.
    pub(crate) fn find(&self, name: &str) -> Option<&'static Command> {
        let bare = FOLDERS.iter().find_map(|folder| name.strip_prefix(folder)).unwrap_or(name);
        self.own.iter().chain(self.shared).find(|command| command.name == bare)
    }

    #[cfg(test)]
    pub(super) fn own(&self) -> Table {
        self.own
    }
}

/// One call of a command.
pub(crate) struct Call<'b> {
    pub(crate) shell: &'b mut Shell,
    /// What stands behind the command's name.
    pub(crate) arguments: Vec<String>,
    pub(crate) io: Io,
    /// The commands that it may run, and be asked for.
    pub(crate) commands: &'static Commands,
}

impl Call<'_> {
    pub(crate) async fn out(&self, text: impl Into<Vec<u8>>) -> io::Result<()> {
        self.io.out.write(text).await
    }

    pub(crate) async fn err(&self, text: impl Into<Vec<u8>>) -> io::Result<()> {
        self.io.err.write(text).await
    }

    /// Writes a text and succeeds.
    pub(crate) async fn done(&self, text: impl Into<Vec<u8>>) -> io::Result<u8> {
        self.out(text).await.map(|()| 0)
    }

    /// Writes a line to standard error and fails with this exit code.
    pub(crate) async fn fail(&self, status: u8, message: &str) -> io::Result<u8> {
        self.err(format!("{message}\n")).await.map(|()| status)
    }

    pub(crate) fn handset(&self) -> &Handset {
        &self.shell.handset
    }

    /// Takes one-letter switches off the front of the arguments; fails with the first that is not in `known`.
    pub(crate) fn switches(&mut self, known: &str) -> Result<String, char> {
        let mut found = String::new();
        while let Some(first) = self.arguments.first().filter(|first| first.len() > 1 && first.starts_with('-')) {
            let first = first.clone();
            self.arguments.remove(0);
            if first == "--" {
                break;
            }
            if let Some(unknown) = first[1..].chars().find(|c| !known.contains(*c)) {
                return Err(unknown);
            }
            found.push_str(&first[1..]);
        }
        Ok(found)
    }

    /// Reads a file, or standard input for `-`.
    pub(crate) async fn content(&self, name: &str) -> Result<Vec<u8>, String> {
        if name == "-" || name == "/dev/stdin" {
            return self.io.input.all(LARGEST_INPUT).await.map_err(|error| error.to_string());
        }
        let content = self.handset().files.lock().read(&self.shell.path(name));
        content.map(|content| content.to_vec()).map_err(|errno| errno.to_string())
    }
}
