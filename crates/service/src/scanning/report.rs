//! Stored reports by id: the record, its evidence, its manifest and its graph.

use std::sync::Arc;

use bytes::Bytes;
use contract::Domain;
use contract::evidence::Evidence;
use contract::records::ScanRecord;
use proof::KeyPurpose;
use store::{DeletedScan, Digest, Licence, Visibility};

use crate::report_error::ReportError;
use crate::scanning::Scanning;
use crate::scanning::report_documents::{DocumentForm, DocumentKey, ReportDocument};

/// A stored scan that the caller may see.
#[derive(Debug, Clone)]
pub struct Report {
    id: String,
    /// The bytes that were signed.
    pub record: Bytes,
    /// The evidence that the record was judged from.
    pub evidence: Bytes,
    pub visibility: Visibility,
    bodies: Vec<Digest>,
}

/// Who reads reports. It matters only for private ones.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReportReader<'a> {
    pub licence: Option<&'a Licence>,
    /// The domain that the reader has proven control of.
    pub owned: Option<&'a Domain>,
}

impl Report {
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The bodies that the record was judged from.
    pub(super) fn bodies(&self) -> &[Digest] {
        &self.bodies
    }

    pub(super) fn has_body(&self, digest: &Digest) -> bool {
        self.bodies.contains(digest)
    }
}

impl Scanning {
    /// `None` if the scan is unknown, and also if it is private and not for the reader.
    pub async fn report(
        &self,
        id: &str,
        reader: ReportReader<'_>,
    ) -> Result<Option<Report>, ReportError> {
        let Some(scan) = self.store.scan(id).await? else { return Ok(None) };
        if scan.visibility == Visibility::Private
            && !self.may_read_private(id, &scan.domain, reader).await?
        {
            return Ok(None);
        }
        Ok(Some(Report {
            id: id.to_owned(),
            record: self.servable_record(scan.record).await?,
            evidence: scan.evidence,
            visibility: scan.visibility,
            bodies: scan.artifacts,
        }))
    }

    /// A private scan is for the licence that it was made for, and for the owner of the domain. Of scans from
    /// before that was stored, only the domain is known.
    async fn may_read_private(
        &self,
        id: &str,
        domain: &Domain,
        reader: ReportReader<'_>,
    ) -> Result<bool, ReportError> {
        if reader.owned == Some(domain) {
            return Ok(true);
        }
        let Some(reader) = reader.licence.filter(|reader| reader.covers(domain)) else {
            return Ok(false);
        };
        let owner = self.store.owner_of_scan(id).await?;
        Ok(owner.is_none_or(|owner| owner == reader.id))
    }

    /// What stays of a report that the operator deleted. `None` for a private one, which looks like one
    /// that never existed.
    pub async fn deleted_report(&self, id: &str) -> Result<Option<DeletedScan>, ReportError> {
        Ok(self.store.deleted_scan(id).await?.filter(|deleted| deleted.day.is_some()))
    }

    /// A stored record, signed again if its key was reported as compromised since.
    async fn servable_record(&self, record: Bytes) -> Result<Bytes, ReportError> {
        let records = self.keys.make_servable(vec![record]).await?;
        let record = records.into_iter().next();
        record.ok_or_else(|| ReportError::Unreadable("it is empty".to_owned()))
    }

    /// The signed manifest of a report; `None` for a report stored before manifests existed.
    pub async fn report_manifest(&self, report: Report) -> Result<Option<Bytes>, ReportError> {
        let key = self.document_key(&report, DocumentForm::Manifest)?;
        let keys = Arc::clone(&self.keys);
        let make = move || {
            let record = parse_stored(&report.record)?;
            let Some(manifest) = Self::rebuild_manifest(&record, &report.bodies)? else {
                return Ok(None);
            };
            let bytes = keys.resign_if_compromised(Bytes::from(manifest))?;
            let digest = proof::sha256(&bytes);
            Ok(Some(ReportDocument { bytes, bytes_sha256: digest, content_sha256: digest }))
        };
        let manifest = self.documents.get_or_make(key, self.clock.now(), make).await?;
        Ok(manifest.map(|manifest| manifest.bytes))
    }

    /// The signed evidence graph of a report.
    pub async fn report_graph(&self, report: Report) -> Result<ReportDocument, ReportError> {
        let key = self.document_key(&report, DocumentForm::Graph)?;
        let (issuer, keys) = (self.issuer.clone(), Arc::clone(&self.keys));
        let make = move || {
            let record: ScanRecord = parse_stored(&report.record)?;
            let evidence: Evidence = parse_stored(&report.evidence)?;
            let Some(graph) = judge::graph::build_graph(&record, &evidence, &issuer) else {
                return Ok(None);
            };
            let signed = keys.sign_document(&graph, KeyPurpose::Documents)?;
            let bytes = Bytes::from(signed.bytes);
            let bytes_sha256 = proof::sha256(&bytes);
            Ok(Some(ReportDocument { bytes, bytes_sha256, content_sha256: signed.digest }))
        };
        let graph = self.documents.get_or_make(key, self.clock.now(), make).await?;
        graph.ok_or_else(|| ReportError::Unreadable("the record has no id".to_owned()))
    }

    pub(super) fn document_key(
        &self,
        report: &Report,
        form: DocumentForm,
    ) -> Result<DocumentKey, ReportError> {
        let kid = self.keys.signing_key(KeyPurpose::Documents)?.kid().to_owned();
        Ok(DocumentKey { report_id: report.id.clone(), form, kid })
    }
}

pub(super) fn parse_stored<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, ReportError> {
    serde_json::from_slice(bytes).map_err(|e| ReportError::Unreadable(e.to_string()))
}
