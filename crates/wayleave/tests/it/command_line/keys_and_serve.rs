//! Key rotation, and starting servers.

use super::*;

#[test]
fn a_key_that_was_replaced_stays_published_and_what_it_signed_holds() {
    let folder = Folder::new();
    let data = folder.path("data");
    let flags = ["--store-data-dir", data.as_str()];
    let list = || run(&["key", "list", "--json", flags[0], flags[1]]).expect(PASSED).json();
    let documents = |keys: &Value| -> Vec<(String, bool)> {
        let all = keys.as_array().unwrap().iter().filter(|key| key["purpose"] == "documents");
        all.map(|key| {
            (key["kid"].as_str().unwrap().to_owned(), key["stopped_signing_at"].is_null())
        })
        .collect()
    };
    let first = list();
    assert_eq!(first.as_array().map(Vec::len), Some(4), "one key for each purpose");
    let old = documents(&first)[0].0.clone();
    let table = run(&["key", "list", flags[0], flags[1]]).expect(PASSED).out;
    assert!(table.contains(&old) && table.contains("log heads"), "{table}");

    let server = Server::start_demo(&flags);
    let record = folder.write("record.json", ask(&server, &json!("open.lab")).body);
    drop(server);
    let output =
        run(&["key", "rotate", "documents", "--after", "0", flags[0], flags[1]]).expect(PASSED);
    assert!(output.err.contains("The new key for documents starts signing at"), "{}", output.err);
    assert!(output.out.contains(&old), "{}", output.out);
    let now = list();
    assert_eq!(now.as_array().map(Vec::len), Some(5));
    let found = documents(&now);
    assert_eq!(found.iter().filter(|(_, signs)| *signs).count(), 1, "{found:?}");
    assert!(found.contains(&(old.clone(), false)), "{found:?}");

    let server = Server::start_demo(&flags);
    let rotation = server.get("/.well-known/security-key-rotation.json").json();
    let retired = rotation["retired"].as_array().unwrap();
    assert_eq!(
        retired.iter().filter(|key| key["thumbprint"] == old.as_str()).count(),
        1,
        "{rotation}"
    );
    // Documents signed by the old and by the new key verify.
    let base = server.base();
    run(&["verify", "--keys", &base, &record]).expect(PASSED);
    let answer = ask(&server, &json!("minimal.lab"));
    let new = folder.write("new.json", &answer.body);
    assert_ne!(answer.json()["signature"]["kid"], old.as_str());
    run(&["verify", "--keys", &base, &new]).expect(PASSED);
    drop(server);

    // Signatures of a compromised key are refused.
    let since = "2020-01-01T00:00:00Z";
    run(&["key", "compromised", &old, since, flags[0], flags[1]]).expect(PASSED);
    let server = Server::start_demo(&flags);
    run(&["verify", "--keys", &server.base(), &record]).expect(CHECK_FAILED);
    run(&["verify", "--keys", &server.base(), &new]).expect(PASSED);

    let wrong = run(&["key", "rotate", "nonsense", flags[0], flags[1]]).expect(COULD_NOT_CHECK);
    assert!(wrong.err.contains("nonsense"), "{}", wrong.err);
    run(&["key", "compromised", "nobody", since, flags[0], flags[1]]).expect_error("nobody");
    assert_eq!(list().as_array().map(Vec::len), Some(5), "nothing was made by a mistake");
}

fn kid_of(flags: &[&str; 2], purpose: &str) -> String {
    let keys = run(&["key", "list", "--json", flags[0], flags[1]]).expect(PASSED).json();
    let mut signing = keys
        .as_array()
        .unwrap()
        .iter()
        .filter(|key| key["purpose"] == purpose && key["stopped_signing_at"].is_null());
    signing.next().unwrap()["kid"].as_str().unwrap().to_owned()
}

