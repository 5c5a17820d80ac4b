//! Records made by an independent program from the interface rules alone: all of them are accepted,
//! and every changed version of them is refused.

use contract::{Brand, Timestamp};
use proof::tree_head::{ChainHead, check_chain, check_link};
use proof::verify::{CheckOutcome, Conclusion};
use proof::{KeyPolicy, KeyPurpose, SigningKey, Verdict, sha256, sign_document, verify_document};
use serde_json::{Map, Value, json};

use crate::vectors;

struct Gold {
    brand: Brand,
    policy: KeyPolicy,
    file: Value,
}

fn golds() -> Vec<Gold> {
    ["crawlcheck", "svc"]
        .into_iter()
        .filter_map(|name| {
            let file = vectors::json(&format!("reference/gold-{name}.json"))?;
            let brand = Brand::new(name).unwrap();
            let policy =
                KeyPolicy::from_directory(&file["directory"], Some(&file["rotation"]), &brand)
                    .unwrap();
            Some(Gold { brand, policy, file })
        })
        .collect()
}

impl Gold {
    fn verify(&self, document: &Value) -> Verdict {
        verify_document(&serde_json::to_vec(document).unwrap(), &self.policy, &self.brand)
    }

    fn documents(&self) -> Vec<&Value> {
        let lists =
            ["heads", "answers"].into_iter().flat_map(|name| self.file[name].as_array().unwrap());
        lists.chain([&self.file["receipt"], &self.file["revocations"]]).collect()
    }

    /// The test key of this purpose, made as the other program made it.
    fn key(&self, purpose: KeyPurpose) -> SigningKey {
        let seed = sha256(format!("test-only {purpose}\0").as_bytes());
        SigningKey::from_seed(seed.as_bytes(), purpose, Timestamp::from_millis(0)).unwrap()
    }

    /// The document with a recomputed digest and signature.
    fn seal_again(&self, document: &Value, key: &SigningKey) -> Value {
        let signed_at = document["signature"]["signed_at"].as_str().unwrap().parse().unwrap();
        let published_in = document["signature"]["key"]["published_in"].as_str().unwrap();
        let mut content = document.clone();
        content.as_object_mut().unwrap().retain(|name, _| name != "sha256" && name != "signature");
        sign_document(content, key, published_in, &self.brand, signed_at).unwrap().document
    }
}

fn assert_refused(verdict: &Verdict, case: &str) {
    assert_eq!(verdict.conclusion(), Conclusion::Refused, "{case}: {:#?}", verdict.checks);
}

#[test]
fn everything_is_accepted() {
    for gold in golds() {
        let documents = gold.documents();
        assert_eq!(documents.len(), 3 + 6 + 2);
        for document in documents {
            let verdict = gold.verify(document);
            assert!(verdict.accepted(), "{} {:#?}", document["kind"], verdict.checks);
            assert_eq!(verdict.sha256.as_deref(), document["sha256"].as_str());
        }
        let heads: Vec<ChainHead> = gold.file["heads"]
            .as_array()
            .unwrap()
            .iter()
            .map(|head| ChainHead::parse(head).unwrap())
            .collect();
        check_link(None, &heads[0]).unwrap();
        check_chain(&heads).unwrap();
    }
}

#[test]
fn signing_again_gives_the_same_signature() {
    for gold in golds() {
        for document in gold.documents() {
            let kind = document["kind"].as_str().unwrap();
            let key = gold.key(KeyPurpose::for_kind(kind, &gold.brand).unwrap());
            let mut again = gold.seal_again(document, &key);
            // The one member that is free text.
            again["signature"]["canonical"] = document["signature"]["canonical"].clone();
            assert_eq!(again, *document);
        }
    }
}

/// Every single change: each value altered, each member and item removed, one added.
fn tamperings(value: &Value, at: &str) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    match value {
        Value::Object(members) => {
            for (name, inner) in members {
                let here = format!("{at}/{name}");
                let with = |inner: Value| {
                    let mut other = members.clone();
                    other.insert(name.clone(), inner);
                    Value::Object(other)
                };
                all.extend(
                    tamperings(inner, &here).into_iter().map(|(at, inner)| (at, with(inner))),
                );
                let mut without: Map<String, Value> = members.clone();
                without.remove(name);
                all.push((format!("{here} removed"), Value::Object(without)));
            }
            let mut more = members.clone();
            more.insert("added".to_owned(), json!(1));
            all.push((format!("{at} added to"), Value::Object(more)));
        }
        Value::Array(items) => {
            for (nth, inner) in items.iter().enumerate() {
                for (at, inner) in tamperings(inner, &format!("{at}/{nth}")) {
                    let mut other = items.clone();
                    other[nth] = inner;
                    all.push((at, Value::Array(other)));
                }
                let mut without = items.clone();
                without.remove(nth);
                all.push((format!("{at}/{nth} removed"), Value::Array(without)));
            }
            all.push((format!("{at} added to"), json!([items.as_slice(), &[json!(1)]].concat())));
        }
        Value::String(text) => all.push((at.to_owned(), json!(format!("{text}x")))),
        Value::Number(number) => all.push((at.to_owned(), json!(number.as_i64().unwrap() + 1))),
        Value::Bool(word) => all.push((at.to_owned(), json!(!word))),
        Value::Null => all.push((at.to_owned(), json!("x"))),
    }
    all
}

#[test]
fn nothing_changed_is_accepted() {
    for gold in golds() {
        for document in gold.documents() {
            let mut refused = 0;
            for (at, tampered) in tamperings(document, "") {
                assert_refused(&gold.verify(&tampered), &at);
                refused += 1;
            }
            assert!(refused > 40, "{refused}");
        }
    }
}

