//! The cap on open connections, and which idle connection is closed when it is reached.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio_util::sync::CancellationToken;

/// Idle connections closed at once when the system has no sockets left.
const EVICTED_AT_ONCE: usize = 16;

/// The turn of a connection that is busy or already evicted: it cannot be evicted.
const NOT_IDLE: u64 = 0;

/// All open connections. The accept loop adds connections and evicts the longest idle one at the cap; a
/// connection removes itself when dropped. The mutex guards the table and is never held across an
/// await. A connection marks itself busy or idle through its own atomic turn, so that requests need no
/// lock.
#[derive(Debug)]
pub(super) struct ConnectionSlots {
    max_connections: usize,
    next_turn: AtomicU64,
    table: Mutex<SlotTable>,
}

#[derive(Debug, Default)]
struct SlotTable {
    /// Every open connection, by the turn at which it was admitted.
    open: BTreeMap<u64, Arc<SlotState>>,
    evicted: u64,
}

/// The table's entry for a connection. The connection itself and the accept loop write the turn.
#[derive(Debug)]
struct SlotState {
    evict: CancellationToken,
    /// The order of idle connections: the lowest has been idle longest.
    turn: AtomicU64,
}

impl ConnectionSlots {
    pub(super) fn new(cap: usize) -> Arc<Self> {
        Arc::new(Self {
            max_connections: cap.max(1),
            next_turn: AtomicU64::new(1),
            table: Mutex::default(),
        })
    }

    /// A slot for a new connection, or `None` if all slots are taken by busy connections.
    pub(super) fn admit(self: &Arc<Self>) -> Option<Arc<ConnectionSlot>> {
        let mut book = self.lock_table();
        if book.open.len() >= self.max_connections {
            // Evicted connections take a moment to close. Their number must stay bounded.
            if book.open.len() > self.max_connections + self.max_connections / 4
                || !book.evict_longest_idle()
            {
                return None;
            }
        }
        let turn = self.take_turn();
        let place =
            Arc::new(SlotState { evict: CancellationToken::new(), turn: AtomicU64::new(turn) });
        book.open.insert(turn, Arc::clone(&place));
        Some(Arc::new(ConnectionSlot { slots: Arc::clone(self), number: turn, state: place }))
    }

    /// Evicts the longest idle connections, when the system itself has run out of sockets.
    pub(super) fn evict_idle(&self) {
        let mut book = self.lock_table();
        for _ in 0..EVICTED_AT_ONCE {
            if !book.evict_longest_idle() {
                return;
            }
        }
    }

    pub(super) fn open_connections(&self) -> usize {
        self.lock_table().open.len()
    }

    pub(super) fn evicted_connections(&self) -> u64 {
        self.lock_table().evicted
    }

    fn take_turn(&self) -> u64 {
        self.next_turn.fetch_add(1, Ordering::Relaxed)
    }

    fn lock_table(&self) -> MutexGuard<'_, SlotTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SlotTable {
    /// Evicts the connection that has been idle longest; false if none is idle. If it receives a request
    /// at the same moment, it finishes that first.
    fn evict_longest_idle(&mut self) -> bool {
        loop {
            let waiting = self.open.values().filter_map(|place| {
                let turn = place.turn.load(Ordering::Acquire);
                (turn != NOT_IDLE).then_some((turn, place))
            });
            let Some((turn, place)) = waiting.min_by_key(|(turn, _)| *turn) else { return false };
            let taken =
                place.turn.compare_exchange(turn, NOT_IDLE, Ordering::AcqRel, Ordering::Relaxed);
            // It became busy in the meantime: look for the next one.
            if taken.is_ok() {
                place.evict.cancel();
                self.evicted += 1;
                return true;
            }
        }
    }
}

/// One connection's slot, freed when dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    slots: Arc<ConnectionSlots>,
    /// The key in the table.
    number: u64,
    state: Arc<SlotState>,
}

impl ConnectionSlot {
    /// Completes when this connection is evicted.
    pub(super) async fn evicted(&self) {
        self.state.evict.cancelled().await;
    }

    /// Protects the connection from eviction until the returned guard is dropped.
    pub(super) fn mark_busy(self: &Arc<Self>) -> BusyGuard {
        self.state.turn.store(NOT_IDLE, Ordering::Release);
        BusyGuard(Arc::clone(self))
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.slots.lock_table().open.remove(&self.number);
    }
}

/// While it exists, the connection is busy.
#[derive(Debug)]
pub(super) struct BusyGuard(Arc<ConnectionSlot>);

impl Drop for BusyGuard {
    /// Idle again, as the most recent one.
    fn drop(&mut self) {
        self.0.state.turn.store(self.0.slots.take_turn(), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_idle_is_evicted_and_busy_ones_are_not() {
        let slots = ConnectionSlots::new(2);
        let first = slots.admit().unwrap();
        let second = slots.admit().unwrap();
        let busy = first.mark_busy();
        let third = slots.admit().unwrap();
        assert!(second.state.evict.is_cancelled(), "the idle one was evicted");
        assert!(!first.state.evict.is_cancelled());
        drop(second);
        let _third_busy = third.mark_busy();
        assert!(slots.admit().is_none(), "both are busy");
        drop(busy);
        assert!(slots.admit().is_some());
        assert!(first.state.evict.is_cancelled(), "idle again, and the longest");
        assert_eq!(slots.evicted_connections(), 2);
    }

    #[test]
    fn a_connection_that_was_busy_is_evicted_last() {
        let slots = ConnectionSlots::new(2);
        let first = slots.admit().unwrap();
        let second = slots.admit().unwrap();
        drop(first.mark_busy());
        let _third = slots.admit().unwrap();
        assert!(second.state.evict.is_cancelled() && !first.state.evict.is_cancelled());
    }

    #[test]
    fn when_the_system_has_no_sockets_only_idle_connections_are_evicted() {
        let slots = ConnectionSlots::new(100);
        let held: Vec<_> = (0..20).filter_map(|_| slots.admit()).collect();
        let _busy = held[0].mark_busy();
        slots.evict_idle();
        let gone = held.iter().filter(|slot| slot.state.evict.is_cancelled()).count();
        assert_eq!((gone, held[0].state.evict.is_cancelled()), (16, false));
        assert!(!held[19].state.evict.is_cancelled(), "the newest is evicted last");
    }

    #[test]
    fn evicted_connections_do_not_pile_up() {
        let slots = ConnectionSlots::new(4);
        let held: Vec<_> = (0..100).filter_map(|_| slots.admit()).collect();
        assert_eq!(held.len(), 6, "the cap, plus a quarter and one that are closing");
        drop(held);
        assert_eq!(slots.open_connections(), 0);
        assert!(slots.admit().is_some());
    }
}
