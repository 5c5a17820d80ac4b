//! `wayleave replay`: recomputing stored scans.

use contract::Timestamp;
use store::{Artifacts, Scan, Scans, Visibility};
use store_sqlite::{SqliteOptions, SqliteStore};

use super::*;

/// Runs `work` on the store of a data directory that no server uses.
fn with_store<T>(data: &str, work: impl AsyncFnOnce(&SqliteStore) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let store = SqliteStore::open(Path::new(data), SqliteOptions::default()).unwrap();
    runtime.block_on(work(&store))
}

/// The same scan under another id, with a changed record and a new digest.
fn changed(scan: &Scan, id: &str, change: impl FnOnce(&mut Value)) -> Scan {
    let mut record: Value = serde_json::from_slice(&scan.record).unwrap();
    record["id"] = json!(id);
    for link in ["report", "raw", "graph"] {
        let moved = record["links"][link].as_str().unwrap().replace(&scan.id, id);
        record["links"][link] = json!(moved);
    }
    change(&mut record);
    let members = record.as_object_mut().unwrap();
    members.remove("sha256");
    members.remove("signature");
    let digest = proof::canonical::document_digest(members).unwrap();
    members.insert("sha256".to_owned(), json!(digest.to_string()));
    Scan { id: id.to_owned(), record: serde_json::to_vec(&record).unwrap().into(), ..scan.clone() }
}

/// A bundle, and single files, need no store. What was changed is refused.
fn replays_what_was_downloaded(server: &Server, folder: &Folder, id: &str) {
    let answer = server.get(&format!("/r/{id}.zip"));
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/zip")));
    let bundle = folder.write("bundle.zip", &answer.body);
    let output = run(&["replay", &bundle, "--json", "--strict"]).expect(PASSED).json();
    assert_eq!((&output["conclusion"], &output["id"]), (&json!("same"), &json!(id)), "{output}");
    // Anybody's unzip reads it.
    let unpacked = folder.path("unpacked");
    let unzip = "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])";
    let done = Command::new("python3").args(["-c", unzip, &bundle, &unpacked]).status().unwrap();
    assert!(done.success());
    let file = |name: &str| format!("{unpacked}/{name}");
    let [record, evidence, bodies] = ["record.json", "evidence.json", "bodies"].map(file);
    let files = ["replay", "--record", &record, "--evidence", &evidence];
    let output = run(&[&files[..], &["--bodies", &bodies, "--strict"]].concat()).expect(PASSED);
    assert!(output.out.starts_with(&format!("{id}: identical ")), "{}", output.out);
    let output = run(&files).expect(COULD_NOT_CHECK);
    assert!(output.out.contains("needed and not there"), "{}", output.out);
    // What the record proves, and what the evidence is to be held against.
    let (keys, rotation) = (file("keys.json"), file("key-rotation.json"));
    let with_keys = ["--keys", keys.as_str(), "--rotation", rotation.as_str()];
    let output = run(&[&["verify", &record], &with_keys[..]].concat()).expect(PASSED);
    for part in
        ["  Proven:\n", "has not been changed", "  Not proven:\n", "that its statements are true"]
    {
        assert!(output.out.contains(part), "{part}: {}", output.out);
    }
    run(&[&["verify", &file("manifest.json")], &with_keys[..]].concat()).expect(PASSED);
    let output = run(&["verify", &evidence]).expect(CHECK_FAILED);
    assert!(output.out.contains("(evidence, not signed)"), "{}", output.out);
    assert!(output.out.contains("/r/ID.json) states its digest"), "{}", output.out);
    let output = run(&[&["verify", &record, &evidence], &with_keys[..]].concat()).expect(PASSED);
    assert!(output.out.contains("belongs to its record"), "{}", output.out);

    let body = std::fs::read_dir(&bodies).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&body, "changed").unwrap();
    run(&[&files[..], &["--bodies", &bodies]].concat())
        .expect_error("the digest of the body of a response differs");
    std::fs::write(&evidence, std::fs::read_to_string(&evidence).unwrap() + " ").unwrap();
    run(&files).expect_error("the digest of the evidence differs");
    let broken = folder.write("broken.zip", "PK\u{3}\u{4}");
    run(&["replay", &broken]).expect_error("not a bundle");
}