#[test]
fn nothing_of_a_compromised_key_is_served() {
    let folder = Folder::new();
    let data = folder.path("data");
    let flags = ["--store-data-dir", data.as_str()];
    let server = Server::start_demo(&flags);
    let id = ask(&server, &json!("open.lab")).json()["id"].as_str().unwrap().to_owned();
    let idempotent = |server: &Server| {
        let body = json!({ "domain": "minimal.lab" }).to_string();
        server.post_with("/api/scan", "idempotency-key: once\r\n", &body).json()
    };
    let first = idempotent(&server);
    let body = json!({ "domain": "open.lab", "action": "read" }).to_string();
    let receipt = server.post_with("/api/v1/preflight", "", &body).json();
    let prefix = &proof::sha256(b"open.lab").to_hex()[..8].to_owned();
    let paths = [
        "/api/v1/resolve?domain=open.lab".to_owned(),
        format!("/r/{id}.json"),
        format!("/r/{id}.manifest.json"),
        format!("/api/graph/{id}"),
        "/api/v1/revocations".to_owned(),
        format!("/api/v1/resolve-prefix/{prefix}"),
        "/api/v1/log/sth/0".to_owned(),
        "/api/v1/log/sths".to_owned(),
        format!("/api/v1/decisions/{}?host=open.lab", receipt["sha256"].as_str().unwrap()),
        format!("/api/v1/machine-record?id={id}"),
    ];
    let before: Vec<Value> = paths.iter().map(|path| server.get(path).json()).collect();
    let tags = paths.iter().map(|path| server.get(path).header("etag").map(str::to_owned));
    let tags: Vec<Option<String>> = tags.collect();
    let backup = folder.path("backup");
    run(&["backup", &backup, flags[0], flags[1]]).expect(PASSED);
    let export = |data: &str| {
        run(&["log", "export", &folder.path("export"), "--store-data-dir", data]).expect(PASSED)
    };
    export(&backup);
    let old: Vec<String> =
        ["documents", "decisions", "log heads"].map(|purpose| kid_of(&flags, purpose)).into();
    let stored = before[1].clone();
    let since =
        contract::Clock::now(&door::SystemClock).plus_millis(-1000).whole_seconds().to_string();
    for kid in &old {
        run(&["key", "compromised", kid, &since, flags[0], flags[1]]).expect(PASSED);
    }
    // The directory and the rotation record show it at once.
    let rotation = server.get("/.well-known/security-key-rotation.json").text().to_owned();
    let directory = server.get("/.well-known/http-message-signatures-directory").text().to_owned();
    for kid in &old {
        assert!(rotation.matches(kid.as_str()).count() == 2 && !directory.contains(kid), "{kid}");
    }

    /// All signed documents inside a value, except in `replaced_signature`.
    fn signers(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| signers(item, found)),
            Value::Object(members) => {
                if members.contains_key("sha256") && members.contains_key("kind") {
                    found.extend(members["signature"]["kid"].as_str().map(str::to_owned));
                }
                let members = members.iter().filter(|(name, _)| *name != "replaced_signature");
                members.for_each(|(_, member)| signers(member, found));
            }
            _ => {}
        }
    }
    // What was cached goes within a second, on a busy machine later, and so does the report of the keys.
    let list = |server: &Server| server.get("/api/v1/revocations").json()["entries"].clone();
    within(20, "nothing is signed by the old keys", || {
        let mut found = Vec::new();
        paths.iter().for_each(|path| signers(&server.get(path).json(), &mut found));
        let reported = list(&server).as_array().map(Vec::len);
        !found.iter().any(|kid| old.contains(kid)) && reported == Some(old.len())
    });
    let base = server.base();
    for ((path, before), tag) in paths.iter().zip(&before).zip(&tags) {
        let reply = match tag {
            Some(tag) => server.get_with(path, &format!("if-none-match: {tag}\r\n")),
            None => server.get(path),
        };
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        let mut found = Vec::new();
        signers(before, &mut found);
        assert!(found.iter().any(|kid| old.contains(kid)), "{path} was signed before");
        found.clear();
        signers(&reply.json(), &mut found);
        assert!(!found.is_empty() && !found.iter().any(|kid| old.contains(kid)), "{path}");
        let file = folder.write("served.json", reply.text());
        if reply.json()["signature"].is_object() {
            run(&["verify", "--keys", &base, &file]).expect(PASSED);
        }
    }
    // The old signature is beside the new one, and the stored record can be recovered from it.
    let mut record = server.get(&paths[1]).json();
    let replaced = record.as_object_mut().unwrap().remove("replaced_signature").unwrap();
    assert_eq!((&replaced["why"], &replaced["kid"]), (&json!("key_compromised"), &json!(old[0])));
    record["sha256"] = replaced["sha256"].clone();
    record["signature"] = replaced["signature"].clone();
    assert_eq!(record, stored);
    let head = server.get(&paths[6]).json();
    assert_eq!(head["sth"]["sha256"], before[6]["sth"]["sha256"], "the chain is as it was");
    assert_eq!(head["replaced_signature"]["kid"], json!(old[2]));
    let again = idempotent(&server);
    assert_eq!(again["replaced_signature"]["signature"], first["signature"]);
    // The revocations say so, and so does the check of a receipt.
    let revoked = list(&server);
    for kid in &old {
        let mut entries = revoked.as_array().unwrap().iter();
        let entry = entries.find(|entry| entry["target"]["id"] == json!(kid)).unwrap();
        assert_eq!(
            (&entry["type"], &entry["reason"]),
            (&json!("revoked"), &json!("key_compromised"))
        );
        assert_eq!(
            (&entry["target"]["kind"], &entry["effective_from"]),
            (&json!("key"), &json!(since))
        );
    }
    // The whole log is proven by the present keys: by a new monitor, and by an export.
    let state = folder.path("monitor.json");
    run(&["log", "monitor", "--once", "--state", &state, &base]).expect(PASSED);
    drop(server);
    let server = Server::start_demo(&flags);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(list(&server).as_array().map(Vec::len), Some(3), "each key once");
    let answer = server.get(&paths[0]).json();
    assert!(!old.iter().any(|kid| answer.to_string().contains(kid.as_str())), "after a restart");
    // Everybody gets the same bytes, and may keep them.
    let record = server.get(&paths[1]);
    assert_eq!(server.get(&paths[1]).text(), record.text());
    let tag = format!("if-none-match: {}\r\n", record.header("etag").unwrap());
    assert_eq!(server.get_with(&paths[1], &tag).status, 304);

    // A key that was replaced before it was reported: what it signed goes from the caches as well.
    let id = ask(&server, &json!("blocks-ai.lab")).json()["id"].as_str().unwrap().to_owned();
    let retired = kid_of(&flags, "documents");
    run(&["key", "rotate", "documents", "--after", "0", flags[0], flags[1]]).expect(PASSED);
    std::thread::sleep(Duration::from_millis(1_500));
    let manifest = format!("/r/{id}.manifest.json");
    assert_eq!(server.get(&manifest).json()["signature"]["kid"], json!(retired));
    run(&["key", "compromised", &retired, &since, flags[0], flags[1]]).expect(PASSED);
    let new = kid_of(&flags, "documents");
    assert_ne!(new, retired);
    for path in [manifest, format!("/r/{id}.json"), format!("/api/graph/{id}")] {
        within(20, &path, || server.get(&path).json()["signature"]["kid"] == json!(new));
    }
    drop(server);
    // The copy of the log for others has the new signatures, over the one that was made before.
    export(&data);
    let heads = std::fs::read_to_string(folder.path("export/sths/000000000.jsonl")).unwrap();
    assert!(heads.contains("log-sth") && !heads.contains(&old[2]), "{heads}");
}

