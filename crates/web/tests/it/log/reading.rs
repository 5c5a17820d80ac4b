//! The log described and shown head by head.

use std::time::Duration;

use contract::Brand;
use proof::{merkle_tree::BatchTree, verify_document};
use serde_json::{Value, json};
use web::{RateLimit, RateLimits};

use super::fixture::{bytes, digest, digests, no_limits, start, start_in};

#[tokio::test]
async fn an_empty_log_is_reported_as_empty() {
    let test_server = start().await;
    let log = test_server.json("/api/v1/log", "log").await;
    for member in ["head", "latest", "first", "cursor"] {
        assert_eq!(log[member], Value::Null, "{member}");
    }
    assert_eq!((&log["tree_size"], &log["batches"]), (&json!(0), &json!(0)));
    let sths = test_server.json("/api/v1/log/sths", "log-sths").await;
    assert_eq!(sths, json!({ "sths": [], "to": null, "n": 0 }));
    for path in [
        "/api/v1/log/sth/0",
        "/api/v1/log/sth/latest",
        "/api/v1/log/leaves/0",
        "/api/v1/log/witness/latest",
        "/api/v1/log/checkpoint",
        "/log/checkpoint",
        "/log/sths/000000000.jsonl",
        "/log/tile/0/000.p/1",
    ] {
        let reply = test_server.get(path).await;
        assert_eq!((reply.status, reply.code().as_str()), (404, "not_found"), "{path}");
    }
    assert!(test_server.get("/log").await.text().contains("The log is empty."));
}

#[tokio::test]
async fn the_record_is_signed_and_carries_the_newest_head_whole() {
    let test_server = start().await;
    for number in 0..5 {
        test_server.decide(number).await;
    }
    let reply = test_server.get("/api/v1/log").await;
    assert_eq!(reply.header("cache-control"), Some("public, max-age=30"));
    let policy = test_server.policy().await;
    let verdict = verify_document(&reply.body, &policy, &Brand::default());
    assert!(verdict.accepted(), "{verdict:?}");
    let log = test_server.json("/api/v1/log", "log").await;
    assert_eq!(reply.header("etag").unwrap(), format!("\"{}\"", log["sha256"].as_str().unwrap()));
    assert_eq!(log["kind"], "svc-log");
    assert_eq!(log["log_id"], "svc-resolve-log-v1");
    assert_eq!((&log["batches"], &log["tree_size"]), (&json!(5), &json!(5)));
    assert_eq!(log["head"], test_server.head());
    let verdict = verify_document(&bytes(&log["head"]), &policy, &Brand::default());
    assert!(verdict.accepted(), "{verdict:?}");
    assert_eq!(log["latest"]["sth_sha256"], log["head"]["sha256"]);
    assert_eq!(log["latest"]["address"], "https://svc.example/api/v1/log/sth/4");
    assert_eq!(log["first"]["batch"], 0);
    assert_eq!(log["promise"], json!({ "max_batch_interval_s": 1, "max_delay_s": 0 }));
    assert_eq!(log["key"]["kid"], log["head"]["signature"]["kid"]);
    assert_eq!((&log["contradictions"], &log["list"]), (&json!(0), &json!([])));
    assert_eq!(log.get("lookup"), None);
}

