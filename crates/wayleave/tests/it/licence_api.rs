//! Licences, and `POST /api/v1/scan`.

use std::path::Path;

use serde_json::{Value, json};

use crate::server::{Server, wayleave};

/// A data directory that a server and commands share.
pub(crate) struct DataDir {
    _folder: tempfile::TempDir,
    path: String,
}

impl DataDir {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data").to_str().unwrap().to_owned();
        Self { _folder: folder, path }
    }

    pub(crate) fn path(&self) -> &Path {
        Path::new(&self.path)
    }

    pub(crate) fn flags(&self) -> [&str; 2] {
        ["--store-data-dir", &self.path]
    }

    /// Runs a command on it that must succeed, and parses its output as JSON.
    pub(crate) fn command(&self, arguments: &[&str]) -> Value {
        let done = wayleave()
            .args(arguments)
            .args(self.flags())
            .args(["--network-allow-names", "lab"])
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{arguments:?}: {stderr}");
        serde_json::from_slice(&done.stdout).unwrap()
    }
}

/// Creates a licence and returns its key.
pub(crate) fn licence(data: &DataDir, arguments: &[&str]) -> String {
    let created = data.command(&[&["licence", "create", "--json"], arguments].concat());
    created["key"].as_str().unwrap().to_owned()
}

fn scan(server: &Server, headers: &str, domain: &str) -> crate::server::HttpReply {
    let body = serde_json::json!({ "domain": domain }).to_string();
    server.post_with("/api/v1/scan", headers, &body)
}

#[test]
fn a_licence_opens_its_domains_until_it_is_revoked() {
    let data = DataDir::new();
    let server =
        Server::start_demo(&[data.flags().as_slice(), &["--log-filter", "trace"]].concat());
    // Created while the server is running; valid at once.
    let created = data.command(&[
        "licence",
        "create",
        "--domain",
        "open.lab",
        "--domain",
        "www.minimal.lab",
        "--label",
        "Ada",
        "--json",
    ]);
    let (id, key) = (created["id"].as_str().unwrap(), created["key"].as_str().unwrap());
    assert_eq!(created["domains"], serde_json::json!(["minimal.lab", "open.lab"]));
    assert!(key.starts_with("wl_") && key.len() == 46, "{key}");

    for headers in [format!("x-svc-key: {key}\r\n"), format!("Authorization: Bearer {key}\r\n")] {
        let answer = scan(&server, &headers, "https://open.lab/x");
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.json()["domain"], "open.lab");
        let other = scan(&server, &headers, "slow.lab");
        assert_eq!((other.status, other.error_code().as_str()), (403, "forbidden"));
        let bad = scan(&server, &headers, "localhost");
        assert_eq!((bad.status, bad.error_code().as_str()), (400, "bad_domain"));
    }
    let other = key.replace("wl_", "wl-");
    let unknown = format!("wl_{}", "a".repeat(43));
    let long = "a".repeat(5_000);
    for headers in [
        String::new(),
        "x-svc-key: \r\n".to_owned(),
        format!("x-svc-key: {other}\r\n"),
        format!("x-svc-key: {unknown}\r\n"),
        format!("x-svc-key: {long}\r\n"),
        "x-svc-key: wl_é\r\n".to_owned(),
        format!("x-svc-key: {key}a\r\n"),
        "Authorization: Basic eDp5\r\n".to_owned(),
        format!("Authorization: Bearer {unknown}\r\n"),
        format!("x-other-key: {key}\r\n"),
    ] {
        let refused = scan(&server, &headers, "open.lab");
        assert_eq!(
            (refused.status, refused.error_code().as_str()),
            (401, "unauthorized"),
            "{headers}"
        );
        assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
    }
    let two = format!("x-svc-key: {key}\r\nAuthorization: Bearer {unknown}\r\n");
    let refused = scan(&server, &two, "open.lab");
    assert_eq!((refused.status, refused.error_code().as_str()), (400, "bad_request"));
    // Without a valid key, other errors are not reported.
    assert_eq!(server.post_with("/api/v1/scan", "", "{").status, 401);
    let keyed = format!("x-svc-key: {key}\r\n");
    assert_eq!(server.post_with("/api/v1/scan", &keyed, "{").status, 400);
    let more = r#"{"domain":"open.lab","visibility":"public"}"#;
    assert_eq!(server.post_with("/api/v1/scan", &keyed, more).error_code(), "unknown_field");
    let huge = format!("{{\"domain\":\"{}\"}}", "a".repeat(1_048_576));
    assert_eq!(server.post_with("/api/v1/scan", &keyed, &huge).status, 413);
    let form = format!(
        "POST /api/v1/scan HTTP/1.1\r\nhost: x\r\n{keyed}content-type: text/plain\r\n\
         content-length: 2\r\nconnection: close\r\n\r\n{{}}"
    );
    assert_eq!(server.send(form.as_bytes()).status, 415);

    let list = data.command(&["licence", "list", "--json"]);
    assert_eq!((list[0]["id"].as_str(), list[0]["label"].as_str()), (Some(id), Some("Ada")));
    assert!(!list.to_string().contains(key));
    let ended = data.command(&["licence", "revoke", id, "--json"]);
    assert!(ended[0]["revoked_at"].is_string());
    let refused = scan(&server, &keyed, "open.lab");
    assert_eq!((refused.status, refused.error_code().as_str()), (401, "unauthorized"));

    // The key is neither logged nor stored.
    let log = server.stderr_so_far();
    assert!(log.contains("/api/v1/scan"), "the log says what was asked for: {log:.300}");
    assert!(!log.contains(&key[3..]), "the log holds a key");
    drop(server);
    let mut waiting = vec![data.path().to_owned()];
    let mut files = 0;
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        files += 1;
        let bytes = std::fs::read(&path).unwrap();
        assert!(!bytes.windows(40).any(|part| part == &key.as_bytes()[3..43]), "{path:?}");
    }
    assert!(files > 5);
}

