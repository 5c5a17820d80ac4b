use proof::merkle_tree::{consistency_proof, leaf_hash, root};
use proof::{SigningKey, tlog::verified_cosignature_time};

use super::*;
use crate::testing;

const ORIGIN: &str = "log.example/a";

fn log_key(seed: u8) -> SigningKey {
    SigningKey::from_seed(&[seed; 32], KeyPurpose::LogHeads, Timestamp::from_millis(0)).unwrap()
}

fn vkey(seed: u8) -> VerifierKey {
    let key = log_key(seed).public().clone();
    VerifierKey::new(ORIGIN, SignatureType::Ed25519, key).unwrap()
}

/// Two histories that share their first three leaves.
fn leaves(history: u8, size: usize) -> Vec<Digest> {
    let leaf = |n: usize| leaf_hash(&[if n < 3 { 0 } else { history }, n as u8]);
    (0..size).map(leaf).collect()
}

fn request(history: u8, old: usize, new: usize) -> Vec<u8> {
    let leaves = leaves(history, new);
    let proof = if old == 0 { vec![] } else { consistency_proof(&leaves, old as u64).unwrap() };
    let text = Checkpoint::new(ORIGIN, new as u64, root(&leaves)).unwrap().text();
    let note = Note::sign(&text, ORIGIN, &log_key(1)).unwrap();
    WitnessRequest::new(old as u64, proof, note).unwrap().to_string().into_bytes()
}

fn open(dir: &Path) -> Witness {
    Witness::open(dir, "w.example/1", vec![vkey(1)], testing::clock()).unwrap()
}

#[test]
fn remembers_across_starts_what_it_cosigned() {
    let dir = tempfile::tempdir().unwrap();
    let hash = sha256(ORIGIN.as_bytes()).to_string();
    let first = open(dir.path());
    let key = first.verifier_key().unwrap();
    assert_eq!(first.checkpoint(&hash), None);
    let reply = first.add_checkpoint(&request(1, 0, 5));
    assert_eq!(reply.status, 200, "{reply:?}");
    drop(first);
    let again = open(dir.path());
    assert_eq!(again.verifier_key().unwrap(), key);
    // Its checkpoint has the log's signature and its own.
    let note = Note::parse(again.checkpoint(&hash).unwrap().as_bytes()).unwrap();
    assert_eq!(note.verify(&[key.clone(), vkey(1)]).unwrap().len(), 2);
    let line = note.signatures().iter().find(|line| line.name() == "w.example/1").unwrap();
    let at = verified_cosignature_time(note.text(), key.public(), line.bytes());
    assert_eq!(at, Some(testing::now().as_millis() as u64 / 1000));
    for (history, old, new, status) in [
        (1, 0, 5, 409),
        (1, 3, 5, 409),
        (1, 4, 4, 409),
        (2, 5, 5, 409),
        (2, 5, 9, 422),
        (1, 5, 9, 200),
        (1, 9, 9, 200),
        (1, 5, 9, 409),
    ] {
        let reply = again.add_checkpoint(&request(history, old, new));
        assert_eq!(reply.status, status, "{history} {old} {new}: {reply:?}");
        if status == 409 {
            assert_eq!(reply.media_type, SIZE_MEDIA_TYPE);
            assert!(["5\n", "9\n"].contains(&reply.body.as_str()));
        }
    }
    assert_eq!(again.add_checkpoint(b"old 1").status, 400);
    assert_eq!(again.checkpoint("nonsense"), None);
}

#[test]
fn only_one_of_two_racing_histories_is_cosigned() {
    for round in 0..20 {
        let dir = tempfile::tempdir().unwrap();
        let witness = open(dir.path());
        assert_eq!(witness.add_checkpoint(&request(1, 0, 3)).status, 200);
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|n| {
                    let witness = &witness;
                    let history = 1 + (n + round) % 2;
                    scope.spawn(move || witness.add_checkpoint(&request(history, 3, 8)).status)
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let cosigned = statuses.iter().filter(|status| **status == 200).count();
        assert_eq!(cosigned, 1, "{statuses:?}");
        assert!(statuses.iter().all(|status| [200, 409].contains(status)), "{statuses:?}");
    }
}

#[test]
fn what_cannot_be_stored_is_not_cosigned() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let witness = open(dir.path());
    assert_eq!(witness.add_checkpoint(&request(1, 0, 3)).status, 200);
    let logs = dir.path().join(LOGS_FOLDER);
    // A folder in the place of the file that is written first.
    let blocked = logs.join(format!(".unfinished-{}", state_file_name(ORIGIN)));
    std::fs::create_dir(&blocked).unwrap();
    assert_eq!(witness.add_checkpoint(&request(1, 3, 8)).status, 500);
    std::fs::remove_dir(&blocked).unwrap();
    // Its state did not change.
    assert_eq!(witness.add_checkpoint(&request(2, 3, 8)).status, 200);
    drop(witness);
    let file = logs.join(state_file_name(ORIGIN));
    let good = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, good.replace("\"size\":8", "\"size\":3")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let opened = Witness::open(dir.path(), "w.example/1", vec![vkey(1)], testing::clock());
    assert!(matches!(opened, Err(WitnessError::State { .. })), "{opened:?}");
}

#[test]
fn invalid_names_and_keys_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let open = |name, key| Witness::open(dir.path(), name, vec![key], testing::clock());
    assert!(open("not a name", vkey(1)).is_err());
    let key = log_key(1).public().clone();
    let witness = VerifierKey::new(ORIGIN, SignatureType::Cosignature, key).unwrap();
    assert!(matches!(open("w.example", witness), Err(WitnessError::NotALogKey(_))));
}
