//! What AI engines say about claimed businesses: one signed record for each domain, engine and UTC day, with what
//! the engine was asked and said.
//!
//! Records are made only of domains with a claim, one a day for each engine, and go after their retention. Anyone can
//! claim the domains they control, so there is a bound on all of them together as well.

use bytes::Bytes;
use contract::{Day, Domain, Timestamp};

use crate::fingerprint::Fingerprint;
use crate::size::{check_length, check_size};
use crate::{BoxFuture, Digest, NewChange, StoreError};

/// The longest name of an engine that is stored.
pub const MAX_ENGINE_BYTES: usize = 40;
/// Records that are kept. Beyond that, those that were stored first are removed.
pub const MAX_ACCURACY_RECORDS: u64 = 2_000_000;

/// What one engine said about a domain on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAccuracy {
    pub domain: Domain,
    /// The name of the engine.
    pub engine: String,
    /// Its UTC day is the day of the record.
    pub checked_at: Timestamp,
    /// The digest of the signed record.
    pub sha256: Digest,
    /// The signed record, as served.
    pub record: Bytes,
    /// What the engine was asked and said, as JSON. Can be empty.
    pub evidence: Bytes,
}

/// The digest of a stored record, and its place in the order of storing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccuracyPosition {
    pub position: u64,
    pub sha256: Digest,
}

pub trait Accuracy: Send + Sync {
    /// Stores a record and the changes since the one before, both or neither; durable when this returns. False, and
    /// nothing is stored, if there is a record of this domain, engine and day already. A damaged one is replaced.
    /// A record of another domain, engine or day under the same digest is refused. Removes what is beyond
    /// [`MAX_ACCURACY_RECORDS`].
    fn put_accuracy(
        &self,
        accuracy: StoredAccuracy,
        changes: Vec<NewChange>,
    ) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// The record of a domain that was checked last: by this engine, or by any.
    fn newest_accuracy<'a>(
        &'a self,
        domain: &'a Domain,
        engine: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<StoredAccuracy>, StoreError>>;

    /// The records of a domain from this day on, by this engine or by any, the one that was checked last first, at
    /// most `limit`. Their evidence is not read: it is empty.
    fn accuracy_of<'a>(
        &'a self,
        domain: &'a Domain,
        engine: Option<&'a str>,
        since: Day,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredAccuracy>, StoreError>>;

    /// The record with this digest.
    fn accuracy_by_digest(
        &self,
        sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<StoredAccuracy>, StoreError>>;

    /// The digests of the records of one day, in ascending order. Those of damaged records are listed too.
    fn accuracy_digests(&self, day: Day) -> BoxFuture<'_, Result<Vec<Digest>, StoreError>>;

    /// The first day with a record.
    fn first_accuracy_day(&self) -> BoxFuture<'_, Result<Option<Day>, StoreError>>;

    /// All records after this position, in the order of storing, at most `limit`: for copying to another store.
    /// Damaged records are listed too.
    fn list_accuracy(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AccuracyPosition>, StoreError>>;
}

impl StoredAccuracy {
    /// The day of the record.
    #[must_use]
    pub fn day(&self) -> Day {
        Day::of(self.checked_at)
    }

    /// A digest over the evidence, so that the rest can be compared without reading it.
    #[must_use]
    pub fn evidence_digest(&self) -> Digest {
        Digest::of(&self.evidence)
    }

    /// A digest over all members but the evidence, its digest, and the position in the order of storing, which
    /// engines compare when they read.
    #[must_use]
    pub fn fingerprint(&self, position: u64, evidence_sha256: &Digest) -> Digest {
        Fingerprint::of("accuracy 1")
            .number(position)
            .text(self.domain.as_str())
            .text(&self.engine)
            .time(self.checked_at)
            .bytes(self.sha256.as_bytes())
            .body(&self.record)
            .bytes(evidence_sha256.as_bytes())
            .finish()
    }

    /// Refuses a record, or changes, that no engine could read back. Engines call this before they write.
    pub fn check(&self, changes: &[NewChange]) -> Result<(), StoreError> {
        check_length("name of an AI engine", self.engine.len(), MAX_ENGINE_BYTES)?;
        check_size("AI-accuracy record", &self.record)?;
        check_size("evidence of an AI-accuracy record", &self.evidence)?;
        changes.iter().try_for_each(NewChange::check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scans::parse_stored_domain;

    #[test]
    fn every_field_moves_the_fingerprint_or_the_digest_of_the_evidence() {
        let before = StoredAccuracy {
            domain: parse_stored_domain("shop.lab").unwrap(),
            engine: "oracle".into(),
            checked_at: Timestamp::from_millis(1),
            sha256: Digest::of(b"record"),
            record: Bytes::from_static(b"{}"),
            evidence: Bytes::from_static(b"[]"),
        };
        let of = |accuracy: &StoredAccuracy| accuracy.fingerprint(7, &accuracy.evidence_digest());
        let changes: [fn(&mut StoredAccuracy); 6] = [
            |a| a.domain = parse_stored_domain("shop.lap").unwrap(),
            |a| a.engine = "oracles".into(),
            |a| a.checked_at = Timestamp::from_millis(2),
            |a| a.sha256 = Digest::of(b"another"),
            |a| a.record = Bytes::new(),
            |a| a.evidence = Bytes::new(),
        ];
        for change in changes {
            let mut after = before.clone();
            change(&mut after);
            assert_ne!(of(&after), of(&before), "{after:?}");
        }
        assert_ne!(before.fingerprint(8, &before.evidence_digest()), of(&before));
    }

    #[test]
    fn what_no_engine_could_read_back_is_refused() {
        let fine = StoredAccuracy {
            domain: parse_stored_domain("shop.lab").unwrap(),
            engine: "e".repeat(MAX_ENGINE_BYTES),
            checked_at: Timestamp::from_millis(1),
            sha256: Digest::of(b"record"),
            record: Bytes::new(),
            evidence: Bytes::new(),
        };
        assert_eq!(fine.check(&[]), Ok(()));
        let large = Bytes::from(vec![0; crate::MAX_VALUE_BYTES + 1]);
        let change = NewChange {
            domain: fine.domain.clone(),
            at: fine.checked_at,
            section: "accuracy".into(),
            direction: "neutral".into(),
            body: large.clone(),
        };
        for refused in [
            fine.check(&[change]),
            StoredAccuracy { engine: format!("{}e", fine.engine), ..fine.clone() }.check(&[]),
            StoredAccuracy { record: large.clone(), ..fine.clone() }.check(&[]),
            StoredAccuracy { evidence: large, ..fine.clone() }.check(&[]),
        ] {
            assert!(matches!(refused, Err(StoreError::TooLarge { .. })), "{refused:?}");
        }
    }
}
