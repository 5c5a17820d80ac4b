//! Compares our signed documents with third-party libraries and an independent client.

use std::process::Output;

use proof::verify::Conclusion;
use serde_json::{Value, json};

use crate::tools;
use crate::verifiers::cases::Cases;
use crate::verifiers::test_log::{TestLog, write};

#[track_caller]
fn json_output(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn rfc8785_and_cryptography_make_the_whole_log_again() {
    for brand in ["svc", "crawlcheck"] {
        let Some(mut python) = tools::python() else { return };
        let log = TestLog::new(brand);
        let folder = tempfile::tempdir().unwrap();
        log.export(folder.path());
        python.arg(tools::script("check_log.py")).arg(brand).arg(folder.path());
        for (n, (_, answer)) in log.answers.iter().enumerate() {
            let file = folder.path().join(format!("answer-{n}.json"));
            write(&file, answer.to_string());
            python.arg(file);
        }
        let found = json_output(&python.output().unwrap());
        assert_eq!(found, json!({ "heads": 5, "leaves": 316, "answers": log.answers.len() }));

        // Shows that the check can fail: with one changed leaf, head or answer.
        type Damage = fn(&[u8]) -> Vec<u8>;
        let damage: [(&str, Damage); 3] = [
            ("tile/0/000", |bytes| {
                bytes.iter().enumerate().map(|(n, b)| b ^ u8::from(n == 40)).collect()
            }),
            ("sths/000000000.jsonl", |bytes| replaced(bytes, "\"batch\":1,", "\"batch\":2,")),
            ("answer-3.json", |bytes| replaced(bytes, "1-2.example", "1-3.example")),
        ];
        for (name, damage) in damage {
            let file = folder.path().join(name);
            let good = std::fs::read(&file).unwrap();
            let bad = damage(&good);
            assert_ne!(bad, good, "{name}");
            write(&file, bad);
            assert!(!python.output().unwrap().status.success(), "{name}");
            write(&file, good);
        }
    }
}

fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    String::from_utf8(bytes.to_vec()).unwrap().replacen(from, to, 1).into_bytes()
}

/// Cases that the published client accepts and both of our verifiers refuse, with the reason.
const LOOSER: [(&str, &str); 18] = [
    ("v 2", "the version of the block"),
    ("v a text", "the version of the block"),
    ("alg another", "the block's other words"),
    ("over another", "the block's other words"),
    ("inner kid another's", "the kid beside the key"),
    ("no key", "a signature without a key is taken for undecided"),
    ("jwk without x", "a signature without a key is taken for undecided"),
    ("sig with padding", "the form of base64url"),
    ("signed_at ", "other forms of moments, or other members where there is none"),
    ("path in capitals", "the form of hex"),
    ("batch_size ", "whether place and head agree on the size, where the path fits both"),
    ("log_id another", "the log id beside the head"),
    ("log_index ", "a member it does not know"),
    ("no sth", "a head that is absent is taken for one to come"),
    ("state unknown", "what is not included is taken for pending"),
    ("a head alone, with sums", "the sums, until the head comes with an answer"),
    ("receipt that names the heads key's kid", "the purpose of the answer's key"),
    ("receipt without signed_at", "it takes decided_at instead"),
];

/// What the client does not look at: members that no signature covers, and when things were signed.
const UNCHECKED: [&str; 3] = ["signature members", "signing time", "head time"];

/// The client requires that the key of a receipt's answer is active when the receipt is signed. We only
/// require that the key had started signing, because the answer may be older than the receipt.
const STRICTER: &str = "receipt on an answer of the retired key";

#[test]
fn the_published_client_takes_what_is_good_and_nothing_else() {
    let Some(mut python) = tools::python() else { return };
    let log = TestLog::new("crawlcheck");
    let folder = tempfile::tempdir().unwrap();
    let cases: Vec<_> = Cases::of(&log).list.into_iter().filter(|case| case.in_values).collect();
    let mut names = Vec::new();
    for (n, case) in cases.iter().enumerate() {
        let name = format!("{n:04}.json");
        write(&folder.path().join(&name), &case.bytes);
        names.push(json!([name, case.expected == Conclusion::Accepted]));
    }
    write(&folder.path().join("keys.json"), log.directory.to_string());
    write(&folder.path().join("rotation.json"), log.rotation.to_string());
    write(&folder.path().join("documents.json"), json!(names).to_string());
    let output = python.arg(tools::script("public_client.py")).arg(folder.path()).output().unwrap();
    let found = json_output(&output);
    let mut wrong = Vec::new();
    let mut looser = std::collections::BTreeSet::new();
    let mut unchecked_by_client = 0;
    for (case, found) in cases.iter().zip(found["documents"].as_array().unwrap()) {
        let taken = found["taken"] == json!(true);
        let right = match case.expected {
            Conclusion::Accepted => taken != (case.name == STRICTER),
            // Verifiers may treat incomplete checks differently.
            Conclusion::Incomplete => true,
            Conclusion::Refused if taken => {
                let known = LOOSER.iter().find(|(name, _)| case.name.starts_with(name));
                looser.extend(known.map(|(name, _)| *name));
                let check = case.fails.map(|name| name.trim_start_matches("head: "));
                let unchecked = check.is_some_and(|name| UNCHECKED.contains(&name));
                unchecked_by_client += u64::from(unchecked);
                known.is_some() || unchecked
            }
            Conclusion::Refused => true,
        };
        if !right {
            wrong.push(format!("{}: {found}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(looser.len(), LOOSER.len(), "only these are still taken: {looser:?}");
    assert!(unchecked_by_client > 0, "the client checks more than it did: look at UNCHECKED");
    let count = |expected| cases.iter().filter(|case| case.expected == expected).count();
    let counts = (count(Conclusion::Accepted), count(Conclusion::Refused));
    assert!(counts.0 >= 30 && counts.1 >= 150, "{counts:?}");
    eprintln!("the published client on {counts:?} good and tampered documents");
    assert_eq!((&found["heads"], &found["forks"]), (&json!(5), &json!(0)));
}
