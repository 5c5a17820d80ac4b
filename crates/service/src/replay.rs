//! Judging kept evidence again: whether a record still follows from what was read.
//!
//! A record is a function of its evidence, the bodies the evidence names, and the rules. All three
//! are named in it by digest, so whoever has them can make it again, byte for byte.

use std::collections::BTreeMap;

use agents::Catalogue;
use bytes::Bytes;
use contract::Brand;
use contract::evidence::Evidence;
use contract::records::{ScanRecord, Visibility};
use judge::rulepack::Rulepack;
use judge::scan::{Frame, Sealed};
use proof::{Digest, canonical, sha256};
use serde::Serialize;
use serde_json::{Map, Value};
use store::{Store, StoreError};

/// Places that differ, named at most; the rest is counted.
const MAX_POINTERS: usize = 100;

/// What came of judging again.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replay {
    pub id: String,
    pub domain: String,
    pub conclusion: Conclusion,
    pub kept: Judged,
    /// Null when it could not be judged again.
    pub now: Option<Judged>,
    /// Bodies the record was judged from that are no longer kept, by SHA-256.
    pub bodies_gone: Vec<String>,
    /// Rules whose outcome differs.
    pub ledger: Vec<RowChange>,
    /// JSON pointers to what differs, where the same rules judged.
    pub differs_at: Vec<String>,
    /// How many further places differ.
    pub differs_elsewhere: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// The same bytes.
    Same,
    /// Other rules judge today, or other identities are asked as, so the record may differ and not be
    /// wrong.
    RulesChanged,
    /// The same rules, and yet other bytes.
    Different,
    /// What it was judged from is not kept any more.
    BodiesGone,
}

/// A judgement in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Judged {
    pub sha256: String,
    pub score_version: u64,
    pub rulepack_sha256: String,
    /// The identities that were asked as; empty in records that do not say.
    pub catalogue_sha256: String,
    pub grade: Option<String>,
    pub overall: Option<u64>,
}

/// One rule, before and now; nothing for a rule that is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RowChange {
    pub rule: String,
    pub kept: Option<Row>,
    pub now: Option<Row>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    pub state: String,
    pub points: Option<u64>,
    pub of: Option<u64>,
}

