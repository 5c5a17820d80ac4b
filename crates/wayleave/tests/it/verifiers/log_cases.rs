//! Manipulated logs, and documents checked against them.

use std::path::{Path, PathBuf};

use proof::verify::Conclusion::{self, Accepted, Incomplete, Refused};
use serde_json::{Value, json};

use super::both_verifiers::{Both, Keys};
use super::log_server::{LogServer, tree_size};
use super::test_log::{HISTORY, TestKey, TestLog, signed_by, write};
use crate::tools;

/// Five documents: answers of batches 0, 2 and 4, the head of batch 1, and a document that is not logged.
fn documents(log: &TestLog, folder: &Path) -> Vec<PathBuf> {
    let scan = json!({ "kind": log.brand.kind("scan"), "v": 1 });
    let scan = signed_by(scan, TestKey::Documents, "2026-11-14T00:00:00Z", &log.brand);
    let all = [log.answer(0), log.answer(2), log.answer(4), log.heads[1].clone(), scan];
    let files = all.iter().enumerate().map(|(n, document)| {
        let path = folder.join(format!("document-{n}.json"));
        write(&path, document.to_string());
        path
    });
    files.collect()
}

/// Expected conclusions for the five documents, and a check that must fail with part of its reason.
type Expected = ([Conclusion; 5], Option<(&'static str, &'static str)>);

#[track_caller]
fn expect(both: &Both, expected: Expected, name: &str) {
    let (conclusions, fails) = expected;
    let got: Vec<Conclusion> = both.conclusions();
    assert_eq!(got, conclusions, "{name}: {:#}", both.ours);
    let Some((check, reason)) = fails else { return };
    for (who, report) in [("wayleave", &both.ours), ("node", &both.theirs)] {
        let checks = report
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|one| one["verdict"]["checks"].as_array().unwrap());
        let mut checks = checks.filter(|one| one["name"] == check && one["ok"] == json!(false));
        assert!(
            checks.any(|one| one["detail"].as_str().unwrap().contains(reason)),
            "{name}: {who} does not say {reason:?} of {check}: {report:#}"
        );
    }
}

