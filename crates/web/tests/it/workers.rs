//! Costly requests do not hold up the async workers: whatever computes for long runs elsewhere.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};

use crate::{app, harness::Server};

/// The longest that one step may compute on a worker, unless the machine is slow ([`time_of_peer`]). A
/// build without optimisation is many times slower.
const MAX_STEP: Duration = Duration::from_millis(if cfg!(debug_assertions) { 50 } else { 5 });
/// A busy host takes the processor away from a virtual machine, which counts as CPU time. What really
/// computes for long does so every time, so that one attempt within the limit is enough.
const ATTEMPTS: usize = 8;

/// The CPU time of this thread, which other programs on a busy machine do not change.
fn thread_cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}

/// What this machine takes for comparable work: half the CPU time to read and write the answers about a
/// hundred domains once. A request that did this on a worker would take more, because it would also hash
/// and sign them.
fn time_of_peer(answers: &str) -> Duration {
    let started = thread_cpu_time();
    let document: Value = serde_json::from_str(answers).unwrap();
    std::hint::black_box(document.to_string());
    // The kernel adds to the CPU time of a thread when it is scheduled.
    std::thread::yield_now();
    (thread_cpu_time() - started) / 2
}

/// Runs between the steps of other tasks on this thread, and keeps the longest step.
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
    let names: Vec<String> = (0..100).map(|n| format!("name{n}-0.com")).collect();
    let requests = [
        ("a hundred from memory", "/api/v1/resolve", body(&json!({ "domains": names })), 200),
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
    let mut max_step = MAX_STEP;
    for attempt in 0..ATTEMPTS {
        // New names each time, because the second time they come from memory.
        let names: Vec<String> = (0..100).map(|n| format!("name{n}-{attempt}.com")).collect();
        let names = body(&json!({ "domains": names }));
        let reply = measure(&test_server.server, "/api/v1/resolve", &names, 200).await;
        max_step = max_step.max(time_of_peer(&reply.text));
        if reply.longest_step <= max_step {
            break;
        }
        let longest = reply.longest_step;
        assert!(attempt + 1 < ATTEMPTS, "a hundred domains: one step computed for {longest:?}");
    }
    for (what, path, body, status) in requests {
        for attempt in 0..ATTEMPTS {
            let longest = measure(&test_server.server, path, &body, status).await.longest_step;
            if longest <= max_step {
                break;
            }
            assert!(attempt + 1 < ATTEMPTS, "{what}: one step computed for {longest:?}");
        }
    }
}

struct Measured {
    longest_step: Duration,
    text: String,
}

async fn measure(server: &Server, path: &str, body: &str, status: u16) -> Measured {
    let stop = Arc::new(AtomicBool::new(false));
    let longest = watch_steps(Arc::clone(&stop));
    let json = "Content-Type: application/json\r\n";
    let reply = server.post_to(path, json, body).await;
    stop.store(true, Ordering::Relaxed);
    assert_eq!(reply.status, status, "{path}: {:.300}", reply.text());
    let longest_step = Duration::from_micros(longest.load(Ordering::Relaxed));
    Measured { longest_step, text: reply.text().to_owned() }
}
