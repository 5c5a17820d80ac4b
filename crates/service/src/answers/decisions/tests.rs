//! Checks of receipts and answers on a real store.

use std::sync::Arc;

use bytes::Bytes;
use contract::records::{DecisionReceipt, ResolveAnswer};
use serde_json::Value;
use store::NewRevocation;

use super::*;
use crate::Service;
use crate::answers::stored_receipt::compress_receipt;
use crate::testing::{example_answer, key_policy, now, start_service, stop_service};

const HOUR: i64 = 3_600_000;

/// Seals an answer about the example's domain, with this decision about reading.
async fn answered(service: &Service, read: Decision, at: Timestamp) -> StoredAnswer {
    let mut answer: ResolveAnswer = example_answer();
    answer.answered_at = at;
    answer.freshness.observed_at = Some(at);
    answer.freshness.fresh_until = Some(at.plus_millis(168 * HOUR));
    answer.actions.read.decision = read;
    (answer.transparency, answer.sha256, answer.signature) = (None, None, None);
    let domain = answer.domain.clone();
    let Value::Object(members) = serde_json::to_value(answer).unwrap() else { unreachable!() };
    service.log.seal_answer(members, domain).await.unwrap()
}

/// Issues a receipt for reading at the whole domain, from this answer.
async fn issued(service: &Service, of: &StoredAnswer, decision: Decision) -> Digest {
    const EXAMPLE: &str =
        include_str!("../../../../contract/tests/it/snapshots/it__schemas__decision.snap");
    let json = EXAMPLE.splitn(3, "---").nth(2).unwrap();
    let mut receipt: DecisionReceipt = serde_json::from_str(json).unwrap();
    receipt.domain = of.domain.clone();
    receipt.subject.path = None;
    let read: Value = serde_json::from_slice(&of.bytes).unwrap();
    receipt.resolve.sha256 = of.sha256.to_hex();
    receipt.resolve.kid = read["signature"]["kid"].as_str().unwrap().to_owned();
    receipt.action = Action::Read;
    receipt.decision = decision.clone();
    receipt.decided_at = of.answered_at;
    receipt.expires_at = of.answered_at.plus_millis(HOUR);
    (receipt.sha256, receipt.signature) = (None, None);
    let signed = service.keys.sign_record(&receipt, KeyPurpose::Decisions).unwrap();
    let packed = compress_receipt(&signed.bytes).unwrap();
    let stored = StoredDecision {
        lookup: StoredDecision::lookup_of(&signed.digest),
        domain: of.domain.clone(),
        action: "read".to_owned(),
        decision: decision.as_str().to_owned(),
        answer_sha256: of.sha256,
        decided_at: receipt.decided_at,
        expires_at: receipt.expires_at,
        sealed: Bytes::from(proof::envelope::encrypt(&signed.digest, &packed).unwrap()),
    };
    service.store.put_decisions(vec![stored]).await.unwrap();
    signed.digest
}

fn ask(digest: Digest) -> DecisionQuery {
    DecisionQuery { digest, host: None, action: None, at: None }
}

async fn check_decision(service: &Service, ask: DecisionQuery) -> Value {
    service.answers.check_decision(ask).await.unwrap().document.document
}

fn revocation(kind: &str, target: (&str, String), actions: &[&str]) -> NewRevocation {
    NewRevocation {
        at: now(),
        effective_from: now().plus_millis(-HOUR),
        kind: kind.to_owned(),
        target_kind: target.0.to_owned(),
        target_id: target.1,
        domain: None,
        actions: actions.iter().map(|action| (*action).to_owned()).collect(),
        reason: "evidence_wrong".to_owned(),
        why: "The evidence was wrong.".to_owned(),
        replaced_by: None,
    }
}

async fn revoke(service: &Service, entry: NewRevocation) {
    service.store.append_revocations(vec![entry], vec![]).await.unwrap();
}

