//! A data directory of an older build is opened by this one: everything in it can be read and
//! verified, and new answers follow.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use store::{Answers, Scans};
use store_sqlite::{SqliteOptions, SqliteStore};

use crate::old_data;
use crate::server::{Server, wayleave};

fn run(arguments: &[&str]) -> Output {
    wayleave().args(arguments).output().unwrap()
}

/// The report of `wayleave fsck`, which must find nothing wrong.
#[track_caller]
fn sound_report(data: &Path) -> Value {
    let output = run(&[&["fsck", "--json"], old_data::flags(data).as_slice()].concat());
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!((output.status.code(), &report["faults"]), (Some(0), &serde_json::json!([])));
    report
}

/// Writes every stored scan and answer to a file.
fn write_documents(data: &Path, to: &Path) -> (Vec<(String, Vec<u8>)>, Vec<PathBuf>) {
    let store = SqliteStore::open(data, SqliteOptions::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut scans = Vec::new();
        for row in store.export_scans(None, 100).await.unwrap() {
            let scan = store.scan(&row.id).await.unwrap().unwrap();
            scans.push((row.id, scan.record.to_vec()));
        }
        let answers = store.export_answers(None, 100).await.unwrap();
        let documents = scans.iter().map(|(_, record)| record.as_slice());
        let documents = documents.chain(answers.iter().map(|answer| &answer.bytes[..]));
        let files = documents.enumerate().map(|(n, document)| {
            let file = to.join(format!("{n}.json"));
            std::fs::write(&file, document).unwrap();
            file
        });
        let files = files.collect();
        (scans, files)
    })
}

#[test]
fn an_old_data_directory_is_read_verified_and_continued() {
    let data = old_data::unpack();
    let before = sound_report(data.path());
    assert_eq!(
        (&before["batches"], &before["tree_size"], &before["answers"]),
        (&Value::from(11), &Value::from(15), &Value::from(10))
    );
    for (part, count) in [
        ("scans", 4),
        ("artifacts", 6),
        ("readings", 8),
        ("decisions", 3),
        ("changes", 26),
        ("revocations", 1),
        ("seals", 2),
        ("anchors", 2),
        ("outcomes", 2),
        ("clocks", 1),
        ("jobs", 1),
        ("licences", 1),
        ("switches", 1),
    ] {
        assert_eq!(before["records"][part], count, "{part}: {before:#}");
    }
    let folder = tempfile::tempdir().unwrap();
    let (scans, files) = write_documents(data.path(), folder.path());
    assert_eq!(files.len(), 14);

    // The data grows older every day, and nothing of it may be past its retention.
    let mut flags = old_data::flags(data.path()).to_vec();
    flags.extend(["--store-answer-days", "36500", "--store-unreached-days", "36500"]);
    flags.extend(["--store-domain-days", "36500", "--store-scan-days", "0"]);
    let server = Server::start_demo(&flags);
    for (id, record) in &scans {
        let reply = server.get(&format!("/r/{id}.json"));
        assert_eq!(reply.status, 200, "{id}");
        assert!(reply.text().as_bytes() == record, "{id} is served as its stored bytes");
    }
    for day in ["2026-11-14", "2026-11-15"] {
        let seal = server.get(&format!("/proof/{day}.json"));
        assert_eq!(seal.status, 200);
        let file = folder.path().join(format!("{day}.json"));
        std::fs::write(&file, seal.json()["statement"].to_string()).unwrap();
        let base = server.base();
        let output = run(&["verify", file.to_str().unwrap(), "--keys", &base]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    // A name that the old build never read.
    let answer = server.get("/api/v1/resolve?domain=business.lab");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let new = folder.path().join("new.json");
    std::fs::write(&new, answer.text()).unwrap();
    let index = answer.json()["transparency"]["log_index"].as_u64().unwrap();
    assert!(index >= 15, "it follows what was there: {index}");

    // Old and new documents verify, and the log only grew.
    let base = server.base();
    let mut verify = wayleave();
    verify.arg("verify").args(&files).args(["--keys", &base]);
    let output = verify.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let mut verify = wayleave();
    verify.arg("verify").args(&files[scans.len()..]).arg(&new);
    let output = verify.args(["--keys", &base, "--log", &base]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    drop(server);

    let after = sound_report(data.path());
    assert!(after["tree_size"].as_u64() > before["tree_size"].as_u64());
    assert!(after["answers"].as_u64() > before["answers"].as_u64());
}
