//! `Idempotency-Key` over HTTP.

use serde_json::json;
use service::{AddressBlock, IdempotencyOutcome, IdempotencyRequest};
use web::RateLimits;

use crate::outcomes::{FLAT, TestServer, start};

async fn report(test_server: &TestServer, headers: &str, body: &str) -> crate::harness::Reply {
    test_server.post("/api/v1/outcome", headers, body).await
}

#[tokio::test]
async fn the_same_request_is_done_once_and_answered_with_the_same_bytes() {
    let test_server = start(500, RateLimits::default()).await;
    let first = report(&test_server, "Idempotency-Key: \"k 1\"\r\n", FLAT).await;
    assert_eq!((first.status, first.header("idempotency-replayed")), (202, None));
    test_server.clock.set("2026-11-15T10:05:00Z");
    let again = report(&test_server, "Idempotency-Key: \"k 1\"\r\n", FLAT).await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (202, Some("true")));
    assert_eq!(again.body, first.body);
    assert_eq!(again.header("content-type"), Some("application/json"));
    assert_eq!(test_server.summary("domain=shop.com").await["n"], 1, "done once");
    // A quoted and a bare key are the same key.
    let bare = report(&test_server, "Idempotency-Key: k-2\r\n", FLAT).await;
    assert_eq!(bare.header("idempotency-replayed"), None);
    let quoted = report(&test_server, "Idempotency-Key: \"k-2\"\r\n", FLAT).await;
    assert_eq!(quoted.header("idempotency-replayed"), Some("true"));
    // After a day the key has expired.
    test_server.clock.set("2026-11-16T10:06:00Z");
    let later = report(&test_server, "Idempotency-Key: \"k 1\"\r\n", FLAT).await;
    assert_eq!((later.status, later.header("idempotency-replayed")), (202, None));
}

#[tokio::test]
async fn a_key_is_bound_to_its_body_and_its_sender() {
    let test_server = start(500, RateLimits::default()).await;
    let key = "Idempotency-Key: k\r\n";
    assert_eq!(report(&test_server, key, FLAT).await.status, 202);
    let other = report(&test_server, key, &FLAT.replace("shop", "other")).await;
    assert_eq!((other.status, other.code().as_str()), (422, "idempotency_reused"));
    assert_eq!(other.json()["param"], "Idempotency-Key");
    for stranger in
        ["X-Forwarded-For: 192.0.2.9\r\n", "x-svc-key: wl_x\r\n", "Authorization: Bearer y\r\n"]
    {
        let theirs = report(&test_server, &format!("{key}{stranger}"), FLAT).await;
        assert_eq!(
            (theirs.status, theirs.header("idempotency-replayed")),
            (202, None),
            "{stranger}"
        );
    }
    // Keys of different operations are independent.
    let scan = test_server.post("/api/scan", key, r#"{"domain":"shop.com"}"#).await;
    assert_eq!(scan.status, 200, "{}", scan.text());
    let long = format!("Idempotency-Key: {}\r\n", "x".repeat(256));
    for bad in [
        "Idempotency-Key: \"k\r\n",
        "Idempotency-Key:\r\n",
        "Idempotency-Key: a\r\nIdempotency-Key: a\r\n",
        &long,
    ] {
        let reply = report(&test_server, bad, FLAT).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"), "{bad:?}");
    }
}

#[tokio::test]
async fn a_running_request_gives_409_and_frees_its_key_when_it_fails() {
    let test_server = start(500, RateLimits::default()).await;
    let ask = IdempotencyRequest {
        operation: "postOutcome",
        block: AddressBlock::from_address("127.0.0.1".parse().unwrap()),
        credentials_digest: proof::Hasher::new().finish(),
        key: "k",
        request_digest: proof::sha256(FLAT.as_bytes()),
    };
    let step = test_server.service.access.begin_idempotent(&ask).await.unwrap();
    assert!(matches!(step, IdempotencyOutcome::First(_)), "{step:?}");
    let key = "Idempotency-Key: k\r\n";
    let reply = report(&test_server, key, FLAT).await;
    assert_eq!((reply.status, reply.code().as_str()), (409, "idempotency_in_flight"));
    assert!(reply.header("retry-after").is_some());
    let reply = report(&test_server, key, &FLAT.replace("200", "404")).await;
    assert_eq!(reply.status, 422, "also while it is under way");
    test_server.clock.set("2026-11-15T10:03:00Z");
    assert_eq!(report(&test_server, key, FLAT).await.status, 202);
}

#[tokio::test]
async fn replies_of_failed_requests_are_not_stored() {
    let test_server = start(1, RateLimits::default()).await;
    let key = "Idempotency-Key: k\r\n";
    let bad =
        report(&test_server, key, r#"{"domain":"localhost","action":"fetch","status":200}"#).await;
    assert_eq!(bad.status, 400);
    assert_eq!(report(&test_server, "", FLAT).await.status, 202);
    let spent = report(&test_server, key, FLAT).await;
    assert_eq!(spent.status, 429);
    assert_eq!(spent.header("ratelimit"), Some("\"outcome-day\";r=0;t=50400"));
    test_server.clock.set("2026-11-16T00:00:00Z");
    let later = report(&test_server, key, FLAT).await;
    assert_eq!((later.status, later.header("idempotency-replayed")), (202, None));
    assert_eq!(report(&test_server, key, FLAT).await.header("idempotency-replayed"), Some("true"));
}

#[tokio::test]
async fn a_scan_is_answered_with_the_same_bytes() {
    let test_server = start(1, RateLimits::none()).await;
    let (key, body) = ("Idempotency-Key: k\r\n", r#"{"domain":"shop.com"}"#);
    let first = test_server.post("/api/scan", key, body).await;
    assert_eq!((first.status, first.json()["unreachable"].clone()), (200, json!(true)));
    test_server.clock.set("2026-11-15T11:00:00Z");
    let again = test_server.post("/api/scan", key, body).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.body, first.body);
    let anew = test_server.post("/api/scan", "", body).await;
    assert_ne!(anew.body, first.body);
}
