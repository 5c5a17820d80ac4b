//! Replay: judges stored evidence again and compares the result with the stored record.
//!
//! A record is a function of its evidence, the bodies that the evidence names, and the rules. The
//! record states the digests of all three, so whoever has them can rebuild it byte for byte.

use std::collections::{BTreeMap, BTreeSet};

use agents::Catalogue;
use bytes::Bytes;
use contract::evidence::Evidence;
use contract::records::{ReplacedSignature, ScanRecord, Visibility};
use contract::{Brand, Issuer, Timestamp};
use judge::rulepack::Rulepack;
use judge::scan::{RecordMetadata, StorageMetadata};
use proof::{Digest, canonical, sha256};
use serde::Serialize;
use serde_json::{Map, Value};
use store::{Store, StoreError};

/// JSON pointers listed at most; further differences are only counted.
const MAX_POINTERS: usize = 100;

/// The result of a replay.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replay {
    pub id: String,
    pub domain: String,
    pub conclusion: ReplayConclusion,
    pub kept: JudgementSummary,
    /// Null when the evidence could not be judged again.
    pub now: Option<JudgementSummary>,
    /// SHA-256 of bodies that the record was judged from and that are no longer stored.
    pub bodies_gone: Vec<String>,
    /// Rules whose outcome differs.
    pub ledger: Vec<ReplayRowChange>,
    /// JSON pointers to differences. Filled only if the rules are the same.
    pub differs_at: Vec<String>,
    /// Number of further differences.
    pub differs_elsewhere: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayConclusion {
    /// The record is reproduced byte for byte.
    Same,
    /// The rules or the catalogue of identities have changed since, so a difference is expected.
    RulesChanged,
    /// The rules are the same and the bytes differ.
    Different,
    /// Bodies that the record was judged from are no longer stored.
    BodiesGone,
}

/// Summary of one judgement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JudgementSummary {
    pub sha256: String,
    pub score_version: u64,
    pub rulepack_sha256: String,
    /// Digest of the catalogue of identities; empty for records that do not state it.
    pub catalogue_sha256: String,
    pub grade: Option<String>,
    pub overall: Option<u64>,
}

/// One rule in both records; null where a record does not have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReplayRowChange {
    pub rule: String,
    pub kept: Option<ReplayRow>,
    pub now: Option<ReplayRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReplayRow {
    pub state: String,
    pub points: Option<u64>,
    pub of: Option<u64>,
}

