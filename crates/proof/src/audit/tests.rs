//! A small log with every fault that one can have.

use contract::{Brand, Timestamp};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::merkle_tree::{self, BatchTree, leaf_hash};
use crate::tlog::{Checkpoint, MAX_ENTRY_BYTES, Note, SignatureType, VerifierKey};
use crate::tree_head::{ChainHead, HeadExtras, next_head};
use crate::{Digest, KeyPolicy, KeyPurpose, SigningKey, sha256, sign_document};

const ORIGIN: &str = "svc.example/svc-resolve-log-v1";

fn brand() -> Brand {
    Brand::default()
}

const DIRECTORY: &str = "https://svc.example/.well-known/http-message-signatures-directory";

fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(second * 1000)
}

fn key(seed: u8, purpose: KeyPurpose, from: i64) -> SigningKey {
    SigningKey::from_seed(&[seed; 32], purpose, at(from)).unwrap()
}

fn heads_key() -> SigningKey {
    key(1, KeyPurpose::LogHeads, 0)
}

/// A directory with these keys, each with its purpose and start.
fn policy(keys: &[&SigningKey]) -> KeyPolicy {
    let entry = |key: &&SigningKey| {
        let mut jwk = key.public().jwk();
        jwk["kid"] = json!(key.kid());
        jwk["svc_purpose"] = json!(key.purpose().as_str());
        jwk["svc_signs_from"] = json!(key.signs_from());
        jwk
    };
    let directory = json!({ "keys": keys.iter().map(entry).collect::<Vec<_>>() });
    KeyPolicy::from_directory(&directory, None, &brand()).unwrap()
}

fn audit() -> LogAudit {
    LogAudit::new(policy(&[&heads_key()]), brand())
}

#[derive(Clone)]
struct Batch {
    head: Vec<u8>,
    leaves: Vec<Digest>,
    entries: Vec<Vec<u8>>,
}

