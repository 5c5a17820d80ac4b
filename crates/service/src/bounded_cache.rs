//! A cache that is bounded in bytes: everything an entry holds in memory counts.
//!
//! Eviction is by use ("second chance"): entries wait in a queue, and one that was used since it was
//! last examined goes to the back of the queue instead. A lookup only sets a flag, so lookups run in
//! parallel. Entries whose time is over are removed, whether or not there is space.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use contract::Timestamp;

const BYTES: &str = "wayleave_cache_bytes";
const MAX_BYTES: &str = "wayleave_cache_max_bytes";
const ENTRIES: &str = "wayleave_cache_entries";

/// Expired entries that are removed under the lock at a time.
const REMOVED_AT_ONCE: usize = 512;
/// Expired entries that every `put` removes, so that they go without a background task.
const REMOVED_PER_PUT: usize = 4;

/// Values by key. The lock guards `contents`, and is never held across an await.
#[derive(Debug)]
pub(crate) struct BoundedCache<K, V> {
    name: &'static str,
    max_bytes: usize,
    contents: RwLock<Contents<K, V>>,
}

#[derive(Debug)]
struct Contents<K, V> {
    entries: HashMap<K, Entry<V>>,
    /// The keys in the order in which they are examined. Has keys of entries that were replaced or
    /// removed since, under another number.
    queue: VecDeque<(K, u64)>,
    /// The keys by the end of their entry and its number.
    by_end: BTreeMap<(Timestamp, u64), K>,
    bytes: usize,
    next_number: u64,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    bytes: usize,
    valid_until: Timestamp,
    /// Distinguishes the entry from earlier ones with the same key.
    number: u64,
    /// Set by lookups, cleared when the entry is examined.
    used: AtomicBool,
}

impl<K: Clone + Eq + Hash, V: Clone> BoundedCache<K, V> {
    /// `name` is the label of the cache in the metrics.
    pub(crate) fn new(name: &'static str, max_bytes: usize) -> Self {
        let contents = Contents {
            entries: HashMap::new(),
            queue: VecDeque::new(),
            by_end: BTreeMap::new(),
            bytes: 0,
            next_number: 0,
        };
        Self { name, max_bytes, contents: RwLock::new(contents) }
    }

    pub(crate) fn get<Q>(&self, key: &Q, now: Timestamp) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let contents = self.contents.read().unwrap_or_else(PoisonError::into_inner);
        let entry = contents.entries.get(key).filter(|entry| now < entry.valid_until)?;
        entry.used.store(true, Ordering::Relaxed);
        Some(entry.value.clone())
    }

    /// Stores a value that holds `bytes` in memory, its key included. A value that alone exceeds the
    /// bound is not stored. `replaces` says whether it may replace the stored one.
    pub(crate) fn put(
        &self,
        key: K,
        value: V,
        bytes: usize,
        valid_until: Timestamp,
        now: Timestamp,
        replaces: impl FnOnce(&V) -> bool,
    ) {
        let mut contents = self.lock();
        if contents.entries.get(&key).is_some_and(|known| !replaces(&known.value)) {
            return;
        }
        contents.remove(&key);
        contents.remove_expired(now, REMOVED_PER_PUT);
        let bytes = bytes.saturating_add(Self::ENTRY_BYTES);
        if bytes > self.max_bytes {
            return;
        }
        let number = contents.next_number;
        contents.next_number = number.wrapping_add(1);
        let entry = Entry { value, bytes, valid_until, number, used: AtomicBool::new(false) };
        contents.bytes = contents.bytes.saturating_add(bytes);
        contents.queue.push_back((key.clone(), number));
        contents.by_end.insert((valid_until, number), key.clone());
        contents.entries.insert(key, entry);
        while contents.bytes > self.max_bytes && contents.evict_next() {}
        contents.drop_stale_keys();
    }

    /// What the cache itself holds for an entry: three keys, and the slots of the maps and the queue,
    /// all of which may be half empty.
    const ENTRY_BYTES: usize = 6 * (size_of::<K>() + 16) + 2 * size_of::<Entry<V>>();

    pub(crate) fn remove(&self, key: &K) {
        let mut contents = self.lock();
        contents.remove(key);
        contents.drop_stale_keys();
    }

    /// Removes all entries whose time is over.
    pub(crate) fn evict_expired(&self, now: Timestamp) {
        // The lock is released in between, so that no lookup waits long.
        while self.lock().remove_expired(now, REMOVED_AT_ONCE) {}
        self.lock().drop_stale_keys();
    }

    /// Removes all entries.
    pub(crate) fn clear(&self) {
        let removed = {
            let mut contents = self.lock();
            contents.bytes = 0;
            contents.by_end.clear();
            contents.queue.clear();
            std::mem::take(&mut contents.entries)
        };
        // Many values take time to drop; lookups need not wait for it.
        drop(removed);
    }

    /// Publishes the size and the bound as metrics.
    pub(crate) fn report_size(&self) {
        let (bytes, entries) = {
            let contents = self.contents.read().unwrap_or_else(PoisonError::into_inner);
            (contents.bytes, contents.entries.len())
        };
        metrics::gauge!(BYTES, "cache" => self.name).set(bytes as f64);
        metrics::gauge!(MAX_BYTES, "cache" => self.name).set(self.max_bytes as f64);
        metrics::gauge!(ENTRIES, "cache" => self.name).set(entries as f64);
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lock().entries.len()
    }

    fn lock(&self) -> RwLockWriteGuard<'_, Contents<K, V>> {
        // No code that can panic runs between two related changes, so a poisoned lock is still valid.
        self.contents.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Clone + Eq + Hash, V> Contents<K, V> {
    fn remove(&mut self, key: &K) {
        if let Some(entry) = self.entries.remove(key) {
            self.by_end.remove(&(entry.valid_until, entry.number));
            self.bytes = self.bytes.saturating_sub(entry.bytes);
        }
    }

    /// Removes at most `count` expired entries; `false` if there are no more.
    fn remove_expired(&mut self, now: Timestamp, count: usize) -> bool {
        for _ in 0..count {
            let first = self.by_end.first_key_value();
            let Some((_, key)) = first.filter(|((valid_until, _), _)| *valid_until <= now) else {
                return false;
            };
            let key = key.clone();
            self.remove(&key);
        }
        true
    }

    /// Takes the next key from the queue, and removes its entry if it was not used since it was last
    /// examined. `false` if the queue is empty.
    fn evict_next(&mut self) -> bool {
        let Some((key, number)) = self.queue.pop_front() else { return false };
        match self.entries.get(&key).filter(|entry| entry.number == number) {
            None => {}
            Some(entry) if entry.used.swap(false, Ordering::Relaxed) => {
                self.queue.push_back((key, number));
            }
            Some(_) => self.remove(&key),
        }
        true
    }

    /// Keys of removed entries leave the queue when they come first; this bounds how many wait.
    fn drop_stale_keys(&mut self) {
        if self.queue.len() <= 2 * self.entries.len() + 64 {
            return;
        }
        let entries = &self.entries;
        let is_current = |(key, number): &(K, u64)| {
            entries.get(key).is_some_and(|entry| entry.number == *number)
        };
        self.queue.retain(is_current);
    }
}

#[cfg(test)]
mod tests;
