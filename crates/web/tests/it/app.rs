//! The real routes with a real service that has no network.

use std::{sync::Arc, time::Duration};

use agents::Catalogue;
use bytes::Bytes;
use contract::{Brand, Domain, NamePolicy, Timestamp, clock::FixedClock};
use door::{Door, Policy, ResolverChoice};
use service::{Service, ServiceDependencies, Settings, SystemIds, log::builds::BuildFacts};
use store::{Digest, Licence, Licences, LicensedDomains, Scan, Scans, Visibility};
use store_sqlite::{SqliteOptions, SqliteStore};
use web::{RateLimits, ServerOptions, WebOptions};

use crate::harness::{Reply, Server};

const RECORD: &str = r#"{"visibility":"public","made":"by a later version"}"#;

pub(crate) struct TestServer {
    pub(crate) server: Server,
    pub(crate) service: Arc<Service>,
    _dir: tempfile::TempDir,
}

/// A key whose licence is for `kept.com` and `old.com`, and one whose licence is for another domain.
const KEY: &str = "wl_KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK";
const OTHER_KEY: &str = "wl_OOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOO";

/// Without rate limits, and with three stored scans: `public1`, `unlisted1`, `private1`.
pub(crate) async fn start() -> TestServer {
    start_with(RateLimits { scans: vec![], ..RateLimits::default() }).await
}

pub(crate) async fn start_with(limits: RateLimits) -> TestServer {
    let dir = tempfile::tempdir().unwrap();
    let now = Timestamp::from_millis(1_794_736_800_000);
    let clock = Arc::new(FixedClock(now));
    let store = SqliteStore::open(dir.path(), SqliteOptions::default()).unwrap();
    let domain = Domain::parse("kept.com", &NamePolicy::default()).unwrap();
    for (id, visibility) in [
        ("public1", Visibility::Public),
        ("unlisted1", Visibility::Unlisted),
        ("private1", Visibility::Private),
    ] {
        let record = RECORD.replace("public", visibility.as_str());
        let scan = Scan {
            id: id.to_owned(),
            domain: domain.clone(),
            scanned_at: now,
            visibility,
            score_version: 1,
            grade: None,
            overall: None,
            record: Bytes::from(record),
            evidence: Bytes::from("{\"v\":1}"),
            artifacts: Vec::new(),
        };
        store.put_scan(scan).await.unwrap();
    }
    for number in 0..16 {
        let scan = Scan {
            id: format!("old{number:02}"),
            domain: Domain::parse("old.com", &NamePolicy::default()).unwrap(),
            scanned_at: now.plus_millis(-600_000 + number),
            visibility: match number {
                14 => Visibility::Unlisted,
                15 => Visibility::Private,
                _ => Visibility::Public,
            },
            score_version: 1,
            grade: Some("B".to_owned()),
            overall: Some(70),
            record: Bytes::from("{}"),
            evidence: Bytes::from("{}"),
            artifacts: Vec::new(),
        };
        store.put_scan(scan).await.unwrap();
    }
    for (key, names) in [(KEY, ["kept.com", "old.com"]), (OTHER_KEY, ["other.com", "third.com"])] {
        let domain = |name| Domain::parse(name, &NamePolicy::default()).unwrap();
        let licence = Licence {
            id: format!("licence for {names:?}"),
            key_sha256: Digest::of(key.as_bytes()),
            domains: LicensedDomains::Only(names.into_iter().map(domain).collect()),
            label: None,
            created_at: now,
            revoked_at: None,
        };
        store.put_licence(licence).await.unwrap();
    }
    // A resolver that does not exist: every name fails, and no connection is made.
    let nowhere = ResolverChoice::Server("127.0.0.1:1".parse().unwrap());
    let policy = Policy { resolver: nowhere, ..Policy::public() };
    let settings = Settings {
        brand: Brand::default(),
        scan_deadline: Duration::from_secs(2),
        ..Settings::new("https://svc.example".to_owned())
    };
    let service = Service::new(ServiceDependencies {
        settings,
        door: Door::new(policy, clock.clone()).unwrap(),
        catalogue: Catalogue::built_in().unwrap(),
        store: Arc::new(store),
        keys: proof::KeyStore::open(&dir.path().join("keys"), now).unwrap(),
        secret: proof::keys::DeploymentSecret::open(&dir.path().join("keys")).unwrap(),
        clock,
        ids: Arc::new(SystemIds),
    });
    let (mark, marked) = proof::keys::LogMark::open(&dir.path().join("keys")).unwrap();
    service.log.open(mark, marked).await.unwrap();
    service.log.seal_entry("test", Bytes::from_static(b"{}")).await.unwrap();
    let service = Arc::new(service);
    let app = web::build_app(Arc::clone(&service), WebOptions { limits, ..WebOptions::default() });
    TestServer { server: Server::of(app, ServerOptions::default()).await, service, _dir: dir }
}

