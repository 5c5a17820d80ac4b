//! One task about a domain at a time, such as making an answer from the one before it, or reading its registry.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::Domain;
use tokio::sync::OwnedMutexGuard;

type DomainLock = Arc<tokio::sync::Mutex<()>>;

/// The domains about which something is being done. The outer mutex guards the map and is held for one
/// map operation only; a domain's own lock is held during its turn. Clones share the map.
#[derive(Debug, Default, Clone)]
pub(crate) struct DomainTurns(Arc<Mutex<HashMap<Domain, DomainLock>>>);

/// The right to do the next task about a domain, until it is dropped.
#[derive(Debug)]
pub(crate) struct DomainTurn {
    /// `None` while it waits, and when it is being dropped.
    held: Option<OwnedMutexGuard<()>>,
    domain: Domain,
    turns: DomainTurns,
}

impl DomainTurns {
    /// Waits until nobody else has the turn of the domain.
    pub(crate) async fn begin(&self, domain: &Domain) -> DomainTurn {
        let lock = Arc::clone(self.lock_map().entry(domain.clone()).or_default());
        // Built first, so that the map is tidied also when the caller stops waiting.
        let mut turn = DomainTurn { held: None, domain: domain.clone(), turns: self.clone() };
        turn.held = Some(lock.lock_owned().await);
        turn
    }

    fn lock_map(&self) -> MutexGuard<'_, HashMap<Domain, DomainLock>> {
        // Every critical section is one map operation, so a poisoned map is still valid.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DomainTurn {
    pub(crate) fn domain(&self) -> &Domain {
        &self.domain
    }
}

impl Drop for DomainTurn {
    fn drop(&mut self) {
        self.held = None;
        let mut locks = self.turns.lock_map();
        // Whoever holds the lock or waits for it has a reference besides that of the map.
        if locks.get(&self.domain).is_some_and(|lock| Arc::strong_count(lock) == 1) {
            locks.remove(&self.domain);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use contract::NamePolicy;

    use super::*;

    fn domain(name: &str) -> Domain {
        Domain::parse(name, &NamePolicy::default()).unwrap()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_domain_has_one_turn_at_a_time_and_leaves_nothing_behind() {
        let turns = DomainTurns::default();
        let running = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..200)
            .map(|number| {
                let (turns, running) = (turns.clone(), Arc::clone(&running));
                tokio::spawn(async move {
                    let name = domain("a.org");
                    let turn = turns.begin(&name);
                    // Some stop waiting.
                    let patience = Duration::from_millis(if number % 5 == 0 { 0 } else { 60_000 });
                    let Ok(_turn) = tokio::time::timeout(patience, turn).await else { return };
                    assert_eq!(running.fetch_add(1, Ordering::SeqCst), 0);
                    tokio::time::sleep(Duration::from_micros(100)).await;
                    assert_eq!(running.fetch_sub(1, Ordering::SeqCst), 1);
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert!(turns.lock_map().is_empty());
    }

    #[tokio::test]
    async fn other_domains_do_not_wait() {
        let turns = DomainTurns::default();
        let (one, other) = (domain("a.org"), domain("b.org"));
        let _first = turns.begin(&one).await;
        tokio::time::timeout(Duration::from_secs(5), turns.begin(&other)).await.unwrap();
        let same = turns.begin(&one);
        assert!(tokio::time::timeout(Duration::from_millis(20), same).await.is_err());
    }
}
