//! Who may see a scan, in every format it is served in.

use serde_json::{Value, json};

use crate::licence_api::{DataDir, licence};
use crate::server::{Server, wayleave};

const FORMS: [&str; 4] = ["", ".json", ".raw.json", ".manifest.json"];

/// Every path that serves part of a report.
fn addresses(id: &str) -> Vec<String> {
    let mut all: Vec<String> = FORMS.iter().map(|form| format!("/r/{id}{form}")).collect();
    all.push(format!("/api/graph/{id}"));
    all.push(format!("/api/v1/machine-record?id={id}"));
    all.push(format!("/api/v1/machine-record?id={id}&format=llms_txt"));
    all
}

fn scan(server: &Server, headers: &str, domain: &str, visibility: &str) -> Value {
    let body = json!({ "domain": domain, "visibility": visibility }).to_string();
    let answer = server.post_with("/api/scan", headers, &body);
    assert_eq!(answer.status, 200, "{visibility}: {}", answer.text());
    answer.json()
}

#[test]
fn a_private_report_opens_for_its_licence_alone() {
    let data = DataDir::new();
    let server = Server::start_demo(&data.flags());
    let keyed = |key: &str| format!("x-svc-key: {key}\r\n");
    let key = keyed(&licence(&data, &["--domain", "minimal.lab"]));
    let other = keyed(&licence(&data, &["--domain", "open.lab"]));
    let all = keyed(&licence(&data, &["--all-domains"]));
    let body = r#"{"domain":"minimal.lab","visibility":"private"}"#;
    for (headers, status, code) in [
        ("", 403, "forbidden"),
        (other.as_str(), 403, "forbidden"),
        ("x-svc-key: wl_nonsense\r\n", 401, "unauthorized"),
    ] {
        let refused = server.post_with("/api/scan", headers, body);
        assert_eq!((refused.status, refused.error_code().as_str()), (status, code), "{headers}");
    }
    let private = scan(&server, &key, "minimal.lab", "private");
    assert_eq!(private["visibility"], "private");
    let id = private["id"].as_str().unwrap();
    for path in addresses(id) {
        let unknown = server.get(&path.replace(id, "unknown"));
        for headers in ["", other.as_str(), all.as_str(), "x-svc-key: x\r\n"] {
            let answer = server.get_with(&path, headers);
            assert_eq!(answer.status, 404, "{path} {headers}");
            assert_eq!(answer.json()["error"], unknown.json()["error"], "{path}");
        }
        let two = format!("{key}{other}");
        assert_eq!(server.get_with(&path, &two).status, 404, "{path}");
        let answer = server.get_with(&path, &key);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        assert_eq!(answer.header("cache-control"), Some("private, no-store"), "{path}");
        assert_eq!(answer.header("x-robots-tag"), Some("noindex"), "{path}");
    }
    // It is not returned to others and not in any history.
    let public = scan(&server, "", "minimal.lab", "public");
    assert_eq!(public["cached"], Value::Null);
    assert_ne!(public["id"], private["id"]);
    let report = server.post_with("/api/v1/scan", &all, r#"{"domain":"minimal.lab"}"#).json();
    assert_eq!(report["id"], public["id"]);
    assert_eq!(report["history"], json!([]));
    // A private scan does not reuse a public report.
    let again = scan(&server, &key, "minimal.lab", "private");
    assert_eq!(again["cached"], Value::Null);
    assert_ne!(again["id"], public["id"]);

    let licences = data.command(&["licence", "list", "--json"]);
    let mut licences = licences.as_array().unwrap().iter();
    let ours = licences.find(|one| one["domains"] == json!(["minimal.lab"])).unwrap();
    data.command(&["licence", "revoke", ours["id"].as_str().unwrap(), "--json"]);
    assert_eq!(server.get_with(&format!("/r/{id}.json"), &key).status, 404, "revoked");
}

#[test]
fn an_unlisted_report_has_its_link_and_nothing_else() {
    let data = DataDir::new();
    let server = Server::start_demo(&data.flags());
    let public = scan(&server, "", "open.lab", "public");
    let unlisted = scan(&server, "", "open.lab", "unlisted");
    assert_eq!(unlisted["cached"], Value::Null, "not answered with what is public");
    assert_ne!(unlisted["id"], public["id"]);
    for path in addresses(unlisted["id"].as_str().unwrap()) {
        let answer = server.get(&path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        assert!(answer.header("cache-control").unwrap().starts_with("private"), "{path}");
        assert_eq!(answer.header("x-robots-tag"), Some("noindex"), "{path}");
    }
    let again = scan(&server, "", "open.lab", "public");
    assert_eq!((&again["cached"], &again["id"]), (&json!(true), &public["id"]));
    let key = format!("x-svc-key: {}\r\n", licence(&data, &["--all-domains"]));
    let report = server.post_with("/api/v1/scan", &key, r#"{"domain":"open.lab"}"#).json();
    assert_eq!((&report["id"], &report["history"]), (&public["id"], &json!([])));
}

#[test]
fn record_manifest_and_graph_hold_together() {
    let server = Server::start_demo(&[]);
    let record = scan(&server, "", "blocks-ai.lab", "public");
    let id = record["id"].as_str().unwrap();
    let provenance = &record["provenance"];
    assert!(provenance["stored_at"].is_string(), "{provenance}");

    let served = |path: &str| {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let digest = answer.header("content-digest").unwrap();
        assert!(digest.starts_with("sha-256=:") && digest.ends_with("=:"), "{digest}");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &answer.body).unwrap();
        let verified = wayleave()
            .args(["verify", "--keys", &server.base()])
            .arg(file.path())
            .output()
            .unwrap();
        let stdout = String::from_utf8_lossy(&verified.stdout).into_owned();
        assert!(verified.status.success(), "{path}: {stdout}");
        answer.json()
    };
    let manifest = served(&format!("/r/{id}.manifest.json"));
    assert_eq!(manifest["kind"], "svc-manifest");
    let digest = manifest["sha256"].as_str().unwrap();
    assert_eq!(provenance["artifacts"], format!("manifest sha256:{digest}"));
    assert_eq!(provenance["manifest_signature"], manifest["signature"]);
    assert_eq!(manifest["evidence_sha256"], record["evidence_sha256"]);
    let bodies = manifest["bodies"].as_array().unwrap();
    for row in record["agentview"]["rows"].as_array().unwrap() {
        assert!(bodies.contains(&row["body_sha256"]), "{row}");
    }

    let graph = served(&format!("/api/graph/{id}"));
    assert_eq!(graph["kind"], "svc-graph");
    let schema = server.get("/api/v1/schema?kind=svc-graph").json();
    assert!(jsonschema::draft202012::is_valid(&schema, &graph));
    let nodes = graph["nodes"].as_array().unwrap();
    assert!(nodes.iter().any(|node| node["type"] == "decision"), "{graph}");
    assert_eq!(
        server.get(graph["context"].as_str().unwrap().trim_start_matches(&server.base())).status,
        200
    );
    let tag = server.get(&format!("/api/graph/{id}"));
    let tag = format!("if-none-match: {}\r\n", tag.header("etag").unwrap());
    assert_eq!(server.get_with(&format!("/api/graph/{id}"), &tag).status, 304);
    assert_eq!(server.get(&format!("/api/graph/{id}?depth=9")).error_code(), "unknown_field");
    assert_eq!(server.get("/api/graph/unknown").error_code(), "not_found");
}
