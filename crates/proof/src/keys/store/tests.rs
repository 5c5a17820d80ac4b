use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::*;
use crate::keys::private_dir::tests::crash_after;

const START: i64 = 1_800_000_000_000;

fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(START + second * 1000)
}

struct TestDirectory(tempfile::TempDir);

impl TestDirectory {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("keys")
    }

    fn open(&self, second: i64) -> KeyStore {
        KeyStore::open(&self.path(), at(second)).unwrap()
    }
}

fn kids(list: &Value, member: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|key| key[member].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_first_start_makes_one_key_per_purpose_and_the_next_finds_them() {
    let dir = TestDirectory::new();
    let brand = Brand::default();
    let store = KeyStore::open(&dir.path(), Timestamp::from_millis(START + 600)).unwrap();
    let directory = store.directory(&brand);
    let purposes = kids(&directory["keys"], "svc_purpose");
    assert_eq!(purposes, ["requests", "documents", "decisions", "log heads"]);
    assert_eq!(kids(&directory["keys"], "kid").into_iter().collect::<HashSet<_>>().len(), 4);
    for key in directory["keys"].as_array().unwrap() {
        let members: Vec<_> = key.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(members, ["crv", "kid", "kty", "svc_purpose", "svc_signs_from", "use", "x"]);
        assert_eq!(PublicKey::from_jwk(key).unwrap().kid(), key["kid"]);
        assert_eq!(key["svc_signs_from"], json!(at(0)), "a whole second");
    }
    assert_eq!(store.rotation_record(&brand), json!({ "retired": [], "compromised": [] }));
    assert_eq!(dir.open(50).directory(&brand), directory);
    for purpose in KeyPurpose::ALL {
        assert_eq!(store.signer(purpose, at(1)).unwrap().purpose(), purpose);
    }
    let error = store.signer(KeyPurpose::Documents, at(-1)).unwrap_err().to_string();
    assert!(error.contains("Check the clock."), "{error}");
    // A clock that stands before the start of all keys makes no new ones.
    assert_eq!(dir.open(-1000).directory(&brand), directory);
}

#[test]
fn two_first_starts_at_once_agree() {
    let dir = TestDirectory::new();
    let path = dir.path();
    let directories: Vec<Value> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| KeyStore::open(&path, at(0)).unwrap().directory(&Brand::default()))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(directories.iter().all(|directory| *directory == directories[0]));
    assert_eq!(directories[0]["keys"].as_array().unwrap().len(), 4);
}

#[test]
fn a_rotation_stops_the_old_key_and_destroys_its_seed() {
    let dir = TestDirectory::new();
    let brand = Brand::default();
    let mut store = dir.open(0);
    let old = store.signer(KeyPurpose::Decisions, at(5)).unwrap();
    let seed = old.encoded_seed().unwrap();
    assert!(everything(&dir).contains(seed.as_str()));
    store.rotate(KeyPurpose::Decisions, at(10)).unwrap();
    let new = store.signer(KeyPurpose::Decisions, at(10)).unwrap();
    assert_ne!(new.kid(), old.kid());
    assert!(!everything(&dir).contains(seed.as_str()));
    let reopened = dir.open(11);
    assert_eq!(reopened.directory(&brand), store.directory(&brand));
    assert!(!kids(&store.directory(&brand)["keys"], "kid").contains(&old.kid().to_owned()));
    assert_eq!(
        reopened.rotation_record(&brand),
        json!({
            "retired": [{
                "thumbprint": old.kid(), "x": old.public().x(), "purpose": "decisions",
                "svc_signs_from": at(0), "stopped_signing_at": at(11),
            }],
            "compromised": [],
        })
    );
    store.rotate(KeyPurpose::Decisions, at(10)).unwrap();
    assert_ne!(
        store.signer(KeyPurpose::Decisions, at(10)).unwrap().kid(),
        new.kid(),
        "twice in a second"
    );
    assert!(store.rotate(KeyPurpose::Decisions, at(9)).is_err(), "the clock ran back");
}

#[test]
fn a_start_ahead_lets_the_old_key_sign_until_then() {
    let dir = TestDirectory::new();
    let mut store = dir.open(0);
    let old = store.signer(KeyPurpose::LogHeads, at(1)).unwrap();
    assert!(store.rotate_from(KeyPurpose::LogHeads, at(1), at(5)).is_err(), "in the past");
    store.rotate_from(KeyPurpose::LogHeads, at(100), at(5)).unwrap();
    assert_eq!(store.directory(&Brand::default())["keys"].as_array().unwrap().len(), 5);
    assert_eq!(store.signer(KeyPurpose::LogHeads, at(99)).unwrap().kid(), old.kid());
    assert_ne!(store.signer(KeyPurpose::LogHeads, at(100)).unwrap().kid(), old.kid());
    assert_eq!(dir.open(99).signer(KeyPurpose::LogHeads, at(99)).unwrap().kid(), old.kid());
    store.reload(at(100)).unwrap();
    assert_eq!(store.directory(&Brand::default())["keys"].as_array().unwrap().len(), 4);
    assert_eq!(
        store.rotation_record(&Brand::default())["retired"][0]["stopped_signing_at"],
        json!(at(101))
    );
}

