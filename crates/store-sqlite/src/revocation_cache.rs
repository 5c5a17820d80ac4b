//! What decisions ask about revocations, in memory: which actions are withheld for a domain, and the last entry.
//!
//! Every decision asks this, and it seldom changes. Only this process writes these tables while it has the data
//! directory. While something is being written, nothing is answered from here.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::Domain;
use store::{RevocationState, StoredRevocation, WithheldActions};

/// The most domains. An entry takes less than a kilobyte, mostly about 200 bytes.
const MAX_DOMAINS: usize = 4_096;

/// `changing` counts the writes that are under way, `changes` those that ended. `known` has a lock of its own, which is
/// held for a few instructions.
#[derive(Debug, Default)]
pub(crate) struct RevocationCache {
    changing: AtomicU64,
    changes: AtomicU64,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// How many changes had ended when the rest was read.
    changes: u64,
    last: Option<Option<StoredRevocation>>,
    withheld: HashMap<Domain, Option<WithheldActions>>,
}

/// A write of these tables, from before it is queued until it is committed or refused.
#[derive(Debug)]
pub(crate) struct RevocationChange(Arc<RevocationCache>);

impl Drop for RevocationChange {
    fn drop(&mut self) {
        // In this order: whoever finds no write under way has to see that there was one.
        self.0.changes.fetch_add(1, Ordering::SeqCst);
        self.0.changing.fetch_sub(1, Ordering::SeqCst);
    }
}

impl RevocationCache {
    pub(crate) fn begin_change(self: &Arc<Self>) -> RevocationChange {
        self.changing.fetch_add(1, Ordering::SeqCst);
        RevocationChange(Arc::clone(self))
    }

    /// Which state of the tables is read now; `None` while they are being written.
    pub(crate) fn version(&self) -> Option<u64> {
        // Read first: whoever finds no write under way then reads a number that counts every write that ended.
        let changing = self.changing.load(Ordering::SeqCst);
        (changing == 0).then(|| self.changes.load(Ordering::SeqCst))
    }

    /// `None` if something of it is not known.
    pub(crate) fn get(&self, domains: &[Domain]) -> Option<RevocationState> {
        let version = self.version()?;
        let known = self.lock();
        if known.changes != version {
            return None;
        }
        let withheld = domains.iter().map(|domain| known.withheld.get(domain).cloned());
        Some(RevocationState {
            withheld: withheld.collect::<Option<_>>()?,
            last: known.last.clone()?,
        })
    }

    /// Keeps what was read. `version` is the one from before it was read.
    pub(crate) fn put(&self, version: u64, domains: &[Domain], read: &RevocationState) {
        let mut known = self.lock();
        if self.version() != Some(version) {
            return;
        }
        if known.changes != version || known.withheld.len() + domains.len() > MAX_DOMAINS {
            *known = Known { changes: version, ..Known::default() };
        }
        if domains.len() > MAX_DOMAINS {
            return;
        }
        known.last = Some(read.last.clone());
        let pairs = domains.iter().cloned().zip(read.withheld.iter().cloned());
        known.withheld.extend(pairs);
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use store::scans::parse_stored_domain;

    use super::*;

    fn domain(number: usize) -> Domain {
        parse_stored_domain(&format!("site{number}.lab")).unwrap()
    }

    fn nothing() -> RevocationState {
        RevocationState { withheld: vec![None], last: None }
    }

    #[test]
    fn nothing_is_answered_while_or_after_it_is_written() {
        let cache = Arc::new(RevocationCache::default());
        let domains = [domain(1)];
        assert!(cache.get(&domains).is_none());
        let version = cache.version().unwrap();
        cache.put(version, &domains, &nothing());
        assert!(cache.get(&domains).is_some() && cache.get(&[domain(2)]).is_none());
        assert!(cache.get(&[]).is_some(), "the last entry is known");

        let change = cache.begin_change();
        let other = cache.begin_change();
        assert!(cache.get(&domains).is_none() && cache.version().is_none());
        drop(change);
        assert!(cache.get(&domains).is_none() && cache.version().is_none());
        drop(other);
        assert!(cache.get(&domains).is_none());
        // What was read before or during the change is not kept.
        cache.put(version, &domains, &nothing());
        assert!(cache.get(&domains).is_none());
        let version = cache.version().unwrap();
        let change = cache.begin_change();
        cache.put(version, &domains, &nothing());
        drop(change);
        cache.put(version, &domains, &nothing());
        assert!(cache.get(&domains).is_none());
        cache.put(cache.version().unwrap(), &domains, &nothing());
        assert!(cache.get(&domains).is_some());
    }

    #[test]
    fn the_number_of_domains_is_bounded() {
        let cache = Arc::new(RevocationCache::default());
        let version = cache.version().unwrap();
        for number in 0..3 * MAX_DOMAINS {
            cache.put(version, &[domain(number)], &nothing());
            assert!(cache.get(&[domain(number)]).is_some());
        }
        assert!(cache.lock().withheld.len() <= MAX_DOMAINS);
    }
}
