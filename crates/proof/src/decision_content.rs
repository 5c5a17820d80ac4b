//! The part of a resolve answer that goes into the log: its decision, and nothing that changes each
//! time the answer is served.

use contract::records::{
    ActionDecision, Actions, AnswerStatus, CiteDecision, Decision, Doubt, ResolveAnswer,
};
use contract::{Brand, Domain, Timestamp};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::digest::Digest;
use crate::json_view::{Members, View};
use crate::merkle_tree::{BatchTree, leaf_hash};
use crate::tree_head::ChainHead;
use crate::{ProofError, canonical};

/// How a reader derives the logged content from an answer: the value of
/// `transparency.content_rule`.
pub const CONTENT_RULE: &str = "The content is an object with nine members: log (the log id); domain; status; \
actions, with one member for each member of the answer's actions, each {decision, doubts} with the doubts sorted; \
report (evidence.report); observed_at (freshness.observed_at); incident (incident.since); impersonation (the text \
suspected if impersonation.verdict is suspected, otherwise null); high_risk_pending (the sorted field names of \
high_risk_fields.pending). An absent value is null, an absent list is []. leaf_hash is the SHA-256 of a zero byte \
followed by the RFC 8785 form of the content; the tree uses it without hashing it again.";

/// The decision content of a resolve answer.
pub fn decision_content(answer: &Map<String, Value>, brand: &Brand) -> Result<Value, ProofError> {
    content_of(Members::Map(answer), brand)
}

fn content_of(answer: Members<'_>, brand: &Brand) -> Result<Value, ProofError> {
    let owned = |value: Option<View<'_>>| value.map(View::to_value).unwrap_or_default();
    let required = |name: &str| {
        let value = answer.get(name).map(View::to_value);
        value.ok_or_else(|| ProofError::Content(format!("{name} is missing")))
    };
    let actions = answer
        .get("actions")
        .and_then(View::as_object)
        .ok_or_else(|| ProofError::Content("actions is missing".to_owned()))?;
    let mut decisions = Map::new();
    for (name, action) in actions.iter() {
        decisions.insert(
            name.to_owned(),
            json!({
                "decision": owned(action.get("decision")),
                "doubts": sorted_texts(action.get("doubts"), Some)?,
            }),
        );
    }
    let inner =
        |section: &str, member: &str| answer.get(section).and_then(|section| section.get(member));
    let verdict = inner("impersonation", "verdict").and_then(View::as_str);
    let pending = inner("high_risk_fields", "pending");
    Ok(json!({
        "log": brand.log_id(),
        "domain": required("domain")?,
        "status": required("status")?,
        "actions": decisions,
        "report": owned(inner("evidence", "report")),
        "observed_at": owned(inner("freshness", "observed_at")),
        "incident": owned(inner("incident", "since")),
        "impersonation": verdict.filter(|verdict| *verdict == "suspected"),
        "high_risk_pending": sorted_texts(pending, |entry| entry.get("field"))?,
    }))
}

/// The canonical bytes of the decision content of an answer that is being made. They are those of
/// [`decision_content`], but nothing of the rest of the answer is written for them.
pub fn answer_content(answer: &ResolveAnswer, brand: &Brand) -> Result<Vec<u8>, ProofError> {
    let verdict = answer.impersonation.body().map(|body| body.verdict.as_str());
    let pending = answer.high_risk_fields.iter().flat_map(|fields| &fields.pending);
    let content = AnswerContent {
        log: brand.log_id(),
        domain: &answer.domain,
        status: &answer.status,
        actions: ActionContents::of(&answer.actions),
        report: answer.evidence.report.as_deref(),
        observed_at: answer.freshness.observed_at,
        incident: answer.incident.as_ref().map(|incident| incident.since),
        impersonation: verdict.filter(|verdict| *verdict == "suspected"),
        high_risk_pending: sorted(pending.map(|entry| entry.field.as_str())),
    };
    let bytes = canonical::small_to_vec(&content)?;
    debug_assert_eq!(
        serde_json::to_value(answer).ok().map(|answer| decision_content(
            answer.as_object().unwrap_or(&Map::new()),
            brand
        )
        .and_then(|content| canonical::value_to_vec(&content))),
        Some(Ok(bytes.clone())),
        "it is the content of the answer's JSON"
    );
    Ok(bytes)
}

