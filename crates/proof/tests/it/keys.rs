//! Keys from the key store through signing to verification by somebody else.

use contract::records::{Transparency, TreeHead};
use contract::{Brand, Timestamp};
use proof::decision_content::{decision_leaf, transparency};
use proof::merkle_tree::BatchTree;
use proof::tree_head::{ChainHead, HeadExtras, check_chain, next_head};
use proof::verify::{CheckOutcome, Conclusion};
use proof::{
    KeyPolicy, KeyPurpose, KeyStore, ProofError, PublicKey, SignedDocument, Verdict, sign_document,
    verify_document,
};
use serde_json::{Value, json};

use crate::vectors;

const DIRECTORY: &str = "https://svc.example/.well-known/http-message-signatures-directory";

fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000 + second * 1000)
}

fn open(dir: &tempfile::TempDir) -> KeyStore {
    KeyStore::open(&dir.path().join("keys"), at(0)).unwrap()
}

fn sign(store: &KeyStore, document: Value, second: i64) -> SignedDocument {
    let brand = Brand::default();
    let purpose = KeyPurpose::for_kind(document["kind"].as_str().unwrap(), &brand).unwrap();
    let key = store.signer(purpose, at(second)).unwrap();
    sign_document(document, &key, DIRECTORY, &brand, at(second)).unwrap()
}

fn verify(store: &KeyStore, bytes: &[u8]) -> Verdict {
    let brand = Brand::default();
    let rotation = store.rotation_record(&brand);
    let policy =
        KeyPolicy::from_directory(&store.directory(&brand), Some(&rotation), &brand).unwrap();
    verify_document(bytes, &policy, &brand)
}

#[test]
fn thumbprints_of_others() {
    let Some(file) = vectors::json("web-bot-auth/vectors.json") else { return };
    let mut checked = 0;
    for case in file.as_array().unwrap() {
        let jwk: Value = serde_json::from_str(case["jwk"].as_str().unwrap()).unwrap();
        match PublicKey::from_jwk(&jwk) {
            Ok(key) => {
                assert_eq!(key.kid(), case["thumbprint"]);
                checked += 1;
            }
            Err(_) => assert_ne!(jwk["crv"], "Ed25519"),
        }
    }
    assert_eq!(checked, 1);
}

#[test]
fn a_retired_key_is_good_for_its_window() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(&dir);
    let old = sign(&store, json!({ "kind": "svc-conduct", "n": 1 }), 5);
    let old_key = store.signer(KeyPurpose::Documents, at(5)).unwrap();
    assert!(verify(&store, &old.bytes).accepted());
    store.rotate(KeyPurpose::Documents, at(10)).unwrap();
    assert!(verify(&store, &old.bytes).accepted(), "signed inside its window");
    assert!(verify(&store, &sign(&store, json!({ "kind": "svc-conduct" }), 10).bytes).accepted());
    let brand = Brand::default();
    for (second, good) in [(10, true), (11, true), (12, false)] {
        let late = sign_document(
            json!({ "kind": "svc-conduct" }),
            &old_key,
            DIRECTORY,
            &brand,
            at(second),
        )
        .unwrap();
        let verdict = verify(&store, &late.bytes);
        assert_eq!(verdict.accepted(), good, "{second}");
        assert_eq!(verdict.check("key window").unwrap().ok == CheckOutcome::Passed, good);
    }
    // The directory alone no longer lists the old key.
    let policy = KeyPolicy::from_directory(&store.directory(&brand), None, &brand).unwrap();
    let verdict = verify_document(&old.bytes, &policy, &brand);
    assert_eq!(verdict.check("key published").unwrap().ok, CheckOutcome::Failed);
}

#[test]
fn a_key_signs_nothing_before_its_start() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(&dir);
    store.rotate_from(KeyPurpose::Documents, at(100), at(5)).unwrap();
    let new = store.signer(KeyPurpose::Documents, at(100)).unwrap();
    let early =
        sign_document(json!({ "kind": "svc-a" }), &new, DIRECTORY, &Brand::default(), at(99));
    assert!(matches!(early, Err(ProofError::Key(_))));
    // Somebody who has the key can write any time into signed_at; the directory prevents acceptance.
    let mut forged = sign(&store, json!({ "kind": "svc-a" }), 100).document;
    forged["signature"]["signed_at"] = json!(at(99));
    let verdict = verify(&store, &serde_json::to_vec(&forged).unwrap());
    assert_eq!(verdict.check("key window").unwrap().ok, CheckOutcome::Failed);
}

