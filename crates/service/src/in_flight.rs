//! The domains that are being read now, so that each is read by one task at a time.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use contract::Domain;

/// The set of domains in progress. The mutex guards it and is held for one set operation only, never
/// across an await. Clones share the set.
#[derive(Debug, Default, Clone)]
pub(crate) struct InFlightDomains(Arc<Mutex<HashSet<Domain>>>);

/// Marks a domain as in progress until it is dropped.
#[derive(Debug)]
pub(crate) struct InFlightGuard {
    domain: Domain,
    domains: InFlightDomains,
}

impl InFlightDomains {
    /// `None` when the domain is already in progress.
    pub(crate) fn try_begin(&self, domain: &Domain) -> Option<InFlightGuard> {
        self.lock_set()
            .insert(domain.clone())
            .then(|| InFlightGuard { domain: domain.clone(), domains: self.clone() })
    }

    fn lock_set(&self) -> std::sync::MutexGuard<'_, HashSet<Domain>> {
        // One insert or remove is the whole critical section, so a poisoned set is still valid.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.domains.lock_set().remove(&self.domain);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_runs_once_until_it_is_done() {
        let all = InFlightDomains::default();
        let domain = |name| Domain::parse(name, &contract::NamePolicy::default()).unwrap();
        let first = all.try_begin(&domain("a.org"));
        assert!(first.is_some());
        assert!(all.try_begin(&domain("a.org")).is_none());
        assert!(all.try_begin(&domain("b.org")).is_some());
        drop(first);
        assert!(all.try_begin(&domain("a.org")).is_some());
    }
}
