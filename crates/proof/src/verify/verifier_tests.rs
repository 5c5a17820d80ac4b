use contract::Timestamp;
use serde_json::{Map, Value, json};

use super::*;
use crate::decision_content::{decision_leaf, transparency};
use crate::merkle_tree::BatchTree;
use crate::tree_head::{ChainHead, HeadExtras, next_head};
use crate::verify::verify_document;
use crate::{KeyPurpose, SigningKey, canonical, sign_document};

const DIRECTORY: &str = "https://svc.example/.well-known/http-message-signatures-directory";

fn noon() -> Timestamp {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

fn key(purpose: KeyPurpose) -> SigningKey {
    let seed = if purpose == KeyPurpose::LogHeads { 2 } else { 1 };
    SigningKey::from_seed(&[seed; 32], purpose, noon().plus_millis(-1000)).unwrap()
}

/// The policy of a service with keys for these purposes.
fn policy(purposes: &[KeyPurpose]) -> KeyPolicy {
    let keys: Vec<Value> = purposes
        .iter()
        .map(|purpose| {
            let mut jwk = key(*purpose).public().jwk();
            jwk["svc_purpose"] = purpose.as_str().into();
            jwk["svc_signs_from"] = json!(key(*purpose).signs_from());
            jwk
        })
        .collect();
    KeyPolicy::from_directory(&json!({ "keys": keys }), None, &Brand::default()).unwrap()
}

fn both() -> KeyPolicy {
    policy(&[KeyPurpose::Documents, KeyPurpose::LogHeads])
}

fn sign(document: Value, purpose: KeyPurpose) -> crate::SignedDocument {
    sign_document(document, &key(purpose), DIRECTORY, &Brand::default(), noon()).unwrap()
}

/// An answer before it is logged.
fn answer(number: usize) -> Map<String, Value> {
    let answer = json!({
        "kind": "svc-resolve", "domain": format!("site{number}.example"), "status": "partial",
        "answered_at": noon(), "freshness": { "observed_at": noon() },
        "actions": { "read": { "decision": "warn", "doubts": ["b", "a\n"] } },
    });
    answer.as_object().unwrap().clone()
}

/// A change of a head.
type Change = Box<dyn Fn(&mut Value)>;

/// The answers of one batch with its head. `change` is made to the head of each after that was signed.
fn batch(number: u64, answers: usize, change: impl Fn(usize, &mut Value)) -> (Value, Vec<Vec<u8>>) {
    let brand = Brand::default();
    let answers: Vec<_> = (0..answers).map(answer).collect();
    let leaves: Vec<_> =
        answers.iter().map(|answer| decision_leaf(answer, &brand).unwrap()).collect();
    let tree = BatchTree::new(leaves.iter().copied());
    let previous = number.checked_sub(1).map(|batch| ChainHead {
        log_id: brand.log_id(),
        batch,
        first_index: batch,
        batch_size: 1,
        tree_size: number,
        batch_root: tree.root(),
        prev_sth_sha256: None,
        created_at: noon().plus_millis(-1),
        sha256: tree.root(),
    });
    let head = next_head(previous.as_ref(), &tree, noon(), HeadExtras::default(), &brand).unwrap();
    let head = sign(head, KeyPurpose::LogHeads).document;
    let sealed = answers.into_iter().zip(leaves).enumerate().map(|(nth, (mut answer, leaf))| {
        let mut place = transparency(&leaf, &tree, &head, "https://svc.example/w").unwrap();
        change(nth, &mut place["sth"]);
        answer.insert("transparency".to_owned(), place);
        sign(Value::Object(answer), KeyPurpose::Documents).bytes
    });
    let sealed = sealed.collect();
    (head, sealed)
}

#[test]
fn every_verdict_is_that_of_a_document_alone() {
    let (brand, policy) = (Brand::default(), both());
    let mut verifier = Verifier::new(&policy, &brand);
    for number in [0, 1, 0] {
        let (head, answers) = batch(number, 5, |_, _| {});
        for bytes in &answers {
            let verdict = verifier.verify(bytes);
            assert!(verdict.accepted(), "{verdict:#?}");
            assert_eq!(verdict, verify_document(bytes, &policy, &brand));
            // As people write it: the same verdict, another way of reading.
            let value = canonical::parse_strict(bytes).unwrap();
            let spaced = serde_json::to_vec_pretty(&value).unwrap();
            assert_eq!(verdict, verifier.verify(&spaced));
        }
        let bytes = canonical::value_to_vec(&head).unwrap();
        assert_eq!(verifier.verify(&bytes), verify_document(&bytes, &policy, &brand));
    }
    assert_eq!(verifier.heads.len(), 2);
    for bytes in [&b"{}"[..], b"[]", b"", b"{\"kind\":\"svc-resolve\"}", b"{\"a\":1,\"a\":1}"] {
        assert_eq!(verifier.verify(bytes), verify_document(bytes, &policy, &brand));
    }
}

#[test]
fn a_head_that_differs_anywhere_is_checked_again() {
    let (brand, policy) = (Brand::default(), both());
    let mut verifier = Verifier::new(&policy, &brand);
    let (head, good) = batch(1, 1, |_, _| {});
    assert!(verifier.verify(&good[0]).accepted());
    let mut changes: Vec<Change> = Vec::new();
    for name in head.as_object().unwrap().keys() {
        let gone = name.clone();
        changes.push(Box::new(move |head| drop(head.as_object_mut().unwrap().remove(&gone))));
        let name = name.clone();
        changes.push(Box::new(move |head| head[&name] = changed(&head[&name])));
    }
    for name in ["sig", "signed_at", "kid", "canonical", "message", "over", "v"] {
        changes.push(Box::new(move |head| {
            head["signature"][name] = changed(&head["signature"][name]);
        }));
    }
    changes.push(Box::new(|head| head["added"] = 1.into()));
    changes.push(Box::new(|head| head["signature"]["added"] = 1.into()));
    for change in changes {
        let (_, answers) = batch(1, 1, |_, head| change(head));
        let verdict = verifier.verify(&answers[0]);
        let failed: Vec<_> = verdict.checks.iter().filter(|check| is_failed(check)).collect();
        assert!(failed.iter().any(|check| check.name.starts_with("head: ")), "{failed:#?}");
        assert_eq!(verdict, verify_document(&answers[0], &policy, &brand));
        // It did not take the place of the good one, and is not remembered.
        assert!(verifier.verify(&good[0]).accepted());
        assert_eq!(verifier.heads.len(), 1);
    }
}

fn is_failed(check: &crate::verify::Check) -> bool {
    check.ok == crate::verify::CheckOutcome::Failed
}

/// The value with its last byte changed, or another value.
fn changed(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            let mut text = text.clone();
            let last = text.pop().unwrap();
            // Not `B` for `A` only: the last character of base64 has unused bits.
            text.push(if last == '0' { '8' } else { '0' });
            text.into()
        }
        Value::Number(number) => (number.as_u64().unwrap() + 1).into(),
        Value::Null => 0.into(),
        _ => Value::Null,
    }
}