fn entries(batch: u64, count: u64) -> Vec<Vec<u8>> {
    (0..count).map(|n| format!(r#"{{"batch":{batch},"n":{n}}}"#).into_bytes()).collect()
}

/// The leaves of these contents in the order of the log, with the contents beside them.
fn sorted(entries: Vec<Vec<u8>>) -> (Vec<Digest>, Vec<Vec<u8>>) {
    let mut pairs: Vec<_> = entries.into_iter().map(|entry| (leaf_hash(&entry), entry)).collect();
    pairs.sort();
    pairs.into_iter().unzip()
}

/// The next batch of an honest log; `change` is made to the head before it is signed.
fn batch_with(
    before: &LogAudit,
    entries: Vec<Vec<u8>>,
    key: &SigningKey,
    change: impl FnOnce(&mut Value),
) -> Batch {
    let (leaves, entries) = sorted(entries);
    let mut edge = before.right_edge().clone();
    leaves.iter().for_each(|leaf| edge.push(*leaf, &mut Vec::new()));
    let tree = BatchTree::new(leaves.iter().copied());
    let second = 10 + before.last_head().map_or(0, |last| last.batch as i64 + 1);
    let extras = HeadExtras { tree_root: Some(edge.root()), ..HeadExtras::default() };
    let mut head = next_head(before.last_head(), &tree, at(second), extras, &brand()).unwrap();
    change(&mut head);
    let signed = sign_document(head, key, DIRECTORY, &brand(), at(second));
    Batch { head: signed.unwrap().bytes, leaves, entries }
}

fn batch(before: &LogAudit, count: u64) -> Batch {
    let number = before.last_head().map_or(0, |last| last.batch + 1);
    batch_with(before, entries(number, count), &heads_key(), |_| {})
}

fn take(audit: &mut LogAudit, batch: &Batch) -> Result<(), AuditFault> {
    audit.check_batch(&batch.head, &batch.leaves, Some(&batch.entries))
}

/// An audit that has gone through these batches.
fn audited(sizes: &[u64]) -> (LogAudit, Vec<Batch>) {
    let mut audit = audit();
    let mut batches = Vec::new();
    for size in sizes {
        let next = batch(&audit, *size);
        take(&mut audit, &next).unwrap();
        batches.push(next);
    }
    (audit, batches)
}

/// The kind of fault, which must name the batch and leave the audit as it was.
fn fault(audit: &LogAudit, batch: &Batch) -> FaultKind {
    let mut tried = audit.clone();
    let fault = take(&mut tried, batch).unwrap_err();
    assert_eq!(tried.state(), audit.state(), "{fault}");
    assert_eq!(tried.counts(), audit.counts(), "{fault}");
    assert!(fault.batch.is_some());
    assert!(fault.to_string().starts_with("batch "), "{fault}");
    fault.kind
}

#[test]
fn an_honest_log_passes_whole() {
    let (audit, batches) = audited(&[1, 5, 300, 20]);
    let report = audit.report();
    let all: Vec<Digest> = batches.iter().flat_map(|batch| batch.leaves.clone()).collect();
    assert_eq!((report.from_batch, report.to_batch), (Some(0), Some(3)));
    assert_eq!((report.tree_size, report.tree_root), (326, merkle_tree::root(&all)));
    let counts = AuditCounts { batches: 4, leaves: 326, entries: 326, ..AuditCounts::default() };
    assert_eq!(report.counts, counts);
    assert_eq!(report.head_sha256, Some(audit.last_head().unwrap().sha256));
    let written = serde_json::to_value(&report).unwrap();
    assert_eq!(written["batches"], 4);
    assert_eq!(written["log_id"], "svc-resolve-log-v1");
    let nothing = LogAudit::new(policy(&[]), brand()).report();
    assert_eq!(
        (nothing.from_batch, nothing.to_batch, nothing.tree_root),
        (None, None, sha256(b""))
    );
}

#[test]
fn what_was_not_at_hand_is_not_counted_as_checked() {
    let mut without_directory = LogAudit::new(KeyPolicy::without_directory(), brand());
    let (_, batches) = audited(&[3]);
    without_directory.check_batch::<Vec<u8>>(&batches[0].head, &batches[0].leaves, None).unwrap();
    let counts = without_directory.counts();
    assert_eq!((counts.entries, counts.heads_not_fully_checked), (0, 1));
    let start = audit();
    let rootless = batch_with(&start, entries(0, 2), &heads_key(), |head| {
        head.as_object_mut().unwrap().remove("tree_root");
    });
    let mut audit = start;
    take(&mut audit, &rootless).unwrap();
    assert_eq!(audit.counts().heads_without_tree_root, 1);
}

#[test]
fn complete_tiles_are_handed_out() {
    let mut audit = audit();
    let next = batch(&audit, 600);
    let mut full = Vec::new();
    audit.check_batch_with_tiles(&next.head, &next.leaves, Some(&next.entries), &mut full).unwrap();
    assert_eq!(
        full.iter().map(|tile| (tile.level, tile.index)).collect::<Vec<_>>(),
        [(0, 0), (0, 1)]
    );
    assert_eq!(full[0].hashes[..32], next.leaves[0].0);
}

#[test]
fn a_damaged_head_is_named() {
    let (audit, _) = audited(&[1, 5]);
    let good = batch(&audit, 3);
    let changed = |find: &str, put: &str| {
        let head = String::from_utf8(good.head.clone()).unwrap();
        assert!(head.contains(find), "{find}");
        Batch { head: head.replacen(find, put, 1).into_bytes(), ..good.clone() }
    };
    assert_eq!(fault(&audit, &changed("{", "{{")), FaultKind::Form);
    assert_eq!(
        fault(&audit, &changed(r#""kind":"svc-log-sth""#, r#""kind":"log""#)),
        FaultKind::Form
    );
    assert_eq!(
        fault(&audit, &changed(r#""batch_size":3"#, r#""batch_size":4"#)),
        FaultKind::Digest
    );
    let sig = serde_json::from_slice::<Value>(&good.head).unwrap()["signature"]["sig"].clone();
    let sig = sig.as_str().unwrap();
    let turned: String = sig.chars().rev().collect();
    assert_eq!(fault(&audit, &changed(sig, &turned)), FaultKind::Signature);
    assert_eq!(fault(&audit, &changed("Ed25519", "Ed448")), FaultKind::Signature);
    let empty = Batch { head: vec![], ..good.clone() };
    assert_eq!(fault(&audit, &empty), FaultKind::Form);
    let long = Batch { head: vec![b' '; MAX_HEAD_BYTES + 1], ..good.clone() };
    assert_eq!(fault(&audit, &long), FaultKind::Form);
    // A document of ours that is signed well, and no head.
    let documents = key(2, KeyPurpose::Documents, 0);
    let other =
        sign_document(json!({ "kind": "svc-conduct" }), &documents, DIRECTORY, &brand(), at(1));
    let other = Batch { head: other.unwrap().bytes, ..good };
    let both = LogAudit { policy: policy(&[&heads_key(), &documents]), ..audit.clone() };
    assert_eq!(fault(&both, &other), FaultKind::Form);
}

#[test]
fn a_key_that_may_not_sign_heads_is_named() {
    let (audit, _) = audited(&[1]);
    let stranger = batch_with(&audit, entries(1, 2), &key(9, KeyPurpose::LogHeads, 0), |_| {});
    assert_eq!(fault(&audit, &stranger), FaultKind::Key);
    // Published for documents, used for a head.
    let misused = key(1, KeyPurpose::Documents, 0);
    let for_documents = LogAudit { policy: policy(&[&misused]), ..audit.clone() };
    assert_eq!(fault(&for_documents, &batch(&audit, 2)), FaultKind::Key);
    // Published with a later start.
    let early = LogAudit { policy: policy(&[&key(1, KeyPurpose::LogHeads, 500)]), ..audit.clone() };
    assert_eq!(fault(&early, &batch(&audit, 2)), FaultKind::Key);
}

#[test]
fn sums_and_links_are_recomputed() {
    let (audit, batches) = audited(&[1, 5]);
    let with = |change: fn(&mut Value)| {
        fault(&audit, &batch_with(&audit, entries(2, 3), &heads_key(), change))
    };
    assert_eq!(with(|head| head["tree_size"] = json!(10)), FaultKind::Sums);
    assert_eq!(with(|head| head["log_id"] = json!("other-log")), FaultKind::Sums);
    assert_eq!(with(|head| head["batch"] = json!(3)), FaultKind::Link);
    assert_eq!(with(|head| head["batch"] = json!(1)), FaultKind::Link);
    assert_eq!(with(|head| head["prev_sth_sha256"] = json!(sha256(b"x"))), FaultKind::Link);
    assert_eq!(with(|head| head["created_at"] = json!(at(1))), FaultKind::Link);
    let moved = |head: &mut Value| {
        head["first_index"] = json!(7);
        head["tree_size"] = json!(10);
    };
    assert_eq!(with(moved), FaultKind::Link);
    // A batch left out, and one shown twice.
    let (fresh, _) = audited(&[]);
    assert_eq!(fault(&fresh, &batches[1]), FaultKind::Link);
    assert_eq!(fault(&audit, &batches[1]), FaultKind::Link);
}

#[test]
fn leaves_are_those_that_were_signed() {
    let (audit, _) = audited(&[1, 5]);
    let good = batch(&audit, 3);
    let with = |change: fn(&mut Batch)| {
        let mut bad = good.clone();
        change(&mut bad);
        fault(&audit, &bad)
    };
    let drop_one = |bad: &mut Batch| {
        bad.leaves.pop();
        bad.entries.pop();
    };
    assert_eq!(with(drop_one), FaultKind::LeafCount);
    assert_eq!(with(|bad| bad.leaves.swap(0, 1)), FaultKind::LeafOrder);
    assert_eq!(with(|bad| bad.leaves[1] = bad.leaves[0]), FaultKind::LeafOrder);
    assert_eq!(with(|bad| bad.leaves[2] = Digest([0xFF; 32])), FaultKind::BatchRoot);
    let root = |head: &mut Value| head["tree_root"] = json!(sha256(b"another"));
    let forged = batch_with(&audit, entries(2, 3), &heads_key(), root);
    assert_eq!(fault(&audit, &forged), FaultKind::TreeRoot);
    for no_digest in [json!("x"), json!(null), json!(7)] {
        let forged = batch_with(&audit, entries(2, 3), &heads_key(), |head| {
            head["tree_root"] = no_digest;
        });
        assert_eq!(fault(&audit, &forged), FaultKind::TreeRoot);
    }
}

#[test]
fn entries_are_what_was_logged_and_of_one_form() {
    let (audit, _) = audited(&[1]);
    let good = batch(&audit, 3);
    let with = |change: fn(&mut Batch)| {
        let mut bad = good.clone();
        change(&mut bad);
        fault(&audit, &bad)
    };
    assert_eq!(with(|bad| bad.entries.truncate(2)), FaultKind::EntryCount);
    assert_eq!(with(|bad| bad.entries[1] = b"{}".to_vec()), FaultKind::EntryHash);
    assert_eq!(with(|bad| bad.entries.swap(0, 1)), FaultKind::EntryHash);
    // Logged as they are, and yet not what a log holds.
    let logged = |entry: &[u8]| {
        fault(&audit, &batch_with(&audit, vec![entry.to_vec()], &heads_key(), |_| {}))
    };
    assert_eq!(logged(br#"{"b":1,"a":2}"#), FaultKind::EntryForm);
    assert_eq!(logged(br#"{"a": 1}"#), FaultKind::EntryForm);
    assert_eq!(logged(b"no JSON"), FaultKind::EntryForm);
    assert_eq!(logged(b""), FaultKind::EntryForm);
    let text = |length: usize| format!("\"{}\"", "x".repeat(length - 2)).into_bytes();
    assert_eq!(logged(&text(MAX_ENTRY_BYTES + 1)), FaultKind::EntryLength);
    let longest = batch_with(&audit, vec![text(MAX_ENTRY_BYTES)], &heads_key(), |_| {});
    take(&mut audit.clone(), &longest).unwrap();
}

#[test]
fn goes_on_from_a_state_as_if_it_had_not_stopped() {
    let (whole, batches) = audited(&[1, 5, 300, 20]);
    for stop in 0..=batches.len() {
        let (first, _) = audited(&[1, 5, 300, 20][..stop]);
        let written = serde_json::to_vec(&first.state()).unwrap();
        let state: AuditState = serde_json::from_slice(&written).unwrap();
        assert_eq!(state.last_batch(), stop.checked_sub(1).map(|batch| batch as u64));
        let mut audit = LogAudit::resume(policy(&[&heads_key()]), brand(), state).unwrap();
        for batch in &batches[stop..] {
            take(&mut audit, batch).unwrap();
        }
        assert_eq!(audit.state(), whole.state());
        let from = (stop < batches.len()).then_some(stop as u64);
        assert_eq!((audit.report().from_batch, audit.report().to_batch), (from, Some(3)));
    }
    let small = serde_json::to_vec(&whole.state()).unwrap().len();
    assert!(small < 8 * 1024, "{small}");
}

#[test]
fn a_state_that_does_not_agree_with_itself_is_refused() {
    let (audit, _) = audited(&[1, 5]);
    let good = serde_json::to_value(audit.state()).unwrap();
    let resumed = |state: Value| {
        let state = serde_json::from_value(state).map_err(|_| ()).ok();
        state.and_then(|state| LogAudit::resume(policy(&[]), brand(), state).ok()).is_some()
    };
    assert!(resumed(good.clone()));
    let bad: [fn(&mut Value); 9] = [
        |state| state["v"] = json!(2),
        |state| state["log_id"] = json!("other-log"),
        |state| state["head"]["log_id"] = json!("other-log"),
        |state| state["tree_size"] = json!(5),
        |state| state["head"] = json!(null),
        |state| state["head"]["batch_size"] = json!(4),
        |state| state["head"]["tree_root"] = json!("x"),
        |state| state["partial_tiles"] = json!([]),
        |state| state["partial_tiles"][0][2] = json!(sha256(b"another")),
    ];
    for (n, change) in bad.into_iter().enumerate() {
        let mut state = good.clone();
        change(&mut state);
        assert!(!resumed(state), "{n}");
    }
}

#[test]
fn two_heads_of_one_batch_are_a_fork() {
    let (audit, batches) = audited(&[1, 5, 3, 2]);
    assert_eq!(audit.compare_head(&batches[3].head), Ok(HeadComparison::SameHistory));
    // The last head names the one before it.
    assert_eq!(audit.compare_head(&batches[2].head), Ok(HeadComparison::SameHistory));
    assert_eq!(audit.compare_head(&batches[0].head), Ok(HeadComparison::Earlier));
    let (early, _) = audited(&[1]);
    assert_eq!(early.compare_head(&batches[3].head), Ok(HeadComparison::Later));
    assert_eq!(early.compare_head(&batches[1].head), Ok(HeadComparison::Later));
    assert_eq!(
        LogAudit::new(policy(&[&heads_key()]), brand()).compare_head(&batches[0].head),
        Ok(HeadComparison::Later)
    );

    let (before, _) = audited(&[1, 5, 3]);
    let other = batch_with(&before, entries(77, 2), &heads_key(), |_| {});
    let forked = |audit: &LogAudit, head: &[u8]| {
        matches!(audit.compare_head(head), Ok(HeadComparison::Forked(_)))
    };
    assert!(forked(&audit, &other.head));
    // Another history shows in the next head, and in the one before.
    let mut elsewhere = before.clone();
    take(&mut elsewhere, &other).unwrap();
    let next = batch(&elsewhere, 1);
    assert!(forked(&audit, &next.head));
    take(&mut elsewhere, &next).unwrap();
    assert!(forked(&elsewhere, &batches[3].head));
    // And further off, where there is no room for the batches between, or the dates run back.
    let (large, _) = audited(&[100]);
    assert!(forked(&large, &batches[3].head));
    let (mut late, _) = audited(&[]);
    let dated = batch_with(&late, entries(0, 1), &heads_key(), |head| {
        head["created_at"] = json!(at(9000));
    });
    take(&mut late, &dated).unwrap();
    assert!(forked(&late, &batches[3].head));
    // Beside the stored head of the same batch nothing is left open.
    let stored = ChainHead::parse(&serde_json::from_slice(&batches[0].head).unwrap()).unwrap();
    assert_eq!(audit.compare_head_with(&batches[0].head, &stored), Ok(HeadComparison::SameHistory));
    let (start, _) = audited(&[]);
    let first = batch_with(&start, entries(77, 1), &heads_key(), |_| {});
    assert!(matches!(audit.compare_head_with(&first.head, &stored), Ok(HeadComparison::Forked(_))));
}

#[test]
fn a_head_without_the_logs_signature_is_no_proof_of_a_fork() {
    let (audit, _) = audited(&[1, 5]);
    let (before, _) = audited(&[1]);
    let forged = batch_with(&before, entries(7, 5), &key(9, KeyPurpose::LogHeads, 0), |_| {});
    assert_eq!(audit.compare_head(&forged.head).unwrap_err().kind, FaultKind::Key);
    assert_eq!(audit.compare_head(b"{}").unwrap_err().kind, FaultKind::Form);
}

#[test]
fn the_checkpoint_is_that_of_the_leaves() {
    let (audit, _) = audited(&[1, 5, 300]);
    let (size, root) = (audit.right_edge().size(), audit.right_edge().root());
    let known = |seed, kind| {
        let public = key(seed, KeyPurpose::LogHeads, 0).public().clone();
        VerifierKey::new(ORIGIN, kind, public).unwrap()
    };
    let keys = [known(1, SignatureType::Ed25519)];
    let note = |origin, size, root, seed| {
        let text = Checkpoint::new(origin, size, root).unwrap().text();
        Note::sign(&text, ORIGIN, &key(seed, KeyPurpose::LogHeads, 0)).unwrap().to_string()
    };
    let good = note(ORIGIN, size, root, 1);
    audit.check_checkpoint(good.as_bytes(), ORIGIN, &keys).unwrap();
    for bad in [
        note("elsewhere.example", size, root, 1),
        note(ORIGIN, size - 1, root, 1),
        note(ORIGIN, size, sha256(b"another"), 1),
        note(ORIGIN, size, root, 2),
        good.replace(&format!("\n{size}\n"), "\n9\n"),
        "no note".to_owned(),
    ] {
        let fault = audit.check_checkpoint(bad.as_bytes(), ORIGIN, &keys).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Checkpoint, "{bad}");
    }
    // A cosignature alone does not make it the log's.
    let checkpoint = Checkpoint::new(ORIGIN, size, root).unwrap();
    let witness = key(3, KeyPurpose::LogHeads, 0);
    let line = crate::tlog::cosign(&checkpoint, ORIGIN, &witness, at(50)).unwrap();
    let cosigned = format!("{}\n{line}", checkpoint.text());
    let witnesses = [known(3, SignatureType::Cosignature)];
    assert!(audit.check_checkpoint(cosigned.as_bytes(), ORIGIN, &witnesses).is_err());
}

#[test]
fn every_fault_has_words_of_its_own() {
    let (audit, _) = audited(&[1]);
    let mut bad = batch(&audit, 3);
    bad.leaves.swap(0, 1);
    let fault = take(&mut audit.clone(), &bad).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "batch 1: its leaves are not strictly ascending (leaf 1 is not greater than leaf 0)"
    );
    assert_eq!(serde_json::to_value(&fault).unwrap()["kind"], "leaf_order");
}

#[test]
fn a_retired_key_signs_nothing_after_its_end() {
    let (audit, _) = audited(&[1]);
    let retired = |stopped: i64| {
        let key = heads_key();
        let entry = json!({
            "thumbprint": key.kid(), "purpose": "log heads", "not_before": 0,
            "stopped_signing_at": at(stopped),
        });
        let rotation = json!({ "retired": [entry] });
        let empty = json!({ "keys": [] });
        let policy = KeyPolicy::from_directory(&empty, Some(&rotation), &brand()).unwrap();
        LogAudit { policy, ..audit.clone() }
    };
    let next = batch(&audit, 2);
    assert_eq!(fault(&retired(10), &next), FaultKind::Key);
    take(&mut retired(11), &next).unwrap();
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), text in ".*") {
        let mut audit = audit();
        for head in [&bytes[..], text.as_bytes()] {
            prop_assert!(audit.check_batch(head, &[], Some(&[&bytes])).is_err());
            prop_assert!(audit.compare_head(head).is_err());
            prop_assert!(audit.check_checkpoint(head, ORIGIN, &[]).is_err());
        }
    }

    #[test]
    fn a_damaged_byte_of_what_is_signed_is_seen(place in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let (audit, _) = audited(&[2]);
        let mut next = batch(&audit, 2);
        // What stands before the signature block is covered by the digest, or is the digest.
        let text = String::from_utf8(next.head.clone()).unwrap();
        let covered = text.find(r#","signature":"#).unwrap();
        next.head[place.index(covered)] ^= 1 << bit;
        let mut tried = audit.clone();
        prop_assert!(take(&mut tried, &next).is_err());
        prop_assert_eq!(tried.state(), audit.state());
    }
}
