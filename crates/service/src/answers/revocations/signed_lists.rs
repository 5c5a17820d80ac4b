//! A cache of signed revocation lists.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use contract::Timestamp;
use proof::SignedDocument;

use super::query::RevocationsPageQuery;

/// A list is signed again after this time, well before it expires.
const LIST_REUSED_MS: i64 = 5 * 60_000;
/// Lists cached at most; when full, the cache is emptied.
const MAX_CACHED_LISTS: usize = 64;

/// Signed lists by query. A list is valid until an entry is added to the chain. The mutex guards the
/// map and is held for one map operation only, never across an await.
#[derive(Debug, Default)]
pub(crate) struct SignedListCache {
    lists: Mutex<BTreeMap<RevocationsPageQuery, CachedList>>,
}

#[derive(Debug, Clone)]
pub(super) struct CachedList {
    /// The sequence number of the newest entry when the list was made.
    pub(super) head: u64,
    pub(super) made_at: Timestamp,
    pub(super) document: Arc<SignedDocument>,
}

impl SignedListCache {
    pub(super) fn get(
        &self,
        query: &RevocationsPageQuery,
        head: u64,
        now: Timestamp,
    ) -> Option<Arc<SignedDocument>> {
        let lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let list = lists.get(query)?;
        let is_current =
            list.head == head && (0..LIST_REUSED_MS).contains(&now.millis_since(list.made_at));
        is_current.then(|| Arc::clone(&list.document))
    }

    pub(super) fn put(&self, query: RevocationsPageQuery, list: CachedList) {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if lists.len() >= MAX_CACHED_LISTS {
            lists.clear();
        }
        lists.insert(query, list);
    }
}
