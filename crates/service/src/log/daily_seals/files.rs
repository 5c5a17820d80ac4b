//! The published files of sealed days: the index, and each day's statement and timestamps.

use bytes::Bytes;
use contract::Day;
use contract::records::{ProofIndex, ProofIndexDay, ReplacedSignature};
use proof::opentimestamps::{OtsFile, Stamp};
use proof::{KeyPurpose, SignedDocument};
use serde_json::json;
use store::AnchorStage;

use super::{AnchoringSettings, DailySeals, DaySealError, words};

/// Most days on one page of the index.
const MAX_PAGE_DAYS: usize = 100;

/// A page of the index of sealed days, newest first.
#[derive(Debug, Clone)]
pub struct SealIndexPage {
    pub days: Vec<ProofIndexDay>,
    /// The next page has the days before this one; `None` on the last page.
    pub cursor: Option<Day>,
}

/// A file of one day.
#[derive(Debug, Clone)]
pub struct DaySealFile {
    pub bytes: Bytes,
    /// Whether it never changes again.
    pub settled: bool,
}

impl DailySeals {
    pub async fn index_page(
        &self,
        before: Option<Day>,
        limit: usize,
    ) -> Result<SealIndexPage, DaySealError> {
        let limit = limit.clamp(1, MAX_PAGE_DAYS);
        let base_url = &self.issuer.base_url;
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
                statement: words::statement_url(base_url, row.day),
                anchors: anchors
                    .iter()
                    .map(|anchor| words::to_seal_anchor(anchor, base_url))
                    .collect(),
            });
        }
        let cursor = days.last().map(|day| day.day).filter(|_| more);
        Ok(SealIndexPage { days, cursor })
    }

    /// Signs a page of the index.
    pub fn sign_index_page(&self, page: SealIndexPage) -> Result<SignedDocument, DaySealError> {
        let (brand, base_url) = (&self.issuer.brand, &self.issuer.base_url);
        let index = ProofIndex {
            kind: brand.kind("proof-index"),
            v: 1,
            schema: contract::schema::schema_url("proof-index", brand, base_url),
            has_more: page.cursor.is_some(),
            cursor: page.cursor,
            days: page.days,
            keys: format!("{base_url}{}", crate::signing_keys::KEY_DIRECTORY_PATH),
            verifier: format!("{base_url}/proof"),
            how: words::verification_steps(base_url),
            sha256: None,
            signature: None,
        };
        Ok(self.keys.sign_document(&index, KeyPurpose::Documents)?)
    }

    /// The signed statement of a day, with the digests it covers.
    pub async fn statement_file(&self, day: Day) -> Result<Option<DaySealFile>, DaySealError> {
        let Some(seal) = self.store.seal(day).await? else { return Ok(None) };
        let (brand, base_url) = (&self.issuer.brand, &self.issuer.base_url);
        let mut head = json!({
            "kind": brand.kind("proof-day"),
            "v": 1,
            "schema": contract::schema::schema_url("proof-day", brand, base_url),
            "digests": seal.digests,
        });
        let replaced_signature = self.keys.replaced_signature(&seal.statement)?;
        let settled = replaced_signature.is_none();
        if let (Some(replaced), Some(members)) = (replaced_signature, head.as_object_mut()) {
            members.insert(ReplacedSignature::MEMBER.to_owned(), json!(replaced));
        }
        // The statement is inserted as the exact bytes that were signed.
        let statement = self.keys.resign_if_compromised(seal.statement)?;
        let mut bytes = head.to_string().into_bytes();
        bytes.pop();
        bytes.extend_from_slice(b",\"statement\":");
        bytes.extend_from_slice(&statement);
        bytes.push(b'}');
        Ok(Some(DaySealFile { bytes: bytes.into(), settled }))
    }

    /// The timestamps of a day from all calendars as one file; `None` until a calendar has answered.
    pub async fn timestamps_file(&self, day: Day) -> Result<Option<DaySealFile>, DaySealError> {
        let anchors = self.store.anchors(day).await?;
        let stamps = anchors.iter().filter(|anchor| !anchor.timestamp.is_empty());
        let stamps = stamps.filter_map(|anchor| {
            Stamp::parse(&anchor.timestamp, size_of::<proof::Digest>())
                .inspect_err(
                    |error| tracing::error!(%day, %error, "a stored timestamp cannot be read"),
                )
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
        let bytes = OtsFile { digest: row.sha256, stamp }.to_bytes().into();
        let settled = anchors.iter().all(|anchor| anchor.stage == AnchorStage::Verified);
        Ok(Some(DaySealFile { bytes, settled }))
    }

    pub(crate) fn settings(&self) -> &AnchoringSettings {
        &self.settings
    }
}