/// Somebody who has the documents key can sign anything, but the log checks must still fail.
#[test]
fn a_log_entry_cannot_be_forged_with_the_documents_key() {
    for gold in golds() {
        let key = gold.key(KeyPurpose::Documents);
        for answer in gold.file["answers"].as_array().unwrap() {
            assert!(gold.verify(&gold.seal_again(answer, &key)).accepted());
            for (at, place) in tamperings(&answer["transparency"], "") {
                // These two only say where to read more; they are not part of the proof.
                if at.starts_with("/witnesses")
                    || at.starts_with("/content_rule")
                    || at == " added to"
                {
                    continue;
                }
                let mut forged = answer.clone();
                forged["transparency"] = place;
                assert_refused(&gold.verify(&gold.seal_again(&forged, &key)), &at);
            }
            for (pointer, value) in [
                ("/actions/read/decision", json!("block")),
                ("/actions/read/doubts", json!(["other"])),
                ("/domain", json!("z.lab")),
                ("/status", json!("measured")),
                ("/evidence/report", json!("https://svc.example/r/1")),
                ("/freshness/observed_at", json!("2026-11-13T00:00:00Z")),
                ("/impersonation/verdict", json!("suspected")),
            ] {
                let mut forged = answer.clone();
                *forged.pointer_mut(pointer).unwrap() = value;
                let verdict = gold.verify(&gold.seal_again(&forged, &key));
                assert_refused(&verdict, pointer);
                assert_eq!(verdict.check("leaf").unwrap().ok, CheckOutcome::Failed, "{pointer}");
                assert_eq!(
                    verdict.check("signature").unwrap().ok,
                    CheckOutcome::Passed,
                    "{pointer}"
                );
            }
            let mut elsewhere = answer.clone();
            elsewhere["transparency"]["log_index"] = json!(99);
            assert_refused(&gold.verify(&gold.seal_again(&elsewhere, &key)), "log_index");
            let first = answer["transparency"]["sth"]["first_index"].as_u64().unwrap();
            let index = answer["transparency"]["index"].as_u64().unwrap();
            elsewhere["transparency"]["log_index"] = json!(first + index);
            assert!(gold.verify(&gold.seal_again(&elsewhere, &key)).accepted());
        }
    }
}

#[test]
fn a_head_is_signed_by_the_log_and_a_receipt_by_the_decisions_key() {
    for gold in golds() {
        // A key refuses to sign other kinds, so this one is declared for another purpose.
        let dressed = |purpose: KeyPurpose, as_purpose: KeyPurpose| {
            let seed = sha256(format!("test-only {purpose}\0").as_bytes());
            SigningKey::from_seed(seed.as_bytes(), as_purpose, Timestamp::from_millis(0)).unwrap()
        };
        for document in gold.documents() {
            let kind = document["kind"].as_str().unwrap();
            let right = KeyPurpose::for_kind(kind, &gold.brand).unwrap();
            for purpose in KeyPurpose::ALL.into_iter().filter(|purpose| *purpose != right) {
                let verdict = gold.verify(&gold.seal_again(document, &dressed(purpose, right)));
                assert_refused(&verdict, kind);
                assert_eq!(verdict.check("key purpose").unwrap().ok, CheckOutcome::Failed);
                assert_eq!(verdict.check("signature").unwrap().ok, CheckOutcome::Passed);
            }
        }
        let stranger =
            SigningKey::from_seed(&[9; 32], KeyPurpose::Documents, Timestamp::from_millis(0))
                .unwrap();
        let verdict = gold.verify(&gold.seal_again(&gold.file["revocations"], &stranger));
        assert_refused(&verdict, "a key nobody published");
        assert_eq!(verdict.check("key published").unwrap().ok, CheckOutcome::Failed);
        assert_eq!(verdict.check("signature").unwrap().ok, CheckOutcome::Passed);
        let mut receipt = gold.file["receipt"].clone();
        for kid in [json!(stranger.kid()), json!(gold.key(KeyPurpose::LogHeads).kid()), json!(null)]
        {
            receipt["resolve"]["kid"] = kid;
            let verdict = gold.verify(&gold.seal_again(&receipt, &gold.key(KeyPurpose::Decisions)));
            assert_eq!(verdict.check("answer's key").unwrap().ok, CheckOutcome::Failed);
        }
    }
}

#[test]
fn without_a_directory_the_key_is_not_checked() {
    for gold in golds() {
        for document in gold.documents() {
            let bytes = serde_json::to_vec(document).unwrap();
            let verdict = verify_document(&bytes, &KeyPolicy::without_directory(), &gold.brand);
            assert_eq!(verdict.conclusion(), Conclusion::Incomplete);
            assert_eq!(verdict.check("key published").unwrap().ok, CheckOutcome::NotChecked);
            assert_eq!(verdict.check("signature").unwrap().ok, CheckOutcome::Passed);
            let mut tampered = document.clone();
            tampered["v"] = json!(2);
            let bytes = serde_json::to_vec(&tampered).unwrap();
            assert_refused(
                &verify_document(&bytes, &KeyPolicy::without_directory(), &gold.brand),
                "tampered",
            );
        }
    }
}

#[test]
fn another_brand_is_another_service() {
    let golds = golds();
    for (gold, other) in golds.iter().zip(golds.iter().rev()) {
        for document in gold.documents() {
            let verdict = other.verify(document);
            assert_refused(&verdict, "brand");
            assert_eq!(verdict.check("kind").unwrap().ok, CheckOutcome::Failed);
        }
    }
}
