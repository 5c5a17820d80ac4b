//! Rate limits over HTTP, and the headers that report them.

use std::time::Duration;

use serde_json::json;
use web::{RateLimit, RateLimits};

use crate::outcomes::start;

fn rate(most: u32) -> Vec<RateLimit> {
    vec![RateLimit { max: most, window: Duration::from_secs(60) }]
}

/// `t` of the first policy in a RateLimit field.
fn reset(field: &str) -> u64 {
    let (_, rest) = field.split_once(";t=").unwrap();
    rest.split(',').next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn every_response_reports_the_quota_of_its_policy() {
    let limits = RateLimits { reads: rate(3), feeds: rate(2), ..RateLimits::default() };
    let test_server = start(500, limits).await;
    let ask = async |path: &str, headers: &str| test_server.server.get(path, headers).await;
    // An error counts and is reported like a success.
    for (path, status, left) in
        [("domain=a.com", 200, 2), ("domain=!", 400, 1), ("domain=a.com", 200, 0)]
    {
        let reply = ask(&format!("/api/v1/outcomes?{path}"), "").await;
        assert_eq!(reply.status, status, "{}", reply.text());
        assert_eq!(reply.header("ratelimit-policy"), Some("\"read\";q=3;w=60"));
        let standing = reply.header("ratelimit").unwrap();
        assert!(standing.starts_with(&format!("\"read\";r={left};t=")), "{standing}");
        // One comes back every 20 seconds.
        assert!((1..=20).contains(&reset(standing)), "{standing}");
    }
    let refused =
        ask("/api/v1/outcomes?domain=a.com", "Accept: application/problem+json\r\n").await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "rate_limited"));
    assert_eq!(refused.json()["violated-policies"], json!(["read"]));
    assert_eq!(refused.header("ratelimit-policy"), Some("\"read\";q=3;w=60"));
    let standing = refused.header("ratelimit").unwrap();
    assert!(standing.starts_with("\"read\";r=0;t="), "{standing}");
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!(wait >= reset(standing), "{wait} {standing}");
    // The quotas of another client and of another policy are unchanged.
    let other = ask("/api/v1/outcomes?domain=a.com", "X-Forwarded-For: 192.0.2.1\r\n").await;
    assert!(other.header("ratelimit").unwrap().starts_with("\"read\";r=2;t="));
    let feed = ask("/api/v1/log/sths", "").await;
    assert_eq!(feed.header("ratelimit-policy"), Some("\"feed\";q=2;w=60"));
    assert!(feed.header("ratelimit").unwrap().starts_with("\"feed\";r=1;t="));
    // Unlimited operations have no rate limit headers.
    assert_eq!(ask("/api/v1/core", "").await.header("ratelimit"), None);
}

#[tokio::test]
async fn both_limits_of_scans_are_reported() {
    let test_server = start(500, RateLimits::default()).await;
    let ask = async || test_server.post("/api/scan", "", r#"{"domain":"nowhere.com"}"#).await;
    let reply = ask().await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    // Every scan request also counts as a read, so that malformed ones are limited, too.
    assert_eq!(
        reply.header("ratelimit-policy"),
        Some("\"read\";q=1200;w=60, \"scan-10s\";q=5;w=10, \"scan\";q=6;w=60")
    );
    let standing = reply.header("ratelimit").unwrap();
    assert!(standing.contains(", \"scan-10s\";r=4;t="), "{standing}");
    assert!(standing.contains(", \"scan\";r=5;t="), "{standing}");
    for _ in 0..4 {
        ask().await;
    }
    let refused = ask().await;
    assert_eq!(refused.status, 429);
    let standing = refused.header("ratelimit").unwrap();
    assert!(standing.starts_with("\"scan-10s\";r=0;t="), "{standing}");
    assert!(!standing.contains("\"scan\""), "only what refused: {standing}");
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!(wait >= reset(standing), "{wait} {standing}");
}

#[tokio::test]
async fn without_limits_nothing_is_refused_or_reported() {
    let test_server = start(500, RateLimits::none()).await;
    for _ in 0..150 {
        let reply = test_server.server.get("/api/v1/outcomes?domain=a.com", "").await;
        assert_eq!((reply.status, reply.header("ratelimit")), (200, None));
        assert_eq!(reply.header("ratelimit-policy"), None);
    }
}

#[tokio::test]
async fn scripts_may_send_a_key_and_read_the_rate_limit_headers() {
    let test_server = start(500, RateLimits::default()).await;
    let preflight = test_server
        .server
        .ask(
            "OPTIONS /api/v1/outcome HTTP/1.1\r\nHost: x\r\nOrigin: https://a.example\r\n\
             Access-Control-Request-Method: POST\r\n\r\n",
        )
        .await;
    let allowed = preflight.header("access-control-allow-headers").unwrap();
    for name in ["Idempotency-Key", "x-svc-key", "Content-Type"] {
        assert!(allowed.split(", ").any(|one| one == name), "{name}: {allowed}");
    }
    let reply = test_server.server.get("/api/v1/outcomes?domain=a.com", "").await;
    let exposed = reply.header("access-control-expose-headers").unwrap();
    for name in ["RateLimit", "RateLimit-Policy", "Retry-After", "Idempotency-Replayed"] {
        assert!(exposed.split(", ").any(|one| one == name), "{name}: {exposed}");
    }
}

/// Networks of 64 bits are clients, and the networks around them have their own limits.
#[tokio::test]
async fn ipv6_networks_are_limited_together() {
    let two = vec![RateLimit { max: 2, window: Duration::from_secs(60) }];
    let test_server = start(500, RateLimits { reads: two, ..RateLimits::none() }).await;
    let ask = async |address: &str| {
        let from = format!("X-Forwarded-For: {address}\r\n");
        test_server.server.get("/api/v1/outcomes?domain=a.com", &from).await
    };
    for subnet in 0..4 {
        for host in 1..=2 {
            let reply = ask(&format!("2001:db8:0:{subnet}::{host}")).await;
            assert_eq!(reply.status, 200, "{subnet} {host}: {}", reply.text());
        }
    }
    let refused = ask("2001:db8:0:1::9").await;
    assert_eq!(refused.status, 429);
    // Both the /64 and the /56 are used up; the /64 waits longer.
    assert!(refused.text().contains("from the network 2001:db8:0:1::/64"), "{}", refused.text());
    let refused = ask("2001:db8:0:9::1").await;
    assert!(refused.text().contains("from the network 2001:db8::/56"), "{}", refused.text());
    assert_eq!(refused.header("ratelimit-policy"), Some("\"read-56\";q=8;w=60"));
    let named = refused.header("ratelimit").unwrap();
    assert!(named.starts_with("\"read-56\";r=0;t="), "{named}");
    let reset: u64 = named.rsplit("t=").next().unwrap().parse().unwrap();
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!(wait >= reset && wait <= 8, "{wait} {reset}");
    assert_eq!(ask("2001:db8:0:900::1").await.status, 200, "another /56");
    assert_eq!(ask("192.0.2.1").await.status, 200);
}
