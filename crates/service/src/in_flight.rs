//! One at a time: the domains that are being scanned now.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use contract::Domain;

/// The set is behind a plain lock that is held for a look-up only, never across an await.
#[derive(Debug, Default, Clone)]
pub(crate) struct InFlight(Arc<Mutex<HashSet<Domain>>>);

/// While this lives, the domain counts as being scanned.
#[derive(Debug)]
pub(crate) struct Running {
    domain: Domain,
    all: InFlight,
}

impl InFlight {
    /// Nothing when the domain is being scanned already.
    pub(crate) fn begin(&self, domain: &Domain) -> Option<Running> {
        self.set()
            .insert(domain.clone())
            .then(|| Running { domain: domain.clone(), all: self.clone() })
    }

    fn set(&self) -> std::sync::MutexGuard<'_, HashSet<Domain>> {
        // A panic elsewhere cannot leave the set half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.all.set().remove(&self.domain);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_runs_once_until_it_is_done() {
        let all = InFlight::default();
        let domain = |name| Domain::parse(name, &contract::NamePolicy::default()).unwrap();
        let first = all.begin(&domain("a.org"));
        assert!(first.is_some());
        assert!(all.begin(&domain("a.org")).is_none());
        assert!(all.begin(&domain("b.org")).is_some());
        drop(first);
        assert!(all.begin(&domain("a.org")).is_some());
    }
}
