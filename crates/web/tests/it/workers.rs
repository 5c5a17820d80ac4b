//! Costly requests do not hold up the async workers: whatever computes for long runs elsewhere.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};

use crate::app;

/// The longest that one step may compute on a worker. A build without optimisation is many times slower.
const MAX_STEP: Duration = Duration::from_millis(if cfg!(debug_assertions) { 100 } else { 5 });
/// A busy machine slows single steps down, also in CPU time. What computes for long does so every time.
const ATTEMPTS: usize = 3;

/// The CPU time of this thread, which other programs on a busy machine do not change.
fn thread_cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}

/// Runs between any two steps of other tasks on this thread, and keeps the longest step.
fn watch_steps(stop: Arc<AtomicBool>) -> Arc<AtomicU64> {
    let longest = Arc::new(AtomicU64::new(0));
    let found = Arc::clone(&longest);
    tokio::spawn(async move {
        let mut last = thread_cpu_time();
        while !stop.load(Ordering::Relaxed) {
            tokio::task::yield_now().await;
            let now = thread_cpu_time();
            let step = u64::try_from((now - last).as_micros()).unwrap();
            found.fetch_max(step, Ordering::Relaxed);
            last = now;
        }
    });
    longest
}

fn body(value: &Value) -> String {
    value.to_string()
}

/// On one thread, which serves all connections.
#[tokio::test]
#[cfg(target_os = "linux")]
async fn no_request_computes_for_long_on_a_worker() {
    let test_server = app::start_with(web::RateLimits::none()).await;
    let checks: Vec<Value> =
        (0..50).map(|n| json!({ "domain": format!("name{n}.com"), "action": "read" })).collect();
    let heads: Vec<Value> = (0..50)
        .map(|n| json!({ "kind": "svc-log-sth", "batch": n, "x": "y".repeat(10_000) }))
        .collect();
    let numbers: Vec<u32> = (0..49_000).collect();
    let requests = [
        ("fifty checks", "/api/v1/preflight", body(&json!({ "checks": checks })), 200),
        ("fifty heads", "/api/v1/log/gossip", body(&json!({ "sths": heads })), 200),
        (
            "many values",
            "/api/v1/preflight",
            body(&json!({ "domain": "a.com", "action": "read", "operation": { "a": numbers } })),
            400,
        ),
        (
            "too many values",
            "/api/v1/preflight",
            format!("{{\"operation\":{{\"a\":[{}]}}}}", vec!["{}"; 300_000].join(",")),
            400,
        ),
        (
            "a long list",
            "/api/v1/resolve",
            body(&json!({ "domains": ["a.com"], "fields": vec!["actions"; 49_000] })),
            400,
        ),
        (
            "a long text",
            "/api/v1/outcome",
            body(&json!({ "domain": "a".repeat(1_000_000), "action": "read" })),
            400,
        ),
    ];
    for attempt in 0..ATTEMPTS {
        // New names each time, because the second time they come from memory.
        let names: Vec<String> = (0..100).map(|n| format!("name{n}-{attempt}.com")).collect();
        let names = body(&json!({ "domains": names }));
        let cold = ("a hundred domains", "/api/v1/resolve", names.clone(), 200);
        let warm = ("once more, from memory", "/api/v1/resolve", names, 200);
        let mut too_long = Vec::new();
        for (what, path, body, status) in [cold, warm].into_iter().chain(requests.clone()) {
            let stop = Arc::new(AtomicBool::new(false));
            let longest = watch_steps(Arc::clone(&stop));
            let json = "Content-Type: application/json\r\n";
            let reply = test_server.server.post_to(path, json, &body).await;
            stop.store(true, Ordering::Relaxed);
            assert_eq!(reply.status, status, "{what}: {:.300}", reply.text());
            let longest = Duration::from_micros(longest.load(Ordering::Relaxed));
            if longest > MAX_STEP {
                too_long.push(format!("{what}: one step computed for {longest:?}"));
            }
        }
        if too_long.is_empty() {
            return;
        }
        assert!(attempt + 1 < ATTEMPTS, "{too_long:?}");
    }
}
