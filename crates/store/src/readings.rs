//! The latest readings of a domain: by whom it was read, from where, and what was seen. They are
//! compared with each other; only so many are kept.

use bytes::Bytes;
use contract::{Domain, Timestamp};

use crate::fingerprint::Fingerprint;
use crate::scans::check_size;
use crate::{BoxFuture, Digest, StoreError};

/// One reading of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptReading {
    pub id: String,
    pub domain: Domain,
    pub observed_at: Timestamp,
    /// The network it was read from.
    pub network: String,
    /// `just_in_time`, `scan` or `census`.
    pub basis: String,
    /// The kept scan that it is, where it is one.
    pub scan_id: Option<String>,
    /// Whether all was read that was meant to be.
    pub completed: bool,
    /// What is compared: a canonical JSON object.
    pub fields: Bytes,
    /// Canonical JSON of the judged record; empty where `scan_id` names a kept scan.
    pub record: Bytes,
}

pub trait Readings: Send + Sync {
    /// Keeps a reading, durable when this returns. Of a domain the newest
    /// [`contract::limits::INDEPENDENT_READINGS`] by time, then by id, stay. The same reading again
    /// is fine; another one under its id is refused.
    fn put_reading(&self, reading: KeptReading) -> BoxFuture<'_, Result<(), StoreError>>;

    fn reading<'a>(&'a self, id: &'a str)
    -> BoxFuture<'a, Result<Option<KeptReading>, StoreError>>;

    /// The readings of a domain, the newest first, at most `limit`.
    fn readings_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<KeptReading>, StoreError>>;

    /// The ids of all readings in their order, at most `limit`, all after `after`: for moving to
    /// another store. One that is damaged is listed too.
    fn list_readings(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<String>, StoreError>>;
}

impl KeptReading {
    /// A digest over everything in here, compared by engines when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Fingerprint::of("reading 1")
            .text(&self.id)
            .text(self.domain.as_str())
            .time(self.observed_at)
            .text(&self.network)
            .text(&self.basis)
            .maybe(self.scan_id.as_deref())
            .number(u64::from(self.completed))
            .body(&self.fields)
            .body(&self.record)
            .finish()
    }

    /// Refuses what is too large for any engine; called by engines before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("reading's fields", &self.fields)?;
        check_size("reading's record", &self.record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scans::kept_domain;

    #[test]
    fn every_field_moves_the_fingerprint() {
        let before = KeptReading {
            id: "a".into(),
            domain: kept_domain("shop.lab").unwrap(),
            observed_at: Timestamp::from_millis(1),
            network: "here".into(),
            basis: "scan".into(),
            scan_id: Some(String::new()),
            completed: true,
            fields: Bytes::from_static(b"{}"),
            record: Bytes::from_static(b"{}"),
        };
        let changes: [fn(&mut KeptReading); 9] = [
            |r| r.id = "b".into(),
            |r| r.domain = kept_domain("shop.lap").unwrap(),
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
        }
    }
}
