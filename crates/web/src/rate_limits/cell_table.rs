//! What is kept of clients, in a table of a fixed size.
//!
//! A client has its place in one of 16 slots, which its keyed hash chooses: a request looks at 16 slots,
//! however many clients there are, and nobody can aim at the slots of another. A slot whose content says
//! nothing any more is free. If none is free, the client has no place: those that are in the table keep
//! theirs. Slots are allocated in pages when they are first used.

use std::hash::{BuildHasher, RandomState};

/// Which client or network a slot belongs to. Never all zeros, which is an empty slot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct CellKey(pub(super) [u64; 2]);

/// What is kept of a client.
pub(super) trait Cell: Copy + Default {
    /// The time after which it is the same as nothing.
    fn matters_until(&self) -> u64;
}

/// The arrival time of [`super::gcra`].
impl Cell for u64 {
    fn matters_until(&self) -> u64 {
        *self
    }
}

const SLOTS_PER_BUCKET: usize = 16;
const BUCKETS_PER_PAGE: usize = 16;
const SLOTS_PER_PAGE: usize = SLOTS_PER_BUCKET * BUCKETS_PER_PAGE;

#[derive(Debug, Clone, Copy, Default)]
struct Slot<C> {
    key: CellKey,
    cell: C,
}

/// The slots of several buckets.
type Page<C> = Box<[Slot<C>]>;

#[derive(Debug)]
pub(super) struct CellTable<C> {
    hasher: RandomState,
    pages: Vec<Option<Page<C>>>,
}

/// What a table knows of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookup<C> {
    Known(C),
    /// Not known, and there is room.
    Room,
    /// Not known, and there is no room.
    Full,
}

impl<C: Cell> CellTable<C> {
    /// Rounded up to whole pages.
    pub(super) fn new(slots: usize) -> Self {
        let pages = slots.div_ceil(SLOTS_PER_PAGE).max(1);
        Self { hasher: RandomState::new(), pages: (0..pages).map(|_| None).collect() }
    }

    pub(super) fn find(&self, key: CellKey, now: u64) -> Lookup<C> {
        let (page, first) = self.bucket(key);
        let Some(page) = self.pages.get(page).and_then(Option::as_deref) else {
            return Lookup::Room;
        };
        let bucket = page.iter().skip(first).take(SLOTS_PER_BUCKET);
        let mut found = Lookup::Full;
        for slot in bucket {
            if slot.key == key {
                return Lookup::Known(slot.cell);
            }
            if slot.cell.matters_until() <= now {
                found = Lookup::Room;
            }
        }
        found
    }

    /// Keeps this of a client. False if there is no room.
    pub(super) fn put(&mut self, key: CellKey, cell: C, now: u64) -> bool {
        let (page, first) = self.bucket(key);
        let Some(page) = self.pages.get_mut(page) else { return false };
        let page = page.get_or_insert_with(|| vec![Slot::default(); SLOTS_PER_PAGE].into());
        let mut free = None;
        for slot in page.iter_mut().skip(first).take(SLOTS_PER_BUCKET) {
            if slot.key == key {
                slot.cell = cell;
                return true;
            }
            if free.is_none() && slot.cell.matters_until() <= now {
                free = Some(slot);
            }
        }
        match free {
            Some(slot) => {
                *slot = Slot { key, cell };
                true
            }
            None => false,
        }
    }

    /// A number below `below` that depends on the key and that nobody can foresee.
    pub(super) fn hash_below(&self, key: CellKey, below: usize) -> usize {
        usize::try_from(self.hasher.hash_one(key)).unwrap_or(usize::MAX) % below.max(1)
    }

    /// The page, and the first slot in it.
    fn bucket(&self, key: CellKey) -> (usize, usize) {
        let bucket = self.hash_below(key, self.pages.len() * BUCKETS_PER_PAGE);
        (bucket / BUCKETS_PER_PAGE, bucket % BUCKETS_PER_PAGE * SLOTS_PER_BUCKET)
    }

    /// How many clients there are of whom something is known.
    #[cfg(test)]
    pub(super) fn count_clients(&self, now: u64) -> usize {
        let slots = self.pages.iter().flatten().flat_map(|page| page.iter());
        slots.filter(|slot| slot.cell.matters_until() > now).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> CellKey {
        CellKey([number, 4])
    }

    #[test]
    fn what_says_nothing_makes_room_and_what_matters_stays() {
        let mut table = CellTable::<u64>::new(1);
        let kept: Vec<u64> = (0..10_000).filter(|number| table.put(key(*number), 100, 1)).collect();
        assert!(kept.len() <= SLOTS_PER_PAGE && kept.len() > SLOTS_PER_PAGE / 2, "{}", kept.len());
        for number in &kept {
            assert_eq!(table.find(key(*number), 99), Lookup::Known(100));
            assert!(table.put(key(*number), 100, 99), "those who are there can change");
        }
        assert_eq!(table.count_clients(99), kept.len());
        let new = (20_000..30_000).map(key).find(|new| table.find(*new, 99) == Lookup::Full);
        let new = new.unwrap();
        assert!(!table.put(new, 200, 99));
        assert_eq!(table.find(new, 100), Lookup::Room);
        assert!(table.put(new, 200, 100));
        assert_eq!(table.find(new, 100), Lookup::Known(200));
        assert_eq!(table.count_clients(100), 1);
    }

    #[test]
    fn an_empty_table_takes_next_to_nothing() {
        let table = CellTable::<u64>::new(65_536);
        assert!(table.pages.iter().all(Option::is_none));
        assert_eq!(table.pages.len() * SLOTS_PER_PAGE, 65_536);
        assert_eq!(table.find(key(0), 0), Lookup::Room);
    }
}
