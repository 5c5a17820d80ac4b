//! Calls of declared operations, seen from both sides: in the answers, and in what the sites received.

use std::time::Duration;

use contract::limits::RESCAN_WINDOW;
use serde_json::{Value, json};

use crate::lab_server::LabServer;
use crate::utc_day::wait_if_day_ends_within;

fn scanned(lab: &LabServer, domain: &str) -> Value {
    lab.scan(domain, "public").unwrap();
    lab.resolve(domain).unwrap()
}

/// The calls that a site received: method, path and query.
fn calls(lab: &LabServer, domain: &str) -> Vec<(String, String)> {
    lab.lab
        .hits(domain)
        .into_iter()
        .filter(|hit| hit.path.starts_with("/api/") && hit.path != "/api/openapi.json")
        .map(|hit| {
            assert!(hit.user_agent.to_lowercase().contains("wayleave"), "{}", hit.user_agent);
            assert!(
                !hit.headers.iter().any(|(name, _)| name == "authorization" || name == "cookie")
            );
            let query = hit.query.map(|query| format!("?{query}")).unwrap_or_default();
            (hit.method, format!("{}{query}", hit.path))
        })
        .collect()
}

fn results(answer: &Value) -> Vec<&str> {
    let items = answer["capabilities"]["items"].as_array().unwrap();
    items.iter().filter_map(|item| item["call"]["result"].as_str()).collect()
}

fn rung<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let rungs = answer["assurance_ladder"]["rungs"].as_array().unwrap();
    &rungs.iter().find(|rung| rung["rung"] == name).unwrap()["state"]
}

#[test]
fn an_honest_description_is_verified_and_agents_may_connect() {
    // Both scans are of one day: calls are counted by day.
    wait_if_day_ends_within(2 * RESCAN_WINDOW);
    let lab = LabServer::start(&[]);
    let answer = scanned(&lab, "api-honest.lab");
    let section = &answer["capabilities"];
    assert_eq!(
        (&section["verified"], &section["mismatches"]),
        (&json!(3), &json!(0)),
        "{section:#}"
    );
    assert_eq!(
        answer["actions"]["connect"]["decision"], "allow",
        "{:#}",
        answer["actions"]["connect"]
    );
    assert_eq!(answer["actions"]["connect"]["max_age_hours"], 72);
    assert_eq!(rung(&answer, "conformant"), "reached");
    assert_eq!(answer["assurance_ladder"]["level"], "conformant");
    let mut received = calls(&lab, "api-honest.lab");
    received.sort();
    let mut expected = lab::PUBLIC_API_PATHS.map(|path| ("GET".to_owned(), path.to_owned()));
    expected.sort();
    assert_eq!(received, expected, "nothing else, and each once");

    // A second scan of the day, as soon as it is possible, calls nothing. What is known stays for three
    // days.
    std::thread::sleep(RESCAN_WINDOW + Duration::from_secs(1));
    let again = scanned(&lab, "api-honest.lab");
    assert_eq!(calls(&lab, "api-honest.lab").len(), 3);
    assert_ne!(again["evidence"]["report"], answer["evidence"]["report"], "another scan");
    assert_eq!(again["capabilities"]["verified"], 3, "{:#}", again["capabilities"]);
    assert_eq!(again["actions"]["connect"]["decision"], "allow");
    let note = again["capabilities"]["note"].as_str().unwrap();
    assert!(note.contains("at most three times a day"), "{note}");
    // Neither does a scan of another name of the site.
    let _ = lab.scan("www.api-honest.lab", "public");
    assert_eq!(calls(&lab, "api-honest.lab").len(), 3);

    // The evidence names the calls, and the page shows them.
    let report = answer["evidence"]["report"].as_str().unwrap();
    let (_, path) = report.split_once("/r/").unwrap();
    let evidence = lab.server.get(&format!("/r/{path}.raw.json")).json();
    let reads = evidence["reads"].as_array().unwrap();
    let made = reads.iter().filter(|read| read["target"] == "capability_call").count();
    assert_eq!(made, 3);
    let page = lab.server.get(&format!("/r/{path}")).text();
    assert!(page.contains("Operations that we called") && page.contains("As declared"), "{page}");
}

