//! A witness meets honest logs, forgetful ones and forked ones.

use contract::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::merkle_tree::{consistency_proof, leaf_hash, root};
use crate::tlog::cosign;
use crate::{KeyPurpose, SigningKey};

const ORIGIN: &str = "log.example/a";

fn key(seed: u8) -> SigningKey {
    SigningKey::from_seed(&[seed; 32], KeyPurpose::LogHeads, Timestamp::from_millis(0)).unwrap()
}

fn verifier(name: &str, kind: SignatureType, seed: u8) -> VerifierKey {
    VerifierKey::new(name, kind, key(seed).public().clone()).unwrap()
}

fn leaves(count: u64) -> Vec<Digest> {
    (0..count).map(|n| leaf_hash(&n.to_be_bytes())).collect()
}

fn state(size: u64) -> WitnessState {
    WitnessState { size, root: root(&leaves(size)) }
}

fn log(state: WitnessState) -> KnownLog {
    let keys = vec![verifier(ORIGIN, SignatureType::Ed25519, 1)];
    KnownLog { origin: ORIGIN.to_owned(), keys, state }
}

fn note(origin: &str, size: u64, root: Digest, seed: u8) -> Note {
    let text = Checkpoint::new(origin, size, root).unwrap().text();
    Note::sign(&text, origin, &key(seed)).unwrap()
}

fn request(old: u64, new: u64) -> WitnessRequest {
    let proof = consistency_proof(&leaves(new), old).unwrap_or_default();
    WitnessRequest::new(old, proof, note(ORIGIN, new, root(&leaves(new)), 1)).unwrap()
}

/// As it comes over the network.
fn decided(request: &WitnessRequest, log: Option<&KnownLog>) -> WitnessDecision {
    let read = WitnessRequest::parse(request.to_string().as_bytes()).unwrap();
    assert_eq!(&read, request);
    decide_cosignature(&read, log)
}

#[test]
fn an_honest_log_is_cosigned_from_its_first_tree_on() {
    let mut known = log(WitnessState::empty());
    for (old, new) in [(0, 0), (0, 1), (1, 6), (6, 6), (6, 306), (306, 512), (512, 2306)] {
        let decision = decided(&request(old, new), Some(&known));
        assert_eq!(decision, WitnessDecision::Cosign(state(new)), "{old} {new}");
        assert_eq!(decision.status(), 200);
        known.state = state(new);
    }
}

#[test]
fn a_request_from_another_size_gets_the_known_size() {
    for (known, old, new) in [(5, 0, 9), (5, 4, 9), (5, 6, 9), (0, 3, 9), (9, 5, 5), (5, 0, 0)] {
        let decision = decided(&request(old, new), Some(&log(state(known))));
        assert_eq!(decision, WitnessDecision::Conflict { size: known }, "{known} {old} {new}");
        assert_eq!(decision.status(), 409);
    }
}

#[test]
fn another_root_of_the_same_size_is_a_conflict() {
    let mut other = leaves(5);
    other[2] = leaf_hash(b"another");
    let forked = WitnessRequest::new(5, vec![], note(ORIGIN, 5, root(&other), 1)).unwrap();
    assert_eq!(decided(&forked, Some(&log(state(5)))), WitnessDecision::Conflict { size: 5 });
    // An empty tree has one root.
    let odd = WitnessRequest::new(0, vec![], note(ORIGIN, 0, root(&other), 1)).unwrap();
    assert_eq!(decided(&odd, Some(&log(state(0)))), WitnessDecision::Conflict { size: 0 });
}

#[test]
fn what_does_not_follow_is_a_bad_proof() {
    let known = log(state(5));
    let mut other = leaves(9);
    other[2] = leaf_hash(b"another");
    let proof = consistency_proof(&other, 5).unwrap();
    let forked = WitnessRequest::new(5, proof, note(ORIGIN, 9, root(&other), 1)).unwrap();
    assert_eq!(decided(&forked, Some(&known)), WitnessDecision::BadProof);
    let mut shorter = request(5, 9);
    shorter.proof.pop();
    assert_eq!(decided(&shorter, Some(&known)), WitnessDecision::BadProof);
    // A proof where there is nothing to prove.
    for (old, new) in [(5, 5), (0, 9)] {
        let mut longer = request(old, new);
        longer.proof.push(root(&[]));
        let decision = decided(&longer, Some(&log(state(old))));
        assert_eq!((decision, decision.status()), (WitnessDecision::BadProof, 422), "{old} {new}");
    }
}

#[test]
fn strangers_are_turned_away_before_anything_else() {
    let known = log(state(5));
    assert_eq!(decided(&request(5, 9), None), WitnessDecision::UnknownOrigin);
    let elsewhere =
        WitnessRequest::new(0, vec![], note("log.example/b", 9, root(&leaves(9)), 1)).unwrap();
    let decision = decided(&elsewhere, Some(&known));
    assert_eq!((decision, decision.status()), (WitnessDecision::UnknownOrigin, 404));
    // Another key, and so no known signature.
    let forged = WitnessRequest::new(0, vec![], note(ORIGIN, 9, root(&leaves(9)), 2)).unwrap();
    let decision = decided(&forged, Some(&known));
    assert_eq!((decision, decision.status()), (WitnessDecision::BadSignature, 403));
    // The known key's line over another text.
    let text =
        request(5, 9).to_string().replace(&format!("{ORIGIN}\n9\n"), &format!("{ORIGIN}\n8\n"));
    let moved = WitnessRequest::parse(text.as_bytes()).unwrap();
    assert_eq!(decide_cosignature(&moved, Some(&known)), WitnessDecision::BadSignature);
    // Signatures of others beside the log's do no harm.
    let mut several = note(ORIGIN, 9, root(&leaves(9)), 1);
    several.add(note(ORIGIN, 9, root(&leaves(9)), 2).signatures()[0].clone()).unwrap();
    let several = WitnessRequest::new(5, request(5, 9).proof, several).unwrap();
    assert_eq!(decided(&several, Some(&known)), WitnessDecision::Cosign(state(9)));
}

