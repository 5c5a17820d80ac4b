//! Scans by the API.

use super::{KEY, OTHER_KEY, start};

#[tokio::test]
async fn the_versioned_scan_needs_a_licence_and_lists_public_scans() {
    let test_server = start().await;
    let json = "application/json";
    let ask = async |headers: &str, body: &str| {
        test_server.post_with("/api/v1/scan", headers, json, body).await
    };
    let (key, other) =
        (format!("X-Svc-Key: {KEY}\r\n"), format!("Authorization: bearer {OTHER_KEY}\r\n"));
    let body = r#"{"domain":"kept.com"}"#;
    let silent = ask("", body).await;
    assert_eq!((silent.status, silent.code().as_str()), (401, "unauthorized"));
    assert_eq!(silent.header("www-authenticate"), Some("Bearer"));
    assert_eq!(ask(&other, body).await.code(), "forbidden");
    assert_eq!(ask(&format!("{key}{other}"), body).await.code(), "bad_request");
    assert_eq!(ask(&key, r#"{"domain":"kept.com","x":1}"#).await.code(), "unknown_field");
    assert_eq!(ask(&key, r#"{"domain":"::1"}"#).await.code(), "bad_domain");

    let other = ask(&other, r#"{"domain":"other.com"}"#).await;
    assert_eq!(other.status, 200, "{}", other.text());
    let (schema, report) = (test_server.get("/api/v1/schema").await.json(), other.json());
    assert!(jsonschema::draft202012::is_valid(&schema, &report), "{report}");
    assert!(report["id"].is_null() && report["history"].as_array().unwrap().is_empty());

    // Twelve earlier public scans, newest first, and no unlisted or private ones.
    let report = ask(&key, r#"{"domain":"old.com"}"#).await.json();
    assert!(jsonschema::draft202012::is_valid(&schema, &report), "{report}");
    let history = report["history"].as_array().unwrap();
    let ids: Vec<&str> = history.iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    let expected: Vec<String> = (2..14).rev().map(|number| format!("old{number:02}")).collect();
    assert_eq!(ids, expected);
    assert_eq!((&history[0]["grade"], &history[0]["overall"]), (&"B".into(), &70.into()));
}

#[tokio::test]
async fn invalid_scans_are_refused_with_a_reason() {
    let test_server = start().await;
    let json = "application/json";
    for (body, status, code, param) in [
        (r#"{"domain":"127.0.0.1"}"#, 400, "bad_domain", "domain"),
        (r#"{"domain":"localhost"}"#, 400, "bad_domain", "domain"),
        (r#"{"domain":""}"#, 400, "bad_domain", "domain"),
        (r#"{"visibility":"public"}"#, 400, "bad_request", "domain"),
        (r#"{"domain":"a.com","visibility":"secret"}"#, 400, "bad_request", "visibility"),
        (r#"{"domain":"a.com","visibility":"private"}"#, 403, "forbidden", "visibility"),
        (r#"{"domain":"a.com","deep":1}"#, 400, "unknown_field", "deep"),
    ] {
        let reply = test_server.post("/api/scan", json, body).await;
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{body}");
        assert_eq!(reply.json()["param"], param, "{body}");
    }
    let reply =
        test_server.post("/api/scan", json, r#"{"domain":"https://www.Silent.com/x"}"#).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let record = reply.json();
    assert_eq!((&record["domain"], &record["unreachable"]), (&"silent.com".into(), &true.into()));
    assert!(record["id"].is_null());
    assert_eq!(reply.header("cache-control"), Some("no-store"));
}
