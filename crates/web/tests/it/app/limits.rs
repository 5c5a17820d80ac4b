//! Rate limits of the routes, and of wrong licence keys.

use std::time::Duration;

use web::{RateLimit, RateLimits, RouteLimit, RoutePolicy};

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

/// Limits that refuse every request.
fn nothing_at_all() -> RateLimits {
    let none = || vec![RateLimit { max: 0, window: Duration::from_secs(60) }];
    RateLimits {
        scans: none(),
        keyed_scans: none(),
        feeds: none(),
        log_files: none(),
        reads: none(),
        decisions: none(),
        live_reads: none(),
        keyed_reads: none(),
        keyed_decisions: none(),
        keyed_live_reads: none(),
        visitors: none(),
        outcomes: none(),
        mcp_messages: none(),
        readiness: none(),
        metrics: none(),
        // A key is counted when it is wrong.
        wrong_keys: Vec::new(),
        streams_at_once: Some(0),
    }
}

/// A path of the router, with something in the place of each parameter.
fn example_path(path: &str) -> String {
    let mut parts =
        path.split('/').map(|part| if part.starts_with('{') { "public1" } else { part });
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |path, part| format!("{path}/{part}"))
}

/// Each route refuses under the first policy that the table has for it, or answers if it has none.
#[tokio::test]
async fn every_route_is_limited_as_the_table_says() {
    let test_server = start_with(nothing_at_all()).await;
    let key = format!("x-svc-key: {KEY}\r\n");
    for RoutePolicy { method, path, limit } in web::ROUTE_POLICIES {
        let example = example_path(path);
        // Only these ask for a key before anything else.
        let needs_key = ["/api/v1/scan", "/api/v1/usage", "/api/v1/census/export"];
        let has_key = needs_key.contains(&example.as_str());
        let headers = if has_key { key.as_str() } else { "" };
        let forms =
            ["/scan", "/preflight", "/visitor", "/manage/sign-in", "/manage/scans", "/keys/free"];
        let is_form = forms.contains(&example.as_str()) || example.starts_with("/keys/free/");
        let form = if is_form { FORM } else { "application/json" };
        let reply =
            match *method {
                "GET" => test_server.server.get(&example, headers).await,
                "DELETE" => test_server
                    .server
                    .ask(&format!(
                        "DELETE {example} HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: 0\r\n\r\n"
                    ))
                    .await,
                _ => test_server.post_with(&example, headers, form, "{}").await,
            };
        match limit {
            // A web server that asks lets its visitors in when we cannot tell.
            RouteLimit::Policies(names) if *path == "/api/v1/visitor/gate" => {
                assert_eq!((reply.status, *names), (204, ["visitors"].as_slice()));
                assert!(reply.header("ratelimit").unwrap().starts_with("\"visitors\";r=0"));
            }
            RouteLimit::Policies(names) => {
                assert_eq!(reply.status, 429, "{method} {path}: {}", reply.text());
                let named = reply.header("ratelimit").unwrap_or_default();
                let keyed = if has_key { "keyed-" } else { "" };
                let first = format!("{keyed}{}", names.first().unwrap());
                assert!(
                    named.starts_with(&format!("\"{first}\";r=0;t=")),
                    "{method} {path}: {named}"
                );
                let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
                assert!(wait >= 60, "{method} {path}: {wait}");
            }
            RouteLimit::Unlimited(reason) => {
                assert_ne!(reply.status, 429, "{method} {path}: {reason}");
                assert_eq!(reply.header("ratelimit-policy"), None, "{method} {path}");
            }
        }
        // The router has no method that the table does not have.
        let other = test_server
            .server
            .ask(&format!("PATCH {example} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"))
            .await;
        assert_eq!(other.status, 405, "{path}: {}", other.text());
        let allowed = other.header("allow").unwrap_or_default();
        for known in ["GET", "POST", "PUT", "DELETE"] {
            let is_listed = web::ROUTE_POLICIES
                .iter()
                .any(|route| route.path == *path && route.method == known);
            let is_allowed = allowed.split(',').any(|method| method.trim() == known);
            assert_eq!(is_allowed, is_listed, "{known} {path}: {allowed}");
        }
    }
}

#[tokio::test]
async fn an_address_has_so_many_streams_open() {
    let limits = RateLimits { streams_at_once: Some(0), ..RateLimits::default() };
    let test_server = start_with(limits).await;
    let refused = test_server.get("/scan/aaaaaaaaaaaaaaaaaaaaaaaaaa/events").await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "rate_limited"));
    assert!(refused.header("retry-after").is_some());
    assert!(refused.text().contains("streams open"), "{}", refused.text());
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
    // The right key works: whoever shares the address with somebody who guesses is not locked out.
    assert_eq!(test_server.server.get("/r/private1", &right).await.status, 200);
    assert_eq!(test_server.get("/r/public1").await.status, 200, "without a key");
}
