//! Who may be connected: the cap, and who makes room when it is reached.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio_util::sync::CancellationToken;

/// How many make room at once when the system has no socket left.
const ROOM: usize = 16;

/// The turn of a connection that is at work, or on its way out: it is in nobody's row.
const NOT_WAITING: u64 = 0;

/// The book of open connections. The accept loop admits, and looks for the longest waiting when there
/// is no room; the mutex guards the book and is never held across an await. Every connection says
/// whether it is at work by its own turn: requests are many, and pay for no lock.
#[derive(Debug)]
pub(super) struct Slots {
    cap: usize,
    next_turn: AtomicU64,
    book: Mutex<Book>,
}

#[derive(Debug, Default)]
struct Book {
    /// Every open connection, by the turn it came with.
    open: BTreeMap<u64, Arc<Place>>,
    evicted: u64,
}

/// What the book knows of a connection.
#[derive(Debug)]
struct Place {
    evict: CancellationToken,
    /// Its place in the row of the waiting: the lowest has waited longest.
    turn: AtomicU64,
}

impl Slots {
    pub(super) fn new(cap: usize) -> Arc<Self> {
        Arc::new(Self { cap: cap.max(1), next_turn: AtomicU64::new(1), book: Mutex::default() })
    }

    /// A place for a new connection, or nothing when all places are taken by connections at work.
    pub(super) fn admit(self: &Arc<Self>) -> Option<Arc<Slot>> {
        let mut book = self.book();
        if book.open.len() >= self.cap {
            // Evicted connections take a moment to go. They may not pile up without bound.
            if book.open.len() > self.cap + self.cap / 4 || !book.evict_longest() {
                return None;
            }
        }
        let turn = self.turn();
        let place = Arc::new(Place { evict: CancellationToken::new(), turn: AtomicU64::new(turn) });
        book.open.insert(turn, Arc::clone(&place));
        Some(Arc::new(Slot { slots: Arc::clone(self), number: turn, place }))
    }

    /// Asks the longest waiting to go, when the system itself has run out of sockets.
    pub(super) fn make_room(&self) {
        let mut book = self.book();
        for _ in 0..ROOM {
            if !book.evict_longest() {
                return;
            }
        }
    }

    pub(super) fn open(&self) -> usize {
        self.book().open.len()
    }

    pub(super) fn evicted(&self) -> u64 {
        self.book().evicted
    }

    fn turn(&self) -> u64 {
        self.next_turn.fetch_add(1, Ordering::Relaxed)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    /// Asks the longest waiting to go; false when nobody waits. One that is given a request in the
    /// same moment finishes it first.
    fn evict_longest(&mut self) -> bool {
        loop {
            let waiting = self.open.values().filter_map(|place| {
                let turn = place.turn.load(Ordering::Acquire);
                (turn != NOT_WAITING).then_some((turn, place))
            });
            let Some((turn, place)) = waiting.min_by_key(|(turn, _)| *turn) else { return false };
            let taken =
                place.turn.compare_exchange(turn, NOT_WAITING, Ordering::AcqRel, Ordering::Relaxed);
            // It began to work while we looked: somebody else has waited longest.
            if taken.is_ok() {
                place.evict.cancel();
                self.evicted += 1;
                return true;
            }
        }
    }
}

/// One connection's place; given back when dropped.
#[derive(Debug)]
pub(super) struct Slot {
    slots: Arc<Slots>,
    /// In the book.
    number: u64,
    place: Arc<Place>,
}

impl Slot {
    /// Ends when this connection is asked to make room.
    pub(super) async fn evicted(&self) {
        self.place.evict.cancelled().await;
    }

    /// Not to be evicted until the returned guard is dropped.
    pub(super) fn at_work(self: &Arc<Self>) -> AtWork {
        self.place.turn.store(NOT_WAITING, Ordering::Release);
        AtWork(Arc::clone(self))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.book().open.remove(&self.number);
    }
}

#[derive(Debug)]
pub(super) struct AtWork(Arc<Slot>);

impl Drop for AtWork {
    /// Back into the row, at its end.
    fn drop(&mut self) {
        self.0.place.turn.store(self.0.slots.turn(), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_waiting_makes_room_and_those_at_work_do_not() {
        let slots = Slots::new(2);
        let first = slots.admit().unwrap();
        let second = slots.admit().unwrap();
        let busy = first.at_work();
        let third = slots.admit().unwrap();
        assert!(second.place.evict.is_cancelled(), "the one that waited made room");
        assert!(!first.place.evict.is_cancelled());
        drop(second);
        let _third_busy = third.at_work();
        assert!(slots.admit().is_none(), "both at work: no room");
        drop(busy);
        assert!(slots.admit().is_some());
        assert!(first.place.evict.is_cancelled(), "back in the row, and first of it");
        assert_eq!(slots.evicted(), 2);
    }

    #[test]
    fn a_connection_that_worked_waits_at_the_end_of_the_row() {
        let slots = Slots::new(2);
        let first = slots.admit().unwrap();
        let second = slots.admit().unwrap();
        drop(first.at_work());
        let _third = slots.admit().unwrap();
        assert!(second.place.evict.is_cancelled() && !first.place.evict.is_cancelled());
    }

    #[test]
    fn when_the_system_runs_out_only_the_waiting_go() {
        let slots = Slots::new(100);
        let held: Vec<_> = (0..20).filter_map(|_| slots.admit()).collect();
        let _busy = held[0].at_work();
        slots.make_room();
        let gone = held.iter().filter(|slot| slot.place.evict.is_cancelled()).count();
        assert_eq!((gone, held[0].place.evict.is_cancelled()), (16, false));
        assert!(!held[19].place.evict.is_cancelled(), "the last to come is the last to go");
    }

    #[test]
    fn evicted_connections_do_not_pile_up() {
        let slots = Slots::new(4);
        let held: Vec<_> = (0..100).filter_map(|_| slots.admit()).collect();
        assert_eq!(held.len(), 6, "the cap, and a quarter and one on their way out");
        drop(held);
        assert_eq!(slots.open(), 0);
        assert!(slots.admit().is_some());
    }
}
