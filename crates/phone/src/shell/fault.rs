//! Commands that misbehave, for tests of what drives a phone: a file `/data/local/tmp/uixt-faults/NAME` on the phone is a script that
//! runs in the place of the command `NAME`, with its arguments; `every` stands for every command that is none of the shell's own.
//!
//! In the script `"$0" "$@"` is the command itself, and no other command misbehaves. An empty file is no fault, so that one is made
//! and mended by pushing a file.

use std::io;

use super::{Io, Shell};

/// Set in the environment of a fault's script.
const WITHIN: &str = "UIXT_FAULT";
/// What stands for all commands but [`OWN`].
const EVERY: &str = "every";
/// Commands that are the shell's own, or pause it.
const OWN: [&str; 15] = [
    ":", "[", "cd", "command", "echo", "exec", "exit", "export", "false", "printf", "read", "sh", "sleep", "test",
    "true",
];

impl Shell {
    /// Returns the script that runs in a command's place.
    pub(super) fn fault(&self, command: &str) -> Option<String> {
        if self.variables.contains_key(WITHIN) {
            return None;
        }
        let script = |name: &str| self.handset.files.lock().fault(name);
        script(command).or_else(|| script(EVERY).filter(|_| !OWN.contains(&command)))
    }

    /// Runs the script in the place of the command whose words these are.
    pub(super) async fn misbehave(&self, script: &str, words: Vec<String>, io: &Io) -> io::Result<u8> {
        let mut inner = self.clone();
        inner.positional = words;
        inner.variables.insert(WITHIN.to_owned(), "1".to_owned());
        Ok(inner.run(script, io).await)
    }
}