#[tokio::test]
async fn a_receipt_is_accepted_by_its_host_alone_and_the_check_is_signed() {
    let dir = tempfile::tempdir().unwrap();
    let service = start_service(dir.path(), Vec::new()).await;
    let answer = answered(&service, Decision::Allow, now().plus_millis(-60_000)).await;
    let digest = issued(&service, &answer, Decision::Allow).await;
    let host = |host: &str| DecisionQuery { host: Some(host.to_owned()), ..ask(digest) };
    // The example domain is not a public name, so no host matches it here.
    let record = check_decision(&service, ask(digest)).await;
    assert_eq!((&record["state"], &record["stands"]), (&"standing".into(), &true.into()));
    assert_eq!(record["receipt"]["sha256"], digest.to_hex());
    assert_eq!(record["of_kind"], "svc-decision");
    assert_eq!(record["log"]["state"], "included");
    assert_eq!(record["accept"], false, "no host was named");
    for other in ["other.example.com", "127.0.0.1", ""] {
        assert_eq!(check_decision(&service, host(other)).await["accept"], false, "{other}");
    }
    let verdict = proof::verify_document(
        &service.answers.check_decision(ask(digest)).await.unwrap().document.bytes,
        &key_policy(dir.path()),
        service.brand(),
    );
    assert!(verdict.accepted(), "{verdict:?}");
    // The check contains the receipt as it was signed.
    let carried = serde_json::to_vec(&record["receipt"]).unwrap();
    let verdict = proof::verify_document(&carried, &key_policy(dir.path()), service.brand());
    assert!(verdict.accepted(), "{verdict:?}");
    let unknown =
        service.answers.check_decision(ask(Digest::of(b"never issued"))).await.unwrap_err();
    assert_eq!(unknown, DecisionError::Unknown);
    stop_service(service).await;
}