#[test]
fn an_old_size_above_the_new_is_a_bad_request() {
    let text = request(5, 9).to_string().replace("old 5\n", "old 10\n");
    let read = WitnessRequest::parse(text.as_bytes()).unwrap();
    let decision = decide_cosignature(&read, Some(&log(state(10))));
    assert_eq!((decision, decision.status()), (WitnessDecision::BadRequest, 400));
    assert_eq!(decide_cosignature(&read, None), WitnessDecision::UnknownOrigin);
    assert!(WitnessRequest::new(10, vec![], read.note().clone()).is_err());
}

#[test]
fn requests_of_another_form_are_not_read() {
    let good = request(5, 9).to_string();
    let line = to_base64(&root(&[]));
    let note = request(5, 9).note().to_string();
    for bad in [
        String::new(),
        note.clone(),
        good.replace("old 5", "old 05"),
        good.replace("old 5", "old  5"),
        good.replace("old 5", "old +5"),
        good.replace("old 5", "old -5"),
        good.replace("old 5", "Old 5"),
        good.replace("old 5", "old 18446744073709551616"),
        good.replace("old 5\n", "old 5\r\n"),
        good.replace("old 5\n", "old 5\nx\n"),
        good.replace("old 5\n", "old 5\n\n"),
        good.replace("old 5\n", &format!("old 5\n{line} \n")),
        good.replace("old 5\n", ""),
        good.replacen("\n\n", "\n", 1),
        format!("old 5\n{}\n{note}", format!("{line}\n").repeat(MAX_PROOF_HASHES + 1)),
        good.trim_end().to_owned(),
        good.replace(&format!("{ORIGIN}\n9\n"), &format!("{ORIGIN}\n09\n")),
    ] {
        assert!(WitnessRequest::parse(bad.as_bytes()).is_err(), "{bad:?}");
    }
    let full = format!("old 5\n{}\n{note}", format!("{line}\n").repeat(MAX_PROOF_HASHES));
    assert_eq!(WitnessRequest::parse(full.as_bytes()).unwrap().proof.len(), MAX_PROOF_HASHES);
    assert!(WitnessRequest::parse(&vec![b'x'; MAX_REQUEST_BYTES + 1]).is_err());
    assert!(
        WitnessRequest::new(5, vec![root(&[]); MAX_PROOF_HASHES + 1], request(5, 9).note).is_err()
    );
}

#[test]
fn the_log_takes_the_cosignatures_it_knows() {
    let request = request(5, 9);
    let at = Timestamp::from_millis(1_700_000_000_000);
    let line = |name, seed| cosign(request.checkpoint(), name, &key(seed), at).unwrap();
    let [one, two] = [line("w.example/1", 3), line("w.example/2", 4)];
    let answer = format!("{one}{two}");
    let known = [verifier("w.example/1", SignatureType::Cosignature, 3)];
    let read = parse_cosignatures(request.note(), answer.as_bytes(), &known).unwrap();
    assert_eq!(read, [(one.clone(), 1_700_000_000)]);
    // The log's own signature is no witness's.
    let own = [known[0].clone(), verifier(ORIGIN, SignatureType::Ed25519, 1)];
    let with_own = format!("{}{answer}", request.note().signatures()[0]);
    assert_eq!(parse_cosignatures(request.note(), with_own.as_bytes(), &own).unwrap().len(), 1);
    let other = Note::sign("a\n", ORIGIN, &key(1)).unwrap();
    for (note, answer, known) in [
        (request.note(), String::new(), &known[..]),
        (request.note(), answer.trim_end().to_owned(), &known),
        (request.note(), "nothing\n".to_owned(), &known),
        (request.note(), format!("more text\n\n{one}"), &known),
        (request.note(), answer.clone(), &[]),
        (request.note(), two.to_string(), &known),
        (&other, answer.clone(), &known),
    ] {
        assert!(parse_cosignatures(note, answer.as_bytes(), known).is_err(), "{answer:?}");
    }
}

#[test]
fn the_size_in_a_conflict_has_one_form() {
    assert_eq!(parse_size(b"20852014\n"), Some(20_852_014));
    for bad in [&b""[..], b"5", b"05\n", b"5\n\n", b"5 \n", b"\xFF\n"] {
        assert_eq!(parse_size(bad), None);
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), head in "(old [0-9]{0,3}\n?)?([A-Za-z0-9+/=]{0,44}\n){0,3}", tail in "[a-z \n—]{0,20}") {
        let _ = WitnessRequest::parse(&bytes);
        let _ = WitnessRequest::parse(format!("{head}\n{}{tail}", request(5, 9).note()).as_bytes());
        let _ = parse_cosignatures(request(5, 9).note(), &bytes, &[]);
        let _ = parse_size(&bytes);
    }

    #[test]
    fn a_witness_follows_one_history_only(sizes in prop::collection::vec((0_u64..40, 0_u64..40), 1..20)) {
        let mut known = log(WitnessState::empty());
        for (old, more) in sizes {
            if let WitnessDecision::Cosign(new) = decide_cosignature(&request(old, old + more), Some(&known)) {
                prop_assert!(new.size >= known.state.size);
                prop_assert_eq!(old, known.state.size);
                prop_assert_eq!(new, state(old + more));
                known.state = new;
            }
        }
    }
}