#[tokio::test]
async fn batches_are_listed_page_by_page_and_leaves_looked_up() {
    let test_server = start().await;
    for number in 0..7 {
        test_server.decide(number).await;
    }
    let mut path = "/api/v1/log?limit=3".to_owned();
    let mut seen = Vec::new();
    loop {
        let page = test_server.json(&path, "log").await;
        for entry in page["list"].as_array().unwrap() {
            let batch = entry["batch"].as_u64().unwrap();
            let shown = test_server.json(&format!("/api/v1/log/sth/{batch}"), "log-batch").await;
            for member in ["batch_root", "first_index", "batch_size", "tree_size", "created_at"] {
                assert_eq!(entry[member], shown["sth"][member], "{member}");
            }
            assert_eq!(entry["sth_sha256"], shown["sth"]["sha256"]);
            seen.push(batch);
        }
        assert_eq!(page["has_more"], json!(page["cursor"].is_string()));
        let Some(cursor) = page["cursor"].as_str() else { break };
        path = format!("/api/v1/log?limit=3&cursor={cursor}");
    }
    assert_eq!(seen, [6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(
        test_server.json("/api/v1/log?limit=100", "log").await["list"].as_array().unwrap().len(),
        7
    );

    let leaves = test_server.json("/api/v1/log/leaves/2", "log-leaves").await;
    let leaf = leaves["leaves"][0].as_str().unwrap();
    let lookup =
        test_server.json(&format!("/api/v1/log?leaf={leaf}"), "log").await["lookup"].clone();
    assert_eq!((&lookup["state"], &lookup["batch"]), (&json!("included"), &json!(2)));
    assert_eq!((&lookup["index"], &lookup["log_index"]), (&json!(0), &json!(2)));
    assert_eq!(lookup["sth"]["sha256"], leaves["sth_sha256"]);
    let nobodys = "0".repeat(64);
    let lookup =
        test_server.json(&format!("/api/v1/log?leaf={nobodys}"), "log").await["lookup"].clone();
    assert_eq!((&lookup["state"], &lookup["batch"]), (&json!("unknown"), &Value::Null));
}

#[tokio::test]
async fn every_head_is_shown_with_leaves_that_give_its_root() {
    let test_server = start().await;
    test_server.decide(0).await;
    test_server.enter(0, 20).await;
    let answer = test_server.decide(1).await;
    let newest = test_server.head()["batch"].as_u64().unwrap();
    let policy = test_server.policy().await;
    for batch in 0..=newest {
        let reply = test_server.get(&format!("/api/v1/log/sth/{batch}")).await;
        let shown = test_server.json(&format!("/api/v1/log/sth/{batch}"), "log-batch").await;
        let sth = &shown["sth"];
        let verdict = verify_document(&bytes(sth), &policy, &Brand::default());
        assert!(verdict.accepted(), "{verdict:?}");
        let tree = BatchTree::new(digests(&shown["leaves"]));
        assert_eq!(tree.leaves(), digests(&shown["leaves"]));
        assert_eq!(tree.root(), digest(&sth["batch_root"]));
        assert_eq!(shown["witnesses"], json!([]));
        let etag = format!("\"{}\"", sth["sha256"].as_str().unwrap());
        assert_eq!(reply.header("etag"), Some(etag.as_str()));
        let again = test_server
            .server
            .get(&format!("/api/v1/log/sth/{batch}"), &format!("If-None-Match: {etag}\r\n"))
            .await;
        assert_eq!(again.status, 304);
        let link = reply.header("link").unwrap();
        assert!(link.contains(&format!("</api/v1/log/leaves/{batch}>; rel=\"item\"")));
        assert_eq!(link.contains("rel=\"prev\""), batch > 0, "{link}");
        assert_eq!(link.contains("rel=\"next\""), batch < newest, "{link}");
        let leaves = test_server.json(&format!("/api/v1/log/leaves/{batch}"), "log-leaves").await;
        assert_eq!(leaves["leaves"], shown["leaves"]);
        assert_eq!(leaves["batch_root"], sth["batch_root"]);
    }
    // The head inside an answer is the one that is shown.
    let named = answer["transparency"]["batch"].as_u64().unwrap();
    let shown = test_server.json(&format!("/api/v1/log/sth/{named}"), "log-batch").await;
    assert_eq!(shown["sth"], answer["transparency"]["sth"]);

    let latest = test_server.get("/api/v1/log/sth/latest").await;
    assert_eq!(latest.json()["sth"], test_server.head());
    let here = format!("/api/v1/log/sth/{newest}");
    assert_eq!(latest.header("content-location"), Some(here.as_str()));
    // A head may be kept for ever once nobody will add to it.
    let cache =
        async |path: &str| test_server.get(path).await.header("cache-control").unwrap().to_owned();
    assert_eq!(cache("/api/v1/log/sth/0").await, "public, max-age=30");
    test_server.pass(3_600_001);
    assert_eq!(cache("/api/v1/log/sth/0").await, "public, max-age=31536000, immutable");
    assert_eq!(cache(&here).await, "public, max-age=30", "it has no next one yet");
    assert_eq!(cache("/api/v1/log/sth/latest").await, "public, max-age=30");
    assert_eq!(cache("/api/v1/log/leaves/0").await, "public, max-age=31536000, immutable");
}

#[tokio::test]
async fn many_heads_come_newest_first() {
    let test_server = start().await;
    for number in 0..60 {
        test_server.decide(number).await;
    }
    let numbers = |reply: &Value| -> Vec<u64> {
        let sths = reply["sths"].as_array().unwrap();
        sths.iter().map(|sth| sth["batch"].as_u64().unwrap()).collect()
    };
    let all = test_server.json("/api/v1/log/sths", "log-sths").await;
    assert_eq!(numbers(&all), (10..60).rev().collect::<Vec<u64>>());
    assert_eq!((&all["to"], &all["n"]), (&json!(59), &json!(50)));
    let some = test_server.json("/api/v1/log/sths?to=4&n=3", "log-sths").await;
    assert_eq!(numbers(&some), [4, 3, 2]);
    let edge = test_server.json("/api/v1/log/sths?to=1&n=200", "log-sths").await;
    assert_eq!(numbers(&edge), [1, 0]);
    let beyond = test_server.json("/api/v1/log/sths?to=1000&n=1", "log-sths").await;
    assert_eq!(numbers(&beyond), [59]);
    let cache =
        async |path: &str| test_server.get(path).await.header("cache-control").unwrap().to_owned();
    assert!(cache("/api/v1/log/sths?to=4&n=3").await.contains("immutable"));
    assert!(!cache("/api/v1/log/sths?to=1000&n=1").await.contains("immutable"));
}

#[tokio::test]
async fn invalid_queries_are_refused() {
    let test_server = start().await;
    test_server.decide(0).await;
    test_server.decide(1).await;
    let leaf = "0".repeat(64);
    let l = format!("/api/v1/log/absence?batch=9&leaf={leaf}");
    let huge = "9".repeat(30);
    let huge = format!("/api/v1/log/sth/{huge}");
    let together = format!("/api/v1/log?leaf={leaf}&limit=3");
    let far = format!("/api/v1/log/inclusion?leaf={leaf}&tree_size=3");
    let nought = format!("/api/v1/log/inclusion?leaf={leaf}&tree_size=0");
    let unknown = format!("/api/v1/log/inclusion?leaf={leaf}");
    let no_batch = format!("/api/v1/log/absence?leaf={leaf}");
    for (path, status, code) in [
        ("/api/v1/log?limit=0", 400, "bad_request"),
        ("/api/v1/log?limit=101", 400, "bad_request"),
        ("/api/v1/log?limit=x", 400, "bad_request"),
        ("/api/v1/log?cursor=-1", 400, "bad_request"),
        ("/api/v1/log?leaf=abc", 400, "bad_request"),
        ("/api/v1/log?page=1", 400, "unknown_field"),
        ("/api/v1/log?limit=1&limit=1", 400, "bad_request"),
        (together.as_str(), 400, "bad_request"),
        ("/api/v1/log/sth/newest", 400, "bad_request"),
        ("/api/v1/log/sth/01", 400, "bad_request"),
        ("/api/v1/log/sth/-1", 400, "bad_request"),
        ("/api/v1/log/sth/0?x=1", 400, "unknown_field"),
        (huge.as_str(), 400, "bad_request"),
        ("/api/v1/log/sth/2", 404, "not_found"),
        ("/api/v1/log/sths?n=0", 400, "bad_request"),
        ("/api/v1/log/sths?n=201", 400, "bad_request"),
        ("/api/v1/log/sths?to=", 400, "bad_request"),
        ("/api/v1/log/sths?from=1", 400, "unknown_field"),
        ("/api/v1/log/leaves/latest", 400, "bad_request"),
        ("/api/v1/log/leaves/2", 404, "not_found"),
        ("/api/v1/log/inclusion", 400, "bad_request"),
        (unknown.as_str(), 404, "not_found"),
        (far.as_str(), 400, "bad_request"),
        (nought.as_str(), 400, "bad_request"),
        ("/api/v1/log/consistency", 400, "bad_request"),
        ("/api/v1/log/consistency?from=0", 400, "bad_request"),
        ("/api/v1/log/consistency?from=2&to=1", 400, "bad_request"),
        ("/api/v1/log/consistency?from=1&to=3", 400, "bad_request"),
        ("/api/v1/log/absence", 400, "bad_request"),
        (no_batch.as_str(), 400, "bad_request"),
        (l.as_str(), 404, "not_found"),
        ("/api/v1/log/witness/latest?x=1", 400, "unknown_field"),
        ("/api/v1/log/witness/latest", 404, "not_found"),
        ("/api/v1/log/checkpoint?x=1", 400, "unknown_field"),
        ("/api/v1/log/nothing", 404, "not_found"),
        ("/api/v1/log/gossip", 405, "method_not_allowed"),
    ] {
        let reply = test_server.get(path).await;
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{path}");
    }
}

#[tokio::test]
async fn a_log_that_is_not_open_answers_503_and_so_does_readyz() {
    let test_server = start_in(tempfile::tempdir().unwrap(), no_limits(), false).await;
    for path in [
        "/api/v1/log",
        "/api/v1/log/sth/0",
        "/api/v1/log/sths",
        "/api/v1/log/leaves/0",
        "/api/v1/log/consistency?from=1",
        "/api/v1/log/witness/latest",
        "/log/checkpoint",
        "/log/log.json",
        "/log/tile/0/000",
        "/log/sths/000000000.jsonl",
        "/log",
    ] {
        let reply = test_server.get(path).await;
        assert_eq!((reply.status, reply.code().as_str()), (503, "signing_unavailable"), "{path}");
        assert!(reply.header("retry-after").is_some());
    }
    let ready = test_server.get("/readyz").await;
    assert_eq!((ready.status, ready.code().as_str()), (503, "signing_unavailable"));
    assert!(ready.text().contains("the log is not open"), "{}", ready.text());
    assert_eq!(test_server.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn a_halted_log_is_read_and_not_ready() {
    let test_server = start().await;
    test_server.decide(0).await;
    assert_eq!(test_server.get("/readyz").await.json()["log"]["tree_size"], 1);
    // Another process takes over: what this one would seal is refused by the store.
    use store::Log;
    let far = test_server.service_time(100_000_000);
    let lease =
        test_server.store.acquire_log_lease("another", far, far.plus_millis(1_000)).await.unwrap();
    assert!(matches!(lease, store::LogLease::Granted { .. }), "{lease:?}");
    let refused =
        test_server.service.log.seal_entry("test", bytes::Bytes::from_static(b"{}")).await;
    assert!(refused.is_err());
    let ready = test_server.get("/readyz").await;
    assert_eq!((ready.status, ready.code().as_str()), (503, "signing_unavailable"));
    assert!(ready.text().contains("The log does not accept entries: "), "{}", ready.text());
    assert_eq!(test_server.json("/api/v1/log", "log").await["tree_size"], 1);
}

#[tokio::test]
async fn readers_have_their_rate_and_files_a_higher_one() {
    // One more every two minutes, so that none comes back while the test runs.
    let feeds = vec![RateLimit { max: 30, window: Duration::from_secs(3_600) }];
    let limits = RateLimits { feeds, ..RateLimits::default() };
    let test_server = start_in(tempfile::tempdir().unwrap(), limits, true).await;
    test_server.decide(0).await;
    for number in 0..30 {
        let path = ["/api/v1/log", "/api/v1/log/sth/0", "/api/v1/log/sths"][number % 3];
        assert_eq!(test_server.get(path).await.status, 200);
    }
    for path in ["/api/v1/log", "/api/v1/log/checkpoint", "/api/v1/log/witness/latest"] {
        let reply = test_server.get(path).await;
        assert_eq!((reply.status, reply.code().as_str()), (429, "rate_limited"), "{path}");
        let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=120).contains(&wait));
    }
    assert_eq!(test_server.gossip(&[test_server.head()]).await.status, 429);
    for _ in 0..40 {
        assert_eq!(test_server.get("/log/tile/0/000.p/1").await.status, 200);
    }
    assert_eq!(test_server.get("/log/checkpoint").await.status, 200);
    assert_eq!(test_server.get("/log").await.status, 200);
}

#[tokio::test]
async fn there_is_a_page_for_people() {
    let test_server = start().await;
    for number in 0..3 {
        test_server.decide(number).await;
    }
    let reply = test_server.get("/log").await;
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(reply.header("content-security-policy").is_some());
    let page = reply.text();
    assert!(!page.contains("<script>"));
    for part in [
        "node crawlcheck-verify.mjs answer.json --keys https://svc.example/.well-known/",
        "wayleave log monitor https://svc.example",
        "curl https://svc.example/log/checkpoint",
        "href=\"/api/v1/log/sth/2\"",
        "href=\"/api/v1/log/leaves/0\"",
        "No witness has cosigned this log yet",
        test_server.head()["sha256"].as_str().unwrap(),
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("role=\"alert\""));
    assert!(test_server.get("/").await.text().contains("href=\"/log\""));
}
