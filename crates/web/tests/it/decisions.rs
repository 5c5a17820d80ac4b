//! Decisions, revocations and staples over HTTP, in a service without any answer.

use crate::app;

#[tokio::test]
async fn invalid_parameters_are_refused() {
    let test_server = app::start().await;
    let digest = "0".repeat(64);
    for (path, status, code) in [
        (format!("/api/v1/decisions/{digest}"), 404, "unknown_decision"),
        (format!("/api/v1/decisions/{digest}?host=kept.com"), 404, "unknown_decision"),
        (format!("/api/v1/decisions/{}", "A".repeat(64)), 400, "bad_request"),
        ("/api/v1/decisions/abc".to_owned(), 400, "bad_request"),
        (format!("/api/v1/decisions/{digest}?at=yesterday"), 400, "bad_request"),
        (format!("/api/v1/decisions/{digest}?at=2999-01-01T00:00:00Z"), 400, "bad_request"),
        (format!("/api/v1/decisions/{digest}?action=fly"), 400, "bad_request"),
        (format!("/api/v1/decisions/{digest}?hots=kept.com"), 400, "unknown_field"),
        ("/api/v1/revocations?cursor=r1-7".to_owned(), 400, "bad_request"),
        ("/api/v1/revocations?cursor=r1-7-0123456789abcdef".to_owned(), 400, "bad_request"),
        ("/api/v1/revocations?since=2999-01-01T00:00:00Z".to_owned(), 400, "bad_request"),
        (
            "/api/v1/revocations?since=2026-01-01T00:00:00Z&cursor=r1-0".to_owned(),
            400,
            "bad_request",
        ),
        ("/api/v1/revocations?limit=501".to_owned(), 400, "bad_request"),
        ("/api/v1/revocations?type=undone".to_owned(), 400, "bad_request"),
        ("/api/v1/revocations?domain=127.0.0.1".to_owned(), 400, "bad_domain"),
        ("/api/v1/staple".to_owned(), 400, "bad_request"),
        ("/api/v1/staple?domain=localhost".to_owned(), 400, "bad_domain"),
        ("/api/v1/staple?domain=kept.com".to_owned(), 404, "not_tracked"),
    ] {
        let reply = test_server.server.get(&path, "").await;
        assert_eq!((reply.status, reply.json()["code"].as_str()), (status, Some(code)), "{path}");
    }
}

#[tokio::test]
async fn an_empty_list_is_signed_and_not_sent_twice() {
    let test_server = app::start().await;
    let reply = test_server.server.get("/api/v1/revocations", "").await;
    assert_eq!(reply.status, 200);
    let list = reply.json();
    assert_eq!(list["kind"], "svc-revocations");
    assert!(list["since"].is_null() && list["revoked"].as_array().unwrap().is_empty());
    assert_eq!(list["cursor"], "r1-0");
    assert!(list["signature"]["sig"].is_string());
    let cache = reply.header("cache-control").unwrap();
    assert_eq!(cache, "public, max-age=60, stale-while-revalidate=60");
    let tag = format!("If-None-Match: {}\r\n", reply.header("etag").unwrap());
    assert_eq!(test_server.server.get("/api/v1/revocations", &tag).await.status, 304);
    let page = test_server.server.get("/api/v1/revocations?cursor=r1-0&limit=500", "").await;
    assert_eq!((page.status, &page.json()["from_cursor"]), (200, &"r1-0".into()));
}
