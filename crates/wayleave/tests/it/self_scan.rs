//! The service is a site too: what does its own scan say about it?

use serde_json::Value;

use crate::lab_server::{Extension, LabServer};

const SECTIONS: &str = "[targets]\nenabled = false\n[operator]\nname = \"Lab Operator\"\n\
                        contact = \"mailto:operator@wayleave.lab\"\n";

/// A service at `https://wayleave.lab`, behind a proxy that ends TLS.
fn start() -> LabServer {
    let server = "base_url = \"https://wayleave.lab\"";
    let extension = Extension { server, ..Extension::default() };
    let lab = LabServer::start_extended(&[], SECTIONS, &extension);
    lab.lab.forward(lab.server.address);
    lab
}

fn texts(items: &Value, members: &[&str]) -> Vec<String> {
    let items = items.as_array().unwrap().iter();
    items
        .map(|item| {
            let texts: Vec<String> = members.iter().map(|name| item[name].to_string()).collect();
            texts.join(" ")
        })
        .collect()
}

#[test]
fn our_own_scan_of_ourselves_is_an_a() {
    let lab = start();
    let record = lab.scan(lab::FORWARDED_HOST, "public").unwrap();
    let findings = texts(&record["findings"], &["severity", "id", "title", "seen"]);
    assert_eq!(record["grade"], "A", "{} {findings:#?}", record["overall"]);
    let serious: Vec<_> = findings
        .iter()
        .filter(|text| !text.starts_with("\"low\"") && !text.starts_with("\"info\""))
        .collect();
    assert!(serious.is_empty(), "{findings:#?}");
    let answer = lab.resolve(lab::FORWARDED_HOST).unwrap();
    let files = answer["machine_files"]["files"].as_array().unwrap();
    let absent: Vec<_> = files.iter().filter(|file| file["present"] != true).collect();
    assert!(absent.is_empty(), "{absent:#?}");
    assert_eq!(answer["actions"]["read"]["decision"], "allow", "{}", answer["actions"]);
}

#[test]
fn our_own_scan_of_our_mcp_server_finds_nothing_hard() {
    let lab = start();
    let reply = lab.server.get("/api/v1/mcp/scan?url=https%3A%2F%2Fwayleave.lab%2Fmcp");
    assert_eq!(reply.status, 200, "{}", reply.text());
    let scan = reply.json();
    assert_eq!(scan["state"], "observed", "{scan}");
    let checks = scan["checks"].as_array().unwrap();
    let hard: Vec<_> = checks.iter().filter(|check| check["tier"] == "hard").collect();
    assert!(hard.len() > 5, "{hard:#?}");
    for check in hard {
        assert_eq!(check["state"], "passed", "{check}");
    }
    // The card and the live server say the same.
    assert_eq!(scan["card"]["differences"], serde_json::json!([]), "{}", scan["card"]);
    assert_ne!(scan["connect"]["decision"], "block", "{}", scan["connect"]);
}
