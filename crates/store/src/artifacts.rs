//! Artefacts: received bodies, stored separately from the evidence under their digest.

use bytes::Bytes;
use contract::Timestamp;

use crate::size::check_size;
use crate::{BoxFuture, Digest, StoreError};

/// How long artefacts are stored after they were last received or referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    Days(u32),
    ForEver,
}

/// A stored artefact, as listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArtifactRow {
    pub sha256: Digest,
    /// When these bytes were last received.
    pub kept_at: Timestamp,
}

/// The result of a sweep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SweepReport {
    pub removed: u64,
    /// The compressed bytes that were freed.
    pub removed_bytes: u64,
    pub kept: u64,
    /// The compressed bytes of those that were kept.
    pub kept_bytes: u64,
}

pub trait Artifacts: Send + Sync {
    /// Stores bytes received at `at`; durable when this returns. Bytes that do not match the digest
    /// are refused. If the bytes are already stored, only their time of receipt is updated, to the
    /// later one.
    fn put_artifact(
        &self,
        sha256: Digest,
        bytes: Bytes,
        at: Timestamp,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The bytes with this digest. Damaged bytes return an error.
    fn artifact(&self, sha256: Digest) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>>;

    /// Removes artefacts that were last received before `older_than`, unless a scan from
    /// `older_than` or later refers to them.
    fn sweep_artifacts(
        &self,
        older_than: Timestamp,
    ) -> BoxFuture<'_, Result<SweepReport, StoreError>>;

    /// Removes bodies of deleted scans, unless a stored scan, a live reading or a content clock refers to
    /// them or they were received again since, and returns how many were removed. What a process that
    /// ended left over is removed by the next call.
    fn remove_deleted_bodies(&self) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// The compressed bytes that were stored since the store was opened.
    fn artifact_bytes_written(&self) -> u64;

    /// All artefacts after `after`, ordered by digest, at most `limit`: for copying to another
    /// store.
    fn export_artifacts(
        &self,
        after: Option<Digest>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<ArtifactRow>, StoreError>>;
}

impl Retention {
    /// The `older_than` for a sweep at `now`; `None` when nothing is ever removed.
    #[must_use]
    pub fn cutoff(self, now: Timestamp) -> Option<Timestamp> {
        const DAY_MS: i64 = 24 * 3600 * 1000;
        match self {
            Self::Days(days) => Some(now.plus_millis(-(i64::from(days) * DAY_MS))),
            Self::ForEver => None,
        }
    }
}

/// Refuses bytes that are too large or do not match the digest. Engines call this before they
/// write.
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
