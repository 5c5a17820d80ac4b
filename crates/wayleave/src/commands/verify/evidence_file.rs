//! Evidence is not signed itself: the record that was judged from it states its digest.

use serde_json::Value;

/// A file that is evidence, not a signed document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EvidenceFile {
    pub(super) sha256: String,
    pub(super) domain: String,
}

impl EvidenceFile {
    /// `None` for anything else.
    pub(super) fn recognise(bytes: &[u8]) -> Option<Self> {
        let members: Value = serde_json::from_slice(bytes).ok()?;
        let is_list = |name: &str| members.get(name).is_some_and(Value::is_array);
        let unsigned = members.get("signature").is_none() && members.get("kind").is_none();
        if !(unsigned && is_list("reads") && is_list("not_read") && is_list("dns")) {
            return None;
        }
        let domain = members.get("domain").and_then(Value::as_str).unwrap_or("unknown");
        Some(Self { sha256: proof::sha256(bytes).to_string(), domain: domain.to_owned() })
    }

    /// Whether a record states the digest of this evidence.
    pub(super) fn is_of(&self, record: &[u8]) -> bool {
        let record: Option<Value> = serde_json::from_slice(record).ok();
        let stated = record.as_ref().and_then(|record| record.get("evidence_sha256"));
        stated.and_then(Value::as_str) == Some(self.sha256.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_told_from_signed_documents_and_held_against_its_record() {
        let evidence = br#"{"domain":"open.lab","dns":[],"reads":[],"not_read":[]}"#;
        let file = EvidenceFile::recognise(evidence).unwrap();
        assert_eq!(file.domain, "open.lab");
        let record = format!("{{\"evidence_sha256\":\"{}\"}}", file.sha256);
        assert!(file.is_of(record.as_bytes()));
        assert!(!file.is_of(b"{\"evidence_sha256\":\"00\"}") && !file.is_of(b"x"));
        for other in [&b"{}"[..], b"[]", b"x", br#"{"kind":"svc-scan","reads":[]}"#] {
            assert_eq!(EvidenceFile::recognise(other), None);
        }
    }
}
