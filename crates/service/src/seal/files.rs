//! What is published of sealed days: the index, each day's statement, each day's timestamps.

use bytes::Bytes;
use contract::Day;
use contract::records::{ProofIndex, ProofIndexDay};
use proof::ots::{OtsFile, Stamp};
use proof::{KeyPurpose, SignedDocument};
use serde_json::json;
use store::AnchorStage;

use super::{DaySealError, ProofSettings, words};
use crate::Service;

/// Days on one page of the index, at most.
const MAX_PAGE: usize = 100;

/// Sealed days, the newest first.
#[derive(Debug, Clone)]
pub struct ProofPage {
    pub days: Vec<ProofIndexDay>,
    /// The page after this one holds the days before this; nothing on the last.
    pub cursor: Option<Day>,
}

/// A file of one day.
#[derive(Debug, Clone)]
pub struct DayFile {
    pub bytes: Bytes,
    /// Whether it stays as it is.
    pub settled: bool,
}

impl Service {
    pub async fn proof_page(
        &self,
        before: Option<Day>,
        limit: usize,
    ) -> Result<ProofPage, DaySealError> {
        let limit = limit.clamp(1, MAX_PAGE);
        let base_url = &self.settings.base_url;
        let mut rows = self.store.seals(before, limit + 1).await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let mut days = Vec::with_capacity(rows.len());
        for row in rows {
            let anchors = self.store.anchors(row.day).await?;
            days.push(ProofIndexDay {
                day: row.day,
                root: row.root.to_hex(),
                leaves: row.leaves,
                seal_sha256: row.sha256.to_hex(),
                statement: words::statement_address(base_url, row.day),
                anchors: anchors.iter().map(|anchor| words::anchor(anchor, base_url)).collect(),
            });
        }
        let cursor = days.last().map(|day| day.day).filter(|_| more);
        Ok(ProofPage { days, cursor })
    }

    /// The same, signed.
    pub fn proof_index(&self, page: ProofPage) -> Result<SignedDocument, DaySealError> {
        let (brand, base_url) = (&self.settings.brand, &self.settings.base_url);
        let index = ProofIndex {
            kind: brand.kind("proof-index"),
            v: 1,
            schema: contract::schema::address("proof-index", brand, base_url),
            has_more: page.cursor.is_some(),
            cursor: page.cursor,
            days: page.days,
            keys: format!("{base_url}{}", crate::KEY_DIRECTORY_PATH),
            verifier: format!("{base_url}/proof"),
            how: words::how(base_url),
            sha256: None,
            signature: None,
        };
        Ok(self.sign_document(&index, KeyPurpose::Documents)?)
    }

    /// The day's statement as it was signed, and the digests it was made over.
    pub async fn proof_day(&self, day: Day) -> Result<Option<DayFile>, DaySealError> {
        let Some(seal) = self.store.seal(day).await? else { return Ok(None) };
        let (brand, base_url) = (&self.settings.brand, &self.settings.base_url);
        let head = json!({
            "kind": brand.kind("proof-day"),
            "v": 1,
            "schema": contract::schema::address("proof-day", brand, base_url),
            "digests": seal.digests,
        });
        // The statement goes in as its very bytes.
        let mut bytes = head.to_string().into_bytes();
        bytes.pop();
        bytes.extend_from_slice(b",\"statement\":");
        bytes.extend_from_slice(&seal.statement);
        bytes.push(b'}');
        Ok(Some(DayFile { bytes: bytes.into(), settled: true }))
    }

    /// The day's timestamps of all calendars as one file; nothing while none has answered.
    pub async fn proof_timestamps(&self, day: Day) -> Result<Option<DayFile>, DaySealError> {
        let anchors = self.store.anchors(day).await?;
        let stamps = anchors.iter().filter(|anchor| !anchor.timestamp.is_empty());
        let stamps = stamps.filter_map(|anchor| {
            Stamp::read(&anchor.timestamp, size_of::<proof::Digest>())
                .inspect_err(|error| tracing::error!(%day, %error, "a timestamp cannot be read"))
                .ok()
        });
        let merged = stamps.reduce(|mut all, one| {
            all.merge(one);
            all
        });
        let row = self.store.seals(Some(day.next()), 1).await?.into_iter().next();
        let (Some(stamp), Some(row)) = (merged, row.filter(|row| row.day == day)) else {
            return Ok(None);
        };
        let bytes = OtsFile { digest: row.sha256, stamp }.write().into();
        let settled = anchors.iter().all(|anchor| anchor.stage == AnchorStage::Verified);
        Ok(Some(DayFile { bytes, settled }))
    }

    pub(crate) fn proof_settings(&self) -> &ProofSettings {
        &self.settings.proof
    }
}