#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error("no scan with the id {0} is kept")]
    Unknown(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store checks what it gives out, so this is a record or evidence of another build.
    #[error("{what} cannot be read by this program: {why}")]
    Unreadable { what: &'static str, why: String },
    #[error("the {what} does not have the digest that the record states")]
    NotAsStated { what: &'static str },
    #[error(transparent)]
    Canonical(#[from] proof::ProofError),
}

/// Judges a kept scan again, whatever its visibility: this is for whoever holds the store.
///
/// `catalogue` as it is configured, not filled in yet.
pub async fn replay(
    store: &dyn Store,
    catalogue: &Catalogue,
    id: &str,
) -> Result<Replay, ReplayError> {
    let scan = store.scan(id).await?.ok_or_else(|| ReplayError::Unknown(id.to_owned()))?;
    let kept = Kept::read(&scan.record)?;
    if kept.text("/evidence_sha256") != Some(sha256(&scan.evidence).to_string().as_str()) {
        return Err(ReplayError::NotAsStated { what: "evidence" });
    }
    let evidence: Evidence = serde_json::from_slice(&scan.evidence)
        .map_err(|e| ReplayError::Unreadable { what: "the evidence", why: e.to_string() })?;
    let (bodies, gone) = bodies(store, &scan.artifacts).await?;
    let judged = kept.judged();
    let mut replay = Replay {
        id: id.to_owned(),
        domain: scan.domain.to_string(),
        conclusion: Conclusion::BodiesGone,
        kept: judged,
        now: None,
        bodies_gone: gone,
        ledger: Vec::new(),
        differs_at: Vec::new(),
        differs_elsewhere: 0,
    };
    // Without a body the same evidence says less: what came out would be no judgement of it.
    if !replay.bodies_gone.is_empty() {
        return Ok(replay);
    }
    let rules = Rulepack::current();
    let remade = Kept::of(&kept.judge_again(&evidence, &bodies, catalogue, &rules)?)?;
    compare(&mut replay, &kept, &remade);
    Ok(replay)
}

/// The bodies that are kept, and the digests of those that are not.
async fn bodies(
    store: &dyn Store,
    named: &[Digest],
) -> Result<(BTreeMap<String, Bytes>, Vec<String>), StoreError> {
    let (mut kept, mut gone) = (BTreeMap::new(), Vec::new());
    for digest in named {
        match store.artifact(*digest).await? {
            Some(body) => {
                kept.insert(digest.to_string(), body);
            }
            None => gone.push(digest.to_string()),
        }
    }
    Ok((kept, gone))
}

fn compare(replay: &mut Replay, kept: &Kept, remade: &Kept) {
    let now = remade.judged();
    // Another catalogue labels and sorts the same readings otherwise: that is a change of rules too.
    let leans_on =
        |j: &Judged| (j.score_version, j.rulepack_sha256.clone(), j.catalogue_sha256.clone());
    let rules_changed = leans_on(&replay.kept) != leans_on(&now);
    replay.conclusion = if replay.kept.sha256 == now.sha256 {
        Conclusion::Same
    } else if rules_changed {
        Conclusion::RulesChanged
    } else {
        Conclusion::Different
    };
    replay.now = Some(now);
    if replay.conclusion == Conclusion::Same {
        return;
    }
    replay.ledger = row_changes(&kept.rows(), &remade.rows());
    if replay.conclusion == Conclusion::Different {
        let mut places = Vec::new();
        differences("", &kept.unsigned, &remade.unsigned, &mut places);
        replay.differs_elsewhere = places.len().saturating_sub(MAX_POINTERS);
        places.truncate(MAX_POINTERS);
        replay.differs_at = places;
    }
}

/// A record without its seal. Kept records may be of an earlier shape, so it is read as JSON.
struct Kept {
    unsigned: Value,
    digest: Digest,
}

impl Kept {
    /// A record as it was signed.
    fn read(bytes: &[u8]) -> Result<Self, ReplayError> {
        let unreadable = |why: String| ReplayError::Unreadable { what: "the record", why };
        let Value::Object(mut members) =
            canonical::parse_strict(bytes).map_err(|e| unreadable(e.to_string()))?
        else {
            return Err(unreadable("it is not an object".to_owned()));
        };
        let stated = members.remove("sha256");
        members.remove("signature");
        let digest = canonical::document_digest(&members)?;
        if stated.as_ref().and_then(Value::as_str) != Some(digest.to_string().as_str()) {
            return Err(ReplayError::NotAsStated { what: "record" });
        }
        Ok(Self { unsigned: Value::Object(members), digest })
    }

    /// A record that was not signed.
    fn of(record: &ScanRecord) -> Result<Self, ReplayError> {
        let bytes = canonical::to_vec(record)?;
        let unsigned = canonical::parse_strict(&bytes)?;
        Ok(Self { unsigned, digest: sha256(&bytes) })
    }

    /// The record that the same evidence gives now, in the same frame.
    fn judge_again(
        &self,
        evidence: &Evidence,
        bodies: &BTreeMap<String, Bytes>,
        catalogue: &Catalogue,
        rules: &Rulepack,
    ) -> Result<ScanRecord, ReplayError> {
        let lacks = |what: &str| ReplayError::Unreadable {
            what: "the record",
            why: format!("it has no {what} to judge it under again"),
        };
        let kind = self.text("/kind").and_then(|kind| kind.strip_suffix("-scan"));
        let brand = kind.and_then(|word| Brand::new(word).ok()).ok_or_else(|| lacks("kind"))?;
        let schema = self.text("/schema").and_then(|schema| schema.split_once("/api/v1/schema"));
        let (base_url, _) = schema.ok_or_else(|| lacks("schema"))?;
        let visibility = self.text("/visibility").and_then(Visibility::known);
        let frame = Frame {
            brand: &brand,
            base_url,
            id: self.text("/id").ok_or_else(|| lacks("id"))?,
            visibility: visibility.ok_or_else(|| lacks("visibility"))?,
            evidence_sha256: self.text("/evidence_sha256").map(str::to_owned),
            sealed: self.sealed(),
        };
        // What was sent is in the evidence; the names and roles are the catalogue's, filled in as
        // the build that looked filled them in.
        let catalogue = catalogue.clone().filled_in(&evidence.observer.version, base_url);
        Ok(judge::scan::judge(evidence, bodies, &catalogue, rules, &frame))
    }

    /// What is made when a record is kept, not when it is judged.
    fn sealed(&self) -> Sealed {
        fn read<T: serde::de::DeserializeOwned>(value: Option<&Value>) -> Option<T> {
            value.and_then(|value| T::deserialize(value).ok())
        }
        let provenance = |name: &str| self.unsigned.get("provenance").and_then(|p| p.get(name));
        Sealed {
            stored_at: read(provenance("stored_at")),
            artifacts: read(provenance("artifacts")),
            manifest_signature: read(provenance("manifest_signature")),
        }
    }

    fn judged(&self) -> Judged {
        let number = |at: &str| self.unsigned.pointer(at).and_then(Value::as_u64);
        let text = |at: &str| self.text(at).map(str::to_owned);
        Judged {
            sha256: self.digest.to_string(),
            score_version: number("/score_version").unwrap_or_default(),
            rulepack_sha256: text("/rulepack/sha256").unwrap_or_default(),
            catalogue_sha256: text("/provenance/catalogue_sha256").unwrap_or_default(),
            grade: text("/grade"),
            overall: number("/overall"),
        }
    }

    fn rows(&self) -> BTreeMap<String, Row> {
        let rows = self.unsigned.pointer("/score_ledger/rows").and_then(Value::as_array);
        let read = |row: &Value| {
            let number = |name: &str| row.get(name).and_then(Value::as_u64);
            Some((
                row.get("rule")?.as_str()?.to_owned(),
                Row {
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

fn row_changes(kept: &BTreeMap<String, Row>, now: &BTreeMap<String, Row>) -> Vec<RowChange> {
    let mut rules: Vec<&String> = kept.keys().chain(now.keys()).collect();
    rules.sort_unstable();
    rules.dedup();
    let change = |rule: &String| RowChange {
        rule: rule.clone(),
        kept: kept.get(rule).cloned(),
        now: now.get(rule).cloned(),
    };
    rules.into_iter().map(change).filter(|change| change.kept != change.now).collect()
}

/// Every place where two values differ, as JSON pointers. Both were read by a reader that bounds
/// their depth.
fn differences(at: &str, one: &Value, other: &Value, places: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            for name in names(one, other) {
                let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                match (one.get(name), other.get(name)) {
                    (Some(one), Some(other)) => differences(&at, one, other, places),
                    _ => places.push(at),
                }
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (place, (one, other)) in one.iter().zip(other).enumerate() {
                differences(&format!("{at}/{place}"), one, other, places);
            }
        }
        _ if one == other => {}
        _ => places.push(at.to_owned()),
    }
}

fn names<'a>(one: &'a Map<String, Value>, other: &'a Map<String, Value>) -> Vec<&'a String> {
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
            differences("", &one, &other, &mut places);
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
    fn rules_that_came_went_or_moved_are_told() {
        let row = |state: &str| Row { state: state.to_owned(), points: Some(1), of: Some(2) };
        let rows = |list: &[(&str, &str)]| {
            list.iter().map(|(rule, state)| ((*rule).to_owned(), row(state))).collect()
        };
        let kept = rows(&[("a", "passed"), ("b", "passed"), ("c", "passed")]);
        let now = rows(&[("b", "failed"), ("c", "passed"), ("d", "passed")]);
        let told: Vec<_> = row_changes(&kept, &now)
            .into_iter()
            .map(|change| (change.rule, change.kept.is_some(), change.now.is_some()))
            .collect();
        let expected = [("a", true, false), ("b", true, true), ("d", false, true)];
        assert_eq!(told, expected.map(|(rule, kept, now)| (rule.to_owned(), kept, now)));
    }

    #[test]
    fn a_record_that_is_not_what_it_states_is_not_replayed() {
        let stated = |digest: &str| {
            Kept::read(json!({ "kind": "svc-scan", "sha256": digest }).to_string().as_bytes())
        };
        let right = sha256(br#"{"kind":"svc-scan"}"#).to_string();
        assert!(stated(&right).is_ok());
        assert!(matches!(stated("00"), Err(ReplayError::NotAsStated { what: "record" })));
        assert!(matches!(Kept::read(b"[]"), Err(ReplayError::Unreadable { .. })));
    }
}