#[test]
fn a_description_that_lies_is_found_out_by_two_readings() {
    let lab = LabServer::start(&[]);
    let answer = scanned(&lab, "api-lies.lab");
    let section = &answer["capabilities"];
    assert_eq!(
        (&section["verified"], &section["mismatches"]),
        (&json!(0), &json!(1)),
        "{section:#}"
    );
    assert_eq!(answer["actions"]["connect"]["decision"], "block");
    assert_eq!(rung(&answer, "conformant"), "not_reached");
    let received = calls(&lab, "api-lies.lab");
    assert_eq!(received.len(), 3, "two for the one that is accused, and one more: {received:?}");
    let items = section["items"].as_array().unwrap();
    let accused = items.iter().find(|item| item["as_declared"] == false).unwrap();
    assert_eq!(accused["call"]["difference"]["part"], "body", "{accused:#}");
    assert_eq!(accused["call"]["readings"].as_array().unwrap().len(), 2);
}

#[test]
fn descriptions_are_found_where_sites_put_them_and_in_every_version() {
    let lab = LabServer::start(&[]);
    for (domain, file) in [
        ("api-linked.lab", "https://api-linked.lab/docs/api.yaml"),
        ("api-swagger.lab", "/swagger.json"),
    ] {
        let answer = scanned(&lab, domain);
        let section = &answer["capabilities"];
        assert_eq!(section["verified"], 1, "{domain}: {section:#}");
        assert_eq!(section["declared_files"], json!([file]), "{domain}");
        assert_eq!(answer["actions"]["connect"]["decision"], "allow", "{domain}");
        assert_eq!(calls(&lab, domain).len(), 1);
    }
}

#[test]
fn nobody_is_accused_by_faults_and_nothing_else_is_ever_called() {
    let lab = LabServer::start(&[]);
    for (domain, most_calls, decision, expected) in [
        ("api-hostile.lab", 0, "require_confirmation", &[][..]),
        ("api-robots.lab", 0, "require_confirmation", &[]),
        ("api-broken.lab", 3, "require_confirmation", &["not_measured"; 3]),
        ("api-busy.lab", 1, "require_confirmation", &["not_measured"]),
        ("api-moved.lab", 3, "require_confirmation", &["not_measured"; 3]),
        ("api-slow.lab", 1, "require_confirmation", &["not_measured"]),
        ("api-locked.lab", 3, "block", &["differs", "not_measured"]),
        ("api-error-page.lab", 3, "block", &["differs", "not_measured"]),
    ] {
        let answer = scanned(&lab, domain);
        let mut found = results(&answer);
        found.sort_unstable();
        assert_eq!(found, expected, "{domain}: {:#}", answer["capabilities"]);
        let connect = &answer["actions"]["connect"]["decision"];
        assert_eq!(connect, decision, "{domain}: {:#}", answer["actions"]["connect"]);
        let received = calls(&lab, domain);
        assert_eq!(received.len(), most_calls, "{domain}: {received:?}");
        for (method, path) in received {
            assert!(
                method == "GET" && lab::PUBLIC_API_PATHS.contains(&path.as_str()),
                "{domain}: {method} {path}"
            );
        }
    }
    // What a redirect and other servers name was not called either.
    assert_eq!(calls(&lab, "api-honest.lab"), []);
}

#[test]
fn a_live_reading_and_an_unlisted_scan_call_nothing() {
    let lab = LabServer::start(&[]);
    lab.resolve("api-honest.lab").unwrap();
    lab.scan("api-honest.lab", "unlisted").unwrap();
    assert_eq!(calls(&lab, "api-honest.lab"), []);
    // After a scan, a live reading keeps what is known of the API.
    let answer = scanned(&lab, "api-honest.lab");
    assert_eq!(answer["actions"]["connect"]["decision"], "allow");
    let live = lab.server.get("/api/v1/resolve?domain=api-honest.lab&live=always");
    assert_eq!(live.status, 200, "{}", live.text());
    let live = live.json();
    assert_eq!(live["capabilities"]["verified"], 3, "{:#}", live["capabilities"]);
    assert_eq!(calls(&lab, "api-honest.lab").len(), 3);
}
