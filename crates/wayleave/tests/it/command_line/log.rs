//! The `log` commands, and a witness that is killed.

use super::*;

#[test]
fn a_log_that_was_never_written_is_sound_and_one_that_is_not_there_cannot_be_looked_at() {
    let folder = Folder::new();
    let data = folder.path("data");
    let with =
        |arguments: &[&str]| run(&[&["log"][..], arguments, &["--store-data-dir", &data]].concat());
    for command in [&["fsck"][..], &["mark"], &["export", &folder.path("copy")]] {
        with(command).expect_error("there is no store");
    }
    assert!(!std::path::Path::new(&data).exists(), "looking must not make a store");
    run(&["licence", "list", "--store-data-dir", &data]).expect(PASSED);
    with(&["fsck"]).expect_error("there is no key directory");
    run(&["key", "list", "--store-data-dir", &data]).expect(PASSED);
    let report = with(&["fsck", "--json"]).expect(PASSED).json();
    assert_eq!((&report["tree_size"], &report["faults"]), (&json!(0), &json!([])));
    assert!(with(&["mark"]).expect(PASSED).out.contains("mark  none"));
    let done = with(&["export", &folder.path("copy"), "--json"]).expect(PASSED).json();
    assert_eq!((&done["tree_size"], &done["written"]), (&json!(0), &json!(3)));
    // `mark` writes a mark only with --accept.
    let accepted = with(&["mark", "--accept", "--json"]).expect(PASSED);
    assert_eq!(accepted.json()["accepted"], json!(true));
    assert!(accepted.err.contains("is the newest version"), "{}", accepted.err);
    assert_eq!(with(&["mark", "--json"]).expect(PASSED).json()["mark"]["tree_size"], json!(0));
}

#[test]
fn an_unreachable_log_and_a_bad_state_file_are_errors() {
    let folder = Folder::new();
    let state = folder.path("state.json");
    let monitor = ["log", "monitor", "http://127.0.0.1:1", "--once", "--state", &state];
    run(&monitor).expect_error("the log cannot be read");
    folder.write("state.json", "{}");
    run(&monitor).expect_error("--state");
}

#[test]
fn a_witness_has_the_same_key_after_a_kill() {
    let folder = Folder::new();
    let data = folder.path("witness");
    // The id does not match the key.
    let log = "log.example/a+00000000+AUiSBmSDMpCJ2iWXGXmYtDuGn8NuSDBWRc3fMt6bBwH5";
    let arguments =
        ["witness", "--listen", "127.0.0.1:0", "--data-dir", &data, "--name", "w.example/1"];
    run(&[&arguments[..], &["--log", log]].concat()).expect(COULD_NOT_CHECK);
    let key = proof_key();
    let mut keys = Vec::new();
    for _ in 0..2 {
        let mut child = piped(&mut wayleave())
            .args([&arguments[..], &["--log", &key, "--json"]].concat())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        keys.push(serde_json::from_str::<Value>(&line).unwrap()["vkey"].clone());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(keys[0], keys[1]);
    assert!(keys[0].as_str().unwrap().starts_with("w.example/1+"));
}

fn proof_key() -> String {
    let from = contract::Timestamp::from_millis(0);
    let key = proof::SigningKey::from_seed(&[1; 32], proof::KeyPurpose::LogHeads, from).unwrap();
    let public = key.public().clone();
    let kind = proof::tlog::SignatureType::Ed25519;
    proof::tlog::VerifierKey::new("log.example/a", kind, public).unwrap().to_string()
}