#[test]
fn a_compromised_key_proves_nothing_by_itself() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(&dir);
    let before = sign(&store, json!({ "kind": "svc-a", "n": 1 }), 5);
    let after = sign(&store, json!({ "kind": "svc-a", "n": 2 }), 9);
    let kid = before.document["signature"]["kid"].as_str().unwrap().to_owned();
    store.mark_compromised(&kid, at(7), at(10)).unwrap();
    let verdict = verify(&store, &before.bytes);
    assert_eq!(verdict.conclusion(), Conclusion::Incomplete);
    assert_eq!(verdict.check("key window").unwrap().ok, CheckOutcome::NotChecked);
    assert_eq!(verify(&store, &after.bytes).conclusion(), Conclusion::Refused);
    assert!(verify(&store, &sign(&store, json!({ "kind": "svc-a" }), 11).bytes).accepted());
}

#[test]
fn answers_are_logged_signed_and_verified() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&dir);
    let brand = Brand::default();
    let mut heads: Vec<ChainHead> = Vec::new();
    for batch in 0..3 {
        let answers: Vec<Value> = (0..5)
            .map(|n| {
                json!({
                    "kind": "svc-resolve", "v": 1, "domain": format!("{batch}-{n}.example"), "status": "partial",
                    "actions": { "v": 1, "read": { "decision": "allow", "doubts": [] } },
                })
            })
            .collect();
        let leaves: Vec<_> = answers
            .iter()
            .map(|answer| decision_leaf(answer.as_object().unwrap(), &brand).unwrap())
            .collect();
        let tree = BatchTree::new(leaves.iter().copied());
        let head =
            next_head(heads.last(), &tree, at(batch), HeadExtras::default(), &brand).unwrap();
        let head = sign(&store, head, batch);
        assert!(verify(&store, &head.bytes).accepted());
        serde_json::from_slice::<TreeHead>(&head.bytes).unwrap();
        for (mut answer, leaf) in answers.into_iter().zip(&leaves) {
            let place = transparency(leaf, &tree, &head.document, "https://svc.example/w").unwrap();
            serde_json::from_value::<Transparency>(place.clone()).unwrap();
            answer["transparency"] = place;
            let signed = sign(&store, answer, batch);
            let verdict = verify(&store, &signed.bytes);
            assert!(verdict.accepted(), "{:#?}", verdict.checks);
        }
        let absent = proof::sha256(b"absent");
        assert!(transparency(&absent, &tree, &head.document, "").is_err());
        assert!(transparency(&leaves[0], &BatchTree::new([absent]), &head.document, "").is_err());
        heads.push(ChainHead::parse(&head.document).unwrap());
    }
    check_chain(&heads).unwrap();
}

#[test]
fn an_answer_that_is_not_in_the_log_is_not_accepted() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&dir);
    let answer =
        json!({ "kind": "svc-resolve", "domain": "a.example", "status": "partial", "actions": {} });
    for (place, conclusion) in [
        (None, Conclusion::Incomplete),
        (Some(json!({ "state": "pending", "merged_within_minutes": 30 })), Conclusion::Incomplete),
        (Some(json!({ "state": "pending", "merged_within_minutes": 31 })), Conclusion::Refused),
        (Some(json!({ "state": "pending" })), Conclusion::Refused),
        (Some(json!({ "state": "included" })), Conclusion::Refused),
        (Some(json!("included")), Conclusion::Refused),
        (Some(json!(null)), Conclusion::Refused),
    ] {
        let mut answer = answer.clone();
        if let Some(place) = &place {
            answer["transparency"] = place.clone();
        }
        let verdict = verify(&store, &sign(&store, answer, 1).bytes);
        assert_eq!(verdict.conclusion(), conclusion, "{place:?}");
    }
}

