//! Starts processes on a thread that never ends: a process that is to die with its parent dies with the thread that started it.

use std::io;
use std::sync::LazyLock;
use std::sync::mpsc::{Sender, channel};

use parking_lot::Mutex;
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

static SPAWNER: LazyLock<Mutex<Sender<Job>>> = LazyLock::new(|| {
    let (jobs, waiting) = channel::<Job>();
    // Where there is no thread, there is nobody to take a job, which is said then.
    let _ = std::thread::Builder::new().name("sandbox".to_owned()).spawn(move || waiting.iter().for_each(|job| job()));
    Mutex::new(jobs)
});

/// Starts a process of the current runtime.
pub(crate) async fn spawn(mut command: Command) -> io::Result<Child> {
    let (runtime, (done, started)) = (Handle::current(), oneshot::channel());
    let job = move || {
        let _entered = runtime.enter();
        // Whoever asked may be gone: the process is then ended as it is dropped.
        let _ = done.send(command.spawn());
    };
    SPAWNER.lock().send(Box::new(job)).map_err(|_| io::Error::other("no thread can be started"))?;
    started.await.map_err(io::Error::other)?
}
