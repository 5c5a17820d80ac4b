//! The endpoints that answers link to (rights, comparisons, claims, content clock), against the lab.

use serde_json::{Value, json};

use crate::server::{Server, wayleave};

fn get_json(server: &Server, path: &str) -> Value {
    let answer = server.get(path);
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &answer.body).unwrap();
    let verified =
        wayleave().args(["verify", "--keys", &server.base()]).arg(file.path()).output().unwrap();
    assert!(verified.status.success(), "{path}: {}", String::from_utf8_lossy(&verified.stdout));
    answer.json()
}

#[test]
fn rights_are_reported_for_the_path_and_agent_of_the_query() {
    let server = Server::shared();
    server.scan("content-signals.lab");
    let rights = get_json(server, "/api/v1/rights?domain=content-signals.lab");
    assert_eq!(
        (&rights["observed"], &rights["train"]["value"]),
        (&json!(true), &json!("disallowed"))
    );
    assert_eq!(rights["train"]["decided_by"]["signal"], "content_signal");
    assert_eq!(rights["cite"]["value"], "allowed");
    // robots.txt was kept, so any path can be asked about.
    let deep =
        get_json(server, "/api/v1/rights?domain=content-signals.lab&path=/deep&agent=GPTBot");
    assert_eq!((&deep["train"]["value"], &deep["agent"]), (&json!("disallowed"), &json!("GPTBot")));
    assert!(deep["not_read"].to_string().contains("of this page"));
}

#[test]
fn comparisons_come_from_readings_and_are_built_on_request() {
    let read_live = || {
        let server = Server::start_demo(&[]);
        let path = "/api/v1/read-equivalence?url=https://blocks-ai.lab/&live=1";
        let record = get_json(&server, path);
        (server, record)
    };
    let is_complete = |server: &Server| {
        let answer = server.get("/api/v1/resolve?domain=blocks-ai.lab").json();
        answer["basis"]["not_read_in_budget"] == json!([])
    };
    // A live reading has one second, and a busy machine may not finish it. Then another server reads it.
    let (mut server, mut record) = read_live();
    for _ in 0..2 {
        if !is_complete(&server) {
            (server, record) = read_live();
        }
    }
    assert_eq!((&record["observed"], &record["verdict"]), (&json!(true), &json!("not_served")));
    assert!(record["ai_identities_served"].as_str().unwrap().starts_with("0 of "));
    assert_eq!(record["compared_with"]["status"], 200);
    let page = get_json(&server, "/api/v1/read-equivalence?url=https://blocks-ai.lab/other");
    assert_eq!(page["verdict"], "unmeasured");
}

#[test]
fn claims_are_recorded_with_both_times() {
    let server = Server::shared();
    server.scan("business.lab");
    let record = get_json(server, "/api/v1/claims?domain=business.lab&property=organization.name");
    let claims = record["claims"].as_array().unwrap();
    assert!(!claims.is_empty(), "{record}");
    for claim in claims {
        assert_eq!(claim["state"], "current");
        assert!(claim["said_to"].is_null() && claim["carrier"]["evidence_sha256"].is_string());
    }
    let before = "/api/v1/claims?domain=business.lab&as_of=2020-01-01T00:00:00Z";
    assert_eq!(get_json(server, before)["claims"], json!([]));
}

#[test]
fn reading_a_clock_starts_it_and_an_opt_out_is_honoured() {
    let server = Server::shared();
    let first = get_json(server, "/api/v1/content-clock?url=https://minimal.lab/?x=1%23y");
    assert_eq!(
        (&first["url"], &first["state"]),
        (&json!("https://minimal.lab/"), &json!("started"))
    );
    assert_eq!((&first["observed"], &first["versions"][0]["n"]), (&json!(true), &json!(1)));
    assert!(first["versions"][0]["text_sha256"].is_string() && first["last_changed_at"].is_null());
    let again = get_json(server, "/api/v1/content-clock?url=https://minimal.lab/");
    assert_eq!((&again["state"], &again["clock"]), (&json!("running"), &first["clock"]));
    let refused = get_json(server, "/api/v1/content-clock?url=https://robots-opt-out.lab/");
    assert_eq!((&refused["state"], &refused["versions"]), (&json!("refused"), &json!([])));
    assert!(refused["why"].as_str().unwrap().contains("robots.txt"));
}

#[test]
fn the_operator_is_reported_as_far_as_configured() {
    let server = Server::start_demo(&[
        "--operator-name",
        "Example & Co",
        "--operator-abuse",
        "mailto:abuse@svc.example",
        "--network-egress",
        "192.0.2.0/28,2001:db8::/48",
        "--network-asn",
        "64500",
    ]);
    let record = get_json(&server, "/.well-known/crawlcheck-observers.json");
    assert_eq!(record["operator"]["name"], "Example & Co");
    assert!(record["operator"]["contact"].is_null());
    assert_eq!(record["observers"][0]["network"]["asn"], 64500);
    assert_eq!(
        record["prefixes"],
        json!([{"ipv4Prefix": "192.0.2.0/28"}, {"ipv6Prefix": "2001:db8::/48"}])
    );
}
