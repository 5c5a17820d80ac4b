//! What became of receipts and answers, on a real store.

use std::sync::Arc;

use bytes::Bytes;
use contract::records::{DecisionReceipt, ResolveAnswer};
use serde_json::Value;
use store::NewRevocation;

use super::*;
use crate::testing::{ended, example_answer, now, policy, started};

const HOUR: i64 = 3_600_000;

/// Seals an answer about the example's domain, with this decision about reading.
async fn answered(service: &Service, read: Decision, at: Timestamp) -> KeptAnswer {
    let mut answer: ResolveAnswer = example_answer();
    answer.answered_at = at;
    answer.freshness.observed_at = Some(at);
    answer.freshness.fresh_until = Some(at.plus_millis(168 * HOUR));
    answer.actions.read.decision = read;
    (answer.transparency, answer.sha256, answer.signature) = (None, None, None);
    let domain = answer.domain.clone();
    let Value::Object(members) = serde_json::to_value(answer).unwrap() else { unreachable!() };
    service.seal_answer(members, domain).await.unwrap()
}

/// Issues a receipt for reading at the whole domain, from this answer.
async fn issued(service: &Service, of: &KeptAnswer, decision: Decision) -> Digest {
    const EXAMPLE: &str =
        include_str!("../../../contract/tests/it/snapshots/it__schemas__decision.snap");
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
    let signed = service.sign_document(&receipt, KeyPurpose::Decisions).unwrap();
    let kept = KeptDecision {
        lookup: KeptDecision::lookup_of(&signed.digest),
        domain: of.domain.clone(),
        action: "read".to_owned(),
        decision: decision.as_str().to_owned(),
        answer_sha256: of.sha256,
        decided_at: receipt.decided_at,
        expires_at: receipt.expires_at,
        sealed: Bytes::from(proof::envelope::seal(&signed.digest, &signed.bytes).unwrap()),
    };
    service.store.put_decisions(vec![kept]).await.unwrap();
    signed.digest
}

fn ask(digest: Digest) -> DecisionAsk {
    DecisionAsk { digest, host: None, action: None, at: None }
}

async fn told(service: &Service, ask: DecisionAsk) -> Value {
    service.check_decision(ask).await.unwrap().document.document
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
        why: "It was wrong.".to_owned(),
        replaced_by: None,
    }
}

async fn revoke(service: &Service, entry: NewRevocation) {
    service.store.append_revocations(vec![entry], vec![]).await.unwrap();
}

#[tokio::test]
async fn a_receipt_is_accepted_by_its_host_alone_and_the_check_is_signed() {
    let dir = tempfile::tempdir().unwrap();
    let service = started(dir.path(), Vec::new()).await;
    let answer = answered(&service, Decision::Allow, now().plus_millis(-60_000)).await;
    let digest = issued(&service, &answer, Decision::Allow).await;
    let host = |host: &str| DecisionAsk { host: Some(host.to_owned()), ..ask(digest) };
    // The domains of examples are not public names, so no host is ever one of them here.
    let record = told(&service, ask(digest)).await;
    assert_eq!((&record["state"], &record["stands"]), (&"standing".into(), &true.into()));
    assert_eq!(record["receipt"]["sha256"], digest.to_hex());
    assert_eq!(record["of_kind"], "svc-decision");
    assert_eq!(record["log"]["state"], "included");
    assert_eq!(record["accept"], false, "no host was named");
    for other in ["other.example.com", "127.0.0.1", ""] {
        assert_eq!(told(&service, host(other)).await["accept"], false, "{other}");
    }
    let verdict = proof::verify_document(
        &service.check_decision(ask(digest)).await.unwrap().document.bytes,
        &policy(dir.path()),
        service.brand(),
    );
    assert!(verdict.accepted(), "{verdict:?}");
    // The receipt that comes back is the very one that was signed.
    let carried = serde_json::to_vec(&record["receipt"]).unwrap();
    let verdict = proof::verify_document(&carried, &policy(dir.path()), service.brand());
    assert!(verdict.accepted(), "{verdict:?}");
    let unknown = service.check_decision(ask(Digest::of(b"never issued"))).await.unwrap_err();
    assert_eq!(unknown, DecisionError::Unknown);
    ended(service).await;
}