#[test]
fn an_exported_log() {
    let Some(_) = tools::node() else { return };
    let log = TestLog::new("svc");
    let folder = tempfile::tempdir().unwrap();
    let files = documents(&log, folder.path());
    let keys = Keys::write(&log, folder.path());
    let whole = folder.path().join("log");
    log.export(&whole);
    let sths = |dir: &Path| dir.join("sths/000000000.jsonl");
    let lines = |dir: &Path| -> Vec<String> {
        std::fs::read_to_string(sths(dir)).unwrap().lines().map(str::to_owned).collect()
    };
    let put = |dir: &Path, lines: &[String]| {
        write(&sths(dir), lines.iter().map(|l| format!("{l}\n")).collect::<String>())
    };
    let resealed = |head: &Value, batch: usize| {
        let time = head["created_at"].as_str().unwrap();
        signed_by(head.clone(), HISTORY[batch].heads, time, &log.brand).to_string()
    };
    let tile = |dir: &Path, name: &str| dir.join("tile/0").join(name);

    type Damage<'a> = Box<dyn Fn(&Path) + 'a>;
    let all = [Accepted, Accepted, Accepted, Accepted, Incomplete];
    let none = [Refused, Refused, Refused, Refused, Incomplete];
    let cases: Vec<(&str, Damage<'_>, Expected)> = vec![
        ("as it was written", Box::new(|_| {}), (all, None)),
        (
            "without the last line feed",
            Box::new(|dir| {
                write(&sths(dir), lines(dir).join("\n"));
            }),
            (all, None),
        ),
        (
            "with a whole tile for a part of one",
            Box::new(|dir| {
                let part = std::fs::read(tile(dir, "001.p/60")).unwrap();
                std::fs::remove_file(tile(dir, "001.p/60")).unwrap();
                write(&tile(dir, "001"), [part, vec![7; 8192 - 60 * 32]].concat());
            }),
            (all, None),
        ),
        (
            "batch 2 has another head, rightly signed",
            Box::new(|dir| {
                let mut all = lines(dir);
                let mut other = log.heads[2].clone();
                other["created_at"] = json!("2026-11-11T12:00:00.5Z");
                all[2] = resealed(&other, 2);
                put(dir, &all);
            }),
            ([Refused, Refused, Accepted, Refused, Incomplete], Some(("log head", "another head"))),
        ),
        (
            "history from batch 2 on is another, all of it rightly signed",
            Box::new(|dir| {
                let mut all = lines(dir);
                let mut before: Option<Value> = None;
                for (n, line) in all.iter_mut().enumerate().skip(2) {
                    let mut other = log.heads[n].clone();
                    other["rewritten"] = json!(true);
                    if let Some(before) = &before {
                        other["prev_sth_sha256"] = before["sha256"].clone();
                    }
                    *line = resealed(&other, n);
                    before = Some(serde_json::from_str(line).unwrap());
                }
                put(dir, &all);
            }),
            (
                [Accepted, Refused, Refused, Accepted, Incomplete],
                Some(("log head", "another head")),
            ),
        ),
        (
            "a head is left out",
            Box::new(|dir| {
                let mut all = lines(dir);
                all.remove(3);
                put(dir, &all);
            }),
            (
                [Refused, Refused, Incomplete, Refused, Incomplete],
                Some(("chain", "batch 3: the log lists the head of batch 4 here")),
            ),
        ),
        (
            "a head is there twice",
            Box::new(|dir| {
                let mut all = lines(dir);
                all.insert(3, all[2].clone());
                put(dir, &all);
            }),
            (none, Some(("chain", "batch 3: the log lists the head of batch 2 here"))),
        ),
        (
            "a head with the signature of another",
            Box::new(|dir| {
                let mut all = lines(dir);
                let mut other = log.heads[3].clone();
                other["signature"]["sig"] = log.heads[4]["signature"]["sig"].clone();
                all[3] = other.to_string();
                put(dir, &all);
            }),
            (
                [Refused, Refused, Accepted, Refused, Incomplete],
                Some(("chain", "batch 3: signature")),
            ),
        ),
        (
            "a head signed by the documents key",
            Box::new(|dir| {
                let mut all = lines(dir);
                all[3] = signed_by(
                    log.heads[3].clone(),
                    TestKey::Documents,
                    "2026-11-13T12:00:00Z",
                    &log.brand,
                )
                .to_string();
                put(dir, &all);
            }),
            (
                [Refused, Refused, Accepted, Refused, Incomplete],
                Some(("chain", "batch 3: key purpose")),
            ),
        ),
        (
            "a head with another tree_root, signed by its key",
            Box::new(|dir| {
                let mut all = lines(dir);
                let mut other = log.heads[4].clone();
                other["tree_root"] = json!(proof::sha256(b"another"));
                all[4] = resealed(&other, 4);
                put(dir, &all);
            }),
            (
                none,
                Some((
                    "consistency",
                    "batch 4: the leaves up to its end do not hash to its tree_root",
                )),
            ),
        ),
        (
            "a head with another batch_root, signed by its key",
            Box::new(|dir| {
                let mut all = lines(dir);
                let mut other = log.heads[4].clone();
                other["batch_root"] = json!(proof::sha256(b"another"));
                all[4] = resealed(&other, 4);
                put(dir, &all);
            }),
            (none, Some(("consistency", "batch 4: its leaves do not hash to its batch_root"))),
        ),
        (
            "a head with a tree_root that is no digest",
            Box::new(|dir| {
                let mut all = lines(dir);
                let mut other = log.heads[4].clone();
                other["tree_root"] = json!("no");
                all[4] = resealed(&other, 4);
                put(dir, &all);
            }),
            (none, Some(("chain", "batch 4: tree_root"))),
        ),
        (
            "a head of another kind",
            Box::new(|dir| {
                let mut all = lines(dir);
                all[4] = log.answer(4).to_string();
                put(dir, &all);
            }),
            (none, Some(("chain", "batch 4: it is not a tree head"))),
        ),
        (
            "a line that is no JSON",
            Box::new(|dir| {
                let mut all = lines(dir);
                all[4].truncate(100);
                put(dir, &all);
            }),
            (none, Some(("chain", "batch 4: not strict JSON"))),
        ),
        (
            "a line too many, and empty",
            Box::new(|dir| {
                write(&sths(dir), format!("{}\n\n", lines(dir).join("\n")));
            }),
            (none, Some(("chain", "batch 5: not strict JSON"))),
        ),
        (
            "one leaf changed",
            Box::new(|dir| {
                let mut bytes = std::fs::read(tile(dir, "000")).unwrap();
                bytes[32 * 8 + 31] ^= 1;
                write(&tile(dir, "000"), bytes);
            }),
            (none, Some(("consistency", "batch 2"))),
        ),
        (
            "two leaves in the wrong order",
            Box::new(|dir| {
                let mut bytes = std::fs::read(tile(dir, "000")).unwrap();
                bytes[32..96].rotate_left(32);
                write(&tile(dir, "000"), bytes);
            }),
            (none, Some(("consistency", "ascending order"))),
        ),
        (
            "a tile is missing",
            Box::new(|dir| {
                std::fs::remove_file(tile(dir, "000")).unwrap();
            }),
            (
                none,
                Some(("consistency", "tile 0 of level 0 is missing or does not have 256 hashes")),
            ),
        ),
        (
            "the last tile is missing",
            Box::new(|dir| {
                std::fs::remove_dir_all(tile(dir, "001.p")).unwrap();
            }),
            (
                none,
                Some(("consistency", "tile 1 of level 0 is missing or does not have 60 hashes")),
            ),
        ),
        (
            "a tile is cut short",
            Box::new(|dir| {
                let bytes = std::fs::read(tile(dir, "001.p/60")).unwrap();
                write(&tile(dir, "001.p/60"), &bytes[..bytes.len() - 1]);
            }),
            (none, Some(("consistency", "tile 1"))),
        ),
        (
            "an older copy",
            Box::new(|dir| {
                let mut all = lines(dir);
                all.truncate(4);
                put(dir, &all);
                let bytes = std::fs::read(tile(dir, "001.p/60")).unwrap();
                write(&tile(dir, "001.p/57"), &bytes[..57 * 32]);
            }),
            ([Accepted, Accepted, Incomplete, Accepted, Incomplete], None),
        ),
        ("no heads", Box::new(|dir| write(&sths(dir), "")), ([Incomplete; 5], None)),
        (
            "heads without tree_root",
            Box::new(|dir| {
                let mut all = lines(dir);
                let mut other = log.heads[4].clone();
                other.as_object_mut().unwrap().remove("tree_root");
                all[4] = resealed(&other, 4);
                put(dir, &all);
            }),
            ([Incomplete, Incomplete, Refused, Incomplete, Incomplete], None),
        ),
    ];
    let count = cases.len();
    for (name, damage, expected) in cases {
        let dir = folder.path().join("case");
        copy(&whole, &dir);
        damage(&dir);
        let both = Both::run(&files, &keys.and(&["--log", dir.to_str().unwrap()]));
        both.agree(name);
        expect(&both, expected, name);
        std::fs::remove_dir_all(&dir).unwrap();
    }
    assert_eq!(count, 23);

    // Without keys nothing is accepted, but no check fails.
    let both = Both::run(&files, &["--log".to_owned(), whole.display().to_string()]);
    both.agree("without keys");
    assert_eq!(both.conclusions(), [Incomplete; 5]);
    // A log that cannot be read ends both programs.
    Both::fail(&files, &keys.and(&["--log", "/nowhere"]), "cannot be read");
    let huge = folder.path().join("huge");
    write(&huge.join("sths/000000000.jsonl"), vec![b'\n'; (16 << 20) + 1]);
    Both::fail(&files, &keys.and(&["--log", huge.to_str().unwrap()]), "larger than");
    let mut far = log.heads[0].clone();
    far["batch_size"] = json!(9_007_199_254_740_991_i64);
    far["tree_size"] = json!(9_007_199_254_740_991_i64);
    write(
        &sths(&huge),
        signed_by(far, TestKey::OldHeads, "2026-11-05T12:00:00Z", &log.brand).to_string(),
    );
    Both::fail(&files, &keys.and(&["--log", huge.to_str().unwrap()]), "more than 100000000 leaves");
}

