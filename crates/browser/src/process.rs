//! A program that was started here, in a group of its own, and the end of all that it started.
//!
//! A guard, a shell that waits for a pipe to close, ends the group also where this program was killed, and removes the
//! browser's folder then. The program begins only once the guard knows its group, so that there is no moment at which
//! nobody would end it. Knows nothing of browsers.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

use super::profile;

/// How long a program may take to end once it is asked to.
const TIMEOUT: Duration = Duration::from_secs(2);

/// How long its helpers may take to end behind it by themselves.
const LINGERING: Duration = Duration::from_secs(2);

/// How long the last words of a program that has ended may take to arrive.
const WORDS: Duration = Duration::from_millis(300);

/// Waits until it may begin, and becomes the program: what it is told goes to its third file, what it says comes from its fourth.
const BEGIN: &str = r#"read -r _ || exit 1; exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#;

/// What the guard runs: unless it is told that all is done, it kills the group that it was told of once its input ends, and
/// removes the folder, behind whatever was still writing into it.
const GUARD: &str = r#"trap '' TERM INT HUP; read -r group || exit 0; read -r word; [ "$word" = done ] && exit 0
kill -9 "-$group" 2>/dev/null; n=0
while rm -rf -- "$1"; [ $n -lt 3 ]; do n=$((n+1)); sleep 0.1; done"#;

/// What tells the guard that there is nothing left for it to do.
const DONE: &[u8] = b"done\n";

/// Most lines of what it says on standard error that are kept, and most characters of each.
const LINES: usize = 8;
const MAX_LEN: usize = 300;

/// A program that runs.
pub(super) struct Process {
    child: Child,
    group: Pid,
    /// Its own, which stands in the arguments of what it starts.
    folder: PathBuf,
    /// Its input is open as long as this program lives.
    guard: Child,
    said: Said,
    /// Ends once nobody has its standard error open any more.
    listening: JoinHandle<()>,
}

/// The pipes to and from its third and fourth files.
pub(super) struct Pipes {
    pub(super) to: ChildStdin,
    pub(super) from: ChildStdout,
}

/// The last lines of what a program says on standard error.
#[derive(Clone, Debug, Default)]
pub(super) struct Said(Arc<Mutex<VecDeque<String>>>);

impl Said {
    fn listen(&self, stream: impl AsyncRead + Send + Unpin + 'static) -> JoinHandle<()> {
        let said = self.clone();
        tokio::spawn(async move {
            let mut lines = BufReader::new(stream).split(b'\n');
            while let Ok(Some(line)) = lines.next_segment().await {
                let line: String = String::from_utf8_lossy(&line).chars().take(MAX_LEN).collect();
                let mut kept = said.0.lock();
                kept.push_back(line);
                let excess = kept.len().saturating_sub(LINES);
                kept.drain(..excess);
            }
        })
    }

    /// Returns the lines, one under the other.
    pub(super) fn text(&self) -> String {
        let kept = self.0.lock();
        kept.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

impl Process {
    /// Starts a program and makes `folder`, which is removed when this program ends without ending it. The error says what the system said.
    pub(super) async fn start(program: &Path, args: &[OsString], folder: &Path) -> Result<(Self, Pipes), String> {
        let failed = |error: std::io::Error| format!("{} cannot be started: {error}", program.display());
        let mut command = Command::new("/bin/sh");
        command.args(["-c", BEGIN, "sh"]).arg(program).args(args).process_group(0).kill_on_drop(true);
        // What lets clients in at our own server is nobody else's. Crashes are told of in the profile, not in the user's own.
        command.env_remove("UIXT_MCP_TOKEN").env("BREAKPAD_DUMP_LOCATION", folder);
        // What it writes for a while goes with its folder.
        command.env("TMPDIR", folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take(), group);
        let (Some(mut to), Some(from), Some(errors), Some(group)) = pipes else {
            return Err(format!("{} ended at once", program.display()));
        };
        let mut guard = guard(group, folder).await.map_err(failed)?;
        // Not before the guard is there, which would leave nothing of it.
        if let Err(error) = profile::create(folder) {
            if let Some(mut input) = guard.stdin.take() {
                let _ = input.write_all(DONE).await;
            }
            return Err(format!("no folder for its profile: {error}"));
        }
        to.write_all(b"\n").await.map_err(failed)?;
        let said = Said::default();
        let listening = said.listen(errors);
        let folder = folder.to_owned();
        Ok((Self { child, group, folder, guard, said, listening }, Pipes { to, from }))
    }

    /// Tells how it ended, where it has.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Waits a little for its end, and for its last words.
    pub(super) async fn wait(&mut self, timeout: Duration) {
        if tokio::time::timeout(timeout, self.child.wait()).await.is_ok() {
            self.listen_to_the_end(WORDS).await;
        }
    }

    /// Waits until nobody can say anything more on its standard error.
    async fn listen_to_the_end(&mut self, timeout: Duration) {
        if !self.listening.is_finished() {
            let _ = tokio::time::timeout(timeout, &mut self.listening).await;
        }
    }

    /// Returns the last lines that it said on standard error.
    pub(super) fn said(&self) -> Said {
        self.said.clone()
    }

    /// Kills its group, and waits for what must not stay behind as a zombie. The folder is the caller's to remove.
    pub(super) async fn kill(mut self) {
        self.signal();
        self.wait(TIMEOUT).await;
        // Helpers that left its group end by themselves when it does, and not at the same moment.
        self.listen_to_the_end(LINGERING).await;
        self.kill_helpers().await;
        if let Some(mut input) = self.guard.stdin.take() {
            let _ = input.write_all(DONE).await;
        }
        let _ = tokio::time::timeout(TIMEOUT, self.guard.wait()).await;
    }

    /// Kills those that are left, and waits until they are gone: on a busy machine, that is not at once.
    async fn kill_helpers(&self) {
        let until = Instant::now() + TIMEOUT;
        loop {
            let left = helpers(&self.folder);
            if left.is_empty() || Instant::now() > until {
                return;
            }
            for helper in left {
                let _ = kill_process(helper, Signal::KILL);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    fn signal(&self) {
        // There may be nobody left.
        let _ = kill_process_group(self.group, Signal::KILL);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The number means this group as long as its leader was not waited for, or the guard lives.
        if self.child.id().is_some() {
            self.signal();
        }
    }
}

/// Returns what still runs with a folder's name, which nobody else has, in its arguments; none where the system does not tell.
fn helpers(folder: &Path) -> Vec<Pid> {
    let name = folder.as_os_str().as_encoded_bytes();
    let runs_with = |entry: std::fs::DirEntry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let arguments = std::fs::read(entry.path().join("cmdline")).ok()?;
        let is_named = arguments.windows(name.len().max(1)).any(|part| part == name);
        if is_named && !arguments.starts_with(b"/bin/sh\0") { Pid::from_raw(id) } else { None }
    };
    std::fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(runs_with).collect()
}

async fn guard(group: Pid, folder: &Path) -> std::io::Result<Child> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", GUARD, "sh"]).arg(folder).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut guard = command.spawn()?;
    if let Some(input) = guard.stdin.as_mut() {
        input.write_all(format!("{}\n", group.as_raw_nonzero()).as_bytes()).await?;
    }
    Ok(guard)
}
