//! Calls that a client sends together → their order: each waits for its device behind those that came before it.
//!
//! Whoever reads messages takes a place for each as it comes, before anything is done about it at the same time. A call keeps its place
//! until it stands in its device's queue, which is first come, first served; then the next may go there.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// The calls of one client, in the order in which they came.
#[derive(Debug, Default)]
pub struct Arrivals(Mutex<Option<oneshot::Receiver<()>>>);

/// The place of one call; it is given up with the last copy at the latest.
#[derive(Clone, Debug, Default)]
pub struct Arrival(Arc<Place>);

#[derive(Debug, Default)]
struct Place {
    before: Mutex<Option<oneshot::Receiver<()>>>,
    /// Tells the next by its end.
    kept: Mutex<Option<oneshot::Sender<()>>>,
    /// How long the call has waited for others.
    waited: Mutex<Duration>,
}

impl Arrivals {
    /// Takes the next place.
    pub fn next(&self) -> Arrival {
        let (kept, given_up) = oneshot::channel();
        let mut last = self.0.lock();
        let before = Mutex::new(last.replace(given_up));
        Arrival(Arc::new(Place { before, kept: Mutex::new(Some(kept)), waited: Mutex::default() }))
    }
}

impl Arrival {
    /// Waits until all that came before have given up their places; without any, it does not.
    pub async fn reached(&self) {
        let before = self.0.before.lock().take();
        if let Some(before) = before {
            // It is never told more than that it has ended.
            let _ = before.await;
        }
    }

    /// Notes how long the call has waited for others.
    pub fn note(&self, waited: Duration) {
        *self.0.waited.lock() = waited;
    }

    /// Returns how long the call has waited for others: that is not its own slowness.
    pub fn waited(&self) -> Duration {
        *self.0.waited.lock()
    }

    /// Gives the place up: the next may go on.
    pub fn pass(&self) {
        drop(self.0.kept.lock().take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_waits_for_those_before_it_and_for_none_that_is_gone() {
        let arrivals = Arrivals::default();
        let [first, second, third] = [arrivals.next(), arrivals.next(), arrivals.next()];
        first.reached().await;
        let waiting = tokio::spawn(async move {
            third.reached().await;
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        first.pass();
        second.reached().await;
        // Cancelled before it was made.
        drop(second);
        waiting.await.expect("it ends");
        Arrival::default().reached().await;
    }
}
