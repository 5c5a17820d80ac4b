//! Stored reports by id: the record, its evidence, its manifest and its graph.

use bytes::Bytes;
use contract::evidence::Evidence;
use contract::records::ScanRecord;
use proof::{KeyPurpose, SignedDocument};
use store::{Digest, Visibility};

use crate::access::PresentedKey;
use crate::report_error::ReportError;
use crate::scanning::Scanning;

/// A stored scan that the caller may see.
#[derive(Debug, Clone)]
pub struct Report {
    /// The bytes that were signed.
    pub record: Bytes,
    /// The evidence that the record was judged from.
    pub evidence: Bytes,
    pub visibility: Visibility,
    bodies: Vec<Digest>,
}

impl Scanning {
    /// `None` if the scan is unknown, and also if it is private and the caller did not send a licence
    /// key for its domain.
    pub async fn report(
        &self,
        id: &str,
        presented: &PresentedKey,
    ) -> Result<Option<Report>, ReportError> {
        let Some(scan) = self.store.scan(id).await? else { return Ok(None) };
        if scan.visibility == Visibility::Private
            && !self.access.has_licence_for(presented, &scan.domain).await?
        {
            return Ok(None);
        }
        Ok(Some(Report {
            record: scan.record,
            evidence: scan.evidence,
            visibility: scan.visibility,
            bodies: scan.artifacts,
        }))
    }

    /// The signed manifest of a report; `None` for a report stored before manifests existed.
    pub fn report_manifest(&self, report: &Report) -> Result<Option<Bytes>, ReportError> {
        let manifest = self.rebuild_manifest(&parse_stored(&report.record)?, &report.bodies)?;
        Ok(manifest.map(Bytes::from))
    }

    /// The signed evidence graph of a report.
    pub async fn report_graph(&self, report: Report) -> Result<SignedDocument, ReportError> {
        let issuer = self.issuer.clone();
        let building = tokio::task::spawn_blocking(move || {
            let record: ScanRecord = parse_stored(&report.record)?;
            let evidence: Evidence = parse_stored(&report.evidence)?;
            Ok(judge::graph::build_graph(&record, &evidence, &issuer))
        });
        let graph = building.await.map_err(|e| ReportError::Unreadable(e.to_string()))?;
        let graph = graph.and_then(|graph: Option<contract::records::Graph>| {
            graph.ok_or_else(|| ReportError::Unreadable("the record has no id".to_owned()))
        })?;
        Ok(self.keys.sign_document(&graph, KeyPurpose::Documents)?)
    }
}

fn parse_stored<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, ReportError> {
    serde_json::from_slice(bytes).map_err(|e| ReportError::Unreadable(e.to_string()))
}
