//! `wayleave report delete` beside a running server, and what is left of a report afterwards.

use std::path::Path;

use serde_json::{Value, json};

use crate::licence_api::{DataDir, licence};
use crate::server::{Server, wayleave};

/// Every path that serves a report or a part of it.
fn addresses(id: &str) -> Vec<String> {
    let forms = ["", ".json", ".raw.json", ".manifest.json", ".zip"];
    let mut all: Vec<String> = forms.iter().map(|form| format!("/r/{id}{form}")).collect();
    all.extend([format!("/api/graph/{id}"), format!("/og/{id}.png")]);
    all.push(format!("/api/v1/machine-record?id={id}"));
    all
}

fn scan_as(server: &Server, headers: &str, domain: &str, visibility: &str) -> Value {
    let body = json!({ "domain": domain, "visibility": visibility }).to_string();
    let reply = server.post_with("/api/scan", headers, &body);
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

fn id_of(record: &Value) -> &str {
    record["id"].as_str().unwrap()
}

/// Runs `wayleave report delete`. Returns the exit code, standard output and standard error.
fn delete(data: &DataDir, arguments: &[&str]) -> (i32, String, String) {
    let done = wayleave().args(["report", "delete"]).args(arguments).args(data.flags()).output();
    let done = done.unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (done.status.code().unwrap(), text(&done.stdout), text(&done.stderr))
}

fn bodies_on_disk(dir: &Path) -> usize {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let count = |path: std::path::PathBuf| match path.is_dir() {
        true => bodies_on_disk(&path),
        false => usize::from(path.extension().is_some_and(|extension| extension == "zst")),
    };
    entries.map(count).sum()
}

fn fsck(data: &DataDir) {
    let done = wayleave().arg("fsck").args(data.flags()).output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{text}{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn a_deleted_report_is_gone_and_its_digest_stays() {
    let data = DataDir::new();
    let server = Server::start_demo(&data.flags());
    let once = "idempotency-key: once\r\n";
    let gone = scan_as(&server, once, "minimal.lab", "public");
    // The same bodies in another report.
    let sharing = scan_as(&server, "", "minimal.lab", "unlisted");
    let other = scan_as(&server, "", "open.lab", "public");
    let (id, digest) = (id_of(&gone), gone["sha256"].as_str().unwrap());
    let resolve = |server: &Server| server.get("/api/v1/resolve?domain=minimal.lab").json();
    let before = resolve(&server);
    assert_eq!((&before["basis"]["kind"], &before["basis"]["id"]), (&json!("scan"), &json!(id)));
    for path in addresses(id) {
        assert_eq!(server.get(&path).status, 200, "{path}");
    }
    let listed = server.get(&format!("/r/{}", id_of(&other))).text();
    assert!(!listed.contains(id));
    let log = server.get("/api/v1/log").json();

    // What changes nothing.
    let (code, _, err) = delete(&data, &["nosuchreport", "--yes"]);
    assert!(code == 2 && err.contains("there is no report nosuchreport"), "{code} {err}");
    let (code, _, err) = delete(&data, &[id]);
    assert!(code == 2 && err.contains("give --yes"), "{code} {err}");
    let (code, _, err) = delete(&data, &[id, "--yes", "--reason", &"x".repeat(201)]);
    assert!(code == 2 && err.contains("1 to 200 characters"), "{code} {err}");
    let (code, _, err) = delete(&data, &[id, "--yes", "--reason", "a\nb"]);
    assert!(code == 2 && err.contains("control characters"), "{code} {err}");
    let (code, out, _) = delete(&data, &[id, "--dry-run"]);
    assert!(
        code == 0 && out.contains(&format!("Would delete report {id} of minimal.lab")),
        "{out}"
    );
    assert_eq!(server.get(&format!("/r/{id}.json")).status, 200);

    let (code, out, err) =
        delete(&data, &[id, "--yes", "--json", "--reason", "The owner asked <us>"]);
    assert_eq!(code, 0, "{err}");
    let result: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&result["result"], &result["record_sha256"]), (&json!("deleted"), &json!(digest)));
    assert_eq!(result["bodies_waiting"], 0, "the running server has removed them");
    assert!(result["parts"]["answers"].as_u64() >= Some(1), "{result}");
    assert_eq!((&result["parts"]["readings"], &result["parts"]["replies"]), (&json!(1), &json!(1)));
    for path in addresses(id) {
        let reply = server.get(&path);
        assert_eq!(reply.status, 410, "{path}: {}", reply.text());
        if path == format!("/r/{id}") {
            let page = server.get_with(&path, "accept: text/html\r\n");
            assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
            assert!(page.text().contains(digest), "{}", page.text());
            assert!(page.text().contains("The owner asked &lt;us&gt;"), "{}", page.text());
            continue;
        }
        let error = reply.json();
        assert_eq!(
            (&error["code"], &error["retryable"]),
            (&json!("report_deleted"), &json!(false))
        );
        let text = error["error"].as_str().unwrap();
        assert!(text.contains("deleted this report on 20") && text.contains(digest), "{text}");
        assert!(!text.contains("minimal.lab"), "{text}");
    }
    // The seal of its day will have it, or has it.
    let seal = server.get(&format!("/api/seal/lookup?id={id}")).json();
    assert_eq!(seal["subject_sha256"], digest);
    assert!(["pending", "sealed"].contains(&seal["state"].as_str().unwrap()), "{seal}");
    // The report that shares its bodies is complete.
    let (share_id, other_id) = (id_of(&sharing), id_of(&other));
    for path in addresses(share_id).iter().chain(&addresses(other_id)) {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("sharing.zip");
    std::fs::write(&bundle, server.get(&format!("/r/{share_id}.zip")).body).unwrap();
    let replayed = wayleave().args(["replay", "--strict"]).arg(&bundle).output().unwrap();
    assert!(replayed.status.success(), "{}", String::from_utf8_lossy(&replayed.stdout));
    // The answer that quoted it is not served any more, from no cache; the site is read again.
    let after = (0..40).map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(250));
        server.get("/api/v1/resolve?domain=minimal.lab")
    });
    let after =
        after.into_iter().find(|reply| !reply.text().contains(id)).expect("no cached answer");
    assert_eq!(after.json()["basis"]["kind"], "just_in_time", "{}", after.text());
    // A repeated request does not get the old reply.
    let body = json!({ "domain": "minimal.lab", "visibility": "public" }).to_string();
    let repeated = server.post_with("/api/scan", once, &body);
    assert!(!repeated.text().contains(id), "{}", repeated.text());
    // The log goes on from where it was.
    let size = log["tree_size"].as_u64().unwrap();
    let proof = server.get(&format!("/api/v1/log/consistency?from={size}"));
    assert_eq!(proof.status, 200, "{}", proof.text());

    let (code, out, _) = delete(&data, &[id, "--yes"]);
    assert!(code == 0 && out.contains("was deleted already"), "{code} {out}");
    drop(server);
    let replayed = wayleave().args(["replay", id]).args(data.flags()).output().unwrap();
    let why = String::from_utf8_lossy(&replayed.stderr).into_owned();
    assert!(replayed.status.code() == Some(2) && why.contains("the operator deleted"), "{why}");
    fsck(&data);
    let server = Server::start_demo(&data.flags());
    assert_eq!(server.get(&format!("/r/{id}.json")).status, 410, "after a restart");
    assert_eq!(resolve(&server)["basis"]["id"].as_str().filter(|basis| *basis == id), None);
}

