//! Groups of processes that must not outlive this program, also where it is killed: a guard ends what is left of them.
//!
//! The guard is one shell for the whole program, started with the first group. It waits for its input to close, which the system
//! does however this program ends. To tell it of a group costs a write to a pipe. Knows nothing of what the groups do.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdin, Command, Stdio};

use parking_lot::Mutex;
use rustix::process::Pid;

/// What the guard runs: it keeps a list of the groups that it is told of, and kills them once its input ends.
const GUARD: &str = "trap '' TERM INT HUP
groups=' '
while read -r sign group; do
  case $sign in
    +) groups=\"$groups$group \" ;;
    -) groups=\"${groups%% $group *} ${groups#* $group }\" ;;
  esac
done
for group in $groups; do kill -9 \"-$group\"; done";

static GUARD_INPUT: Mutex<Option<ChildStdin>> = Mutex::new(None);

/// A group of processes that is ended with this program; dropped, it is not any more.
pub(super) struct Guarded {
    pub(super) pid: Pid,
}

impl Guarded {
    /// Has a group ended with this program. Where there is no guard, it is not: a command is none the worse for it.
    pub(super) fn new(pid: Pid) -> Self {
        tell('+', pid);
        Self { pid }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        tell('-', self.pid);
    }
}

fn tell(sign: char, pid: Pid) {
    let mut input = GUARD_INPUT.lock();
    if input.is_none() && sign == '+' {
        *input = start();
    }
    let line = format!("{sign} {}\n", pid.as_raw_nonzero());
    if input.as_mut().is_some_and(|input| input.write_all(line.as_bytes()).is_err()) {
        // It is gone; the next group has another.
        *input = None;
    }
}

/// Starts the guard, in a group of its own, so that what ends this program does not end it.
fn start() -> Option<ChildStdin> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", GUARD]).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().ok()?.stdin
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the guard with this input, and `kill` as a word that is printed.
    fn killed(input: &str) -> String {
        let script = format!("kill() {{ echo \"$@\"; }}\n{GUARD}");
        let mut child =
            Command::new("/bin/sh").args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    }

    #[test]
    fn only_groups_that_are_still_there_are_killed() {
        assert_eq!(killed("+ 12\n+ 120\n+ 1\n- 12\n"), "-9 -120\n-9 -1\n");
        assert_eq!(killed("+ 12\n- 12\n"), "");
        assert_eq!(killed("+ 1\n+ 2\n+ 3\n- 2\n+ 2\n- 1\n"), "-9 -3\n-9 -2\n");
        assert_eq!((killed(""), killed("- 7\n+ 7\n")), (String::new(), "-9 -7\n".to_owned()));
    }
}
