//! The report of API version 1: a scan record in its stable form, with the earlier scans of the
//! domain.

use std::sync::Arc;

use contract::records::{Grade, HistoryEntry, PublicReportV1, ScanRecord, Visibility};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, StrDeserializer};
use store::{ScanRow, ScanScope};

use super::{Caller, ScanCommand, ScanError};
use crate::scanning::Scanning;

impl Scanning {
    /// Scans a domain and returns the stable form of the record.
    pub async fn scan_v1(
        self: &Arc<Self>,
        input: String,
        caller: Caller,
    ) -> Result<(PublicReportV1, bool), ScanError> {
        let reply =
            self.scan(ScanCommand { input, visibility: Visibility::Public, caller }).await?;
        let is_earlier_report = reply.is_earlier_report;
        let record: ScanRecord = serde_json::from_slice(&reply.bytes)
            .map_err(|e| ScanError::Internal(format!("the record cannot be parsed: {e}")))?;
        let record = self.stored_record(record).await?;
        let history = self.history(&record).await?;
        let anchored = self.seals.anchoring_text(&record).await?;
        let report = judge::scan::build_public_report(&record, history, anchored, &self.issuer);
        Ok((report, is_earlier_report))
    }

    /// The stored record for a reply that reuses a recent report. Such a reply is signed again with
    /// `cached: true` and so has a digest that is not stored; the stable form must name the digest of
    /// the record that its address serves.
    async fn stored_record(&self, record: ScanRecord) -> Result<ScanRecord, ScanError> {
        let Some(id) = record.id.as_deref().filter(|_| record.cached.is_some()) else {
            return Ok(record);
        };
        let Some(scan) = self.store.scan(id).await? else { return Ok(record) };
        serde_json::from_slice(&scan.record)
            .map_err(|e| ScanError::Internal(format!("a stored record cannot be parsed: {e}")))
    }

    /// Earlier public scans of the domain, newest first.
    async fn history(&self, record: &ScanRecord) -> Result<Vec<HistoryEntry>, ScanError> {
        let before =
            record.id.clone().map(|id| store::ScanCursor { scanned_at: record.scanned_at, id });
        let rows = self
            .store
            .scans_of(
                &record.domain,
                ScanScope::PublicOnly,
                before,
                contract::limits::READINGS_KEPT_PER_DOMAIN,
            )
            .await?;
        Ok(rows.into_iter().map(history_entry).collect())
    }
}

fn history_entry(row: ScanRow) -> HistoryEntry {
    let grade = row.grade.and_then(|letter| {
        let letter: StrDeserializer<'_, ValueError> = letter.as_str().into_deserializer();
        Grade::deserialize(letter).ok()
    });
    HistoryEntry {
        id: row.id,
        scanned_at: row.scanned_at,
        score_version: row.score_version,
        overall: row.overall,
        grade,
    }
}
