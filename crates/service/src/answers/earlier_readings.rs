//! The records of earlier readings of a domain.

use std::collections::BTreeMap;

use bytes::Bytes;
use contract::limits::READINGS_KEPT_PER_DOMAIN;
use contract::records::ScanRecord;
use contract::{Domain, Timestamp};
use store::{ScanScope, StoreError, Visibility};

use crate::answers::Answers;

/// A stored reading.
#[derive(Debug, Clone)]
pub(crate) struct EarlierReading {
    pub(crate) record: ScanRecord,
    /// When it was stored.
    pub(crate) recorded_at: Timestamp,
}

impl Answers {
    /// The newest readings of a domain whose records can be parsed, newest first: live readings, and
    /// all public scans, whether or not an answer was built from them.
    pub(crate) async fn earlier_readings(
        &self,
        domain: &Domain,
    ) -> Result<Vec<EarlierReading>, StoreError> {
        let readings = self.store.readings_of(domain, READINGS_KEPT_PER_DOMAIN).await?;
        let scans = self
            .store
            .scans_of(domain, ScanScope::PublicOnly, None, READINGS_KEPT_PER_DOMAIN)
            .await?;
        let mut earlier: Vec<EarlierReading> = Vec::new();
        for reading in readings.iter().filter(|reading| reading.scan_id.is_none()) {
            earlier.extend(parse_reading(&reading.record, &reading.id));
        }
        for row in scans {
            let Some(scan) = self.store.scan(&row.id).await? else { continue };
            if scan.visibility == Visibility::Public {
                earlier.extend(parse_reading(&scan.record, &row.id));
            }
        }
        earlier.sort_by_key(|reading| std::cmp::Reverse(reading.record.scanned_at));
        earlier.truncate(READINGS_KEPT_PER_DOMAIN);
        Ok(earlier)
    }

    /// The stored bodies of the files at `paths` that a record names, by SHA-256.
    pub(crate) async fn load_files(
        &self,
        record: &ScanRecord,
        paths: &[&str],
    ) -> Result<BTreeMap<String, Bytes>, StoreError> {
        let mut bodies = BTreeMap::new();
        for check in record.checks.iter().filter(|check| paths.contains(&check.path.as_str())) {
            let Some(hex) = &check.body_sha256 else { continue };
            let Ok(digest) = hex.parse() else { continue };
            if let Some(body) = self.store.artifact(digest).await? {
                bodies.insert(hex.clone(), body);
            }
        }
        Ok(bodies)
    }
}

/// `None` for a record of an earlier build that has another structure.
fn parse_reading(record: &[u8], id: &str) -> Option<EarlierReading> {
    let record: ScanRecord = serde_json::from_slice(record)
        .inspect_err(|error| tracing::warn!(%error, id, "a stored record cannot be parsed"))
        .ok()?;
    let recorded_at = record.provenance.stored_at.unwrap_or(record.bitemporal.recorded_at);
    Some(EarlierReading { record, recorded_at })
}
