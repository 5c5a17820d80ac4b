//! Documents made from stored reports: graphs, manifests and machine records. A stored report never changes, so each is
//! made once and kept while there is space.

use bytes::Bytes;
use contract::Timestamp;
use proof::Digest;
use tokio::sync::Semaphore;

use crate::bounded_cache::BoundedCache;
use crate::report_error::ReportError;

/// The most bytes of all documents together.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// How long a document is kept. Only its signature is made anew then.
const KEPT_MS: i64 = 24 * 3_600_000;
/// Documents that are made at a time. The others wait, and mostly find theirs made.
const MADE_AT_ONCE: usize = 2;

/// A document made from a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportDocument {
    pub bytes: Bytes,
    /// The digest of the bytes.
    pub bytes_sha256: Digest,
    /// The digest of the signed content, which stays the same when it is signed anew.
    pub content_sha256: Digest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum DocumentForm {
    Graph,
    Manifest,
    MachineRecord,
}

/// Which document: the report's id, the form, and the key that signs. A graph that a key signed before it
/// was retired or reported as compromised is not served again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct DocumentKey {
    pub(super) report_id: String,
    pub(super) form: DocumentForm,
    pub(super) kid: String,
}

/// Documents by report and form. `making` has a permit for each document that may be made at a time.
#[derive(Debug)]
pub(crate) struct ReportDocuments {
    cache: BoundedCache<DocumentKey, ReportDocument>,
    making: Semaphore,
}

impl Default for ReportDocuments {
    fn default() -> Self {
        Self::with_capacity(MAX_BYTES)
    }
}

impl ReportDocuments {
    pub(crate) fn with_capacity(max_bytes: usize) -> Self {
        let cache = BoundedCache::new("report_documents", max_bytes);
        Self { cache, making: Semaphore::new(MADE_AT_ONCE) }
    }

    /// The document, made by `make` unless it is kept. `make` runs on a thread of its own.
    pub(super) async fn get_or_make(
        &self,
        key: DocumentKey,
        now: Timestamp,
        make: impl FnOnce() -> Result<Option<ReportDocument>, ReportError> + Send + 'static,
    ) -> Result<Option<ReportDocument>, ReportError> {
        self.get_or_await(key, now, run_blocking(make)).await
    }

    /// The document, made by `making` unless it is kept.
    pub(super) async fn get_or_await(
        &self,
        key: DocumentKey,
        now: Timestamp,
        making: impl Future<Output = Result<Option<ReportDocument>, ReportError>>,
    ) -> Result<Option<ReportDocument>, ReportError> {
        if let Some(document) = self.cache.get(&key, now) {
            return Ok(Some(document));
        }
        // The semaphore is never closed.
        let _permit = self.making.acquire().await;
        if let Some(document) = self.cache.get(&key, now) {
            return Ok(Some(document));
        }
        let made = making.await?;
        if let Some(document) = &made {
            self.keep(key, document.clone(), now);
        }
        Ok(made)
    }

    fn keep(&self, key: DocumentKey, mut document: ReportDocument, now: Timestamp) {
        // A copy of exactly this size: the original may have been serialised into a larger buffer.
        document.bytes = Bytes::copy_from_slice(&document.bytes);
        // The cache holds three copies of a key.
        let bytes = document.bytes.len() + 3 * (key.report_id.len() + key.kid.len());
        self.cache.put(key, document, bytes, now.plus_millis(KEPT_MS), now, |_| true);
    }

    /// A manifest may be signed by an earlier key than the one it is kept under.
    pub(crate) fn clear(&self) {
        self.cache.clear();
    }

    pub(crate) fn evict_expired(&self, now: Timestamp) {
        self.cache.evict_expired(now);
    }

    pub(crate) fn report_size(&self) {
        self.cache.report_size();
    }
}

/// Runs work that takes long on a thread of its own.
pub(super) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ReportError> + Send + 'static,
) -> Result<T, ReportError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| ReportError::Unreadable(error.to_string()))?
}

/// A cache that was filled beyond its bound with small documents, for the test of its memory.
#[cfg(test)]
pub(crate) fn fill_with_small_documents(max_bytes: usize, now: Timestamp) -> ReportDocuments {
    let documents = ReportDocuments::with_capacity(max_bytes);
    for number in 0..2 * max_bytes / 500 {
        let key = DocumentKey {
            report_id: format!("{number:026}"),
            form: DocumentForm::Graph,
            kid: "a-key-of-2026-11".to_owned(),
        };
        let digest = proof::sha256(b"x");
        let bytes = Bytes::from(vec![b'x'; 40]);
        let document = ReportDocument { bytes, bytes_sha256: digest, content_sha256: digest };
        documents.keep(key, document, now);
    }
    documents
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn now() -> Timestamp {
        Timestamp::from_millis(1_790_000_000_000)
    }

    fn key(id: usize, kid: &str) -> DocumentKey {
        let form = DocumentForm::Graph;
        DocumentKey { report_id: id.to_string(), form, kid: kid.to_owned() }
    }

    fn document(bytes: usize) -> ReportDocument {
        let digest = proof::sha256(b"x");
        let bytes = Bytes::from(vec![b'x'; bytes]);
        ReportDocument { bytes, bytes_sha256: digest, content_sha256: digest }
    }

    async fn ask(documents: &ReportDocuments, key: DocumentKey, made: &Arc<AtomicUsize>) {
        let made = Arc::clone(made);
        let make = move || {
            made.fetch_add(1, Ordering::Relaxed);
            Ok(Some(document(1_000)))
        };
        documents.get_or_make(key, now(), make).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn many_callers_share_one_document_until_the_key_changes() {
        let (documents, made) = (Arc::new(ReportDocuments::default()), Arc::default());
        let calls = (0..100).map(|_| {
            let (documents, made) = (Arc::clone(&documents), Arc::clone(&made));
            tokio::spawn(async move { ask(&documents, key(1, "a"), &made).await })
        });
        for call in calls.collect::<Vec<_>>() {
            call.await.unwrap();
        }
        let first = made.load(Ordering::Relaxed);
        assert!(first <= MADE_AT_ONCE, "{first}");
        ask(&documents, key(1, "a"), &made).await;
        assert_eq!(made.load(Ordering::Relaxed), first);
        ask(&documents, key(1, "b"), &made).await;
        assert_eq!(made.load(Ordering::Relaxed), first + 1, "another key signs anew");
    }

    #[tokio::test]
    async fn what_is_used_again_and_again_stays() {
        let (documents, made) = (ReportDocuments::with_capacity(20_000), Arc::default());
        for id in 0..1_000 {
            ask(&documents, key(id, "a"), &made).await;
            ask(&documents, key(0, "a"), &made).await;
        }
        assert_eq!(made.load(Ordering::Relaxed), 1_000);
        ask(&documents, key(1, "a"), &made).await;
        assert_eq!(made.load(Ordering::Relaxed), 1_001, "what was not used made room");
    }
}
