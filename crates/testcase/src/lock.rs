//! Locks that are held for a moment.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A lock is only held to copy values, so that a poisoned one still holds whole values.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
