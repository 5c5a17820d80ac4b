//! What is the same for all clients: documents, schemas, health and metrics, and how they are sent.

use service::log::builds::BuildFacts;

use super::{KEY, start};
use crate::harness::Reply;

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
    let expected = [
        "resolveDomainV1",
        "resolveBatchV1",
        "preflightV1",
        "decisionCheckV1",
        "revocations",
        "visitorResolveV1",
        "visitorResolveBatchV1",
        "mcpScanUrl",
        "mcpLockCheck",
    ];
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
            // Some exist for licence holders only.
            let request = format!(
                "{method} {path} HTTP/1.1\r\nHost: x\r\nx-svc-key: {KEY}\r\nContent-Length: 0\r\n\r\n"
            );
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