#[test]
fn the_log_of_a_service() {
    let Some(_) = tools::node() else { return };
    let log = TestLog::new("svc");
    let folder = tempfile::tempdir().unwrap();
    let files = documents(&log, folder.path());
    let good = LogServer::of(&log);
    let changed = |change: &dyn Fn(&mut LogServer)| {
        let mut served = good.clone();
        change(&mut served);
        served
    };
    let resealed = |head: Value, batch: usize| {
        let time = head["created_at"].as_str().unwrap().to_owned();
        signed_by(head, HISTORY[batch].heads, &time, &log.brand)
    };
    let all = [Accepted, Accepted, Accepted, Accepted, Incomplete];
    let cases: Vec<(&str, LogServer, Expected)> = vec![
        ("as it is", good.clone(), (all, None)),
        (
            "another head for batch 2",
            changed(&|served| {
                let mut other = served.heads[2].clone();
                other["created_at"] = json!("2026-11-11T12:00:00.5Z");
                served.heads[2] = resealed(other, 2);
            }),
            (
                [Refused, Refused, Accepted, Refused, Incomplete],
                Some(("chain", "batch 3: prev_sth_sha256")),
            ),
        ),
        (
            "no head for batch 1",
            changed(&|served| served.heads[1] = json!(null)),
            (
                [Refused, Accepted, Accepted, Refused, Incomplete],
                Some(("chain", "batch 1: the head is missing")),
            ),
        ),
        (
            "a newest head that is not in the list",
            changed(&|served| {
                let mut other = served.heads[4].clone();
                other["created_at"] = json!("2026-11-14T12:00:00.5Z");
                served.newest = Some(resealed(other, 4));
            }),
            (
                [Refused, Refused, Refused, Refused, Incomplete],
                Some(("chain", "reports one newest head but lists another")),
            ),
        ),
        (
            "a proof that proves nothing",
            changed(&|served| served.proof = Some(json!([proof::sha256(b"x")]))),
            (
                [Refused, Refused, Accepted, Refused, Incomplete],
                Some(("consistency", "the proof does not show")),
            ),
        ),
        (
            "a proof of nothing",
            changed(&|served| served.proof = Some(json!([]))),
            (
                [Refused, Refused, Accepted, Refused, Incomplete],
                Some(("consistency", "the proof does not show")),
            ),
        ),
        (
            "a proof that is none",
            changed(&|served| served.proof = Some(json!("trust me"))),
            (
                [Refused, Refused, Accepted, Refused, Incomplete],
                Some(("consistency", "not a list of digests")),
            ),
        ),
        (
            "a newest head with another tree_root",
            changed(&|served| {
                let mut other = served.heads[4].clone();
                other["tree_root"] = json!(proof::sha256(b"another"));
                served.heads[4] = resealed(other, 4);
            }),
            (
                [Refused, Refused, Refused, Refused, Incomplete],
                Some(("consistency", "the proof does not show")),
            ),
        ),
        (
            "cut back to batch 3",
            changed(&|served| {
                served.heads.truncate(4);
                served.leaves.truncate(tree_size(&served.heads[3]) as usize);
            }),
            ([Accepted, Accepted, Incomplete, Accepted, Incomplete], None),
        ),
    ];
    for (name, served, expected) in cases {
        let base = served.start();
        let both = Both::run(&files, &["--keys", &base, "--log", &base].map(str::to_owned));
        both.agree(name);
        expect(&both, expected, name);
    }
    let base = changed(&|served| served.missing = Some("/api/v1/log/consistency")).start();
    Both::fail(&files, &["--keys", &base, "--log", &base].map(str::to_owned), "404");
    let base = changed(&|served| served.newest = Some(json!({ "batch": 1e300 }))).start();
    Both::fail(
        &files,
        &["--keys", &base, "--log", &base].map(str::to_owned),
        "names no newest head",
    );
    let base = changed(&|served| {
        let mut far = served.heads[4].clone();
        far["batch"] = json!(9_007_199_254_740_991_i64);
        served.newest = Some(far);
    });
    let base = base.start();
    Both::fail(
        &files,
        &["--keys", &base, "--log", &base].map(str::to_owned),
        "more than 100000 heads",
    );
}

