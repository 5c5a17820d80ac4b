//! Runs two independent verifiers on the same cases: `wayleave verify` and the single-file one for Node.
//! They must agree on every check of every document.

pub(crate) mod both_verifiers;
pub(crate) mod cases;
mod json_forms;
mod log_cases;
mod log_server;
mod random_json;
mod served;
pub(crate) mod signature_changes;
pub(crate) mod test_log;

use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use proof::PublicKey;
use proof::verify::Conclusion;
use serde_json::{Value, json};

use crate::tools;
use both_verifiers::{Both, Keys, agreement, conclusion};
use cases::Cases;
use test_log::{TestKey, TestLog, write};

fn write_all(cases: &Cases, folder: &Path) -> Vec<PathBuf> {
    let files = cases.list.iter().enumerate().map(|(n, case)| {
        let path = folder.join(format!("{n:04}.json"));
        write(&path, &case.bytes);
        path
    });
    files.collect()
}

#[test]
fn agree_on_every_check_of_every_case() {
    let Some(_) = tools::node() else { return };
    for brand in ["svc", "crawlcheck"] {
        let log = TestLog::new(brand);
        let cases = Cases::of(&log);
        let folder = tempfile::tempdir().unwrap();
        let files = write_all(&cases, folder.path());
        let keys = Keys::write(&log, folder.path());
        let both = Both::run(&files, &keys.and(&[]));
        let mut wrong = Vec::new();
        let reports = both.ours.as_array().unwrap().iter().zip(both.theirs.as_array().unwrap());
        for (case, (ours, theirs)) in cases.list.iter().zip(reports) {
            if let Err(why) = agreement(ours, theirs) {
                wrong.push(format!("{}: they differ\n{why}", case.name));
            } else if conclusion(&ours["conclusion"]) != case.expected {
                wrong.push(format!("{}: not {:?}\n{ours:#}", case.name, case.expected));
            } else if let Some(name) = case.fails {
                let checks = ours["verdict"]["checks"].as_array().unwrap();
                if !checks.iter().any(|c| c["name"] == name && c["ok"] == json!(false)) {
                    wrong.push(format!("{}: {name} did not fail\n{ours:#}", case.name));
                }
            }
        }
        assert!(wrong.is_empty(), "{brand}, {} wrong:\n{}", wrong.len(), wrong.join("\n\n"));
        let count = |expected| cases.list.iter().filter(|case| case.expected == expected).count();
        let of = [Conclusion::Accepted, Conclusion::Incomplete, Conclusion::Refused].map(count);
        assert!(of[0] >= 60 && of[1] >= 4 && of[2] >= 300, "{of:?}");
        eprintln!("{brand}: {of:?} accepted, incomplete, refused: both verifiers agree");

        // Without keys nothing is accepted, and documents with other faults are still refused.
        let both = Both::run(&files, &["--brand".to_owned(), brand.to_owned()]);
        both.agree("without keys");
        assert!(!both.conclusions().contains(&Conclusion::Accepted));
        for (case, got) in cases.list.iter().zip(both.conclusions()) {
            if case.expected == Conclusion::Accepted {
                assert_eq!(got, Conclusion::Incomplete, "{}", case.name);
            }
        }
        // With another brand everything is refused.
        let both = Both::run(&files, &["--brand".to_owned(), "other".to_owned()]);
        both.agree("another brand");
        assert!(both.conclusions().iter().all(|got| *got == Conclusion::Refused));
    }
}

