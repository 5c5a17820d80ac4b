//! Scans that the operator deleted before their time, for example because the owner of a site asked for
//! it, and what stays of them.

use contract::{Day, Domain, Timestamp};
use serde::Deserialize;

use crate::fingerprint::Fingerprint;
use crate::{BoxFuture, Digest, StoreError};

/// What stays of a deleted scan. It names neither the domain nor anything that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedScan {
    pub id: String,
    /// The digest that its record stated; `None` if the record could no longer be read.
    pub record_sha256: Option<Digest>,
    /// The day whose seal has this digest; `None` for a private scan, which is in no seal.
    pub day: Option<Day>,
    pub deleted_at: Timestamp,
    /// The operator's words, shown to everybody who asks for the scan.
    pub reason: Option<String>,
}

/// A request to delete a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanDeletion {
    pub id: String,
    pub deleted_at: Timestamp,
    pub reason: Option<String>,
    /// Only report what would be deleted.
    pub dry_run: bool,
}

/// The result of a request to delete a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeletionOutcome {
    /// No scan with this id is stored, or was deleted by request.
    Unknown,
    AlreadyDeleted(DeletedScan),
    Deleted(DeletedScan, DeletedParts),
}

/// What was deleted with a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedParts {
    pub domain: Domain,
    pub scanned_at: Timestamp,
    /// Bodies that the scan referred to. They are removed unless something else refers to them.
    pub bodies: u64,
    pub readings: u64,
    /// Answers about the domain that were made from the scan. If the latest one is among them, all
    /// answers about the domain.
    pub answers: u64,
    /// Replies to idempotent requests that contain the scan.
    pub replies: u64,
}

pub trait Deletions: Send + Sync {
    /// Deletes a scan with its evidence, and what was made from it, in one transaction that also stores
    /// what stays of it; durable when this returns. Its bodies are removed afterwards, by
    /// [`crate::Artifacts::remove_deleted_bodies`].
    fn delete_scan(
        &self,
        deletion: ScanDeletion,
    ) -> BoxFuture<'_, Result<DeletionOutcome, StoreError>>;

    /// What stays of the scan with this id, if it was deleted.
    fn deleted_scan<'a>(
        &'a self,
        id: &'a str,
    ) -> BoxFuture<'a, Result<Option<DeletedScan>, StoreError>>;

    /// All deleted scans after this id, ordered by id, at most `limit`.
    fn list_deleted_scans(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<DeletedScan>, StoreError>>;

    /// The digests of the deleted scans of a day, for its seal.
    fn deleted_digests(&self, day: Day) -> BoxFuture<'_, Result<Vec<Digest>, StoreError>>;

    /// The first day with a deleted scan whose digest belongs in a seal.
    fn first_deleted_day(&self) -> BoxFuture<'_, Result<Option<Day>, StoreError>>;

    /// Stores what stays of a scan that was deleted from another store, and deletes the scan if it is
    /// stored here. Storing the same again has no effect.
    fn put_deleted_scan(&self, deleted: DeletedScan) -> BoxFuture<'_, Result<(), StoreError>>;

    /// How many scans were deleted. A server that finds another number empties its caches.
    fn count_deleted_scans(&self) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// How many bodies of deleted scans are still to be looked at.
    fn count_bodies_to_remove(&self) -> BoxFuture<'_, Result<u64, StoreError>>;
}

impl DeletedScan {
    /// The longest reason, in characters.
    pub const MAX_REASON_CHARS: usize = 200;

    /// A digest over all members, which engines compare when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        let digest = self.record_sha256.map(|digest| digest.to_hex());
        let day = self.day.map(|day| day.to_string());
        Fingerprint::of("deleted scan 1")
            .text(&self.id)
            .optional(digest.as_deref())
            .optional(day.as_deref())
            .time(self.deleted_at)
            .optional(self.reason.as_deref())
            .finish()
    }
}

/// Whether a signed answer was made from this scan. An answer from a census names the time of its scan
/// instead of the id.
#[must_use]
pub fn is_answer_from_scan(answer: &[u8], id: &str, scanned_at: Timestamp) -> bool {
    #[derive(Deserialize)]
    struct Answer {
        basis: Basis,
    }
    #[derive(Deserialize)]
    struct Basis {
        kind: String,
        id: Option<String>,
        measured_at: Option<Timestamp>,
    }
    let Ok(Answer { basis }) = serde_json::from_slice(answer) else { return false };
    match basis.kind.as_str() {
        "scan" => basis.id.as_deref() == Some(id),
        "census" => basis.measured_at == Some(scanned_at.whole_seconds()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_moves_the_fingerprint() {
        let before = DeletedScan {
            id: "a".into(),
            record_sha256: Some(Digest::of(b"x")),
            day: Some(Day::from_number(1)),
            deleted_at: Timestamp::from_millis(1),
            reason: Some(String::new()),
        };
        let changes: [fn(&mut DeletedScan); 8] = [
            |d| d.id = "b".into(),
            |d| d.record_sha256 = None,
            |d| d.record_sha256 = Some(Digest::of(b"y")),
            |d| d.day = None,
            |d| d.day = Some(Day::from_number(2)),
            |d| d.deleted_at = Timestamp::from_millis(2),
            |d| d.reason = None,
            |d| d.reason = Some("x".into()),
        ];
        let mut seen = vec![before.fingerprint()];
        for change in changes {
            let mut after = before.clone();
            change(&mut after);
            assert!(!seen.contains(&after.fingerprint()), "{after:?}");
            seen.push(after.fingerprint());
        }
    }

    #[test]
    fn an_answer_says_which_scan_it_was_made_from() {
        let at = Timestamp::from_millis(1_794_711_380_000);
        for (basis, from_it) in [
            (r#"{"kind":"scan","id":"abc","measured_at":"2026-11-15T00:00:00Z"}"#.to_owned(), true),
            (format!(r#"{{"kind":"scan","id":"abd","measured_at":"{at}"}}"#), false),
            (format!(r#"{{"kind":"census","run":1,"measured_at":"{at}"}}"#), true),
            (r#"{"kind":"census","measured_at":"2026-11-15T00:00:00Z"}"#.to_owned(), false),
            (format!(r#"{{"kind":"just_in_time","measured_at":"{at}"}}"#), false),
            ("7".to_owned(), false),
        ] {
            let answer = format!(r#"{{"domain":"shop.lab","basis":{basis}}}"#);
            assert_eq!(is_answer_from_scan(answer.as_bytes(), "abc", at), from_it, "{basis}");
        }
    }
}