#[test]
fn a_compromised_key_stops_and_is_named() {
    let dir = TestDirectory::new();
    let brand = Brand::default();
    let mut store = dir.open(0);
    let old = store.signer(KeyPurpose::Documents, at(5)).unwrap();
    store.mark_compromised(old.kid(), at(3), at(10)).unwrap();
    assert_ne!(store.signer(KeyPurpose::Documents, at(10)).unwrap().kid(), old.kid());
    let listed = |store: &KeyStore| store.rotation_record(&brand)["compromised"].clone();
    assert_eq!(listed(&store), json!([{ "thumbprint": old.kid(), "compromised_since": at(3) }]));
    store.mark_compromised(old.kid(), at(7), at(20)).unwrap();
    assert_eq!(listed(&store)[0]["compromised_since"], json!(at(3)), "the earliest stands");
    store.mark_compromised(old.kid(), at(1), at(20)).unwrap();
    assert_eq!(listed(&dir.open(21))[0]["compromised_since"], json!(at(1)));
    assert_eq!(store.rotation_record(&brand)["retired"][0]["stopped_signing_at"], json!(at(10)));
    assert!(!everything(&dir).contains(old.encoded_seed().unwrap().as_str()));
    assert!(store.mark_compromised("nobody", at(0), at(20)).is_err());
}

#[test]
fn a_compromise_while_a_successor_waits_is_bridged() {
    let dir = TestDirectory::new();
    let mut store = dir.open(0);
    store.rotate_from(KeyPurpose::Documents, at(100), at(5)).unwrap();
    let old = store.signer(KeyPurpose::Documents, at(10)).unwrap();
    store.mark_compromised(old.kid(), at(10), at(10)).unwrap();
    let bridge = store.signer(KeyPurpose::Documents, at(10)).unwrap();
    assert_ne!(bridge.kid(), old.kid());
    assert_ne!(store.signer(KeyPurpose::Documents, at(100)).unwrap().kid(), bridge.kid());
}

type Change = fn(&mut KeyStore) -> Result<(), ProofError>;

/// A crash at every step of every change: the store opens again, every purpose has one key, no
/// stopped key has a seed, and what was published once is published still.
#[test]
fn a_crash_anywhere_leaves_a_usable_store() {
    let changes: [(&str, Change); 3] = [
        ("rotation", |store| store.rotate(KeyPurpose::Documents, at(10))),
        ("compromise", |store| {
            let kid = store.signer(KeyPurpose::Documents, at(10))?.kid().to_owned();
            store.mark_compromised(&kid, at(4), at(10))
        }),
        ("planned rotation", |store| {
            store.rotate_from(KeyPurpose::Documents, at(12), at(10))?;
            store.reload(at(12))
        }),
    ];
    for (name, change) in changes {
        let mut crashes = 0;
        loop {
            let dir = TestDirectory::new();
            let mut store = dir.open(0);
            let before = kids(&store.directory(&Brand::default())["keys"], "kid");
            crash_after(Some(crashes));
            let result = change(&mut store);
            crash_after(None);
            if result.is_ok() {
                break;
            }
            check_usable(&dir, &before, &format!("{name}, {crashes} steps"));
            crashes += 1;
        }
        assert!(crashes >= 6, "{name}: {crashes}");
    }
}

#[test]
fn a_crash_during_the_first_start_leaves_a_usable_store() {
    let mut crashes = 0;
    loop {
        let dir = TestDirectory::new();
        crash_after(Some(crashes));
        let result = KeyStore::open(&dir.path(), at(0));
        crash_after(None);
        if result.is_ok() {
            break;
        }
        check_usable(&dir, &[], &format!("first start, {crashes} steps"));
        crashes += 1;
    }
    assert!(crashes >= 20, "{crashes}");
}

fn check_usable(dir: &TestDirectory, before: &[String], case: &str) {
    let store = dir.open(20);
    let brand = Brand::default();
    let directory = kids(&store.directory(&brand)["keys"], "kid");
    let retired = kids(&store.rotation_record(&brand)["retired"], "thumbprint");
    assert_eq!(directory.len(), 4, "{case}");
    for purpose in KeyPurpose::ALL {
        store.signer(purpose, at(20)).unwrap();
    }
    assert!(before.iter().all(|kid| directory.contains(kid) || retired.contains(kid)), "{case}");
    for record in store.ring().records() {
        assert_ne!(record.signing.is_some(), record.stopped_signing_at.is_some(), "{case}");
    }
    let files = fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(files, 1 + directory.len() + retired.len(), "{case}: the lock and one file per key");
}

