//! The versioned report: a scan's record in its stable form, with what came before it.

use std::sync::Arc;

use contract::records::{Grade, HistoryEntry, PublicReportV1, ScanRecord, Visibility};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, StrDeserializer};
use store::{Licence, ScanRow, Scope};

use super::{Caller, ScanAsk, ScanError};
use crate::Service;

impl Service {
    /// Scans a domain for a licence holder and gives the record's stable form.
    pub async fn scan_v1(
        self: &Arc<Self>,
        input: String,
        licence: Licence,
    ) -> Result<PublicReportV1, ScanError> {
        let caller = Caller::Holder(licence);
        let reply = self.scan(ScanAsk { input, visibility: Visibility::Public, caller }).await?;
        let record: ScanRecord = serde_json::from_slice(&reply.bytes)
            .map_err(|e| ScanError::Internal(format!("a record cannot be read: {e}")))?;
        let record = self.as_kept(record).await?;
        let history = self.history(&record).await?;
        let anchored = self.anchored(&record).await?;
        Ok(judge::scan::public_report(&record, history, anchored, self.brand(), self.base_url()))
    }

    /// A report that is recalled is signed anew with `cached`, under a digest that nothing kept has;
    /// the proof of the stable form names the record that can be read at its address.
    async fn as_kept(&self, record: ScanRecord) -> Result<ScanRecord, ScanError> {
        let Some(id) = record.id.as_deref().filter(|_| record.cached.is_some()) else {
            return Ok(record);
        };
        let Some(scan) = self.store.scan(id).await? else { return Ok(record) };
        serde_json::from_slice(&scan.record)
            .map_err(|e| ScanError::Internal(format!("a kept record cannot be read: {e}")))
    }

    /// Earlier public scans of the record's domain, the newest first.
    async fn history(&self, record: &ScanRecord) -> Result<Vec<HistoryEntry>, ScanError> {
        let before =
            record.id.clone().map(|id| store::ScanCursor { scanned_at: record.scanned_at, id });
        let rows = self
            .store
            .scans_of(&record.domain, Scope::Listed, before, contract::limits::INDEPENDENT_READINGS)
            .await?;
        Ok(rows.into_iter().map(entry).collect())
    }
}

fn entry(row: ScanRow) -> HistoryEntry {
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