#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error("no scan with the id {0} is stored")]
    Unknown(String),
    #[error("the operator deleted scan {id} on {deleted_at}; only its digest is kept")]
    Deleted { id: String, deleted_at: Timestamp },
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store verifies what it returns, so this record or evidence is of another build.
    #[error("this program cannot parse {what}: {why}")]
    Unreadable { what: &'static str, why: String },
    #[error("the digest of the {what} differs from the one stated in the record")]
    DigestMismatch { what: &'static str },
    #[error(transparent)]
    Canonical(#[from] proof::ProofError),
}

/// Judges a stored scan again, whatever its visibility: this is for whoever operates the store.
///
/// `catalogue` is the configured one, with its placeholders not filled in.
pub async fn replay(
    store: &dyn Store,
    catalogue: &Catalogue,
    id: &str,
) -> Result<Replay, ReplayError> {
    let Some(scan) = store.scan(id).await? else {
        return Err(match store.deleted_scan(id).await? {
            Some(store::DeletedScan { id, deleted_at, .. }) => {
                ReplayError::Deleted { id, deleted_at }
            }
            None => ReplayError::Unknown(id.to_owned()),
        });
    };
    let bodies = load_bodies(store, &scan.artifacts).await?;
    let files = ReplayFiles { record: scan.record, evidence: scan.evidence, bodies };
    let needed = scan.artifacts.iter().map(Digest::to_string).collect();
    judge_files(&files, needed, catalogue)
}

/// What a replay needs, from anywhere.
#[derive(Debug, Clone)]
pub struct ReplayFiles {
    /// The signed record.
    pub record: Bytes,
    pub evidence: Bytes,
    /// By SHA-256, in hex.
    pub bodies: BTreeMap<String, Bytes>,
}

/// Judges files that were downloaded, for people without the store. Every file is compared with the
/// digest that the record or the evidence states.
pub fn replay_files(files: &ReplayFiles, catalogue: &Catalogue) -> Result<Replay, ReplayError> {
    if files.bodies.iter().any(|(digest, body)| sha256(body).to_string() != *digest) {
        return Err(ReplayError::DigestMismatch { what: "body of a response" });
    }
    let evidence = parse_evidence(&files.evidence)?;
    let responses = evidence.reads.iter().filter_map(|reading| reading.exchange.response());
    let needed = responses.map(|response| response.body.sha256.clone()).collect();
    judge_files(files, needed, catalogue)
}

fn parse_evidence(bytes: &[u8]) -> Result<Evidence, ReplayError> {
    serde_json::from_slice(bytes)
        .map_err(|e| ReplayError::Unreadable { what: "the evidence", why: e.to_string() })
}

fn judge_files(
    files: &ReplayFiles,
    needed: BTreeSet<String>,
    catalogue: &Catalogue,
) -> Result<Replay, ReplayError> {
    let kept = StoredRecord::read(&files.record)?;
    if kept.text("/evidence_sha256") != Some(sha256(&files.evidence).to_string().as_str()) {
        return Err(ReplayError::DigestMismatch { what: "evidence" });
    }
    let evidence = parse_evidence(&files.evidence)?;
    let bodies = &files.bodies;
    let gone = needed.into_iter().filter(|digest| !bodies.contains_key(digest)).collect();
    let text = |pointer: &str| kept.text(pointer).unwrap_or_default().to_owned();
    let mut replay = Replay {
        id: text("/id"),
        domain: text("/domain"),
        conclusion: ReplayConclusion::BodiesGone,
        kept: kept.summary(),
        now: None,
        bodies_gone: gone,
        ledger: Vec::new(),
        differs_at: Vec::new(),
        differs_elsewhere: 0,
    };
    // With bodies missing, the result could not be compared with the stored record.
    if !replay.bodies_gone.is_empty() {
        return Ok(replay);
    }
    let rules = Rulepack::current();
    let rebuilt =
        StoredRecord::from_record(&kept.judge_again(&evidence, bodies, catalogue, &rules)?)?;
    compare_records(&mut replay, &kept, &rebuilt);
    Ok(replay)
}

/// The bodies that are still stored.
async fn load_bodies(
    store: &dyn Store,
    digests: &[Digest],
) -> Result<BTreeMap<String, Bytes>, StoreError> {
    let mut stored = BTreeMap::new();
    for digest in digests {
        if let Some(body) = store.artifact(*digest).await? {
            stored.insert(digest.to_string(), body);
        }
    }
    Ok(stored)
}

fn compare_records(replay: &mut Replay, stored: &StoredRecord, rebuilt: &StoredRecord) {
    let now = rebuilt.summary();
    // Another catalogue labels and sorts the same readings differently, so it counts as other rules.
    let rule_versions = |j: &JudgementSummary| {
        (j.score_version, j.rulepack_sha256.clone(), j.catalogue_sha256.clone())
    };
    let rules_changed = rule_versions(&replay.kept) != rule_versions(&now);
    replay.conclusion = if replay.kept.sha256 == now.sha256 {
        ReplayConclusion::Same
    } else if rules_changed {
        ReplayConclusion::RulesChanged
    } else {
        ReplayConclusion::Different
    };
    replay.now = Some(now);
    if replay.conclusion == ReplayConclusion::Same {
        return;
    }
    replay.ledger = row_changes(&stored.ledger_rows(), &rebuilt.ledger_rows());
    if replay.conclusion == ReplayConclusion::Different {
        let mut pointers = Vec::new();
        collect_differences("", &stored.unsigned, &rebuilt.unsigned, &mut pointers);
        replay.differs_elsewhere = pointers.len().saturating_sub(MAX_POINTERS);
        pointers.truncate(MAX_POINTERS);
        replay.differs_at = pointers;
    }
}

/// A record without digest and signature. Parsed as plain JSON, because stored records may have an
/// earlier structure.
struct StoredRecord {
    unsigned: Value,
    digest: Digest,
}

impl StoredRecord {
    /// Parses a signed record and checks its digest, and its former digest if it was signed again.
    fn read(bytes: &[u8]) -> Result<Self, ReplayError> {
        let unreadable = |why: String| ReplayError::Unreadable { what: "the record", why };
        let Value::Object(mut members) =
            canonical::parse_strict(bytes).map_err(|e| unreadable(e.to_string()))?
        else {
            return Err(unreadable("the record is not a JSON object".to_owned()));
        };
        let stated = members.remove("sha256");
        members.remove("signature");
        let digest = canonical::document_digest(&members)?;
        if stated.as_ref().and_then(Value::as_str) != Some(digest.to_string().as_str()) {
            return Err(ReplayError::DigestMismatch { what: "record" });
        }
        // Signed again because its key was compromised: what was judged is the record before that.
        let digest = match members.remove(ReplacedSignature::MEMBER) {
            None => digest,
            Some(replaced) => {
                let former = canonical::document_digest(&members)?;
                let stated = replaced.get("sha256").and_then(Value::as_str);
                if stated != Some(former.to_string().as_str()) {
                    let what = "record before it was signed again";
                    return Err(ReplayError::DigestMismatch { what });
                }
                former
            }
        };
        Ok(Self { unsigned: Value::Object(members), digest })
    }

    /// An unsigned record.
    fn from_record(record: &ScanRecord) -> Result<Self, ReplayError> {
        let bytes = canonical::to_vec(record)?;
        let unsigned = canonical::parse_strict(&bytes)?;
        Ok(Self { unsigned, digest: sha256(&bytes) })
    }

    /// The record that the same evidence gives with the current rules and the same metadata.
    fn judge_again(
        &self,
        evidence: &Evidence,
        bodies: &BTreeMap<String, Bytes>,
        catalogue: &Catalogue,
        rules: &Rulepack,
    ) -> Result<ScanRecord, ReplayError> {
        let lacks = |what: &str| ReplayError::Unreadable {
            what: "the record",
            why: format!("it has no valid {what}"),
        };
        let kind = self.text("/kind").and_then(|kind| kind.strip_suffix("-scan"));
        let brand = kind.and_then(|word| Brand::new(word).ok()).ok_or_else(|| lacks("kind"))?;
        let schema = self.text("/schema").and_then(|schema| schema.split_once("/api/v1/schema"));
        let (base_url, _) = schema.ok_or_else(|| lacks("schema"))?;
        let visibility = self.text("/visibility").and_then(Visibility::from_word);
        let issuer = Issuer::new(brand, base_url);
        let metadata = RecordMetadata {
            issuer: &issuer,
            id: self.text("/id").ok_or_else(|| lacks("id"))?,
            visibility: visibility.ok_or_else(|| lacks("visibility"))?,
            evidence_sha256: self.text("/evidence_sha256").map(str::to_owned),
            storage: self.storage_metadata(),
        };
        // The evidence states what was sent; names and roles come from the catalogue, filled in with
        // the version of the build that made the scan.
        let catalogue =
            catalogue.clone().with_placeholders_filled(&evidence.observer.version, base_url);
        Ok(judge::scan::judge(evidence, bodies, &catalogue, rules, &metadata))
    }

    /// The facts added when the record was stored; judging does not produce them.
    fn storage_metadata(&self) -> StorageMetadata {
        fn read<T: serde::de::DeserializeOwned>(value: Option<&Value>) -> Option<T> {
            value.and_then(|value| T::deserialize(value).ok())
        }
        let provenance = |name: &str| self.unsigned.get("provenance").and_then(|p| p.get(name));
        StorageMetadata {
            stored_at: read(provenance("stored_at")),
            artifacts: read(provenance("artifacts")),
            manifest_signature: read(provenance("manifest_signature")),
        }
    }

    fn summary(&self) -> JudgementSummary {
        let number = |at: &str| self.unsigned.pointer(at).and_then(Value::as_u64);
        let text = |at: &str| self.text(at).map(str::to_owned);
        JudgementSummary {
            sha256: self.digest.to_string(),
            score_version: number("/score_version").unwrap_or_default(),
            rulepack_sha256: text("/rulepack/sha256").unwrap_or_default(),
            catalogue_sha256: text("/provenance/catalogue_sha256").unwrap_or_default(),
            grade: text("/grade"),
            overall: number("/overall"),
        }
    }

    fn ledger_rows(&self) -> BTreeMap<String, ReplayRow> {
        let rows = self.unsigned.pointer("/score_ledger/rows").and_then(Value::as_array);
        let read = |row: &Value| {
            let number = |name: &str| row.get(name).and_then(Value::as_u64);
            Some((
                row.get("rule")?.as_str()?.to_owned(),
                ReplayRow {
                    state: row.get("state")?.as_str()?.to_owned(),
                    points: number("points"),
                    of: number("of"),
                },
            ))
        };
        rows.into_iter().flatten().filter_map(read).collect()
    }

    fn text(&self, pointer: &str) -> Option<&str> {
        self.unsigned.pointer(pointer).and_then(Value::as_str)
    }
}

fn row_changes(
    kept: &BTreeMap<String, ReplayRow>,
    now: &BTreeMap<String, ReplayRow>,
) -> Vec<ReplayRowChange> {
    let mut rules: Vec<&String> = kept.keys().chain(now.keys()).collect();
    rules.sort_unstable();
    rules.dedup();
    let change = |rule: &String| ReplayRowChange {
        rule: rule.clone(),
        kept: kept.get(rule).cloned(),
        now: now.get(rule).cloned(),
    };
    rules.into_iter().map(change).filter(|change| change.kept != change.now).collect()
}

/// Collects JSON pointers to all differences between two values. The strict parser has bounded their
/// depth, so the recursion is bounded.
fn collect_differences(at: &str, one: &Value, other: &Value, pointers: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            for name in member_names(one, other) {
                let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                match (one.get(name), other.get(name)) {
                    (Some(one), Some(other)) => collect_differences(&at, one, other, pointers),
                    _ => pointers.push(at),
                }
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                collect_differences(&format!("{at}/{index}"), one, other, pointers);
            }
        }
        _ if one == other => {}
        _ => pointers.push(at.to_owned()),
    }
}