/// Key directories and rotation records in unusual or invalid forms.
#[test]
fn agree_on_directories() {
    let Some(_) = tools::node() else { return };
    let log = TestLog::new("svc");
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<PathBuf> = [log.answer(0), log.answer(2), log.answer(4)]
        .iter()
        .enumerate()
        .map(|(n, document)| {
            let path = folder.path().join(format!("{n}.json"));
            write(&path, document.to_string());
            path
        })
        .collect();
    let place = |kid: &str| {
        let keys = log.directory["keys"].as_array().unwrap();
        keys.iter().position(|key| key["kid"] == kid).unwrap()
    };
    let documents = place(&TestKey::Documents.kid());
    let old = log.rotation["retired"].as_array().unwrap();
    let old = old.iter().position(|key| key["thumbprint"] == TestKey::OldDocuments.kid()).unwrap();
    let key = |name: &str| format!("/directory/keys/{documents}/{name}");
    let retired = |name: &str| format!("/rotation/retired/{old}/{name}");
    use Conclusion::{Accepted, Incomplete, Refused};
    // Changes to the two records (null takes a member away), and what comes of it: of the answers
    // of batch 0, 2 and 4, or nothing where the whole is refused.
    let absent = Value::Null;
    type Change = (String, Value);
    let cases: Vec<(Vec<Change>, Option<[Conclusion; 3]>)> = vec![
        (vec![], Some([Accepted; 3])),
        (
            vec![(key("svc_signs_from"), absent.clone()), (key("nbf"), json!(1_794_268_800))],
            Some([Accepted; 3]),
        ),
        (
            vec![(key("svc_signs_from"), absent.clone()), (key("nbf"), json!(1_900_000_000))],
            Some([Accepted, Refused, Refused]),
        ),
        (
            vec![(key("svc_signs_from"), json!(9_007_199_254_740_991_i64))],
            Some([Accepted, Refused, Refused]),
        ),
        (vec![(key("svc_signs_from"), json!(-9_007_199_254_740_991_i64))], Some([Accepted; 3])),
        (vec![(key("svc_signs_from"), absent.clone())], Some([Accepted, Refused, Refused])),
        (vec![(key("svc_signs_from"), json!(1.5))], None),
        (vec![(key("svc_signs_from"), json!("soon"))], None),
        (vec![(key("svc_signs_from"), json!(true))], None),
        (vec![(key("svc_purpose"), absent.clone())], Some([Accepted, Refused, Refused])),
        (vec![(key("svc_purpose"), json!("everything"))], Some([Accepted, Refused, Refused])),
        (vec![(key("svc_purpose"), json!(["documents"]))], None),
        (vec![(key("kid"), json!("x"))], None),
        (vec![(key("kid"), json!(7))], Some([Accepted; 3])),
        (vec![(key("kid"), absent.clone())], Some([Accepted; 3])),
        (vec![(key("kty"), json!("EC"))], None),
        (vec![(key("crv"), json!("P-256"))], Some([Accepted, Refused, Refused])),
        (vec![(key("crv"), absent.clone())], Some([Accepted, Refused, Refused])),
        (vec![(key("x"), json!("AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"))], None),
        (vec![(key("x"), json!("short"))], None),
        (
            vec![
                ("/directory/keys/0".to_owned(), log.directory["keys"][documents].clone()),
                ("/directory/keys/1".to_owned(), log.directory["keys"][documents].clone()),
            ],
            None,
        ),
        (vec![("/directory/keys/0".to_owned(), json!("a text among keys"))], Some([Accepted; 3])),
        (vec![("/directory/keys".to_owned(), json!({}))], None),
        (vec![("/directory".to_owned(), json!([]))], None),
        (vec![("/rotation".to_owned(), json!([]))], Some([Refused, Refused, Accepted])),
        (vec![("/rotation/retired".to_owned(), json!({}))], None),
        (vec![("/rotation/compromised".to_owned(), json!("none"))], None),
        (
            vec![(
                "/rotation/compromised".to_owned(),
                json!([{ "thumbprint": TestKey::Documents.kid() }]),
            )],
            None,
        ),
        (
            vec![(
                "/rotation/compromised".to_owned(),
                json!([{ "compromised_since": "2026-11-01T00:00:00Z" }]),
            )],
            None,
        ),
        (
            vec![(
                "/rotation/compromised".to_owned(),
                json!([
            { "thumbprint": TestKey::Documents.kid(), "compromised_since": "2026-11-12T00:00:00Z" },
            { "thumbprint": TestKey::Documents.kid(), "compromised_since": "2026-12-12T00:00:00Z" }]),
            )],
            Some([Accepted, Incomplete, Refused]),
        ),
        (
            vec![(
                "/rotation/retired/0".to_owned(),
                json!({ "thumbprint": TestKey::Documents.kid(), "purpose": "log heads",
            "stopped_signing_at": "2026-11-12T00:00:00Z" }),
            )],
            Some([Refused, Accepted, Refused]),
        ),
        (vec![(retired("stopped_signing_at"), absent.clone())], None),
        (
            vec![(retired("stopped_signing_at"), json!("2026-11-05T12:00:01Z"))],
            Some([Refused, Accepted, Accepted]),
        ),
        (vec![(retired("stopped_signing_at"), json!(1_794_268_801))], Some([Accepted; 3])),
        (
            vec![(
                retired("x"),
                json!(TestKey::Stranger.for_purpose(proof::KeyPurpose::Documents).public().x()),
            )],
            None,
        ),
        (vec![(retired("x"), json!("???"))], None),
        (vec![(retired("x"), absent.clone())], Some([Accepted; 3])),
        (vec![(retired("purpose"), absent.clone())], Some([Refused, Accepted, Accepted])),
        (vec![(retired("purpose"), json!(1))], None),
        (vec![(retired("thumbprint"), absent.clone())], None),
        (
            vec![
                (retired("svc_signs_from"), absent.clone()),
                (retired("not_before"), json!("2026-11-01T00:00:00Z")),
            ],
            Some([Accepted; 3]),
        ),
    ];
    for (changes, expected) in &cases {
        let mut records = json!({ "directory": log.directory, "rotation": log.rotation });
        for (pointer, value) in changes {
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            match records.pointer_mut(parent).unwrap() {
                Value::Object(members) if value.is_null() => drop(members.remove(name)),
                Value::Object(members) => drop(members.insert(name.to_owned(), value.clone())),
                Value::Array(items) => items[name.parse::<usize>().unwrap()] = value.clone(),
                other => panic!("{pointer} in {other}"),
            }
        }
        let (keys, rotation) =
            (folder.path().join("keys.json"), folder.path().join("rotation.json"));
        write(&keys, records["directory"].to_string());
        write(&rotation, records["rotation"].to_string());
        let options = ["--keys", keys.to_str().unwrap(), "--rotation", rotation.to_str().unwrap()];
        let options = options.map(str::to_owned);
        match expected {
            None => Both::fail(&files, &options, "refused"),
            Some(expected) => {
                let both = Both::run(&files, &options);
                both.agree(&format!("{changes:?}"));
                assert_eq!(both.conclusions(), expected, "{changes:?}: {:#}", both.ours);
            }
        }
    }
    let broken = folder.path().join("broken.json");
    write(&broken, "{\"keys\":[],\"keys\":[]}");
    Both::fail(
        &files,
        &["--keys".to_owned(), broken.display().to_string()],
        "the key directory is not valid",
    );
    Both::fail(&files, &["--keys".to_owned(), "http://127.0.0.1:1".to_owned()], "cannot be read");
    Both::fail(&files, &["--brand".to_owned(), "Not Good".to_owned()], "--brand");
    Both::fail(&[], &[], "");
    Both::fail(&files, &["--no-such".to_owned()], "--no-such");
    Both::fail(&[folder.path().join("nowhere.json")], &[], "nowhere.json");
}

