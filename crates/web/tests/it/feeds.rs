//! Changes and corroboration over HTTP, in a service without any reading.

use crate::app;

#[tokio::test]
async fn a_domain_without_readings_has_an_empty_signed_list() {
    let test_server = app::start().await;
    let reply = test_server.server.get("/api/v1/changes?domain=kept.com&limit=100", "").await;
    assert_eq!(reply.status, 200);
    let record = reply.json();
    assert_eq!(record["kind"], "svc-changes");
    assert_eq!(record["entries"], serde_json::json!([]));
    assert_eq!(record["coverage"]["readings"], 0);
    assert!(record["signature"]["sig"].is_string() && record["sha256"].is_string());
    assert_eq!(reply.header("cache-control").unwrap(), "public, max-age=60");
    let tag = reply.header("etag").unwrap();
    let same = format!("If-None-Match: {tag}\r\n");
    let again = test_server.server.get("/api/v1/changes?domain=kept.com&limit=100", &same).await;
    assert_eq!(again.status, 304);
    // As a client that knows no domain yet asks.
    let reply =
        test_server.server.get("/api/v1/changes?since=2026-11-15T00:00:00Z&limit=100", "").await;
    assert_eq!((reply.status, reply.json()["domain"].is_null()), (200, true));
}

#[tokio::test]
async fn invalid_parameters_are_refused() {
    let test_server = app::start().await;
    for (path, status, code) in [
        ("/api/v1/changes?cursor=c1-12", 400, "bad_request"),
        ("/api/v1/changes?cursor=c1-12-AAAA", 400, "bad_request"),
        ("/api/v1/changes?limit=201", 400, "bad_request"),
        ("/api/v1/changes?limit=0", 400, "bad_request"),
        ("/api/v1/changes?since=yesterday", 400, "bad_request"),
        ("/api/v1/changes?direction=up", 400, "bad_request"),
        ("/api/v1/changes?domain=localhost", 400, "bad_domain"),
        ("/api/v1/changes?form=1", 400, "unknown_field"),
        ("/api/corroboration", 400, "bad_request"),
        ("/api/corroboration?domain=kept.com&limit=13", 400, "bad_request"),
        ("/api/corroboration?domain=127.0.0.1", 400, "bad_domain"),
        ("/api/corroboration?domain=kept.com", 404, "not_tracked"),
    ] {
        let reply = test_server.server.get(path, "").await;
        assert_eq!((reply.status, reply.json()["code"].as_str()), (status, Some(code)), "{path}");
    }
}