#[test]
fn the_versioned_report_is_its_schema_and_nothing_else() {
    let data = DataDir::new();
    let server = Server::start_demo(&data.flags());
    let key = format!("x-svc-key: {}\r\n", licence(&data, &["--all-domains"]));
    let schema = server.get("/api/v1/schema").json();
    assert_eq!(schema["additionalProperties"], false);
    let validator =
        jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap();
    for domain in ["open.lab", "blocks-ai.lab", "no-such-site.lab", "robots-opt-out.lab"] {
        let answer = scan(&server, &key, domain);
        assert_eq!(answer.status, 200, "{domain}: {}", answer.text());
        let report = answer.json();
        let faults: Vec<String> = validator
            .iter_errors(&report)
            .map(|e| format!("{e} at {}", e.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{domain}: {faults:#?}");
        let named = schema["properties"].as_object().unwrap();
        for member in report.as_object().unwrap().keys() {
            assert!(named.contains_key(member), "{member}");
        }
        // The same numbers as the record's.
        if let Some(id) = report["id"].as_str() {
            let record = server.get(&format!("/r/{id}.json")).json();
            for member in ["overall", "grade", "score_ledger", "findings", "checks"] {
                assert_eq!(report[member], record[member], "{domain}: {member}");
            }
            assert_eq!(report["agentview"], record["agentview"]["rows"], "{domain}");
            assert_eq!(report["proof"]["digest"], record["sha256"], "{domain}");
            let anchored = report["proof"]["anchored"].as_str().unwrap();
            assert!(
                anchored.starts_with("not yet: ")
                    && anchored.contains("will be part of the seal of")
            );
            let lookup = format!("{}/api/seal/lookup?id={id}", server.base());
            assert_eq!(report["proof"]["verify"], lookup);
            let seal = server.get(&format!("/api/seal/lookup?id={id}")).json();
            assert_eq!((&seal["state"], &seal["leaf"]), (&json!("pending"), &json!(null)));
            assert_eq!(seal["subject_sha256"], record["sha256"]);
            // A repeated scan within two minutes returns the stored record.
            let again = scan(&server, &key, domain).json();
            assert_eq!(again["id"], report["id"], "{domain}");
            assert_eq!(again["proof"]["digest"], record["sha256"], "{domain}");
        }
    }
}

#[test]
fn a_licence_has_a_rate_of_its_own() {
    let data = DataDir::new();
    let rates = ["--limits-scan-per-minute", "1", "--limits-keyed-scan-per-minute", "2"];
    let server = Server::start_demo_with_limits(&[data.flags().as_slice(), &rates].concat());
    let keyed = |key: String| format!("x-svc-key: {key}\r\n");
    let (one, two) = (
        keyed(licence(&data, &["--all-domains", "--plan", "free"])),
        keyed(licence(&data, &["--domain", "open.lab", "--plan", "free"])),
    );
    let five_times = keyed(licence(&data, &["--all-domains", "--plan", "standard"]));
    // What is refused as malformed, and a report that is there already, are no scans.
    for _ in 0..3 {
        assert_eq!(scan(&server, &one, "localhost").status, 400);
    }
    for domain in ["open.lab", "open.lab", "blocks-ai.lab"] {
        assert_eq!(scan(&server, &one, domain).status, 200, "{domain}");
    }
    let refused = scan(&server, &one, "no-such-site.lab");
    assert_eq!((refused.status, refused.error_code().as_str()), (429, "rate_limited"));
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() <= 60);
    assert_eq!(scan(&server, &two, "localhost").status, 400, "another licence");
    // The plan `standard` has five times the rate.
    for number in 0..11 {
        let answer = scan(&server, &five_times, &format!("no-such-site-{number}.lab"));
        assert_eq!(answer.status, if number < 10 { 200 } else { 429 }, "{number}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_by_the_command() {
    let data = DataDir::new();
    for arguments in [
        ["licence", "create", "--domain", "127.0.0.1"].as_slice(),
        &["licence", "create", "--domain", "com"],
        &["licence", "create"],
        &["licence", "create", "--all-domains", "--domain", "a.com"],
        &["licence", "revoke", "unknown"],
        &["licence", "rotate", "unknown"],
        &["licence", "create", "--all-domains", "--plan", "golden"],
        &["licence", "create", "--all-domains", "--days", "0"],
    ] {
        let done = wayleave().args(arguments).args(data.flags()).output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
        assert!(done.stdout.is_empty(), "{arguments:?}");
    }
    // Without --json only the key is on standard output.
    let done = wayleave()
        .args(["licence", "create", "--domain", "shop.com"])
        .args(data.flags())
        .output()
        .unwrap();
    let stdout = String::from_utf8(done.stdout).unwrap();
    assert!(stdout.starts_with("wl_") && stdout.len() == 47, "{stdout:?}");
}