#[test]
fn without_a_server_the_bodies_go_at_once_and_a_private_report_leaves_no_trace() {
    let data = DataDir::new();
    let server = Server::start_demo(&data.flags());
    let key = format!("x-svc-key: {}\r\n", licence(&data, &["--all-domains"]));
    let public = scan_as(&server, "", "minimal.lab", "public");
    drop(server);
    let artifacts = data.path().join("artifacts");
    assert!(bodies_on_disk(&artifacts) > 0);
    let (code, out, err) = delete(&data, &[id_of(&public), "--yes"]);
    assert!(code == 0 && out.contains("Its digest stays: "), "{out}{err}");
    assert_eq!(bodies_on_disk(&artifacts), 0, "nothing else referred to them");
    fsck(&data);

    let server = Server::start_demo(&data.flags());
    let private = scan_as(&server, &key, "minimal.lab", "private");
    let (code, _, err) = delete(&data, &[id_of(&private), "--yes"]);
    assert_eq!(code, 0, "{err}");
    for path in addresses(id_of(&private)) {
        for headers in ["", key.as_str()] {
            assert_eq!(server.get_with(&path, headers).status, 404, "{path}");
        }
    }
    let seal = server.get(&format!("/api/seal/lookup?id={}", id_of(&private))).json();
    assert_eq!((&seal["state"], &seal["subject_sha256"]), (&json!("not_found"), &Value::Null));
    assert_eq!(server.get(&format!("/r/{}", id_of(&public))).status, 410);
}
