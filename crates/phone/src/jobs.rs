//! What goes on beside: tasks and blocking work in one form each, so that the compiler makes one of each.

use std::io;
use std::pin::Pin;

use tokio::task::JoinSet;

/// What goes on for whoever waits for it, in one piece wherever it is waited for.
pub(crate) type Going<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

type Job = Pin<Box<dyn Future<Output = ()> + Send>>;
type Work = Box<dyn FnOnce() -> io::Result<Vec<u8>> + Send>;

/// Tasks that end with whoever has them.
pub(crate) type Jobs = JoinSet<()>;

/// Begins a task.
pub(crate) fn begin(jobs: &mut Jobs, job: Job) {
    jobs.spawn(job);
}

/// Does what takes a while, where nobody waits for it but the caller.
pub(crate) async fn off_thread(work: Work) -> io::Result<Vec<u8>> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}