#[test]
fn hostile_bytes_are_refused_not_feared() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&dir);
    let good = sign(&store, json!({ "kind": "svc-a", "text": "a" }), 1);
    let twice =
        String::from_utf8(good.bytes.clone()).unwrap().replacen('{', "{\"kind\":\"svc-a\",", 1);
    let mut trailing = good.bytes.clone();
    trailing.extend_from_slice(b"{}");
    for bytes in [
        b"".as_slice(),
        b"null",
        b"[]",
        b"\"text\"",
        b"{}",
        b"{\"kind\":1,\"sha256\":2,\"signature\":3}",
        b"{\"kind\":\"svc-log-sth\",\"signature\":{\"key\":{\"jwk\":[]}}}",
        b"{\"kind\":\"svc-resolve\",\"transparency\":{\"state\":\"included\",\"sth\":{}}}",
        b"\xff\xfe",
        twice.as_bytes(),
        &trailing,
        &good.bytes[..good.bytes.len() - 1],
        "[".repeat(100_000).as_bytes(),
    ] {
        assert_eq!(verify(&store, bytes).conclusion(), Conclusion::Refused, "{bytes:?}");
    }
    assert!(verify(&store, &good.bytes).accepted());
    // White space and the order of members do not matter.
    assert!(
        verify(&store, serde_json::to_string_pretty(&good.document).unwrap().as_bytes()).accepted()
    );
}

#[test]
fn a_directory_that_cannot_be_trusted_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&dir);
    let brand = Brand::default();
    let directory = store.directory(&brand);
    let policy = |directory: &Value, rotation: &Value| {
        KeyPolicy::from_directory(directory, Some(rotation), &brand)
    };
    let none = json!({});
    policy(&directory, &none).unwrap();
    let key = &directory["keys"][1];
    let mut rsa = directory.clone();
    rsa["keys"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "r" }));
    policy(&rsa, &none).unwrap();
    for (member, value) in [
        ("kid", json!("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")),
        ("x", json!("AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")),
        ("kty", json!("EC")),
        ("svc_purpose", json!(1)),
        ("svc_signs_from", json!("soon")),
    ] {
        let mut bad = directory.clone();
        bad["keys"][1][member] = value.clone();
        assert!(policy(&bad, &none).is_err(), "{member} {value}");
    }
    let mut twice = directory.clone();
    twice["keys"].as_array_mut().unwrap().push(key.clone());
    assert!(policy(&twice, &none).is_err());
    assert!(policy(&json!([]), &none).is_err());
    let kid = &key["kid"];
    for rotation in [
        json!({ "retired": {} }),
        json!({ "compromised": "none" }),
        json!({ "retired": [{ "thumbprint": kid }] }),
        json!({ "retired": [{ "stopped_signing_at": at(1) }] }),
        json!({ "retired": [{ "thumbprint": kid, "stopped_signing_at": "later" }] }),
        json!({ "retired": [{ "thumbprint": "other", "x": key["x"], "stopped_signing_at": at(1) }] }),
        json!({ "compromised": [{ "thumbprint": kid }] }),
        json!({ "compromised": [{ "compromised_since": at(1) }] }),
    ] {
        assert!(policy(&directory, &rotation).is_err(), "{rotation}");
    }
}

fn remove(key: &mut Value, name: &str) {
    key.as_object_mut().unwrap().remove(name).unwrap();
}

/// Missing members of the directory are not guessed, and the standard member names are understood.
#[test]
fn a_key_needs_a_purpose_and_a_start() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&dir);
    let brand = Brand::default();
    let good = sign(&store, json!({ "kind": "svc-a" }), 5);
    let verdict = |change: fn(&mut Value), rotation: Option<Value>| {
        let mut directory = store.directory(&brand);
        change(&mut directory["keys"][1]);
        let policy = KeyPolicy::from_directory(&directory, rotation.as_ref(), &brand).unwrap();
        verify_document(&good.bytes, &policy, &brand)
    };
    assert!(verdict(|_| {}, None).accepted());
    assert!(!verdict(|key| remove(key, "svc_purpose"), None).accepted());
    assert!(!verdict(|key| key["svc_purpose"] = json!("all"), None).accepted());
    assert!(!verdict(|key| remove(key, "svc_signs_from"), None).accepted());
    let with_nbf = |key: &mut Value| {
        remove(key, "svc_signs_from");
        key["nbf"] = json!(1_800_000_000);
    };
    assert!(verdict(with_nbf, None).accepted());
    let kid = &good.document["signature"]["kid"];
    let stopped = |second| {
        Some(json!({ "retired": [{ "thumbprint": kid, "stopped_signing_at": at(second) }] }))
    };
    assert!(verdict(|_| {}, stopped(5)).accepted());
    assert!(
        !verdict(|_| {}, stopped(4)).accepted(),
        "an end applies also to a key that is still listed"
    );
    let not_before = json!({ "retired": [{
        "thumbprint": kid, "purpose": "documents", "not_before": at(1), "stopped_signing_at": at(6),
    }] });
    assert!(
        verdict(|key| *key = json!({}), Some(not_before)).accepted(),
        "a retired key without its x"
    );
}
