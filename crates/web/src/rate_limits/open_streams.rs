//! How many streams one client has open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use service::AddressBlock;

use super::{
    cell_table::CellKey,
    scopes::{RateLimitClient, Scope},
};

/// Counts open streams by client and network. The map has an entry for each stream that is open and no
/// other, and all streams together are bounded by the service. The mutex is held for a few look-ups.
#[derive(Debug, Clone)]
pub(crate) struct OpenStreams {
    max: Option<u32>,
    open: Arc<Mutex<HashMap<CellKey, u32>>>,
}

/// An open stream. It no longer counts when it is dropped.
#[derive(Debug)]
pub(crate) struct OpenStream {
    streams: OpenStreams,
    client: RateLimitClient,
}

impl OpenStreams {
    pub(super) fn new(max: Option<u32>) -> Self {
        Self { max, open: Arc::default() }
    }

    /// Counts a stream of a client; `None` if it, or its network, has as many as it may have.
    pub(crate) fn open(&self, block: AddressBlock) -> Option<OpenStream> {
        let client = RateLimitClient::Address(block);
        let stream = || OpenStream { streams: self.clone(), client };
        let Some(max) = self.max else { return Some(stream()) };
        let mut open = self.lock();
        let is_full = |scope: &Scope| {
            let counted = open.get(&scope.key).copied().unwrap_or_default();
            counted >= max.saturating_mul(scope.factor)
        };
        if client.scopes().iter().flatten().any(is_full) {
            return None;
        }
        for scope in client.scopes().iter().flatten() {
            let counted = open.entry(scope.key).or_default();
            *counted = counted.saturating_add(1);
        }
        drop(open);
        Some(stream())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CellKey, u32>> {
        // No code that can panic runs between two related changes, so a poisoned map is still valid.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        if self.streams.max.is_none() {
            return;
        }
        let mut open = self.streams.lock();
        for scope in self.client.scopes().iter().flatten() {
            if let Some(counted) = open.get_mut(&scope.key) {
                *counted = counted.saturating_sub(1);
                if *counted == 0 {
                    open.remove(&scope.key);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(text: &str) -> AddressBlock {
        AddressBlock::from_address(text.parse().unwrap())
    }

    #[test]
    fn a_client_and_its_networks_have_so_many_open() {
        let streams = OpenStreams::new(Some(2));
        let one = streams.open(block("192.0.2.1")).unwrap();
        let two = streams.open(block("192.0.2.1")).unwrap();
        assert!(streams.open(block("192.0.2.1")).is_none());
        assert!(streams.open(block("192.0.2.2")).is_some(), "another client");
        drop(one);
        assert!(streams.open(block("192.0.2.1")).is_some(), "one was closed");
        drop(two);
        assert!(streams.lock().is_empty(), "nothing is kept of closed streams");
        // Eight in a /56: four networks of 64 bits with two each.
        let held: Vec<OpenStream> = (0..4)
            .flat_map(|subnet| [subnet, subnet])
            .map(|subnet| streams.open(block(&format!("2001:db8:0:{subnet}::1"))).unwrap())
            .collect();
        assert!(streams.open(block("2001:db8:0:9::1")).is_none());
        assert!(streams.open(block("2001:db8:0:900::1")).is_some(), "another /56");
        drop(held);
        assert!(streams.lock().is_empty());
    }

    #[test]
    fn without_a_limit_nothing_is_counted() {
        let streams = OpenStreams::new(None);
        let open: Vec<_> = (0..100).map(|_| streams.open(block("192.0.2.1"))).collect();
        assert!(open.iter().all(Option::is_some) && streams.lock().is_empty());
    }
}