/// The service signs the record again with a new key; what was downloaded before and after gives the same
/// record.
fn replays_after_a_key_was_compromised(server: &Server, folder: &Folder, data: &str, id: &str) {
    let key_of = |server: &Server| {
        let record = server.get(&format!("/r/{id}.json")).json();
        record["signature"]["kid"].as_str().unwrap().to_owned()
    };
    let old = key_of(server);
    let flags = ["--store-data-dir", data];
    run(&[&["key", "compromised", &old, "2026-01-01T00:00:00Z"], &flags[..]].concat())
        .expect(PASSED);
    within(60, "the record is signed by the new key", || key_of(server) != old);
    let later = folder.write("later.zip", server.get(&format!("/r/{id}.zip")).body);
    for bundle in [folder.path("bundle.zip"), later] {
        let output = run(&["replay", &bundle, "--json", "--strict"]).expect(PASSED).json();
        assert_eq!(output["conclusion"], "same", "{bundle}: {output}");
    }
}

#[test]
fn kept_evidence_gives_the_same_bytes_or_the_reason_why_not() {
    let folder = Folder::new();
    let data = folder.path("data");
    let replay = |id: &str, more: &[&str]| {
        let mut arguments = vec!["replay", id, "--store-data-dir", data.as_str()];
        arguments.extend(more);
        run(&arguments)
    };
    replay("x", &[]).expect_error("there is no file x and no store in");
    assert!(!Path::new(&data).exists(), "looking makes nothing");

    let server = Server::start_demo(&["--store-data-dir", &data]);
    let records: Vec<Value> =
        ["open.lab", "blocks-ai.lab"].iter().map(|name| server.scan(name)).collect();
    let id = records[1]["id"].as_str().unwrap().to_owned();
    replay(&id, &[]).expect_error("in use by another process");
    replays_what_was_downloaded(&server, &folder, &id);
    replays_after_a_key_was_compromised(&server, &folder, &data, &id);
    drop(server);

    for record in &records {
        let output = replay(record["id"].as_str().unwrap(), &["--json", "--strict"]);
        let output = output.expect(PASSED).json();
        assert_eq!(output["conclusion"], "same", "{output}");
        assert_eq!(output["kept"], output["now"]);
        assert_eq!(output["now"]["sha256"], record["sha256"], "the very bytes that were signed");
        assert_eq!(output["domain"], record["domain"]);
    }
    let output = replay(&id, &[]).expect(PASSED);
    assert!(
        output.out.starts_with(&format!("{id}: identical (blocks-ai.lab)\n")),
        "{}",
        output.out
    );
    replay("nobody", &[]).expect_error("no scan with the id nobody is stored");

    with_store(&data, async |store| {
        let stored = store.scan(&id).await.unwrap().unwrap();
        let private = changed(&stored, "hidden", |record| record["visibility"] = json!("private"));
        store.put_scan(Scan { visibility: Visibility::Private, ..private }).await.unwrap();
        let earlier = changed(&stored, "earlier", |record| {
            record["score_version"] = json!(0);
            record["rulepack"] = json!({ "version": 0, "sha256": "00" });
            record["grade"] = json!("A");
            record["score_ledger"]["rows"][0]["state"] = json!("passed");
            record["score_ledger"]["rows"][0]["points"] = json!(99);
            // A member that older records did not have.
            record.as_object_mut().unwrap().remove("transport");
        });
        store.put_scan(earlier).await.unwrap();
        let forged = changed(&stored, "forged", |record| record["overall"] = json!(100));
        store.put_scan(forged).await.unwrap();
    });
    // Private scans can be replayed by the operator.
    let output = replay("hidden", &["--json"]).expect(PASSED).json();
    assert_eq!(output["conclusion"], "same", "{output}");

    let output = replay("earlier", &[]).expect(PASSED);
    assert!(output.out.starts_with("earlier: rules changed (blocks-ai.lab)\n"), "{}", output.out);
    for part in ["  stored      A", "  recomputed  F", "rules 0", "rule ", "passed (99 of "] {
        assert!(output.out.contains(part), "{part}: {}", output.out);
    }
    replay("earlier", &["--strict"]).expect(CHECK_FAILED);

    let output = replay("forged", &["--json"]).expect(CHECK_FAILED).json();
    assert_eq!(output["conclusion"], "different", "{output}");
    assert_eq!(output["differs_at"], json!(["/overall"]));
    assert!(replay("forged", &[]).expect(CHECK_FAILED).out.contains("differs at /overall"));

    with_store(&data, async |store| {
        let later: Timestamp = "2100-01-01T00:00:00Z".parse().unwrap();
        assert!(store.sweep_artifacts(later).await.unwrap().removed > 0);
    });
    let output = replay(&id, &["--json"]).expect(COULD_NOT_CHECK).json();
    assert_eq!((&output["conclusion"], &output["now"]), (&json!("bodies_gone"), &Value::Null));
    assert!(!output["bodies_gone"].as_array().unwrap().is_empty(), "{output}");
    let output = replay(&id, &[]).expect(COULD_NOT_CHECK);
    assert!(
        output.out.contains("could not be checked") && output.out.contains("sha256 "),
        "{}",
        output.out
    );
}
