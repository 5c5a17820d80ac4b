//! Kept reports: the record and its evidence, by id, for whoever may see them.

use bytes::Bytes;
use contract::evidence::Evidence;
use contract::records::ScanRecord;
use proof::{KeyPurpose, ProofError, SignedDocument};
use store::{Digest, StoreError, Visibility};

use crate::Service;
use crate::licence::Presented;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
    #[error("a kept record cannot be read: {0}")]
    Unreadable(String),
}

/// A kept scan, for somebody who may see it.
#[derive(Debug, Clone)]
pub struct Report {
    /// The very bytes that were signed.
    pub record: Bytes,
    /// What the report was judged from.
    pub evidence: Bytes,
    pub visibility: Visibility,
    bodies: Vec<Digest>,
}

impl Service {
    /// A private scan is as good as unknown to everybody who does not show a key for its domain.
    pub async fn report(
        &self,
        id: &str,
        presented: &Presented,
    ) -> Result<Option<Report>, ReportError> {
        let Some(scan) = self.store.scan(id).await? else { return Ok(None) };
        if scan.visibility == Visibility::Private && !self.opens(presented, &scan.domain).await? {
            return Ok(None);
        }
        Ok(Some(Report {
            record: scan.record,
            evidence: scan.evidence,
            visibility: scan.visibility,
            bodies: scan.artifacts,
        }))
    }

    /// The signed manifest of a report; nothing for one that was kept before there were any.
    pub fn report_manifest(&self, report: &Report) -> Result<Option<Bytes>, ReportError> {
        let manifest = self.kept_manifest(&read(&report.record)?, &report.bodies)?;
        Ok(manifest.map(Bytes::from))
    }

    /// The signed graph of a report, drawn from what is kept.
    pub async fn report_graph(&self, report: Report) -> Result<SignedDocument, ReportError> {
        let (brand, base_url) = (self.settings.brand.clone(), self.settings.base_url.clone());
        let drawn = tokio::task::spawn_blocking(move || {
            let record: ScanRecord = read(&report.record)?;
            let evidence: Evidence = read(&report.evidence)?;
            Ok(judge::graph::graph(&record, &evidence, &brand, &base_url))
        });
        let graph = drawn.await.map_err(|e| ReportError::Unreadable(e.to_string()))?;
        let graph = graph.and_then(|graph: Option<contract::records::Graph>| {
            graph.ok_or_else(|| ReportError::Unreadable("it has no id".to_owned()))
        })?;
        Ok(self.sign_document(&graph, KeyPurpose::Documents)?)
    }
}

fn read<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, ReportError> {
    serde_json::from_slice(bytes).map_err(|e| ReportError::Unreadable(e.to_string()))
}