#[tokio::test]
async fn newer_answers_supersede_or_tighten_and_an_end_is_an_end() {
    let dir = tempfile::tempdir().unwrap();
    let service = started(dir.path(), Vec::new()).await;
    let first = answered(&service, Decision::Warn, now().plus_millis(-30 * 60_000)).await;
    let receipt = issued(&service, &first, Decision::Warn).await;
    let state = async |digest: Digest| {
        let ask = DecisionAsk { action: Some(Action::Read), ..ask(digest) };
        told(&service, ask).await["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state(receipt).await, "standing");
    assert_eq!(state(first.sha256).await, "standing");
    let same = answered(&service, Decision::Warn, now().plus_millis(-20 * 60_000)).await;
    assert_eq!(state(receipt).await, "superseded");
    assert_eq!(state(first.sha256).await, "superseded");
    let record = told(&service, ask(receipt)).await;
    assert_eq!(record["superseded_by"]["answer_sha256"], same.sha256.to_hex());
    assert_eq!(record["stands"], true);
    answered(&service, Decision::Block, now().plus_millis(-10 * 60_000)).await;
    let record = told(&service, ask(receipt)).await;
    assert_eq!((&record["state"], &record["stands"]), (&"tightened".into(), &false.into()));
    assert_eq!(record["actions"]["read"]["now"], "block");
    // Of an earlier moment.
    let then = DecisionAsk { at: Some(now().plus_millis(-25 * 60_000)), ..ask(receipt) };
    assert_eq!(told(&service, then).await["state"], "standing");
    let before = DecisionAsk { at: Some(now().plus_millis(-HOUR)), ..ask(receipt) };
    assert_eq!(service.check_decision(before).await.unwrap_err(), DecisionError::NotIssuedYet);
    let future = DecisionAsk { at: Some(now().plus_millis(HOUR)), ..ask(receipt) };
    assert_eq!(service.check_decision(future).await.unwrap_err(), DecisionError::NotYet);

    let old = answered(&service, Decision::Block, now().plus_millis(-2 * HOUR)).await;
    let over = issued(&service, &old, Decision::Block).await;
    assert_eq!(state(over).await, "expired");
    let cite = DecisionAsk { action: Some(Action::Cite), ..ask(receipt) };
    assert_eq!(service.check_decision(cite).await.unwrap_err(), DecisionError::OtherAction);
    ended(service).await;
}

#[tokio::test]
async fn whatever_a_receipt_rests_on_can_take_it_back_and_give_it_free() {
    let dir = tempfile::tempdir().unwrap();
    let service = started(dir.path(), Vec::new()).await;
    let answer = answered(&service, Decision::Allow, now().plus_millis(-60_000)).await;
    let digest = issued(&service, &answer, Decision::Allow).await;
    let kid = told(&service, ask(digest)).await["receipt"]["signature"]["kid"].clone();
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
        let record = told(&service, ask(digest)).await;
        assert_eq!(record["state"], "revoked", "{target:?}");
        assert_eq!(record["revoked"]["reason"], "evidence_wrong");
        let held = service.held_decision(&digest.to_hex()).await.unwrap();
        assert_eq!((held.state, held.stands), (HeldState::Revoked, false));
        revoke(&service, revocation("reinstated", target.clone(), &["read"])).await;
        assert_eq!(told(&service, ask(digest)).await["state"], "standing", "{target:?}");
        // Of another action.
        revoke(&service, revocation("revoked", target.clone(), &["transact"])).await;
        assert_eq!(told(&service, ask(digest)).await["state"], "standing", "{target:?}");
    }
    // A key that others held only later says nothing of what it signed before.
    let mut later = revocation("revoked", ("key", kid.as_str().unwrap().to_owned()), &[]);
    later.effective_from = now().plus_millis(-1);
    revoke(&service, later).await;
    assert_eq!(told(&service, ask(digest)).await["state"], "standing");
    let unknown = service.held_decision(&"0".repeat(64)).await.unwrap();
    assert_eq!((unknown.state, unknown.stands), (HeldState::Unknown, false));
    ended(service).await;
}

#[tokio::test]
async fn the_store_alone_gives_nothing_of_a_receipt_away_and_forgets_it() {
    let dir = tempfile::tempdir().unwrap();
    let service = started(dir.path(), Vec::new()).await;
    let long_ago = now().plus_millis(-31 * 24 * HOUR);
    let old = answered(&service, Decision::Allow, long_ago.plus_millis(-HOUR)).await;
    let gone = issued(&service, &old, Decision::Allow).await;
    let answer = answered(&service, Decision::Allow, now()).await;
    let digest = issued(&service, &answer, Decision::Allow).await;
    let kept = service.store.decision(KeptDecision::lookup_of(&digest)).await.unwrap().unwrap();
    for secret in [&b"ExampleBot"[..], digest.to_hex().as_bytes(), b"nonce", b"operation"] {
        assert!(!kept.sealed.windows(secret.len()).any(|part| part == secret));
    }
    assert_ne!(kept.lookup, digest);
    service.forget_decisions().await;
    assert_eq!(service.check_decision(ask(gone)).await.unwrap_err(), DecisionError::Unknown);
    assert!(service.check_decision(ask(digest)).await.is_ok());
    let service: Arc<Service> = service;
    ended(service).await;
}
