//! Rate limits of the routes, and of wrong licence keys.

use std::time::Duration;

use web::{RateLimit, RateLimits};

use super::{FORM, KEY, start_with};

#[tokio::test]
async fn too_many_scan_requests_get_429_and_a_wait() {
    let test_server = start_with(RateLimits::default()).await;
    let json = "application/json";
    // What is refused as malformed is no scan, by the API and by the form.
    for _ in 0..6 {
        let reply = test_server.post("/api/scan", json, r#"{"domain":"localhost"}"#).await;
        assert_eq!(reply.code(), "bad_domain");
    }
    for _ in 0..3 {
        let body = format!("domain=localhost&token={}", test_server.form_token("/").await);
        let page = test_server.post("/scan", FORM, &body).await;
        assert_eq!(page.status, 400, "{}", page.text());
    }
    for number in 0..5 {
        let body = format!(r#"{{"domain":"nowhere{number}.com"}}"#);
        assert_eq!(test_server.post("/api/scan", json, &body).await.status, 200);
    }
    let reply = test_server.post("/api/scan", json, r#"{"domain":"nowhere.com"}"#).await;
    assert_eq!((reply.status, reply.code().as_str()), (429, "rate_limited"));
    assert!(reply.text().contains("Try again in"), "{}", reply.text());
    let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=10).contains(&wait), "{wait}");
    let page = test_server.post("/scan", FORM, "domain=localhost").await;
    assert_eq!((page.status, page.header("retry-after").is_some()), (429, true));
    assert!(page.text().contains("role=\"alert\""));
    assert_eq!(test_server.get("/").await.status, 200, "reading is not scanning");
}

#[tokio::test]
async fn every_route_that_costs_has_a_named_rate() {
    let one = || vec![RateLimit { max: 1, window: Duration::from_secs(60) }];
    let limits = RateLimits {
        scans: one(),
        keyed_scans: one(),
        keyed_reads: one(),
        keyed_decisions: one(),
        keyed_live_reads: one(),
        feeds: one(),
        reads: one(),
        decisions: one(),
        live_reads: one(),
        visitors: one(),
        metrics: one(),
        wrong_keys: one(),
    };
    let digest = "0".repeat(64);
    for (path, policy) in [
        ("/api/graph/public1", "read"),
        ("/r/public1", "read"),
        ("/r/public1.json", "read"),
        ("/r/public1.raw.json", "read"),
        ("/r/public1.manifest.json", "read"),
        ("/r/public1.zip", "read"),
        ("/api/v1/schema", "read"),
        ("/api/v1/schema?list=1", "read"),
        ("/api/v1/schema/svc-scan", "read"),
        ("/api/seal/lookup?id=public1", "read"),
        ("/proof", "read"),
        ("/proof.json", "read"),
        ("/proof/2026-11-01.json", "read"),
        (&format!("/api/v1/builds/{digest}"), "read"),
        ("/.well-known/crawlcheck-observers.json", "read"),
        ("/log", "read"),
        ("/metrics", "metrics"),
        ("/api/v1/visitor?ua=x", "visitors"),
        ("/api/v1/agents", "read"),
        ("/agents", "read"),
        ("/api/v1/conduct", "read"),
        ("/conduct", "read"),
        ("/conduct/2026-11-01.json", "read"),
        ("/not-for-agents/page", "read"),
        ("/spec/visitor-resolve", "read"),
    ] {
        let test_server = start_with(limits.clone()).await;
        assert_ne!(test_server.get(path).await.status, 429, "{path}");
        let refused = test_server.get(path).await;
        assert_eq!((refused.status, refused.code().as_str()), (429, "rate_limited"), "{path}");
        let named = refused.header("ratelimit").unwrap();
        assert!(named.starts_with(&format!("\"{policy}\";")), "{path}: {named}");
        assert_eq!(test_server.get("/healthz").await.status, 200);
    }
}

#[tokio::test]
async fn wrong_licence_keys_are_limited_by_address() {
    let two = vec![RateLimit { max: 2, window: Duration::from_secs(60) }];
    let limits = RateLimits { wrong_keys: two, ..RateLimits::none() };
    let test_server = start_with(limits).await;
    let wrong = "x-svc-key: wl_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n";
    let right = format!("x-svc-key: {KEY}\r\n");
    let scan = async |key: &str| {
        let body = r#"{"domain":"kept.com"}"#;
        test_server.post_with("/api/v1/scan", key, "application/json", body).await
    };
    for _ in 0..3 {
        assert_eq!(scan("").await.status, 401, "no key is no wrong key");
        assert_eq!(test_server.server.get("/r/private1", &right).await.status, 200);
    }
    assert_eq!(scan(wrong).await.status, 401);
    assert_eq!(test_server.server.get("/r/private1", wrong).await.status, 404);
    let refused = scan(wrong).await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "rate_limited"));
    assert!(refused.header("ratelimit").unwrap().starts_with("\"wrong-key\""));
    // Also the right key is not looked up now: otherwise guessing would go on.
    assert_eq!(test_server.server.get("/r/private1", &right).await.status, 429);
    assert_eq!(test_server.get("/r/public1").await.status, 200, "without a key");
}