#[test]
fn what_one_policy_or_brand_accepts_another_does_not_take_over() {
    let brand = Brand::default();
    let (_, answers) = batch(0, 2, |_, _| {});
    let all = both();
    assert!(Verifier::new(&all, &brand).verify(&answers[0]).accepted());
    let other = Brand::new("other").unwrap();
    let cases = [
        (policy(&[KeyPurpose::Documents]), &brand, "head: key published"),
        (both().at(noon().plus_millis(-3_600_000)), &brand, "signing time"),
        (both(), &other, "kind"),
    ];
    for (policy, brand, check) in cases {
        let mut verifier = Verifier::new(&policy, brand);
        for bytes in &answers {
            let verdict = verifier.verify(bytes);
            assert!(verdict.check(check).is_some_and(is_failed), "{check}: {verdict:#?}");
            assert_eq!(verdict, verify_document(bytes, &policy, brand));
        }
    }
}

#[test]
fn few_heads_are_remembered_and_none_that_is_long() {
    let (brand, policy) = (Brand::default(), both());
    let mut verifier = Verifier::new(&policy, &brand);
    let (_, first) = batch(0, 1, |_, _| {});
    for number in 0..3 * KNOWN_HEADS as u64 {
        let (_, answers) = batch(number, 1, |_, _| {});
        assert!(verifier.verify(&answers[0]).accepted(), "{number}");
        // What is used is kept.
        assert!(verifier.verify(&first[0]).accepted());
        assert!(verifier.heads.len() <= KNOWN_HEADS);
    }
    assert_eq!(verifier.heads.len(), KNOWN_HEADS);
    assert!(verifier.heads.knows(&head_source(&first[0])));

    let (_, second) = batch(1, 1, |_, _| {});
    assert!(!verifier.heads.knows(&head_source(&second[0])));

    let mut verifier = Verifier::new(&policy, &brand);
    let long = "x".repeat(crate::verify::known_heads::MAX_BYTES);
    let (_, answers) = batch(0, 1, |_, head| *head = long_head(head, &long));
    assert!(verifier.verify(&answers[0]).accepted());
    assert_eq!(verifier.heads.len(), 0);
    let mut alone = Verifier::of_one(&policy, &brand);
    assert!(alone.verify(&first[0]).accepted());
    assert_eq!(alone.heads.len(), 0);
}

/// The head with another member, signed again.
fn long_head(head: &Value, text: &str) -> Value {
    let mut members = head.as_object().unwrap().clone();
    members.retain(|name, _| !["sha256", "signature"].contains(&name.as_str()));
    members.insert("note".to_owned(), text.into());
    sign(Value::Object(members), KeyPurpose::LogHeads).document
}

fn head_source(answer: &[u8]) -> String {
    let answer = canonical::parse_strict(answer).unwrap();
    String::from_utf8(canonical::value_to_vec(&answer["transparency"]["sth"]).unwrap()).unwrap()
}
