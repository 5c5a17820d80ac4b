//! The latest readings of each domain, which are compared with each other. Only a limited number is
//! stored.

use bytes::Bytes;
use contract::{Domain, Timestamp};

use crate::fingerprint::Fingerprint;
use crate::size::check_size;
use crate::{BoxFuture, Digest, StoreError};

/// One reading of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredReading {
    pub id: String,
    pub domain: Domain,
    pub observed_at: Timestamp,
    /// The network it was read from.
    pub network: String,
    /// `just_in_time`, `scan` or `census`.
    pub basis: String,
    /// The id of the stored scan, when the reading is one.
    pub scan_id: Option<String>,
    /// Whether everything planned was read.
    pub completed: bool,
    /// The compared fields, as a canonical JSON object.
    pub fields: Bytes,
    /// Canonical JSON of the judged record; empty when `scan_id` refers to a stored scan.
    pub record: Bytes,
}

/// A reading without its record: what is compared with other readings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedReading {
    pub id: String,
    pub domain: Domain,
    pub observed_at: Timestamp,
    /// The network it was read from.
    pub network: String,
    /// `just_in_time`, `scan` or `census`.
    pub basis: String,
    pub scan_id: Option<String>,
    /// Whether everything planned was read.
    pub completed: bool,
    /// The compared fields, as a canonical JSON object.
    pub fields: Bytes,
}

pub trait Readings: Send + Sync {
    /// Stores a reading; durable when this returns. Only the newest
    /// [`contract::limits::READINGS_KEPT_PER_DOMAIN`] of a domain, by time and then by id, stay
    /// stored. Storing the same reading again has no effect; a different one with the same id is
    /// refused.
    fn put_reading(&self, reading: StoredReading) -> BoxFuture<'_, Result<(), StoreError>>;

    fn reading<'a>(
        &'a self,
        id: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredReading>, StoreError>>;

    /// The readings of a domain, newest first, at most `limit`.
    fn readings_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredReading>, StoreError>>;

    /// The same without the records, which an engine need not read.
    fn compared_readings_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ComparedReading>, StoreError>> {
        Box::pin(async move {
            let readings = self.readings_of(domain, limit).await?;
            Ok(readings.into_iter().map(StoredReading::into_compared).collect())
        })
    }

    /// The ids of all readings after `after`, in order, at most `limit`: for copying to another
    /// store. Damaged readings are listed too.
    fn list_readings(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<String>, StoreError>>;
}

impl ComparedReading {
    /// A digest over all members, which engines compare when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Fingerprint::of("compared reading 1")
            .text(&self.id)
            .text(self.domain.as_str())
            .time(self.observed_at)
            .text(&self.network)
            .text(&self.basis)
            .optional(self.scan_id.as_deref())
            .number(u64::from(self.completed))
            .body(&self.fields)
            .finish()
    }
}

impl StoredReading {
    /// The reading without its record.
    #[must_use]
    pub fn into_compared(self) -> ComparedReading {
        ComparedReading {
            id: self.id,
            domain: self.domain,
            observed_at: self.observed_at,
            network: self.network,
            basis: self.basis,
            scan_id: self.scan_id,
            completed: self.completed,
            fields: self.fields,
        }
    }

    /// A digest over all members, which engines compare when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Fingerprint::of("reading 1")
            .text(&self.id)
            .text(self.domain.as_str())
            .time(self.observed_at)
            .text(&self.network)
            .text(&self.basis)
            .optional(self.scan_id.as_deref())
            .number(u64::from(self.completed))
            .body(&self.fields)
            .body(&self.record)
            .finish()
    }

    /// Refuses a reading that is too large for any engine. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("reading's fields", &self.fields)?;
        check_size("reading's record", &self.record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scans::parse_stored_domain;

    #[test]
    fn every_field_moves_the_fingerprint() {
        let before = StoredReading {
            id: "a".into(),
            domain: parse_stored_domain("shop.lab").unwrap(),
            observed_at: Timestamp::from_millis(1),
            network: "here".into(),
            basis: "scan".into(),
            scan_id: Some(String::new()),
            completed: true,
            fields: Bytes::from_static(b"{}"),
            record: Bytes::from_static(b"{}"),
        };
        let changes: [fn(&mut StoredReading); 9] = [
            |r| r.id = "b".into(),
            |r| r.domain = parse_stored_domain("shop.lap").unwrap(),
            |r| r.observed_at = Timestamp::from_millis(2),
            |r| r.network = "there".into(),
            |r| r.basis = "census".into(),
            |r| r.scan_id = None,
            |r| r.completed = false,
            |r| r.fields = Bytes::from_static(b"{} "),
            |r| r.record = Bytes::new(),
        ];
        for change in changes {
            let mut after = before.clone();
            change(&mut after);
            assert_ne!(after.fingerprint(), before.fingerprint(), "{after:?}");
            let is_compared = after.record == before.record;
            let [after, before] = [after, before.clone()].map(StoredReading::into_compared);
            assert_eq!(after.fingerprint() != before.fingerprint(), is_compared, "{after:?}");
        }
    }
}
