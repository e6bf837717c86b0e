//! What a device must be rid of when a call is given up: begun at once, in the background, and waited for before the program ends.
//!
//! A call is given up by dropping its future, where nothing can be waited for any more. Knows nothing of what is tidied up.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// How long one piece of work may take.
const BOUND: Duration = Duration::from_secs(5);

/// What has begun; nothing where nothing was ever given up.
static BEGUN: Mutex<Option<JoinSet<()>>> = Mutex::new(None);

/// Begins work that ends after 5 s at the latest. Outside of a runtime there is nothing to be done.
pub fn begin(work: impl Future<Output = ()> + Send + 'static) {
    begin_within(BOUND, work);
}

fn begin_within(bound: Duration, work: impl Future<Output = ()> + Send + 'static) {
    let Ok(runtime) = Handle::try_current() else { return };
    let mut begun = BEGUN.lock();
    let begun = begun.get_or_insert_default();
    while begun.try_join_next().is_some() {}
    begun.spawn_on(
        async move {
            if timeout(bound, work).await.is_err() {
                tracing::warn!("a device was not tidied up within {} s", bound.as_secs());
            }
        },
        &runtime,
    );
}

/// Waits until all that has begun is done, 5 s at most.
pub async fn finish() {
    let begun = BEGUN.lock().take();
    if let Some(begun) = begun {
        begun.join_all().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[tokio::test]
    async fn the_end_waits_for_what_has_begun_but_not_for_ever() {
        let done = Arc::new(AtomicBool::new(false));
        let mark = Arc::clone(&done);
        begin(async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            mark.store(true, Ordering::Relaxed);
        });
        begin_within(Duration::from_millis(10), std::future::pending());
        finish().await;
        assert!(done.load(Ordering::Relaxed));
        finish().await;
    }
}
