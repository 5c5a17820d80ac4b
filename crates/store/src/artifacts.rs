//! Artefacts: bodies that were received, kept apart from the evidence and named by their digest.

use bytes::Bytes;
use contract::Timestamp;

use crate::scans::check_size;
use crate::{BoxFuture, Digest, StoreError};

/// How long artefacts are kept after they were last received or referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    Days(u32),
    ForEver,
}

/// A kept artefact, as a list shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArtifactRow {
    pub sha256: Digest,
    /// When these bytes were last received.
    pub kept_at: Timestamp,
}

/// What a sweep did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SweepReport {
    pub removed: u64,
    /// Bytes they took in the store, that is, compressed.
    pub removed_bytes: u64,
    pub kept: u64,
}

pub trait Artifacts: Send + Sync {
    /// Keeps bytes received at `at`, durably when this returns. Bytes that do not hash to the
    /// name are refused. Bytes that are kept already stay, and count as received at the later of
    /// the two moments.
    fn put_artifact(
        &self,
        sha256: Digest,
        bytes: Bytes,
        at: Timestamp,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The bytes of this digest, checked against it: damaged bytes are an error, never an answer.
    fn artifact(&self, sha256: Digest) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>>;

    /// Removes what was received before `older_than`, except what a scan made at or after
    /// `older_than` refers to.
    fn sweep_artifacts(
        &self,
        older_than: Timestamp,
    ) -> BoxFuture<'_, Result<SweepReport, StoreError>>;

    /// Every artefact in the order of the digests, at most `limit`, all after `after`: for moving
    /// to another store.
    fn export_artifacts(
        &self,
        after: Option<Digest>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<ArtifactRow>, StoreError>>;
}

impl Retention {
    /// What a sweep at `now` is to be given, or nothing when nothing is ever swept.
    #[must_use]
    pub fn cutoff(self, now: Timestamp) -> Option<Timestamp> {
        const DAY_MS: i64 = 24 * 3600 * 1000;
        match self {
            Self::Days(days) => Some(now.plus_millis(-(i64::from(days) * DAY_MS))),
            Self::ForEver => None,
        }
    }
}

/// Refuses bytes that are too large or not those named; called by engines before they write.
pub fn check_artifact(sha256: Digest, bytes: &[u8]) -> Result<(), StoreError> {
    check_size("body", bytes)?;
    let found = Digest::of(bytes);
    if found == sha256 { Ok(()) } else { Err(StoreError::WrongDigest { named: sha256, found }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retention_counts_days_back_from_now() {
        let now: Timestamp = "2026-11-15T02:56:20.007Z".parse().unwrap();
        assert_eq!(
            Retention::Days(30).cutoff(now),
            Some("2026-10-16T02:56:20.007Z".parse().unwrap())
        );
        assert_eq!(Retention::Days(0).cutoff(now), Some(now));
        assert_eq!(Retention::ForEver.cutoff(now), None);
        assert!(Retention::Days(u32::MAX).cutoff(now) < Some(now));
    }
}