#[test]
fn a_rotation_is_shown_when_the_new_key_starts() {
    let folder = Folder::new();
    let data = folder.path("data");
    let flags = ["--store-data-dir", data.as_str()];
    let server = Server::start_demo(&flags);
    let old = kid_of(&flags, "documents");
    let keys = || server.get("/.well-known/http-message-signatures-directory").text().to_owned();
    run(&["key", "rotate", "documents", "--after", "15", flags[0], flags[1]]).expect(PASSED);
    assert_eq!(keys().matches("documents").count(), 2, "both, until the new one starts");
    std::thread::sleep(Duration::from_millis(15_500));
    assert!(!keys().contains(&old));
    let rotation = server.get("/.well-known/security-key-rotation.json").text().to_owned();
    assert!(rotation.contains(&old), "{rotation}");
}

#[test]
fn a_log_without_its_keys_is_not_served_and_gets_no_new_keys() {
    let folder = Folder::new();
    let data = folder.path("data");
    let keys = Path::new(&data).join("keys");
    let flags = ["--store-data-dir", data.as_str()];
    let server = Server::start_demo(&flags);
    ask(&server, &json!("minimal.lab"));
    drop(server);
    let away = folder.path("keys-kept");
    std::fs::rename(&keys, &away).unwrap();
    let refused = |arguments: &[&str]| {
        let mut command = wayleave();
        command.args(arguments).args(flags);
        let output = run_to_end(&mut command).expect(COULD_NOT_CHECK);
        output.assert_stderr_contains(&[
            "has a log",
            "No new keys were made",
            "Put back the key directory",
        ]);
        output
    };
    for command in ["serve", "demo"] {
        let output = refused(&[command, "--server-listen", "127.0.0.1:0"]);
        output.assert_stderr_contains(&["no key for requests, documents, decisions, log heads"]);
        assert!(!keys.exists(), "{command} created keys");
    }
    refused(&["key", "list"]);
    assert!(!keys.exists());
    let doctor = run(&["doctor", "--json", flags[0], flags[1]]).expect(CHECK_FAILED).json();
    let check = doctor.as_array().unwrap().iter().find(|check| check["name"] == "keys").unwrap();
    assert_eq!(check["state"], "bad", "{check}");

    // The same if only the key for log heads is lost.
    std::fs::rename(&away, &keys).unwrap();
    let names = std::fs::read_dir(&keys).unwrap().map(|entry| entry.unwrap().path());
    let heads: Vec<PathBuf> = names
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("log-heads"))
        .collect();
    std::fs::rename(&heads[0], &away).unwrap();
    let output = refused(&["serve", "--server-listen", "127.0.0.1:0"]);
    output.assert_stderr_contains(&["no key for log heads."]);
    std::fs::rename(&away, &heads[0]).unwrap();
    let server = Server::start_demo(&flags);
    assert_eq!(server.get("/readyz").status, 200);
}

