//! The quota of a month: counted exactly, reported on every answer, kept over restarts.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;

use super::{Setup, key_header, remaining};
use crate::server::Server;

const RESOLVE: &str = "/api/v1/resolve?domain=open.lab";

fn with_quota(quota: u32) -> Setup {
    let plan = format!("small quota={quota} private");
    Setup::new(&["--access-plans", &plan])
}

#[test]
fn every_keyed_answer_says_what_is_left_and_the_last_one_is_refused() {
    let setup = with_quota(6);
    let (server, key) = (&setup.server, setup.key("small"));
    let keyed = key_header(&key);
    let first = server.get_with(RESOLVE, &keyed);
    assert_eq!((first.status, remaining(&first)), (200, Some(5)));
    assert_eq!(first.header("x-svc-quota-limit"), Some("6"));
    let reset: u64 = first.header("x-svc-quota-reset").unwrap().parse().unwrap();
    assert!((1..=31 * 86_400).contains(&reset), "{reset}");
    // Kept answers, not modified ones, refusals of bad requests, and another header.
    let etag = first.header("etag").unwrap();
    let cached = server.get_with(RESOLVE, &format!("{keyed}if-none-match: {etag}\r\n"));
    assert_eq!((cached.status, remaining(&cached)), (304, Some(4)));
    let bad = server.get_with("/api/v1/resolve?domain=localhost", &keyed);
    assert_eq!((bad.status, remaining(&bad)), (400, Some(3)));
    let bearer = server.get_with(RESOLVE, &format!("authorization: Bearer {key}\r\n"));
    assert_eq!((bearer.status, remaining(&bearer)), (200, Some(2)));
    let scanned = server.post_with("/api/v1/scan", &keyed, r#"{"domain":"open.lab"}"#);
    assert_eq!((scanned.status, remaining(&scanned)), (200, Some(1)));
    // A request that is replayed counts once.
    let idempotent = format!("{keyed}idempotency-key: one\r\n");
    let body = r#"{"domain":"open.lab"}"#;
    assert_eq!(remaining(&server.post_with("/api/v1/scan", &idempotent, body)), Some(0));
    let spent = server.get_with(RESOLVE, &keyed);
    assert_eq!((spent.status, spent.error_code().as_str()), (429, "rate_limited"));
    assert_eq!(remaining(&spent), Some(0));
    assert_eq!(spent.header("retry-after"), spent.header("x-svc-quota-reset"));
    assert!(spent.text().contains("6 calls of this month"), "{}", spent.text());

    // What reads no credential is not counted, and neither is asking for the usage.
    assert_eq!(remaining(&server.get_with("/api/v1/log", &keyed)), None);
    assert_eq!(server.get(RESOLVE).status, 200, "without the key the limits for everybody hold");
    let usage = server.get_with("/api/v1/usage", &keyed);
    assert_eq!((usage.status, remaining(&usage)), (200, Some(0)));
    let usage = usage.json();
    assert_eq!(usage["quota"]["used"], 6);
    let calls: Vec<_> = usage["days"].as_array().unwrap().iter().collect();
    let named =
        |name: &str| calls.iter().find(|row| row["operation"] == name).unwrap()["calls"].clone();
    assert_eq!(named("GET /api/v1/resolve"), 4);
    assert_eq!(named("POST /api/v1/scan"), 2);
}

/// 200 callers at the edge of a quota: exactly as many are answered as it has left.
#[test]
fn callers_at_once_never_get_more_than_the_quota() {
    let setup = with_quota(50);
    let keyed = key_header(&setup.key("small"));
    assert_eq!(setup.server.get(RESOLVE).status, 200, "known before it is asked for by many");
    let answered = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..200 {
            scope.spawn(|| {
                let reply = setup.server.get_with(RESOLVE, &keyed);
                match reply.status {
                    200 => answered.fetch_add(1, Ordering::Relaxed),
                    429 => 0,
                    other => panic!("{other}: {}", reply.text()),
                };
            });
        }
    });
    assert_eq!(answered.load(Ordering::Relaxed), 50);
    let usage = setup.server.get_with("/api/v1/usage", &keyed).json();
    assert_eq!(
        usage["quota"],
        json!({
            "limit": 50, "used": 50, "remaining": 0, "resets_at": usage["quota"]["resets_at"],
        })
    );
}

#[test]
fn a_kill_forgets_no_call_and_a_limit_gives_its_call_back() {
    let setup = with_quota(10);
    let keyed = key_header(&setup.key("small"));
    for left in [9, 8] {
        assert_eq!(remaining(&setup.server.get_with(RESOLVE, &keyed)), Some(left));
    }
    let Setup { data, server, .. } = setup;
    // Dropping a server kills it.
    drop(server);
    let plan = "small quota=10 private";
    let limits = [
        "--access-plans",
        plan,
        "--limits-keyed-decide-per-minute",
        "2",
        "--limits-decide-per-minute",
        "2",
    ];
    let server = Server::start_demo_with_limits(&[data.flags().as_slice(), &limits].concat());
    assert_eq!(remaining(&server.get_with(RESOLVE, &keyed)), Some(7));
    assert_eq!(remaining(&server.get_with(RESOLVE, &keyed)), Some(6));
    let refused = server.get_with(RESOLVE, &keyed);
    assert_eq!((refused.status, remaining(&refused)), (429, Some(6)), "given back");
    let usage = server.get_with("/api/v1/usage", &keyed).json();
    assert_eq!(usage["quota"]["used"], 4);
}

#[test]
fn a_plan_without_a_quota_says_so() {
    let setup = Setup::new(&[]);
    let reply = setup.server.get_with(RESOLVE, &key_header(&setup.key("unlimited")));
    assert_eq!(reply.header("x-svc-quota-limit"), Some("unlimited"));
    assert_eq!(reply.header("x-svc-quota-remaining"), Some("unlimited"));
}