impl TestServer {
    /// Loads the page of a running scan until the scan has ended.
    async fn wait_for_scan(&self, path: &str) -> Reply {
        for _ in 0..200 {
            let page = self.get(path).await;
            if !page.text().contains("Scanning ") {
                return page;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the scan of {path} did not end");
    }

    async fn get(&self, path: &str) -> Reply {
        self.server.get(path, "").await
    }

    async fn post(&self, path: &str, media_type: &str, body: &str) -> Reply {
        self.post_with(path, "", media_type, body).await
    }

    async fn post_with(&self, path: &str, headers: &str, media_type: &str, body: &str) -> Reply {
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\n{headers}Content-Type: {media_type}\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        self.server.ask(&request).await
    }
}

/// The fast path answers without the router, with the same response.
#[tokio::test]
async fn the_fast_path_gives_the_same_response_as_the_router() {
    let test_server = start().await;
    let counted = async || {
        let metrics = test_server.get("/metrics").await;
        let start = "http_requests_total{route=\"/openapi.json\",method=\"GET\",status=\"2xx\"} ";
        let line = metrics.text().lines().find_map(|line| line.strip_prefix(start));
        line.map_or(0, |count| count.parse::<u64>().unwrap())
    };
    let head = |reply: &Reply| {
        let mut lines: Vec<String> = reply.head.lines().map(str::to_ascii_lowercase).collect();
        lines.retain(|line| !line.starts_with("x-request-id") && !line.starts_with("date"));
        lines.sort();
        lines
    };
    let before = counted().await;
    let short = test_server.server.get("/openapi.json", "").await;
    // Range is not supported; it only forces the request through the router.
    let long = test_server.server.get("/openapi.json", "Range: bytes=0-5\r\n").await;
    assert_eq!(head(&short), head(&long));
    assert_eq!((short.status, &short.body), (long.status, &long.body));
    // Other tests of this process count as well.
    assert!(counted().await >= before + 2);
    assert_ne!(short.header("x-request-id"), long.header("x-request-id"));
    let named = test_server.server.get("/openapi.json", "X-Request-Id: mine-1\r\n").await;
    assert_eq!(named.header("x-request-id"), Some("mine-1"));
    let other = test_server
        .server
        .ask("POST /openapi.json HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(other.await.status, 405);
}

#[tokio::test]
async fn documents_are_served_with_their_type_and_not_sent_twice() {
    let test_server = start().await;
    let page = "text/html; charset=utf-8";
    let schema = "application/schema+json";
    let directory = "application/http-message-signatures-directory+json";
    for (path, media_type) in [
        ("/openapi.json", "application/json"),
        ("/docs", page),
        ("/method", page),
        ("/spec/graph-context.jsonld", "application/ld+json"),
        ("/docs/scans", page),
        ("/docs/errors", page),
        ("/docs/reader", page),
        ("/style.css", "text/css; charset=utf-8"),
        ("/pages.js", "text/javascript; charset=utf-8"),
        ("/favicon.svg", "image/svg+xml"),
        ("/badge/old.com.svg", "image/svg+xml"),
        ("/api/v1/core", "application/json"),
        ("/api/v1/schema", schema),
        ("/api/v1/schema?kind=svc-scan", schema),
        ("/api/v1/schema/svc-scan", schema),
        ("/api/v1/schema?list=1", "application/json"),
        ("/.well-known/http-message-signatures-directory", directory),
        ("/.well-known/security-key-rotation.json", "application/json"),
        ("/crawlcheck-verify.mjs", "text/javascript; charset=utf-8"),
        ("/r/public1.json", "application/json"),
        ("/r/public1.raw.json", "application/json"),
    ] {
        let reply = test_server.get(path).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(media_type)), "{path}");
        let tag = reply.header("etag").unwrap();
        assert!(tag.len() == 66 && tag.starts_with('"'), "{path}: {tag}");
        let again = test_server.server.get(path, &format!("If-None-Match: {tag}\r\n")).await;
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        assert_eq!(again.header("etag"), Some(tag), "{path}");
    }
    let verifier = test_server.get("/crawlcheck-verify.mjs").await;
    assert_eq!(verifier.header("cache-control"), Some("public, max-age=3600"));
    assert!(verifier.body.starts_with(b"#!/usr/bin/env node\n"));
    let purposes = test_server.get("/.well-known/http-message-signatures-directory").await.json();
    assert_eq!(purposes["keys"].as_array().unwrap().len(), 4);
    let report = test_server.get("/api/v1/schema").await.json();
    assert_eq!(report["$id"], "https://svc.example/api/v1/schema");
    let core = test_server.get("/api/v1/core").await.json();
    let operations = core["operations"].as_array().unwrap();
    let served = operations.iter().filter(|one| one["served"] == true);
    let served: Vec<&str> = served.map(|one| one["operationId"].as_str().unwrap()).collect();
    let expected =
        ["resolveDomainV1", "resolveBatchV1", "preflightV1", "decisionCheckV1", "revocations"];
    assert_eq!(served, expected);
}

#[tokio::test]
async fn every_documented_operation_has_a_route() {
    let test_server = start().await;
    let build =
        test_server.service.builds.identify_running_build(BuildFacts::default()).await.unwrap();
    let version_id = build.version_id().to_hex();
    let document = test_server.get("/openapi.json").await.json();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            let path = path.replace("{id}", "public1").replace("{kind}", "svc-scan");
            let path = path.replace("{version_id}", &version_id);
            let path = path.replace("{day}", "2026-11-14");
            let path = path.replace("{batch}", "0").replace("{path}", "0/000.p/1");
            let path = path.replace("{file}", "000000000.jsonl");
            let method = method.to_uppercase();
            let request =
                format!("{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
            let reply = test_server.server.ask(&request).await;
            // A handler that finds nothing answers 404 with a text of its own.
            let nothing =
                reply.status == 404 && reply.text().contains("no resource at this address");
            let fine = !nothing && ![405, 500].contains(&reply.status);
            assert!(fine, "{method} {path}: {}", reply.status);
        }
    }
}