#[test]
fn a_data_directory_and_a_port_have_one_server() {
    let folder = Folder::new();
    let data = folder.path("data");
    let server = Server::start_demo(&["--store-data-dir", &data]);
    let id = ask(&server, &json!("minimal.lab")).json()["id"].as_str().unwrap().to_owned();
    for command in ["serve", "demo"] {
        let mut second = wayleave();
        second.args([command, "--server-listen", "127.0.0.1:0", "--store-data-dir", &data]);
        run_to_end(&mut second)
            .expect(COULD_NOT_CHECK)
            .assert_stderr_contains(&["in use by another process", &data]);
    }
    let mut second = wayleave();
    let other = folder.path("other");
    let taken = server.address.to_string();
    second.args(["serve", "--server-listen", &taken, "--store-data-dir", &other]);
    run_to_end(&mut second)
        .expect(COULD_NOT_CHECK)
        .assert_stderr_contains(&["server.listen", &taken]);
    assert!(!Path::new(&other).exists(), "a server that cannot serve makes nothing");
    // The first server still works.
    assert_eq!(server.get(&format!("/r/{id}.json")).status, 200);
    let checks =
        run(&["doctor", "--json", "--store-data-dir", &data, "--network-resolver", "127.0.0.1:1"]);
    let checks = checks.expect(CHECK_FAILED).json();
    assert!(doctor_states(&checks).contains(&("store", "doubt")), "{checks}");
}

#[test]
fn a_log_in_a_pipe_is_plain() {
    let folder = Folder::new();
    for (format, part) in [("text", "serving"), ("json", "\"message\":\"serving\"")] {
        let mut server = wayleave();
        server.args(["serve", "--server-listen", "127.0.0.1:0", "--log-format", format]);
        server.args(["--network-resolver", "127.0.0.1:1"]);
        server.args(["--store-data-dir", &folder.path(format)]);
        let mut child = piped(&mut server).spawn().unwrap();
        let log = wait_for_line(&mut child, part);
        let _ = child.kill();
        let _ = child.wait();
        assert!(!log.contains('\u{1b}'), "colours in a pipe: {log:?}");
        if format == "json" {
            for line in log.lines() {
                assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
            }
        }
    }
}

/// `wayleave … | head -1` is not an error.
#[test]
fn a_reader_that_goes_away_is_no_error() {
    for arguments in [&["lab", "sites", "--json"][..], &["config", "--keys"], &["lab", "sites"]] {
        let mut child = piped(&mut wayleave()).args(arguments).spawn().unwrap();
        drop(child.stdout.take());
        let output = CommandOutput::of(child.wait_with_output().unwrap());
        assert_eq!((output.code, output.err.as_str()), (PASSED, ""), "{arguments:?}");
    }
}
