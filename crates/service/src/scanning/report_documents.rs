//! Documents made from stored reports: graphs and manifests. A stored report never changes, so each is
//! made once and kept while there is space.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use proof::Digest;
use tokio::sync::Semaphore;

use crate::report_error::ReportError;

/// The most bytes of all documents together.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// What an entry takes besides the document itself.
const ENTRY_BYTES: usize = 512;
/// Documents that are made at a time. The others wait, and mostly find theirs made.
const MADE_AT_ONCE: usize = 2;

const CACHE: &str = "report_documents";

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
}

/// Which document: the report's id, the form, and the key that signs. A graph that a key signed before it
/// was retired or reported as compromised is not served again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct DocumentKey {
    pub(super) report_id: String,
    pub(super) form: DocumentForm,
    pub(super) kid: String,
}

/// Documents by report and form. Every look-up writes to `entries`; its mutex is never held across an
/// await. `making` has a permit for each document that may be made at a time.
#[derive(Debug)]
pub(crate) struct ReportDocuments {
    entries: Mutex<Entries>,
    max_bytes: usize,
    making: Semaphore,
}

#[derive(Debug, Default)]
struct Entries {
    documents: HashMap<DocumentKey, (u64, ReportDocument)>,
    /// The one used longest ago comes first.
    by_use: BTreeMap<u64, DocumentKey>,
    next_turn: u64,
    bytes: usize,
}

impl Default for ReportDocuments {
    fn default() -> Self {
        Self::with_capacity(MAX_BYTES)
    }
}

impl ReportDocuments {
    fn with_capacity(max_bytes: usize) -> Self {
        Self { entries: Mutex::default(), max_bytes, making: Semaphore::new(MADE_AT_ONCE) }
    }

    /// The document, made by `make` unless it is kept. `make` runs on a thread of its own.
    pub(super) async fn get_or_make(
        &self,
        key: DocumentKey,
        make: impl FnOnce() -> Result<Option<ReportDocument>, ReportError> + Send + 'static,
    ) -> Result<Option<ReportDocument>, ReportError> {
        if let Some(document) = self.find(&key) {
            return Ok(Some(document));
        }
        // The semaphore is never closed.
        let _permit = self.making.acquire().await;
        if let Some(document) = self.find(&key) {
            return Ok(Some(document));
        }
        let made = tokio::task::spawn_blocking(make).await;
        let made = made.map_err(|error| ReportError::Unreadable(error.to_string()))??;
        if let Some(document) = &made {
            self.keep(key, document.clone());
        }
        Ok(made)
    }

    fn find(&self, key: &DocumentKey) -> Option<ReportDocument> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = entries.take_turn();
        let (last_turn, document) = entries.documents.get_mut(key)?;
        let previous = std::mem::replace(last_turn, turn);
        let document = document.clone();
        entries.by_use.remove(&previous);
        entries.by_use.insert(turn, key.clone());
        Some(document)
    }

    fn keep(&self, key: DocumentKey, document: ReportDocument) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.remove(&key);
        let turn = entries.take_turn();
        entries.bytes += document.bytes.len() + ENTRY_BYTES;
        entries.by_use.insert(turn, key.clone());
        entries.documents.insert(key, (turn, document));
        while entries.bytes > self.max_bytes
            && let Some((_, oldest)) = entries.by_use.pop_first()
        {
            entries.remove(&oldest);
        }
        metrics::gauge!("wayleave_cache_bytes", "cache" => CACHE).set(entries.bytes as f64);
        metrics::gauge!("wayleave_cache_max_bytes", "cache" => CACHE).set(self.max_bytes as f64);
    }
}

impl Entries {
    fn take_turn(&mut self) -> u64 {
        self.next_turn += 1;
        self.next_turn
    }

    fn remove(&mut self, key: &DocumentKey) {
        if let Some((turn, document)) = self.documents.remove(key) {
            self.by_use.remove(&turn);
            self.bytes = self.bytes.saturating_sub(document.bytes.len() + ENTRY_BYTES);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

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
        documents.get_or_make(key, make).await.unwrap().unwrap();
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
    async fn the_bytes_are_bounded_and_what_was_used_last_stays() {
        let (documents, made) = (ReportDocuments::with_capacity(10 * 1_512), Arc::default());
        for id in 0..1_000 {
            ask(&documents, key(id, "a"), &made).await;
            ask(&documents, key(0, "a"), &made).await;
        }
        let entries = documents.entries.lock().unwrap();
        assert_eq!((entries.documents.len(), entries.by_use.len()), (10, 10));
        assert!(entries.bytes <= documents.max_bytes);
        assert!(entries.documents.contains_key(&key(0, "a")), "used again and again");
        assert_eq!(made.load(Ordering::Relaxed), 1_000);
    }
}
