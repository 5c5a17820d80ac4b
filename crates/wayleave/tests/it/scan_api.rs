//! `POST /api/scan` and the endpoints of its report.

use std::process::Command;

use serde_json::Value;

use crate::server::{Server, wayleave};

#[test]
fn a_scan_is_kept_signed_and_served_as_the_same_bytes() {
    let server = Server::start_demo(&[]);
    let answer = server.post_scan(br#"{"domain":"https://www.open.lab/some/page?x=1"}"#);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let record = answer.json();
    assert_eq!(record["kind"], "svc-scan");
    assert_eq!(
        (record["domain"].as_str(), record["grade"].as_str()),
        (Some("open.lab"), Some("A"))
    );
    assert_eq!(record["checks"].as_array().unwrap().len(), 26);
    assert!(record["agentview"]["rows"].as_array().unwrap().len() >= 5);
    let id = record["id"].as_str().unwrap();

    // The report is served as exactly the bytes that were signed.
    let stored = server.get(&format!("/r/{id}.json"));
    assert_eq!((stored.status, &stored.body), (200, &answer.body));
    let page = server.get(&format!("/r/{id}"));
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    assert!(page.text().contains("open.lab"));

    // The evidence is what the record says it was judged from.
    let raw = server.get(&format!("/r/{id}.raw.json"));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &raw.body).unwrap();
    let digest = wayleave().args(["canonical", "--sha256"]).arg(file.path()).output().unwrap();
    assert_eq!(
        String::from_utf8(digest.stdout).unwrap().trim(),
        record["evidence_sha256"].as_str().unwrap()
    );

    // The record verifies with the published keys, and no longer after a change.
    std::fs::write(file.path(), &answer.body).unwrap();
    let verify = || -> std::process::Output {
        wayleave().args(["verify", "--keys", &server.base()]).arg(file.path()).output().unwrap()
    };
    assert!(verify().status.success(), "{verify:?}", verify = verify());
    std::fs::write(file.path(), answer.text().replace("\"grade\":\"A\"", "\"grade\":\"B\""))
        .unwrap();
    assert_eq!(verify().status.code(), Some(1));

    // Again within two minutes: the earlier report, marked, and signed as it is served.
    let again = server.post_scan(br#"{"domain":"open.lab"}"#);
    let record = again.json();
    assert_eq!((record["cached"].as_bool(), record["id"].as_str()), (Some(true), Some(id)));
    std::fs::write(file.path(), &again.body).unwrap();
    assert!(verify().status.success(), "{:?}", verify());
}

#[test]
fn an_unreachable_site_is_not_stored() {
    let server = Server::shared();
    for _ in 0..2 {
        let record = server.scan("no-such-site.lab");
        assert_eq!((record["unreachable"].as_bool(), &record["id"]), (Some(true), &Value::Null));
        assert_eq!(record["cached"], Value::Null);
    }
}

#[test]
fn visibility_is_honoured() {
    let server = Server::start_demo(&[]);
    let unlisted = server.post_scan(br#"{"domain":"minimal.lab","visibility":"unlisted"}"#);
    let record = unlisted.json();
    assert_eq!((unlisted.status, record["visibility"].as_str()), (200, Some("unlisted")));
    let id = record["id"].as_str().unwrap().to_owned();
    assert_eq!(server.get(&format!("/r/{id}.json")).status, 200, "reachable by its link");
    let public = server.scan("minimal.lab");
    assert_eq!(public["cached"], Value::Null, "an unlisted scan answers nobody else");
    assert_ne!(public["id"].as_str(), Some(id.as_str()));

    let private = server.post_scan(br#"{"domain":"minimal.lab","visibility":"private"}"#);
    assert_eq!((private.status, private.error_code().as_str()), (403, "forbidden"));
    let other = server.post_scan(br#"{"domain":"minimal.lab","visibility":"secret"}"#);
    assert_eq!(other.status, 400);
}

#[test]
fn one_scan_of_a_domain_at_a_time() {
    let server = Server::start_demo(&[]);
    let codes: Vec<u16> = std::thread::scope(|scope| {
        let asks: Vec<_> =
            (0..4).map(|_| scope.spawn(|| server.post_scan(br#"{"domain":"slow.lab"}"#))).collect();
        asks.into_iter()
            .map(|ask| {
                let answer = ask.join().unwrap();
                if answer.status == 429 {
                    assert_eq!(answer.error_code(), "scan_in_progress");
                    assert!(answer.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
                }
                answer.status
            })
            .collect()
    });
    assert_eq!(codes.iter().filter(|code| **code == 200).count(), 1, "{codes:?}");
    assert_eq!(codes.iter().filter(|code| **code == 429).count(), 3, "{codes:?}");
}

#[test]
fn a_site_that_opts_out_is_left_alone() {
    let server = Server::shared();
    let site = "robots-opt-out.lab";
    let record = server.scan(site);
    assert!(
        record["findings"].as_array().unwrap().iter().any(|f| f["id"] == "opted_out"),
        "{record}"
    );
    assert!(
        record["agentview"]["rows"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["cause"] == "not_read")
    );
    for check in record["checks"].as_array().unwrap() {
        let expected = if check["path"] == "/robots.txt" { "ok" } else { "not_read" };
        assert_eq!(check["verdict"], expected, "{check}");
    }
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let flags = ["--store-data-dir", data.to_str().unwrap()];
    let mut server = Server::start_demo(&flags);
    let answer = server.post_scan(br#"{"domain":"open.lab"}"#);
    let directory = server.get("/.well-known/http-message-signatures-directory").body;
    // SIGKILL, so that nothing is flushed.
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let id = answer.json()["id"].as_str().unwrap().to_owned();
    let server = Server::start_demo(&flags);
    assert_eq!(server.get(&format!("/r/{id}.json")).body, answer.body);
    assert_eq!(server.get("/.well-known/http-message-signatures-directory").body, directory);
}

#[test]
fn a_stop_is_clean_and_leaves_nothing_behind() {
    let mut server = Server::start_demo(&[]);
    let pid = server.child.id();
    let has_temporary_files = || {
        let ours = format!("wayleave-demo-{pid}-");
        let mut entries = std::fs::read_dir(std::env::temp_dir()).unwrap();
        entries.any(|entry| entry.unwrap().file_name().to_string_lossy().starts_with(&ours))
    };
    assert!(has_temporary_files());
    Command::new("kill").arg("-TERM").arg(pid.to_string()).status().unwrap();
    assert!(server.child.wait().unwrap().success());
    assert!(!has_temporary_files(), "the temporary store is removed");
}

#[test]
fn the_public_addresses_answer() {
    let server = Server::shared();
    for (path, kind) in [
        ("/", "text/html"),
        ("/docs", "text/html"),
        ("/openapi.json", "application/json"),
        ("/healthz", ""),
        ("/readyz", ""),
        ("/metrics", "text/plain"),
        ("/api/v1/core", "application/json"),
        ("/api/v1/schema", "application/"),
        (
            "/.well-known/http-message-signatures-directory",
            "application/http-message-signatures-directory+json",
        ),
        ("/.well-known/security-key-rotation.json", "application/json"),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        assert!(
            answer.header("content-type").unwrap_or_default().starts_with(kind),
            "{path}: {answer:?}"
        );
    }
    assert_eq!(server.get("/nowhere").error_code(), "not_found");
    assert_eq!(server.get("/r/unknown.json").error_code(), "not_found");
    let core = server.get("/api/v1/core").json();
    assert_eq!(core["operations"].as_array().map(Vec::len), Some(9), "{core}");
}

#[test]
fn a_record_is_valid_against_its_published_schema() {
    let server = Server::shared();
    let schema = server.get("/api/v1/schema/svc-scan").json();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    for domain in ["business.lab", "blocks-ai.lab", "no-such-site.lab", "redirect-loop.lab"] {
        let record = server.scan(domain);
        let errors: Vec<String> =
            validator.iter_errors(&record).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{domain}: {errors:#?}");
    }
}

/// An unchanged site gets the same grade in every scan, even if parts of its page are dynamic.
#[test]
fn ten_scans_of_an_unchanged_site_are_ten_equal_grades() {
    let server = Server::start_demo(&[]);
    for domain in ["open.lab", "varies.lab", "blocks-training.lab"] {
        let ledgers: Vec<_> = (0..10)
            .map(|_| {
                // Unlisted scans never reuse a stored report.
                let ask = format!(r#"{{"domain":"{domain}","visibility":"unlisted"}}"#);
                let answer = server.post_scan(ask.as_bytes());
                assert_eq!(answer.status, 200, "{}", answer.text());
                let record = answer.json();
                let rows = record["score_ledger"]["rows"].as_array().unwrap().iter();
                let points: Vec<_> = rows.map(|row| row["points"].clone()).collect();
                (record["grade"].clone(), record["overall"].clone(), points)
            })
            .collect();
        assert!(!ledgers[0].0.is_null(), "{domain}");
        assert!(ledgers.iter().all(|ledger| *ledger == ledgers[0]), "{domain}: {ledgers:#?}");
    }
}