#[tokio::test]
async fn reports_have_three_forms_and_private_ones_are_not_found() {
    let test_server = start().await;
    assert_eq!(test_server.get("/r/public1.json").await.text(), RECORD);
    let reply = test_server.server.get("/r/public1", "Accept: application/json\r\n").await;
    assert_eq!((reply.text(), reply.header("vary")), (RECORD, Some("Accept")));
    let page = test_server.get("/r/public1").await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.header("content-security-policy").unwrap().contains("default-src 'none'"));
    assert!(page.text().contains("href=\"/r/public1.json\""));
    assert_eq!(test_server.get("/r/public1.raw.json").await.text(), "{\"v\":1}");

    let unlisted = test_server.get("/r/unlisted1.json").await;
    assert_eq!(unlisted.header("x-robots-tag"), Some("noindex"));
    assert!(unlisted.header("cache-control").unwrap().starts_with("private"));

    for end in ["", ".json", ".raw.json"] {
        let private = test_server.get(&format!("/r/private1{end}")).await;
        let unknown = test_server.get(&format!("/r/unknown1{end}")).await;
        assert_eq!((private.status, unknown.status), (404, 404), "{end}");
        assert_eq!(private.json()["error"], unknown.json()["error"], "{end}");
    }
    for odd in ["/r/..%2f..%2fetc", "/r/%00", "/r/.json", "/r/.raw.json", "/r/a%20b", "/r/%ff"] {
        let reply = test_server.get(odd).await;
        assert!([400, 404].contains(&reply.status), "{odd}: {}", reply.status);
        assert!(reply.json()["code"].is_string(), "{odd}");
    }
}

