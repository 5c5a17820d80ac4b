use super::*;

const OVERHEAD: usize = BoundedCache::<u32, u32>::ENTRY_BYTES;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms)
}

fn cache(entries: usize) -> BoundedCache<u32, u32> {
    BoundedCache::new("test", entries * (100 + OVERHEAD))
}

fn put(cache: &BoundedCache<u32, u32>, key: u32, valid_until: i64) {
    cache.put(key, key, 100, at(valid_until), at(0), |_| true);
}

fn stored(cache: &BoundedCache<u32, u32>, now: i64) -> Vec<u32> {
    (0..100).filter(|key| cache.get(key, at(now)).is_some()).collect()
}

#[test]
fn the_bound_holds_and_what_was_used_stays() {
    let cache = cache(10);
    for key in 0..10 {
        put(&cache, key, 1_000);
    }
    for _ in 0..3 {
        assert_eq!((cache.get(&0, at(1)), cache.get(&5, at(1))), (Some(0), Some(5)));
    }
    for key in 10..18 {
        put(&cache, key, 1_000);
        assert!(cache.bytes() <= 10 * (100 + OVERHEAD), "{}", cache.bytes());
    }
    assert_eq!(cache.len(), 10);
    assert_eq!(stored(&cache, 1), [0, 5, 10, 11, 12, 13, 14, 15, 16, 17]);
}

#[test]
fn expired_entries_are_not_served_and_go() {
    let cache = cache(10);
    put(&cache, 1, 10);
    put(&cache, 2, 20);
    assert_eq!((stored(&cache, 9), stored(&cache, 10)), (vec![1, 2], vec![2]));
    cache.evict_expired(at(10));
    assert_eq!((cache.len(), cache.bytes()), (1, 100 + OVERHEAD));
    cache.evict_expired(at(20));
    assert_eq!((cache.len(), cache.bytes()), (0, 0));
    // Also without a background task.
    put(&cache, 3, 30);
    cache.put(4, 4, 100, at(99), at(30), |_| true);
    assert_eq!((cache.len(), stored(&cache, 30)), (1, vec![4]));
}

#[test]
fn replacing_counts_once_and_the_queue_stays_short() {
    let cache = cache(10);
    for _ in 0..10_000 {
        put(&cache, 1, 1_000);
        put(&cache, 2, 1_000);
    }
    assert_eq!((cache.len(), cache.bytes()), (2, 2 * (100 + OVERHEAD)));
    assert!(cache.lock().queue.len() <= 2 * 2 + 64 + 1);
    cache.put(1, 7, 100, at(1_000), at(0), |known| *known != 1);
    assert_eq!(cache.get(&1, at(0)), Some(1));
    cache.put(1, 7, 100, at(1_000), at(0), |known| *known == 1);
    assert_eq!(cache.get(&1, at(0)), Some(7));
}

#[test]
fn what_is_larger_than_the_cache_is_not_stored() {
    let cache = cache(10);
    put(&cache, 1, 1_000);
    cache.put(2, 2, 10_000_000, at(1_000), at(0), |_| true);
    // The replaced value is gone too: it is no longer the current one.
    cache.put(1, 1, 10_000_000, at(1_000), at(0), |_| true);
    assert_eq!((cache.len(), cache.bytes()), (0, 0));
}
