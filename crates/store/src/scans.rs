//! Stored scans: the signed record, the evidence behind it, and the columns to find it by.

use bytes::Bytes;
use contract::{Domain, Timestamp};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, StrDeserializer};

use crate::size::check_size;
use crate::{BoxFuture, Digest, StoreError, Visibility};

/// A scan. Reading returns exactly the bytes that were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// Unique and never reused.
    pub id: String,
    pub domain: Domain,
    pub scanned_at: Timestamp,
    pub visibility: Visibility,
    pub score_version: u32,
    pub grade: Option<String>,
    pub overall: Option<u32>,
    /// The exact bytes that were signed.
    pub record: Bytes,
    pub evidence: Bytes,
    /// The artefacts that the evidence refers to, in its order.
    pub artifacts: Vec<Digest>,
}

/// A scan as listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanRow {
    pub id: String,
    pub domain: Domain,
    pub scanned_at: Timestamp,
    pub visibility: Visibility,
    pub score_version: u32,
    pub grade: Option<String>,
    pub overall: Option<u32>,
}

/// A position in the order of scans: by time, then by id (bytewise).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScanCursor {
    pub scanned_at: Timestamp,
    pub id: String,
}

/// Which scans to include.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanScope {
    /// Only public scans, which may be listed. For everything that is shown publicly.
    PublicOnly,
    /// All scans, including unlisted and private ones. For owners, licence holders and internal
    /// jobs.
    All,
}

pub trait Scans: Send + Sync {
    /// Stores a scan completely or not at all; durable when this returns. An id that is already
    /// stored is refused, and the stored scan stays unchanged.
    fn put_scan(&self, scan: Scan) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The scan with this id, whatever its visibility: the caller decides who may see it.
    fn scan<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Scan>, StoreError>>;

    /// The last scan of a domain at or after `since`.
    fn latest_scan<'a>(
        &'a self,
        domain: &'a Domain,
        since: Option<Timestamp>,
        scope: ScanScope,
    ) -> BoxFuture<'a, Result<Option<Scan>, StoreError>>;

    /// A domain's scans before `before`, newest first, at most `limit`.
    fn scans_of<'a>(
        &'a self,
        domain: &'a Domain,
        scope: ScanScope,
        before: Option<ScanCursor>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ScanRow>, StoreError>>;

    /// All scans of all domains after `after`, including unlisted and private ones, oldest first,
    /// at most `limit`: for copying to another store.
    fn export_scans(
        &self,
        after: Option<ScanCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<ScanRow>, StoreError>>;
}

impl Scan {
    #[must_use]
    pub fn row(&self) -> ScanRow {
        ScanRow {
            id: self.id.clone(),
            domain: self.domain.clone(),
            scanned_at: self.scanned_at,
            visibility: self.visibility,
            score_version: self.score_version,
            grade: self.grade.clone(),
            overall: self.overall,
        }
    }

    /// A digest over all members. Engines store it with the scan and compare it when they read, so
    /// that damaged data is found and never served.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        let number = |value: Option<u32>| value.map_or(String::from("-"), |v| v.to_string());
        // With lengths, so that different scans never hash the same bytes.
        let head = format!(
            "scan 1\n{}:{} {} {} {} {} {} {}:{} {} {} {}\n",
            self.id.len(),
            self.id,
            self.domain,
            self.scanned_at.as_millis(),
            self.visibility,
            self.score_version,
            number(self.overall),
            self.grade.as_ref().map_or(String::from("-"), |grade| grade.len().to_string()),
            self.grade.as_deref().unwrap_or_default(),
            self.artifacts.len(),
            self.record.len(),
            self.evidence.len(),
        );
        let mut parts: Vec<&[u8]> = vec![head.as_bytes()];
        parts.extend(self.artifacts.iter().map(|digest| digest.as_bytes().as_slice()));
        parts.extend([&self.record[..], &self.evidence[..]]);
        let mut hasher = proof::Hasher::new();
        parts.iter().for_each(|part| hasher.update(part));
        hasher.finish()
    }

    /// Refuses a scan that is too large for any engine. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("scan record", &self.record)?;
        check_size("scan's evidence", &self.evidence)
    }
}

impl ScanRow {
    #[must_use]
    pub fn cursor(&self) -> ScanCursor {
        ScanCursor { scanned_at: self.scanned_at, id: self.id.clone() }
    }
}

/// The `sha256` member of a stored record.
#[must_use]
pub fn record_digest(record: &[u8]) -> Option<Digest> {
    #[derive(Deserialize)]
    struct Named {
        sha256: Digest,
    }
    serde_json::from_slice::<Named>(record).ok().map(|named| named.sha256)
}

/// Parses a domain that an engine stored.
pub fn parse_stored_domain(text: &str) -> Result<Domain, StoreError> {
    let deserializer: StrDeserializer<'_, ValueError> = text.into_deserializer();
    Domain::deserialize(deserializer).map_err(|e| StoreError::Damaged {
        what: String::from("a stored domain"),
        why: e.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan() -> Scan {
        Scan {
            id: "a".into(),
            domain: parse_stored_domain("shop.lab").unwrap(),
            scanned_at: Timestamp::from_millis(1),
            visibility: Visibility::Public,
            score_version: 1,
            grade: Some("B".into()),
            overall: Some(70),
            record: Bytes::from_static(b"record"),
            evidence: Bytes::from_static(b"evidence"),
            artifacts: vec![Digest::of(b"x")],
        }
    }

    #[test]
    fn every_field_moves_the_fingerprint() {
        let before = scan();
        let changes: [fn(&mut Scan); 12] = [
            |s| s.id = "b".into(),
            |s| s.domain = parse_stored_domain("shop.lap").unwrap(),
            |s| s.scanned_at = Timestamp::from_millis(2),
            |s| s.visibility = Visibility::Private,
            |s| s.score_version = 2,
            |s| s.grade = None,
            |s| s.grade = Some(String::new()),
            |s| s.overall = None,
            |s| s.record = Bytes::from_static(b"recorde"),
            |s| s.evidence = Bytes::from_static(b"vidence"),
            |s| s.artifacts = vec![],
            |s| s.artifacts = vec![Digest::of(b"x"), Digest::of(b"x")],
        ];
        let mut seen = vec![before.fingerprint()];
        for change in changes {
            let mut after = before.clone();
            change(&mut after);
            assert!(!seen.contains(&after.fingerprint()), "{after:?}");
            seen.push(after.fingerprint());
        }
        assert_eq!(before.fingerprint(), scan().fingerprint());
    }

    #[test]
    fn the_digest_is_the_records_own() {
        let digest = Digest::of(b"x");
        let record = format!(r#"{{"id":"a","nested":{{"sha256":"no"}},"sha256":"{digest}"}}"#);
        assert_eq!(record_digest(record.as_bytes()), Some(digest));
        for other in ["{}", "", "[]", r#"{"sha256":"abc"}"#, r#"{"sha256":null}"#] {
            assert_eq!(record_digest(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn a_stored_domain_must_be_valid() {
        assert!(parse_stored_domain("gone.tldthatwas").is_ok());
        assert!(matches!(parse_stored_domain("A b"), Err(StoreError::Damaged { .. })));
    }
}