#[derive(Serialize)]
struct AnswerContent<'a> {
    log: String,
    domain: &'a Domain,
    status: &'a AnswerStatus,
    actions: ActionContents<'a>,
    report: Option<&'a str>,
    observed_at: Option<Timestamp>,
    incident: Option<Timestamp>,
    impersonation: Option<&'a str>,
    high_risk_pending: Vec<&'a str>,
}

/// One for each member of [`Actions`], also for those that are no decisions.
#[derive(Serialize)]
struct ActionContents<'a> {
    v: ActionContent<'a>,
    decisions: ActionContent<'a>,
    rule: ActionContent<'a>,
    read: ActionContent<'a>,
    cite: ActionContent<'a>,
    connect: ActionContent<'a>,
    transact: ActionContent<'a>,
    administer: ActionContent<'a>,
}

#[derive(Default, Serialize)]
struct ActionContent<'a> {
    decision: Option<&'a Decision>,
    doubts: Vec<&'a str>,
}

impl<'a> ActionContents<'a> {
    fn of(actions: &'a Actions) -> Self {
        // Every member is named, so that a new one is not forgotten.
        let Actions { v: _, decisions: _, rule: _, read, cite, connect, transact, administer } =
            actions;
        let CiteDecision { decision, doubts, .. } = cite;
        let of = |action: &'a ActionDecision| ActionContent::of(&action.decision, &action.doubts);
        Self {
            v: ActionContent::default(),
            decisions: ActionContent::default(),
            rule: ActionContent::default(),
            read: of(read),
            cite: ActionContent::of(decision, doubts),
            connect: of(connect),
            transact: of(transact),
            administer: of(administer),
        }
    }
}

impl<'a> ActionContent<'a> {
    fn of(decision: &'a Decision, doubts: &'a [Doubt]) -> Self {
        Self { decision: Some(decision), doubts: sorted(doubts.iter().map(Doubt::as_str)) }
    }
}

fn sorted<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut texts: Vec<&str> = texts.collect();
    texts.sort_by(|a, b| canonical::compare_utf16(a, b));
    texts
}

/// The leaf of a resolve answer.
pub fn decision_leaf(answer: &Map<String, Value>, brand: &Brand) -> Result<Digest, ProofError> {
    leaf_of(Members::Map(answer), brand)
}

/// Like [`decision_leaf`], for an answer that was read.
pub(crate) fn leaf_of(answer: Members<'_>, brand: &Brand) -> Result<Digest, ProofError> {
    Ok(leaf_hash(&canonical::small_value_to_vec(&content_of(answer, brand)?)?))
}

/// The `transparency` member of an answer whose leaf is in this batch. `head` is the batch's
/// signed head, `witnesses` the URL that lists its witnesses.
pub fn transparency(
    leaf: &Digest,
    batch: &BatchTree,
    head: &Value,
    witnesses: &str,
) -> Result<Value, ProofError> {
    let read = ChainHead::parse(head)?;
    if read.batch_root != batch.root() {
        return Err(ProofError::Head("it belongs to another batch".to_owned()));
    }
    let index = batch.index_of(leaf);
    let absent = || ProofError::Content("its leaf is not in the batch".to_owned());
    let index = index.ok_or_else(absent)?;
    Ok(json!({
        "state": "included",
        "log_id": read.log_id,
        "leaf_hash": leaf,
        "batch": read.batch,
        "index": index,
        "log_index": read.first_index + index,
        "batch_size": read.batch_size,
        "path": batch.path(index).ok_or_else(absent)?,
        "sth": head,
        "witnesses": witnesses,
        "content_rule": CONTENT_RULE,
    }))
}

