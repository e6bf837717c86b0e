//! When a search ends that is not done: at a moment, or as soon as nobody waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A moment, and a flag that whoever waits may raise.
#[derive(Clone, Debug)]
pub struct Limits {
    end: Instant,
    cancelled: Arc<AtomicBool>,
}

/// Raises the flag when it is dropped.
pub struct Cancel(Arc<AtomicBool>);

impl Drop for Cancel {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Limits {
    /// Ends after a time.
    pub fn after(time: Duration) -> Self {
        Self { end: Instant::now() + time, cancelled: Arc::default() }
    }

    /// Returns what ends the search when it is dropped.
    pub fn cancel(&self) -> Cancel {
        Cancel(Arc::clone(&self.cancelled))
    }

    /// Tells whether it is time to end.
    pub fn are_over(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || Instant::now() >= self.end
    }
}
