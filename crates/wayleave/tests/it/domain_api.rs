//! `GET /api/v1/domain`, its page, and `wayleave domain`, against the lab.

use serde_json::{Value, json};

use crate::lab_server::LabServer;
use crate::server::{Server, wayleave};

fn get_json(server: &Server, path: &str) -> Value {
    let reply = server.get(path);
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    reply.json()
}

#[test]
fn the_record_is_signed_and_has_every_field() {
    let server = Server::shared();
    let record = get_json(server, "/api/v1/domain?domain=https://www.open.lab/page");
    assert_eq!((&record["kind"], &record["v"]), (&json!("svc-domain"), &json!(1)));
    assert_eq!(record["domain"], "open.lab");
    assert_eq!(record["registry"]["state"], "observed");
    let members: Vec<&str> =
        record["registry"].as_object().unwrap().keys().map(String::as_str).collect();
    for name in [
        "state",
        "source",
        "registrar",
        "registrar_iana_id",
        "created",
        "expires",
        "changed",
        "nameservers",
        "dnssec",
        "status",
    ] {
        assert!(members.contains(&name) && !record["registry"][name].is_null(), "{name}: {record}");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("domain.json");
    std::fs::write(&file, record.to_string()).unwrap();
    let verified = wayleave()
        .args(["verify", file.to_str().unwrap(), "--keys", &server.base()])
        .output()
        .unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn states_without_a_registration_are_answers_and_bad_names_are_not() {
    let server = Server::shared();
    for (name, state) in
        [("nobody-has-this.lab", "not_registered"), ("example.de", "not_available")]
    {
        let record = get_json(server, &format!("/api/v1/domain?domain={name}"));
        assert_eq!(record["registry"]["state"], state, "{record}");
        assert!(record["registry"]["why"].as_str().unwrap().ends_with('.'));
        assert_eq!(record["timeline"], json!([]));
        assert_eq!(record["has_more"], false);
    }
    for (query, code) in [
        ("", "bad_request"),
        ("?domain=", "bad_domain"),
        ("?domain=10.0.0.1", "bad_domain"),
        ("?domain=localhost", "bad_domain"),
        ("?domain=co.uk", "bad_domain"),
        ("?domain=lab", "bad_domain"),
        ("?domain=open.lab&limit=0", "bad_request"),
        ("?domain=open.lab&limit=201", "bad_request"),
        ("?domain=open.lab&cursor=t1_0_0_x", "bad_request"),
        ("?domain=open.lab&colour=red", "unknown_field"),
    ] {
        let reply = server.get(&format!("/api/v1/domain{query}"));
        assert_eq!(reply.status, 400, "{query}: {}", reply.text());
        assert_eq!(reply.json()["code"], code, "{query}");
    }
    assert_eq!(server.get("/registry/10.0.0.1").status, 400);
}

#[test]
fn the_timeline_has_the_changes_of_answers_and_comes_in_pages() {
    let server = Server::start_demo(&[]);
    let path = "/api/v1/domain?domain=two-phones.lab";
    get_json(&server, "/api/v1/resolve?domain=two-phones.lab");
    let before = get_json(&server, path);
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    server.scan("two-phones.lab");
    get_json(&server, "/api/v1/resolve?domain=two-phones.lab");
    let after = get_json(&server, path);
    let types = |record: &Value| -> Vec<String> {
        let entries = record["timeline"].as_array().unwrap().iter();
        entries.map(|entry| entry["type"].as_str().unwrap().to_owned()).collect()
    };
    assert!(types(&before).contains(&"first_read".to_owned()), "{before}");
    assert!(types(&after).contains(&"answer_changed".to_owned()), "{after}");
    // One entry for each change that is listed, and none twice.
    let changes = get_json(&server, "/api/v1/changes?domain=two-phones.lab&limit=200");
    let answer_changes = types(&after).iter().filter(|kind| *kind == "answer_changed").count();
    assert_eq!(answer_changes, changes["entries"].as_array().unwrap().len());

    let all = after["timeline"].as_array().unwrap();
    let (mut pages, mut cursor) = (Vec::new(), String::from("0"));
    loop {
        let page = get_json(&server, &format!("{path}&limit=1&cursor={cursor}"));
        pages.extend(page["timeline"].as_array().unwrap().iter().cloned());
        if page["has_more"] == false {
            assert!(page["cursor"].is_null(), "{page}");
            break;
        }
        cursor = page["cursor"].as_str().unwrap().to_owned();
        assert!(pages.len() <= all.len());
    }
    assert_eq!(&pages, all);
    // A cursor belongs to its domain.
    let other = server.get(&format!("/api/v1/domain?domain=open.lab&cursor={cursor}"));
    assert_eq!(other.status, 400, "{}", other.text());

    let page = server.get("/registry/two-phones.lab");
    assert_eq!(page.status, 200);
    let html = page.text();
    for part in [
        "Registration",
        "Timeline",
        "Answer changed",
        "Read from the registry",
        "/registry/two-phones.lab/claim",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
}

#[test]
fn the_command_asks_the_registry_or_a_server() {
    let lab = LabServer::start(&[]);
    let configuration = lab.configuration();
    let run = |arguments: &[&str]| {
        let output = wayleave().arg("domain").args(arguments).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code().unwrap(), text)
    };
    let here = ["--config", configuration.to_str().unwrap()];
    let (code, text) = run(&[&["open.lab"], &here[..]].concat());
    assert_eq!(code, 0, "{text}");
    for part in ["open.lab registered", "registrar", "created", "nameservers", "rdap.lab"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (code, text) = run(&[&["--json", "open.lab"], &here[..]].concat());
    let record: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &record["registry"]["state"]), (0, &json!("observed")));
    assert!(record.get("signature").is_none());
    assert_eq!(run(&[&["nobody-has-this.lab"], &here[..]].concat()).0, 1);
    assert_eq!(run(&[&["rdap-another-name.lab"], &here[..]].concat()).0, 2);
    assert_eq!(run(&[&["example.de"], &here[..]].concat()).0, 2);
    assert_eq!(run(&[&["10.0.0.1"], &here[..]].concat()).0, 2);
    let base = lab.server.base();
    let (code, text) = run(&["--url", &base, "--json", "open.lab"]);
    let record: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &record["registry"]["state"]), (0, &json!("observed")));
    assert!(record["signature"].is_object());
}