/// The Node verifier prints its results for people, and reads standard input.
#[test]
fn the_report_names_what_was_not_proven() {
    let Some(mut node) = tools::node() else { return };
    let log = TestLog::new("svc");
    let folder = tempfile::tempdir().unwrap();
    let answer = folder.path().join("answer.json");
    write(&answer, log.answer(2).to_string());
    let dir = folder.path().join("log");
    log.export(&dir);
    let keys = Keys::write(&log, folder.path());
    let say = |options: &[String], code: i32| {
        let output = tools::node()
            .unwrap()
            .arg(tools::verifier())
            .arg(&answer)
            .args(options)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let unproven = |text: &str| text.split_once("Not proven:").unwrap().1.to_owned();
    let alone = say(&[], 1);
    assert!(alone.contains("not fully checked (svc-resolve)"), "{alone}");
    assert!(alone.contains("has not been changed since"), "{alone}");
    assert!(unproven(&alone).contains("whose key that is"), "{alone}");
    let keyed = say(&keys.and(&[]), 0);
    assert!(keyed.contains("accepted (svc-resolve)"), "{keyed}");
    assert!(!unproven(&keyed).contains("key"), "{keyed}");
    assert!(unproven(&keyed).contains("the same log"), "{keyed}");
    let logged = say(&keys.and(&["--log", dir.to_str().unwrap()]), 0);
    assert!(logged.contains("has only grown since"), "{logged}");
    assert!(!unproven(&logged).contains("log"), "{logged}");
    // It is one file without dependencies.
    let input = std::fs::File::open(&answer).unwrap();
    let output = node.arg(tools::verifier()).args(["-", "--json"]).stdin(input).output().unwrap();
    let reports: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(reports[0]["conclusion"], "incomplete");
    let source = std::fs::read_to_string(tools::verifier()).unwrap();
    for line in source.lines().filter(|line| line.starts_with("import ")) {
        assert!(line.contains(" from 'node:"), "{line}");
    }
}

/// The vectors on which Ed25519 verifiers disagree: both rules accept the same of them.
#[test]
fn agree_on_the_strict_rule() {
    let Some(mut node) = tools::node() else { return };
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors/ed25519");
    let Ok(bytes) = std::fs::read(folder.join("cctv.json")) else {
        eprintln!("no folder of official vectors: left out");
        return;
    };
    let cases: Vec<Value> = serde_json::from_slice(&bytes).unwrap();
    let hex = |value: &Value| HEXLOWER.decode(value.as_str().unwrap().as_bytes()).unwrap();
    let ours: Vec<bool> = cases
        .iter()
        .map(|case| {
            let key = <[u8; 32]>::try_from(hex(&case["key"])).ok();
            let key = key.and_then(|key| PublicKey::from_bytes(key).ok());
            let message = case["msg"].as_str().unwrap().as_bytes();
            key.is_some_and(|key| key.verifies(message, &hex(&case["sig"])))
        })
        .collect();
    let program = format!(
        "import {{ strictEd25519 }} from {};
         import {{ readFileSync }} from 'node:fs';
         const cases = JSON.parse(readFileSync({}));
         const bytes = (hex) => Buffer.from(hex, 'hex');
         const said = cases.map((c) => strictEd25519(bytes(c.key), Buffer.from(c.msg), bytes(c.sig)));
         console.log(JSON.stringify(said));",
        json!(tools::verifier()),
        json!(folder.join("cctv.json"))
    );
    let output = node.args(["--input-type=module", "--eval", &program]).output().unwrap();
    let theirs: Vec<bool> =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!(ours, theirs);
    assert_eq!((ours.len(), ours.iter().filter(|yes| **yes).count()), (914, 43));
}