#[tokio::test]
async fn newer_answers_supersede_or_tighten_and_receipts_expire() {
    let dir = tempfile::tempdir().unwrap();
    let service = start_service(dir.path(), Vec::new()).await;
    let first = answered(&service, Decision::Warn, now().plus_millis(-30 * 60_000)).await;
    let receipt = issued(&service, &first, Decision::Warn).await;
    let state = async |digest: Digest| {
        let ask = DecisionQuery { action: Some(Action::Read), ..ask(digest) };
        check_decision(&service, ask).await["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state(receipt).await, "standing");
    assert_eq!(state(first.sha256).await, "standing");
    let same = answered(&service, Decision::Warn, now().plus_millis(-20 * 60_000)).await;
    assert_eq!(state(receipt).await, "superseded");
    assert_eq!(state(first.sha256).await, "superseded");
    let record = check_decision(&service, ask(receipt)).await;
    assert_eq!(record["superseded_by"]["answer_sha256"], same.sha256.to_hex());
    assert_eq!(record["stands"], true);
    answered(&service, Decision::Block, now().plus_millis(-10 * 60_000)).await;
    let record = check_decision(&service, ask(receipt)).await;
    assert_eq!((&record["state"], &record["stands"]), (&"tightened".into(), &false.into()));
    assert_eq!(record["actions"]["read"]["now"], "block");
    // The state at an earlier time.
    let then = DecisionQuery { at: Some(now().plus_millis(-25 * 60_000)), ..ask(receipt) };
    assert_eq!(check_decision(&service, then).await["state"], "standing");
    let before = DecisionQuery { at: Some(now().plus_millis(-HOUR)), ..ask(receipt) };
    assert_eq!(
        service.answers.check_decision(before).await.unwrap_err(),
        DecisionError::NotIssuedYet
    );
    let future = DecisionQuery { at: Some(now().plus_millis(HOUR)), ..ask(receipt) };
    assert_eq!(
        service.answers.check_decision(future).await.unwrap_err(),
        DecisionError::FutureTime
    );

    let old = answered(&service, Decision::Block, now().plus_millis(-2 * HOUR)).await;
    let over = issued(&service, &old, Decision::Block).await;
    assert_eq!(state(over).await, "expired");
    let cite = DecisionQuery { action: Some(Action::Cite), ..ask(receipt) };
    assert_eq!(
        service.answers.check_decision(cite).await.unwrap_err(),
        DecisionError::ActionMismatch
    );
    stop_service(service).await;
}

#[tokio::test]
async fn a_receipt_is_revoked_and_reinstated_with_everything_it_is_based_on() {
    let dir = tempfile::tempdir().unwrap();
    let service = start_service(dir.path(), Vec::new()).await;
    let answer = answered(&service, Decision::Allow, now().plus_millis(-60_000)).await;
    let digest = issued(&service, &answer, Decision::Allow).await;
    let kid = check_decision(&service, ask(digest)).await["receipt"]["signature"]["kid"].clone();
    let domain = answer.domain.to_string();
    let parent = domain.split_once('.').map(|(_, parent)| parent.to_owned()).unwrap();
    let mut targets = vec![
        ("decision", digest.to_hex()),
        ("answer", answer.sha256.to_hex()),
        ("key", kid.as_str().unwrap().to_owned()),
        ("domain", domain),
    ];
    if parent.contains('.') {
        targets.push(("domain", parent));
    }
    for target in targets {
        revoke(&service, revocation("revoked", target.clone(), &["read"])).await;
        let record = check_decision(&service, ask(digest)).await;
        assert_eq!(record["state"], "revoked", "{target:?}");
        assert_eq!(record["revoked"]["reason"], "evidence_wrong");
        let held = service.answers.held_decision(&digest.to_hex()).await.unwrap();
        assert_eq!((held.state, held.stands), (DecisionState::Revoked, false));
        revoke(&service, revocation("reinstated", target.clone(), &["read"])).await;
        assert_eq!(check_decision(&service, ask(digest)).await["state"], "standing", "{target:?}");
        // A revocation of another action.
        revoke(&service, revocation("revoked", target.clone(), &["transact"])).await;
        assert_eq!(check_decision(&service, ask(digest)).await["state"], "standing", "{target:?}");
    }
    // A key that is revoked from a later time stays valid for what it signed before.
    let mut later = revocation("revoked", ("key", kid.as_str().unwrap().to_owned()), &[]);
    later.effective_from = now().plus_millis(-1);
    revoke(&service, later).await;
    assert_eq!(check_decision(&service, ask(digest)).await["state"], "standing");
    let unknown = service.answers.held_decision(&"0".repeat(64)).await.unwrap();
    assert_eq!((unknown.state, unknown.stands), (DecisionState::Unknown, false));
    stop_service(service).await;
}

#[tokio::test]
async fn the_store_alone_gives_nothing_of_a_receipt_away_and_forgets_it() {
    let dir = tempfile::tempdir().unwrap();
    let service = start_service(dir.path(), Vec::new()).await;
    let long_ago = now().plus_millis(-31 * 24 * HOUR);
    let old = answered(&service, Decision::Allow, long_ago.plus_millis(-HOUR)).await;
    let gone = issued(&service, &old, Decision::Allow).await;
    let answer = answered(&service, Decision::Allow, now()).await;
    let digest = issued(&service, &answer, Decision::Allow).await;
    let stored = service.store.decision(StoredDecision::lookup_of(&digest)).await.unwrap().unwrap();
    for secret in [&b"ExampleBot"[..], digest.to_hex().as_bytes(), b"nonce", b"operation"] {
        assert!(!stored.sealed.windows(secret.len()).any(|part| part == secret));
    }
    assert_ne!(stored.lookup, digest);
    service.prune_store().await.unwrap();
    assert_eq!(
        service.answers.check_decision(ask(gone)).await.unwrap_err(),
        DecisionError::Unknown
    );
    assert!(service.answers.check_decision(ask(digest)).await.is_ok());
    let service: Arc<Service> = service;
    stop_service(service).await;
}
