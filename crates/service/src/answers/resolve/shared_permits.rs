//! The allowances of all callers that wait for the same answer. A live read for them is counted once, for
//! the first of them that has an allowance left.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::access::{AddressBlock, LiveReadPermit};

/// Permits that were not asked yet. Whoever joins a task adds its permit; the task asks them in that order. The mutex guards the list and
/// is not held while a permit is asked.
#[derive(Default)]
pub(super) struct SharedPermits(Mutex<VecDeque<Arc<CallerPermit>>>);

/// The permit of one caller.
pub(super) struct CallerPermit {
    permit: Arc<dyn LiveReadPermit>,
    /// Set once, by the task that asked the permit: how long this caller has to wait.
    refused: OnceLock<Duration>,
}

/// A live read that was counted.
pub(super) struct GrantedRead {
    /// The caller for whom it was counted, if known.
    pub(super) client: Option<AddressBlock>,
}

impl SharedPermits {
    pub(super) fn add(&self, permit: Arc<dyn LiveReadPermit>) -> Arc<CallerPermit> {
        let caller = Arc::new(CallerPermit { permit, refused: OnceLock::new() });
        self.lock_list().push_back(Arc::clone(&caller));
        caller
    }

    /// Counts a live read for the first caller that has an allowance left. `None` if nobody has.
    pub(super) fn acquire(&self) -> Option<GrantedRead> {
        loop {
            // Callers that join meanwhile are asked too; each is asked once.
            let next = self.lock_list().pop_front()?;
            match next.permit.acquire() {
                Ok(()) => return Some(GrantedRead { client: next.permit.client() }),
                Err(wait) => drop(next.refused.set(wait)),
            }
        }
    }

    fn lock_list(&self) -> std::sync::MutexGuard<'_, VecDeque<Arc<CallerPermit>>> {
        // One push or pop is the whole critical section, so a poisoned list is still valid.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallerPermit {
    /// How long this caller has to wait, if its permit was asked and refused.
    pub(super) fn wait(&self) -> Option<Duration> {
        self.refused.get().copied()
    }
}
