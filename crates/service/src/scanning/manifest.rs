//! The manifest of a scan: the digests of everything stored for it. It is signed before the record,
//! because the record contains its digest and signature.

use contract::records::{ScanManifest, ScanRecord, Signature};
use proof::{Digest, KeyPurpose, ProofError};

use crate::scanning::Scanning;

/// Precedes the digest in `provenance.artifacts`.
const MANIFEST_PREFIX: &str = "manifest sha256:";

/// A manifest as the record refers to it.
pub(crate) struct ManifestReference {
    /// `manifest sha256:<hex>`
    pub(crate) artifacts: String,
    pub(crate) signature: Signature,
}

impl Scanning {
    /// Signs the manifest of a record that is not signed yet. `None` for a record without an id,
    /// which is not stored.
    pub(crate) fn sign_manifest(
        &self,
        record: &ScanRecord,
        bodies: &[Digest],
    ) -> Result<Option<ManifestReference>, ProofError> {
        let Some(manifest) = Self::build_manifest(record, bodies) else { return Ok(None) };
        let mut signed = self.keys.sign_document(&manifest, KeyPurpose::Documents)?;
        let signature = signed.document.get_mut("signature").map(serde_json::Value::take);
        let signature = serde_json::from_value(signature.unwrap_or_default())
            .map_err(|e| ProofError::Document(e.to_string()))?;
        Ok(Some(ManifestReference {
            artifacts: format!("{MANIFEST_PREFIX}{}", signed.digest),
            signature,
        }))
    }

    /// Rebuilds the signed manifest from the stored record and body digests. `None` for a record
    /// without a manifest; an error if the digest in the record does not match.
    pub(crate) fn rebuild_manifest(
        record: &ScanRecord,
        bodies: &[Digest],
    ) -> Result<Option<Vec<u8>>, ProofError> {
        let (Some(manifest), Some(reference), Some(signature)) = (
            Self::build_manifest(record, bodies),
            record.provenance.artifacts.as_deref(),
            record.provenance.manifest_signature.clone(),
        ) else {
            return Ok(None);
        };
        let digest = proof::sha256(&proof::canonical::to_vec(&manifest)?).to_string();
        if reference.strip_prefix(MANIFEST_PREFIX) != Some(digest.as_str()) {
            return Err(ProofError::Document(
                "the digest of the manifest differs from the one in the record".to_owned(),
            ));
        }
        let signed = ScanManifest { sha256: Some(digest), signature: Some(signature), ..manifest };
        Ok(Some(proof::canonical::to_vec(&signed)?))
    }

    fn build_manifest(record: &ScanRecord, bodies: &[Digest]) -> Option<ScanManifest> {
        let mut bodies: Vec<String> = bodies.iter().map(ToString::to_string).collect();
        bodies.sort();
        bodies.dedup();
        // Taken from the record itself: brand and base URL may have changed since it was stored.
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
            replaced_signature: None,
            sha256: None,
            signature: None,
        })
    }
}
