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

/// The book of open connections. Shared by the accept loop (which admits) and every connection
/// (which says whether it is at work); the mutex guards all of it and is never held across an
/// await.
#[derive(Debug)]
pub(super) struct Slots {
    cap: usize,
    book: Mutex<Book>,
}

#[derive(Debug, Default)]
struct Book {
    open: usize,
    next_turn: u64,
    /// Connections waiting for a request, the longest waiting first.
    waiting: BTreeMap<u64, CancellationToken>,
    evicted: u64,
}

impl Slots {
    pub(super) fn new(cap: usize) -> Arc<Self> {
        Arc::new(Self { cap: cap.max(1), book: Mutex::default() })
    }

    /// A place for a new connection, or nothing when all places are taken by connections at work.
    pub(super) fn admit(self: &Arc<Self>) -> Option<Arc<Slot>> {
        let mut book = self.book();
        if book.open >= self.cap {
            // Evicted connections take a moment to go. They may not pile up without bound.
            if book.open > self.cap + self.cap / 4 {
                return None;
            }
            let (_, longest) = book.waiting.pop_first()?;
            longest.cancel();
            book.evicted += 1;
        }
        book.open += 1;
        let evict = CancellationToken::new();
        let turn = book.wait(evict.clone());
        Some(Arc::new(Slot { slots: Arc::clone(self), evict, turn: AtomicU64::new(turn) }))
    }

    /// Asks the longest waiting to go, when the system itself has run out of sockets.
    pub(super) fn make_room(&self) {
        let mut book = self.book();
        for _ in 0..ROOM {
            let Some((_, longest)) = book.waiting.pop_first() else { return };
            longest.cancel();
            book.evicted += 1;
        }
    }

    pub(super) fn open(&self) -> usize {
        self.book().open
    }

    pub(super) fn evicted(&self) -> u64 {
        self.book().evicted
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    fn wait(&mut self, evict: CancellationToken) -> u64 {
        self.next_turn += 1;
        self.waiting.insert(self.next_turn, evict);
        self.next_turn
    }
}

/// One connection's place; given back when dropped.
#[derive(Debug)]
pub(super) struct Slot {
    slots: Arc<Slots>,
    evict: CancellationToken,
    /// Its place in the row of the waiting; meaningless while at work.
    turn: AtomicU64,
}

impl Slot {
    /// Ends when this connection is asked to make room.
    pub(super) async fn evicted(&self) {
        self.evict.cancelled().await;
    }

    /// Not to be evicted until the returned guard is dropped.
    pub(super) fn at_work(self: &Arc<Self>) -> AtWork {
        self.slots.book().waiting.remove(&self.turn.load(Ordering::Relaxed));
        AtWork(Arc::clone(self))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut book = self.slots.book();
        book.open = book.open.saturating_sub(1);
        book.waiting.remove(&self.turn.load(Ordering::Relaxed));
    }
}

#[derive(Debug)]
pub(super) struct AtWork(Arc<Slot>);

impl Drop for AtWork {
    fn drop(&mut self) {
        let turn = self.0.slots.book().wait(self.0.evict.clone());
        self.0.turn.store(turn, Ordering::Relaxed);
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
        assert!(second.evict.is_cancelled(), "the one that waited made room");
        assert!(!first.evict.is_cancelled());
        drop(second);
        let _third_busy = third.at_work();
        assert!(slots.admit().is_none(), "both at work: no room");
        drop(busy);
        assert!(slots.admit().is_some());
        assert!(first.evict.is_cancelled(), "back in the row, and first of it");
        assert_eq!(slots.evicted(), 2);
    }

    #[test]
    fn a_connection_that_worked_waits_at_the_end_of_the_row() {
        let slots = Slots::new(2);
        let first = slots.admit().unwrap();
        let second = slots.admit().unwrap();
        drop(first.at_work());
        let _third = slots.admit().unwrap();
        assert!(second.evict.is_cancelled() && !first.evict.is_cancelled());
    }

    #[test]
    fn when_the_system_runs_out_only_the_waiting_go() {
        let slots = Slots::new(100);
        let held: Vec<_> = (0..20).filter_map(|_| slots.admit()).collect();
        let _busy = held[0].at_work();
        slots.make_room();
        let gone = held.iter().filter(|slot| slot.evict.is_cancelled()).count();
        assert_eq!((gone, held[0].evict.is_cancelled()), (16, false));
        assert!(!held[19].evict.is_cancelled(), "the last to come is the last to go");
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
