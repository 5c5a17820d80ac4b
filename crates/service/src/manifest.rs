//! The manifest: what is kept of a scan, by digest, signed before the record that names it.

use contract::records::{ScanManifest, ScanRecord, Signature};
use proof::{Digest, KeyPurpose, ProofError};

use crate::Service;

/// Stands before the digest in `provenance.artifacts`.
const NAMED: &str = "manifest sha256:";

/// A manifest as the record carries it.
pub(crate) struct Named {
    /// `manifest sha256:<hex>`
    pub(crate) artifacts: String,
    pub(crate) signature: Signature,
}

impl Service {
    /// Signs the manifest of a record that is about to be signed itself. Nothing for a record that
    /// is not kept.
    pub(crate) fn name_manifest(
        &self,
        record: &ScanRecord,
        bodies: &[Digest],
    ) -> Result<Option<Named>, ProofError> {
        let Some(manifest) = self.manifest(record, bodies) else { return Ok(None) };
        let mut signed = self.sign_document(&manifest, KeyPurpose::Documents)?;
        let signature = signed.document.get_mut("signature").map(serde_json::Value::take);
        let signature = serde_json::from_value(signature.unwrap_or_default())
            .map_err(|e| ProofError::Document(e.to_string()))?;
        Ok(Some(Named { artifacts: format!("{NAMED}{}", signed.digest), signature }))
    }

    /// The manifest as it was signed, put together again from what is kept. Nothing for a record
    /// that names none, or another.
    pub(crate) fn kept_manifest(
        &self,
        record: &ScanRecord,
        bodies: &[Digest],
    ) -> Result<Option<Vec<u8>>, ProofError> {
        let (Some(manifest), Some(named), Some(signature)) = (
            self.manifest(record, bodies),
            record.provenance.artifacts.as_deref(),
            record.provenance.manifest_signature.clone(),
        ) else {
            return Ok(None);
        };
        let digest = proof::sha256(&proof::canonical::to_vec(&manifest)?).to_string();
        if named.strip_prefix(NAMED) != Some(digest.as_str()) {
            return Err(ProofError::Document(
                "the manifest is not the one that the record names".to_owned(),
            ));
        }
        let signed = ScanManifest { sha256: Some(digest), signature: Some(signature), ..manifest };
        Ok(Some(proof::canonical::to_vec(&signed)?))
    }

    fn manifest(&self, record: &ScanRecord, bodies: &[Digest]) -> Option<ScanManifest> {
        let mut bodies: Vec<String> = bodies.iter().map(ToString::to_string).collect();
        bodies.sort();
        bodies.dedup();
        // By the record's own words: kept records outlive a change of brand or address.
        let (brand, _) = record.kind.rsplit_once("-scan")?;
        let (schema, _) = record.schema.split_once("?kind=")?;
        let kind = format!("{brand}-manifest");
        Some(ScanManifest {
            schema: format!("{schema}?kind={kind}"),
            kind,
            v: 1,
            id: record.id.clone()?,
            domain: record.domain.clone(),
            observed_at: record.scanned_at,
            evidence_sha256: record.evidence_sha256.clone()?,
            bodies,
            sha256: None,
            signature: None,
        })
    }
}