#[tokio::test]
async fn a_private_report_opens_with_a_key_for_its_domain() {
    let test_server = start().await;
    for (headers, status) in [
        (format!("X-Svc-Key: {KEY}\r\n"), 200),
        (format!("Authorization: Bearer {KEY}\r\n"), 200),
        (format!("X-Svc-Key: {OTHER_KEY}\r\n"), 404),
        (format!("X-Svc-Key: {OTHER_KEY}\r\nAuthorization: Bearer {KEY}\r\n"), 404),
        ("X-Svc-Key: wl_\r\n".to_owned(), 404),
    ] {
        for path in ["/r/private1", "/r/private1.json", "/r/private1.raw.json"] {
            let reply = test_server.server.get(path, &headers).await;
            assert_eq!(reply.status, status, "{path} {headers}");
            if status == 200 {
                assert_eq!(reply.header("cache-control"), Some("private, no-store"), "{path}");
                assert_eq!(reply.header("x-robots-tag"), Some("noindex"), "{path}");
            }
        }
    }
    // A public report needs no key, and an invalid key is ignored.
    assert_eq!(test_server.server.get("/r/public1", "X-Svc-Key: x\r\n").await.status, 200);
}

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
async fn too_many_scan_requests_get_429_and_a_wait() {
    let test_server = start_with(RateLimits::default()).await;
    let json = "application/json";
    // What is refused as malformed is no scan, by the API and by the form.
    let form = "application/x-www-form-urlencoded";
    for _ in 0..6 {
        let reply = test_server.post("/api/scan", json, r#"{"domain":"localhost"}"#).await;
        assert_eq!(reply.code(), "bad_domain");
    }
    for _ in 0..3 {
        let body = format!("domain=localhost&token={}", form_token(&test_server).await);
        let page = test_server.post("/scan", form, &body).await;
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
    let page = test_server.post("/scan", form, "domain=localhost").await;
    assert_eq!((page.status, page.header("retry-after").is_some()), (429, true));
    assert!(page.text().contains("role=\"alert\""));
    assert_eq!(test_server.get("/").await.status, 200, "reading is not scanning");
}

#[tokio::test]
async fn health_readiness_and_metrics_are_served() {
    let test_server = start().await;
    assert_eq!(test_server.get("/healthz").await.json()["status"], "ok");
    let ready = test_server.get("/readyz").await.json();
    assert_eq!(ready["status"], "ready");
    let log = serde_json::json!({ "state": "open", "tree_size": 1, "contradictions": 0 });
    assert_eq!(ready["log"], log);
    let metrics = test_server.get("/metrics").await;
    assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    assert!(metrics.text().contains("http_requests_total{route=\"/healthz\""));
    assert!(metrics.text().contains("http_connections_open"));
}

#[tokio::test]
async fn queries_are_parsed_strictly() {
    let test_server = start().await;
    for (query, status, code) in [
        ("kind=svc-nothing", 404, "not_found"),
        ("kind=scan", 404, "not_found"),
        ("kind=", 404, "not_found"),
        ("kid=svc-scan", 400, "unknown_field"),
        ("kind=svc-scan&kind=svc-scan", 400, "bad_request"),
        ("list=2", 400, "bad_request"),
        ("list=1&kind=svc-scan", 400, "bad_request"),
    ] {
        let reply = test_server.get(&format!("/api/v1/schema?{query}")).await;
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{query}");
    }
    assert_eq!(test_server.get("/api/v1/schema/svc-nothing").await.status, 404);
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

#[tokio::test]
async fn the_home_page_has_a_form_that_works_without_scripts() {
    let test_server = start().await;
    let form = "application/x-www-form-urlencoded";
    let home = test_server.get("/").await;
    assert!(home.text().contains(" method=\"post\" action=\"/scan\">"));
    assert_eq!(home.text().matches("<script").count(), 1, "only our own file");
    assert!(home.text().contains("<script src=\"/pages.js\" defer></script>"));

    let token = home.text().split("name=\"token\" value=\"").nth(1).unwrap();
    let token = token.split('"').next().unwrap();
    let fill = |domain: &str| format!("{domain}&token={token}");
    let refused = test_server.post("/scan", form, &fill("domain=%3Cscript%3Ex")).await;
    assert_eq!(refused.status, 400);
    assert!(
        refused.text().contains("role=\"alert\"") && refused.text().contains("&lt;script&gt;x")
    );
    assert!(!refused.text().contains("<script>"));

    let silent = test_server.post("/scan", form, &fill("domain=silent.com&unlisted=on")).await;
    assert_eq!(silent.status, 303);
    let shown = test_server.wait_for_scan(silent.header("location").unwrap()).await;
    assert_eq!(shown.status, 200);
    assert!(shown.text().contains("The name could not be looked up"), "{}", shown.text());
    assert_eq!(test_server.post("/scan", "application/json", "{}").await.status, 415);
    // Without a form of ours, nothing is scanned; nor for a page of another site.
    let without = test_server.post("/scan", form, "domain=silent.com").await;
    assert_eq!(without.status, 403);
    assert!(without.text().contains("This form has expired"));
    for header in ["Sec-Fetch-Site: cross-site\r\n", "Origin: https://other.example\r\n"] {
        let foreign =
            test_server.post_with("/scan", header, form, &fill("domain=silent.com")).await;
        assert_eq!((foreign.status, foreign.code().as_str()), (403, "forbidden"), "{header}");
    }
    let own = "Sec-Fetch-Site: same-origin\r\nOrigin: http://x\r\n";
    assert_eq!(
        test_server.post_with("/scan", own, form, &fill("domain=silent.com")).await.status,
        303
    );
    let large = format!("domain={}", "a".repeat(20_000));
    assert_eq!(test_server.post("/scan", form, &large).await.status, 413);
}

#[tokio::test]
async fn every_route_that_costs_has_a_named_rate() {
    let one = || vec![web::RateLimit { max: 1, window: Duration::from_secs(60) }];
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
    let two = vec![web::RateLimit { max: 2, window: Duration::from_secs(60) }];
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

/// The token of a new form.
async fn form_token(test_server: &TestServer) -> String {
    let home = test_server.get("/").await;
    let token = home.text().split("name=\"token\" value=\"").nth(1).unwrap();
    token.split('"').next().unwrap().to_owned()
}

/// The progress of a scan is a stream of events that ends with the address to go to. Nobody finds a scan whose
/// id he does not know.
#[tokio::test]
async fn a_running_scan_can_be_watched_by_its_id_only() {
    let test_server = start().await;
    let token = form_token(&test_server).await;
    let form = "application/x-www-form-urlencoded";
    let body = format!("domain=silent.com&unlisted=on&token={token}");
    let started = test_server.post("/scan", form, &body).await;
    let path = started.header("location").unwrap().to_owned();
    let id = path.strip_prefix("/scan/").unwrap();
    assert!(id.len() >= 26 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
    let events = test_server.server.get_stream(&format!("{path}/events")).await;
    assert!(events.contains("content-type: text/event-stream\r\n"), "{events}");
    assert!(!events.contains("content-encoding"), "{events}");
    assert!(events.contains(&format!("event: end\ndata: {path}\n")), "{events}");
    for unknown in
        ["/scan/aaaaaaaaaaaaaaaaaaaaaaaaaa", "/scan/..", "/scan/%00/events", "/scan/x/events"]
    {
        assert_eq!(test_server.get(unknown).await.status, 404, "{unknown}");
    }
}

#[tokio::test]
async fn documents_are_compressed_for_clients_that_accept_it() {
    let test_server = start().await;
    for path in ["/openapi.json", "/docs/records", "/style.css", "/method", "/"] {
        let plain = test_server.get(path).await;
        assert_eq!(plain.header("content-encoding"), None, "{path}");
        for coding in ["br", "gzip"] {
            // Twice: the second one is not compressed again.
            for _ in 0..2 {
                let headers = format!("Accept-Encoding: {coding}\r\n");
                let reply = test_server.server.get(path, &headers).await;
                assert_eq!(reply.header("content-encoding"), Some(coding), "{path}");
                assert!(reply.body.len() * 2 < plain.body.len(), "{path} {coding}");
                assert!(
                    reply.head.to_ascii_lowercase().contains("vary: accept-encoding"),
                    "{path}"
                );
                let digest = proof::http_signatures::content_digest(&proof::sha256(&reply.body));
                assert_eq!(reply.header("content-digest"), Some(digest.as_str()), "{path}");
            }
        }
        if let Some(tag) = plain.header("etag") {
            let headers = format!("Accept-Encoding: br\r\nIf-None-Match: W/{tag}\r\n");
            assert_eq!(test_server.server.get(path, &headers).await.status, 304, "{path}");
        }
    }
    let short = test_server.server.get("/healthz", "Accept-Encoding: br, gzip\r\n").await;
    assert_eq!((short.status, short.header("content-encoding")), (200, None));
}

#[tokio::test]
async fn a_badge_shows_the_latest_public_scan_and_is_never_broken() {
    let test_server = start().await;
    let badge = test_server.get("/badge/old.com.svg").await;
    assert!(badge.text().contains("B 70"), "{}", badge.text());
    assert_eq!(badge.header("content-security-policy"), Some("default-src 'none'"));
    let unknown = test_server.get("/badge/never-scanned.com.svg").await;
    assert_eq!(unknown.status, 200);
    assert!(unknown.text().contains("no scan"));
    for odd in ["/badge/old.com", "/badge/..svg", "/badge/%3Cscript%3E.svg", "/badge/::1.svg"] {
        assert_eq!(test_server.get(odd).await.status, 404, "{odd}");
    }
    // Like the report itself: a private one is not there, and a record of another version has no picture.
    assert_eq!(test_server.get("/og/private1.png").await.status, 404);
    assert_eq!(test_server.get("/og/public1.png").await.status, 404);
}

#[tokio::test]
async fn the_preflight_form_answers_with_a_decision_or_the_reason_why_not() {
    let test_server = start().await;
    let form = "application/x-www-form-urlencoded";
    let token = async || {
        let page = test_server.get("/preflight").await;
        let token = page.text().split("name=\"token\" value=\"").nth(1).unwrap();
        token.split('"').next().unwrap().to_owned()
    };
    let ask = async |fields: &str| {
        let body = format!("{fields}&token={}", token().await);
        test_server.post("/preflight", form, &body).await
    };
    let decided = ask("url=https%3A%2F%2Fkept.com%2Fa&action=read&agent=GPTBot").await;
    assert_eq!(decided.status, 200, "{}", decided.text());
    assert!(decided.text().contains("class=\"panel stack receipt"), "{}", decided.text());
    assert!(decided.text().contains("How we decided"));
    for (fields, status) in [
        ("url=&action=read", 400),
        ("url=http%3A%2F%2F127.0.0.1%2F&action=read", 400),
        ("url=https%3A%2F%2Fkept.com&action=fly", 400),
    ] {
        let refused = ask(fields).await;
        assert_eq!(refused.status, status, "{fields}");
        assert!(refused.text().contains("role=\"alert\""), "{fields}");
    }
    let without =
        test_server.post("/preflight", form, "url=https%3A%2F%2Fkept.com&action=read").await;
    assert_eq!(without.status, 403);
    let foreign =
        test_server.post_with("/preflight", "Sec-Fetch-Site: cross-site\r\n", form, "").await;
    assert_eq!((foreign.status, foreign.code().as_str()), (403, "forbidden"));
}
