//! Standard input, output and error of the process in the background: those of whoever starts it until it listens, then nobody's.

use std::fs::OpenOptions;
use std::io::{self, Write as _};

use tokio::io::AsyncReadExt as _;

/// Returns once the process that started this one is gone, whose end of standard input closes then.
pub(super) async fn starter_gone() {
    let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
}

/// Tells whoever started this process that it listens; fails where that one is gone.
pub(super) fn tell(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush())
}

/// Lets go of the terminal, and of pipes that others wait for the end of.
pub(super) fn leave() -> io::Result<()> {
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(rustix::stdio::dup2_stderr(&null)?)
}