fn member_names<'a>(one: &'a Map<String, Value>, other: &'a Map<String, Value>) -> Vec<&'a String> {
    let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_difference_is_named_and_nothing_else() {
        let places = |one: Value, other: Value| {
            let mut places = Vec::new();
            collect_differences("", &one, &other, &mut places);
            places
        };
        let base = json!({ "a": [1, { "b/c": 2 }], "d": null, "e": { "f": "x" } });
        assert_eq!(places(base.clone(), base.clone()), Vec::<String>::new());
        let other = json!({ "a": [1, { "b/c": 3 }], "e": { "f": "y", "g": 1 } });
        assert_eq!(places(base.clone(), other), ["/a/1/b~1c", "/d", "/e/f", "/e/g"]);
        assert_eq!(places(base, json!([])), [""]);
        assert_eq!(places(json!({ "a": [1] }), json!({ "a": [1, 2] })), ["/a"]);
    }

    #[test]
    fn added_removed_and_changed_rules_are_listed() {
        let row = |state: &str| ReplayRow { state: state.to_owned(), points: Some(1), of: Some(2) };
        let rows = |list: &[(&str, &str)]| {
            list.iter().map(|(rule, state)| ((*rule).to_owned(), row(state))).collect()
        };
        let stored = rows(&[("a", "passed"), ("b", "passed"), ("c", "passed")]);
        let now = rows(&[("b", "failed"), ("c", "passed"), ("d", "passed")]);
        let changes: Vec<_> = row_changes(&stored, &now)
            .into_iter()
            .map(|change| (change.rule, change.kept.is_some(), change.now.is_some()))
            .collect();
        let expected = [("a", true, false), ("b", true, true), ("d", false, true)];
        assert_eq!(changes, expected.map(|(rule, stored, now)| (rule.to_owned(), stored, now)));
    }

    #[test]
    fn a_record_that_was_signed_again_counts_as_the_former_one() {
        let former = sha256(br#"{"kind":"svc-scan"}"#);
        let signed_again = |stated: &str| {
            let replaced = json!({ "sha256": stated, "why": "key_compromised" });
            let mut record = json!({ "kind": "svc-scan", "replaced_signature": replaced });
            let digest = canonical::document_digest(record.as_object().unwrap()).unwrap();
            record["sha256"] = json!(digest.to_string());
            record["signature"] = json!({ "sig": "x" });
            StoredRecord::read(record.to_string().as_bytes())
        };
        let read = signed_again(&former.to_string()).unwrap();
        assert_eq!((read.digest, read.unsigned), (former, json!({ "kind": "svc-scan" })));
        for other in ["00", &sha256(b"x").to_string()] {
            let refused = signed_again(other).err().map(|error| error.to_string());
            let expected = "the digest of the record before it was signed again differs from the one stated in the record";
            assert_eq!(refused.as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_record_whose_digest_does_not_match_is_refused() {
        let stated = |digest: &str| {
            StoredRecord::read(
                json!({ "kind": "svc-scan", "sha256": digest }).to_string().as_bytes(),
            )
        };
        let right = sha256(br#"{"kind":"svc-scan"}"#).to_string();
        assert!(stated(&right).is_ok());
        assert!(matches!(stated("00"), Err(ReplayError::DigestMismatch { what: "record" })));
        assert!(matches!(StoredRecord::read(b"[]"), Err(ReplayError::Unreadable { .. })));
    }
}
