//! The records that kept readings of a domain rest on.

use std::collections::BTreeMap;

use bytes::Bytes;
use contract::limits::INDEPENDENT_READINGS;
use contract::records::ScanRecord;
use contract::{Domain, Timestamp};
use store::{Scope, StoreError, Visibility};

use crate::Service;

/// One reading with its record.
#[derive(Debug, Clone)]
pub(crate) struct Past {
    pub(crate) record: ScanRecord,
    /// When it was written down.
    pub(crate) recorded_at: Timestamp,
}

impl Service {
    /// The newest readings of a domain whose records can be read, the newest first: live ones, and
    /// every public scan, whether or not an answer was made of it.
    pub(crate) async fn past(&self, domain: &Domain) -> Result<Vec<Past>, StoreError> {
        let readings = self.store.readings_of(domain, INDEPENDENT_READINGS).await?;
        let scans = self.store.scans_of(domain, Scope::Listed, None, INDEPENDENT_READINGS).await?;
        let mut past: Vec<Past> = Vec::new();
        for reading in readings.iter().filter(|reading| reading.scan_id.is_none()) {
            past.extend(read(&reading.record, &reading.id));
        }
        for row in scans {
            let Some(scan) = self.store.scan(&row.id).await? else { continue };
            if scan.visibility == Visibility::Public {
                past.extend(read(&scan.record, &row.id));
            }
        }
        past.sort_by_key(|past| std::cmp::Reverse(past.record.scanned_at));
        past.truncate(INDEPENDENT_READINGS);
        Ok(past)
    }

    /// The bodies of files that a record names, as far as they are kept.
    pub(crate) async fn kept_files(
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

/// A record of an earlier build may have another shape: it is passed over.
fn read(record: &[u8], id: &str) -> Option<Past> {
    let record: ScanRecord = serde_json::from_slice(record)
        .inspect_err(|error| tracing::warn!(%error, id, "a kept record cannot be read"))
        .ok()?;
    let recorded_at = record.provenance.stored_at.unwrap_or(record.bitemporal.recorded_at);
    Some(Past { record, recorded_at })
}