/// The strings of a list, sorted as canonical JSON sorts names. Fails for a list with other values,
/// because implementations would sort those differently.
fn sorted_texts<'a>(
    list: Option<View<'a>>,
    text_of: impl Fn(View<'a>) -> Option<View<'a>>,
) -> Result<Vec<&'a str>, ProofError> {
    let refused =
        || ProofError::Content("a list in it contains something other than text".to_owned());
    let Some(list) = list.filter(|list| !list.is_null()) else { return Ok(Vec::new()) };
    let items = list.items().ok_or_else(refused)?;
    let texts = items.map(|item| text_of(item).and_then(View::as_str).ok_or_else(refused));
    let mut texts = texts.collect::<Result<Vec<_>, _>>()?;
    texts.sort_by(|a, b| canonical::compare_utf16(a, b));
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Value {
        json!({
            "kind": "svc-resolve", "domain": "a.example", "status": "partial", "answered_at": "never twice the same",
            "actions": {
                "v": 1, "rule": "r",
                "read": { "decision": "warn", "doubts": ["b", "a", "\u{10000}", "\u{e000}"], "why": "w" },
                "cite": { "doubts": null },
            },
        })
    }

    fn content(answer: &Value) -> Value {
        decision_content(answer.as_object().unwrap(), &Brand::default()).unwrap()
    }

    #[test]
    fn holds_exactly_the_nine_members() {
        assert_eq!(
            content(&answer()),
            json!({
                "log": "svc-resolve-log-v1", "domain": "a.example", "status": "partial",
                "actions": {
                    "v": { "decision": null, "doubts": [] },
                    "rule": { "decision": null, "doubts": [] },
                    "read": { "decision": "warn", "doubts": ["a", "b", "\u{10000}", "\u{e000}"] },
                    "cite": { "decision": null, "doubts": [] },
                },
                "report": null, "observed_at": null, "incident": null, "impersonation": null,
                "high_risk_pending": [],
            })
        );
    }

    #[test]
    fn takes_what_bears_on_the_decision_and_leaves_the_rest() {
        let plain = content(&answer());
        let mut same = answer();
        same["answered_at"] = "another time".into();
        same["actions"]["read"]["why"] = "another reason".into();
        same["impersonation"] = json!({ "verdict": "no_lookalike" });
        same["high_risk_fields"] = json!({ "pending": [] });
        assert_eq!(content(&same), plain);

        let mut full = answer();
        full["evidence"] = json!({ "report": "https://svc.example/r/1" });
        full["freshness"] = json!({ "observed_at": "2026-11-14T00:00:00Z", "age_hours": 3 });
        full["incident"] = json!({ "since": "2026-11-13T00:00:00Z" });
        full["impersonation"] = json!({ "verdict": "suspected" });
        full["high_risk_fields"] =
            json!({ "pending": [{ "field": "phone" }, { "field": "address" }] });
        let full = content(&full);
        assert_eq!(full["report"], "https://svc.example/r/1");
        assert_eq!(full["observed_at"], "2026-11-14T00:00:00Z");
        assert_eq!(full["incident"], "2026-11-13T00:00:00Z");
        assert_eq!(full["impersonation"], "suspected");
        assert_eq!(full["high_risk_pending"], json!(["address", "phone"]));
    }

    #[test]
    fn refuses_what_is_no_answer() {
        for (member, value) in [
            ("actions", json!(null)),
            ("actions", json!({ "read": { "doubts": [1] } })),
            ("actions", json!({ "read": { "doubts": "a" } })),
            ("high_risk_fields", json!({ "pending": [{}] })),
        ] {
            let mut answer = answer();
            answer[member] = value.clone();
            let refused = decision_content(answer.as_object().unwrap(), &Brand::default());
            assert!(matches!(refused, Err(ProofError::Content(_))), "{member} {value}");
        }
        for member in ["domain", "status", "actions"] {
            let mut answer = answer();
            answer.as_object_mut().unwrap().remove(member);
            assert!(
                decision_content(answer.as_object().unwrap(), &Brand::default()).is_err(),
                "{member}"
            );
        }
    }
}
