//! Locking without a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex also after a panic elsewhere. Every change behind these mutexes is a single step,
/// so a panic cannot leave the data half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