#[test]
fn refuses_files_that_were_opened_to_others_or_tampered_with() {
    let dir = TestDirectory::new();
    let store = dir.open(0);
    let record = store.ring().records().first().unwrap();
    let path = dir.path().join(file_name(record));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&path).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();

    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let why = KeyStore::open(&dir.path(), at(1)).unwrap_err().to_string();
    assert!(why.contains("mode 0644"), "{why}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();

    let other = SigningKey::from_seed(&[1; 32], KeyPurpose::Requests, at(0)).unwrap();
    for (member, value) in [
        ("v", json!(2)),
        ("purpose", json!("everything")),
        ("kid", json!(other.kid())),
        ("x", json!(other.public().x())),
        ("seed", json!(other.encoded_seed().unwrap().as_str())),
        ("seed", json!("AAAA")),
        ("seed", json!("no base64!")),
        ("seed", json!(null)),
        ("stopped_signing_at", json!(at(3))),
        ("compromised_since", json!(at(3))),
        ("signs_from", json!("yesterday")),
        ("more", json!(1)),
    ] {
        let mut changed = file.clone();
        changed[member] = value.clone();
        fs::write(&path, changed.to_string()).unwrap();
        let why = KeyStore::open(&dir.path(), at(1)).unwrap_err().to_string();
        assert!(why.contains(record.public.kid()), "{member} {value}: {why}");
        assert!(!why.contains(file["seed"].as_str().unwrap()), "{why}");
    }
    for cut in [0, 1, text.len() / 2] {
        fs::write(&path, &text.as_bytes()[..cut]).unwrap();
        assert!(KeyStore::open(&dir.path(), at(1)).is_err());
    }
    fs::write(&path, text).unwrap();
    dir.open(1);
}

/// All bytes in the store's files, as text.
fn everything(dir: &TestDirectory) -> String {
    let files = fs::read_dir(dir.path()).unwrap();
    files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect()
}

#[test]
fn a_store_that_another_changed_is_out_of_date_once() {
    let dir = TestDirectory::new();
    dir.open(0);
    let tick = || std::thread::sleep(std::time::Duration::from_millis(20));
    tick();
    let mut store = dir.open(0);
    assert!(!store.is_out_of_date());
    tick();
    dir.open(1).rotate(KeyPurpose::Decisions, at(1)).unwrap();
    assert!(store.is_out_of_date());
    store.reload(at(2)).unwrap();
    assert!(!store.is_out_of_date());
    // What cannot be read is tried once for each change, and keeps the keys in use.
    tick();
    fs::write(dir.path().join("documents-0009-x.json"), "{").unwrap();
    assert!(store.is_out_of_date());
    assert!(store.reload(at(3)).is_err());
    assert!(!store.is_out_of_date());
    assert!(store.signer(KeyPurpose::Documents, at(3)).is_ok());
}

#[test]
fn lost_keys_are_not_replaced_where_something_was_signed() {
    let dir = TestDirectory::new();
    let missing = |error: ProofError| match error {
        ProofError::KeysMissing { purposes, .. } => purposes,
        other => panic!("{other}"),
    };
    let open = || KeyStore::open_existing(&dir.path(), at(10)).map(|_| ());
    assert_eq!(missing(open().unwrap_err()), "requests, documents, decisions, log heads");
    assert!(!dir.path().exists(), "nothing is created");
    let mut running = dir.open(0);
    open().unwrap();
    let files = || {
        let names = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_str().unwrap().ends_with(".json")).collect::<Vec<_>>()
    };
    // A key that stopped is no lost key.
    running.rotate(KeyPurpose::LogHeads, at(5)).unwrap();
    let kid = running.signer(KeyPurpose::LogHeads, at(6)).unwrap().kid().to_owned();
    running.mark_compromised(&kid, at(6), at(7)).unwrap();
    open().unwrap();
    for name in files().iter().filter(|name| name.to_str().unwrap().starts_with("log-heads")) {
        fs::remove_file(dir.path().join(name)).unwrap();
    }
    let left = files();
    assert_eq!(missing(open().unwrap_err()), "log heads");
    assert_eq!(missing(running.reload(at(11)).unwrap_err()), "log heads");
    assert_eq!(files(), left, "nothing is created");
    assert!(running.signer(KeyPurpose::LogHeads, at(12)).is_ok(), "the loaded keys stay in use");
}