#[test]
fn a_log_of_many_pages_and_files() {
    let Some(_) = tools::node() else { return };
    let log = TestLog::long(1030);
    let folder = tempfile::tempdir().unwrap();
    let keys = Keys::write(&log, folder.path());
    let whole = folder.path().join("log");
    log.export(&whole);
    assert!(whole.join("sths/000001000.jsonl").exists() && whole.join("tile/0/004.p/6").exists());
    let files: Vec<PathBuf> = [0, 199, 629, 1029]
        .into_iter()
        .map(|batch| {
            let path = folder.path().join(format!("{batch}.json"));
            write(&path, log.answer(batch).to_string());
            path
        })
        .collect();
    let base = LogServer::of(&log).start();
    for place in [whole.to_str().unwrap(), &base] {
        let both = Both::run(&files, &keys.and(&["--log", place]));
        both.agree(place);
        assert_eq!(both.conclusions(), [Accepted; 4], "{:#}", both.ours);
    }
    // A gap where one file ends and the next begins, and one in the middle of a page.
    let path = whole.join("sths/000000000.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    write(&path, text.lines().take(999).map(|line| format!("{line}\n")).collect::<String>());
    let both = Both::run(&files, &keys.and(&["--log", whole.to_str().unwrap()]));
    both.agree("gap between files");
    assert_eq!(both.conclusions(), [Refused, Refused, Refused, Incomplete]);
    let mut served = LogServer::of(&log);
    served.heads[700] = served.heads[701].clone();
    let base = served.start();
    let both = Both::run(&files, &keys.and(&["--log", &base]));
    both.agree("gap in a page");
    assert_eq!(both.conclusions()[..3], [Refused; 3]);
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
